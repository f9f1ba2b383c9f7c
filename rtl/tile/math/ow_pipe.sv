// SPDX-License-Identifier: Apache-2.0
// A pipeline register that a parameter takes away: q_o is d_i, one cycle later with Stages 1 and at
// once with 0. It loads where en_i is high and keeps its word otherwise; no reset.
//
//   Width         bits, 1 or more
//   Stages        0 or 1
//   en_i          d_i is wanted; of a register only
module ow_pipe #(
  parameter int unsigned Width = 1,
  parameter int unsigned Stages = 1
) (
  input  logic             clk_i,
  input  logic             en_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);
`include "ow_assert.svh"

  `OW_ASSERT_INIT(one_or_none, Width >= 1 && Stages <= 1)

  if (Stages == 0) begin : gen_wire
    assign q_o = d_i;
    logic unused;
    assign unused = &{1'b0, clk_i, en_i};
  end else begin : gen_register
    logic [Width-1:0] q_q;
    always_ff @(posedge clk_i) if (en_i) q_q <= d_i;
    assign q_o = q_q;
  end

endmodule
