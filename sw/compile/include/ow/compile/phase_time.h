// SPDX-License-Identifier: Apache-2.0
// When phases end in the tiles of each grid row, from their costs and the contents of their
// streams, without simulating a tile. A recurrence of sums and maxima: a phase begins in a grid row
// where the one before it ends, and what a microthread still does may hold it.
//
// A streamed pass, for output p of the stream, with w[r][p] weights in grid row r:
//   engine   e[r][p] = max(e[r][p-1], freed[r][p-ring], came[r][p]) + w[r][p] x beats
//   reducer  s[r][p] = max(free[r], e[r][p] + ready, s[above][p] + hop)    (begins its sum)
//            freed[r][p] = max(s[r][p] + samples, freed[below][p] - slack) (has sent it)
// Sums go round the column, from the row below the owner to the owner. `came` is when the output's
// wavelets have crossed the link. Outputs come owner by owner. Whole sums are like a column of one
// tile: an owner has all weights of its outputs and receives nothing, and without a bias the
// reducer takes two samples a cycle. A ramp takes one wavelet a cycle. So a tile that receives sums
// needs samples + weights + 1 cycles an output.
//
// A gather, in round n = 1 .. R - 1: grid row r receives the words of owner r - n and sends those
// that it received before.
//   core   c[r][n] = max(c[r][n-1] + round, f[r][n-1])                      (begins to send)
//   words  f[r][n] = max(f[r][n-1], c[above][n] + hop) + in + min(in, out) / 4
// In the first round the words share the engine with the copy of the tile's own ones (3/8 of them)
// and with the sums of a bias's deltas, if there are any.
#ifndef OW_COMPILE_PHASE_TIME_H_
#define OW_COMPILE_PHASE_TIME_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "ow/compile/phase_cost.h"
#include "ow/device/device.h"
#include "ow/memoryx/time_model.h"

namespace ow::jobs {

// Cycles of a tile, its router and the programs of sw/firmware/job and of linear, each with one
// cause.
struct TileCosts {
  // A launch: from the first wavelet offered to a tile's first phase, and for each tile passed.
  uint64_t launch = 37;
  uint64_t launch_hop = 1;
  uint64_t prologue = 43;  // of the first phase: descriptors that no kernel changes
  uint64_t next = 10;      // from one phase to the next one: turns and ends of the list
  // A pass.
  uint64_t start = 177;      // registers and instructions, and the first weight's way
  uint64_t bias = 8;         // its register
  uint64_t least_beats = 2;  // a weight with few samples: the engine's turn
  uint64_t ready = 7;        // from the last beat of a row to the reducer's first element
  uint64_t hop = 6;          // an element, from a reducer to that of the next row
  uint64_t wrap_hop = 1;     // a router that a sum passes on its way back to the first row
  uint64_t slack = 8;        // elements that may wait between two reducers
  uint64_t end = 41;         // from the last sum to the next phase
  uint64_t empty = 30;       // a pass of a tile that has no stream
  // A vector joined along the column.
  uint64_t join_in = 12;   // descriptors to receive ...
  uint64_t join_out = 73;  // ... and to send
  // A gather.
  uint64_t gather = 129;      // descriptors, until the first words leave
  uint64_t words_out = 10;    // of words to send ...
  uint64_t words_in = 52;     // ... to receive ...
  uint64_t words_own = 90;    // ... and of a tile's own
  uint64_t gather_mid = 115;  // the rest of the first round
  uint64_t word_hop = 29;     // the first word of a round, from a row to the next
  uint64_t round = 37;        // each other round
  uint64_t gather_end = 48;
  // Sums of a vector's gradients.
  uint64_t sums = 60;       // descriptors of the sum ...
  uint64_t sums_next = 46;  // ... and of what sends it
  uint64_t sums_out = 8;
  uint64_t sums_beats = 4;  // with few samples: the sum over the lanes
  uint64_t column = 9;      // for each column that a sum passes on its way to the edge
  // Products.
  uint64_t products_first = 108;  // the matrix, the reducer's registers
  uint64_t products = 131;        // the first wavelet, descriptors, the drain
  uint64_t products_start = 23;   // from the last delta to the first product
  uint64_t product_beats = 4;     // with few samples: its sum over the lanes
  uint64_t drain = 48;            // from the last product to the last sum of the last column
  // Results.
  uint64_t send = 67;         // the block of results: its program and its way to the edge
  uint64_t first_relay = 33;  // the block of the next tile
  uint64_t relay = 22;        // and of each tile further inside
};

// The number of weights that grid row `row` has for output p of the stream (0 .. outputs - 1).
using WeightCount = std::function<uint32_t(int row, int p)>;

// The part of a stream that a phase takes: outputs `first` .. `first` + `count` - 1.
struct PhaseStream {
  WeightCount weights;
  int outputs = 0;  // of the whole stream
  int first = 0;
  int count = 0;
};

// What a phase's streams take, whatever else it waits for.
struct PhaseTimes {
  uint64_t wavelets = 0;  // of the grid row that has most
  uint64_t engine = 0;    // cycles of that row's engine
  uint64_t reducer = 0;   // cycles of a reducer
  uint64_t ramp = 0;      // cycles for the wavelets and, round a column, for the received sums
  // Numbers that left each grid row, the first in cycle `from`, and when the last came to the
  // optimizer.
  struct Leaving {
    uint64_t numbers = 0, from = 0, came = 0;
  };
  std::vector<Leaving> leaving;  // empty: none
};

// The way of gradients out of the wafer: for each grid row the slowest link, with its queue.
class Exits {
 public:
  // `reduces`: they also pass SwarmX's stages.
  Exits(const TimeModel& time, int rows, bool reduces);
  // `numbers` numbers leave from cycle `from` on. Returns the cycle in which the grid has sent the
  // last.
  uint64_t leave(size_t row, uint64_t numbers, uint64_t from);
  // The cycle in which numbers are at the optimizer, if the grid sent the last one in `cycle`.
  uint64_t came(size_t row, uint64_t cycle) const;

 private:
  uint64_t period_;  // 1/65,536 cycles per number
  uint64_t room_;    // numbers that may wait
  uint64_t late_;
  std::vector<uint64_t> at_;  // 1/65,536 cycles: the link has passed what was sent
};

struct ClockShape {
  GridShape grid;
  int samples = 0;  // a tile
  int lanes = 8;
  int ring = 1;  // accumulator rows in use
};

class PhaseClock {
 public:
  // Tiles are launched in cycle `launched`. Uses the rates on the ways in and out of `time`.
  PhaseClock(const ClockShape& shape, const TimeModel& time, bool reduces, uint64_t launched,
             const TileCosts& costs = {});

  // Wavelets that have not come yet come in this cycle or later.
  void hold(uint64_t cycle);
  // The cycle in which all links have passed what was counted so far.
  uint64_t streamed() const;
  // Adds a phase. `stream`: of a pass or of products.
  PhaseTimes run(const PhaseCost& cost, const PhaseStream& stream);
  // The cycle in which the tiles of each grid row have ended the last phase.
  std::vector<uint64_t> ends() const;

 private:
  // The tiles of a grid row.
  struct Tile {
    uint64_t at = 0;        // the next phase begins
    uint64_t gathered = 0;  // all words of a gather are there
    uint64_t drained = 0;   // the drain's microthread is done
  };
  struct Row;  // of a pass
  PhaseTimes phase(const WorkCost& cost, const PhaseStream& stream);
  PhaseTimes phase(const PassCost& cost, const PhaseStream& stream);
  PhaseTimes phase(const GatherCost& cost, const PhaseStream& stream);
  PhaseTimes phase(const GradientCost& cost, const PhaseStream& stream);
  PhaseTimes phase(const SendCost& cost, const PhaseStream& stream);
  void join(uint64_t words, uint64_t cycles);
  // Sums of a vector's gradients leave a tile, while `words` words of a gather come and go. Returns
  // when the core goes on.
  uint64_t leave_sums(size_t row, uint64_t sums, uint64_t from, uint64_t words, PhaseTimes* times);
  // The engine's part of output p in a grid row with `weights` weights of it.
  void engine(size_t r, size_t p, uint64_t weights, Row* at);
  void column(const PassCost& cost, const WeightCount& weights, std::vector<Row>* row);
  void whole(const PassCost& cost, const WeightCount& weights, std::vector<Row>* row);
  // A link runs ahead of the grid by at most the queue at the edge.
  void open(size_t row, uint64_t begin);
  // Cycles of a reducer for a sum.
  uint64_t sum_cycles(const PassCost& cost) const;
  bool is_whole(const PassCost& cost) const { return cost.whole || shape_.grid.rows == 1; }
  uint64_t beats() const;
  uint64_t columns_passed() const { return static_cast<uint64_t>(shape_.grid.cols - 1); }

  const ClockShape shape_;
  const TileCosts costs_;
  const uint64_t edge_depth_;
  const uint64_t period_;        // 1/65,536 cycles per wavelet, of the slowest part on the way in
  std::vector<uint64_t> edges_;  // 1/65,536 cycles: a row's link has passed all that came
  Exits exits_;
  std::vector<Tile> tiles_;
  bool begun_ = false;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_PHASE_TIME_H_
