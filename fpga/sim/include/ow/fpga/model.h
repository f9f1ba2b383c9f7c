// SPDX-License-Identifier: Apache-2.0
// The FPGA's design, simulated, as a set of pins. SimBoard connects a UART and clocks to it.
#ifndef OW_FPGA_MODEL_H_
#define OW_FPGA_MODEL_H_

#include <memory>

#include "openwafer/grid.h"

namespace ow::fpga {

class Model {
 public:
  virtual ~Model() = default;
  // Inputs, named as in ow_fpga_top.
  bool clk_a = false, clk_b = false, rst = false, uart_rx = true;
  // Outputs; eval() sets them.
  bool uart_tx = true;
  unsigned leds = 0;
  virtual void eval() = 0;
};

// The design with a grid of 2x2 tiles, as make fpga builds it for a ULX3S, or of 1x2. Throws
// BadInput for another grid.
std::unique_ptr<Model> make_model(GridShape grid);

}  // namespace ow::fpga

#endif  // OW_FPGA_MODEL_H_
