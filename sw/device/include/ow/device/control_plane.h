// SPDX-License-Identifier: Apache-2.0
// The client of the control plane, with the packets of docs/fabric.md. All requests enter at the
// west edge of one grid row, so there is one injector of multicasts. Responses leave at the west
// edge of the row that answers. Only thousands of reads at a time go through all edges (bulk.h),
// when all earlier writes have been taken.
#ifndef OW_CONTROL_PLANE_H_
#define OW_CONTROL_PLANE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "ow/device/control_reads.h"
#include "ow/device/device.h"

namespace ow {

// BadInput for a write beyond a tile's SRAM. A tile would drop it as a whole without an answer.
// Writes to registers are not checked.
void check_write(uint32_t addr, size_t words, uint32_t sram_bytes);

class ControlPlane {
 public:
  struct Options {
    int entry_row = 0;           // west edge port where requests enter
    int max_outstanding = 16;    // reads under way at a time (1..256)
    uint64_t timeout = 1000000;  // cycles that a read may take before it is a DeviceFault
  };

  explicit ControlPlane(Device& device);
  ControlPlane(Device& device, const Options& options);

  Device& device() { return device_; }
  GridShape shape() const { return device_.shape(); }
  int entry_row() const { return options_.entry_row; }
  // For other readers of this control plane.
  ControlReads& reads() { return reads_; }

  // Writes the same words (addresses ascending by 4) into every tile of the rectangle: one
  // multicast packet, cut every 65,535 words. Only queues the packets; they travel while the device
  // runs. Requests are delivered in the order of the calls. Throws BadInput for a rectangle outside
  // the grid, an unaligned address, no words, or words beyond a tile's SRAM (the first write to
  // SRAM asks a tile for its size).
  void write(const Rect& rect, uint32_t addr, const std::vector<uint32_t>& words);
  void write(const Rect& rect, uint32_t addr, uint32_t word);
  void write_tile(int row, int col, uint32_t addr, const std::vector<uint32_t>& words);
  void write_tile(int row, int col, uint32_t addr, uint32_t word);

  // Bytes of SRAM per tile; all tiles are alike. Read once, from a tile's CONFIG register.
  uint32_t sram_bytes(int row, int col);

  // Runs the device until every tile of the rectangle has taken all earlier writes. An answer of
  // each tile proves it.
  void fence(const Rect& rect);

  // Reads n words and runs the device until they arrive. DeviceFault if the tile reports an error
  // or never answers. An answer that comes after that error is dropped.
  std::vector<uint32_t> read_tile(int row, int col, uint32_t addr, size_t n);
  uint32_t read_tile(int row, int col, uint32_t addr);

  // Reads the same n words of every tile of the rectangle. Index of the result: [(row - rect.row) *
  // rect.cols + (col - rect.col)].
  std::vector<std::vector<uint32_t>> read_rect(const Rect& rect, uint32_t addr, size_t n);

  struct ReadRequest {
    int row;
    int col;
    uint32_t addr;
    size_t n;  // words, at least 1
  };
  // Any mix of reads, with up to max_outstanding packets under way. Results are in the order of the
  // requests.
  std::vector<std::vector<uint32_t>> read_many(const std::vector<ReadRequest>& requests);

 private:
  class ManyReads;

  std::vector<std::vector<uint32_t>> read_at_all_sides(const std::vector<ReadRequest>& requests);
  void check_rect(const Rect& rect) const;

  Device& device_;
  Options options_;
  ControlReads reads_;
  uint32_t sram_bytes_ = 0;      // not asked for yet
  std::optional<Rect> written_;  // around all tiles that may not have taken a write yet
};

}  // namespace ow

#endif  // OW_CONTROL_PLANE_H_
