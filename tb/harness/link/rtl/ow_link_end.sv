// SPDX-License-Identifier: Apache-2.0
// One end of a link with its lanes and taps in pieces that are easy to handle from C++.
module ow_link_end
  import ow_pkg::*;
  import ow_link_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_i,
  input  logic         retrain_i,
  input  logic         odd_i,
  input  logic [44:0]  tile_i,
  output logic [44:0]  tile_o,
  output logic [33:0]  lane_a_o,
  output logic [33:0]  lane_b_o,
  input  logic [33:0]  lane_a_i,
  input  logic [33:0]  lane_b_i,
  output logic [203:0] tap_o,
  output logic         up_o,
  input  logic         stat_re_i,
  input  logic [5:0]   stat_addr_i,
  output logic [31:0]  stat_o
);

  /* verilator lint_off UNUSEDSIGNAL */
  logic idle;
  /* verilator lint_on UNUSEDSIGNAL */

  ow_link u_link (
    .clk_i,
    .rst_i,
    .enable_i(1'b1),
    .retrain_i,
    .odd_i,
    .tile_i,
    .tile_o,
    .lane_o  ({lane_b_o, lane_a_o}),
    .lane_i  ({lane_b_i, lane_a_i}),
    .tap_o,
    .up_o,
    .idle_o  (idle),
    .stat_re_i,
    .stat_addr_i,
    .stat_o
  );

endmodule
