// SPDX-License-Identifier: Apache-2.0
// The 32-bit multiply-add of ow_datapath: binary32 with one rounding, int32 modulo 2^32. Its
// product is made of four 16 x 16 bit products of the lanes' multipliers.
//
// Protocol: no handshake and no stall. The stages are those of ow_datapath_lane, in its cycles. U
// reads the operands; M takes products of the lent multipliers; P joins them and reads the addend;
// A adds; N normalises and rounds (partial_o); R gives result_o, a register. Throughput: one
// element per cycle.
module ow_datapath_wide
  import ow_fp_pkg::*;
  import ow_fp_wide_pkg::*;
#(
  parameter int unsigned Parts = 8  // partial results that it may add to, 1 or more
) (
  input  logic             clk_i,
  // Stage U.
  input  logic             valid_i,    // an element enters
  input  logic             beat_i,     // a beat does, perhaps without an element here
  input  logic             int_i,      // int32, else binary32
  input  logic [31:0]      a_i,
  input  logic [31:0]      b_i,
  // Stage M.
  output logic [3:0][15:0] mul_a_o,    // factors of the four multipliers; 0 without an element
  output logic [3:0][15:0] mul_b_o,
  input  logic [3:0][31:0] product_i,  // their products, in the same cycle
  // Stage P.
  input  logic             p_addend_i, // c_i is added
  input  logic             p_red_i,    // a partial result will be, or 0
  input  logic [Parts-1:0] p_from_i,   // this one, one-hot or none
  input  logic [31:0]      c_i,        // addend
  // Stage A.
  input  logic             a_valid_i,  // an element is in stage A
  input  logic [Parts-1:0][31:0] part_i,  // the partial results
  // Stage N.
  input  logic             n_valid_i,  // an element is in stage N
  output logic [31:0]      partial_o,
  // Stage R.
  output logic [31:0]      result_o
);

  // ------------------------------------------------------------------------------ stages U, M --
  fp_wide_t    u_fa, u_fb, m_fa_q, m_fb_q, p_fa_q, p_fb_q;
  logic [31:0] u_a, u_b, m_a_q, m_b_q;  // what is multiplied
  logic        m_valid_q, m_int_q, p_valid_q, p_int_q;
  logic [3:0][31:0] p_product_q;

  always_comb begin
    u_fa = '0;
    u_fb = '0;
    u_a = '0;
    u_b = '0;
    if (valid_i) begin
      if (int_i) begin
        u_a = a_i;
        u_b = b_i;
      end else begin
        u_fa = unpack_wide(a_i);
        u_fb = unpack_wide(b_i);
        u_a = {8'd0, u_fa.sig};
        u_b = {8'd0, u_fb.sig};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    m_valid_q <= valid_i;
    p_valid_q <= m_valid_q;
    if (beat_i) {m_a_q, m_b_q} <= {u_a, u_b};
    if (valid_i) {m_int_q, m_fa_q, m_fb_q} <= {int_i, u_fa, u_fb};
    if (m_valid_q) begin
      p_product_q <= product_i;
      {p_int_q, p_fa_q, p_fb_q} <= {m_int_q, m_fa_q, m_fb_q};
    end
  end

  assign mul_a_o = {m_a_q[31:16], m_a_q[31:16], m_a_q[15:0], m_a_q[15:0]};
  assign mul_b_o = {m_b_q[31:16], m_b_q[15:0], m_b_q[31:16], m_b_q[15:0]};

  // ---------------------------------------------------------------------------------- stage P --
  logic [47:0] prod;  // all that a product of significands has

  always_comb begin
    prod = '0;
    if (p_valid_q) begin
      prod = {p_product_q[3][15:0], p_product_q[0]} + {p_product_q[1], 16'd0} +
             {p_product_q[2], 16'd0};
    end
  end

  // The product in the adder's form: (-1)^sign * sig * 2^(exp - 177), exp >= 1; sig is normalised
  // (bit 50) or exp is 1; bit 0 may be sticky.
  logic        int_q, nan_q, inf_q, sign_q;
  logic [8:0]  exp_q;
  logic [50:0] sig_q;  // integers: the low half of the product

  logic signed [9:0]  p_e;    // the exponent, however small
  logic        [8:0]  p_d;    // places that it is below 1
  logic        [50:0] p_s, p_sig;

  always_comb begin
    p_e = '0;
    p_d = '0;
    p_s = '0;
    p_sig = '0;
    if (p_valid_q) begin
      p_s = prod[47] ? {prod[47:0], 3'd0} : {prod[46:0], 4'd0};
      p_e = p_fa_q.exp + p_fb_q.exp - (prod[47] ? 10'sd126 : 10'sd127);
      p_d = 9'(10'd1 - unsigned'(p_e));
      p_sig = p_s;
      if (p_int_q) p_sig = {19'd0, prod[31:0]};
      else if (p_e < 10'sd1) p_sig = shift_down_wide(p_s, p_d);
    end
  end

  always_ff @(posedge clk_i) begin
    if (p_valid_q) begin
      int_q <= p_int_q;
      sign_q <= p_fa_q.sign ^ p_fb_q.sign;
      nan_q <= p_fa_q.nan || p_fb_q.nan || (p_fa_q.inf && !p_fb_q.inf && !p_fb_q.sig[23]) ||
               (p_fb_q.inf && !p_fa_q.inf && !p_fa_q.sig[23]);
      inf_q <= p_fa_q.inf || p_fb_q.inf;
      exp_q <= !p_int_q && (p_e < 10'sd1 || p_s == 51'd0) ? 9'd1 : p_e[8:0];
      sig_q <= p_sig;
    end
  end

  // ---------------------------------------------------------------------------------- stage A --
  logic [31:0]      p_c, a_c_q, a_addend, a_int_sum;
  logic [Parts-1:0] a_from_q;
  fp_wide_sum_t     a_sum, n_sum_q;
  logic             n_int_q;

  // Without an addend, a zero of the product's sign is added, which changes nothing.
  always_comb begin
    p_c = '0;
    if (p_addend_i) p_c = c_i;
    else if (!p_red_i) p_c[31] = !p_int_q && (p_fa_q.sign ^ p_fb_q.sign);
  end

  always_comb begin
    a_sum = '0;
    a_addend = a_c_q;
    for (int unsigned i = 0; i < Parts; i++) if (a_from_q[i]) a_addend = a_addend | part_i[i];
    a_int_sum = sig_q[31:0] + a_addend;
    if (a_valid_i) begin
      if (int_q) begin
        a_sum.sum = {20'd0, a_int_sum};
      end else begin
        a_sum = add_wide(nan_q, inf_q, sign_q, exp_q, sig_q, unpack_f32(a_addend));
      end
    end
  end

  // ------------------------------------------------------------------------------ stages N, R --
  logic [31:0] r_result_q;

  always_comb begin
    partial_o = '0;
    if (n_valid_i) partial_o = n_int_q ? n_sum_q.sum[31:0] : round_wide(n_sum_q);
  end

  always_ff @(posedge clk_i) begin
    if (p_valid_q) {a_c_q, a_from_q} <= {p_c, p_from_i};
    if (a_valid_i) begin
      n_sum_q <= a_sum;
      n_int_q <= int_q;
    end
    if (n_valid_i) r_result_q <= partial_o;
  end

  assign result_o = r_result_q;

endmodule
