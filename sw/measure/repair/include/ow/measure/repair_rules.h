// SPDX-License-Identifier: Apache-2.0
// Which rectangles of a wafer can be repaired, by the rules of docs/wafer.md and nothing else: all
// choices of rows, columns and link slots are looked at, and none is preferred. Repair and the
// search for the largest rectangle are judged by this, so it calls neither.
//
// The choices of one row's columns are listed, C(columns + spares, spares) of them, and those of a
// border's slots; rows are taken one after the other, reticles too. It is made for wafers of a few
// dozen tiles; with two spares and broken connections to many borders it takes long.
#ifndef OW_MEASURE_REPAIR_RULES_H_
#define OW_MEASURE_REPAIR_RULES_H_

#include "ow/device/wafer_shape.h"
#include "ow/wafer/repair.h"

namespace ow::wafer::rules {

// Whether there is a map of the rectangle that uses nothing that is broken.
bool repairable(const Shape& shape, const Defects& defects, const Window& window);

// Tiles of the largest such rectangle, 0 if there is none.
long most_tiles(const Shape& shape, const Defects& defects);

}  // namespace ow::wafer::rules

#endif  // OW_MEASURE_REPAIR_RULES_H_
