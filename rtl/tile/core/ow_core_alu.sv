// SPDX-License-Identifier: Apache-2.0
// ow_core_alu: integer ALU and branch comparison of the scalar core, combinational.
//
// valid_i: there is an instruction; while low all outputs are 0.
// op_i, a_i, b_i -> result_o: one of the ALU_* operations.
// funct3_i, rs1_i, rs2_i -> taken_o: whether a branch of that funct3 is taken.

module ow_core_alu
  import ow_core_pkg::*;
(
  input  logic        valid_i,
  input  logic [3:0]  op_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o,

  input  logic [2:0]  funct3_i,
  input  logic [31:0] rs1_i,
  input  logic [31:0] rs2_i,
  output logic        taken_o
);

  always_comb begin
    result_o = 32'd0;
    if (valid_i) begin
      unique case (op_i)
        ALU_ADD: result_o = a_i + b_i;
        ALU_SUB: result_o = a_i - b_i;
        ALU_SLL: result_o = a_i << b_i[4:0];
        ALU_SLT: result_o = {31'd0, $signed(a_i) < $signed(b_i)};
        ALU_SLTU: result_o = {31'd0, a_i < b_i};
        ALU_XOR: result_o = a_i ^ b_i;
        ALU_SRL: result_o = a_i >> b_i[4:0];
        ALU_SRA: result_o = 32'($signed(a_i) >>> b_i[4:0]);
        ALU_OR: result_o = a_i | b_i;
        ALU_AND: result_o = a_i & b_i;
        default: result_o = 32'd0;
      endcase
    end
  end

  always_comb begin
    taken_o = 1'b0;
    if (valid_i) begin
      unique case (funct3_i[2:1])
        2'b00: taken_o = (rs1_i == rs2_i) ^ funct3_i[0];
        2'b10: taken_o = ($signed(rs1_i) < $signed(rs2_i)) ^ funct3_i[0];
        2'b11: taken_o = (rs1_i < rs2_i) ^ funct3_i[0];
        default: taken_o = 1'b0;
      endcase
    end
  end

endmodule
