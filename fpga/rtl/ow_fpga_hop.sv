// SPDX-License-Identifier: Apache-2.0
// Registers between two clocks of one frequency and a known phase. They take what comes from
// flip-flops of the other clock, with no logic in between. constraints/ limits the path to the time
// between the two edges.
//
//   Width     bits; latency one cycle of clk_i
//   Falling   1: at the falling edge of clk_i. It is for signals to a clock that is a quarter of a
//             period later: a quarter is too short to cross a large part. Such a register in front
//             of the other clock's makes it a half and three quarters
module ow_fpga_hop #(
  parameter int unsigned Width = 1,
  parameter bit Falling = 1'b0
) (
  input  logic             clk_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Falling) begin : gen_falling
    always_ff @(negedge clk_i) q_o <= d_i;
  end else begin : gen_rising
    always_ff @(posedge clk_i) q_o <= d_i;
  end

endmodule
