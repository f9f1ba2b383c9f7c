// SPDX-License-Identifier: Apache-2.0
#include "lockstep.h"

#include <fmt/format.h>

#include <utility>

#include "ow/base/error.h"

namespace ow::wide {

Lockstep::Lockstep(size_t lane, const StateMap& map, TileMaker* maker, std::string name)
    : lane_(lane),
      map_(&map),
      layout_(&maker->layout()),
      name_(std::move(name)),
      tile_(maker->make(name_, true)),
      words_(map.words) {}

void Lockstep::differs(const std::string& what, uint64_t wide, uint64_t verilated) const {
  throw DeviceFault(fmt::format("{}: lockstep: {} is {:x} in the wide engine, {:x} in Verilator's",
                                name_, what, wide, verilated));
}

// After the Verilated tile was clocked, its registers are those with which the cycle began.
void Lockstep::before(Block* block, uint64_t cycle) {
  uint64_t in[kSides];
  for (int side = 0; side < kSides; ++side) in[side] = block->taken_by(lane_, side);
  block->read(lane_, *map_, cycle, &state_);
  if (begins_) {
    begins_ = false;
    return tile_->begin(state_.words.data(), cycle, in);
  }
  tile_->clock(cycle, in);
  tile_->read(words_.data());
  for (size_t s = 0; s < layout_->signals().size(); ++s) {
    const StateSignal& signal = layout_->signals()[s];
    const size_t first = layout_->first(s);
    for (size_t w = first; w < first + signal.words(); ++w) {
      if (((words_[w] ^ state_.words[w]) & map_->known[w]) == 0) continue;
      differs(fmt::format("{}, word {}", signal.name, w - first), state_.words[w], words_[w]);
    }
  }
}

void Lockstep::after(const Block& block, uint64_t cycle) const {
  for (int side = 0; side < kSides; ++side) {
    const uint64_t sent = block.sent_by(lane_, cycle + 1, side);
    if (sent == tile_->sent(side)) continue;
    constexpr const char* kNames[] = {"north", "east", "south", "west"};
    differs(fmt::format("what it sends to the {}", kNames[side]), sent, tile_->sent(side));
  }
}

}  // namespace ow::wide
