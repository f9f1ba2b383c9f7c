// SPDX-License-Identifier: Apache-2.0
// Registers between two clocks of one frequency and a known phase: what comes from flip-flops of the
// other clock is taken over by this one, with no logic in between. A quarter of a period or more is
// enough for that, and constraints/ holds the tools to it.
//
//   Width   bits; latency one cycle of clk_i
module ow_fpga_hop #(
  parameter int unsigned Width = 1
) (
  input  logic             clk_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  always_ff @(posedge clk_i) q_o <= d_i;

endmodule
