// SPDX-License-Identifier: Apache-2.0
// Three adders in a row, each with a register of operands and two stages. An element with n
// additions enters the n-th adder from the end; one without additions enters the output register.
// So an element is in the output register 2n + 1 cycles after it was issued. Operands that are
// added later travel with it. Throughput: an element per cycle, whatever its additions. The issuer
// makes sure that an element finds its place free (room_o) and overtakes none.
module ow_reduce_chain
  import ow_reduce_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        en_i,      // everything moves on

  input  logic        issue_i,
  input  logic [1:0]  adds_i,
  input  logic [31:0] elem_i,
  input  logic [31:0] elem_hi_i,
  input  logic [31:0] op_1_i,
  input  logic [31:0] op_2_i,
  input  logic [31:0] op_3_i,
  input  out_t        out_i,

  output logic [3:0]  room_o,    // for an element with as many additions
  output logic        busy_o,    // an element is at an adder
  output logic        valid_o,
  output sum_t        sum_o
);
  // Operands of adder k: the sum so far, what this adder adds, what later ones add.
  logic        a0_valid_q, a1_valid_q, a2_valid_q;
  logic [31:0] a0_sum_q, a1_sum_q, a2_sum_q;
  logic [31:0] a0_op_1_q, a0_op_2_q, a0_op_3_q;
  logic [31:0] a1_op_2_q, a1_op_3_q;
  logic [31:0] a2_op_q;
  out_t        a0_out_q, a1_out_q, a2_out_q;
  // The same elements in the adder's second stage.
  logic        r0_valid, r1_valid, r2_valid;
  logic [31:0] r0_sum, r1_sum, r2_sum;
  logic [31:0] r0_op_2_q, r0_op_3_q;
  logic [31:0] r1_op_q;
  out_t        r0_out_q, r1_out_q, r2_out_q;
  logic        s2_valid_q;  // output stage
  sum_t        s2_q;

  logic enter_0, enter_1, enter_2, enter_s2;
  assign enter_0 = issue_i && adds_i == 2'd3;
  assign enter_1 = issue_i && adds_i == 2'd2;
  assign enter_2 = issue_i && adds_i == 2'd1;
  assign enter_s2 = issue_i && adds_i == 2'd0;

  ow_fp_add u_add_0 (
    .clk_i, .rst_i, .en_i, .valid_i(a0_valid_q), .a_i(a0_sum_q), .b_i(a0_op_1_q),
    .valid_o(r0_valid), .result_o(r0_sum)
  );
  ow_fp_add u_add_1 (
    .clk_i, .rst_i, .en_i, .valid_i(a1_valid_q), .a_i(a1_sum_q), .b_i(a1_op_2_q),
    .valid_o(r1_valid), .result_o(r1_sum)
  );
  ow_fp_add u_add_2 (
    .clk_i, .rst_i, .en_i, .valid_i(a2_valid_q), .a_i(a2_sum_q), .b_i(a2_op_q),
    .valid_o(r2_valid), .result_o(r2_sum)
  );

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (enter_0) begin
        a0_sum_q <= elem_i;
        a0_op_1_q <= op_1_i;
        a0_op_2_q <= op_2_i;
        a0_op_3_q <= op_3_i;
        a0_out_q <= out_i;
      end
      if (a0_valid_q) begin
        r0_op_2_q <= a0_op_2_q;
        r0_op_3_q <= a0_op_3_q;
        r0_out_q <= a0_out_q;
      end
      if (r0_valid || enter_1) begin
        a1_sum_q <= r0_valid ? r0_sum : elem_i;
        a1_op_2_q <= r0_valid ? r0_op_2_q : op_1_i;
        a1_op_3_q <= r0_valid ? r0_op_3_q : op_2_i;
        a1_out_q <= r0_valid ? r0_out_q : out_i;
      end
      if (a1_valid_q) begin
        r1_op_q <= a1_op_3_q;
        r1_out_q <= a1_out_q;
      end
      if (r1_valid || enter_2) begin
        a2_sum_q <= r1_valid ? r1_sum : elem_i;
        a2_op_q <= r1_valid ? r1_op_q : op_1_i;
        a2_out_q <= r1_valid ? r1_out_q : out_i;
      end
      if (a2_valid_q) r2_out_q <= a2_out_q;
      if (r2_valid || enter_s2) begin
        s2_q <= '{sum: r2_valid ? r2_sum : elem_i, hi: elem_hi_i,
                  out: r2_valid ? r2_out_q : out_i};
      end
    end
    if (rst_i) begin
      a0_valid_q <= 1'b0;
      a1_valid_q <= 1'b0;
      a2_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
    end else if (en_i) begin
      a0_valid_q <= enter_0;
      a1_valid_q <= r0_valid || enter_1;
      a2_valid_q <= r1_valid || enter_2;
      s2_valid_q <= r2_valid || enter_s2;
    end
  end

  // An element with n additions may enter if none with more additions is in front of its adder.
  logic [5:0] at;  // an element is at the first adder (bit 0), its rounding, the second, ..
  assign at = {r2_valid, a2_valid_q, r1_valid, a1_valid_q, r0_valid, a0_valid_q};
  assign room_o = {1'b1, at[1:0] == '0, at[3:0] == '0, at == '0};
  assign busy_o = at != '0;
  assign valid_o = s2_valid_q;
  assign sum_o = s2_q;
endmodule
