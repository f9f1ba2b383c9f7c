// SPDX-License-Identifier: Apache-2.0
// The floating-point datapath by itself, for vector tests: one lane, and the reducer's adder beside
// it on the same operands. Vectors enter one a cycle and results come out in order.
//
// valid_i with operation, formats and operands; c_i is taken with them and held for stage A.
// valid_o with result_o is the lane's result, 3 cycles after; add_valid_o with add_result_o is
// a_i + b_i in binary32 from the adder, 2 cycles after.
module ow_fp_top
  import ow_fp_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        valid_i,
  input  logic [2:0]  op_i,   // lane_op_e
  input  logic [1:0]  src_i,  // fp_fmt_e of a and b
  input  logic [1:0]  dst_i,  // fp_fmt_e of c and the result
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [31:0] c_i,
  output logic        valid_o,
  output logic [31:0] result_o,
  output logic        add_valid_o,
  output logic [31:0] add_result_o
);
`include "ow_assert.svh"

  logic [31:0] c_q;
  logic        lane_a_valid;
  logic        lane_valid;
  logic [31:0] lane_result;
  logic        add_valid;
  logic [31:0] add_result;

  always_ff @(posedge clk_i) begin
    if (valid_i) c_q <= c_i;
  end

  ow_lane u_lane (
    .clk_i,
    .rst_i,
    .valid_i,
    .op_i(lane_op_e'(op_i)),
    .src_i(fp_fmt_e'(src_i)),
    .dst_i(fp_fmt_e'(dst_i)),
    .a_i,
    .b_i,
    .valid_a_o(lane_a_valid),
    .c_i(c_q),
    .valid_o(lane_valid),
    .result_o(lane_result)
  );

  ow_fp_add u_add (
    .clk_i,
    .rst_i,
    .en_i(1'b1),
    .valid_i,
    .a_i,
    .b_i,
    .valid_o(add_valid),
    .result_o(add_result)
  );

  always_ff @(posedge clk_i) begin
    valid_o <= lane_valid && !rst_i;
    result_o <= lane_result;
    add_valid_o <= add_valid && !rst_i;
    add_result_o <= add_result;
  end

  // The lane never stalls and never drops: stage A is one cycle after stage M, stage R one later.
  logic m_valid_q, a_valid_q;
  always_ff @(posedge clk_i) begin
    m_valid_q <= valid_i && !rst_i;
    a_valid_q <= m_valid_q && !rst_i;
  end
  `OW_ASSERT(stage_a, lane_a_valid == m_valid_q, "stage A follows stage M")
  `OW_ASSERT(stage_r, lane_valid == a_valid_q, "stage R follows stage A")

endmodule
