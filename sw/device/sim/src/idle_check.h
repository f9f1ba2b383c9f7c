// SPDX-License-Identifier: Apache-2.0
// Whether tiles that are not evaluated would have stayed as they are. A check returns what an error
// says after the name of the tile, nothing if all is well.
#ifndef OW_SIM_SRC_IDLE_CHECK_H_
#define OW_SIM_SRC_IDLE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "Vow_tile_internals.h"

namespace ow::sim {

class IdleCheck {
 public:
  IdleCheck(size_t tiles, bool both_edges) : settled_(tiles, 0), both_edges_(both_edges) {}

  // Evaluates, twice, a tile that would have been skipped; it uses the input of its last
  // evaluation. No register, no output and not idle_o may change. From the second such check in a
  // row on, nothing in the model may change. In the first one, Verilator's temporaries may (memory
  // writes of the last evaluation, function arguments).
  std::string unchanged(size_t tile, Model<Vow_tile>* model, uint64_t cycle);
  // The tile was evaluated because it had something to do. Tiles may be in several threads.
  void evaluated(size_t tile) { settled_[tile] = 0; }
  uint64_t evaluations() const { return evaluations_; }

 private:
  std::vector<uint8_t> settled_;  // checked once since its last evaluation
  bool both_edges_;
  std::vector<uint8_t> before_;
  uint64_t evaluations_ = 0;
};

}  // namespace ow::sim

#endif  // OW_SIM_SRC_IDLE_CHECK_H_
