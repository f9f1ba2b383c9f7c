// SPDX-License-Identifier: Apache-2.0
// Two ends of a link in one clock, side 0 and side 1. The lanes come out and go in, so that the test
// can be the wires between them.
module ow_link_pair
  import ow_pkg::*;
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = 24,
  parameter int unsigned Depth = 16
) (
  input  logic         clk_i,
  input  logic [1:0]   rst_i,
  input  logic [1:0]   enable_i,
  input  logic [1:0]   retrain_i,
  input  logic [1:0]   odd_i,
  input  logic [44:0]  tile0_i,
  input  logic [44:0]  tile1_i,
  output logic [44:0]  tile0_o,
  output logic [44:0]  tile1_o,
  output logic [33:0]  lane0a_o,
  output logic [33:0]  lane0b_o,
  output logic [33:0]  lane1a_o,
  output logic [33:0]  lane1b_o,
  input  logic [33:0]  lane0a_i,
  input  logic [33:0]  lane0b_i,
  input  logic [33:0]  lane1a_i,
  input  logic [33:0]  lane1b_i,
  output logic [1:0]   up_o,
  output logic [1:0]   idle_o,
  input  logic         stat_re_i,
  input  logic [5:0]   stat_addr_i,
  output logic [31:0]  stat0_o,
  output logic [31:0]  stat1_o
);

  /* verilator lint_off UNUSEDSIGNAL */
  logic [LANES-1:0][2:0] tap0, tap1;  // the wires have no delay
  /* verilator lint_on UNUSEDSIGNAL */

  ow_link #(.NumColours(NumColours), .Depth(Depth)) u_link0 (
    .clk_i,
    .rst_i    (rst_i[0]),
    .enable_i (enable_i[0]),
    .retrain_i(retrain_i[0]),
    .odd_i    (odd_i[0]),
    .tile_i   (tile0_i),
    .tile_o   (tile0_o),
    .lane_o   ({lane0b_o, lane0a_o}),
    .lane_i   ({lane0b_i, lane0a_i}),
    .tap_o    (tap0),
    .up_o     (up_o[0]),
    .idle_o   (idle_o[0]),
    .stat_re_i,
    .stat_addr_i,
    .stat_o   (stat0_o)
  );
  ow_link #(.NumColours(NumColours), .Depth(Depth)) u_link1 (
    .clk_i,
    .rst_i    (rst_i[1]),
    .enable_i (enable_i[1]),
    .retrain_i(retrain_i[1]),
    .odd_i    (odd_i[1]),
    .tile_i   (tile1_i),
    .tile_o   (tile1_o),
    .lane_o   ({lane1b_o, lane1a_o}),
    .lane_i   ({lane1b_i, lane1a_i}),
    .tap_o    (tap1),
    .up_o     (up_o[1]),
    .idle_o   (idle_o[1]),
    .stat_re_i,
    .stat_addr_i,
    .stat_o   (stat1_o)
  );

endmodule
