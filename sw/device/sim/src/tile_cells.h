// SPDX-License-Identifier: Apache-2.0
// The state of a Verilated tile by name (ow/sim/tile_state.h).
//
// A tile with InputRegs is one cycle behind: after it was clocked in a cycle, its registers are
// those that the cycle began with, and the words that came are in the registers of its inputs. So
// what the next cycle begins with is read from a copy that is clocked once more. A tile is begun
// with a state by giving its registers that state and its input registers the words of the first
// cycle.
#ifndef OW_SIM_SRC_TILE_CELLS_H_
#define OW_SIM_SRC_TILE_CELLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "Vow_tile_internals.h"
#include "model.h"
#include "ow/sim/tile_state.h"

namespace ow::sim {

class TileCells {
 public:
  // Of any model of the class.
  explicit TileCells(const Model<Vow_tile>& model);

  const StateLayout& layout() const { return layout_; }
  // The registers as they are; `words` as in TileState.
  void read(const Model<Vow_tile>& model, uint64_t* words) const;
  // Those that the coming cycle begins with. The model is left as it was.
  void read_next(Model<Vow_tile>* model, uint64_t* words) const;
  void write(Model<Vow_tile>* model, const uint64_t* words) const;
  // Instead of clocking the model in this cycle, after write(): `in` are the words that come.
  void begin(Model<Vow_tile>* model, uint64_t cycle, const uint64_t* in) const;

 private:
  struct Place {
    size_t offset, elements, bytes;  // in the model's state, an element's
    size_t first, element_words;     // in the words
  };
  StateLayout layout_;
  std::vector<Place> places_;
  std::vector<Place> inputs_;         // registers of inputs
  size_t links_[4] = {}, cycle_ = 0;  // of these
};

}  // namespace ow::sim

#endif  // OW_SIM_SRC_TILE_CELLS_H_
