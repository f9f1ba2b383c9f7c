// SPDX-License-Identifier: Apache-2.0
// The Arty A7-100T (AMD Artix-7): its pins, and the two clocks of ow_fpga_top from the 100 MHz
// oscillator. constraints/arty-a7.xdc says where the pins are and how long the paths between the
// clocks may be.
//
//   Rows, Cols      tiles of each of the two reticles; Tiles 0: the grid without them
//   (ow_fpga_grid)
//   clk_100mhz_i    the oscillator
//   reset_ni        the red button, low while pressed
//   uart_rxd_o      to the USB adapter; uart_txd_i: from it
//   led_o           0 to 3 as ow_fpga_top
//   led_rgb_o       the red parts of the first two RGB lights: 4 and 5 of ow_fpga_top
module ow_arty_a7 #(
  parameter int unsigned Rows = 1,
  parameter int unsigned Cols = 1,
  parameter bit Tiles = 1'b1
) (
  input  logic       clk_100mhz_i,
  input  logic       reset_ni,
  output logic       uart_rxd_o,
  input  logic       uart_txd_i,
  output logic [3:0] led_o,
  output logic [1:0] led_rgb_o
);

  localparam int unsigned ClockHz = 50_000_000;

  // 100 MHz x 10 = 1 GHz, / 20 = 50 MHz.
  logic clk_a, clk_b, pll_a, pll_b, feedback, locked, rst;
  PLLE2_BASE #(
    .CLKIN1_PERIOD(10), .DIVCLK_DIVIDE(1), .CLKFBOUT_MULT(10), .CLKFBOUT_PHASE(0),
    .CLKOUT0_DIVIDE(20), .CLKOUT0_PHASE(0), .CLKOUT1_DIVIDE(20), .CLKOUT1_PHASE(90)
  ) u_pll (
    .CLKIN1(clk_100mhz_i), .CLKFBIN(feedback), .CLKFBOUT(feedback), .RST(1'b0), .PWRDWN(1'b0),
    .CLKOUT0(pll_a), .CLKOUT1(pll_b), .LOCKED(locked)
  );
  BUFG u_clk_a (.I(pll_a), .O(clk_a));
  BUFG u_clk_b (.I(pll_b), .O(clk_b));

  ow_fpga_reset u_reset (.clk_i(clk_a), .good_i(locked && reset_ni), .rst_o(rst));

  ow_fpga_top #(.ClockHz(ClockHz), .Rows(Rows), .Cols(Cols), .Tiles(Tiles)) u_top (
    .clk_a_i(clk_a), .clk_b_i(clk_b), .rst_i(rst),
    .uart_rx_i(uart_txd_i), .uart_tx_o(uart_rxd_o), .led_o({led_rgb_o, led_o})
  );

endmodule
