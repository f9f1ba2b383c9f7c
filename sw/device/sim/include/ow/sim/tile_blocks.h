// SPDX-License-Identifier: Apache-2.0
// Tiles that the wide engine evaluates in blocks, while others move their words and drive their
// resets and test ports: those of a wafer.
#ifndef OW_SIM_TILE_BLOCKS_H_
#define OW_SIM_TILE_BLOCKS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ow/sim/sim.h"

namespace ow {

// The inputs of a tile in one cycle, as ow_tile has them.
struct TileInputs {
  bool reset = true;
  bool test = false;
  bool request_valid = false;
  uint64_t request = 0;
  bool response_ready = false;
  const uint64_t* links = nullptr;  // by side
};

// What a tile answers at its test port.
struct TestAnswer {
  bool request_ready = false;
  bool response_valid = false;
  uint64_t response = 0;
};

class TileBlocks {
 public:
  virtual ~TileBlocks() = default;

  // One cycle of tiles 0, 1, .. `due`: those that have something to do. Any other one keeps its
  // state or takes its next one, so these must be the same, or nobody may ask for them. Returns how
  // many tiles were evaluated.
  virtual size_t clock(uint64_t cycle, const std::vector<TileInputs>& inputs,
                       const std::vector<uint8_t>& due) = 0;
  // After it: what a tile sends in the next cycle, by side; whether it does nothing before
  // something comes; and its answer.
  virtual const std::array<uint64_t, 4>& sends(size_t tile) const = 0;
  virtual bool idle(size_t tile) const = 0;
  virtual TestAnswer answer(size_t tile) const = 0;

  // Gives tiles the states of others: pairs of a tile that is copied and the one that becomes it.
  virtual void copy(const std::vector<std::pair<size_t, size_t>>& pairs) = 0;
  // Whether two tiles have the same state, and a number of the state of each of some tiles, which
  // are in ascending order.
  virtual bool same(size_t a, size_t b) const = 0;
  virtual std::vector<uint64_t> digests(const std::vector<size_t>& tiles) const = 0;

  virtual int width() const = 0;  // tiles of a block
};

// The memory of a tile in a full block. BadInput as below.
size_t bytes_in_blocks(const SimOptions& options);

// `count` full tiles in reset, with the width and the threads of the options. BadInput if the wide
// engine is not built, or this processor lacks the instructions.
std::unique_ptr<TileBlocks> make_tile_blocks(size_t count, const SimOptions& options);

}  // namespace ow

#endif  // OW_SIM_TILE_BLOCKS_H_
