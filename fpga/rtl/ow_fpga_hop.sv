// SPDX-License-Identifier: Apache-2.0
// Registers between two clocks of one frequency and a known phase: what comes from flip-flops of the
// other clock is taken over by this one, with no logic in between, and constraints/ holds the tools to
// the time that there is for it.
//
//   Width     bits; latency one cycle of clk_i
//   Falling   1: at the falling edge of clk_i. Towards a clock that is a quarter of a period behind,
//             such a register in front of its own makes of a quarter of a period, in which nothing
//             crosses a large part, a half and three quarters
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
