// SPDX-License-Identifier: Apache-2.0
// Where a network lies on a grid, which colours it takes, and what it must cost at least.
//
// Feature i is kept by grid row i mod R as its local feature i div R, sample s by grid column s div
// n as its local sample s mod n; so is every layer's output, which is the next layer's input. A
// tile holds its block of x and y as one row of n 16-bit values for each local feature.
#ifndef OW_COMPILE_PLAN_H_
#define OW_COMPILE_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/device/device.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/program.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

// The builds of the tile that are simulated (docs/architecture.md).
constexpr TileConfig tile_of(const isa::Configuration& c) {
  return {static_cast<int>(c.lanes),
          static_cast<int>(c.num_threads),
          static_cast<int>(c.num_colours),
          c.sram_bytes,
          c.features,
          c.operations};
}
constexpr TileConfig kFullTile = tile_of(isa::kFull);
constexpr TileConfig kMiniTile = tile_of(isa::kMini);

// Weights enter at the west edge of each grid row and are multicast along it. Partial sums of an
// output go round the column: from the row below its owner down to the last row, from there on a
// colour of their own through all routers to the first row, and down to the owner. Going down they
// take one of two colours by the parity of the grid row that sends, because a ramp receives on one
// colour and sends on the other. With two grid rows the way back is one hop, and the second of the
// two colours serves. The last layer's results leave at the west edge from the western half of a
// grid row and at the east edge from the rest, each tile relaying what comes from farther in; where
// that is more than one tile, on two colours by the parity of the column that sends.
// -1: not used.
struct Colours {
  int weights = 0;
  int down[2] = {-1, -1};    // by the parity of the grid row that sends
  int back = -1;             // from the last grid row to the first
  int result[2] = {-1, -1};  // by the parity of the grid column that sends
  int count = 0;
};
Colours choose_colours(GridShape grid);

struct LayerPlan {
  LayerShape shape;
  int local_inputs = 0;  // of the grid row that has most
  uint32_t x_addr = 0;
  uint32_t y_addr = 0;
  uint32_t bias_addr = 0;
  bool kept = false;  // y is still there when the last layer has run
};

struct StreamPlan {
  GridShape grid;
  TileConfig tile;
  HalfType type = HalfType::Binary16;
  Colours colours;
  int samples = 0;   // a tile
  int capacity = 0;  // the most samples a tile that the buffers hold
  std::vector<LayerPlan> layers;
  bool in_turn = false;     // activations share two places; else all have one of their own
  uint32_t used_bytes = 0;  // of a tile's SRAM, program and stack included

  int batch() const { return samples * grid.cols; }
  // Accumulator rows in use.
  int ring() const;
  // Features i of 0 .. n - 1 that grid row r keeps.
  int owned(int n, int row) const { return n > row ? (n - row + grid.rows - 1) / grid.rows : 0; }
  // Tiles of a grid row whose results leave at the west edge; the others' leave at the east edge.
  int west_columns() const { return grid.cols / 2; }
  // The same buffers for fewer samples: as many a tile as `count` samples on the whole grid need.
  StreamPlan for_batch(int count) const;
};

struct PlanRequest {
  std::string who;  // stands in front of what is wrong
  GridShape grid;
  // A tile; 0: as many as fit, but not more than `count` samples on the whole grid need.
  int samples = 0;
  int count = 0;
  HalfType type = HalfType::Binary16;
  std::vector<LayerShape> layers;
};

// Samples a tile that so many take at most: all on the grid, or a row of the accumulator.
int most_samples(size_t count, GridShape grid, const TileConfig& tile);

// What a plan begins with: what the request says, colours, and no places.
StreamPlan begin_plan(const PlanRequest& request, const TileConfig& tile);

// Lays the layers out in a tile. All activations have a place of their own if the SRAM is long
// enough for that, else those of even and odd layers lie at its two ends in turn. Throws BadInput
// if a size does not fit the machine: samples not a multiple of the lanes or more than the
// accumulator holds, buffers beyond the tile's SRAM, more layers than the kernel takes, too few
// colours or threads, firmware for another size of SRAM.
StreamPlan make_plan(const PlanRequest& request, const ElfImage& firmware, const TileConfig& tile);

// What a layer's stream of one grid row holds.
uint64_t stream_weights(const Layer& layer, int row, int rows, bool dense);

// Lower bound of the cycles that the layer takes, from its shape and its weights alone: the most of
// what the stream and the engine of the slowest grid row need, and what the reducers need together.
// These do one output after the other, an element a cycle, and an element goes through all tiles of
// its column, so an output costs its samples.
struct LayerBound {
  uint64_t stream = 0;
  uint64_t engine = 0;
  uint64_t reducer = 0;
  uint64_t cycles() const;
};
LayerBound layer_bound(const StreamPlan& plan, const Layer& layer, bool dense);

}  // namespace ow::jobs

#endif  // OW_COMPILE_PLAN_H_
