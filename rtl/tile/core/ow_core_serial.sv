// SPDX-License-Identifier: Apache-2.0
// The scalar core for area instead of speed. It does what ow_core promises (ports, instructions,
// CSRs, traps and limits), one instruction after the other, step after step.
//
// One memory (ow_core_serial_words) keeps general registers, CSRs and the address of the
// instruction. The word read from it is one operand of the adder and of the logic; the accumulator
// is the other, and takes all results. A register after the accumulator only shifts; products and
// quotients go through the two. Steps are a bit each (ow_core_serial_steps).
//
// Instructions come through the port of loads and stores (dmem), a word each. So ifetch is quiet
// and fence.i has nothing to discard. Code that is written before its fetch is granted is executed.
//
// Cycles, with a memory that grants at once:
//   7    arithmetic with an immediate value, lui; 8 of registers, sub 9, slti 10, slt 11; 1 more if
//        it sets the stack pointer
//   10   shifts with an immediate value, 11 with a register; 1 more for each place
//   9    jumps; branches 10
//   10   loads; of a byte or half-word 1 more, and 1 for each place that it moves down; stores 9
//   136  mul; others 104, mulh by a negative number 108; divisions 174 to 178, remainders 141 to
//        145
//   11   csr* that only read; others 13 or 14, those of mcycle 18 to 22
//   8    ow.dsrw and ow.dsrr; ow.dsrl 41; a tensor instruction 9; ow.next 5 from the cycle in which a task is ready
// A trap takes 7 after the step that finds it. Every 16 instructions, and before a CSR access, 6 go
// by as retired instructions are counted. Out of a reset the core takes 72. An instruction begins
// with its fetch and then finishes whatever run_i does, except one that waits for the engine or for
// a task. run_i takes effect a cycle later.
//
// Ports are those of ow_core. A read of the cycle count gives cycle_i of 3 cycles before retire_o.

`include "ow_assert.svh"

module ow_core_serial
  import ow_pkg::*;
  import ow_core_pkg::*;
  import ow_core_serial_pkg::*;
#(
  parameter int unsigned SramBytes = MINI_SRAM_BYTES,
  parameter int unsigned Dsrs = 16
) (
  input  logic         clk_i,
  input  logic         rst_i,

  input  logic         run_i,
  input  logic         core_rst_i,
  input  logic [31:0]  boot_pc_i,
  input  logic [23:0]  stack_limit_i,
  input  logic [23:0]  text_limit_i,
  output logic         issue_o,

  output logic [31:0]  pc_o,
  output logic         stopped_o,
  output logic         stop_ebreak_o,
  output logic [4:0]   cause_o,
  output logic [31:0]  tval_o,
  output logic         asleep_o,
  output logic         wait_tensor_o,

  output logic         dmem_req_o,
  output logic         dmem_we_o,
  output logic [3:0]   dmem_be_o,
  output logic [23:0]  dmem_addr_o,
  output logic [31:0]  dmem_wdata_o,
  input  logic         dmem_gnt_i,
  input  logic         dmem_rvalid_i,
  input  logic [31:0]  dmem_rdata_i,

  output logic         mmio_req_o,
  output logic         mmio_we_o,
  output logic [15:0]  mmio_addr_o,
  output logic [31:0]  mmio_wdata_o,
  input  logic         mmio_gnt_i,
  input  logic         mmio_rvalid_i,
  input  logic [31:0]  mmio_rdata_i,

  input  logic         next_ready_i,
  input  logic [31:0]  next_entry_i,   // of the task that was taken in the cycle before
  input  logic [31:0]  next_arg_i,
  output logic         next_pop_o,
  output logic         next_wait_o,

  output logic         tensor_here_o,
  output logic         tensor_valid_o,
  output tensor_insn_t tensor_o,
  input  logic         tensor_ready_i,
  input  logic         tensor_quick_i,
  input  logic         tensor_sync_done_i,
  input  logic         tensor_hold_i,

  output logic         dsr_we_o,
  output logic         dsr_re_o,
  output logic [4:0]   dsr_idx_o,
  output logic [2:0]   dsr_word_o,
  output logic [31:0]  dsr_wdata_o,
  input  logic         dsr_ready_i,
  input  logic         dsr_rvalid_i,
  input  logic [31:0]  dsr_rdata_i,

  input  logic [47:0]  cycle_i,
  output retire_t      retire_o,
  output logic         idle_o
);

  `OW_ASSERT_INIT(SramBytesRange_A, SramBytes >= 64 && SramBytes % 64 == 0 && SramBytes <= 2**23)

  localparam logic [4:0] STACK_REG = 5'd2;
  localparam logic [4:0] ARG_REG = 5'd10;
  localparam int unsigned SramW = $clog2(SramBytes);

  logic [31:0] a_q, a_d;         // the accumulator
  logic [31:0] l_q;              // the register after it, which only shifts
  logic [31:0] pc_q, insn_q;
  logic        away_q;           // the instruction is not in memory
  logic        again_q;          // it is fetched again, to trap
  logic        carry_q, second_q;
  logic [4:0]  count_q;          // steps left
  logic [4:0]  retired_q;        // instructions that are not in minstret yet
  logic [4:0]  cause_q;
  logic        regs_q;           // the access is one to a tile register
  logic [2:0]  dsr_word_q;       // the next word of ow.dsrl
  logic        mie_q, mpie_q;
  logic [2:0]  ie_q;             // mie: bits 11, 7, 3 (no source is connected to them)
  logic [15:0] cycle_high_q;
  logic        negative_q, negative_2_q, minus_q;

  steps_t      s;
  logic [31:0] r;                // what was read of the memory

  // -------------------------------------------------------------------------- instruction ----
  dec_t        dec;
  logic [2:0]  f3;
  logic [4:0]  word;             // of the CSR
  logic        csr_exists, sets, is_cycle, is_count, high, illegal;

  ow_core_decode u_decode (.valid_i(1'b1), .insn_i(insn_q), .dec_o(dec));
  assign f3 = dec.funct3;
  assign word = csr_word(insn_q[31:20]);
  assign is_cycle = word[4] && word[3:0] inside {4'd0, 4'd4};
  assign is_count = word[4] && word[3:0] inside {4'd2, 4'd6};
  assign high = word[2];
  assign sets = !(f3[1] && dec.rs1 == 5'd0);

  always_comb begin
    unique case (insn_q[31:20])
      CSR_MSTATUS, CSR_MISA, CSR_MIE, CSR_MTVEC, CSR_MSCRATCH, CSR_MEPC, CSR_MCAUSE, CSR_MTVAL, CSR_MIP,
      CSR_MCYCLE, CSR_CYCLE, CSR_MCYCLEH, CSR_CYCLEH, CSR_MINSTRET, CSR_INSTRET, CSR_MINSTRETH,
      CSR_INSTRETH, CSR_MVENDORID, CSR_MARCHID, CSR_MIMPID, CSR_MHARTID: csr_exists = 1'b1;
      default: csr_exists = 1'b0;
    endcase
  end
  assign illegal = dec.cls == CLS_ILLEGAL || again_q ||
                   (dec.cls == CLS_CSR && !(csr_exists && !(insn_q[31:30] == 2'd3 && sets)));

  // -------------------------------------------------------------------------------- steps ----
  logic none, low, taken, misplaced, granted, in_sram, no_dsr, sync;
  logic run_q;
  always_ff @(posedge clk_i) run_q <= run_i && !rst_i;

  ow_core_serial_steps u_steps (
    .clk_i, .rst_i, .core_rst_i,
    .dec_i(dec), .illegal_i(illegal), .away_i(away_q),
    .counts_i(retired_q[4] || (dec.cls == CLS_CSR && retired_q != '0)),
    .sets_i(sets), .cycle_i(is_cycle), .high_i(high),
    .odd_i(a_q[1]), .none_i(none), .zero_i(count_q == '0),
    .run_i(run_q), .granted_i(granted), .regs_i(regs_q), .misplaced_i(misplaced),
    .stack_i(dec.rd == STACK_REG), .low_i(low),
    .taken_i(taken), .negative_i(negative_q), .correct_i(f3[1:0] == 2'd1 && negative_2_q),
    .minus_i(minus_q), .no_dsr_i(no_dsr), .last_i(dsr_word_q == LAST_WORD), .mmio_rvalid_i, .next_ready_i,
    .tensor_ready_i, .tensor_quick_i, .tensor_sync_done_i, .tensor_hold_i, .sync_i(sync),
    .dsr_ready_i, .dsr_rvalid_i, .step_o(s)
  );

  ow_core_serial_words u_words (
    .clk_i, .step_i(s), .dec_i(dec), .away_i(away_q), .csr_i(word),
    .plain_i(!(word inside {CSR_WORD_MSTATUS, CSR_WORD_MISA, CSR_WORD_MIE, CSR_WORD_MIP})),
    .cycle_i(is_cycle), .high_i(high), .count_i(count_q), .data_i(a_q), .data_o(r)
  );

  // ---------------------------------------------------------------------------- the adder ----
  logic [31:0] sum;
  logic        carry, carry_in, adds;
  logic        subtracts;        // the second operand is inverted
  logic        product;          // the multiplicand is added
  logic        fits;             // the divisor is subtracted
  assign subtracts = dec.cls == CLS_BRANCH || dec.alu_op == ALU_SUB || dec.alu_op[3:1] == 3'b001;
  assign carry_in = (s[S_ALU] && subtracts) || s[D_SUB] || s[D_TAKE] || s[Y_CARRY] ||
                    (s[Y_SUM] && high && !carry_q) ||
                    ((s[C_HIGH] || s[Y_BORROW] || s[S_COUNT_CARRY]) && carry_q) || (s[Y_HIGH] && second_q);
  assign {carry, sum} = 33'(({1'b0, r, 1'b1} + {1'b0, a_q, carry_in}) >> 1);
  assign product = s[M_ADD] && l_q[0];
  assign fits = s[D_TAKE] && second_q;

  logic less, is_signed;         // rs1 is less than the second operand, which is inverted
  assign is_signed = dec.cls == CLS_BRANCH ? !f3[1] : !f3[0];
  assign less = is_signed && r[31] == a_q[31] ? r[31] : !carry;
  assign none = a_q == '0;
  assign taken = (f3[2] ? carry_q : none) ^ f3[0];

  always_ff @(posedge clk_i) begin
    if (s[S_ALU]) carry_q <= less;
    else if (s[D_SHIFT]) carry_q <= a_q[31];
    else if (s[M_ADD]) carry_q <= f3[1:0] == 2'd3 ? l_q[0] && carry : a_q[31] ^ (l_q[0] && (r[31] ^ carry));
    else if (s[C_OLD] || s[Y_CARRY] || s[S_COUNT_SUM]) carry_q <= carry;
    if (s[D_SUB] || s[Y_SUM]) second_q <= carry || (s[D_SUB] && carry_q);
    if (s[S_MULDIV]) begin
      negative_q <= r[31] && !f3[0];
      negative_2_q <= a_q[31] && f3[0] != f3[2];
    end
    if (s[D_DIVISOR]) minus_q <= f3[1] ? negative_q : negative_q != negative_2_q && !none;
  end

  assign adds = (s[S_ALU] && !dec.alu_op[2] && dec.alu_op[1:0] != 2'b01) || s[S_BRANCH] || s[S_LINK] ||
                s[S_NEXT] || product || fits || s[M_SUM] || (s[D_DIVISOR] && negative_2_q) ||
                s[D_NEGATE] || s[D_MINUS] || (s[C_OLD] && is_cycle && !high) ||
                (s[C_HIGH] && is_cycle && high) || s[Y_SUM] || s[Y_BORROW] || s[Y_HIGH] ||
                s[S_COUNT_SUM] || s[S_COUNT_CARRY] || s[T_PC] || s[T_FROM] || s[T_VECTOR] ||
                s[T_NO_VECTOR];

  // ---------------------------------------------------------------------------- the logic ----
  typedef enum logic [1:0] {F_NONE = 2'd0, F_XOR = 2'd1, F_OR = 2'd2, F_AND = 2'd3} f_e;
  f_e f, f_low, f_mid;           // f_low, f_mid: of bits 1 and 0, of bits 30 to 5
  logic xors, ors, logical;
  assign logical = s[S_ALU] && dec.alu_op[2];
  assign xors = s[S_OPERAND] || s[S_INVERTED] || s[S_SHIFTED] || (s[C_OPERAND] && !f3[2]) ||
                (s[C_OLD] && !is_cycle) || (s[C_NEW] && !f3[1]) || s[C_CLEAR] || s[Y_NOW] || s[Y_LESS] ||
                (s[D_DIVISOR] && !negative_2_q) || s[D_DIVIDEND] || s[D_INVERT] || s[S_INVERT] ||
                s[M_INVERT] || (logical && dec.alu_op[1:0] inside {2'b00, 2'b11});
  assign ors = (s[C_NEW] && f3[1]) || (logical && dec.alu_op[1]);
  assign f = f_e'({ors, xors});
  // Bits that a CSR does not have read as 0.
  logic puts;
  assign puts = s[C_NEW] || s[C_CLEAR];
  assign f_low = puts && word inside {WORD_MTVEC, WORD_MEPC} ? F_NONE : f;
  assign f_mid = puts && word == WORD_MCAUSE ? F_NONE : f;

  function automatic logic logic_of(input logic x, input logic y, input f_e op);
    unique case (op)
      F_XOR: return x ^ y;
      F_OR: return x | y;
      F_AND: return x & y;
      default: return 1'b0;
    endcase
  endfunction

  logic [31:0] combined;
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      combined[i] = logic_of(r[i], a_q[i], i < 2 ? f_low : i >= 5 && i < 31 ? f_mid : f);
    end
  end

  // --------------------------------------------------------------------- immediate values ----
  logic        i_imm, s_imm, b_imm, u_imm, j_imm, z_imm;
  logic        sign;             // of the immediate value, or of what was loaded
  logic        fills, bytes;     // that, of a half-word or byte; of a byte
  logic [31:0] imm;
  assign i_imm = s[S_DECODE] && (dec.cls inside {CLS_LOAD, CLS_JALR} ||
                                 (dec.cls == CLS_ALU && dec.b_imm && dec.use_1));
  assign s_imm = s[S_DECODE] && dec.cls == CLS_STORE;
  assign b_imm = s[S_LESS] && dec.cls == CLS_BRANCH;
  assign u_imm = s[S_DECODE] && dec.cls == CLS_ALU && !dec.use_1;
  assign j_imm = s[S_DECODE] && dec.cls == CLS_JAL;
  assign z_imm = s[S_DECODE] && dec.cls == CLS_CSR && f3[2];
  assign fills = s[S_ALIGN] && count_q == '0;
  assign bytes = !f3[0];
  assign sign = (insn_q[31] && (i_imm || s_imm || b_imm || j_imm)) ||
                (fills && !f3[2] && (bytes ? a_q[7] : a_q[15]));

  always_comb begin
    imm = '0;
    imm[31:20] = {12{sign}} | (insn_q[31:20] & {12{u_imm}});
    imm[19:12] = ({8{sign && !j_imm}}) | (insn_q[19:12] & {8{u_imm || j_imm}});
    imm[11] = (sign && !j_imm && !b_imm) || (insn_q[7] && b_imm) || (insn_q[20] && j_imm);
    imm[10:5] = (insn_q[30:25] & {6{i_imm || s_imm || b_imm || j_imm}}) | {{3{fills && sign}}, 3'd0};
    imm[4:1] = (insn_q[24:21] & {4{i_imm || j_imm}}) | (insn_q[11:8] & {4{s_imm || b_imm}}) |
               (insn_q[19:16] & {4{z_imm}});
    imm[0] = (insn_q[20] && i_imm) || (insn_q[7] && s_imm) || (insn_q[15] && z_imm);
  end

  // ------------------------------------------------------------------------ the accumulator ----
  logic        right, left, in_31, in_0, four;
  logic [31:0] special;
  logic        shifts;
  assign shifts = s[S_SHIFT] && count_q != '0;
  assign right = (shifts && dec.alu_op[2]) || (s[S_ALIGN] && !fills) || s[M_IN] || s[M_SHIFT] ||
                 s[M_OUT] || s[S_FILL];
  assign left = (shifts && !dec.alu_op[2]) || s[D_IN] || s[D_SHIFT] || s[D_LAST] || s[D_OUT];
  assign in_31 = (shifts && dec.alu_op[3] && a_q[31]) || (s[M_SHIFT] && carry_q) ||
                 (s[M_OUT] && l_q[0]) || s[S_FILL];
  assign in_0 = (s[D_SHIFT] || s[D_LAST] || s[D_OUT]) && l_q[0];
  assign four = s[S_FOUR] || (s[S_TARGET] && dec.cls != CLS_NEXT) ||
                (s[S_WRITE] && !(dec.cls inside {CLS_JAL, CLS_JALR, CLS_MRET, CLS_NEXT, CLS_CSR}));

  // CSRs that are in no word of the memory.
  logic old_status, old_misa, old_mie;
  assign old_status = s[C_OLD] && word == CSR_WORD_MSTATUS;
  assign old_misa = s[C_OLD] && word == CSR_WORD_MISA;
  assign old_mie = s[C_OLD] && word == CSR_WORD_MIE;
  always_comb begin
    special = (MISA_VALUE & {32{old_misa}}) | ({30'h0000_0600, 2'd0} & {32{old_status}});
    special[3] |= (mie_q && old_status) || (ie_q[0] && old_mie);
    special[7] |= (mpie_q && old_status) || (ie_q[1] && old_mie);
    special[11] |= ie_q[2] && old_mie;
    special[4:0] |= (cause_q & {5{s[T_CAUSE]}}) | (retired_q & {5{s[S_COUNT_LOW]}});
    special[4:2] |= dsr_word_q & {3{s[S_MORE]}};
    special[2] |= four;
    special[0] |= s[S_LESS] && dec.cls == CLS_ALU && carry_q;
  end

  logic from_dmem, from_mmio, from_dsr, from_arg, now;
  assign from_dmem = s[S_DATA] || (s[S_LOAD] && !regs_q);
  assign from_mmio = s[S_LOAD] && regs_q;
  assign from_dsr = s[S_DSR] && dec.cls == CLS_DSRR;
  assign from_arg = s[S_WAIT];
  assign now = s[C_KEEP] && is_cycle;

  always_comb begin
    a_d = (sum & {32{adds}}) | combined | imm | special;
    a_d |= {in_31, a_q[31:1] & {31{right}}} | {a_q[30:0] & {31{left}}, in_0};
    a_d |= (dmem_rdata_i & {32{from_dmem}}) | (mmio_rdata_i & {32{from_mmio}}) |
           (dsr_rdata_i & {32{from_dsr}}) | (next_arg_i & {32{from_arg}}) |
           ({next_entry_i[31:2], 2'd0} & {32{s[S_TASK]}}) |
           ({boot_pc_i[31:2], 2'd0} & {32{s[S_RESET]}}) | (cycle_i[31:0] & {32{now}});
    a_d[15:0] |= cycle_high_q & {16{high && ((s[C_OLD] && is_cycle) || s[Y_CARRY])}};
    if (s[S_ALU] && dec.cls == CLS_JALR) a_d[0] = 1'b0;
  end

  logic holds;
  assign holds = s[S_START] || s[S_HALT] || s[S_FETCH] || (s[S_DECODE] && illegal && !away_q) ||
                 (s[C_OPERAND] && f3[2]) || s[S_STACK] || (s[S_SHIFT] && !shifts) ||
                 (s[S_WRITE] && dec.cls == CLS_CSR && f3[1]) ||
                 (s[S_TARGET] && (a_q[1] || dec.cls == CLS_BRANCH)) || s[S_CHECK] || s[S_ACCESS] ||
                 s[S_MULDIV] || (s[M_ADD] && !product) || s[M_LESS] || s[D_SUB] ||
                 (s[D_TAKE] && !fits) || s[D_SIGN] ||
                 (s[S_DSR] && dec.cls != CLS_DSRR) || s[S_TENSOR] || s[S_SYNC] ||
                 (s[C_HIGH] && !(is_cycle && high)) || (s[Y_CARRY] && !high) || s[T_GO] || s[T_STOPS] ||
                 s[S_STOPPED];

  always_ff @(posedge clk_i) begin
    if (!holds) a_q[31:16] <= a_d[31:16];
    if (!holds && !(fills && !bytes)) a_q[15:8] <= a_d[15:8];
    if (!holds && !fills) a_q[7:0] <= a_d[7:0];
    if (s[C_KEEP]) cycle_high_q <= cycle_i[47:32];
    if (s[M_IN] || s[M_SHIFT] || s[M_OUT] || s[D_IN] || s[D_SHIFT] || s[D_LAST] || s[D_OUT]) begin
      l_q <= {s[M_IN] || s[M_SHIFT] ? a_q[0] : s[D_IN] ? a_q[31] : second_q, l_q[31:1]};
    end
    if (s[S_BOOT] || s[S_START]) pc_q <= a_q;
    if (s[S_START]) away_q <= !in_sram;
    if (s[S_DATA]) insn_q <= away_q ? '0 : dmem_rdata_i;
  end

  // The counter wraps: 32 steps from 31 on leave it at 31.
  always_ff @(posedge clk_i) begin
    if (s[S_RESET] || s[S_MULDIV]) count_q <= 5'd31;
    else if (s[S_ALU]) count_q <= a_q[4:0];
    else if (s[S_CHECK]) count_q <= {a_q[1:0], 3'd0};
    else if (s[S_CLEAR] || s[S_FILL] || shifts || (s[S_ALIGN] && !fills) || s[M_IN] || s[M_SHIFT] ||
             s[M_OUT] || s[D_IN] || s[D_TAKE] || s[D_OUT]) count_q <= count_q - 5'd1;
  end

  // ---------------------------------------------------------------------- loads and stores ----
  logic in_regs, in_text, misaligned, store, dsrl, no_words;
  logic [4:0] access_cause;
  assign store = dec.cls == CLS_STORE;
  assign in_sram = a_q < SramBytes;
  assign in_regs = a_q[31:12] == TILE_REGS[31:12] && a_q[11:0] < 12'(TILE_REGS_BYTES) && f3[1] && !dsrl;
  // No word of a descriptor is loaded if one cannot be.
  assign dsrl = dec.cls == CLS_DSRL;
  assign no_words = dsrl && dsr_word_q == '0 && a_q >= 32'(SramBytes - 4 * 32'(LAST_WORD));
  assign in_text = store && in_sram && (a_q[SramW-1:0] < text_limit_i[SramW-1:0] ||
                                        text_limit_i >> SramW != '0);
  assign misaligned = (f3[0] && a_q[0]) || (f3[1] && a_q[1:0] != 2'd0);
  assign misplaced = misaligned || in_text || no_words || !(in_sram || in_regs);
  always_comb begin
    if (in_text) access_cause = TRAP_TEXT;
    else if (store) access_cause = misaligned ? TRAP_STORE_MISALIGNED : TRAP_STORE_FAULT;
    else access_cause = misaligned ? TRAP_LOAD_MISALIGNED : TRAP_LOAD_FAULT;
  end
  // A sum that wrapped around below 0 is below the limit, too.
  assign low = dec.rd == STACK_REG && stack_limit_i != '0 &&
               (a_q[31] || a_q < {8'd0, stack_limit_i});

  always_ff @(posedge clk_i) begin
    if (s[S_CHECK]) regs_q <= in_regs;
    if (s[S_DECODE]) dsr_word_q <= '0;
    else if (dsr_we_o && dsr_ready_i) dsr_word_q <= dsr_word_q + 3'd1;
  end

  assign dmem_req_o = ((s[S_FETCH] && run_q && !away_q) || (s[S_ACCESS] && !regs_q)) && !core_rst_i;
  assign dmem_we_o = s[S_ACCESS] && store;
  assign dmem_be_o = (f3[1] ? 4'b1111 : f3[0] ? 4'b0011 : 4'b0001) << a_q[1:0];
  assign dmem_addr_o = {a_q[23:2], 2'd0};
  assign dmem_wdata_o = f3[1] ? r : f3[0] ? {2{r[15:0]}} : {4{r[7:0]}};
  assign mmio_req_o = s[S_ACCESS] && regs_q && !core_rst_i;
  assign mmio_we_o = store;
  assign mmio_addr_o = {4'd0, a_q[11:0]};
  assign mmio_wdata_o = r;
  assign granted = (dmem_gnt_i && dmem_req_o) || (mmio_gnt_i && mmio_req_o);

  // --------------------------------------------------------------------- engine and tasks ----
  /* verilator lint_off UNUSEDSIGNAL */ // the engine has the rest
  tensor_ctl_t ctl;
  /* verilator lint_on UNUSEDSIGNAL */
  logic here;                    // and may go on
  assign ctl = r;
  assign sync = ctl.thread == '0;
  assign here = run_q && !core_rst_i;
  assign no_dsr = {1'b0, r[4:0]} > 6'(Dsrs - 1);
  assign tensor_here_o = s[S_TENSOR];
  assign tensor_valid_o = s[S_TENSOR] && (run_q || tensor_ready_i) && !core_rst_i;
  assign tensor_o = '{op: insn_q[31:25], ty: f3, ctl: ctl, scalar: a_q, pc: pc_q};
  assign dsr_we_o = s[S_DSR] && dec.cls != CLS_DSRR && here && !no_dsr;
  assign dsr_re_o = s[S_DSR] && dec.cls == CLS_DSRR && here && !no_dsr;
  assign dsr_idx_o = r[4:0];
  assign dsr_word_o = dsrl ? dsr_word_q : insn_q[27:25];
  assign dsr_wdata_o = a_q;
  assign next_wait_o = s[S_WAIT] && dec.cls == CLS_NEXT && here;
  assign next_pop_o = next_wait_o && next_ready_i;

  // -------------------------------------------------------------------- traps, what retires ----
  logic [4:0] decode_cause;
  logic       retires, traps;
  always_comb begin
    unique case (dec.cls)
      CLS_ECALL: decode_cause = TRAP_ECALL_M;
      CLS_EBREAK: decode_cause = TRAP_BREAKPOINT;
      default: decode_cause = TRAP_ILLEGAL;
    endcase
    if (away_q) decode_cause = TRAP_FETCH_FAULT;
  end
  assign retires = (s[S_WRITE] && dec.cls != CLS_NEXT) || s[S_TASK] ||
                   (s[S_TARGET] && dec.cls == CLS_BRANCH && !a_q[1]);
  assign traps = (s[T_GO] && !none) || s[T_STOPS];
  assign issue_o = retires || traps;

  always_ff @(posedge clk_i) begin
    if (s[S_DECODE]) cause_q <= decode_cause;
    else if (s[S_CHECK]) cause_q <= access_cause;
    else if (s[S_STACK]) cause_q <= TRAP_STACK;
    else if (s[S_TARGET]) cause_q <= TRAP_FETCH_MISALIGNED;
    if (s[S_RESET] || s[T_WHY]) again_q <= 1'b0;
    else if (s[S_DSR] && no_dsr) again_q <= 1'b1;
    if (s[S_RESET] || s[S_COUNT_HIGH]) retired_q <= '0;
    else if (retires && !(dec.cls == CLS_CSR && is_count && sets)) retired_q <= retired_q + 5'd1;
    if (s[S_RESET]) begin
      {mie_q, mpie_q} <= '0;
      ie_q <= '0;
    end else if (s[T_WHY]) begin
      {mie_q, mpie_q} <= {1'b0, mie_q};
    end else if (s[S_WRITE] && dec.cls == CLS_MRET) begin
      {mie_q, mpie_q} <= {mpie_q, 1'b1};
    end else if (s[C_PUT]) begin
      if (word == CSR_WORD_MSTATUS) {mie_q, mpie_q} <= {a_q[3], a_q[7]};
      if (word == CSR_WORD_MIE) ie_q <= {a_q[11], a_q[7], a_q[3]};
    end
  end

  // ------------------------------------------------------------------------------- status ----
  assign pc_o = pc_q;
  assign stopped_o = s[S_STOPPED] || s[T_STOPS];
  assign cause_o = cause_q & {5{stopped_o}};
  assign stop_ebreak_o = cause_o == TRAP_BREAKPOINT;
  assign tval_o = a_q & {32{stopped_o}};
  assign asleep_o = s[S_WAIT] && here && !next_ready_i;
  assign wait_tensor_o = s[S_TENSOR] || s[S_SYNC] || (s[S_DSR] && dec.cls != CLS_DSRR);
  assign idle_o = !core_rst_i && run_i == run_q &&
      ((s[S_HALT] && !run_q) || s[S_STOPPED] || asleep_o || (s[S_SYNC] && !tensor_sync_done_i) ||
       (tensor_valid_o && !tensor_ready_i && !tensor_quick_i) || (dsr_we_o && !dsr_ready_i));

  assign retire_o = '{valid: issue_o, trap: traps, pc: pc_q, insn: insn_q,
                      rd_we: s[S_TASK] || (s[S_WRITE] && dec.rd_we), rd: s[S_TASK] ? ARG_REG : dec.rd,
                      rd_data: a_q, mem_we: s[S_WRITE] && store, mem_addr: a_q, mem_wdata: r};

  logic unused;
  assign unused = ^{boot_pc_i[1:0], next_entry_i[1:0], dmem_rvalid_i, dec.imm, dec.rs2};

  `OW_ASSERT(Answer_A, dmem_rvalid_i == (s[S_DATA] && !away_q || s[S_LOAD] && !regs_q) || core_rst_i ||
             s[S_RESET], "memory answers in the cycle after a grant")
  `OW_ASSERT(NoWriteX0_A, !(s[S_WRITE] && dec.rd_we && dec.rd == 5'd0), "x0 is never written")
  `OW_ASSERT(Launched_A, !tensor_ready_i || core_rst_i || s[S_TENSOR],
             "what the engine has launched goes on, and only that")

endmodule
