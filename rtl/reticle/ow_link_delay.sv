// SPDX-License-Identifier: Apache-2.0
// The delay element of one lane: delays what comes from the wire by tap_i eighths of a bit time.
// This module is its behaviour in simulation. An FPGA or a chip puts a cell of its own with the
// same ports here.
//
//   TapTicks        periods of tick_i in an eighth of a bit time; 0, the single-clock grid: the
//                   element is a wire and the tap has no effect
//   tick_i          a clock that only the simulation has
//   tap_i           may change at any time; lane_o may be wrong for a bit time after that
//   lane_i, lane_o  from the wire; delayed

module ow_link_delay #(
  parameter int unsigned TapTicks = 0
) (
  input  logic       tick_i,
  input  logic [2:0] tap_i,
  input  logic       lane_i,
  output logic       lane_o
);

  if (TapTicks != 0) begin : gen_delay
    localparam int unsigned Length = 7 * TapTicks;
    logic [Length-1:0] line_q;
    logic [Length:0] line;
    always_ff @(posedge tick_i) line_q <= {line_q[Length-2:0], lane_i};
    assign line = {line_q, lane_i};
    assign lane_o = line[32'(tap_i)*TapTicks];
  end else begin : gen_wire
    logic unused;
    assign unused = tick_i ^ (^tap_i);
    assign lane_o = lane_i;
  end

endmodule
