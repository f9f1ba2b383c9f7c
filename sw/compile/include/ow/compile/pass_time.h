// SPDX-License-Identifier: Apache-2.0
// Cycles of a streamed pass (forward or delta), from the contents of its streams and without
// simulating a tile. For each output and grid row a recurrence of sums and maxima gives when the
// engine has the sum and when the reducer has sent it.
//
// In grid row r, for output p of the stream, with w[r][p] weights:
//   engine   e[r][p] = max(e[r][p-1], freed[r][p-ring], came[r][p]) + w[r][p] x beats
//   reducer  s[r][p] = max(free[r], e[r][p] + ready, s[above][p] + hop)    (begins its sum)
//            freed[r][p] = max(s[r][p] + samples, freed[below][p] - slack) (has sent it)
// Sums go round the column, from the row below the owner to the owner. `came` is when the output's
// wavelets have crossed the link. Outputs come owner by owner. Whole sums are like a column of one
// tile: an owner has all weights of its outputs and receives nothing, and without a bias the
// reducer takes two samples a cycle.
//
// A ramp takes one wavelet a cycle. So a tile that receives sums needs samples + weights + 1 cycles
// an output. That limits sparse layers whose sums go round the column.
#ifndef OW_COMPILE_PASS_TIME_H_
#define OW_COMPILE_PASS_TIME_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "ow/memoryx/time_model.h"

namespace ow::jobs {

// Cycles of a tile and its router, each with one cause, fitted to the tile as it is. The tests
// Estimate.* and EstimateTraining.* compare the result with RTL tiles.
struct PassCosts {
  uint64_t start = 259;      // a pass's registers and instructions, and the first weight's way
  uint64_t least_beats = 2;  // a weight with few samples: the engine's turn
  uint64_t ready = 7;        // from the last beat of a row to the reducer's first element
  uint64_t hop = 6;          // an element, from a reducer to that of the next row
  uint64_t wrap_hop = 1;     // a router that a sum passes on its way back to the first row
  uint64_t slack = 8;        // elements that may wait between two reducers
  uint64_t next_pass = 46;   // from the end of a pass to the start of the next
};

struct PassShape {
  int rows = 1;
  int samples = 0;  // a tile
  int lanes = 8;
  int outputs = 0;
  int ring = 1;        // accumulator rows in use
  bool whole = false;  // sums are whole and do not go round the column
  bool bias = false;   // a bias is added to each sum; without one, a whole sum takes a reducer half
                       // the cycles
};

// The number of weights that grid row `row` has for output p of the stream (0 .. outputs - 1).
using WeightCount = std::function<uint32_t(int row, int p)>;

// When a pass ends in each grid row, and the least cycles that its parts need.
struct PassTimes {
  std::vector<uint64_t> end;
  uint64_t wavelets = 0;  // of the grid row that has most
  uint64_t engine = 0;    // cycles of that row's engine
  uint64_t reducer = 0;   // cycles of a reducer
  uint64_t ramp = 0;      // cycles for the wavelets and, round a column, for the received sums
};

class PassClock {
 public:
  // Uses the rates on the way in and the queue at the edge of `time`.
  PassClock(const PassCosts& costs, const TimeModel& time, int rows);

  // Wavelets that have not come yet come in this cycle or later.
  void hold(uint64_t cycle);

  // Something else takes `wavelets` wavelets of a grid row's stream, from cycle `begin` on. Returns
  // the cycle in which all have come.
  uint64_t take(int row, uint64_t wavelets, uint64_t begin);

  // The cycle in which all links have passed what was counted so far.
  uint64_t streamed() const;

  // Adds a pass that begins in grid row r in cycle begin[r].
  PassTimes run(const PassShape& shape, const WeightCount& weights,
                const std::vector<uint64_t>& begin);

 private:
  struct Row;
  // The engine's part of output p in a grid row with `weights` weights of it.
  void engine(const PassShape& shape, size_t r, size_t p, uint64_t weights, Row* at);
  void column(const PassShape& shape, const WeightCount& weights, std::vector<Row>* row);
  void whole(const PassShape& shape, const WeightCount& weights, std::vector<Row>* row);
  // A link runs ahead of the grid by at most the queue at the edge.
  void open(size_t row, uint64_t begin);

  struct Edge {       // of a grid row
    uint64_t at = 0;  // 1/65,536 cycles: the link has passed all that came
  };
  PassCosts costs_;
  TimeModel time_;
  uint64_t period_ = 0;  // 1/65,536 cycles per wavelet, of the slowest part on the way
  std::vector<Edge> edges_;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_PASS_TIME_H_
