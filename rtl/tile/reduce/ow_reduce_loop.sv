// SPDX-License-Identifier: Apache-2.0
// What ow_reduce_chain does, with one adder: an element with n additions goes through it n times, and
// is in the output register 2n + 1 cycles after it came in. The adder has two stages, so two elements
// take turns: one each n cycles on average, n = 0 and 1 one a cycle. Sums and their order are the
// chain's. Whoever issues sees to it that the adder is free (room_o), and that no element overtakes
// one before it.
module ow_reduce_loop
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
  output logic        busy_o,    // an element is at the adder
  output logic        valid_o,
  output sum_t        sum_o
);
`include "ow_assert.svh"

  // At the adder: the sum so far, what is added to it now and later, additions after this one.
  logic        a_valid_q;
  logic [31:0] a_sum_q, a_op_1_q, a_op_2_q, a_op_3_q;
  logic [1:0]  a_left_q;
  out_t        a_out_q;
  // At its rounding.
  logic        r_valid;
  logic [31:0] r_sum, r_op_2_q, r_op_3_q;
  logic [1:0]  r_left_q;
  out_t        r_out_q;
  logic        s_valid_q;  // output stage
  sum_t        s_q;

  logic again, enter, leaves, passes;
  assign again = r_valid && r_left_q != 2'd0;
  assign leaves = r_valid && r_left_q == 2'd0;
  assign enter = issue_i && adds_i != 2'd0;
  assign passes = issue_i && adds_i == 2'd0;

  ow_fp_add u_add (
    .clk_i, .rst_i, .en_i, .valid_i(a_valid_q), .a_i(a_sum_q), .b_i(a_op_1_q),
    .valid_o(r_valid), .result_o(r_sum)
  );

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (again || enter) begin
        a_sum_q <= again ? r_sum : elem_i;
        a_op_1_q <= again ? r_op_2_q : op_1_i;
        a_op_2_q <= again ? r_op_3_q : op_2_i;
        a_op_3_q <= op_3_i;  // of no use after the first addition
        a_left_q <= (again ? r_left_q : adds_i) - 2'd1;
        a_out_q <= again ? r_out_q : out_i;
      end
      if (a_valid_q) begin
        r_op_2_q <= a_op_2_q;
        r_op_3_q <= a_op_3_q;
        r_left_q <= a_left_q;
        r_out_q <= a_out_q;
      end
      if (leaves || passes) begin
        s_q <= '{sum: leaves ? r_sum : elem_i, hi: elem_hi_i, out: leaves ? r_out_q : out_i};
      end
    end
    if (rst_i) begin
      a_valid_q <= 1'b0;
      s_valid_q <= 1'b0;
    end else if (en_i) begin
      a_valid_q <= again || enter;
      s_valid_q <= leaves || passes;
    end
  end

  // The element at the adder has a_left_q + 1 additions before it, and the new one is behind it if it
  // has as many at least. The one at its rounding leaves, or else comes back.
  always_comb begin
    room_o[0] = !a_valid_q && !r_valid;
    for (int unsigned n = 1; n < 4; n++) begin
      room_o[n] = !again && !(a_valid_q && 32'(a_left_q) >= n);
    end
  end

  assign busy_o = a_valid_q || r_valid;
  assign valid_o = s_valid_q;
  assign sum_o = s_q;

  `OW_ASSERT(room, !(issue_i && en_i) || room_o[adds_i], "an element without room")
endmodule
