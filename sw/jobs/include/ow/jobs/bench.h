// SPDX-License-Identifier: Apache-2.0
// Measurements of `ow bench sim` that are not part of `ow run`.
#ifndef OW_JOBS_BENCH_H_
#define OW_JOBS_BENCH_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ow/elf.h"
#include "ow/sim.h"

namespace ow::jobs {

struct Target {
  std::string what;
  std::string unit;
  std::string better;  // higher, lower, equal
  double target = 0;
};

// The targets of one bench, by row. BadInput for a file that is not as configs/targets.yaml.
std::map<std::string, Target> load_targets(const std::string& path, const std::string& bench);

// One tile, one output: how long a stream of `weights` takes from the start of the layer to the end
// of the stream, for two lengths. The difference is the cost of a weight.
struct WeightCost {
  uint64_t weights[2] = {0, 0};
  uint64_t cycles[2] = {0, 0};
  int samples = 0;
  double cycles_per_weight() const;
};
WeightCost measure_weight(const ElfImage& firmware, int samples, const SimOptions& options);

// A row of tiles, one colour from the west edge to the east edge, nothing else.
struct HopCost {
  int hops[2] = {0, 0};          // tiles passed
  uint64_t latency[2] = {0, 0};  // of one wavelet, from the host's port to the host's port
  uint64_t wavelets = 0;         // of the stream over the longer row
  uint64_t stream_cycles = 0;    // from its first arrival to its last
  double cycles_per_hop() const;
  double wavelets_per_cycle() const;
};
HopCost measure_hops(const SimOptions& options);

// Loading a program of `words` words into the tile farthest from the entry of a 4x4 grid, and into
// all of its tiles; until a read has shown that it is there.
struct LoadCost {
  uint64_t words = 0;
  uint64_t cycles_one = 0;
  uint64_t cycles_all = 0;
  uint64_t distance = 0;  // hops there and back
  double one() const;     // cycles a word, less the distance
  double all() const;
};
LoadCost measure_load(uint64_t words, const SimOptions& options);

// A column of tiles that adds up what each has of every output, for two numbers of outputs: the
// difference is what an element costs when it goes through every tile.
struct ReduceCost {
  int rows = 0;
  int samples = 0;
  uint64_t outputs[2] = {0, 0};
  uint64_t cycles[2] = {0, 0};
  int ends_and_weights = 0;  // wavelets of the stream that a tile takes for an output
  double elements_per_cycle() const;
  // Through the ramp of a tile: sums that arrive, weights and row ends.
  double wavelets_per_cycle() const;
};
ReduceCost measure_reduction(const ElfImage& firmware, const SimOptions& options);

// The same without a layer around it: a vector in each of `rows` tiles of a column is added up from
// the north to the south by the engine, in two lengths; the last tile's sums are compared with
// golden. A wavelet is an fp32 element or a pair of 16 bits.
struct ColumnSumCost {
  int rows = 0;
  uint64_t wavelets[2] = {0, 0};
  uint64_t cycles[2] = {0, 0};  // in the slowest tile, from its start to its last element
  uint64_t wrong = 0;           // elements that differ from golden
  double wavelets_per_cycle() const;
};
enum class ColumnType { F16 = 0, Bf16 = 1, F32 = 2 };
ColumnSumCost measure_column_sum(const ElfImage& firmware, ColumnType type,
                                 const SimOptions& options);

}  // namespace ow::jobs

#endif  // OW_JOBS_BENCH_H_
