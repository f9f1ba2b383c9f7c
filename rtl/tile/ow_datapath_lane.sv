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

  fp_num_t     x_q;       // product or operand a
  fp_num_t     y_q;       // operand b
  logic [31:0] bits_q;    // results and operands that are no floating-point sums
  logic [15:0] random_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      unique case (op_i)
        DP_MOV: bits_q <= keep_bits(a_i, src_i);
        DP_ADD, DP_SUB: begin
          if (is_int(src_i)) begin
            bits_q <= keep_bits(op_i == DP_SUB ? a_i - b_i : a_i + b_i, src_i);
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
            bits_q <= keep_bits(cast_int(a_i, src_i, dst_i), dst_i);
          end else begin
            x_q <= is_int(src_i) ? unpack_int(extend_int(a_i, src_i)) : unpack_as(a_i, src_i);
            y_q <= zero_like(is_int(src_i) ? 1'b0 : a_i[src_i == DF_F32 ? 31 : 15]);
            random_q <= random_i;
          end
        end
        DP_AND: bits_q <= keep_bits(a_i & b_i, src_i);
        DP_OR: bits_q <= keep_bits(a_i | b_i, src_i);
        DP_XOR: bits_q <= keep_bits(a_i ^ b_i, src_i);
        DP_SLL, DP_SRL, DP_SRA: bits_q <= keep_bits(shift_int(a_i, b_i[4:0], src_i, op_i), src_i);
        DP_CMPEQ, DP_CMPNE, DP_CMPLT, DP_CMPLE: bits_q <= compare(a_i, b_i, src_i, op_i);
        DP_SUM: begin
          if (is_int(src_i)) bits_q <= extend_int(a_i, src_i);
          else x_q <= unpack_as(a_i, src_i);
        end
        default: begin  // DP_RMAX, DP_RMIN
          bits_q <= is_int(src_i) ? extend_int(a_i, src_i) : pack_f32(unpack_as(a_i, src_i));
        end
      endcase
    end
  end

  // ---------------------------------------------------------------------------------- stage A --
  fp_num_t addend;

  always_comb begin
    addend = y_q;
    result_o = '0;
    if (a_valid_i) begin
      unique case (a_kind_i)
        DPK_FADD: begin
          if (a_addend_i) addend = unpack_as(c_i, a_fmt_i);
          result_o = add_round(x_q, addend, a_fmt_i, a_stoch_i, random_q);
        end
        DPK_IADD: result_o = keep_bits(bits_q + c_i, a_fmt_i);
        DPK_MAX:  result_o = maximum(c_i, bits_q, a_fmt_i, a_min_i);
        default:  result_o = bits_q;
      endcase
    end
  end

endmodule
