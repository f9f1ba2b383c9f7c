// SPDX-License-Identifier: Apache-2.0
// One end of a link, with its lanes and taps in pieces that are easy to handle from C++. The ports are
// the same for links of any size: lane l of group g is bit l of a or b; lanes that a link does not have
// are 0.
//
//   Mini     lanes and colours as in mini, else as in full
//   cycle_i  bits of the cycle count, of which the link takes as many as it needs
module ow_link_end
  import ow_pkg::*;
  import ow_link_pkg::*;
#(
  parameter bit Mini = 1'b0,
  localparam int unsigned Groups = Mini ? MINI_LANE_GROUPS : LANE_GROUPS,
  localparam int unsigned GroupData = Mini ? MINI_GROUP_DATA : ow_isa_pkg::GROUP_DATA,
  localparam int unsigned NumColours = Mini ? MINI_NUM_COLOURS : FULL_NUM_COLOURS
) (
  input  logic         clk_i,
  input  logic         rst_i,
  input  logic         enable_i,
  input  logic         retrain_i,
  input  logic [3:0]   cycle_i,
  input  logic [44:0]  tile_i,
  output logic [44:0]  tile_o,
  output logic [33:0]  lane_a_o,
  output logic [33:0]  lane_b_o,
  input  logic [33:0]  lane_a_i,
  input  logic [33:0]  lane_b_i,
  output logic [203:0] tap_o,
  output logic         up_o,
  output logic         idle_o,
  input  logic         stat_re_i,
  input  logic [5:0]   stat_addr_i,
  output logic [31:0]  stat_o
);

  localparam int unsigned GroupLanes = GroupData + SPARES;
  localparam int unsigned Slices = BEAT / (Groups * GroupData);

  /* verilator lint_off UNUSEDSIGNAL */ // lanes and bits that a small link does not have
  logic [GROUPS-1:0][33:0] from;
  logic [3:0] cycle;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [GROUPS-1:0][33:0] to;
  logic [GROUPS-1:0][33:0][2:0] taps;
  logic [Groups-1:0][GroupLanes-1:0] lanes_in, lanes_out;
  logic [Groups-1:0][GroupLanes-1:0][2:0] tap;
  assign from = {lane_b_i, lane_a_i};
  assign cycle = cycle_i;
  assign {lane_b_o, lane_a_o} = to;
  assign tap_o = taps;
  always_comb begin
    to = '0;
    taps = '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      lanes_in[g] = from[g][GroupLanes-1:0];
      to[g][GroupLanes-1:0] = lanes_out[g];
      taps[g][GroupLanes-1:0] = tap[g];
    end
  end

  ow_link #(.NumColours(NumColours), .Groups(Groups), .GroupData(GroupData)) u_link (
    .clk_i,
    .rst_i,
    .enable_i,
    .retrain_i,
    .cycle_i(cycle[$clog2(2*Slices)-1:0]),
    .tile_i,
    .tile_o,
    .lane_o (lanes_out),
    .lane_i (lanes_in),
    .tap_o  (tap),
    .up_o,
    .idle_o,
    .stat_re_i,
    .stat_addr_i,
    .stat_o
  );

endmodule
