// SPDX-License-Identifier: Apache-2.0
// Both ends of one reticle-crossing link and the wires between them, in the single-clock wafer.
//
//   NumColours  data colours of the tiles, 2 to 24
//   a_*, b_*    the two tile edges, and the status words of the two ends (ow_link)
//   odd_i       bit 0 of the cycle count
//   idle_o      neither end changes before something arrives
module ow_crossing
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        odd_i,
  input  link_t       a_i,
  output link_t       a_o,
  input  link_t       b_i,
  output link_t       b_o,
  input  logic        a_stat_re_i,
  input  logic [5:0]  a_stat_addr_i,
  output logic [31:0] a_stat_o,
  input  logic        b_stat_re_i,
  input  logic [5:0]  b_stat_addr_i,
  output logic [31:0] b_stat_o,
  output logic        idle_o
);

  logic [ow_link_pkg::LANES-1:0] a_lanes, b_lanes;
  logic   a_idle, b_idle;
  // What went in the last cycle is in the first stage of the far end's synchroniser, which no end
  // looks at.
  logic sent_q;
  always_ff @(posedge clk_i) sent_q <= a_lanes != '0 || b_lanes != '0;
  assign idle_o = a_idle && b_idle && !sent_q;

  // Wires without skew need no delay taps, and `up` is read as a status word.
  /* verilator lint_off PINCONNECTEMPTY */
  ow_link #(.NumColours(NumColours)) u_a (
    .clk_i, .rst_i, .enable_i(1'b1), .retrain_i(1'b0), .cycle_i(odd_i),
    .tile_i(a_i), .tile_o(a_o), .lane_o(a_lanes), .lane_i(b_lanes), .tap_o(), .up_o(),
    .idle_o(a_idle), .stat_re_i(a_stat_re_i), .stat_addr_i(a_stat_addr_i), .stat_o(a_stat_o)
  );
  ow_link #(.NumColours(NumColours)) u_b (
    .clk_i, .rst_i, .enable_i(1'b1), .retrain_i(1'b0), .cycle_i(odd_i),
    .tile_i(b_i), .tile_o(b_o), .lane_o(b_lanes), .lane_i(a_lanes), .tap_o(), .up_o(),
    .idle_o(b_idle), .stat_re_i(b_stat_re_i), .stat_addr_i(b_stat_addr_i), .stat_o(b_stat_o)
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
