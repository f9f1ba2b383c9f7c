// SPDX-License-Identifier: Apache-2.0
// What a SIMD lane (ow_datapath_lane) computes, as functions: integers, bits and casts, and for
// each of its stages everything that the stage does.
package ow_datapath_lane_pkg;

  import ow_datapath_pkg::*;
  import ow_fp_pkg::*;

  // Integers of the source format, sign-extended.
  function automatic logic [31:0] extend_int(input logic [31:0] x, input dp_fmt_e fmt);
    if (fmt == DF_I8) return {{24{x[7]}}, x[7:0]};
    if (fmt == DF_I16) return {{16{x[15]}}, x[15:0]};
    return x;
  endfunction

  // The low bits of an integer as the destination keeps them.
  function automatic logic [31:0] keep_bits(input logic [31:0] x, input dp_fmt_e fmt);
    if (fmt == DF_I8) return {24'd0, x[7:0]};
    if (fmt == DF_F32 || fmt == DF_I32) return x;
    return {16'd0, x[15:0]};
  endfunction

  // An integer format.
  function automatic logic is_int(input dp_fmt_e fmt);
    return fmt == DF_I16 || fmt == DF_I32 || fmt == DF_I8;
  endfunction

  // The binary32 encoding of an unpacked binary32 number.
  function automatic logic [31:0] pack_f32(input fp_num_t x);
    if (x.nan) return NAN32;
    if (x.inf) return {x.sign, 8'hFF, 23'd0};
    return {x.sign, x.sig[26] ? x.exp[7:0] : 8'd0, x.sig[25:3]};
  endfunction

  function automatic logic [31:0] reversed(input logic [31:0] x);
    for (int unsigned i = 0; i < 32; i++) reversed[i] = x[31-i];
  endfunction

  // a shifted by b modulo the width. The upper bits of a narrow result are not defined. A shift to
  // the left is a shift to the right of the reversed bits.
  function automatic logic [31:0] shift_int(input logic [31:0] a, input logic [4:0] b,
                                            input dp_fmt_e fmt, input dp_op_e op);
    logic [31:0] x;
    logic [4:0]  n;
    n = fmt == DF_I32 ? b : {1'b0, b[3:0]};
    x = fmt == DF_I32 ? a : op == DP_SRA ? {{16{a[15]}}, a[15:0]} : {16'd0, a[15:0]};
    if (op == DP_SLL) x = reversed(a);
    x = 32'(signed'({op == DP_SRA && x[31], x}) >>> n);
    return op == DP_SLL ? reversed(x) : x;
  endfunction

  // a + b, or a - b, by one adder.
  function automatic logic [31:0] add_int(input logic [31:0] a, input logic [31:0] b,
                                          input logic sub);
    return 32'(33'({a, sub} + {b ^ {32{sub}}, sub}) >> 1);
  endfunction

  // int8 dot: the sum of both products, in 17 bits, from the products of the unsigned bytes.
  function automatic logic [31:0] dot_i8(input logic [31:0] p, input logic [15:0] a,
                                         input logic [15:0] b, input logic both);
    logic [15:0] lo, hi;
    lo = p[15:0] - {8'(a[7] ? b[7:0] : 8'd0) + 8'(b[7] ? a[7:0] : 8'd0), 8'd0};
    hi = p[31:16] - {8'(a[15] ? b[15:8] : 8'd0) + 8'(b[15] ? a[15:8] : 8'd0), 8'd0};
    if (!both) hi = 16'd0;
    return {{16{lo[15]}}, lo} + {{16{hi[15]}}, hi};
  endfunction

  // A cast whose result is an integer.
  function automatic logic [31:0] cast_int(input logic [31:0] a, input dp_fmt_e src,
                                           input dp_fmt_e dst);
    fp_num_t     x;
    logic [32:0] n;
    x = unpack_cast(a, src);
    n = is_int(src) ? {1'b0, extend_int(a, src)} : round_int(x);
    return saturate(n, is_int(src) ? n[31] : x.sign,
                    dst == DF_I8 ? 6'd8 : dst == DF_I16 ? 6'd16 : 6'd32);
  endfunction

  // a if the integer b is above zero, else 0.
  function automatic logic [31:0] gate(input logic [31:0] a, input logic [31:0] b,
                                       input dp_fmt_e src);
    logic [31:0] x;
    x = extend_int(b, src);
    return !x[31] && x != '0 ? keep_bits(a, src) : '0;
  endfunction

  // Signed 16-bit product from the unsigned one.
  function automatic logic [31:0] signed_product(input logic [31:0] p, input logic [15:0] a,
                                                 input logic [15:0] b);
    return p - {a[15] ? b : 16'd0, 16'd0} - {b[15] ? a : 16'd0, 16'd0};
  endfunction

  // ----------------------------------------------------------------------------------- stages --
  // Stage P, beats that end in a floating-point addition: the first term. p is the product of the
  // significands of the factors fa and fb. For an integer, a is the magnitude and fa has the sign.
  function automatic fp_num_t lane_term(input dp_op_e op, input dp_fmt_e src, input logic [31:0] a,
                                        input fp_factor_t fa, input fp_factor_t fb,
                                        input logic [21:0] p);
    /*verilator no_inline_task*/
    if (op == DP_MUL || op == DP_FMA || op == DP_DOT) return fp_product(fa, fb, p);
    if (is_int(src)) return unpack_int(a, fa.sign);
    return unpack_as(a, src);
  endfunction

  // Stage P, other beats: the result, or what stage A adds or compares. p is the unsigned product
  // of the low halves of a and b, used for int16; in an int8 dot it holds those of their bytes.
  // i8_hi says that the dot has a second element. Without integers only moves, comparisons and
  // maxima remain.
  /* verilator lint_off UNUSEDSIGNAL */ // a part of what there is
  function automatic logic [31:0] lane_bits(input dp_op_e op, input dp_fmt_e src,
                                            input dp_fmt_e dst, input logic [31:0] a,
                                            input logic [31:0] b, input logic i8_hi,
                                            input logic [31:0] p, input dp_has_t has);
    /*verilator no_inline_task*/
    if (!has.i8 && !has.i16 && !has.i32) begin
      if (has.compare && op inside {DP_MAX, DP_MIN}) return maximum(a, b, src, op == DP_MIN);
      if (has.compare && op inside {DP_CMPEQ, DP_CMPNE, DP_CMPLT, DP_CMPLE}) begin
        return compare(a, b, src, op);
      end
      if (has.red && op inside {DP_RMAX, DP_RMIN}) return pack_f32(unpack_as(a, src));
      return keep_bits(a, src);
    end
    unique case (op)
      DP_MOV: return keep_bits(a, src);
      DP_ADD, DP_SUB: return keep_bits(add_int(a, b, op == DP_SUB), src);
      DP_MUL, DP_FMA: return {16'd0, p[15:0]};
      DP_DOT: return src == DF_I8 ? dot_i8(p, a[15:0], b[15:0], i8_hi)
                                  : signed_product(p, a[15:0], b[15:0]);
      DP_MAX, DP_MIN: return maximum(a, b, src, op == DP_MIN);
      DP_CVT: return keep_bits(cast_int(a, src, dst), dst);
      DP_AND: return keep_bits(a & b, src);
      DP_OR: return keep_bits(a | b, src);
      DP_XOR: return keep_bits(a ^ b, src);
      DP_SLL, DP_SRL, DP_SRA: return keep_bits(shift_int(a, b[4:0], src, op), src);
      DP_GATE: return gate(a, b, src);
      DP_CMPEQ, DP_CMPNE, DP_CMPLT, DP_CMPLE: return compare(a, b, src, op);
      DP_SUM: return extend_int(a, src);
      default: return is_int(src) ? extend_int(a, src) : pack_f32(unpack_as(a, src));
    endcase
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // Stage A: both terms aligned and added.
  function automatic fp_sum_t lane_sum(input fp_num_t x, input fp_num_t y);
    /*verilator no_inline_task*/
    return add_align(x, y);
  endfunction

  // Stage N: the sum with its leading one in place.
  function automatic fp_sum_t lane_normal(input fp_sum_t x);
    /*verilator no_inline_task*/
    return normalise(x);
  endfunction

  // Stage R: rounded to bfloat16 (bf) or binary16.
  function automatic logic [15:0] lane_round16(input fp_sum_t x, input logic bf, input logic stoch,
                                               input logic [15:0] random);
    /*verilator no_inline_task*/
    return bf ? round_bf16(x, stoch, random) : round_f16(x, stoch, random);
  endfunction

endpackage
