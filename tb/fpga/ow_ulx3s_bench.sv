// SPDX-License-Identifier: Apache-2.0
// The board's top at its pins, with the clocks that the design gets beside them, which no pin shows.
module ow_ulx3s_bench #(
  parameter int unsigned Divider = 36,
  parameter int unsigned Baud = 1_000_000
) (
  input  logic       clk_25mhz_i,
  input  logic       btn_reset_i,
  output logic       ftdi_rxd_o,
  input  logic       ftdi_txd_i,
  output logic [7:0] led_o,
  output logic       wifi_gpio0_o,
  output logic       clk_a_o,
  output logic       clk_b_o
);

  ow_ulx3s #(.Divider(Divider), .Baud(Baud), .Tiles(1'b0)) u_board (
    .clk_25mhz_i, .btn_reset_i, .ftdi_rxd_o, .ftdi_txd_i, .led_o, .wifi_gpio0_o
  );
  assign clk_a_o = u_board.u_top.clk_a_i;
  assign clk_b_o = u_board.u_top.clk_b_i;

endmodule
