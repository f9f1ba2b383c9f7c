// SPDX-License-Identifier: Apache-2.0
// Decoder of the serial tensor engine: what a launch finds in an instruction and its descriptors.
// It gets the descriptors one after the other, first the words 0 and 1 of each, then 2 and 3.
// Combinational. The rules are those of ow_engine_decode, for the operations of streamed layers:
// moves, sums, products and casts in binary16 and with binary32 results, and axpyw.
//
//   Lanes, Queues, Dsrs   as the registers tell them
//   insn_i      the instruction
//   opnd_i      the operand of the descriptor: a, b, then dst
//   word0_i, acc_i   its word 0, and whether its address is in the accumulator cache
//   word2_i, word3_i, more_i   its dimensions, and whether it has others
//   flags_i     what is known so far; a_length_i: length of a; a_more_i: a has dimensions beyond
//   op_o        what follows from the operation alone, and whether it is illegal
//   first_o, second_o   what is known with words 0 and 1, with words 2 and 3; *_op_o, *_dsr_o: an
//               illegal operation, a malformed descriptor
//   ring_o      sums for the check of the ring of rows with these words 2 and 3; ow_serial checks
//               them in the next cycle
module ow_serial_decode
  import ow_pkg::*;
  import ow_serial_pkg::*;
#(
  parameter int unsigned Lanes = MINI_LANES,
  parameter int unsigned Queues = 4,
  parameter int unsigned Dsrs = 16
) (
  /* verilator lint_off UNUSEDSIGNAL */ // whole words
  input  tensor_insn_t insn_i,
  input  opnd_e        opnd_i,
  input  dsr0_t        word0_i,
  input  logic         acc_i,
  input  dsr_dim_t     word2_i,
  input  dsr_dim_t     word3_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic         more_i,
  input  flags_t       flags_i,
  input  logic [15:0]  a_length_i,
  input  logic         a_more_i,
  output flags_t       op_o,
  output logic         op_bad_o,
  output flags_t       first_o,
  output logic         first_op_o,
  output logic         first_dsr_o,
  output flags_t       second_o,
  output logic         second_op_o,
  output logic         second_dsr_o,
  output logic [12:0]  ring_o
);

  function automatic logic is32(input logic [2:0] ty);
    return ty == TY_F32 || ty == TY_I32;
  endfunction

  // ---------------------------------------------------------------------------- the operation ----
  always_comb begin
    op_o = '0;
    op_bad_o = 1'b0;
    op_o.a32 = is32(insn_i.ty);
    op_o.d32 = is32(insn_i.ty) || insn_i.ty == TY_MIXED;
    op_o.flt = !(insn_i.ty == TY_I16 || insn_i.ty == TY_I32);
    {op_o.a_at, op_o.b_at, op_o.d_at} = {AT_IMM, AT_IMM, AT_IMM};
    unique case (insn_i.op)
      TOP_MOV: op_bad_o = insn_i.ty == TY_MIXED || insn_i.ty == TY_MIXEDB || insn_i.ty == TY_I8;
      TOP_CVT: begin
        op_o.op = SOP_CVT;
        op_bad_o = insn_i.ty != TY_F16 && insn_i.ty != TY_F32;
      end
      TOP_ADD, TOP_SUB, TOP_MUL: begin
        op_o.op = insn_i.op == TOP_ADD ? SOP_ADD : insn_i.op == TOP_SUB ? SOP_SUB : SOP_MUL;
        op_o.has_b = 1'b1;
        op_bad_o = insn_i.ty != TY_F16;
      end
      TOP_FMA: begin
        op_o.op = SOP_FMA;
        op_o.has_b = 1'b1;
        op_bad_o = insn_i.ty != TY_F16 && insn_i.ty != TY_MIXED;
      end
      TOP_AXPYW: begin
        op_o.op = SOP_FMA;
        op_o.axpyw = 1'b1;
        op_o.has_b = 1'b1;
        op_bad_o = insn_i.ty != TY_MIXED;
      end
      default: op_bad_o = 1'b1;
    endcase
  end

  // ------------------------------------------------------------------------- words 0 and 1 ----
  logic       is_d, imm;
  logic [4:0] number;   // of the descriptor
  at_e        at;

  assign is_d = opnd_i == OPND_D;
  assign imm = insn_i.ctl.scalar && !flags_i.axpyw &&
               (flags_i.has_b ? opnd_i == OPND_B : opnd_i == OPND_A);
  assign number = is_d ? insn_i.ctl.dst : opnd_i == OPND_B ? insn_i.ctl.b : insn_i.ctl.a;

  always_comb begin
    first_o = flags_i;
    first_op_o = 1'b0;
    first_dsr_o = 1'b0;
    at = AT_IMM;
    if (!imm) begin
      if (word0_i.kind == DK_MEM) at = acc_i ? AT_ACC : AT_MEM;
      else if (word0_i.kind == (is_d ? DK_FABOUT : DK_FABIN)) at = AT_FAB;
      else if (word0_i.kind == DK_FIFO) first_op_o = 1'b1;
      else first_dsr_o = 1'b1;
      if ({1'b0, number} > 6'(Dsrs - 1)) first_op_o = 1'b1;
      if (at == AT_FAB && {1'b0, word0_i.queue_no} > 4'(Queues - 1)) first_op_o = 1'b1;
      if (at == AT_ACC && !(is_d ? flags_i.d32 : flags_i.a32)) first_dsr_o = 1'b1;
    end
    unique case (opnd_i)
      OPND_A: begin
        {first_o.a_at, first_o.a_q} = {at, word0_i.queue_no};
        first_o.save[0] = word0_i.save_address && !imm && at != AT_FAB && !flags_i.axpyw;
        if (at == AT_FAB && word0_i.tag) first_op_o = 1'b1;
        if (flags_i.axpyw && at != AT_MEM) first_dsr_o = 1'b1;
      end
      OPND_B: begin
        {first_o.b_at, first_o.b_q} = {at, word0_i.queue_no};
        first_o.save[1] = word0_i.save_address && !imm && at != AT_FAB && !flags_i.axpyw;
        if (at == AT_ACC && flags_i.a_at == AT_ACC) first_dsr_o = 1'b1;
        if (at == AT_FAB && flags_i.a_at == AT_FAB && word0_i.queue_no == flags_i.a_q) first_dsr_o = 1'b1;
        if (flags_i.axpyw && at != AT_FAB) first_dsr_o = 1'b1;
      end
      default: begin
        {first_o.d_at, first_o.d_q} = {at, word0_i.queue_no};
        first_o.save[2] = word0_i.save_address && at != AT_FAB && !flags_i.axpyw;
        {first_o.tag, first_o.skip, first_o.close} = {3{at == AT_FAB}} &
                                                     {word0_i.tag, word0_i.skip, word0_i.close};
        first_o.row_end = word0_i.close_row_end;
        first_o.stream_end = word0_i.close_stream_end;
        first_o.space_d = at != AT_FAB || flags_i.a_at == AT_IMM;
        if (flags_i.op == SOP_CVT) begin
          // Between binary16 and binary32 only, rounded to nearest.
          first_o.d32 = word0_i.ty == TY_F32;
          if (!(word0_i.ty == TY_F32 ? !flags_i.a32 : word0_i.ty == TY_F16 && flags_i.a32) ||
              (insn_i.ctl.stoch && flags_i.a32)) first_op_o = 1'b1;
          if (at == AT_ACC) first_dsr_o = word0_i.ty != TY_F32;
        end
        if (flags_i.op == SOP_FMA && at == AT_FAB) first_dsr_o = 1'b1;
        if (at == AT_FAB && word0_i.tag && first_o.d32) first_dsr_o = 1'b1;
        if (flags_i.axpyw && at != AT_ACC) first_dsr_o = 1'b1;
      end
    endcase
  end

  // ------------------------------------------------------------------------- words 2 and 3 ----
  // The ring of rows lies within the accumulator cache (ring_o), in whole words of it.
  logic ring_fits;
  assign ring_fits = word2_i.length[15:8] == '0 && word2_i.length[7:0] != '0 &&
                     word2_i.length[$clog2(Lanes)-1:0] == '0 && 16'(word3_i.length) <= 16'd16;
  assign ring_o = 13'(word2_i.length[7:0]) * 13'(word3_i.length[4:0]);

  always_comb begin
    second_o = flags_i;
    second_op_o = 1'b0;
    second_dsr_o = 1'b0;
    unique case (opnd_i)
      OPND_A: begin
        second_o.inf = word2_i.length == '0;
        second_o.dim1 = word3_i.length != '0;
        second_dsr_o = flags_i.axpyw && word2_i.step != 16'd2;
      end
      OPND_D: begin
        if (flags_i.space_d) begin
          second_o.inf = word2_i.length == '0;
          second_o.dim1 = word3_i.length != '0 && !flags_i.axpyw;
        end
        second_op_o = !flags_i.axpyw && (flags_i.space_d ? more_i : a_more_i);
        second_dsr_o = second_o.inf && flags_i.a_at != AT_FAB && flags_i.b_at != AT_FAB;
        if (flags_i.axpyw) begin
          second_dsr_o = second_o.inf || word2_i.step != 16'd4 || a_length_i != word2_i.length ||
                         !ring_fits;
        end
      end
      default: ;
    endcase
  end

  logic unused;
  assign unused = ^{insn_i.scalar, insn_i.pc};

endmodule
