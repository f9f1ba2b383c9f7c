// SPDX-License-Identifier: Apache-2.0
// The ramp between a router and its tile: queues bound to colours, and filters before them.
#ifndef OW_RUNTIME_RAMP_H_
#define OW_RUNTIME_RAMP_H_

#include "openwafer/grid.h"
#include "openwafer/route.h"
#include "ow/device/control_plane.h"

namespace ow {

// Binds an input queue of each tile to a colour. BadInput, with the tile, if another input queue
// has the colour: one queue serves a colour. docs/fabric.md says what happens if a program binds a
// colour twice.
void bind_inq(ControlPlane& control, const Rect& rect, int queue, int colour);
void bind_outq(ControlPlane& control, const Rect& rect, int queue, int colour);
// Binds all queues of the tiles to nothing.
void unbind_queues(ControlPlane& control, const Rect& rect);

// Sets filter `index` of each tile. BadInput for what the registers cannot hold.
void set_filter(ControlPlane& control, const Rect& rect, int index, const Filter& filter);

}  // namespace ow

#endif  // OW_RUNTIME_RAMP_H_
