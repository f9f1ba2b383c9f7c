// SPDX-License-Identifier: Apache-2.0
// The step that the scalar core for area is in, one bit per step. For each step, the code below
// says what leads to it. One step per cycle; a step that waits for others stays.
//
//   dec_i        the instruction, from S_DECODE on
//   illegal_i    it is illegal, or its CSR or descriptor does not exist. away_i: it would not come
//                from memory
//   counts_i     retired instructions must be added to minstret first
//   sets_i       it writes its CSR. cycle_i: that is mcycle or mcycleh; high_i: mcycleh
//   odd_i        the accumulator is no address of an instruction. none_i: it is 0
//   zero_i       the counter is 0
//   run_i        as of ow_core
//   granted_i    the access is granted. regs_i: it is one to a tile register
//   misplaced_i  the access is not allowed. stack_i: the instruction sets x2; low_i: below the
//                limit
//   taken_i      the branch is taken
//   negative_i   the dividend is negative. minus_i: its quotient or remainder is; correct_i: it is
//                mulh, and rs2 is negative
//   no_dsr_i     the descriptor does not exist. last_i: its last word is here
//   others       answers to requests, as of ow_core
`include "ow_assert.svh"

module ow_core_serial_steps
  import ow_core_pkg::*;
  import ow_core_serial_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_i,
  input  logic   core_rst_i,
  /* verilator lint_off UNUSEDSIGNAL */ // operands
  input  dec_t   dec_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic   illegal_i,
  input  logic   away_i,
  input  logic   counts_i,
  input  logic   sets_i,
  input  logic   cycle_i,
  input  logic   high_i,
  input  logic   odd_i,
  input  logic   none_i,
  input  logic   zero_i,
  input  logic   run_i,
  input  logic   granted_i,
  input  logic   regs_i,
  input  logic   misplaced_i,
  input  logic   stack_i,
  input  logic   low_i,
  input  logic   taken_i,
  input  logic   negative_i,
  input  logic   correct_i,
  input  logic   minus_i,
  input  logic   no_dsr_i,
  input  logic   last_i,
  input  logic   mmio_rvalid_i,
  input  logic   next_ready_i,
  input  logic   tensor_ready_i,
  input  logic   tensor_quick_i,
  input  logic   tensor_sync_done_i,
  input  logic   tensor_hold_i,
  input  logic   sync_i,            // a tensor instruction for thread 0
  input  logic   dsr_ready_i,
  input  logic   dsr_rvalid_i,
  output steps_t step_o
);

  steps_t s, d;

  // Classes of instructions.
  logic alu, branch, jump, load, store, csr, muldiv, tensor, dsr, dsrl, next;
  assign alu = dec_i.cls == CLS_ALU;
  assign branch = dec_i.cls == CLS_BRANCH;
  assign jump = dec_i.cls inside {CLS_JAL, CLS_JALR};
  assign load = dec_i.cls inside {CLS_LOAD, CLS_DSRL};
  assign store = dec_i.cls == CLS_STORE;
  assign csr = dec_i.cls == CLS_CSR;
  assign muldiv = dec_i.cls == CLS_MULDIV;
  assign tensor = dec_i.cls == CLS_TENSOR;
  assign dsr = dec_i.cls inside {CLS_DSRW, CLS_DSRR};
  assign dsrl = dec_i.cls == CLS_DSRL;
  assign next = dec_i.cls == CLS_NEXT;

  logic compares, shifts, adds, lui, inverts;  // of the ALU
  assign compares = alu && dec_i.alu_op[2:1] == 2'b01;
  assign shifts = alu && dec_i.alu_op[1:0] == 2'b01;
  assign adds = alu && !compares && !shifts;
  assign lui = alu && dec_i.a_sel == A_ZERO;
  assign inverts = branch || compares || (alu && dec_i.alu_op == ALU_SUB);

  logic goes, leaves, answered, bound, dsr_done, launched;
  assign goes = s[S_DECODE] && !illegal_i && !counts_i;
  assign leaves = s[S_FETCH] && (granted_i || (run_i && away_i));
  assign answered = s[S_LOAD] && (!regs_i || mmio_rvalid_i);
  assign bound = s[S_TARGET] && !odd_i;
  assign dsr_done = dec_i.cls == CLS_DSRR ? dsr_rvalid_i : run_i && dsr_ready_i;
  assign launched = tensor_ready_i || (run_i && tensor_quick_i);

  always_comb begin
    d = '0;
    d[S_BOOT] = s[S_RESET];
    d[S_CLEAR] = s[S_BOOT] || (s[S_CLEAR] && !zero_i);
    d[S_ZERO] = s[S_CLEAR] && zero_i;
    d[S_FILL] = s[S_ZERO] || (s[S_FILL] && !zero_i);
    d[S_ONES] = s[S_FILL] && zero_i;

    d[S_BACK] = s[S_ONES] || (s[S_TENSOR] && !launched && !run_i) || (s[S_DSR] && no_dsr_i) ||
                (s[S_DSR] && !dsr_done && !run_i) || (s[S_WAIT] && !run_i);
    d[S_FOUR] = (s[S_WRITE] && csr && !sets_i) || (s[C_PUT] && !cycle_i) ||
                (s[Y_PUT] && high_i) || s[Y_DONE];
    d[S_NEXT] = s[S_BACK] || s[S_FOUR] || (s[S_WRITE] && !csr);
    d[S_START] = s[S_NEXT] || (s[S_HALT] && run_i) || (bound && branch) || (s[T_GO] && !none_i);
    d[S_HALT] = !run_i && (s[S_START] || s[S_HALT] || s[S_FETCH]);
    d[S_FETCH] = run_i && (s[S_START] || (s[S_FETCH] && !leaves));
    d[S_DATA] = leaves;
    d[S_DECODE] = s[S_DATA] || s[S_COUNT_DONE] ||
                  (goes && dec_i.cls == CLS_FENCEI && tensor_hold_i);
    d[S_COUNT_LOW] = s[S_DECODE] && !illegal_i && counts_i;
    d[S_COUNT_SUM] = s[S_COUNT_LOW];
    d[S_COUNT_HIGH] = s[S_COUNT_SUM];
    d[S_COUNT_CARRY] = s[S_COUNT_HIGH];
    d[S_COUNT_DONE] = s[S_COUNT_CARRY];

    d[S_OPERAND] = goes && ((alu && !dec_i.b_imm) || branch || muldiv || tensor || dsr);
    d[S_INVERTED] = (goes && compares && dec_i.b_imm) || (s[S_OPERAND] && inverts);
    d[S_ALU] = (goes && ((alu && dec_i.b_imm && !lui && !compares) || jump || load || store)) ||
               (s[S_OPERAND] && alu && !inverts) || s[S_INVERTED] || s[S_MORE];
    d[S_LESS] = s[S_ALU] && (branch || compares);
    d[S_SHIFTED] = s[S_ALU] && shifts;
    d[S_SHIFT] = s[S_SHIFTED] || (s[S_SHIFT] && !zero_i);
    d[S_STACK] = (goes && lui) || (s[S_ALU] && adds && stack_i) || (s[S_LESS] && alu) ||
                 (s[S_SHIFT] && zero_i);
    d[S_WRITE] = (goes && dec_i.cls inside {CLS_FENCE, CLS_MRET}) ||
                 (goes && dec_i.cls == CLS_FENCEI && !tensor_hold_i) ||
                 (s[S_STACK] && !low_i) || (s[S_ALU] && adds && !stack_i) ||
                 (s[S_LESS] && branch && !taken_i) || s[S_LINK] ||
                 (s[S_ACCESS] && granted_i && store) || (answered && dec_i.funct3[1] && !dsrl) ||
                 (s[S_ALIGN] && zero_i) || (s[M_OUT] && zero_i) ||
                 (s[M_SHIFT] && zero_i && dec_i.funct3[1:0] != 2'd0 && !correct_i) ||
                 (s[D_SIGN] && !minus_i) || s[S_INVERT] ||
                 (s[S_TENSOR] && launched && !(sync_i && !tensor_quick_i && !tensor_sync_done_i)) ||
                 (s[S_SYNC] && tensor_sync_done_i) || (s[S_DSR] && !no_dsr_i && dsr_done && (last_i || !dsrl)) ||
                 (s[S_WAIT] && run_i && next_ready_i && !next) || s[C_HIGH];

    d[S_BRANCH] = s[S_LESS] && branch && taken_i;
    d[S_TARGET] = (s[S_ALU] && jump) || s[S_BRANCH] || s[S_TASK];
    d[S_LINK] = bound && !branch;

    d[S_CHECK] = s[S_ALU] && (load || store);
    d[S_ACCESS] = (s[S_CHECK] && !misplaced_i) || (s[S_ACCESS] && !granted_i);
    d[S_LOAD] = (s[S_ACCESS] && granted_i && load) || (s[S_LOAD] && !answered);
    d[S_ALIGN] = (answered && !dec_i.funct3[1]) || (s[S_ALIGN] && !zero_i);

    d[S_MULDIV] = s[S_OPERAND] && muldiv;
    d[M_IN] = (s[S_MULDIV] && !dec_i.funct3[2]) || (s[M_IN] && !zero_i);
    d[M_ADD] = (s[M_IN] && zero_i) || (s[M_SHIFT] && !zero_i);
    d[M_SHIFT] = s[M_ADD];
    d[M_OUT] = (s[M_SHIFT] && zero_i && dec_i.funct3[1:0] == 2'd0) || (s[M_OUT] && !zero_i);
    d[M_LESS] = s[M_SHIFT] && zero_i && correct_i;
    d[M_INVERT] = s[M_LESS];
    d[M_SUM] = s[M_INVERT];
    d[D_DIVISOR] = s[S_MULDIV] && dec_i.funct3[2];
    d[D_KEEP] = s[D_DIVISOR];
    d[D_DIVIDEND] = s[D_KEEP];
    d[D_NEGATE] = s[D_DIVIDEND] && negative_i;
    d[D_INVERT] = s[D_NEGATE];
    d[D_IN] = (s[D_DIVIDEND] && !negative_i) || s[D_INVERT] || (s[D_IN] && !zero_i);
    d[D_SHIFT] = (s[D_IN] && zero_i) || (s[D_TAKE] && !zero_i);
    d[D_SUB] = s[D_SHIFT];
    d[D_TAKE] = s[D_SUB];
    d[D_LAST] = s[D_TAKE] && zero_i && !dec_i.funct3[1];
    d[D_OUT] = s[D_LAST] || (s[D_OUT] && !zero_i);
    d[D_SIGN] = (s[D_TAKE] && zero_i && dec_i.funct3[1]) || (s[D_OUT] && zero_i);
    d[D_MINUS] = s[D_SIGN] && minus_i;
    d[S_INVERT] = s[D_MINUS] || s[M_SUM];

    d[S_TENSOR] = (s[S_OPERAND] && tensor) || (s[S_TENSOR] && !launched && run_i);
    d[S_SYNC] = (s[S_TENSOR] && launched && sync_i && !tensor_quick_i && !tensor_sync_done_i) ||
                (s[S_SYNC] && !tensor_sync_done_i);
    d[S_DSR] = (s[S_OPERAND] && dsr) || (answered && dsrl) ||
               (s[S_DSR] && !no_dsr_i && !dsr_done && run_i);
    d[S_MORE] = s[S_DSR] && !no_dsr_i && dsr_done && dsrl && !last_i;
    d[S_WAIT] = (goes && dec_i.cls inside {CLS_WFI, CLS_NEXT}) ||
                (s[S_WAIT] && run_i && !next_ready_i);
    d[S_TASK] = s[S_WAIT] && run_i && next_ready_i && next;

    d[C_OPERAND] = goes && csr;
    d[C_KEEP] = s[C_OPERAND];
    d[C_OLD] = s[C_KEEP];
    d[C_HIGH] = s[C_OLD];
    d[C_NEW] = s[S_WRITE] && csr && sets_i;
    d[C_CLEAR] = s[C_NEW] && dec_i.funct3[1:0] == 2'd3;
    d[C_PUT] = (s[C_NEW] && dec_i.funct3[1:0] != 2'd3) || s[C_CLEAR];
    d[Y_NOW] = s[C_PUT] && cycle_i;
    d[Y_CARRY] = s[Y_NOW];
    d[Y_LESS] = s[Y_CARRY];
    d[Y_SUM] = s[Y_LESS];
    d[Y_PUT] = s[Y_SUM];
    d[Y_BORROW] = s[Y_PUT] && !high_i;
    d[Y_HIGH] = s[Y_BORROW];
    d[Y_DONE] = s[Y_HIGH];

    d[T_PC] = (s[S_DECODE] && away_i) || (goes && dec_i.cls == CLS_EBREAK);
    d[T_VALUE] = (s[S_DECODE] && illegal_i && !away_i) || (goes && dec_i.cls == CLS_ECALL) ||
                 s[T_PC] || (s[S_STACK] && low_i) || (s[S_TARGET] && odd_i) ||
                 (s[S_CHECK] && misplaced_i);
    d[T_FROM] = s[T_VALUE];
    d[T_CAUSE] = s[T_FROM];
    d[T_WHY] = s[T_CAUSE];
    d[T_VECTOR] = s[T_WHY];
    d[T_GO] = s[T_VECTOR];
    d[T_NO_VECTOR] = s[T_GO] && none_i;
    d[T_STOPS] = s[T_NO_VECTOR];
    d[S_STOPPED] = s[T_STOPS] || s[S_STOPPED];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || core_rst_i) s <= steps_t'(1) << S_RESET;
    else s <= d;
  end
  assign step_o = s;

  `OW_ASSERT(OneStep_A, $onehot0(s), "the core is in one step")
  `OW_ASSERT(OneNext_A, s == '0 || $onehot(d), "a step leads to one")  // in none before a reset

endmodule
