// SPDX-License-Identifier: Apache-2.0
// ow_core_alu: integer ALU and branch comparison of the scalar core, combinational.
//
// valid_i: there is an instruction; while low all outputs are 0 (with Small, which is for area and not
//   for the clock, they are anything).
// op_i, a_i, b_i -> result_o: one of the ALU_* operations; sum_o: a_i + b_i if op_i is not ALU_SUB.
// branch_i, funct3_i, rs1_i, rs2_i -> taken_o: whether a branch of that funct3 is taken.

module ow_core_alu
  import ow_core_pkg::*;
#(
  parameter bit Small = 1'b0
) (
  input  logic        valid_i,
  input  logic [3:0]  op_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o,
  output logic [31:0] sum_o,

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

  logic        subtract;
  logic [31:0] to_right, shifted;
  // One comparison for branches and for ALU_SLT and ALU_SLTU, whose a_i is rs1.
  logic [31:0] other;
  logic        is_signed, less;

  assign subtract = op_i == ALU_SUB;

  always_comb begin
    sum_o = 32'd0;
    to_right = 32'd0;
    shifted = 32'd0;
    result_o = 32'd0;
    if (valid_i || Small) begin
      sum_o = a_i + (b_i ^ {32{subtract}}) + {31'd0, subtract};
      to_right = op_i[2] ? a_i : reversed(a_i);
      shifted = 32'($signed({op_i[3] & a_i[31], to_right}) >>> b_i[4:0]);
      unique case (op_i)
        ALU_ADD, ALU_SUB: result_o = sum_o;
        ALU_SLL: result_o = reversed(shifted);
        ALU_SLT, ALU_SLTU: result_o = {31'd0, less};
        ALU_XOR: result_o = a_i ^ b_i;
        ALU_SRL, ALU_SRA: result_o = shifted;
        ALU_OR: result_o = a_i | b_i;
        ALU_AND: result_o = a_i & b_i;
        default: result_o = 32'd0;
      endcase
    end
  end

  always_comb begin
    other = 32'd0;
    is_signed = 1'b0;
    less = 1'b0;
    taken_o = 1'b0;
    if (valid_i || Small) begin
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
