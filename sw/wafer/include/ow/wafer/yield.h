// SPDX-License-Identifier: Apache-2.0
// Yield: how many wafers can be repaired to the full rectangle. A Monte Carlo run draws defects and
// runs the repair on them.
#ifndef OW_WAFER_YIELD_H_
#define OW_WAFER_YIELD_H_

#include <cstdint>
#include <functional>

#include "ow/device/wafer_shape.h"

namespace ow::wafer {

// Defects are a Poisson process over the tiles. With a cluster parameter alpha, the density of each
// reticle is first multiplied by a gamma variate of mean 1 and variance 1 / alpha. The counts of a
// reticle are then negative binomial, the usual model of clustered defects (C. H. Stapper,
// "Defect density distribution for LSI yield calculations", IEEE Trans. Electron Devices 20, 1973).
// alpha = 0 means unclustered.
struct YieldModel {
  double tile_defects = 0;   // mean fatal defects of one tile
  double wire_defects = 0;   // mean fatal defects of one connection between two tiles
  double link_failure = 0;   // chance that a reticle-crossing link is beyond its spare lanes
  double chain_defects = 0;  // mean fatal defects of the test-access chain of one row
  double alpha = 0;
};

struct YieldResult {
  uint64_t wafers = 0;
  uint64_t whole = 0;    // repaired to the full logical rectangle
  uint64_t perfect = 0;  // no defect at all in the rows, columns and links that are not spares
  uint64_t reticles_lost = 0;
  uint64_t defects = 0;  // in all wafers
  double share() const { return wafers == 0 ? 0 : static_cast<double>(whole) / wafers; }
  double share_unrepaired() const {
    return wafers == 0 ? 0 : static_cast<double>(perfect) / wafers;
  }
};

// The defects of one wafer. The same seed gives the same defects everywhere.
Defects random_defects(const Shape& shape, const YieldModel& model, uint64_t seed);

// Runs `wafers` wafers with the seeds seed, seed + 1 and so on. `progress` gets the number done.
YieldResult simulate_yield(const Shape& shape, const YieldModel& model, uint64_t wafers,
                           uint64_t seed, const std::function<void(uint64_t)>& progress = {});

// Closed forms to check the simulation, for tile defects only and alpha = 0: the chance that a
// wafer can be repaired, and the chance that it needs no repair.
double exact_yield(const Shape& shape, double tile_defects);
double exact_yield_unrepaired(const Shape& shape, double tile_defects);

}  // namespace ow::wafer

#endif  // OW_WAFER_YIELD_H_
