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
  import ow_datapath_lane_pkg::*;
  import ow_fp_pkg::*;
(
  input  logic        clk_i,
  // Stage M.
  input  logic        valid_i,   // an element enters
  input  dp_op_e      op_i,      // what is done with it
  input  dp_kind_e    kind_i,    // what stage A will do
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
  input  dp_fmt_e     a_fmt_i,   // format of the result
  input  dp_addend_e  a_addend_i,     // what is added
  input  dp_fmt_e     a_addend_fmt_i, // and its format
  input  logic        a_stoch_i, // round with the random number
  input  logic        a_min_i,   // DPK_MAX: minimum
  input  logic [31:0] c_i,       // addend, or the partial result of a reduction
  output logic [31:0] result_o   // in the low bits; the rest is zero
);

  // ---------------------------------------------------------------------------------- stage M --
  fp_factor_t  fa, fb;  // factors
  logic [15:0] ma, mb;  // what the multiplier multiplies
  logic        is_mul;

  assign is_mul = valid_i && (op_i == DP_MUL || op_i == DP_FMA || op_i == DP_DOT);

  always_comb begin
    fa = '0;
    fb = '0;
    ma = '0;
    mb = '0;
    product_o = '0;
    if (is_mul || wide_i) begin
      if (wide_i) begin
        ma = wide_a_i;
        mb = wide_b_i;
      end else if (kind_i == DPK_FADD) begin
        fa = unpack_factor(a_i[15:0], src_i == DF_BF16);
        fb = unpack_factor(b_i[15:0], src_i == DF_BF16);
        ma = {5'd0, fa.sig};
        mb = {5'd0, fb.sig};
      end else begin
        ma = a_i[15:0];
        mb = b_i[15:0];
      end
      product_o = {16'd0, ma} * {16'd0, mb};
    end
  end

  fp_num_t     x_q;     // first term of a floating-point addition
  logic [31:0] bits_q;  // its second term if that is operand b, or the random number of a cast;
                        // in other beats the result, or what stage A adds or compares

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      if (kind_i == DPK_FADD) begin
        x_q <= lane_term(op_i, src_i, a_i, fa, fb, product_o[21:0]);
        bits_q <= b_i;
        if (op_i == DP_SUB) bits_q <= b_i ^ (src_i == DF_F32 ? 32'h8000_0000 : 32'h0000_8000);
        if (op_i == DP_CVT) bits_q <= {16'd0, random_i};
      end else begin
        bits_q <= lane_bits(op_i, src_i, dst_i, a_i, b_i, i8_hi_i, product_o);
      end
    end
  end

  // ---------------------------------------------------------------------------------- stage A --
  always_comb begin
    result_o = '0;
    if (a_valid_i) begin
      result_o = lane_result(a_kind_i, a_addend_i, a_addend_fmt_i, a_fmt_i, a_stoch_i, a_min_i,
                             x_q, bits_q, c_i);
    end
  end

endmodule
