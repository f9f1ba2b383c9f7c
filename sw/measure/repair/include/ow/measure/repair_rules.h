// SPDX-License-Identifier: Apache-2.0
// Tells which rectangles of a wafer can be repaired, by the rules of docs/wafer.md alone. It tries
// all choices of rows, columns and link slots and prefers none. Tests judge the repair and the
// search for the largest rectangle by it, so it calls neither.
//
// It lists the C(columns + spares, spares) choices of columns for one row, and the choices of slots
// for one border. It goes through rows one by one, and through reticles one by one. It is meant for
// wafers of a few dozen tiles. Two spares with broken connections at many borders take long.
#ifndef OW_MEASURE_REPAIR_RULES_H_
#define OW_MEASURE_REPAIR_RULES_H_

#include "ow/device/wafer_shape.h"
#include "ow/wafer/repair.h"

namespace ow::wafer::rules {

// Whether some map of the rectangle uses no broken part.
bool repairable(const Shape& shape, const Defects& defects, const Window& window);

// Tiles of the largest such rectangle, 0 if there is none.
long most_tiles(const Shape& shape, const Defects& defects);

}  // namespace ow::wafer::rules

#endif  // OW_MEASURE_REPAIR_RULES_H_
