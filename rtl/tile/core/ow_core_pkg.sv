// SPDX-License-Identifier: Apache-2.0
// Types and constants that the scalar core's modules share. Nothing outside rtl/tile/core uses
// them. Trap causes and numbers of CSRs are in ow_isa_pkg.

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
    CLS_TENSOR  = 5'd18,
    CLS_DSRL    = 5'd19
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
    logic        use_1;   // reads rs1
    logic        use_2;   // reads rs2
    logic [2:0]  funct3;
    logic [4:0]  rd;
    logic [4:0]  rs1;
    logic [4:0]  rs2;
    logic [31:0] imm;
  } dec_t;

  // What a multi-cycle instruction in the execute stage waits for.
  typedef enum logic [1:0] {
    EX_RUN    = 2'd0,
    EX_MULDIV = 2'd1,
    EX_MORE   = 2'd2,  // ow.next has a task and still writes x1; ow.dsrl has begun
    EX_SYNC   = 2'd3   // the engine has taken an instruction for thread 0
  } ex_e;

  // What decoding hands to the execute stage.
  typedef struct packed {
    logic        pc_ok;   // it comes from memory; else fetching it is an access fault
    logic        early;   // the fetch already goes on where it leads
    logic [31:0] pc;
    logic [31:0] insn;
    dec_t        dec;
    logic [31:0] rs1;     // 0 if it is not read
    logic [31:0] rs2;
  } execute_t;

  // What the execute stage hands to memory access, and that to write-back.
  typedef struct packed {
    logic        retire;  // an instruction; else a part of one, of which more comes
    logic        trap;
    logic [31:0] pc;
    logic [31:0] insn;
    logic        rd_we;
    logic [4:0]  rd;
    logic [31:0] data;    // for rd, unless load
    logic        load;
    logic        store;
    logic        regs;    // the load or store is of a tile register
    logic        dsr;     // the load is of a descriptor's word, which goes to the engine
    logic [2:0]  word;    // that word; the descriptor is wdata[4:0]
    logic [2:0]  funct3;
    logic [31:0] addr;    // of a load or store
    logic [31:0] wdata;   // the bytes are in their places of the word
  } result_t;

  // The words of a descriptor: the last one, and a number that is none (a write of it writes nothing,
  // but waits as all do).
  localparam logic [2:0] LAST_WORD = 3'(ow_pkg::NUM_DSR_WORDS - 1);
  localparam logic [2:0] NO_WORD = 3'd7;

  // RV32, extensions I and M, and X for the tensor extension.
  localparam logic [31:0] MISA_VALUE = 32'h4080_1100;

endpackage
