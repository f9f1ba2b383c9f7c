// SPDX-License-Identifier: Apache-2.0
// The memory of the scalar core for area: general registers, CSRs, and what lasts longer than a few
// steps. It is a block RAM with one write port and one read port. The step decides what is read and
// written. Latency: data is there in the cycle after the address.
//
//   step_i   the step, one bit each
//   dec_i    the instruction
//   away_i   there is none
//   csr_i    the word of its CSR. plain_i: it is written as it is; cycle_i, high_i: it belongs to
//            mcycle, is its upper half
//   count_i  which of the words that a reset clears
//   data_i   what is written
//   data_o   what was read
module ow_core_serial_words
  import ow_core_pkg::*;
  import ow_core_serial_pkg::*;
(
  input  logic        clk_i,
  input  steps_t      step_i,
  /* verilator lint_off UNUSEDSIGNAL */ // of the operation
  input  dec_t        dec_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        away_i,
  input  logic [4:0]  csr_i,
  input  logic        plain_i,
  input  logic        cycle_i,
  input  logic        high_i,
  input  logic [4:0]  count_i,
  input  logic [31:0] data_i,
  output logic [31:0] data_o
);

  localparam logic [4:0] LINK_REG = 5'd1;  // x1: return address of a task
  localparam logic [4:0] ARG_REG = 5'd10;  // x10: argument of a task

  /* verilator lint_off UNUSEDSIGNAL */ // steps that read and write nothing
  steps_t      s;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [5:0]  raddr, waddr;
  logic        we;
  logic [31:0] rdata_q;
  (* ram_style = "block", no_rw_check *) logic [31:0] mem_q [64];

  always_ff @(posedge clk_i) begin
    if (we) mem_q[waddr] <= data_i;
    rdata_q <= mem_q[raddr];
  end
  assign data_o = rdata_q;
  assign s = step_i;

  function automatic logic [4:0] masked(input logic [4:0] word, input logic take);
    return take ? word : '0;
  endfunction

  // ------------------------------------------------------------------------------- reads ----
  logic jump, next, csr, compares_imm;
  assign jump = dec_i.cls inside {CLS_JAL, CLS_JALR};
  assign next = dec_i.cls == CLS_NEXT;
  assign csr = dec_i.cls == CLS_CSR;
  assign compares_imm = dec_i.cls == CLS_ALU && dec_i.b_imm && dec_i.alu_op[2:1] == 2'b01;

  // rs1, if nothing else is read.
  logic rs2, pc, temp, ones, other;
  logic [4:0] word;
  always_comb begin
    rs2 = (s[S_DECODE] && dec_i.use_2 && !(dec_i.cls inside {CLS_STORE, CLS_DSRL})) ||
          (s[S_ALU] && dec_i.cls == CLS_STORE) || s[S_CHECK] || s[S_ACCESS] || s[S_LOAD] ||
          (s[S_DSR] && dec_i.cls == CLS_DSRL);
    pc = (s[S_DECODE] && (away_i || (dec_i.a_sel == A_PC && !dec_i.use_2) || dec_i.cls == CLS_EBREAK)) ||
         s[S_LESS] || s[S_TARGET] || s[S_BACK] || s[S_FOUR] || s[T_VALUE] ||
         (s[S_WRITE] && !(jump || next || csr || dec_i.cls == CLS_MRET));
    temp = (s[S_WRITE] && (jump || next || csr)) || s[D_IN] || s[D_SHIFT] || s[D_SUB] || s[D_TAKE] ||
           s[D_TAKE] || s[C_NEW] || s[Y_LESS];
    ones = (s[S_DECODE] && compares_imm) ||
           (s[S_OPERAND] && (dec_i.cls == CLS_BRANCH || (dec_i.cls == CLS_ALU &&
                             (dec_i.alu_op[3:1] == 3'b001 || dec_i.alu_op == ALU_SUB)))) ||
           (s[S_MULDIV] && dec_i.funct3[2]) || s[D_DIVIDEND] || s[D_NEGATE] || s[D_SIGN] ||
           s[D_MINUS] || s[M_LESS] || s[M_SUM] || s[Y_CARRY] || s[Y_PUT];
    word = masked(WORD_PC, pc) | masked(WORD_TEMP, temp) | masked(WORD_ONES, ones) |
           masked(csr_i, s[C_KEEP] && !cycle_i) |
           masked(WORD_OFF, (s[C_KEEP] && cycle_i) || s[Y_NOW]) |
           masked(WORD_OFF_HIGH, s[C_OLD] || s[Y_BORROW]) | masked(WORD_CYCLE, s[C_PUT]) |
           masked(WORD_COUNT, s[S_COUNT_LOW]) | masked(WORD_COUNT_HIGH, s[S_COUNT_HIGH]) |
           masked(WORD_MEPC, s[S_WRITE] && dec_i.cls == CLS_MRET) |
           masked(WORD_MTVEC, s[T_WHY]) | masked(WORD_MTVAL, s[T_GO]);
    other = pc || temp || ones || s[C_KEEP] || s[C_OLD] || s[C_PUT] || s[Y_NOW] || s[Y_BORROW] ||
            s[S_COUNT_LOW] || s[S_COUNT_HIGH] || s[T_WHY] || s[T_GO] ||
            (s[S_WRITE] && dec_i.cls == CLS_MRET);
    raddr = {other, word | masked(dec_i.rs2, rs2) | masked(dec_i.rs1, !other && !rs2)};
  end

  // ------------------------------------------------------------------------------- writes ----
  logic       we_reg;
  logic [4:0] rd, wword;
  logic       puts_pc;
  assign we_reg = (s[S_WRITE] && (dec_i.rd_we || next)) || s[S_TASK] || s[S_ZERO];
  assign puts_pc = s[S_BOOT] || s[S_START];

  always_comb begin
    rd = masked(LINK_REG, s[S_WRITE] && next) | masked(ARG_REG, s[S_TASK]) |
         masked(dec_i.rd, s[S_WRITE] && !next);
    wword = masked(WORD_PC, puts_pc) | masked(WORD_ONES, s[S_ONES]) |
            masked(WORD_TEMP, s[S_TARGET] || s[D_KEEP] || s[C_KEEP] || (s[C_PUT] && cycle_i)) |
            masked(csr_i, s[C_PUT] && !cycle_i) | masked(WORD_CYCLE, s[C_OLD]) |
            masked(WORD_OFF, s[Y_PUT] && !high_i) |
            masked(WORD_OFF_HIGH, (s[Y_PUT] && high_i) || s[Y_DONE]) |
            masked(WORD_COUNT, s[S_COUNT_HIGH]) | masked(WORD_COUNT_HIGH, s[S_COUNT_DONE]) |
            masked(WORD_MTVAL, s[T_VALUE]) | masked(WORD_MEPC, s[T_CAUSE]) |
            masked(WORD_MCAUSE, s[T_WHY]) | masked(count_i, s[S_CLEAR]);
    we = we_reg || puts_pc || s[S_ONES] || s[S_TARGET] || s[D_KEEP] || s[C_KEEP] ||
         (s[C_PUT] && (cycle_i || plain_i)) || s[C_OLD] || s[Y_PUT] || s[Y_DONE] || s[S_COUNT_HIGH] ||
         s[S_COUNT_DONE] || s[T_VALUE] || s[T_CAUSE] || s[T_WHY] ||
         (s[S_CLEAR] && count_i != WORD_PC);
    waddr = {!we_reg, wword | rd};
  end

endmodule
