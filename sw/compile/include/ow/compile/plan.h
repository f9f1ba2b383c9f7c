// SPDX-License-Identifier: Apache-2.0
// Where a network is placed on a grid, and the fewest cycles that it can take.
//
// Grid row i mod R keeps feature i as local feature i div R. Grid column s div n keeps sample s as
// local sample s mod n. The outputs of a layer are placed in the same way, so they are the inputs
// of the next layer. A tile holds its block of x or y as one row of n 16-bit values per local
// feature.
#ifndef OW_COMPILE_PLAN_H_
#define OW_COMPILE_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/device/device.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/tile_config.h"
#include "ow/tensor/distribution.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

// The builds of the tile that are simulated (docs/architecture.md).
constexpr TileConfig tile_of(const isa::Configuration& c) {
  return {{static_cast<int>(c.lanes), static_cast<int>(c.num_threads),
           static_cast<int>(c.num_colours), c.sram_bytes},
          c.features,
          c.operations};
}
constexpr TileConfig kFullTile = tile_of(isa::kFull);
constexpr TileConfig kMiniTile = tile_of(isa::kMini);

// Weights enter at the west edge of each grid row and are multicast along it.
//
// Partial sums of an output go round the column: from the row below its owner down to the last row,
// then on a colour of their own through all routers back to the first row, then down to the owner.
// On the way down the colour alternates by the parity of the sending grid row, because a ramp
// receives on one colour and sends on the other. With two grid rows the way back is one hop and
// uses the second of these colours.
//
// The last layer's results of the western half of a grid row leave at the west edge, the others at
// the east edge. Each tile relays the results from tiles further inside. If a half has more than
// one tile, the colour alternates by the parity of the sending column. A training's results, its
// gradients, all leave in the west. The library chooses the colours' numbers.
// Where results leave the grid: each grid row sends to the west, or its western half to the west
// and the rest to the east.
enum class Exit { West, BothSides };

// Colours that the job's flows need: the weights', those of the column and of the results.
int colours_of(GridShape grid, Exit exit);

// Accumulator rows in use, with so many samples in a tile.
int ring_of(int samples, int lanes);

struct LayerPlan {
  LayerShape shape;
  uint32_t x_addr = 0;
  uint32_t y_addr = 0;
  uint32_t bias_addr = 0;
  bool kept = false;  // y is still there after the last layer
};

struct StreamPlan {
  GridShape grid;
  TileConfig tile;
  HalfType type = HalfType::Binary16;
  int samples = 0;   // a tile
  int capacity = 0;  // the most samples a tile for which the buffers have room
  std::vector<LayerPlan> layers;
  bool in_turn = false;     // activations share two places; else each has its own
  uint32_t list_addr = 0;   // the list of phases, and what they leave (executable.h)
  uint32_t used_bytes = 0;  // of a tile's SRAM, program and stack included

  int batch() const { return samples * grid.cols; }
  // Accumulator rows in use.
  int ring() const;
  // The number of features of 0 .. n - 1 that grid row r keeps.
  int owned(int n, int row) const { return owned_elements(n, row, grid.rows); }
  // The number of tiles of a grid row whose results leave at the west edge. The others leave in the
  // east.
  int west_columns() const { return grid.cols / 2; }
  // The same buffers for fewer samples: as many a tile as `count` samples on the whole grid need.
  StreamPlan for_batch(int count) const;
};

struct PlanRequest {
  std::string who;  // begins each message
  GridShape grid;
  // Samples a tile. 0: as many as fit, but no more than `count` samples on the whole grid need.
  int samples = 0;
  int count = 0;
  HalfType type = HalfType::Binary16;
  std::vector<LayerShape> layers;
};

// The most samples a tile for `count` samples: all on the grid, or a row of the accumulator.
int most_samples(size_t count, GridShape grid, const TileConfig& tile);

// A plan with what the request says, but without places.
StreamPlan begin_plan(const PlanRequest& request, const TileConfig& tile);

// Places the layers in a tile. If the SRAM is long enough, each activation has its own place. Else
// those of even and odd layers use the two ends of the SRAM in turn. Throws BadInput if a size does
// not fit the machine: samples not a multiple of the lanes or above the accumulator's row; buffers
// beyond the SRAM; too many layers; too few colours or threads; firmware for another size of SRAM.
StreamPlan make_plan(const PlanRequest& request, const ElfImage& firmware, const TileConfig& tile);

// The number of weights in a layer's stream for one grid row.
uint64_t stream_weights(const Layer& layer, int row, int rows, bool dense);

// A lower bound of a layer's cycles from its shape and weights: the largest of what the stream and
// the engine of the slowest grid row need, and what the reducers need together. Reducers do one
// output after another, one element a cycle, and each element passes all tiles of its column. So an
// output costs as many cycles as it has samples.
struct LayerBound {
  uint64_t stream = 0;
  uint64_t engine = 0;
  uint64_t reducer = 0;
  uint64_t cycles() const;
};
LayerBound layer_bound(const StreamPlan& plan, const Layer& layer, bool dense);

}  // namespace ow::jobs

#endif  // OW_COMPILE_PLAN_H_
