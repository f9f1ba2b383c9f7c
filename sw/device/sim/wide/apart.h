// SPDX-License-Identifier: Apache-2.0
// Tiles of a block in Verilated tiles of their own, for blocks in which few tiles work
// (engine=auto). A tile that rests stays in the block; it leaves it in the first cycle in which it
// has something to do.
//
// A block changes over when the other way would have saved what the change costs. So it takes at
// most twice the time of the better way, and much less if its tiles go on as they do.
#ifndef OW_SIM_WIDE_APART_H_
#define OW_SIM_WIDE_APART_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "block.h"
#include "lanes.h"
#include "ow/sim/one_tile.h"
#include "state_map.h"

namespace ow::wide {

class Apart {
 public:
  // After an evaluation of the block: from now on its tiles are evaluated here, if that is better.
  void leave_if_better(Block* block, const StateMap& map, TileMaker* maker);
  // The tiles go back into the block, before the coming cycle `cycle`.
  void rejoin(uint64_t cycle);
  bool active() const { return block_ != nullptr; }

  // Clocks the tiles that are awake and those that get something, which the block's inputs say.
  // Returns how many they are. If they are many, they go back, and none is clocked.
  std::optional<size_t> clock(uint64_t cycle);
  bool awake() const { return any(awake_); }
  bool has(size_t lane) const { return active() && out_.get(lane); }
  void read(size_t lane, uint64_t cycle, TileState* state);

 private:
  bool any(const Lanes& lanes) const;
  bool changes_over(double lost, size_t tiles);
  size_t find_due();
  void clock_tile(size_t lane, uint64_t cycle);

  Block* block_ = nullptr;
  const StateMap* map_ = nullptr;
  TileMaker* maker_ = nullptr;
  std::vector<std::unique_ptr<OneTile>> tiles_;  // by lane; null until it is needed
  Lanes out_, awake_, due_;
  Lanes receivers_[kSides];  // of the words that come, by side
  size_t out_count_ = 0;
  // What the other way of evaluating would have saved since the last change, in evaluations of a
  // Verilated tile.
  double lost_ = 0;
  TileState state_;
};

}  // namespace ow::wide

#endif  // OW_SIM_WIDE_APART_H_
