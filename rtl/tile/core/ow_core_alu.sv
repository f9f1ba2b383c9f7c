// SPDX-License-Identifier: Apache-2.0
// Integer ALU and branch comparison of the scalar core. Combinational; no errors.
//
//   valid_i         there is an instruction; while low all outputs are 0
//   op_i, a_i, b_i  an ALU_* operation and its operands: result_o. sum_o: a_i + b_i if op_i is not
//                   ALU_SUB
//   limit_i         low_o: result_o is less than this, or below 0
//   branch_i, funct3_i, rs1_i, rs2_i  taken_o: whether a branch of that funct3 is taken

module ow_core_alu
  import ow_core_pkg::*;
(
  input  logic        valid_i,
  input  logic [3:0]  op_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o,
  output logic [31:0] sum_o,
  input  logic [23:0] limit_i,
  output logic        low_o,

  input  logic        branch_i,
  input  logic [2:0]  funct3_i,
  input  logic [31:0] rs1_i,
  input  logic [31:0] rs2_i,
  output logic        taken_o
);

  // Shifts to the left are shifts to the right of the reversed word.
  function automatic logic [31:0] reversed(input logic [31:0] x);
    logic [31:0] r;
    for (int unsigned i = 0; i < 32; i++) r[i] = x[31-i];
    return r;
  endfunction

  // x + y + c in one addition.
  function automatic logic [31:0] sum_of(input logic [31:0] x, input logic [31:0] y, input logic c);
    return 32'(({1'b0, x, 1'b1} + {1'b0, y, c}) >> 1);
  endfunction

  logic        subtract, adds;
  logic [31:0] to_right, shifted, other_result;
  logic [31:0] b_sum;      // what is added to a_i, without the carry
  logic [31:0] no_limit;   // - limit_i - 1
  /* verilator lint_off UNUSEDSIGNAL */ // its sign
  logic [31:0] below;      // the sum less the limit
  /* verilator lint_on UNUSEDSIGNAL */
  // One comparison for branches and for ALU_SLT and ALU_SLTU, whose a_i is rs1.
  logic [31:0] other;
  logic        is_signed, less;

  assign subtract = op_i == ALU_SUB;
  assign adds = op_i == ALU_ADD || op_i == ALU_SUB;

  always_comb begin
    sum_o = 32'd0;
    to_right = 32'd0;
    shifted = 32'd0;
    other_result = 32'd0;
    result_o = 32'd0;
    b_sum = 32'd0;
    if (valid_i) begin
      b_sum = b_i ^ {32{subtract}};
      sum_o = sum_of(a_i, b_sum, subtract);
      to_right = op_i[2] ? a_i : reversed(a_i);
      shifted = 32'($signed({op_i[3] & a_i[31], to_right}) >>> b_i[4:0]);
      unique case (op_i)
        ALU_SLL: other_result = reversed(shifted);
        ALU_SLT, ALU_SLTU: other_result = {31'd0, less};
        ALU_XOR: other_result = a_i ^ b_i;
        ALU_SRL, ALU_SRA: other_result = shifted;
        ALU_OR: other_result = a_i | b_i;
        ALU_AND: other_result = a_i & b_i;
        default: ;
      endcase
      result_o = adds ? sum_o : other_result;
    end
  end

  // Whether a sum is below the limit is computed in parallel with the sum, from its terms.
  always_comb begin
    no_limit = '0;
    below = '0;
    low_o = 1'b0;
    if (valid_i && limit_i != '0) begin
      no_limit = ~{8'd0, limit_i};
      below = sum_of(a_i ^ b_sum ^ no_limit,
                     (((a_i & b_sum) | (a_i & no_limit) | (b_sum & no_limit)) << 1) | 32'd1,
                     subtract);
      low_o = adds ? sum_o[31] || below[31]
                   : other_result[31] || other_result < {8'd0, limit_i};
    end
  end

  always_comb begin
    other = 32'd0;
    is_signed = 1'b0;
    less = 1'b0;
    taken_o = 1'b0;
    if (valid_i) begin
      other = branch_i ? rs2_i : b_i;
      is_signed = branch_i ? ~funct3_i[1] : ~op_i[0];
      less = {rs1_i[31] ^ is_signed, rs1_i[30:0]} < {other[31] ^ is_signed, other[30:0]};
      unique case (funct3_i[2:1])
        2'b00: taken_o = (rs1_i == rs2_i) ^ funct3_i[0];
        2'b10, 2'b11: taken_o = less ^ funct3_i[0];
        default: taken_o = 1'b0;
      endcase
    end
  end

endmodule
