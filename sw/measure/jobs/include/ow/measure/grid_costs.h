// SPDX-License-Identifier: Apache-2.0
// Measurements on grids that are not part of `ow run`. Results are compared with golden bit for
// bit; a difference is a DeviceFault.
#ifndef OW_MEASURE_GRID_COSTS_H_
#define OW_MEASURE_GRID_COSTS_H_

#include <cstdint>
#include <string>

#include "ow/runtime/elf.h"
#include "ow/sim/sim.h"

namespace ow::jobs {

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
  // Wavelets of the last grid row's tile: the weights and row ends sent to it, and one for each of
  // its partial sums. Its ramp receives that wavelet, or sends it if the tile begins the output.
  uint64_t wavelets[2] = {0, 0};
  double elements_per_cycle() const;
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

// Dot products of 32 elements that a stream of indices with row ends triggers, summed by the
// reducers along a row of `cols` tiles into the memory of the first one.
struct DotRowsCost {
  int cols = 0;
  uint64_t results = 0;
  uint64_t beats = 0;   // of a tile's engine
  uint64_t cycles = 0;  // in the slowest tile, from its start to its last result
  uint64_t wrong = 0;   // results that differ from golden
  double beats_per_cycle() const;
};
DotRowsCost measure_dot_rows(const ElfImage& firmware, int cols, const SimOptions& options);

// A product of a resident matrix of size x size with a vector, on tiles x tiles tiles, as regions
// of a language model make it; or two, the second one of the first one's result. A tile has at
// most 128 inputs and outputs. `elf`: products.elf.
struct ProductCost {
  int size = 0;
  int tiles = 0;         // all
  uint64_t cycles = 0;   // from sending the vector until the last sum is there
  uint64_t wrong = 0;    // results that differ from golden
  double lanes() const;  // share of the cycles of all lanes; of a single product
};
ProductCost measure_products(const std::string& elf, int size, int tiles, bool two);

}  // namespace ow::jobs

#endif  // OW_MEASURE_GRID_COSTS_H_
