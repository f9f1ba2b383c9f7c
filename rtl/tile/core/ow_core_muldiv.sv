// SPDX-License-Identifier: Apache-2.0
// ow_core_muldiv: the M extension, one operation at a time.
//
// start_i takes the operands; done_o is high with result_o in a later cycle: the next one for the
// four multiplications (one 33 x 33 bit multiplier between registers), 33 cycles later for
// divisions and remainders (restoring, one quotient bit a cycle). The core holds the instruction
// until then, so a multiplication takes 2 cycles and a division 34. clear_i drops an operation.
// Division by zero and overflow give what the specification says; neither traps.
//
// start_i: one cycle, only while nothing is under way. funct3_i: 0 mul, 1 mulh, 2 mulhsu, 3 mulhu,
// 4 div, 5 divu, 6 rem, 7 remu. a_i, b_i: rs1, rs2.

module ow_core_muldiv (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        clear_i,
  input  logic        start_i,
  input  logic [2:0]  funct3_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic        done_o,
  output logic [31:0] result_o
);

  logic        busy_q;
  logic [5:0]  count_q;      // quotient bits still to come
  logic [2:0]  funct3_q;
  logic [31:0] a_q;          // multiplicand; dividend, then quotient
  logic [31:0] b_q;          // multiplier; divisor
  logic [31:0] rem_q;
  logic        neg_quo_q;    // negate the quotient at the end
  logic        neg_rem_q;    // negate the remainder

  logic        a_neg, b_neg;
  logic [32:0] sub;
  logic signed [32:0] mul_a, mul_b;
  logic signed [63:0] product;  // the two top bits of 66 are never needed

  always_comb begin
    a_neg = 1'b0;
    b_neg = 1'b0;
    if (start_i) begin
      a_neg = a_i[31] & ~funct3_i[0];
      b_neg = b_i[31] & ~funct3_i[0];
    end
  end

  always_comb begin
    sub = 33'd0;
    mul_a = 33'sd0;
    mul_b = 33'sd0;
    product = 64'sd0;
    if (busy_q) begin
      if (funct3_q[2]) begin
        sub = {rem_q, a_q[31]} - {1'b0, b_q};
      end else begin
        // mulhu has no signed operand, mulhsu one; mul takes the low half, where it does not matter
        mul_a = $signed({a_q[31] & (funct3_q[1:0] != 2'd3), a_q});
        mul_b = $signed({b_q[31] & ~funct3_q[1], b_q});
        product = mul_a * mul_b;
      end
    end
  end

  assign done_o = busy_q && count_q == 6'd0;

  always_comb begin
    result_o = 32'd0;
    if (done_o) begin
      unique case (funct3_q)
        3'd0: result_o = product[31:0];
        3'd1, 3'd2, 3'd3: result_o = product[63:32];
        3'd4, 3'd5: result_o = neg_quo_q ? -a_q : a_q;
        default: result_o = neg_rem_q ? -rem_q : rem_q;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i) begin
      busy_q <= 1'b0;
      count_q <= 6'd0;
    end else if (start_i) begin
      busy_q <= 1'b1;
      funct3_q <= funct3_i;
      count_q <= funct3_i[2] ? 6'd32 : 6'd0;
      rem_q <= 32'd0;
      a_q <= funct3_i[2] && a_neg ? -a_i : a_i;
      b_q <= funct3_i[2] && b_neg ? -b_i : b_i;
      neg_quo_q <= (a_neg ^ b_neg) && b_i != 32'd0;  // x / 0 stays all ones
      neg_rem_q <= a_neg;
    end else if (done_o) begin
      busy_q <= 1'b0;
    end else if (busy_q) begin
      count_q <= count_q - 6'd1;
      a_q <= {a_q[30:0], ~sub[32]};
      rem_q <= sub[32] ? {rem_q[30:0], a_q[31]} : sub[31:0];
    end
  end

endmodule
