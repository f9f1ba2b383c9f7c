// SPDX-License-Identifier: Apache-2.0
// Reads of the control plane that are under way at the edge ports of a device: their tags, and the
// answers word by word. All that reads through one control plane shares it.
//
// A read that nobody waits for any more keeps its tag until its answer has come. So the answer is
// never taken for that of another read, however late it is.
#ifndef OW_CONTROL_READS_H_
#define OW_CONTROL_READS_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ow/device/device.h"

namespace ow {

class ControlReads {
 public:
  static constexpr size_t kTags = size_t{1} << isa::PacketCommand::Tag::kWidth;  // of a port

  explicit ControlReads(Device& device) : device_(device) {}

  // A tag that no other read has whose answer leaves at this port. Nothing if all are in use. A
  // read that was sent to several tiles has as many answers.
  std::optional<uint32_t> begin(Side side, int index, int answers = 1);
  // Nobody waits for this answer any more.
  void abandon(Side side, int index, uint32_t tag);

  struct Answer {
    uint32_t tag = 0;
    uint32_t status = 0;          // isa::PacketStatus
    uint32_t count = 0;           // of words, as the tile says
    std::vector<uint32_t> words;  // that came
  };
  // The next whole answer that has arrived at the port and is waited for; after the last one its
  // tag is free.
  // ProtocolError for one that nobody has asked for.
  std::optional<Answer> next(Side side, int index);

 private:
  struct Port {
    std::array<int, kTags> due{};  // answers, by tag; 0: the tag is free
    std::bitset<kTags> abandoned;
    uint32_t next_tag = 0;
    std::vector<uint32_t> partial;               // the answer that is arriving
    std::deque<std::vector<uint32_t>> complete;  // answers not looked at yet
  };

  Device& device_;
  std::map<std::pair<Side, int>, Port> ports_;
};

}  // namespace ow

#endif  // OW_CONTROL_READS_H_
