// SPDX-License-Identifier: Apache-2.0
#include "Vow_tile_mini_internals.h"
#include "tile_groups.h"
#include "wafer_device.h"

namespace ow::wafer {

std::unique_ptr<WaferDevice> make_mini_wafer_device(const Shape& shape, const Faults& faults) {
  check_room(shape, sizeof(Vow_tile_mini___024root));
  return std::make_unique<SimulatedWafer>(
      shape, faults, [](const WireLayout& layout, sim::Context* context, Noise* noise) {
        return std::make_unique<TileGroups<Vow_tile_mini>>(layout, context, noise);
      });
}

std::vector<Register> mini_tile_registers() {
  sim::Context context;
  const sim::Model<Vow_tile_mini> model(&context, "tile");
  std::vector<Register> registers;
  for (const sim::Cell& c : model.cells()) {
    const std::string name = c.name;
    if (name.size() < 2 || name.compare(name.size() - 2, 2, "_q") != 0) continue;  // a memory
    registers.push_back({name, static_cast<int>(c.size * 8) / c.stride, c.bits, c.stride});
  }
  return registers;
}

}  // namespace ow::wafer
