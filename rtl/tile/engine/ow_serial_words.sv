// SPDX-License-Identifier: Apache-2.0
// The memory of the serial tensor engine: words 0 to 5 of the descriptors, and words of the
// threads. It has one write port and two read ports, whose data come in the cycle after the
// address. The step of the engine selects what is read and written where.
//
// An address has 24 bits. A longer one is stored as an address outside any memory with the same low
// bits. There are no dimensions 2 and 3: their words read as 0, and more_o says that a length was
// written to one of them.
//
//   step_i       the step
//   thread_i     the thread in hand
//   flags_i, ctl_i, k_i, early_i, ending_i   as of ow_serial
//   dsr_*, insn_i   the core's words
//   sum_i, zero_i   the adder's result; write 0 instead of it
//   ends_i          the element was the last one of its inner vector: its count begins again
//   result_i, half_we_i   the lower half of a pair is kept; index_we_i: the index of a tag moves on
//   r0_o, r1_o   what is read
module ow_serial_words
  import ow_pkg::*;
  import ow_serial_pkg::*;
#(
  parameter int unsigned ThreadW = 2
) (
  input  logic               clk_i,
  input  step_e              step_i,
  input  logic [ThreadW-1:0] thread_i,
  /* verilator lint_off UNUSEDSIGNAL */ // numbers of more descriptors than there are
  input  flags_t             flags_i,
  input  tensor_ctl_t        ctl_i,
  input  opnd_e              k_i,
  input  at_e                at_i,
  input  logic               early_i,
  input  logic               ending_i,
  input  logic               wraps_i,
  input  logic               dsr_we_i,
  input  logic               dsr_re_i,
  input  logic [4:0]         dsr_idx_i,
  input  logic [2:0]         dsr_word_i,
  input  logic [31:0]        dsr_wdata_i,
  input  tensor_insn_t       insn_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [23:0]        sum_i,
  input  logic               zero_i,
  input  logic               ends_i,
  input  logic [31:0]        result_i,
  input  logic               half_we_i,
  input  logic               index_we_i,
  output logic [35:0]        r0_o,
  output logic [35:0]        r1_o,
  output logic               more_o
);

  typedef logic [7:0] addr_t;

  logic [3:0]  number;  // descriptor of the operand in hand
  logic [3:0]  space;   // the descriptor whose lengths count
  addr_t       r0_addr, r1_addr, w_addr;
  logic        w_en;
  logic [35:0] w_data, r0_q, r1_q;
  (* ram_style = "block", no_rw_check *) logic [35:0] mem_q [256];

  always_ff @(posedge clk_i) begin
    if (w_en) mem_q[w_addr] <= w_data;
    r0_q <= mem_q[r0_addr];
    r1_q <= mem_q[r1_addr];
  end
  assign r0_o = r0_q;
  assign r1_o = r1_q;

  logic more_4_q [16];
  logic more_5_q [16];
  always_ff @(posedge clk_i) begin
    if (dsr_we_i && dsr_word_i == DSR_DIM2) more_4_q[dsr_idx_i[3:0]] <= dsr_wdata_i[15:0] != '0;
    if (dsr_we_i && dsr_word_i == DSR_DIM3) more_5_q[dsr_idx_i[3:0]] <= dsr_wdata_i[15:0] != '0;
  end
  assign more_o = more_4_q[number] || more_5_q[number];

  assign number = k_i == OPND_D ? ctl_i.dst[3:0] : k_i == OPND_B ? ctl_i.b[3:0] : ctl_i.a[3:0];
  assign space = flags_i.space_d ? ctl_i.dst[3:0] : ctl_i.a[3:0];

  function automatic addr_t own(input logic [ThreadW-1:0] thread, input logic [3:0] word);
    return {1'b1, 3'(thread), word};
  endfunction

  function automatic addr_t dsr(input logic [3:0] n, input dsr_word_e word);
    return {1'b0, n, word};
  endfunction

  // ------------------------------------------------------------------------------- reads ----
  logic [3:0] saved;    // the operand whose address is saved
  logic       sends;    // dst is the fabric: its index, or the other half
  assign saved = flags_i.save[0] ? 4'(OPND_A) : flags_i.save[1] ? 4'(OPND_B) : 4'(OPND_D);
  assign sends = k_i == OPND_D && at_i == AT_FAB;

  always_comb begin
    r0_addr = own(thread_i, WORD_N0);
    r1_addr = dsr(space, DSR_DIM0);
    unique case (step_i)
      S_PICK: {r0_addr, r1_addr} = {own(thread_i, WORD_FLAGS), own(thread_i, WORD_CTL)};
      L_PC: r1_addr = own(thread_i, WORD_CTL);
      L_LOOK: {r0_addr, r1_addr} = {dsr(number, DSR_ADDRESS), dsr(number, DSR_KIND)};
      L_FIRST: {r0_addr, r1_addr} = {dsr(number, DSR_DIM0), dsr(number, DSR_DIM1)};
      L_SECOND: {r0_addr, r1_addr} = {own(thread_i, 4'(OPND_D)), dsr(number, DSR_DIM1)};
      S_CHECK, S_FLUSH: if (ending_i) r0_addr = own(thread_i, WORD_HALF);
      S_SAVE: r0_addr = own(thread_i, saved);
      W_LOOK, W_TIMES: {r0_addr, r1_addr} = {dsr(ctl_i.a[3:0], DSR_ADDRESS), dsr(ctl_i.a[3:0], DSR_DIM1)};
      W_PLACE: r0_addr = own(thread_i, WORD_ROW);
      R_LOOK: r0_addr = wraps_i ? dsr(ctl_i.dst[3:0], DSR_ADDRESS) : own(thread_i, WORD_ROW);
      S_COUNT: {r0_addr, r1_addr} = {own(thread_i, WORD_N1), dsr(space, DSR_DIM1)};
      S_OPERAND, S_STEP: begin
        r0_addr = own(thread_i, at_i == AT_IMM ? WORD_SCALAR : !sends ? 4'(k_i)
                                : flags_i.tag ? WORD_INDEX : WORD_HALF);
        r1_addr = dsr(number, DSR_DIM0);
      end
      S_OUTER: {r0_addr, r1_addr} = {own(thread_i, 4'(k_i)), dsr(number, DSR_DIM1)};
      S_FAULT_PC: r0_addr = own(thread_i, WORD_PC);
      default: ;
    endcase
    if (step_i == S_IDLE && dsr_re_i) r0_addr = {1'b0, dsr_idx_i[3:0], dsr_word_i};
  end

  // ------------------------------------------------------------------------------- writes ----
  always_comb begin
    w_en = 1'b1;
    w_addr = own(thread_i, 4'(k_i));
    w_data = zero_i ? '0 : {12'd0, sum_i};
    unique case (step_i)
      S_IDLE: begin
        w_en = dsr_we_i;
        w_addr = {1'b0, dsr_idx_i[3:0], dsr_word_i};
        w_data = '0;
        if (!dsr_word_i[2]) w_data[31:0] = dsr_wdata_i;
        if (dsr_word_i == DSR_ADDRESS) begin
          w_data[31:24] = '0;
          if (dsr_wdata_i[31:24] != '0) w_data[23:21] = 3'b011;
        end
      end
      L_CTL: {w_addr, w_data} = {own(thread_i, WORD_CTL), 4'd0, insn_i.ctl};
      L_PC: {w_addr, w_data} = {own(thread_i, WORD_PC), 4'd0, insn_i.pc};
      L_SCALAR: {w_addr, w_data} = {own(thread_i, WORD_SCALAR), 4'd0, insn_i.scalar};
      L_FIRST, S_STEP_OUTER: ;
      L_JUDGE, R_NEXT: w_addr = own(thread_i, WORD_ROW);
      L_FLAGS: {w_addr, w_data} = {own(thread_i, WORD_FLAGS), 36'(flags_i)};
      L_N0, S_COUNT: w_addr = own(thread_i, WORD_N0);
      L_N1: w_addr = own(thread_i, WORD_N1);
      S_COUNT_1: begin
        w_en = ends_i;
        w_addr = own(thread_i, WORD_N1);
      end
      L_INDEX: w_addr = own(thread_i, WORD_INDEX);
      W_PLACE: w_addr = own(thread_i, 4'(OPND_A));
      W_AIM: w_addr = own(thread_i, 4'(OPND_D));
      S_STEP: begin
        w_en = at_i inside {AT_MEM, AT_ACC} ? !early_i : half_we_i || index_we_i;
        if (sends) w_addr = own(thread_i, flags_i.tag ? WORD_INDEX : WORD_HALF);
        if (sends && !flags_i.tag) w_data = 36'(result_i);
      end
      S_SAVED: w_addr = dsr(number, DSR_ADDRESS);
      S_FINISH: begin
        w_en = ends_i;
        w_addr = own(thread_i, WORD_N0);
      end
      default: w_en = 1'b0;
    endcase
  end

  logic unused;
  assign unused = ^{insn_i.op, insn_i.ty};

endmodule
