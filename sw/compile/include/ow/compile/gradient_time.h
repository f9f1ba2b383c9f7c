// SPDX-License-Identifier: Apache-2.0
// Cycles of a gradient pass (sw/firmware/src/train.c) beside its positions: the deltas of a piece's
// outputs on their way round the column, as a recurrence over rounds, and what a piece begins and
// ends with.
//
// In round n = 1 .. R - 1 grid row r receives the part of owner r - n, in words, and sends the one
// that it had before, out. With flow[r][0] = core[r][0] = 0:
//   flow[r][n] = max(flow[r][n-1], flow[above][n-1])        the words' way
//                + round_flow + in + min(in, out) / 4
//   core[r][n] = core[r][n-1] + round_in + round_out + in * 3 / 8
// The first round also copies the row's own deltas, and does the sums of the biases in a layer's
// first piece, a quarter of whose beats keep words waiting. A row has all when flow is over, or
// when the core, which works on the next round while words come, has prepared what is done with
// them.
#ifndef OW_COMPILE_GRADIENT_TIME_H_
#define OW_COMPILE_GRADIENT_TIME_H_

#include <cstdint>

namespace ow::jobs {

// In cycles, each by one cause. Of the program as it is: EstimateTraining.* holds them against RTL
// tiles.
struct GradientCosts {
  uint64_t start = 90;        // of a layer: the matrix, the reducer's registers
  uint64_t prepare = 170;     // of a piece: its first wavelet, descriptors, the drain
  uint64_t launch = 125;      // .. and from the last delta to the first products
  uint64_t drain = 60;        // from a piece's last product to the last sum of the last column
  uint64_t column = 7;        // .. and a column that the sums go through
  uint64_t least_beats = 4;   // a product, whatever few samples: its sum over the lanes
  uint64_t first_round = 90;  // of a piece: whose part is how long
  uint64_t first_flow = 80;   // .. and until its first words are on their way, if none are copied
  uint64_t round_flow = 27;   // a word from a row to the next
  uint64_t round_in = 84;     // the core: descriptors of what comes in
  uint64_t round_out = 39;    // .. and of what goes out
  uint64_t copy = 24;         // the core: descriptors of own deltas, which are copied to the others
  uint64_t bias = 157;        // bias gradients: their sums, which go out behind the core
  uint64_t bias_round = 33;   // .. beside a round: descriptors that the engine is still busy with
};

struct GradientShape {
  int rows = 1;
  int cols = 1;
  int samples = 0;  // a tile
  int lanes = 8;
  int outputs = 0;
  bool bias = false;
  bool in_place = false;  // own deltas are where the others come, and not copied
};

// From the beginning of a piece of `count` features from feature `first` on until they are in all
// grid rows, and the core has done `prepare` cycles of something else behind its part of
// the rounds; on one row, where they are already, the biases and that alone.
uint64_t gather_cycles(const GradientCosts& costs, const GradientShape& shape, int first, int count,
                       uint64_t prepare);

}  // namespace ow::jobs

#endif  // OW_COMPILE_GRADIENT_TIME_H_
