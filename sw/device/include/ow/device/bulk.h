// SPDX-License-Identifier: Apache-2.0
// Copies between the host and many tiles at the rate of the edges. Requests of the control plane's
// protocol enter at all sides, each tile's at a port of its row or column, and answers leave there.
// Only the control plane uses these colours, so a program loses nothing and its firmware need not
// know.
//
// A port carries one wavelet per cycle and a tile takes one. Tiles are given to ports so that all
// ports have about equally much to do, no two ports feed one tile, and no two streams share a link:
// streams along rows and streams along columns never meet. All packets are unicasts, so the rules
// of docs/fabric.md hold for any number of ports.
#ifndef OW_BULK_H_
#define OW_BULK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/device/control_plane.h"

namespace ow {

class Bulk {
 public:
  // Words of a packet. Long enough that four header words are only 1.5 %, short enough that other
  // requests get through.
  static constexpr size_t kPacketWords = 256;

  // `sram_bytes`: of a tile (ControlPlane::sram_bytes).
  Bulk(ControlPlane& control, uint32_t sram_bytes)
      : device_(control.device()), reads_(control.reads()), sram_bytes_(sram_bytes) {}
  // Reads under way are abandoned.
  ~Bulk();
  Bulk(const Bulk&) = delete;
  Bulk& operator=(const Bulk&) = delete;

  // Addresses are multiples of 4. There is at most one write and one read per tile. Words that are
  // read go to `words`, which has the right size and must live until the copy is done. BadInput for
  // a wrong address, no words, a missing tile, or a write beyond a tile's SRAM.
  void write(int row, int col, uint32_t addr, std::vector<uint32_t> words);
  void read(int row, int col, uint32_t addr, std::vector<uint32_t>* words);

  // Sends what the ports can take and looks at what came. Returns true when all tiles have taken
  // their writes and all reads have arrived. Call it whenever the device has something to tell. No
  // other requests may be under way between the first call and the last. ProtocolError for an
  // unexpected answer; DeviceFault if a tile refuses.
  bool pump();

  // While held, pump() sends no more packets but still takes answers. When idle(), nothing is under
  // way and others may send requests.
  void hold(bool held) { held_ = held; }
  bool idle() const;

  // The first tile that has not answered, for reports.
  std::string waiting_for() const;

 private:
  struct Job {
    int row = 0, col = 0;
    uint32_t addr = 0;
    std::vector<uint32_t> out;            // to be written
    std::vector<uint32_t>* in = nullptr;  // to be read
    size_t words() const { return in != nullptr ? in->size() : out.size(); }
  };
  struct Packet {
    size_t job;
    size_t at;  // words
    size_t words;
    uint32_t tag;
  };
  struct PortState {
    Side side;
    int index;
    std::vector<size_t> jobs;
    size_t load = 0;
    size_t next_job = 0;
    size_t next_word = 0;
    std::vector<Packet> reads;  // under way, the oldest first
  };

  void add(Job job);
  void assign();
  size_t port_of(Side side, int index) const;
  void issue(PortState* port);
  void finish(PortState* port, const ControlReads::Answer& answer);
  void request(PortState* port, const Packet& packet, bool read);

  Device& device_;
  ControlReads& reads_;
  uint32_t sram_bytes_;
  std::vector<Job> jobs_;
  std::vector<PortState> ports_;
  size_t left_ = 0;  // packets that must be answered, of all jobs
  bool assigned_ = false;
  bool held_ = false;
};

}  // namespace ow

#endif  // OW_BULK_H_
