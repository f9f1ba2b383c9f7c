// SPDX-License-Identifier: Apache-2.0
// Where values of a graph are placed on a grid.
//
// Grid row i mod R keeps feature i as local feature i div R. Grid column s div n keeps sample s as
// local sample s mod n. The outputs of a layer are placed in the same way, so they are the inputs
// of the next layer. A tile holds its block of x or y as one row of n 16-bit values per local
// feature.
#ifndef OW_COMPILE_PLACEMENT_H_
#define OW_COMPILE_PLACEMENT_H_

#include <cstddef>
#include <cstdint>

#include "ow/device/device.h"
#include "ow/runtime/tile_config.h"

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

// Samples a tile, a multiple of the lanes, so that the grid holds `count` samples.
int share_of(size_t count, GridShape grid, int lanes);
// The most samples a tile for `count` samples: all on the grid, or a row of the accumulator.
int most_samples(size_t count, GridShape grid, const TileConfig& tile);

}  // namespace ow::jobs

#endif  // OW_COMPILE_PLACEMENT_H_
