// SPDX-License-Identifier: Apache-2.0
#include "ow/device/control_reads.h"

#include <fmt/format.h>

#include "ow/base/error.h"

namespace ow {

using Response = isa::PacketResponse;

std::optional<uint32_t> ControlReads::begin(Side side, int index, int answers) {
  Port& port = ports_[{side, index}];
  for (size_t k = 0; k < kTags; ++k) {
    const uint32_t tag = port.next_tag;
    port.next_tag = (tag + 1) % kTags;
    if (port.due[tag] != 0) continue;
    port.due[tag] = answers;
    return tag;
  }
  return std::nullopt;
}

void ControlReads::abandon(Side side, int index, uint32_t tag) {
  ports_[{side, index}].abandoned.set(tag);
}

std::optional<ControlReads::Answer> ControlReads::next(Side side, int index) {
  const bool arrived = device_.available(side, index, kColourRsp) != 0;
  const auto found = ports_.find({side, index});
  if (!arrived && (found == ports_.end() || found->second.complete.empty())) return std::nullopt;
  Port& port = ports_[{side, index}];
  if (arrived) {
    for (const Arrival& a : device_.take_arrivals(side, index, kColourRsp)) {
      port.partial.push_back(a.wavelet.data);
      if (!a.wavelet.ctrl) continue;
      port.complete.emplace_back();
      port.complete.back().swap(port.partial);
    }
  }
  // X and Y header at the end of a row, only the Y header at the end of a column.
  const size_t head = side == Side::West || side == Side::East ? 2 : 1;
  const auto where = [&] { return fmt::format("at the {} edge, port {}", side_name(side), index); };
  while (!port.complete.empty()) {
    const std::vector<uint32_t> words = std::move(port.complete.front());
    port.complete.pop_front();
    if (words.size() <= head) {
      throw ProtocolError(fmt::format("answer of {} words {}: must be at least {}", words.size(),
                                      where(), head + 1));
    }
    Answer answer;
    answer.tag = Response::Tag::get(words[head]);
    answer.status = Response::Status::get(words[head]);
    answer.count = Response::Count::get(words[head]);
    if (port.due[answer.tag] == 0) {
      throw ProtocolError(
          fmt::format("answer with tag {} {}: no read has this tag", answer.tag, where()));
    }
    const bool late = port.abandoned[answer.tag];
    if (--port.due[answer.tag] == 0) port.abandoned.reset(answer.tag);
    if (late) continue;
    answer.words.assign(words.begin() + static_cast<std::ptrdiff_t>(head) + 1, words.end());
    return answer;
  }
  return std::nullopt;
}

}  // namespace ow
