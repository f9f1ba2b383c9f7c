// SPDX-License-Identifier: Apache-2.0
// A Verilated tile by itself, beside an engine that evaluates many: it goes on with a tile's state,
// or does the same as that tile and is compared with it.
#ifndef OW_SIM_ONE_TILE_H_
#define OW_SIM_ONE_TILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ow/sim/tile_state.h"

namespace ow {

class OneTile {
 public:
  virtual ~OneTile() = default;

  // Begins cycle `cycle` with this state, while the words `in` come, by side. It is done instead of
  // clock(cycle, in).
  virtual void begin(const uint64_t* words, uint64_t cycle, const uint64_t* in) = 0;
  virtual void clock(uint64_t cycle, const uint64_t* in) = 0;
  // After that: what it sends in the next cycle, and whether nothing in it changes before something
  // comes.
  virtual uint64_t sent(int side) const = 0;
  virtual bool idle() const = 0;
  // The state that the last cycle began with, and that with which the next one begins. For the
  // latter a copy is clocked, and its assertions are those of the next cycle.
  virtual void read(uint64_t* words) const = 0;
  virtual void read_next(uint64_t* words) = 0;
};

class TileMaker {
 public:
  virtual ~TileMaker() = default;
  virtual const StateLayout& layout() const = 0;
  // The memory of a tile.
  virtual size_t tile_bytes() const = 0;
  // Its assertions name it so: "tile_2_3".
  virtual std::unique_ptr<OneTile> make(const std::string& name) = 0;
};

// Makes tiles of this program's model. Each may be used by another thread, and they must not be
// used after it. `checked`: their assertions are evaluated, and one that fails is a DeviceFault.
std::unique_ptr<TileMaker> make_tile_maker(bool checked);

}  // namespace ow

#endif  // OW_SIM_ONE_TILE_H_
