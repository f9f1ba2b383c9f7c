// SPDX-License-Identifier: Apache-2.0
// The decoder of the scalar core. Combinational.
//
// It takes an instruction word and gives its class, operands and immediate. Whatever is not
// RV32IM_Zicsr_Zifencei, a machine-mode system instruction or the tensor extension is CLS_ILLEGAL.
// Whether a CSR exists is decided by ow_core_csr. While valid_i is low all outputs are zero
// (CLS_ILLEGAL).
//
//   valid_i  insn_i is an instruction
//   insn_i   the word
//   dec_o    what it is

module ow_core_decode
  import ow_core_pkg::*;
(
  input  logic        valid_i,
  input  logic [31:0] insn_i,
  output dec_t        dec_o
);

  // The table of a decoder: opcodes, and what each needs.
  always_comb begin
    dec_o = '0;
    if (valid_i) begin
      dec_o.funct3 = insn_i[14:12];
      dec_o.rd = insn_i[11:7];
      dec_o.rs1 = insn_i[19:15];
      dec_o.rs2 = insn_i[24:20];
      unique case (insn_i[6:0])
        7'h37: begin  // lui
          dec_o.cls = CLS_ALU;
          dec_o.a_sel = A_ZERO;
          dec_o.b_imm = 1'b1;
          dec_o.imm = {insn_i[31:12], 12'd0};
          dec_o.rd_we = 1'b1;
        end
        7'h17: begin  // auipc
          dec_o.cls = CLS_ALU;
          dec_o.a_sel = A_PC;
          dec_o.b_imm = 1'b1;
          dec_o.imm = {insn_i[31:12], 12'd0};
          dec_o.rd_we = 1'b1;
        end
        7'h6f: begin
          dec_o.cls = CLS_JAL;
          dec_o.a_sel = A_PC;
          dec_o.b_imm = 1'b1;
          dec_o.imm = {{12{insn_i[31]}}, insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0};
          dec_o.rd_we = 1'b1;
        end
        7'h67:
        if (insn_i[14:12] == 3'd0) begin
          dec_o.cls = CLS_JALR;
          dec_o.use_1 = 1'b1;
          dec_o.b_imm = 1'b1;
          dec_o.imm = {{20{insn_i[31]}}, insn_i[31:20]};
          dec_o.rd_we = 1'b1;
        end
        7'h63:
        if (insn_i[14:13] != 2'b01) begin  // the ALU compares nothing here, it adds pc and imm
          dec_o.cls = CLS_BRANCH;
          dec_o.use_1 = 1'b1;
          dec_o.use_2 = 1'b1;
          dec_o.a_sel = A_PC;
          dec_o.b_imm = 1'b1;
          dec_o.imm = {{20{insn_i[31]}}, insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0};
        end
        7'h03:
        if (insn_i[14:12] != 3'd3 && insn_i[14:12] < 3'd6) begin
          dec_o.cls = CLS_LOAD;
          dec_o.use_1 = 1'b1;
          dec_o.b_imm = 1'b1;
          dec_o.imm = {{20{insn_i[31]}}, insn_i[31:20]};
          dec_o.rd_we = 1'b1;
        end
        7'h23:
        if (insn_i[14:12] < 3'd3) begin
          dec_o.cls = CLS_STORE;
          dec_o.use_1 = 1'b1;
          dec_o.use_2 = 1'b1;
          dec_o.b_imm = 1'b1;
          dec_o.imm = {{20{insn_i[31]}}, insn_i[31:25], insn_i[11:7]};
        end
        7'h13: begin
          dec_o.use_1 = 1'b1;
          dec_o.b_imm = 1'b1;
          dec_o.imm = {{20{insn_i[31]}}, insn_i[31:20]};
          dec_o.rd_we = 1'b1;
          dec_o.alu_op = {1'b0, insn_i[14:12]};
          unique case (insn_i[14:12])
            3'd1: if (insn_i[31:25] == 7'h00) dec_o.cls = CLS_ALU;
            3'd5: begin
              dec_o.alu_op[3] = insn_i[30];
              if (insn_i[31:25] == 7'h00 || insn_i[31:25] == 7'h20) dec_o.cls = CLS_ALU;
            end
            default: dec_o.cls = CLS_ALU;
          endcase
        end
        7'h33: begin
          dec_o.use_1 = 1'b1;
          dec_o.use_2 = 1'b1;
          dec_o.rd_we = 1'b1;
          dec_o.alu_op = {insn_i[30], insn_i[14:12]};
          if (insn_i[31:25] == 7'h01) begin
            dec_o.cls = CLS_MULDIV;
          end else if (insn_i[31:25] == 7'h00 || (insn_i[31:25] == 7'h20 &&
              (insn_i[14:12] == 3'd0 || insn_i[14:12] == 3'd5))) begin
            dec_o.cls = CLS_ALU;
          end
        end
        7'h0f: begin
          if (insn_i[14:12] == 3'd0) dec_o.cls = CLS_FENCE;
          else if (insn_i[14:12] == 3'd1) dec_o.cls = CLS_FENCEI;
        end
        7'h73: begin
          dec_o.imm = {20'd0, insn_i[31:20]};  // CSR number
          if (insn_i[13:12] != 2'd0) begin
            dec_o.cls = CLS_CSR;
            dec_o.use_1 = !insn_i[14];
            dec_o.rd_we = 1'b1;
          end else if (insn_i[14:12] == 3'd0 && insn_i[19:7] == 13'd0) begin
            unique case (insn_i[31:20])
              12'h000: dec_o.cls = CLS_ECALL;
              12'h001: dec_o.cls = CLS_EBREAK;
              12'h302: dec_o.cls = CLS_MRET;
              12'h105: dec_o.cls = CLS_WFI;
              default: ;
            endcase
          end
        end
        ow_pkg::OPCODE_TENSOR: begin
          dec_o.cls = CLS_TENSOR;
          dec_o.use_1 = 1'b1;
          dec_o.use_2 = 1'b1;
        end
        ow_pkg::OPCODE_SYSTEM: begin
          unique case (insn_i[14:12])
            ow_pkg::SYS_NEXT: dec_o.cls = CLS_NEXT;
            ow_pkg::SYS_DSRW: begin
              dec_o.cls = CLS_DSRW;
              dec_o.use_1 = 1'b1;
              dec_o.use_2 = 1'b1;
            end
            ow_pkg::SYS_DSRR: begin
              dec_o.cls = CLS_DSRR;
              dec_o.use_1 = 1'b1;
              dec_o.rd_we = 1'b1;
            end
            ow_pkg::SYS_DSRL: begin  // a load of words at rs1 + imm; imm counts
              dec_o.cls = CLS_DSRL;
              dec_o.use_1 = 1'b1;
              dec_o.use_2 = 1'b1;
              dec_o.b_imm = 1'b1;
              dec_o.funct3 = 3'd2;
            end
            default: ;
          endcase
        end
        default: ;
      endcase
      if (insn_i[11:7] == 5'd0) dec_o.rd_we = 1'b0;
    end
  end

endmodule
