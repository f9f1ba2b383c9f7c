// SPDX-License-Identifier: Apache-2.0
// Copies between the host and many tiles at the rate of the edges: requests of the control plane's
// protocol that enter at all sides, each tile's at a port of its row or its column, and answers
// that leave there. The control plane's colours are nobody else's, so nothing is taken from a
// program, and its firmware need not know.
//
// A port carries one wavelet a cycle and a tile takes one; tiles are given to ports so that all
// ports have about equally much, no two ports feed one tile, and no two streams share a link: those
// along rows and those along columns meet nowhere. All packets are unicasts, so that the rules of
// docs/fabric.md hold whatever the number of ports.
#ifndef OW_BULK_H_
#define OW_BULK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/device/device.h"

namespace ow {

class Bulk {
 public:
  // Words of a packet: long enough that four words of header are 1.5 %, short enough that other
  // requests get through.
  static constexpr size_t kPacketWords = 256;

  // `sram_bytes`: of a tile (ControlPlane::sram_bytes).
  Bulk(Device& device, uint32_t sram_bytes) : device_(device), sram_bytes_(sram_bytes) {}

  // Addresses are multiples of 4; at most one write and one read for each tile. What is read goes
  // to `words`, which has the size wanted and must live until the copy is done. BadInput for
  // another address, no words, a tile that is not there, or a write beyond a tile's SRAM.
  void write(int row, int col, uint32_t addr, std::vector<uint32_t> words);
  void read(int row, int col, uint32_t addr, std::vector<uint32_t>* words);

  // Sends what the ports can take and looks at what came. True when all tiles have taken what was
  // written and all that was read is there. To be called whenever the device has something to tell;
  // no other requests may be under way between the first call and the last. ProtocolError for an
  // answer that is none of these; DeviceFault if a tile refuses.
  bool pump();

  // While held, pump() sends no more packets; what is under way is still taken. idle(): nothing is,
  // so that others may send requests before it goes on.
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
    uint32_t next_tag = 0;
    std::vector<Packet> reads;  // under way, the oldest first
    std::vector<uint32_t> answer;
  };

  void add(Job job);
  void assign();
  size_t port_of(Side side, int index) const;
  void issue(PortState* port);
  void finish(PortState* port);
  void request(PortState* port, const Packet& packet, bool read);

  Device& device_;
  uint32_t sram_bytes_;
  std::vector<Job> jobs_;
  std::vector<PortState> ports_;
  size_t left_ = 0;  // packets that must be answered, of all jobs
  bool assigned_ = false;
  bool held_ = false;
};

}  // namespace ow

#endif  // OW_BULK_H_
