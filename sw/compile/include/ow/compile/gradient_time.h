// SPDX-License-Identifier: Apache-2.0
// Cycles of a gradient pass (sw/layers/linear/tile_backward.c) besides its products: the deltas of
// a piece's outputs go round the column, which is a recurrence over rounds; and each piece has a
// beginning and an end.
//
// In round n = 1 .. R - 1 grid row r receives the part of owner r - n (`in` words) and sends the
// part that it received before (`out` words). With flow[r][0] = core[r][0] = 0:
//   flow[r][n] = max(flow[r][n-1], flow[above][n-1])        the words' way
//                + round_flow + in + min(in, out) / 4
//   core[r][n] = core[r][n-1] + round_in + round_out + in * 3 / 8
// The first round also copies the row's own deltas. In a layer's first piece it also adds the
// biases; a quarter of those beats delays words. A row is done when flow is over and when the core,
// which prepares the next round while words arrive, has prepared what follows.
//
// Held to 5 % of RTL tiles for 1 to 8 rows, 1 to 8 columns and 8 to 64 samples. Two cases are
// further off. If a piece has fewer outputs than grid rows, rows run ahead of each other: up to 10
// %. With 40 samples a product takes 5.25 beats, not 5.
#ifndef OW_COMPILE_GRADIENT_TIME_H_
#define OW_COMPILE_GRADIENT_TIME_H_

#include <cstdint>

namespace ow::jobs {

// Cycles, each with one cause, fitted to the program as it is. EstimateTraining.* compares the
// result with RTL tiles.
struct GradientCosts {
  uint64_t start = 90;        // a layer: the matrix, the reducer's registers
  uint64_t prepare = 170;     // a piece: its first wavelet, descriptors, the drain
  uint64_t launch = 125;      // from the last delta to the first products
  uint64_t drain = 60;        // from a piece's last product to the last sum of the last column ...
  uint64_t column = 7;        // ... and for each column that the sums pass
  uint64_t least_beats = 4;   // a product with few samples: its sum over the lanes
  uint64_t first_round = 90;  // a piece: how long each owner's part is ...
  uint64_t first_flow = 80;   // ... and until its first words leave, if none are copied
  uint64_t round_flow = 27;   // the first word of a round, from a row to the next
  uint64_t round_in = 84;     // the core: descriptors for received words
  uint64_t round_out = 39;    // the core: descriptors for sent words
  uint64_t copy = 24;         // the core: descriptors for copying own deltas
  uint64_t bias = 157;        // bias gradients: their sums, which leave after the core's part
  uint64_t bias_round = 33;   // besides, within a round: descriptors that the engine still uses
};

struct GradientShape {
  int rows = 1;
  int cols = 1;
  int samples = 0;  // a tile
  int lanes = 8;
  int outputs = 0;
  bool bias = false;
  bool in_place = false;  // own deltas are already where the others arrive
};

// Cycles from the beginning of a piece of `count` features, from feature `first` on, until all grid
// rows have them and the core has done `prepare` cycles of other work after its part of the rounds.
// On one grid row nothing moves, so only the biases and `prepare` count.
uint64_t gather_cycles(const GradientCosts& costs, const GradientShape& shape, int first, int count,
                       uint64_t prepare);

}  // namespace ow::jobs

#endif  // OW_COMPILE_GRADIENT_TIME_H_
