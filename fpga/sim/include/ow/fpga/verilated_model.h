// SPDX-License-Identifier: Apache-2.0
// A Verilated ow_fpga_top as a Model. It is not a sim::Model (sw/device/sim), which has one clock
// and uses internal signals to skip falling edges. A board has two clocks, a quarter of a period
// apart, and is driven only at its pins, as the netlists are.
#ifndef OW_FPGA_VERILATED_MODEL_H_
#define OW_FPGA_VERILATED_MODEL_H_

#include "ow/fpga/model.h"
#include "verilated.h"

namespace ow::fpga {

template <class Top>
class VerilatedModel : public Model {
 public:
  VerilatedModel() = default;
  ~VerilatedModel() override { top_.final(); }
  VerilatedModel(const VerilatedModel&) = delete;
  VerilatedModel& operator=(const VerilatedModel&) = delete;

  void eval() override {
    top_.clk_a_i = clk_a;
    top_.clk_b_i = clk_b;
    top_.rst_i = rst;
    top_.uart_rx_i = uart_rx;
    top_.eval();
    uart_tx = top_.uart_tx_o != 0;
    leds = top_.led_o;
  }

 private:
  struct Context : VerilatedContext {
    Context() { threads(1); }
  };
  Context context_;
  Top top_{&context_, "board"};
};

}  // namespace ow::fpga

#endif  // OW_FPGA_VERILATED_MODEL_H_
