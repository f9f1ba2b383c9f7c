// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "Vow_fpga_1x2.h"
#include "Vow_fpga_2x2.h"
#include "ow/base/error.h"
#include "ow/fpga/verilated_model.h"

namespace ow::fpga {

std::unique_ptr<Model> make_model(GridShape grid) {
  if (grid == GridShape{1, 2}) return std::make_unique<VerilatedModel<Vow_fpga_1x2>>();
  if (grid == GridShape{2, 2}) return std::make_unique<VerilatedModel<Vow_fpga_2x2>>();
  throw BadInput(
      fmt::format("grid {}x{}: the simulated board has 1x2 or 2x2 tiles", grid.rows, grid.cols));
}

}  // namespace ow::fpga
