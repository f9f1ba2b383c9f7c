// SPDX-License-Identifier: Apache-2.0
// Copies between the host and many tiles at the rate of the edges. Requests of the control plane's
// protocol enter at all sides, each tile's at a port of its row or column, and answers leave there.
// Only the control plane uses these colours, so a program loses nothing and its firmware need not
// know.
//
// A port carries one wavelet per cycle and a tile takes one. Tiles are given to ports so that all
// ports have about equally much to do, no two ports feed one tile, and no two streams share a link:
// streams along rows and streams along columns never meet. These packets are unicasts, so the rules
// of docs/fabric.md hold for any number of ports.
//
// What all tiles of a rectangle get enters as multicasts at one port, that of the control plane.
#ifndef OW_BULK_H_
#define OW_BULK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ow/device/control_plane.h"

namespace ow {

class Bulk {
 public:
  // Words of a packet. Long enough that four header words are only 1.5 %, short enough that other
  // requests get through.
  static constexpr size_t kPacketWords = 256;

  // `sram_bytes`: of a tile (ControlPlane::sram_bytes). `direct`: writes go straight into the
  // memories of a simulated device, and are done at once.
  Bulk(ControlPlane& control, uint32_t sram_bytes, bool direct = false)
      : device_(control.device()),
        reads_(control.reads()),
        entry_row_(control.entry_row()),
        sram_bytes_(sram_bytes),
        direct_(direct) {}
  // Reads under way are abandoned.
  ~Bulk();
  Bulk(const Bulk&) = delete;
  Bulk& operator=(const Bulk&) = delete;

  // Words of a tile at one address, a multiple of 4.
  struct Span {
    uint32_t addr = 0;
    size_t words = 0;
  };
  // There is at most one write and one read per tile, each of any number of spans; the words are
  // those of the spans one after the other. Words that are read go to `words`, which has the right
  // size and must live until the copy is done. BadInput for a wrong address, no words, a missing
  // tile, or a write beyond a tile's SRAM.
  void write(int row, int col, const std::vector<Span>& spans, std::vector<uint32_t> words);
  void write(int row, int col, uint32_t addr, std::vector<uint32_t> words) {
    const size_t n = words.size();
    write(row, col, {{addr, n}}, std::move(words));
  }
  void read(int row, int col, const std::vector<Span>& spans, std::vector<uint32_t>* words);
  void read(int row, int col, uint32_t addr, std::vector<uint32_t>* words) {
    read(row, col, {{addr, words->size()}}, words);
  }
  // The same words into every tile of the rectangle.
  void write(const Rect& rect, const std::vector<Span>& spans, std::vector<uint32_t> words);

  // Sends what the ports can take and looks at what came. Returns true when all tiles have taken
  // their writes and all reads have arrived. Call it whenever the device has something to tell. No
  // other requests may be under way between the first call and the last. ProtocolError for an
  // unexpected answer; DeviceFault if a tile refuses.
  bool pump();

  // Answers that have not come, of all jobs.
  size_t left() const { return left_; }

  // While held, pump() sends no more packets but still takes answers. When idle(), nothing is under
  // way and others may send requests.
  void hold(bool held) { held_ = held; }
  bool idle() const;

  // Sends no more than packets that are under way already; pump() returns true when they have
  // arrived. Words that were not sent stay as they are in the tiles.
  void cancel();

  // The first tile that has not answered, for reports.
  std::string waiting_for() const;

 private:
  struct Packet {
    uint32_t addr = 0;
    size_t at = 0;  // of the job's words
    size_t words = 0;
  };
  struct Job {
    Rect rect;                            // one tile, or those of a multicast
    std::vector<uint32_t> out;            // to be written
    std::vector<uint32_t>* in = nullptr;  // to be read
    std::vector<Packet> packets;
    size_t words() const { return in != nullptr ? in->size() : out.size(); }
    bool multicast() const { return rect.rows * rect.cols > 1; }
    size_t cost() const;  // cycles of a port
    // Its reads: of its words, or a fence of each row.
    size_t reads() const { return in != nullptr ? packets.size() : static_cast<size_t>(rect.rows); }
  };
  // A read under way. It is a fence if its job writes.
  struct Read {
    size_t job = 0;
    Rect rect;
    Packet packet;
    uint32_t tag = 0;
    int answers = 1;  // that have not come
  };
  struct PortState {
    Side side;
    int index;
    std::vector<size_t> jobs;
    size_t load = 0;
    size_t next_job = 0;
    size_t next_packet = 0;
    int fenced_rows = 0;      // of a multicast that is being fenced
    std::vector<Read> reads;  // under way, the oldest first
    size_t words_read() const;
  };

  void add(Job job, const std::vector<Span>& spans);
  void write_directly(const Job& job);
  void assign();
  size_t port_of(Side side, int index) const;
  void issue(PortState* port);
  bool read(const PortState& port, PortState* out, Read read);
  bool fence(PortState* port);
  void finish(PortState* port, const ControlReads::Answer& answer);
  void request(const PortState& port, const Rect& rect, const Packet& packet,
               std::optional<uint32_t> tag, const uint32_t* data);

  Device& device_;
  ControlReads& reads_;
  int entry_row_;  // of multicasts, at the west edge
  uint32_t sram_bytes_;
  bool direct_;
  std::vector<Job> jobs_;
  std::vector<PortState> ports_;
  size_t left_ = 0;  // reads that must be answered, of all jobs
  bool assigned_ = false;
  bool held_ = false;
};

}  // namespace ow

#endif  // OW_BULK_H_
