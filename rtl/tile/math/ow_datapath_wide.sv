// SPDX-License-Identifier: Apache-2.0
// The 32-bit multiply-add of ow_datapath: binary32 with one rounding, int32 modulo 2^32. Its
// product is put together from four 16 x 16 bit products of the lanes' multipliers.
//
// Protocol: no handshake and no stall. The stages are those of ow_datapath_lane, in its cycles: U
// reads the operands, M lends the multipliers and takes their products, P puts them together, C
// reads the addend, A adds, N normalises and rounds (partial_o), R gives result_o, combinational.
// Throughput: one element a cycle.
//
//   Deep   0: one register, behind P; 1: one behind each stage
module ow_datapath_wide
  import ow_fp_pkg::*;
  import ow_fp_wide_pkg::*;
#(
  parameter int unsigned Deep = 0
) (
  input  logic             clk_i,
  // Stage U.
  input  logic             valid_i,    // an element enters
  input  logic             int_i,      // int32, else binary32
  input  logic [31:0]      a_i,
  input  logic [31:0]      b_i,
  // Stage M.
  output logic [3:0][15:0] mul_a_o,    // factors of the four multipliers
  output logic [3:0][15:0] mul_b_o,
  input  logic [3:0][31:0] product_i,  // their products, in the same cycle
  // Stage C.
  input  logic             c_valid_i,  // an element is in stage C
  input  logic [31:0]      c_i,        // addend
  // Stage A.
  input  logic             a_valid_i,  // an element is in stage A
  input  logic             a_addend_i, // c_i is added
  input  logic             a_red_i,    // partial_i is added
  input  logic [31:0]      partial_i,
  // Stage N.
  input  logic             n_valid_i,  // an element is in stage N
  output logic [31:0]      partial_o,
  // Stage R.
  output logic [31:0]      result_o
);

  // ------------------------------------------------------------------------------ stages U, M --
  fp_wide_t    u_fa, u_fb, m_fa, m_fb, p_fa, p_fb;
  logic [31:0] u_a, u_b, m_a, m_b;  // what is multiplied
  logic        m_valid, m_int, p_valid, p_int;
  logic [3:0][31:0] p_product;

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

  ow_pipe #(.Width(65), .Stages(Deep)) u_m_factors (
    .clk_i, .en_i(valid_i), .d_i({int_i, u_a, u_b}), .q_o({m_int, m_a, m_b})
  );
  ow_pipe #(.Width(2 * $bits(fp_wide_t)), .Stages(Deep)) u_m_unpacked (
    .clk_i, .en_i(valid_i), .d_i({u_fa, u_fb}), .q_o({m_fa, m_fb})
  );

  assign mul_a_o = {m_a[31:16], m_a[31:16], m_a[15:0], m_a[15:0]};
  assign mul_b_o = {m_b[31:16], m_b[15:0], m_b[31:16], m_b[15:0]};

  ow_pipe #(.Width(129), .Stages(Deep)) u_p_product (
    .clk_i, .en_i(m_valid), .d_i({m_int, product_i}), .q_o({p_int, p_product})
  );
  ow_pipe #(.Width(2 * $bits(fp_wide_t)), .Stages(Deep)) u_p_unpacked (
    .clk_i, .en_i(m_valid), .d_i({m_fa, m_fb}), .q_o({p_fa, p_fb})
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

  // ---------------------------------------------------------------------------------- stage P --
  logic [47:0] prod;  // all that a product of significands has

  always_comb begin
    prod = '0;
    if (p_valid) begin
      prod = {p_product[3][15:0], p_product[0]} + {p_product[1], 16'd0} + {p_product[2], 16'd0};
    end
  end

  // The product in the adder's form: (-1)^sign * sig * 2^(exp - 177), exp >= 1; sig is normalised
  // (bit 50) or exp is 1; bit 0 may be sticky.
  logic        int_q, nan_q, inf_q, sign_q;
  logic [8:0]  exp_q;
  logic [50:0] sig_q;  // integers: the low half of the product

  always_ff @(posedge clk_i) begin
    if (p_valid) begin : stage_p
      logic signed [9:0]  e;
      logic        [9:0]  d;
      logic        [50:0] s;
      int_q <= p_int;
      s = prod[47] ? {prod[47:0], 3'd0} : {prod[46:0], 4'd0};
      e = p_fa.exp + p_fb.exp - (prod[47] ? 10'sd126 : 10'sd127);
      sign_q <= p_fa.sign ^ p_fb.sign;
      nan_q <= p_fa.nan || p_fb.nan || (p_fa.inf && !p_fb.inf && !p_fb.sig[23]) ||
               (p_fb.inf && !p_fa.inf && !p_fa.sig[23]);
      inf_q <= p_fa.inf || p_fb.inf;
      exp_q <= e[8:0];
      d = 10'd1 - unsigned'(e);
      if (p_int) begin
        s = {19'd0, prod[31:0]};
      end else if (e < 10'sd1 || s == 51'd0) begin
        exp_q <= 9'd1;
        if (d > 10'd50) begin
          s = {50'd0, s != 51'd0};
        end else begin
          s = (s >> d[5:0]) | {50'd0, (s & ~({51{1'b1}} << d[5:0])) != 51'd0};
        end
      end
      sig_q <= s;
    end
  end

  // ------------------------------------------------------------------------------ stages C, A --
  logic [31:0] a_c, a_addend, a_int_sum;
  fp_wide_sum_t a_sum, n_sum;
  logic         n_int;

  ow_pipe #(.Width(32), .Stages(Deep)) u_a_c (
    .clk_i, .en_i(c_valid_i), .d_i(c_i), .q_o(a_c)
  );

  always_comb begin
    a_sum = '0;
    a_addend = a_red_i ? partial_i : a_c;
    a_int_sum = sig_q[31:0];
    if (a_addend_i || a_red_i) a_int_sum = sig_q[31:0] + a_addend;
    if (a_valid_i) begin
      if (int_q) begin
        a_sum.sum = {20'd0, a_int_sum};
      end else begin
        a_sum = add_wide(nan_q, inf_q, sign_q, exp_q, sig_q,
                         a_addend_i || a_red_i ? unpack_f32(a_addend) : zero_like(sign_q));
      end
    end
  end

  ow_pipe #(.Width($bits(fp_wide_sum_t)), .Stages(Deep)) u_n_sum (
    .clk_i, .en_i(a_valid_i), .d_i(a_sum), .q_o({n_sum})
  );
  ow_pipe #(.Width(1), .Stages(Deep)) u_n_int (
    .clk_i, .en_i(a_valid_i), .d_i(int_q), .q_o(n_int)
  );

  // ------------------------------------------------------------------------------ stages N, R --
  always_comb begin
    partial_o = '0;
    if (n_valid_i) partial_o = n_int ? n_sum.sum[31:0] : round_wide(n_sum);
  end

  ow_pipe #(.Width(32), .Stages(Deep)) u_r_result (
    .clk_i, .en_i(n_valid_i), .d_i(partial_o), .q_o(result_o)
  );

endmodule
