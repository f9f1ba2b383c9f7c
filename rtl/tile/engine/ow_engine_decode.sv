// SPDX-License-Identifier: Apache-2.0
// Decoder of tensor instructions. It turns an instruction and the descriptors that it names into
// the static part of a thread's context, or into a fault. Combinational; used in the cycle of the
// launch.
//
// Each operation is one arm of the case below: what the datapath does, the formats, and the
// operands that it has. Everything after the case holds for all operations. Operations with a way
// of walking of their own (axpyw, dotw, reductions, gather) also set a flag of the context.
//
// Errors: fcode of the context is FAULT_OP or FAULT_DSR (docs/isa.md). The context then has no
// operands, so the thread only reports the fault.
//
// An instruction is illegal if it needs something that the tile lacks (FEATURES, OPERATIONS): the
// operation, the type, a FIFO, a queue, a descriptor, a tagged operand, or more than two
// dimensions.
//
//   Lanes       lanes of the engine; the samples of an axpyw must be a multiple of them
//   Features, Operations   what the tile has, as the registers say
//   valid_i     there is an instruction; else the outputs mean nothing
//   insn_i      the instruction
//   *_w0_i ...  words of the descriptors a, b, dst: 0 kind, 1 address, 2 and 3 dimensions 0 and 1
//   a_reads_o ...   what a launch has to wait for: operands a and b are queues; it is triggered by
//               wavelets; it rounds stochastically. Early, as malformed instructions set them too
//   ctx_o       static context; length and number of rows are read from the descriptor again
//   may_end_o   its first beat may end its inner vector
module ow_engine_decode
  import ow_pkg::*;
  import ow_datapath_pkg::*;
  import ow_engine_pkg::*;
  import ow_nlf_pkg::nlf_fn_e, ow_nlf_pkg::NLF_RCP, ow_nlf_pkg::NLF_RSQRT, ow_nlf_pkg::NLF_EXP,
         ow_nlf_pkg::NLF_LOG, ow_nlf_pkg::NLF_TANH, ow_nlf_pkg::NLF_SIGMOID;
#(
  parameter int unsigned Lanes = FULL_LANES,
  parameter logic [31:0] Features = FULL_FEATURES,
  parameter logic [31:0] Operations = FULL_OPERATIONS
) (
  input  logic         valid_i,
  input  tensor_insn_t insn_i,
  /* verilator lint_off UNUSEDSIGNAL */ // whole descriptor words
  input  dsr0_t        a_w0_i,
  input  logic         a_acc_i,    // address bit 23
  input  dsr_dim_t     a_w2_i,
  input  dsr0_t        b_w0_i,
  input  logic         b_acc_i,
  input  dsr_dim_t     b_w2_i,
  input  dsr0_t        d_w0_i,
  input  logic         d_acc_i,
  input  dsr_dim_t     d_w2_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [15:0]  d_rows_i,   // length of dimension 1: rows of the ring, 0 is 1
  input  logic [2:0]   more_i,     // lengths of a, b, dst in dimensions that are not there
  input  logic [3:0]   fifo_none_i, // FIFOs of capacity 0
  output logic         a_reads_o,
  output logic         b_reads_o,
  output logic         triggers_o,
  output logic         rounds_o,
  output ctx_t         ctx_o,
  output logic         may_end_o
);

  localparam int unsigned LaneW = $clog2(Lanes);
  localparam logic [2:0] GrpFull = 3'(LaneW);
  localparam logic [2:0] Grp32 = 3'(LaneW - 1);
  localparam logic [2:0] GrpWide = Lanes >= 4 ? 3'(LaneW - 2) : 3'd0;

  function automatic src_e kind_of(input logic [3:0] kind, input logic acc, input logic is_dst);
    if (kind == DK_MEM) return acc ? SRC_ACC : SRC_MEM;
    if (kind == DK_FIFO) return SRC_MEM;
    if (kind == (is_dst ? DK_FABOUT : DK_FABIN)) return SRC_FAB;
    return SRC_NONE;
  endfunction

  // The step of a dimension is the element's size.
  function automatic logic unit_step(input logic [15:0] step, input logic [1:0] sz);
    return step == 16'd1 << sz;
  endfunction

  function automatic logic [1:0] size_of(input dp_fmt_e f);
    if (f == DF_F32 || f == DF_I32) return 2'd2;
    if (f == DF_I8) return 2'd0;
    return 2'd1;
  endfunction

  function automatic nlf_fn_e function_of(input logic [6:0] op);
    case (op)
      TOP_RSQRT: return NLF_RSQRT;
      TOP_EXP: return NLF_EXP;
      TOP_LOG: return NLF_LOG;
      TOP_TANH: return NLF_TANH;
      TOP_SIGMOID: return NLF_SIGMOID;
      default: return NLF_RCP;
    endcase
  endfunction

  // Formats, as bits of a set.
  localparam logic [7:0] F16 = 8'd1 << TY_F16, BF16 = 8'd1 << TY_BF16, F32 = 8'd1 << TY_F32,
                         I16 = 8'd1 << TY_I16, I32 = 8'd1 << TY_I32, I8 = 8'd1 << TY_I8;
  localparam logic [7:0] Floats = F16 | BF16 | F32;
  // The same for types of an instruction.
  localparam logic [7:0] Mixed = 8'd1 << TY_MIXED, MixedB = 8'd1 << TY_MIXEDB;

  // What the tile has. A move copies bits, so it takes every type that can be addressed.
  localparam features_reg_t Tile = Features;
  localparam operations_reg_t Engine = Operations;
  localparam dp_has_t Has = dp_has(Tile, Engine);
  localparam logic [7:0] Bytes = Has.i8 ? I8 : 8'd0;
  localparam logic [7:0] Movable = Floats | I16 | I32 | Bytes;
  localparam logic [7:0] Types = F16 | (Has.bf16 ? BF16 : 8'd0) | (Has.f32 ? F32 : 8'd0) |
                                 (Has.i16 ? I16 : 8'd0) | (Has.i32 ? I32 : 8'd0) | Bytes |
                                 Mixed | (Has.bf16 ? MixedB : 8'd0);
  localparam logic [7:0] Castable = F16 | F32 | (Types & (BF16 | I16 | I32 | I8));

  function automatic logic has_fifo(input logic [1:0] n);
    return {1'b0, n} + 3'd1 <= Tile.fifos;
  endfunction

  function automatic logic has_queue(input logic [2:0] q);
    return {1'b0, q} + 4'd1 <= Tile.queues;
  endfunction

  function automatic logic has_dsr(input logic [4:0] n);
    return {1'b0, n} <= {1'b0, Tile.dsrs};
  endfunction

  // The ring of rows lies within the accumulator cache, in whole words of it.
  logic        ring_fits;
  assign ring_fits = d_w2_i.length[15:8] == 8'd0 && d_w2_i.length[7:0] != 8'd0 &&
                     d_w2_i.length[LaneW-1:0] == '0 && d_rows_i <= 16'd16 &&
                     {5'd0, d_w2_i.length[7:0]} * {8'd0, d_rows_i[4:0]} <= 13'(16 * Lanes);

  logic        has_a, has_b, has_d;
  logic        indexed;   // b is a vector of indices, rs2 the address of element 0
  logic        a_imm, b_imm;
  logic        op_bad, dsr_bad, mul;
  logic        a_flt, d_flt;
  logic [7:0]  types;     // that the operation has
  logic [7:0]  dst_set;   // formats that its destination may have, if the descriptor says it
  logic        dst_free;  // the destination's descriptor says its format
  logic [15:0] len0;
  logic        any32;
  ctx_t        ctx;

  // The table of a decoder: what each operation takes, and when it is illegal.
  always_comb begin
    ctx = '0;
    has_a = 1'b1;
    has_b = 1'b0;
    has_d = 1'b1;
    mul = 1'b0;
    types = '0;
    dst_free = 1'b0;
    indexed = 1'b0;
    a_imm = 1'b0;
    b_imm = 1'b0;
    op_bad = 1'b0;
    dsr_bad = 1'b0;
    a_flt = 1'b0;
    d_flt = 1'b0;
    dst_set = '0;
    len0 = '0;
    any32 = 1'b0;
    a_reads_o = 1'b0;
    b_reads_o = 1'b0;
    triggers_o = 1'b0;
    rounds_o = 1'b0;
    ctx_o = '0;
    may_end_o = 1'b0;
    if (valid_i) begin
      ctx.op = insn_i.op;
      ctx.dop = DP_MOV;
      ctx.unit = UNIT_NONE;
      ctx.stoch = 1'b0;
      ctx.prio = insn_i.ctl.prio;
      ctx.fresh = insn_i.ctl.fresh;
      ctx.a_dsr = insn_i.ctl.a;
      ctx.b_dsr = insn_i.ctl.b;
      ctx.d_dsr = insn_i.ctl.dst;
      ctx.a_q = a_w0_i.queue_no;
      ctx.b_q = b_w0_i.queue_no;
      ctx.d_q = d_w0_i.queue_no;
      ctx.row_end = d_w0_i.close_row_end;
      ctx.stream_end = d_w0_i.close_stream_end;

      unique case (insn_i.op)
        TOP_MOV: types = Movable;
        TOP_ADD, TOP_SUB: begin
          has_b = 1'b1;
          ctx.dop = insn_i.op == TOP_ADD ? DP_ADD : DP_SUB;
          types = (Floats | I16 | I32) & Types;
        end
        TOP_MUL: begin
          has_b = 1'b1;
          mul = 1'b1;
          ctx.dop = DP_MUL;
          types = (Floats | I16 | I32) & Types;
        end
        TOP_FMA: begin
          has_b = 1'b1;
          mul = 1'b1;
          ctx.fma = 1'b1;
          ctx.dop = DP_FMA;
          types = (Floats | Mixed | MixedB | I16 | I32) & Types;
        end
        TOP_MAX, TOP_MIN: begin
          has_b = 1'b1;
          ctx.dop = insn_i.op == TOP_MAX ? DP_MAX : DP_MIN;
          if (Has.compare) types = (Floats | I16 | I32) & Types;
        end
        TOP_CMPEQ, TOP_CMPNE, TOP_CMPLT, TOP_CMPLE: begin
          has_b = 1'b1;
          ctx.dop = insn_i.op == TOP_CMPEQ ? DP_CMPEQ : insn_i.op == TOP_CMPNE ? DP_CMPNE
                  : insn_i.op == TOP_CMPLT ? DP_CMPLT : DP_CMPLE;
          if (Has.compare) types = (Floats | I16 | I32) & Types;
        end
        TOP_AND, TOP_OR, TOP_XOR, TOP_SLL, TOP_SRL, TOP_SRA, TOP_GATE: begin
          has_b = 1'b1;
          ctx.dop = insn_i.op == TOP_AND ? DP_AND : insn_i.op == TOP_OR ? DP_OR
                  : insn_i.op == TOP_XOR ? DP_XOR : insn_i.op == TOP_SLL ? DP_SLL
                  : insn_i.op == TOP_SRL ? DP_SRL : insn_i.op == TOP_SRA ? DP_SRA : DP_GATE;
          types = (I16 | I32) & Types;
        end
        TOP_CVT: begin
          ctx.dop = DP_CVT;
          types = Castable;
          dst_free = 1'b1;
          ctx.stoch = insn_i.ctl.stoch && insn_i.ty == TY_F32;
        end
        TOP_DOT: begin
          has_b = 1'b1;
          mul = 1'b1;
          ctx.red = 1'b1;
          ctx.dop = DP_DOT;
          if (Has.red) types = (Floats | I8 | I16) & Types;
          dst_free = 1'b1;
          ctx.i8x2 = insn_i.ty == TY_I8;
        end
        TOP_SUM, TOP_RMAX, TOP_RMIN: begin
          ctx.red = 1'b1;
          ctx.dop = insn_i.op == TOP_SUM ? DP_SUM : insn_i.op == TOP_RMAX ? DP_RMAX : DP_RMIN;
          if (Has.red) types = (Floats | I16 | I32 | I8) & Types;
          dst_free = 1'b1;
        end
        TOP_AXPYW: begin
          has_b = 1'b1;
          mul = 1'b1;
          ctx.axpyw = 1'b1;
          ctx.wtrig = 1'b1;
          ctx.fma = 1'b1;
          ctx.dop = DP_FMA;
          types = (Mixed | MixedB) & Types;
        end
        TOP_DOTW: begin
          has_b = 1'b1;
          mul = 1'b1;
          ctx.wtrig = 1'b1;
          ctx.red = 1'b1;
          ctx.dop = DP_DOT;
          if (Has.red) types = (Mixed | MixedB) & Types;
          dst_free = 1'b1;
        end
        TOP_RCP, TOP_RSQRT, TOP_EXP, TOP_LOG, TOP_TANH, TOP_SIGMOID: begin
          ctx.unit = UNIT_NLF;
          ctx.nlf = function_of(insn_i.op);
          if (Tile.nonlinear) types = (F16 | BF16) & Types;
        end
        TOP_GATHER: begin
          has_a = 1'b0;
          has_b = 1'b1;
          ctx.unit = UNIT_GATHER;
          ctx.a_dsr = insn_i.ctl.b;  // whose lengths count if dst is not memory
          if (Tile.gather) types = Floats | I16 | I32;
        end
        TOP_SCATTER: begin
          has_b = 1'b1;
          has_d = 1'b0;
          ctx.unit = UNIT_SCATTER;
          ctx.d_dsr = insn_i.ctl.a;
          if (Tile.gather) types = Floats | I16 | I32;
        end
        TOP_FMAG: begin
          has_b = 1'b1;
          mul = 1'b1;
          ctx.fma = 1'b1;
          ctx.unit = UNIT_FMAG;
          ctx.dop = DP_FMA;
          if (Tile.gather) types = (Floats | Mixed | MixedB) & Types;
        end
        default: ;
      endcase
      // What the tile lacks is illegal, and the logic below ignores it.
      if (!Has.red) ctx.red = 1'b0;
      if (!Has.red) ctx.wtrig = ctx.axpyw;
      if (!Has.i8) ctx.i8x2 = 1'b0;
      if (!Tile.nonlinear) ctx.nlf = '0;
      if (!Tile.nonlinear && !Tile.gather) ctx.unit = UNIT_NONE;
      indexed = ctx.unit inside {UNIT_GATHER, UNIT_SCATTER, UNIT_FMAG};

      op_bad = !types[insn_i.ty];
      unique case (insn_i.ty)
        TY_MIXED:  ctx.src_fmt = DF_F16;
        TY_MIXEDB: ctx.src_fmt = DF_BF16;
        default:   ctx.src_fmt = dp_fmt_e'(insn_i.ty);
      endcase
      ctx.dst_fmt = insn_i.ty == TY_MIXED || insn_i.ty == TY_MIXEDB ? DF_F32 : ctx.src_fmt;
      a_flt = ctx.src_fmt inside {DF_F16, DF_BF16, DF_F32};
      dst_set = Castable;
      if (ctx.red) dst_set = Castable & (a_flt ? Floats : I16 | I32 | I8);
      if (insn_i.op == TOP_CVT) dst_set &= ~(8'd1 << insn_i.ty);
      if (dst_free) begin
        ctx.dst_fmt = dp_fmt_e'(d_w0_i.ty);
        if (!dst_set[d_w0_i.ty]) op_bad = 1'b1;
      end
      if (ctx.stoch && size_of(ctx.dst_fmt) != 2'd1) ctx.stoch = 1'b0;
      d_flt = ctx.dst_fmt inside {DF_F16, DF_BF16, DF_F32};
      if (!d_flt) ctx.stoch = 1'b0;
      if (ctx.stoch && !Has.stoch) op_bad = 1'b1;

      a_imm = has_a && !has_b && insn_i.ctl.scalar;
      b_imm = has_b && insn_i.ctl.scalar && !ctx.wtrig && !indexed;
      ctx.a_sz = size_of(ctx.src_fmt);
      ctx.b_sz = indexed ? 2'd1 : ctx.a_sz;
      ctx.d_sz = size_of(ctx.dst_fmt);
      ctx.a_kind = !has_a ? SRC_NONE
                 : a_imm ? SRC_IMM : kind_of(a_w0_i.kind, a_acc_i && a_w0_i.kind == DK_MEM, 1'b0);
      ctx.b_kind = !has_b ? SRC_NONE
                 : b_imm ? SRC_IMM : kind_of(b_w0_i.kind, b_acc_i && b_w0_i.kind == DK_MEM, 1'b0);
      ctx.d_kind = !has_d ? SRC_NONE
                 : kind_of(d_w0_i.kind, d_acc_i && d_w0_i.kind == DK_MEM, 1'b1);
      ctx.a_fifo = ctx.a_kind == SRC_MEM && a_w0_i.kind == DK_FIFO;
      ctx.b_fifo = ctx.b_kind == SRC_MEM && b_w0_i.kind == DK_FIFO;
      ctx.d_fifo = ctx.d_kind == SRC_MEM && d_w0_i.kind == DK_FIFO;
      if ((ctx.a_fifo && !has_fifo(ctx.a_q[1:0])) || (ctx.b_fifo && !has_fifo(ctx.b_q[1:0])) ||
          (ctx.d_fifo && !has_fifo(ctx.d_q[1:0]))) begin
        op_bad = 1'b1;
      end
      if ((has_a && !a_imm && !has_dsr(ctx.a_dsr)) || (has_b && !b_imm && !has_dsr(ctx.b_dsr)) ||
          (has_d && !has_dsr(ctx.d_dsr))) begin
        op_bad = 1'b1;
      end
      if ((ctx.a_kind == SRC_FAB && !has_queue(ctx.a_q)) ||
          (ctx.b_kind == SRC_FAB && !has_queue(ctx.b_q)) ||
          (ctx.d_kind == SRC_FAB && !has_queue(ctx.d_q))) begin
        op_bad = 1'b1;
      end
      if (!Engine.tags && ctx.a_kind == SRC_FAB && a_w0_i.tag) op_bad = 1'b1;
      ctx.a_tag = Engine.tags && ctx.a_kind == SRC_FAB && a_w0_i.tag;
      ctx.d_tag = ctx.d_kind == SRC_FAB && d_w0_i.tag;
      ctx.d_skip = ctx.d_kind == SRC_FAB && d_w0_i.skip;
      ctx.close = d_w0_i.close && ctx.d_kind == SRC_FAB;
      ctx.a_vec = ctx.a_kind == SRC_FAB || ctx.a_fifo || unit_step(a_w2_i.step, ctx.a_sz);
      ctx.b_vec = ctx.b_kind == SRC_FAB || ctx.b_fifo || unit_step(b_w2_i.step, ctx.b_sz);
      ctx.d_vec = ctx.d_kind == SRC_FAB || !has_d || ctx.d_fifo || unit_step(d_w2_i.step, ctx.d_sz);
      ctx.a_bc = !has_a || ctx.a_kind == SRC_IMM ||
                 (ctx.a_kind != SRC_FAB && !ctx.a_fifo && a_w2_i.step == 16'd0);
      ctx.b_bc = ctx.axpyw || ctx.b_kind == SRC_IMM ||
                 (ctx.b_kind != SRC_FAB && !ctx.b_fifo && b_w2_i.step == 16'd0);
      ctx.space_d = !ctx.red && !ctx.a_tag &&
                    ((ctx.d_kind != SRC_FAB && !ctx.d_fifo) || ctx.a_kind == SRC_IMM || ctx.a_fifo);
      if (ctx.wtrig) ctx.space_d = ctx.axpyw;
      ctx.ring = ctx.wtrig && ctx.d_kind == SRC_ACC;
      if (!has_d) ctx.space_d = 1'b0;
      if (!ctx.wtrig && (ctx.space_d ? more_i[2] : has_a ? more_i[0] : more_i[1])) op_bad = 1'b1;

      // How many elements a beat may have.
      any32 = (ctx.a_kind == SRC_MEM && ctx.a_sz == 2'd2) ||
              (ctx.b_kind == SRC_MEM && ctx.b_sz == 2'd2) ||
              (!ctx.red && ctx.d_kind inside {SRC_MEM, SRC_FAB} && ctx.d_sz == 2'd2);
      ctx.grp = GrpFull;
      if (any32) ctx.grp = Grp32;
      if (mul && ctx.a_sz == 2'd2) ctx.grp = GrpWide;
      if (ctx.unit == UNIT_NLF) ctx.grp = 3'd1;
      if (ctx.i8x2) ctx.grp = GrpFull + 3'd1;

      // The most elements of a beat, whatever its place in the group.
      ctx.most = ctx.grp;
      if ((ctx.a_kind == SRC_FAB || (ctx.b_kind == SRC_FAB && !ctx.wtrig)) && ctx.most > 3'd1) begin
        ctx.most = 3'd1;
      end
      if (ctx.a_tag || (ctx.a_kind == SRC_FAB && ctx.a_sz == 2'd2) ||
          (ctx.b_kind == SRC_FAB && !ctx.wtrig && ctx.b_sz == 2'd2) ||
          (has_a && !ctx.a_vec && !ctx.a_bc) || (has_b && !ctx.b_vec && !ctx.b_bc) ||
          (!ctx.red && !ctx.d_vec)) begin
        ctx.most = 3'd0;
      end

      len0 = ctx.space_d ? d_w2_i.length : has_a ? a_w2_i.length : b_w2_i.length;
      ctx.inf = len0 == 16'd0;
      may_end_o = !ctx.inf && len0 <= 16'd1 << ctx.most;

      dsr_bad = (has_a && ctx.a_kind == SRC_NONE) || (has_d && ctx.d_kind == SRC_NONE) ||
                (has_b && ctx.b_kind == SRC_NONE) ||
                (ctx.a_kind == SRC_ACC && ctx.a_sz != 2'd2) ||
                (ctx.b_kind == SRC_ACC && ctx.b_sz != 2'd2) ||
                (ctx.d_kind == SRC_ACC && ctx.d_sz != 2'd2) ||
                (ctx.a_kind == SRC_ACC && ctx.b_kind == SRC_ACC) ||
                (ctx.fma && ctx.d_kind == SRC_FAB) || (ctx.fma && ctx.d_fifo) ||
                (ctx.a_kind == SRC_FAB && ctx.b_kind == SRC_FAB && ctx.a_q == ctx.b_q) ||
                // 8-bit elements and tags have no packed pairs.
                (ctx.a_sz == 2'd0 && (ctx.a_kind == SRC_FAB || ctx.b_kind == SRC_FAB)) ||
                (ctx.d_sz == 2'd0 && ctx.d_kind == SRC_FAB) ||
                (ctx.d_tag && ctx.d_sz != 2'd1) ||
                (ctx.a_tag && (ctx.a_sz != 2'd1 || ctx.red || ctx.d_fifo || ctx.d_kind == SRC_FAB ||
                               ctx.b_kind == SRC_FAB)) ||
                // A FIFO has no length to walk.
                (!ctx.space_d && ctx.a_kind == SRC_MEM && ctx.a_fifo) ||
                (ctx.space_d && ctx.d_fifo) ||
                (ctx.a_fifo && ctx.b_fifo && ctx.a_q[1:0] == ctx.b_q[1:0]) ||
                (ctx.red && (ctx.a_kind == SRC_IMM || ctx.inf)) ||
                (ctx.inf && ctx.a_kind != SRC_FAB && ctx.b_kind != SRC_FAB) ||
                // Indices lie in memory or come in pairs; a scatter has no use for the
                // accumulators.
                (indexed && (insn_i.ctl.scalar || ctx.a_tag)) ||
                (ctx.unit == UNIT_SCATTER && ctx.a_kind == SRC_ACC) ||
                (!has_a && !ctx.space_d && ctx.b_fifo) ||
                (ctx.a_fifo && fifo_none_i[ctx.a_q[1:0]]) ||
                (ctx.b_fifo && fifo_none_i[ctx.b_q[1:0]]);
      if (ctx.wtrig) begin
        dsr_bad = ctx.a_kind != SRC_MEM || ctx.a_fifo || ctx.b_kind != SRC_FAB || !ctx.a_vec ||
                  ctx.inf;
        if (ctx.axpyw) begin
          dsr_bad |= !ctx.ring || !ctx.d_vec || a_w2_i.length != d_w2_i.length || !ring_fits;
        end else begin
          dsr_bad |= ctx.d_kind == SRC_NONE ||
                     (ctx.ring && (ctx.d_sz != 2'd2 || !ctx.d_vec || !ring_fits || !Tile.dotw_rows)) ||
                     (ctx.d_tag && ctx.d_sz != 2'd1) ||
                     (ctx.d_sz == 2'd0 && ctx.d_kind == SRC_FAB);
        end
      end

      if (ctx.d_fifo && fifo_none_i[ctx.d_q[1:0]]) dsr_bad = 1'b1;
      ctx.fcode = op_bad ? FAULT_OP : dsr_bad ? FAULT_DSR : FAULT_NONE;
      a_reads_o = ctx.a_kind == SRC_FAB;
      b_reads_o = ctx.b_kind == SRC_FAB;
      triggers_o = ctx.wtrig;
      rounds_o = ctx.stoch;
      ctx_o = ctx;
      if (op_bad || dsr_bad) begin
        ctx_o.axpyw = 1'b0;
        ctx_o.wtrig = 1'b0;
        ctx_o.ring = 1'b0;
        ctx_o.red = 1'b0;
        ctx_o.stoch = 1'b0;
        ctx_o.unit = UNIT_NONE;
        ctx_o.a_kind = SRC_NONE;
        ctx_o.a_tag = 1'b0;
        ctx_o.b_kind = SRC_NONE;
        ctx_o.d_kind = SRC_NONE;
        {ctx_o.a_fifo, ctx_o.b_fifo, ctx_o.d_fifo} = '0;
        ctx_o.close = 1'b0;
      end
      ctx_o = ctx_of(ctx_o, Lanes, Tile, Engine);
    end
  end

  logic unused;
  assign unused = ^{insn_i.scalar, insn_i.pc, insn_i.ctl.thread, insn_i.ctl.rsvd23,
                    insn_i.ctl.rsvd31, insn_i.ctl.task_id, insn_i.ctl.done};

endmodule
