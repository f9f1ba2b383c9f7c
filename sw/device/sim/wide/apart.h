// SPDX-License-Identifier: Apache-2.0
// Tiles of a block in Verilated tiles of their own, for blocks in which few tiles work. A tile that
// rests stays in the block; it leaves it in the first cycle in which it has something to do.
#ifndef OW_SIM_WIDE_APART_H_
#define OW_SIM_WIDE_APART_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "block.h"
#include "lanes.h"
#include "ow/sim/one_tile.h"
#include "state_map.h"

namespace ow::wide {

class Apart {
 public:
  // From now on the tiles of the block are evaluated here.
  void leave(Block* block, const StateMap& map, TileMaker* maker);
  // The tiles go back into the block, before the coming cycle `cycle`.
  void rejoin(uint64_t cycle);
  bool active() const { return block_ != nullptr; }

  // Finds the tiles that are awake and those that get something, which the block's inputs say.
  // Returns how many they are.
  size_t find_due();
  // Clocks these.
  void clock(uint64_t cycle);
  bool awake() const { return any(awake_); }
  // Tiles in Verilated models.
  size_t out() const { return out_count_; }
  bool has(size_t lane) const { return active() && out_.get(lane); }
  void read(size_t lane, uint64_t cycle, TileState* state);

 private:
  bool any(const Lanes& lanes) const;
  void clock_tile(size_t lane, uint64_t cycle);

  Block* block_ = nullptr;
  const StateMap* map_ = nullptr;
  TileMaker* maker_ = nullptr;
  std::vector<std::unique_ptr<OneTile>> tiles_;  // by lane; null until it is needed
  Lanes out_, awake_, due_;
  Lanes receivers_[kSides];  // of the words that come, by side
  size_t out_count_ = 0;
  TileState state_;
};

}  // namespace ow::wide

#endif  // OW_SIM_WIDE_APART_H_
