// SPDX-License-Identifier: Apache-2.0
// The delay elements of the lanes of one direction, by default with 16 ticks per bit time. There are
// two groups of 34 lanes; a smaller link uses the lowest.
module ow_link_delays
  import ow_link_pkg::*;
#(
  parameter int unsigned TapTicks = 2
) (
  input  logic         tick_i,
  input  logic [203:0] tap_i,
  input  logic [33:0]  lane_a_i,
  input  logic [33:0]  lane_b_i,
  output logic [33:0]  lane_a_o,
  output logic [33:0]  lane_b_o
);

  logic [LANES-1:0] from, to;
  assign from = {lane_b_i, lane_a_i};
  assign {lane_b_o, lane_a_o} = to;
  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    ow_link_delay #(.TapTicks(TapTicks)) u_delay (
      .tick_i,
      .tap_i (tap_i[3*l+:3]),
      .lane_i(from[l]),
      .lane_o(to[l])
    );
  end

endmodule
