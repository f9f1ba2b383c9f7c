// SPDX-License-Identifier: Apache-2.0
// One SIMD lane of ow_datapath: a 16-bit multiplier, an adder of 27-bit significands that rounds to
// any floating-point format, 32-bit integer arithmetic, casts.
//
// Protocol: no handshake and no stall. Stages, in cycles after that of valid_i (ow_datapath_pkg;
// Deep 0 / 1):
//   U  0 / 0   the operands are read, factors unpacked
//   M  0 / 1   multiplication
//   P  0 / 2   product normalised, casts, integers and bits
//   C  1 / 2   the addend is read and unpacked
//   A  1 / 3   alignment and addition; integer sums, maxima
//   N  1 / 4   normalisation, rounding to binary32: partial_o
//   R  1 / 5   rounding to 16 bits: result_o, combinational
// What the beat does is the same for all lanes and comes decoded from ow_datapath, for each stage in
// its cycle. Throughput: one element a cycle, two of int8 dot.
// The multiplier is lent to ow_datapath_wide with wide_i: in stage M it then multiplies wide_a_i
// and wide_b_i.
//
//   Deep   0: one register, behind P; 1: one behind each stage
module ow_datapath_lane
  import ow_datapath_pkg::*;
  import ow_datapath_lane_pkg::*;
  import ow_fp_pkg::*;
#(
  parameter int unsigned Deep = 0
) (
  input  logic        clk_i,
  // Stage U.
  input  logic        valid_i,   // an element enters
  input  dp_op_e      op_i,      // what is done with it
  input  dp_kind_e    kind_i,    // what stage A will do
  input  dp_fmt_e     src_i,     // format of a_i and b_i
  input  dp_fmt_e     dst_i,     // format of the result
  input  logic        i8_hi_i,   // DP_DOT of int8: bits 15:8 of a_i and b_i are an element, too
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [15:0] random_i,  // for stochastic rounding
  // Stage M.
  input  logic        wide_i,    // the multiplier works for ow_datapath_wide
  input  logic [15:0] wide_a_i,
  input  logic [15:0] wide_b_i,
  output logic [31:0] product_o, // of the multiplier, in the same cycle; unsigned
  // Stage C.
  input  logic        c_valid_i, // an element of this lane is in stage C
  input  dp_addend_e  c_addend_i,     // what is added
  input  dp_fmt_e     c_addend_fmt_i, // and its format
  input  logic [31:0] c_i,       // addend
  // Stage A.
  input  logic        a_valid_i, // an element of this lane is in stage A
  input  dp_kind_e    a_kind_i,  // what stage A does
  input  dp_fmt_e     a_fmt_i,   // format of the result
  input  logic        a_min_i,   // DPK_MAX: minimum
  input  logic        a_red_i,   // a reduction: partial_i takes the place of the addend
  input  logic [31:0] partial_i, // the partial result of a reduction
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
  // What an element takes with it from stage to stage.
  typedef struct packed {
    dp_op_e      op;
    dp_kind_e    kind;
    dp_fmt_e     src;
    dp_fmt_e     dst;
    logic        i8_hi;
    logic [15:0] random;
  } element_t;

  element_t    u, m, p;
  fp_factor_t  u_fa, u_fb, m_fa, m_fb, p_fa, p_fb;  // factors
  logic [31:0] m_a, m_b, p_a, p_b;
  logic        m_valid, p_valid, is_mul, m_mul;
  logic [15:0] ma, mb;    // what the multiplier multiplies
  logic [31:0] p_product;

  assign is_mul = op_i == DP_MUL || op_i == DP_FMA || op_i == DP_DOT;
  assign u = '{op: op_i, kind: kind_i, src: src_i, dst: dst_i, i8_hi: i8_hi_i, random: random_i};

  always_comb begin
    u_fa = '0;
    u_fb = '0;
    if (valid_i && is_mul && kind_i == DPK_FADD) begin
      u_fa = unpack_factor(a_i[15:0], src_i == DF_BF16);
      u_fb = unpack_factor(b_i[15:0], src_i == DF_BF16);
    end
  end

  ow_pipe #(.Width($bits(element_t)), .Stages(Deep)) u_m_what (
    .clk_i, .en_i(valid_i), .d_i(u), .q_o({m})
  );
  ow_pipe #(.Width(64), .Stages(Deep)) u_m_operands (
    .clk_i, .en_i(valid_i), .d_i({a_i, b_i}), .q_o({m_a, m_b})
  );
  ow_pipe #(.Width(2 * $bits(fp_factor_t)), .Stages(Deep)) u_m_factors (
    .clk_i, .en_i(valid_i), .d_i({u_fa, u_fb}), .q_o({m_fa, m_fb})
  );

  if (Deep != 0) begin : gen_valid
    logic m_valid_q, p_valid_q;
    always_ff @(posedge clk_i) begin
      m_valid_q <= valid_i;
      p_valid_q <= m_valid_q;
    end
    assign m_valid = m_valid_q;
    assign p_valid = p_valid_q;
  end else begin : gen_valid
    assign m_valid = valid_i;
    assign p_valid = valid_i;
  end

  assign m_mul = m_valid && (m.op == DP_MUL || m.op == DP_FMA || m.op == DP_DOT);

  always_comb begin
    ma = '0;
    mb = '0;
    product_o = '0;
    if (m_mul || wide_i) begin
      if (wide_i) begin
        ma = wide_a_i;
        mb = wide_b_i;
      end else if (m.kind == DPK_FADD) begin
        ma = {5'd0, m_fa.sig};
        mb = {5'd0, m_fb.sig};
      end else begin
        ma = m_a[15:0];
        mb = m_b[15:0];
      end
      product_o = {16'd0, ma} * {16'd0, mb};
    end
  end

  ow_pipe #(.Width($bits(element_t) + 32), .Stages(Deep)) u_p_what (
    .clk_i, .en_i(m_valid), .d_i({m, product_o}), .q_o({p, p_product})
  );
  ow_pipe #(.Width(64), .Stages(Deep)) u_p_operands (
    .clk_i, .en_i(m_valid), .d_i({m_a, m_b}), .q_o({p_a, p_b})
  );
  ow_pipe #(.Width(2 * $bits(fp_factor_t)), .Stages(Deep)) u_p_factors (
    .clk_i, .en_i(m_valid), .d_i({m_fa, m_fb}), .q_o({p_fa, p_fb})
  );

  // ---------------------------------------------------------------------------------- stage P --
  fp_num_t     x_q;     // first term of a floating-point addition
  logic [31:0] bits_q;  // its second term if that is operand b, or the random number of a cast;
                        // in other beats the result, or what stage A adds or compares
  logic [31:0] bits_d, term_b;

  always_comb begin
    term_b = p_b;
    if (p.op == DP_SUB) term_b = p_b ^ (p.src == DF_F32 ? 32'h8000_0000 : 32'h0000_8000);
    bits_d = term_b;
    if (!p_valid) begin
      bits_d = '0;
    end else if (p.kind != DPK_FADD) begin
      bits_d = lane_bits(p.op, p.src, p.dst, p_a, p_b, p.i8_hi, p_product);
    end else if (p.op == DP_CVT) begin
      bits_d = {16'd0, p.random};
    end
  end

  always_ff @(posedge clk_i) begin
    if (p_valid) begin
      bits_q <= bits_d;
      if (p.kind == DPK_FADD) x_q <= lane_term(p.op, p.src, p_a, p_fa, p_fb, p_product[21:0]);
    end
  end

  // ---------------------------------------------------------------------------------- stage C --
  fp_num_t     c_term, a_term, y;
  logic [31:0] a_c;

  always_comb begin
    c_term = '0;
    if (c_valid_i && c_addend_i != DPA_ZERO) begin
      c_term = unpack_as(c_addend_i == DPA_C ? c_i : Deep != 0 ? term_b : bits_q, c_addend_fmt_i);
    end
  end

  ow_pipe #(.Width($bits(fp_num_t)), .Stages(Deep)) u_a_term (
    .clk_i, .en_i(c_valid_i), .d_i(c_term), .q_o({a_term})
  );
  ow_pipe #(.Width(32), .Stages(Deep)) u_a_c (
    .clk_i, .en_i(c_valid_i), .d_i(c_i), .q_o(a_c)
  );

  // A zero of the first term's sign changes nothing.
  dp_addend_e a_addend;
  ow_pipe #(.Width($bits(dp_addend_e)), .Stages(Deep)) u_a_what (
    .clk_i, .en_i(c_valid_i), .d_i(c_addend_i), .q_o({a_addend})
  );

  // ---------------------------------------------------------------------------------- stage A --
  fp_sum_t     a_sum, n_sum;
  logic [31:0] a_bits, n_bits;

  always_comb begin
    y = a_term;
    if (a_red_i) y = unpack_f32(partial_i);
    else if (a_addend == DPA_ZERO) y = zero_like(x_q.sign);
    a_sum = '0;
    a_bits = bits_q;
    if (a_valid_i) begin
      unique case (a_kind_i)
        DPK_FADD: a_sum = lane_sum(x_q, y);
        DPK_IADD: a_bits = keep_bits(bits_q + (a_red_i ? partial_i : a_c), a_fmt_i);
        DPK_MAX:  a_bits = maximum(partial_i, bits_q, a_fmt_i, a_min_i);
        default:  ;
      endcase
    end
  end

  ow_pipe #(.Width($bits(fp_sum_t)), .Stages(Deep)) u_n_sum (
    .clk_i, .en_i(a_valid_i), .d_i(a_sum), .q_o({n_sum})
  );
  ow_pipe #(.Width(32), .Stages(Deep)) u_n_bits (
    .clk_i, .en_i(a_valid_i), .d_i(a_bits), .q_o(n_bits)
  );

  // ------------------------------------------------------------------------------ stages N, R --
  fp_sum_t     n_normal, r_normal;
  logic [31:0] r_partial;
  logic [15:0] r_random;

  always_comb begin
    n_normal = '0;
    partial_o = n_bits;
    if (n_valid_i && n_kind_i == DPK_FADD) begin
      n_normal = lane_normal(n_sum);
      partial_o = round_f32(n_normal);
    end
  end

  ow_pipe #(.Width($bits(fp_sum_t)), .Stages(Deep)) u_r_normal (
    .clk_i, .en_i(n_valid_i), .d_i(n_normal), .q_o({r_normal})
  );
  ow_pipe #(.Width(48), .Stages(Deep)) u_r_bits (
    .clk_i, .en_i(n_valid_i), .d_i({n_bits[15:0], partial_o}), .q_o({r_random, r_partial})
  );

  always_comb begin
    result_o = '0;
    if (r_valid_i) begin
      result_o = r_partial;
      if (r_kind_i == DPK_FADD && r_fmt_i != DF_F32) begin
        result_o = {16'd0, lane_round16(r_normal, r_fmt_i == DF_BF16, r_stoch_i, r_random)};
      end
    end
  end

endmodule
