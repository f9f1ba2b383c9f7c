// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/tile_config.h"

#include "ow/isa/isa.h"

namespace ow {

namespace reg = isa::reg;

TileSize read_tile_size(ControlPlane& control, int row, int col) {
  const uint32_t word = control.read_tile(row, col, reg::Config::kAddress);
  TileSize size;
  size.lanes = static_cast<int>(reg::Config::Lanes::get(word));
  size.threads = static_cast<int>(reg::Config::Threads::get(word)) + 1;
  size.colours = static_cast<int>(reg::Config::Colours::get(word));
  size.sram_bytes = reg::Config::Sram::get(word) * isa::kConfigSramUnit;
  return size;
}

TileConfig read_tile_config(ControlPlane& control, int row, int col) {
  TileConfig config{read_tile_size(control, row, col)};
  config.features = control.read_tile(row, col, reg::Features::kAddress);
  config.operations = control.read_tile(row, col, reg::Operations::kAddress);
  return config;
}

}  // namespace ow
