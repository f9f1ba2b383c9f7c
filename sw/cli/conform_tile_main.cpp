// SPDX-License-Identifier: Apache-2.0
// ow-conform-tile: grids of our simulated tiles and nothing else, behind the line protocol of `ow
// conform` on standard input and output. It is what scripts/flows/faults/conform-mutants puts
// faults into, because it is soon built.
#include <cstdio>

#include "ow/conform/grid_device.h"
#include "ow/sim/sim.h"

int main() {
  ow::conform::GridDevice device(
      [](ow::GridShape shape) { return ow::make_device(ow::DeviceKind::Replicated, shape); });
  ow::conform::serve(&device, stdin, stdout);
  return 0;
}
