// SPDX-License-Identifier: Apache-2.0
// Networks drawn by seed, run on the machine and compared with golden: what the compiler
// and the streaming kernel take, and that they refuse the rest before they begin.
#ifndef OW_MEASURE_DRAWN_NETWORK_H_
#define OW_MEASURE_DRAWN_NETWORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/compile/placement.h"
#include "ow/tensor/network.h"

namespace ow::bench {

// 1 to 6 layers, widths 1 to 700, batches of 1 to 300 samples, grids from 1 x 1 to 5 rows x 3
// columns, both 16-bit types, densities 0 to 100 %, with and without bias and ReLU.
struct DrawnNetwork {
  uint64_t seed = 0;
  GridShape grid;
  HalfType type = HalfType::Binary16;
  std::vector<LayerShape> layers;
  int count = 0;  // samples
  double density = 0;

  std::string text() const;  // what it is, in a line
  // Whether its grid is one that tiles of mini are tried on; they may refuse it all the same.
  bool for_mini() const { return grid.rows <= 2 && grid.cols <= 2; }
  // About the multiply-adds of a run.
  double work() const;
};
DrawnNetwork draw_network(uint64_t seed);

struct NetworkOutcome {
  std::string refusal;  // why it was not run; empty: it was
  uint64_t compared = 0;
  uint64_t different = 0;
  std::string first_difference;
  uint64_t cycles = 0;
  bool equal() const { return refusal.empty() && compared > 0 && different == 0; }
};

// Streams the network for all samples through a grid of full tiles, or of those of `mini`, and
// compares every activation that the tiles keep with golden. `firmware_dir` holds the kernels.
NetworkOutcome run_drawn(const DrawnNetwork& drawn, bool mini, const std::string& firmware_dir);

}  // namespace ow::bench

#endif  // OW_MEASURE_DRAWN_NETWORK_H_
