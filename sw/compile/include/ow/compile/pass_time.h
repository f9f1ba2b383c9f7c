// SPDX-License-Identifier: Apache-2.0
// Cycles of a streamed pass (forward, or of deltas), from what its streams hold, without simulating
// a tile: for each output and grid row, when the engine has its sum and when the reducer has sent
// it on, as a recurrence of sums and maxima.
//
// In grid row r, for output p of the stream, with w[r][p] weights:
//   engine   e[r][p] = max(e[r][p-1], freed[r][p-ring], came[r][p]) + w[r][p] x beats
//   reducer  s[r][p] = max(free[r], e[r][p] + ready, s[above][p] + hop)    (begins its sum)
//            freed[r][p] = max(s[r][p] + samples, freed[below][p] - slack) (has sent it)
// where sums go from the row below the owner round the column to the owner, `came` is the edge's
// (when the output's wavelets have crossed the link), and the outputs come owner by owner. Whole
// sums are those of a column of one tile: an output's weights are all its owner's, nothing is
// received, and without a bias the reducer takes two samples a cycle.
#ifndef OW_COMPILE_PASS_TIME_H_
#define OW_COMPILE_PASS_TIME_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "ow/memoryx/time_model.h"

namespace ow::jobs {

// What a tile and its router take, in cycles, each by one cause. Of the tile as it is: the tests
// Estimate.* and EstimateTraining.* hold what is reckoned by them against RTL tiles.
struct PassCosts {
  uint64_t start = 259;      // a pass's registers, its instructions, the first weight's way
  uint64_t least_beats = 2;  // a weight, whatever few samples: the engine's turn
  uint64_t ready = 7;        // from the last beat of a row to the reducer's first element
  uint64_t hop = 6;          // an element from a reducer to the next row's
  uint64_t wrap_hop = 1;     // and a row that it passes on the way back up
  uint64_t slack = 8;        // elements that wait between two reducers
  uint64_t next_pass = 46;   // from the end of a pass to the start of the next
};

struct PassShape {
  int rows = 1;
  int samples = 0;  // a tile
  int lanes = 8;
  int outputs = 0;
  int ring = 1;        // accumulator rows in use
  bool whole = false;  // sums are, and go round no column
  bool bias = false;   // is added to each; a whole sum without takes a reducer half the cycles
};

// Weights that grid row `row` has for output p of the stream (0 .. outputs - 1).
using WeightCount = std::function<uint32_t(int row, int p)>;

// When a pass is over in each grid row, from when it began there; and what it needs at least.
struct PassTimes {
  std::vector<uint64_t> end;
  uint64_t wavelets = 0;  // of the grid row that has most
  uint64_t engine = 0;    // cycles that its engine works
  uint64_t reducer = 0;   // cycles that a reducer works
  uint64_t ramp = 0;      // cycles for the wavelets and, round a column, the sums beside them
};

class PassClock {
 public:
  // Of `time` the rates on the way in are used, and what waits at the edge at most.
  PassClock(const PassCosts& costs, const TimeModel& time, int rows);

  // Wavelets that have not come yet do not come before this cycle.
  void hold(uint64_t cycle);

  // Something else that takes so many wavelets of a grid row's stream from cycle `begin` on: when
  // they have all come.
  uint64_t take(int row, uint64_t wavelets, uint64_t begin);

  // The cycle in which all links are through with what has been reckoned.
  uint64_t streamed() const;

  // Another pass, that begins in grid row r in cycle begin[r].
  PassTimes run(const PassShape& shape, const WeightCount& weights,
                const std::vector<uint64_t>& begin);

 private:
  struct Row;
  // The engine's part of output p in a grid row with so many weights of it.
  void engine(const PassShape& shape, size_t r, size_t p, uint64_t weights, Row* at);
  void column(const PassShape& shape, const WeightCount& weights, std::vector<Row>* row);
  void whole(const PassShape& shape, const WeightCount& weights, std::vector<Row>* row);
  // A link runs ahead of the grid by what waits at the edge, no more.
  void open(size_t row, uint64_t begin);

  struct Edge {       // of a grid row
    uint64_t at = 0;  // 1/65,536 cycles: the link is through with what came
  };
  PassCosts costs_;
  TimeModel time_;
  uint64_t period_ = 0;  // 1/65,536 cycles a wavelet, of the slowest on its way
  std::vector<Edge> edges_;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_PASS_TIME_H_
