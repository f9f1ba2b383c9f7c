// SPDX-License-Identifier: Apache-2.0
// The FPGA's design, simulated, as a set of pins: what SimBoard puts a UART and clocks to.
#ifndef OW_FPGA_MODEL_H_
#define OW_FPGA_MODEL_H_

#include <memory>

#include "openwafer/grid.h"

namespace ow::fpga {

class Model {
 public:
  virtual ~Model() = default;
  // Pins that go in, of ow_fpga_top.
  bool clk_a = false, clk_b = false, rst = false, uart_rx = true;
  // Those that come out; eval() sets them.
  bool uart_tx = true;
  unsigned leds = 0;
  virtual void eval() = 0;
};

// The design with this grid of tiles: 2x2, which is what make fpga makes for a ULX3S, or 1x2.
// BadInput for another one.
std::unique_ptr<Model> make_model(GridShape grid);

}  // namespace ow::fpga

#endif  // OW_FPGA_MODEL_H_
