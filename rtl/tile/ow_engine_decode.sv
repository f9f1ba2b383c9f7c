// SPDX-License-Identifier: Apache-2.0
// Decoder of tensor instructions: an instruction and the descriptors that it names become the
// static part of a thread's context, or a fault. Combinational; used in the cycle of the launch.
//
// An operation is one arm of the case below: what the lanes do, the size of each operand's
// elements, and which operands it has. Everything after it holds for all operations alike. A new
// lane operation (compare, integer, non-linear) is an arm; one with its own way of walking
// (reduction, gather) also sets a flag of the context, as axpyw does.
//
// Errors: fault_o is FAULT_OP or FAULT_DSR (docs/isa.md); then ctx_o has no operands, so that the
// thread only reports it.
//
//   Lanes       lanes of the engine; the samples of an axpyw must be a multiple
//   insn_i      the instruction
//   *_w0_i ...  words of the descriptors a, b, dst: 0 kind, 1 address, 2 and 3 dimensions 0 and 1
//   ctx_o       static context; samples and rows of an axpyw are read from the descriptor again
module ow_engine_decode
  import ow_pkg::*;
  import ow_fp_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = 8
) (
  /* verilator lint_off UNUSEDSIGNAL */ // the pc is for the engine's error report
  input  tensor_insn_t insn_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [14:0]  a_w0_i,
  input  logic         a_acc_i,    // address bit 23
  input  logic [31:0]  a_w2_i,
  input  logic [14:0]  b_w0_i,
  input  logic         b_acc_i,
  input  logic [31:0]  b_w2_i,
  input  logic [14:0]  d_w0_i,
  input  logic         d_acc_i,
  input  logic [31:0]  d_w2_i,
  input  logic [15:0]  d_rows_i,   // length of dimension 1: rows of the ring, 0 is 1
  output ctx_t         ctx_o,
  output logic [3:0]   fault_o
);

  localparam int unsigned LaneW = $clog2(Lanes);

  function automatic src_e kind_of(input logic [3:0] kind, input logic acc, input logic is_dst);
    if (kind == DK_MEM) return acc ? SRC_ACC : SRC_MEM;
    if (kind == (is_dst ? DK_FABOUT : DK_FABIN)) return SRC_FAB;
    return SRC_NONE;
  endfunction

  // The step of a dimension is the element's size.
  function automatic logic unit_step(input logic [15:0] step, input logic is32);
    return step == (is32 ? 16'd4 : 16'd2);
  endfunction

  // The ring of an axpyw lies within the accumulator cache.
  logic        ring_fits;
  assign ring_fits = d_w2_i[15:8] == 8'd0 && d_rows_i <= 16'd16 &&
                     {5'd0, d_w2_i[7:0]} * {8'd0, d_rows_i[4:0]} <= 13'(16 * Lanes);

  logic        has_b;
  logic        a_imm, b_imm;
  logic        op_bad, dsr_bad;
  logic [15:0] len0;
  ctx_t        ctx;

  always_comb begin
    ctx = '0;
    has_b = 1'b0;
    op_bad = 1'b0;
    ctx.op = insn_i.op;
    ctx.lop = LANE_MOV;
    ctx.src_fmt = FMT_F16;
    ctx.dst_fmt = FMT_F16;
    ctx.a_dsr = insn_i.ctl.a;
    ctx.b_dsr = insn_i.ctl.b;
    ctx.d_dsr = insn_i.ctl.dst;
    ctx.a_q = a_w0_i[10:8];
    ctx.b_q = b_w0_i[10:8];
    ctx.d_q = d_w0_i[10:8];
    ctx.code = d_w0_i[14:13];

    unique case (insn_i.op)
      TOP_MOV: begin
        unique case (insn_i.ty)
          TY_F16, TY_BF16, TY_I16: ;
          TY_F32, TY_I32: begin
            ctx.src_fmt = FMT_F32;
            ctx.dst_fmt = FMT_F32;
          end
          default: op_bad = 1'b1;
        endcase
      end
      TOP_ADD, TOP_SUB: begin
        has_b = 1'b1;
        ctx.lop = insn_i.op == TOP_ADD ? LANE_ADD : LANE_SUB;
        unique case (insn_i.ty)
          TY_F16: ;
          TY_F32: begin
            ctx.src_fmt = FMT_F32;
            ctx.dst_fmt = FMT_F32;
          end
          default: op_bad = 1'b1;
        endcase
      end
      TOP_MUL: begin
        has_b = 1'b1;
        ctx.lop = LANE_MUL;
        op_bad = insn_i.ty != TY_F16;
      end
      TOP_FMA: begin
        has_b = 1'b1;
        ctx.lop = LANE_FMA;
        unique case (insn_i.ty)
          TY_F16: ;
          TY_MIXED: ctx.dst_fmt = FMT_F32;
          default: op_bad = 1'b1;
        endcase
      end
      TOP_MAX, TOP_MIN: begin
        has_b = 1'b1;
        ctx.lop = insn_i.op == TOP_MAX ? LANE_MAX : LANE_MIN;
        op_bad = insn_i.ty != TY_F16;
      end
      TOP_CVT: begin
        ctx.lop = LANE_CVT;
        if (insn_i.ty == TY_F16 && d_w0_i[6:4] == TY_F32) ctx.dst_fmt = FMT_F32;
        else if (insn_i.ty == TY_F32 && d_w0_i[6:4] == TY_F16) ctx.src_fmt = FMT_F32;
        else op_bad = 1'b1;
      end
      TOP_AXPYW: begin
        has_b = 1'b1;
        ctx.axpyw = 1'b1;
        ctx.lop = LANE_FMA;
        ctx.dst_fmt = FMT_F32;
        op_bad = insn_i.ty != TY_MIXED;
      end
      default: op_bad = 1'b1;
    endcase

    a_imm = !has_b && insn_i.ctl.scalar;
    b_imm = has_b && insn_i.ctl.scalar && !ctx.axpyw;
    ctx.a32 = ctx.src_fmt == FMT_F32;
    ctx.b32 = ctx.a32;
    ctx.d32 = ctx.dst_fmt == FMT_F32;
    ctx.a_kind = a_imm ? SRC_IMM : kind_of(a_w0_i[3:0], a_acc_i, 1'b0);
    ctx.b_kind = !has_b ? SRC_NONE : b_imm ? SRC_IMM : kind_of(b_w0_i[3:0], b_acc_i, 1'b0);
    ctx.d_kind = kind_of(d_w0_i[3:0], d_acc_i, 1'b1);
    ctx.close = d_w0_i[12] && ctx.d_kind == SRC_FAB;
    ctx.a_vec = ctx.a_kind == SRC_FAB || unit_step(a_w2_i[31:16], ctx.a32);
    ctx.b_vec = ctx.b_kind == SRC_FAB || unit_step(b_w2_i[31:16], ctx.b32);
    ctx.d_vec = ctx.d_kind == SRC_FAB || unit_step(d_w2_i[31:16], ctx.d32);
    ctx.a_bc = ctx.a_kind != SRC_FAB && (ctx.a_kind == SRC_IMM || a_w2_i[31:16] == 16'd0);
    ctx.b_bc = ctx.axpyw || (ctx.b_kind != SRC_FAB &&
               (ctx.b_kind == SRC_IMM || b_w2_i[31:16] == 16'd0));
    ctx.space_d = ctx.d_kind != SRC_FAB || ctx.a_kind == SRC_IMM;

    len0 = ctx.space_d ? d_w2_i[15:0] : a_w2_i[15:0];
    ctx.inf = len0 == 16'd0;

    dsr_bad = ctx.a_kind == SRC_NONE || ctx.d_kind == SRC_NONE ||
              (has_b && ctx.b_kind == SRC_NONE) ||
              (ctx.a_kind == SRC_ACC && !ctx.a32) || (ctx.b_kind == SRC_ACC && !ctx.b32) ||
              (ctx.d_kind == SRC_ACC && !ctx.d32) ||
              (ctx.a_kind == SRC_ACC && ctx.b_kind == SRC_ACC) ||
              (ctx.lop == LANE_FMA && ctx.d_kind == SRC_FAB) ||
              (ctx.a_kind == SRC_FAB && ctx.b_kind == SRC_FAB && ctx.a_q == ctx.b_q) ||
              (ctx.inf && ctx.a_kind != SRC_FAB && ctx.b_kind != SRC_FAB);
    if (ctx.axpyw) begin
      dsr_bad = ctx.a_kind != SRC_MEM || ctx.b_kind != SRC_FAB || ctx.d_kind != SRC_ACC ||
                !ctx.a_vec || !ctx.d_vec || ctx.inf || a_w2_i[15:0] != d_w2_i[15:0] ||
                d_w2_i[LaneW-1:0] != '0 || !ring_fits;
    end

    fault_o = op_bad ? FAULT_OP : dsr_bad ? FAULT_DSR : FAULT_NONE;
    ctx_o = ctx;
    if (op_bad || dsr_bad) begin
      ctx_o.axpyw = 1'b0;
      ctx_o.a_kind = SRC_NONE;
      ctx_o.b_kind = SRC_NONE;
      ctx_o.d_kind = SRC_NONE;
      ctx_o.close = 1'b0;
    end
  end

  // Word 0 bits that the engine reads elsewhere, or not at all: element types but the
  // destination's of a conversion, save_address; queue and close of sources.
  logic unused;
  assign unused = ^{a_w0_i[14:11], a_w0_i[7:4], b_w0_i[14:11], b_w0_i[7:4], d_w0_i[11],
                    d_w0_i[7], b_w2_i[15:0], insn_i.scalar, insn_i.ctl.thread,
                    insn_i.ctl.rsvd, insn_i.ctl.rsvd31, insn_i.ctl.task_id, insn_i.ctl.done};

endmodule
