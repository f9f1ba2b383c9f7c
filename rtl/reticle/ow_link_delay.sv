// SPDX-License-Identifier: Apache-2.0
// The delay element of one lane: delays what comes from the wire by tap_i eighths of a bit time.
// A primitive of its own: this is its behaviour for simulation; an FPGA or a chip puts its cell of
// the same ports here. tick_i is a clock of 8 periods a bit time that only the simulation has; with
// HasTick = 0 (the single-clock grid) the element is a wire and the tap has no effect.

module ow_link_delay #(
  parameter bit HasTick = 1'b0
) (
  input  logic       tick_i,
  input  logic [2:0] tap_i,
  input  logic       lane_i,
  output logic       lane_o
);

  if (HasTick) begin : gen_delay
    logic [6:0] line_q;
    logic [7:0] line;
    always_ff @(posedge tick_i) line_q <= {line_q[5:0], lane_i};
    assign line = {line_q, lane_i};
    assign lane_o = line[tap_i];
  end else begin : gen_wire
    logic unused;
    assign unused = tick_i ^ (^tap_i);
    assign lane_o = lane_i;
  end

endmodule
