// SPDX-License-Identifier: Apache-2.0
// What the tensor engine asks of its datapath (ow_datapath): operations, element formats, and the
// latencies that the issue logic counts with.

// No module uses every constant.
/* verilator lint_off UNUSEDPARAM */
package ow_datapath_pkg;

  // Operations. DP_FMA adds to the addend that comes ADD_LATENCY cycles later; the reductions from
  // DP_DOT on add to the datapath's partial results.
  typedef enum logic [4:0] {
    DP_MOV   = 5'd0,
    DP_ADD   = 5'd1,
    DP_SUB   = 5'd2,
    DP_MUL   = 5'd3,
    DP_FMA   = 5'd4,
    DP_MAX   = 5'd5,
    DP_MIN   = 5'd6,
    DP_CVT   = 5'd7,
    DP_AND   = 5'd8,
    DP_OR    = 5'd9,
    DP_XOR   = 5'd10,
    DP_SLL   = 5'd11,
    DP_SRL   = 5'd12,
    DP_SRA   = 5'd13,
    DP_CMPEQ = 5'd14,
    DP_CMPNE = 5'd15,
    DP_CMPLT = 5'd16,
    DP_CMPLE = 5'd17,
    DP_GATE  = 5'd18,
    DP_DOT   = 5'd24,
    DP_SUM   = 5'd25,
    DP_RMAX  = 5'd26,
    DP_RMIN  = 5'd27
  } dp_op_e;

  // Element formats, numbered as the element types of descriptors.
  typedef enum logic [2:0] {
    DF_F16  = ow_isa_pkg::TY_F16,
    DF_BF16 = ow_isa_pkg::TY_BF16,
    DF_F32  = ow_isa_pkg::TY_F32,
    DF_I16  = ow_isa_pkg::TY_I16,
    DF_I32  = ow_isa_pkg::TY_I32,
    DF_I8   = ow_isa_pkg::TY_I8
  } dp_fmt_e;

  // What stage A of a lane, and the tree at the end of a reduction, do.
  typedef enum logic [1:0] {
    DPK_RAW  = 2'd0,  // the bits from stage M
    DPK_FADD = 2'd1,  // floating-point addition and rounding
    DPK_IADD = 2'd2,  // integer addition
    DPK_MAX  = 2'd3   // maximum or minimum
  } dp_kind_e;

  // What is added to the first term of a floating-point addition in stage A.
  typedef enum logic [1:0] {
    DPA_ZERO = 2'd0,  // a zero of its sign: nothing
    DPA_BITS = 2'd1,  // operand b, from stage M
    DPA_C    = 2'd2   // the addend or partial result that comes to stage A
  } dp_addend_e;

  // What the datapath of a tile has (FEATURES, OPERATIONS). Its user asks for nothing else.
  typedef struct packed {
    logic bf16;
    logic f32;      // arithmetic in f32; moves, casts and the mixed operations need none of it
    logic i8;
    logic i16;
    logic i32;
    logic compare;  // max, min, comparisons
    logic red;      // reductions
    logic stoch;    // stochastic rounding
  } dp_has_t;

  localparam dp_has_t DP_HAS_ALL = '1;

  /* verilator lint_off UNUSEDSIGNAL */ // each looks at a part
  function automatic dp_has_t dp_has(input ow_isa_pkg::features_reg_t features,
                                     input ow_isa_pkg::operations_reg_t operations);
    return '{bf16: operations.bfloat16, f32: features.fp32, i8: features.int8,
             i16: operations.int16, i32: features.int32, compare: operations.compare,
             red: operations.reductions, stoch: features.stochastic};
  endfunction

  // A format, without the bits that no format of this configuration sets.
  function automatic dp_fmt_e dp_fmt_of(input dp_fmt_e fmt, input dp_has_t has);
    return dp_fmt_e'(fmt & (DF_F16 | DF_F32 | (has.bf16 ? DF_BF16 : DF_F16) |
                            (has.i8 ? DF_I8 : DF_F16) | (has.i16 ? DF_I16 : DF_F16) |
                            (has.i32 ? DF_I32 : DF_F16)));
  endfunction

  // The same for an operation.
  function automatic dp_op_e dp_op_of(input dp_op_e op, input dp_has_t has);
    logic [4:0] set;
    set = DP_MOV | DP_ADD | DP_SUB | DP_MUL | DP_FMA | DP_CVT;
    if (has.compare) set |= DP_MAX | DP_MIN | DP_CMPEQ | DP_CMPNE | DP_CMPLT | DP_CMPLE;
    if (has.i16 || has.i32) set |= DP_AND | DP_OR | DP_XOR | DP_SLL | DP_SRL | DP_SRA | DP_GATE;
    if (has.red) set |= DP_DOT | DP_SUM | DP_RMAX | DP_RMIN;
    return dp_op_e'(op & set);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // A result is at the datapath's output RES_LATENCY cycles after its beat entered. The addend is
  // read ADD_LATENCY cycles after that entry.
  localparam int unsigned ADD_LATENCY = 2;
  localparam int unsigned RES_LATENCY = 5;

  // Partial results of a reduction. Its result is at the late output RED_LATENCY cycles after the
  // cycle in which its last beat enters. The last beats of two results are at least RED_INTERVAL
  // cycles apart.
  localparam int unsigned PARTIALS = 16;
  localparam int unsigned RED_LATENCY = 14;
  localparam int unsigned RED_INTERVAL = 4;

endpackage
/* verilator lint_on UNUSEDPARAM */
