// SPDX-License-Identifier: Apache-2.0
// The figures of `ow bench fabric` that depend on routers, ramps and endpoints alone.
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

// Fairness, with 2 to `most` backlogged flows on one output in every placement over its four
// inputs. All in per cent: the largest deviation of a flow from its share; the control plane's
// share of an output that data want in every cycle; the use of a link by two colours.
std::vector<Figure> measure_shares(int most, const Progress& progress);

// Use of links, with 24 colours at once on 8x8 tiles: 18 with a random set of disjoint paths, 6
// with a random multicast tree. Each source sends `words` wavelets. The result is the least number
// of cycles that the most loaded link or ramp needs, over the cycles that it took, in per cent: the
// smallest of `runs` draws.
std::vector<Figure> measure_colours(uint64_t seed, int runs, int words, const Progress& progress);

// Requests of one word between tiles on 8x8. Latency: the cycles from taking the tile's request to
// taking it at the endpoint, less the hops; one request at a time, the largest of all pairs.
// Throughput: what backlogged tiles send to uniformly random tiles, in per cent of 4/k wavelets per
// tile and cycle.
std::vector<Figure> measure_requests(uint64_t seed, int cycles, const Progress& progress);

// Broadcast of `words` wavelets on one colour along a row of 8 tiles into every ramp: wavelets per
// cycle from the first to the last one, at the slowest ramp.
std::vector<Figure> measure_broadcast(int words, const Progress& progress);

}  // namespace ow::fabric

#endif  // OW_FABRIC_MEASURE_H_
