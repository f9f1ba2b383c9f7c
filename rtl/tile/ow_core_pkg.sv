// SPDX-License-Identifier: Apache-2.0
// Types and constants that the scalar core's own modules share: the decoded instruction, the trap
// causes and the CSR numbers. Nothing outside rtl/tile/ow_core*.sv uses them.

package ow_core_pkg;

  // What an instruction needs from the execute stage.
  typedef enum logic [4:0] {
    CLS_ILLEGAL = 5'd0,
    CLS_ALU     = 5'd1,
    CLS_BRANCH  = 5'd2,
    CLS_JAL     = 5'd3,
    CLS_JALR    = 5'd4,
    CLS_LOAD    = 5'd5,
    CLS_STORE   = 5'd6,
    CLS_CSR     = 5'd7,
    CLS_MULDIV  = 5'd8,
    CLS_FENCE   = 5'd9,
    CLS_FENCEI  = 5'd10,
    CLS_ECALL   = 5'd11,
    CLS_EBREAK  = 5'd12,
    CLS_MRET    = 5'd13,
    CLS_WFI     = 5'd14,
    CLS_NEXT    = 5'd15,
    CLS_DSRW    = 5'd16,
    CLS_DSRR    = 5'd17,
    CLS_TENSOR  = 5'd18
  } cls_e;

  // ALU operation: funct3 of OP/OP-IMM, bit 3 set for SUB and SRA.
  localparam logic [3:0] ALU_ADD = 4'b0000;
  localparam logic [3:0] ALU_SUB = 4'b1000;
  localparam logic [3:0] ALU_SLL = 4'b0001;
  localparam logic [3:0] ALU_SLT = 4'b0010;
  localparam logic [3:0] ALU_SLTU = 4'b0011;
  localparam logic [3:0] ALU_XOR = 4'b0100;
  localparam logic [3:0] ALU_SRL = 4'b0101;
  localparam logic [3:0] ALU_SRA = 4'b1101;
  localparam logic [3:0] ALU_OR = 4'b0110;
  localparam logic [3:0] ALU_AND = 4'b0111;

  // First ALU operand.
  typedef enum logic [1:0] {
    A_RS1  = 2'd0,
    A_PC   = 2'd1,
    A_ZERO = 2'd2
  } a_sel_e;

  typedef struct packed {
    cls_e        cls;
    logic [3:0]  alu_op;
    a_sel_e      a_sel;
    logic        b_imm;   // second ALU operand is imm, else rs2
    logic        rd_we;   // writes rd (rd is not x0)
    logic [2:0]  funct3;
    logic [4:0]  rd;
    logic [4:0]  rs1;
    logic [4:0]  rs2;
    logic [31:0] imm;
  } dec_t;

  // Trap causes (mcause without the interrupt bit; there are no interrupts).
  localparam logic [4:0] CAUSE_FETCH_MISALIGNED = 5'd0;
  localparam logic [4:0] CAUSE_FETCH_FAULT = 5'd1;
  localparam logic [4:0] CAUSE_ILLEGAL = 5'd2;
  localparam logic [4:0] CAUSE_BREAKPOINT = 5'd3;
  localparam logic [4:0] CAUSE_LOAD_MISALIGNED = 5'd4;
  localparam logic [4:0] CAUSE_LOAD_FAULT = 5'd5;
  localparam logic [4:0] CAUSE_STORE_MISALIGNED = 5'd6;
  localparam logic [4:0] CAUSE_STORE_FAULT = 5'd7;
  localparam logic [4:0] CAUSE_ECALL_M = 5'd11;

  // Control and status registers.
  localparam logic [11:0] CSR_MSTATUS = 12'h300;
  localparam logic [11:0] CSR_MISA = 12'h301;
  localparam logic [11:0] CSR_MIE = 12'h304;
  localparam logic [11:0] CSR_MTVEC = 12'h305;
  localparam logic [11:0] CSR_MSCRATCH = 12'h340;
  localparam logic [11:0] CSR_MEPC = 12'h341;
  localparam logic [11:0] CSR_MCAUSE = 12'h342;
  localparam logic [11:0] CSR_MTVAL = 12'h343;
  localparam logic [11:0] CSR_MIP = 12'h344;
  localparam logic [11:0] CSR_MCYCLE = 12'hB00;
  localparam logic [11:0] CSR_MINSTRET = 12'hB02;
  localparam logic [11:0] CSR_MCYCLEH = 12'hB80;
  localparam logic [11:0] CSR_MINSTRETH = 12'hB82;
  localparam logic [11:0] CSR_CYCLE = 12'hC00;
  localparam logic [11:0] CSR_INSTRET = 12'hC02;
  localparam logic [11:0] CSR_CYCLEH = 12'hC80;
  localparam logic [11:0] CSR_INSTRETH = 12'hC82;
  localparam logic [11:0] CSR_MVENDORID = 12'hF11;
  localparam logic [11:0] CSR_MARCHID = 12'hF12;
  localparam logic [11:0] CSR_MIMPID = 12'hF13;
  localparam logic [11:0] CSR_MHARTID = 12'hF14;

  // RV32, extensions I and M, and X for the tensor extension.
  localparam logic [31:0] MISA_VALUE = 32'h4080_1100;

endpackage
