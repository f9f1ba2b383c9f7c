// SPDX-License-Identifier: Apache-2.0
#include "lockstep.h"

#include <fmt/format.h>

#include "ow/base/error.h"

namespace ow::wide {

Lockstep::Lockstep(size_t lane, const StateMap& map, TileMaker* maker, int row, int column)
    : lane_(lane),
      map_(&map),
      layout_(&maker->layout()),
      name_(fmt::format("tile ({}, {})", row, column)),
      tile_(maker->make(fmt::format("tile_{}_{}", row, column))),
      words_(map.words) {}

void Lockstep::differs(const std::string& what, uint64_t wide, uint64_t verilated) const {
  throw DeviceFault(fmt::format("{}: lockstep: {} is {:x} in the wide engine, {:x} in Verilator's",
                                name_, what, wide, verilated));
}

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
  compare_registers();
}

void Lockstep::compare_registers() const {
  for (size_t s = 0; s < layout_->signals().size(); ++s) {
    const StateSignal& signal = layout_->signals()[s];
    const size_t first = layout_->first(s);
    for (size_t w = first; w < first + signal.words(); ++w) {
      if (((words_[w] ^ state_.words[w]) & map_->known[w]) == 0) continue;
      differs(fmt::format("{}, word {}", signal.name, w - first), state_.words[w], words_[w]);
    }
  }
}

// A tile of a block is awake in the cycle after it sent: its output registers change. So only the
// Verilated tile may be idle alone.
void Lockstep::after(Block* block, uint64_t cycle) {
  for (int side = 0; side < kSides; ++side) {
    const uint64_t sent = block->sent_by(lane_, cycle + 1, side);
    if (sent == tile_->sent(side)) continue;
    constexpr const char* kNames[] = {"north", "east", "south", "west"};
    differs(fmt::format("what it sends to the {}", kNames[side]), sent, tile_->sent(side));
  }
  const bool idle = !block->awake().get(lane_);
  if (idle && !tile_->idle()) differs("whether it is idle", 1, 0);
  if (!block->idle()) return;
  block->read(lane_, *map_, cycle + 1, &state_);
  tile_->read_next(words_.data());
  compare_registers();
}

}  // namespace ow::wide
