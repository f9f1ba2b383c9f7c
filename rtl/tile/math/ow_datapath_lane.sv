// SPDX-License-Identifier: Apache-2.0
// One SIMD lane of ow_datapath: a 16-bit multiplier, an adder of 27-bit significands that rounds to
// any floating-point format, 32-bit integer arithmetic, and casts.
//
// Protocol: no handshake and no stall. Stages, in cycles after valid_i, each with a register after
// it:
//   U  0   the operands are read, factors unpacked
//   M  1   multiplication
//   P  2   product normalised, casts, integers and bits; the addend is read and unpacked
//   A  3   alignment and addition; integer sums, maxima
//   N  4   normalisation, rounding to binary32: partial_o
//   R  5   rounding to 16 bits: result_o, combinational
// A binary32 result in stage R can be the addend of an element in stage A (it entered two cycles
// later) or P (three cycles later): p_back_i. The operation is the same for all lanes and comes
// decoded from ow_datapath, for each stage in its cycle. Throughput: one element per cycle, two of
// an int8 dot.
//
// The multiplier is lent to ow_datapath_wide: in stage M it multiplies wide_a_i and wide_b_i where
// they are not 0. In such a beat its own factors are 0, so an OR joins the two without a choice.
module ow_datapath_lane
  import ow_datapath_pkg::*;
  import ow_datapath_lane_pkg::*;
  import ow_fp_pkg::*;
#(
  parameter dp_has_t Has = DP_HAS_ALL,  // what it is asked for
  parameter int unsigned Groups = 2     // partial results that it may add to, 1 or more
) (
  input  logic        clk_i,
  // Stage U.
  input  logic        valid_i,   // an element enters
  input  logic        beat_i,    // a beat does, perhaps without an element here
  input  dp_op_e      op_i,      // what is done with it
  input  dp_kind_e    kind_i,    // what stage A will do
  input  dp_fmt_e     src_i,     // format of a_i and b_i
  input  dp_fmt_e     dst_i,     // format of the result
  input  logic        i8_hi_i,   // DP_DOT of int8: bits 15:8 of a_i and b_i are an element, too
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [15:0] random_i,  // for stochastic rounding
  // Stage M.
  input  logic [15:0] wide_a_i,
  input  logic [15:0] wide_b_i,
  output logic [31:0] product_o, // of the multiplier, in the same cycle; unsigned; of an int8 dot
                                 // those of the upper and of the lower bytes
  // Stage P.
  input  dp_addend_e  p_addend_i,     // what is added
  input  dp_fmt_e     p_addend_fmt_i, // and its format
  input  logic [1:0]  p_back_i,  // not c_i, but the result in stage R, now (10) or in stage A (01)
  input  logic [31:0] c_i,       // addend
  input  logic        p_red_i,   // a reduction: a partial result takes the addend's place
  input  logic [Groups-1:0] p_from_i,  // this one, one-hot
  input  logic [31:0] p_start_i, // or what it starts from; else 0
  // Stage A.
  input  logic        a_valid_i, // an element of this lane is in stage A
  input  dp_kind_e    a_kind_i,  // what stage A does
  input  dp_fmt_e     a_fmt_i,   // format of the result
  input  logic        a_min_i,   // DPK_MAX: minimum
  input  logic [Groups-1:0][31:0] part_i,  // the partial results
  // Stage N.
  input  logic        n_valid_i, // an element of this lane is in stage N
  input  dp_kind_e    n_kind_i,
  output logic [31:0] partial_o, // the result as binary32 or as bits
  // Stage R.
  input  logic        r_valid_i, // an element of this lane is in stage R
  input  dp_kind_e    r_kind_i,
  input  dp_fmt_e     r_fmt_i,
  input  logic        r_stoch_i, // round with the random number
  output logic [31:0] result_o   // in the low bits; the rest is zero
);

  // ------------------------------------------------------------------------------ stages U, M --
  // The fields that go with an element from stage to stage.
  typedef struct packed {
    dp_op_e      op;
    dp_kind_e    kind;
    dp_fmt_e     src;
    dp_fmt_e     dst;
    logic        i8_hi;
    logic [15:0] random;
  } element_t;

  element_t    m_q, p_q;
  fp_factor_t  u_fa, u_fb, m_fa_q, m_fb_q, p_fa_q, p_fb_q;  // factors
  logic [31:0] m_a_q, m_b_q, p_a_q, p_b_q;
  logic        m_valid_q, p_valid_q, is_mul;
  logic [15:0] u_x, u_y, m_x_q, m_y_q;  // what is multiplied; 0 while the multiplier is lent
  logic        u_bytes, m_bytes_q;      // they are multiplied byte by byte
  logic [15:0] m_x, m_y, m_low, m_high;
  logic [31:0] p_product_q;

  // The operation and formats, without bits that this configuration never sets.
  localparam bit Ints = Has.i8 || Has.i16 || Has.i32;

  dp_op_e  u_op;
  dp_fmt_e u_src, u_dst, p_addend_fmt, a_fmt, r_fmt;
  logic    a_iadd, a_max;

  assign u_op = dp_op_of(op_i, Has);
  assign u_src = dp_fmt_of(src_i, Has);
  assign u_dst = dp_fmt_of(dst_i, Has);
  assign p_addend_fmt = dp_fmt_of(p_addend_fmt_i, Has);
  assign a_fmt = dp_fmt_of(a_fmt_i, Has);
  assign r_fmt = dp_fmt_of(r_fmt_i, Has);
  assign a_iadd = Ints && a_kind_i == DPK_IADD;
  assign a_max = Has.red && a_kind_i == DPK_MAX;

  assign is_mul = u_op == DP_MUL || u_op == DP_FMA || (Has.red && u_op == DP_DOT);

  always_comb begin
    u_fa = '0;
    u_fb = '0;
    u_x = '0;
    u_y = '0;
    u_bytes = Has.i8 && u_src == DF_I8;
    // The validity of an element arrives late, so it is not a condition here.
    if (is_mul && kind_i == DPK_FADD) begin
      u_fa = unpack_factor(a_i[15:0], u_src == DF_BF16);
      u_fb = unpack_factor(b_i[15:0], u_src == DF_BF16);
    end
    if (is_mul && u_src != DF_F32 && u_src != DF_I32) begin
      u_x = !Ints || kind_i == DPK_FADD ? {5'd0, u_fa.sig} : a_i[15:0];
      u_y = !Ints || kind_i == DPK_FADD ? {5'd0, u_fb.sig} : b_i[15:0];
    end
  end

  // An integer that becomes a floating-point number goes on as its magnitude and its sign.
  logic [31:0] m_a, m_int;
  fp_factor_t  m_fa;

  always_comb begin
    m_int = extend_int(m_a_q, m_q.src);
    m_a = m_a_q;
    m_fa = m_fa_q;
    if (Ints && m_q.kind == DPK_FADD && is_int(m_q.src)) begin
      m_a = magnitude(m_int);
      m_fa.sign = m_int[31];
    end
  end

  always_ff @(posedge clk_i) begin
    m_valid_q <= valid_i;
    p_valid_q <= m_valid_q;
    if (beat_i) {m_x_q, m_y_q, m_bytes_q} <= {u_x, u_y, u_bytes};
    if (valid_i) begin
      m_q <= '{op: u_op, kind: kind_i, src: u_src, dst: u_dst, i8_hi: Has.i8 && i8_hi_i,
               random: Has.stoch ? random_i : 16'd0};
      {m_a_q, m_b_q, m_fa_q, m_fb_q} <= {a_i, b_i, u_fa, u_fb};
    end
    if (m_valid_q) begin
      p_q <= m_q;
      p_product_q <= product_o;
      {p_a_q, p_b_q, p_fa_q, p_fb_q} <= {m_a, m_b_q, m_fa, m_fb_q};
    end
  end

  always_comb begin
    m_x = m_x_q | wide_a_i;
    m_y = m_y_q | wide_b_i;
    m_low = m_x;
    m_high = m_x;
    if (Has.i8) begin
      // The product is made by the bytes of y. In an int8 dot each byte takes the byte of x in its
      // own place.
      if (m_bytes_q) {m_low[15:8], m_high[7:0]} = '0;
      product_o = {8'd0, 24'(m_low) * 24'(m_y[7:0])};
      product_o[31:8] = product_o[31:8] + 24'(m_high) * 24'(m_y[15:8]);
    end else begin
      product_o = {16'd0, m_x} * {16'd0, m_y};
    end
  end

  // ---------------------------------------------------------------------------------- stage P --
  fp_num_t     x_q;     // first term of a floating-point addition
  logic [31:0] bits_q;  // its second term if that is operand b, or the random number of a cast;
                        // in other beats the result, or what stage A adds or compares
  logic [31:0] bits_d, term_b;

  always_comb begin
    term_b = p_b_q;
    if (p_q.op == DP_SUB) begin
      term_b = p_b_q ^ (p_q.src == DF_F32 ? 32'h8000_0000 : 32'h0000_8000);
    end
    bits_d = term_b;
    if (!p_valid_q) begin
      bits_d = '0;
    end else if (p_q.kind != DPK_FADD) begin
      bits_d = lane_bits(p_q.op, p_q.src, p_q.dst, p_a_q, p_b_q, p_q.i8_hi, p_product_q,
                         Has);
    end else if (p_q.op == DP_CVT) begin
      bits_d = {16'd0, p_q.random};
    end
  end

  always_ff @(posedge clk_i) begin
    if (p_valid_q) begin
      bits_q <= bits_d;
      if (p_q.kind == DPK_FADD) begin
        x_q <= lane_term(p_q.op, p_q.src, p_a_q, p_fa_q, p_fb_q, p_product_q[21:0]);
      end
    end
  end

  // The addend. Stage A finds some addends itself (a partial result, a result in stage R). An OR
  // joins the two there, so the unused one is 0.
  fp_num_t     p_term, a_term_q;
  logic [31:0] p_c, a_c_q, r_partial_q;
  logic        a_none_q, a_finds_q, a_back_q;  // no addend; stage A finds it (or none), in stage R

  always_comb begin
    p_c = p_back_i[1] ? r_partial_q : c_i;
    p_term = '0;
    if (p_valid_q && p_addend_i != DPA_ZERO && !p_back_i[0]) begin
      p_term = unpack_as(p_addend_i == DPA_C ? p_c : term_b, p_addend_fmt);
    end
  end

  logic [Groups-1:0] a_from_q;
  logic [31:0]       a_start_q;

  always_ff @(posedge clk_i) begin
    if (p_valid_q) begin
      a_term_q <= p_term;
      a_c_q <= p_addend_i == DPA_C ? c_i : '0;
      a_none_q <= p_addend_i == DPA_ZERO && !p_red_i;
      a_finds_q <= p_addend_i == DPA_ZERO || p_back_i[0];
      a_back_q <= p_back_i[0];
      a_from_q <= p_from_i;
      a_start_q <= p_start_i;
    end
  end

  // ---------------------------------------------------------------------------------- stage A --
  logic [31:0] partial, found;
  fp_num_t     found_num, y;
  fp_sum_t     a_sum, n_sum_q;
  logic [31:0] a_bits, n_bits_q;

  always_comb begin
    partial = '0;
    if (Has.red) begin
      partial = a_start_q;
      for (int unsigned g = 0; g < Groups; g++) if (a_from_q[g]) partial = partial | part_i[g];
    end
    found = partial | (a_back_q ? r_partial_q : 32'd0);
    found_num = unpack_f32(found);
    if (!a_finds_q) found_num.exp[0] = found[23];  // of what is not there the exponent is 0, too
    y = a_term_q | found_num;
    if (a_none_q) y.sign = x_q.sign;  // a zero of that sign changes nothing
    a_sum = '0;
    a_bits = bits_q;
    if (a_valid_i) begin
      if (a_kind_i == DPK_FADD) a_sum = lane_sum(x_q, y);
      if (a_iadd) a_bits = keep_bits(bits_q + (a_c_q | partial), a_fmt);
      if (a_max) a_bits = maximum(partial, bits_q, a_fmt, a_min_i);
    end
  end

  // ------------------------------------------------------------------------------ stages N, R --
  fp_sum_t     n_normal, r_normal_q;
  logic [15:0] r_random_q;

  always_comb begin
    n_normal = '0;
    partial_o = n_bits_q;
    if (n_valid_i && n_kind_i == DPK_FADD) begin
      n_normal = lane_normal(n_sum_q);
      partial_o = round_f32(n_normal);
    end
  end

  always_ff @(posedge clk_i) begin
    if (a_valid_i) begin
      n_sum_q <= a_sum;
      n_bits_q <= a_bits;
    end
    if (n_valid_i) begin
      r_normal_q <= n_normal;
      r_random_q <= n_bits_q[15:0];
      r_partial_q <= partial_o;
    end
  end

  always_comb begin
    result_o = '0;
    if (r_valid_i) begin
      result_o = r_partial_q;
      if (r_kind_i == DPK_FADD && r_fmt != DF_F32) begin
        result_o = {16'd0, lane_round16(r_normal_q, r_fmt == DF_BF16, Has.stoch && r_stoch_i,
                                        r_random_q)};
      end
    end
  end

endmodule
