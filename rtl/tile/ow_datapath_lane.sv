// SPDX-License-Identifier: Apache-2.0
// One SIMD lane of ow_datapath: a 16-bit multiplier, an adder of 27-bit significands that rounds to
// any floating-point format, 32-bit integer arithmetic, casts.
//
// Protocol: no handshake and no stall. Stage M (the cycle of valid_i) reads the operands and
// multiplies; stage A, one cycle later, reads the addend, adds, normalises and rounds; result_o is
// combinational from it. What the beat does is the same for all lanes and comes decoded from
// ow_datapath, for each stage in its cycle. Throughput: one element a cycle, two of int8 dot.
// The multiplier is lent to ow_datapath_wide with wide_i: it then multiplies wide_a_i and wide_b_i.
module ow_datapath_lane
  import ow_datapath_pkg::*;
  import ow_fp_pkg::*;
(
  input  logic        clk_i,
  // Stage M.
  input  logic        valid_i,   // an element enters
  input  dp_op_e      op_i,      // what is done with it
  input  dp_fmt_e     src_i,     // format of a_i and b_i
  input  dp_fmt_e     dst_i,     // format of the result
  input  logic        i8_hi_i,   // DP_DOT of int8: bits 15:8 of a_i and b_i are an element, too
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [15:0] random_i,  // for stochastic rounding
  input  logic        wide_i,    // the multiplier works for ow_datapath_wide
  input  logic [15:0] wide_a_i,
  input  logic [15:0] wide_b_i,
  output logic [31:0] product_o, // of the multiplier, in the same cycle; unsigned
  // Stage A.
  input  logic        a_valid_i, // an element of this lane is in stage A
  input  dp_kind_e    a_kind_i,  // what stage A does
  input  dp_fmt_e     a_fmt_i,   // format of the result and of c_i
  input  logic        a_addend_i,// the addend is c_i (else the operand from stage M)
  input  logic        a_stoch_i, // round with the random number
  input  logic        a_min_i,   // DPK_MAX: minimum
  input  logic [31:0] c_i,       // addend, or the partial result of a reduction
  output logic [31:0] result_o   // in the low bits; the rest is zero
);

  // ---------------------------------------------------------------------------------- stage M --
  fp_factor_t  fa, fb;       // factors
  logic [15:0] ma, mb;       // what the multiplier multiplies
  logic        use_factors;

  assign use_factors = valid_i && (op_i == DP_MUL || op_i == DP_FMA || op_i == DP_DOT) &&
                       (src_i == DF_F16 || src_i == DF_BF16);

  always_comb begin
    fa = '0;
    fb = '0;
    ma = '0;
    mb = '0;
    product_o = '0;
    if (use_factors) begin
      fa = unpack_factor(a_i[15:0], src_i == DF_BF16);
      fb = unpack_factor(b_i[15:0], src_i == DF_BF16);
      ma = {5'd0, fa.sig};
      mb = {5'd0, fb.sig};
      product_o = {16'd0, ma} * {16'd0, mb};
    end else if (wide_i) begin
      ma = wide_a_i;
      mb = wide_b_i;
      product_o = {16'd0, ma} * {16'd0, mb};
    end else if (valid_i && src_i == DF_I16 &&
                 (op_i == DP_MUL || op_i == DP_FMA || op_i == DP_DOT)) begin
      ma = a_i[15:0];
      mb = b_i[15:0];
      product_o = {16'd0, ma} * {16'd0, mb};
    end
  end

  // Integers of the source format, sign-extended.
  function automatic logic [31:0] extend(input logic [31:0] x, input dp_fmt_e fmt);
    if (fmt == DF_I8) return {{24{x[7]}}, x[7:0]};
    if (fmt == DF_I16) return {{16{x[15]}}, x[15:0]};
    return x;
  endfunction

  // The low bits of an integer as the destination keeps them.
  function automatic logic [31:0] keep(input logic [31:0] x, input dp_fmt_e fmt);
    if (fmt == DF_I8) return {24'd0, x[7:0]};
    if (fmt == DF_F32 || fmt == DF_I32) return x;
    return {16'd0, x[15:0]};
  endfunction

  function automatic logic is_int(input dp_fmt_e fmt);
    return fmt == DF_I16 || fmt == DF_I32 || fmt == DF_I8;
  endfunction

  // Binary32 of an unpacked number that is one.
  function automatic logic [31:0] pack_f32(input fp_num_t x);
    if (x.nan) return NAN32;
    if (x.inf) return {x.sign, 8'hFF, 23'd0};
    return {x.sign, x.sig[26] ? x.exp[7:0] : 8'd0, x.sig[25:3]};
  endfunction

  function automatic logic [31:0] shift(input logic [31:0] a, input logic [4:0] b,
                                        input dp_fmt_e fmt, input dp_op_e op);
    /*verilator no_inline_task*/
    logic [31:0] x;
    logic [4:0]  n;
    n = fmt == DF_I32 ? b : {1'b0, b[3:0]};
    if (op == DP_SLL) return a << n;
    x = fmt == DF_I32 ? a : op == DP_SRA ? {{16{a[15]}}, a[15:0]} : {16'd0, a[15:0]};
    return op == DP_SRA ? unsigned'(signed'(x) >>> n) : x >> n;
  endfunction

  // int8 dot: both products; their sum has 17 bits.
  function automatic logic [31:0] dot_i8(input logic [15:0] a, input logic [15:0] b,
                                         input logic both);
    /*verilator no_inline_task*/
    logic signed [15:0] lo;
    logic signed [15:0] hi;
    lo = signed'({{8{a[7]}}, a[7:0]}) * signed'({{8{b[7]}}, b[7:0]});
    hi = both ? signed'({{8{a[15]}}, a[15:8]}) * signed'({{8{b[15]}}, b[15:8]}) : 16'sd0;
    return {{16{lo[15]}}, lo} + {{16{hi[15]}}, hi};
  endfunction

  // A cast whose result is an integer.
  function automatic logic [31:0] cast_int(input logic [31:0] a, input dp_fmt_e src,
                                           input dp_fmt_e dst);
    /*verilator no_inline_task*/
    logic [5:0] bits;
    bits = dst == DF_I8 ? 6'd8 : dst == DF_I16 ? 6'd16 : 6'd32;
    return is_int(src) ? saturate(extend(a, src), bits) : round_int(unpack_as(a, src), bits);
  endfunction

  // Signed 16-bit product from the unsigned one.
  function automatic logic [31:0] signed_product(input logic [31:0] p, input logic [15:0] a,
                                                 input logic [15:0] b);
    return p - {a[15] ? b : 16'd0, 16'd0} - {b[15] ? a : 16'd0, 16'd0};
  endfunction

  fp_num_t     x_q;       // product or operand a
  fp_num_t     y_q;       // operand b
  logic [31:0] bits_q;    // results and operands that are no floating-point sums
  logic [15:0] random_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      unique case (op_i)
        DP_MOV: bits_q <= keep(a_i, src_i);
        DP_ADD, DP_SUB: begin
          if (is_int(src_i)) begin
            bits_q <= keep(op_i == DP_SUB ? a_i - b_i : a_i + b_i, src_i);
          end else begin
            x_q <= unpack_as(a_i, src_i);
            y_q <= negate_if(unpack_as(b_i, src_i), op_i == DP_SUB);
          end
        end
        DP_MUL, DP_FMA, DP_DOT: begin
          if (use_factors) begin
            x_q <= fp_product(fa, fb, product_o[21:0]);
            y_q <= zero_like(fa.sign ^ fb.sign);
          end else if (src_i == DF_I8) begin
            bits_q <= dot_i8(a_i[15:0], b_i[15:0], i8_hi_i);
          end else begin
            bits_q <= signed_product(product_o, a_i[15:0], b_i[15:0]);
            if (op_i != DP_DOT) bits_q[31:16] <= '0;
          end
        end
        DP_MAX, DP_MIN: bits_q <= maximum(a_i, b_i, src_i, op_i == DP_MIN);
        DP_CVT: begin
          if (is_int(dst_i)) begin
            bits_q <= keep(cast_int(a_i, src_i, dst_i), dst_i);
          end else begin
            x_q <= is_int(src_i) ? unpack_int(extend(a_i, src_i)) : unpack_as(a_i, src_i);
            y_q <= zero_like(is_int(src_i) ? 1'b0 : a_i[src_i == DF_F32 ? 31 : 15]);
            random_q <= random_i;
          end
        end
        DP_AND: bits_q <= keep(a_i & b_i, src_i);
        DP_OR: bits_q <= keep(a_i | b_i, src_i);
        DP_XOR: bits_q <= keep(a_i ^ b_i, src_i);
        DP_SLL, DP_SRL, DP_SRA: bits_q <= keep(shift(a_i, b_i[4:0], src_i, op_i), src_i);
        DP_CMPEQ, DP_CMPNE, DP_CMPLT, DP_CMPLE: bits_q <= compare(a_i, b_i, src_i, op_i);
        DP_SUM: begin
          if (is_int(src_i)) bits_q <= extend(a_i, src_i);
          else x_q <= unpack_as(a_i, src_i);
        end
        default: begin  // DP_RMAX, DP_RMIN
          bits_q <= is_int(src_i) ? extend(a_i, src_i) : pack_f32(unpack_as(a_i, src_i));
        end
      endcase
    end
  end

  // ---------------------------------------------------------------------------------- stage A --
  always_comb begin
    result_o = '0;
    if (a_valid_i) begin
      unique case (a_kind_i)
        DPK_FADD: result_o = finish_as(add_align(x_q, a_addend_i ? unpack_as(c_i, a_fmt_i) : y_q),
                                       a_fmt_i, a_stoch_i, random_q);
        DPK_IADD: result_o = keep(bits_q + c_i, a_fmt_i);
        DPK_MAX:  result_o = maximum(c_i, bits_q, a_fmt_i, a_min_i);
        default:  result_o = bits_q;
      endcase
    end
  end

endmodule
