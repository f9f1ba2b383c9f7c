// SPDX-License-Identifier: Apache-2.0
// The figures of `ow bench fabric` that routers, ramps and endpoints alone decide.
#ifndef OW_FABRIC_MEASURE_H_
#define OW_FABRIC_MEASURE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ow::fabric {

struct Figure {
  std::string row;
  double value = 0;
  std::vector<std::pair<std::string, double>> raw;
};

// Progress in parts of one, for a bar.
using Progress = std::function<void(double)>;

// W10: 2 to `most` backlogged flows on one output, every placement over its four inputs: the
// largest deviation of a flow from its share, in per cent; the control plane's share of an output
// that data want in every cycle, in per cent; the use of a link by two colours, in per cent.
std::vector<Figure> measure_shares(int most, const Progress& progress);

// W11: 24 colours at once on 8x8 tiles, 18 with a random set of disjoint paths, 6 with a random
// multicast tree, `words` wavelets from each source: cycles that the most loaded link or ramp needs
// at least, over the cycles that it took, in per cent; the least of `runs` draws.
std::vector<Figure> measure_colours(uint64_t seed, int runs, int words, const Progress& progress);

// W12: requests of one word from tiles to uniformly random tiles on 8x8. Cycles from the one in
// which a tile's request is taken to the one in which the endpoint takes it, less the hops, one at
// a time over all pairs: the largest. And what backlogged tiles get through, in per cent of 4/k
// wavelets a tile and cycle.
std::vector<Figure> measure_requests(uint64_t seed, int cycles, const Progress& progress);

// W13: `words` wavelets on one colour through a row of 8 tiles into every ramp: wavelets a cycle
// from the first to the last one, at the slowest ramp.
std::vector<Figure> measure_broadcast(int words, const Progress& progress);

}  // namespace ow::fabric

#endif  // OW_FABRIC_MEASURE_H_
