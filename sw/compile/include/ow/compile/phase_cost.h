// SPDX-License-Identifier: Apache-2.0
// What a phase costs, in numbers that its kind gives beside its lowering. Estimates run them
// through one recurrence (phase_time.h). Cycles are those of the programs as they are: the tests
// Estimate.* and EstimateTraining.* hold the result to RTL tiles.
#ifndef OW_COMPILE_PHASE_COST_H_
#define OW_COMPILE_PHASE_COST_H_

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

namespace ow::jobs {

// By grid row. Empty: 0 in all.
using RowCycles = std::vector<uint64_t>;

// The core works, with the instructions that it waits for. Between two parts all tiles of a column
// join `words` words each: down to the last grid row, which takes `join` cycles a row besides, and
// back to all.
struct WorkCost {
  std::vector<RowCycles> parts;  // cycles
  uint64_t words = 0;
  uint64_t join = 0;
  RowCycles behind;  // cycles of the drain's microthread, which go on while the next phase begins
  RowCycles leaves;  // fp32 numbers that leave the tile: gradients of a vector
};

// A streamed pass: weights into the accumulators, sums out of them. `outputs` of them.
struct PassCost {
  uint32_t outputs = 0;
  bool whole = false;     // sums are whole and do not go round the column
  bool bias = false;      // one is added to each sum
  bool gathered = false;  // waits for what the phase before it gathers
};

// Every tile of a column gets the words of all owners, while the next phase begins.
struct GatherCost {
  RowCycles words;        // of each owner
  bool in_place = false;  // own words are already where the others arrive
  RowCycles sums;         // of a bias's deltas, which leave meanwhile
};

// The products of a piece of a matrix's gradient.
struct GradientCost {
  bool first = false;     // sets the reducer
  bool gathered = false;  // as of a pass
};

// A tile's words to the edge, after those of the tiles that are farther from it.
struct SendCost {
  RowCycles words;
  bool west = false;   // all leave in the west; else to the nearer edge
  bool table = false;  // deltas of looked-up rows
};

using PhaseCost = std::variant<WorkCost, PassCost, GatherCost, GradientCost, SendCost>;

// Work of the same form in each grid row.
inline WorkCost work(int rows, const std::function<uint64_t(int row)>& cycles) {
  WorkCost cost;
  cost.parts.emplace_back();
  for (int row = 0; row < rows; ++row) cost.parts[0].push_back(cycles(row));
  return cost;
}

}  // namespace ow::jobs

#endif  // OW_COMPILE_PHASE_COST_H_
