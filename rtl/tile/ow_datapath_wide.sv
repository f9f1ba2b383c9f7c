// SPDX-License-Identifier: Apache-2.0
// The 32-bit multiply-add of ow_datapath: binary32 with one rounding, int32 modulo 2^32. Its 32 x 32
// bit product is put together from four 16 x 16 bit products of the lanes' multipliers.
//
// Protocol: no handshake and no stall. Stage M (the cycle of valid_i) reads the operands, gives the
// multipliers their factors and takes the products; stage A, one cycle later, reads the addend;
// result_o is combinational from it. Throughput: one element a cycle.
module ow_datapath_wide
  import ow_fp_pkg::*;
(
  input  logic             clk_i,
  // Stage M.
  input  logic             valid_i,    // an element enters
  input  logic             int_i,      // int32, else binary32
  input  logic [31:0]      a_i,
  input  logic [31:0]      b_i,
  output logic [3:0][15:0] mul_a_o,    // factors of the four multipliers
  output logic [3:0][15:0] mul_b_o,
  input  logic [3:0][31:0] product_i,  // their products, in the same cycle
  // Stage A.
  input  logic             a_valid_i,  // an element is in stage A
  input  logic             a_addend_i, // c_i is added
  input  logic [31:0]      c_i,        // addend
  output logic [31:0]      result_o
);

  // ---------------------------------------------------------------------------------- stage M --
  // A binary32 factor: (-1)^sign * sig * 2^(exp - 150), normalised or zero.
  typedef struct packed {
    logic               nan;
    logic               inf;
    logic               sign;
    logic signed [9:0]  exp;
    logic        [23:0] sig;
  } factor_t;

  function automatic factor_t unpack_normal(input logic [31:0] x);
    /*verilator no_inline_task*/
    factor_t    r;
    logic [4:0] n;
    r.sign = x[31];
    r.nan = x[30:23] == 8'hFF && x[22:0] != 23'd0;
    r.inf = x[30:23] == 8'hFF && x[22:0] == 23'd0;
    r.exp = signed'({2'd0, x[30:23]});
    r.sig = {1'b1, x[22:0]};
    if (x[30:23] == 8'd0) begin
      n = lead_zeros28({x[22:0], 5'd0});
      r.exp = -signed'({5'd0, n});
      r.sig = {x[22:0], 1'b0} << n;
    end
    return r;
  endfunction

  factor_t     fa, fb;
  logic [31:0] ma, mb;   // what is multiplied
  logic [47:0] prod;  // all that a product of significands has

  always_comb begin
    fa = '0;
    fb = '0;
    ma = '0;
    mb = '0;
    if (valid_i) begin
      if (int_i) begin
        ma = a_i;
        mb = b_i;
      end else begin
        fa = unpack_normal(a_i);
        fb = unpack_normal(b_i);
        ma = {8'd0, fa.sig};
        mb = {8'd0, fb.sig};
      end
    end
  end

  assign mul_a_o = {ma[31:16], ma[31:16], ma[15:0], ma[15:0]};
  assign mul_b_o = {mb[31:16], mb[15:0], mb[31:16], mb[15:0]};

  always_comb begin
    prod = '0;
    if (valid_i) begin
      prod = {product_i[3][15:0], product_i[0]} + {product_i[1], 16'd0} + {product_i[2], 16'd0};
    end
  end

  // The product in the adder's form: (-1)^sign * sig * 2^(exp - 177), exp >= 1; sig is normalised
  // (bit 50) or exp is 1; bit 0 may be sticky.
  logic        int_q, nan_q, inf_q, sign_q;
  logic [8:0]  exp_q;
  logic [50:0] sig_q;  // integers: the low half of the product

  always_ff @(posedge clk_i) begin
    if (valid_i) begin : stage_m
      logic signed [9:0]  e;
      logic        [9:0]  d;
      logic        [50:0] s;
      int_q <= int_i;
      s = prod[47] ? {prod[47:0], 3'd0} : {prod[46:0], 4'd0};
      e = fa.exp + fb.exp - (prod[47] ? 10'sd126 : 10'sd127);
      sign_q <= fa.sign ^ fb.sign;
      nan_q <= fa.nan || fb.nan || (fa.inf && !fb.inf && !fb.sig[23]) ||
               (fb.inf && !fa.inf && !fa.sig[23]);
      inf_q <= fa.inf || fb.inf;
      exp_q <= e[8:0];
      d = 10'd1 - unsigned'(e);
      if (int_i) begin
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

  // ---------------------------------------------------------------------------------- stage A --
  function automatic logic [5:0] lead_zeros52(input logic [51:0] x);
    logic [63:0] s;
    logic [5:0]  n;
    s = {x, 12'hFFF};
    n = 6'd0;
    if (s[63:32] == 32'd0) begin
      n[5] = 1'b1;
      s = {s[31:0], 32'd0};
    end
    if (s[63:48] == 16'd0) begin
      n[4] = 1'b1;
      s = {s[47:0], 16'd0};
    end
    if (s[63:56] == 8'd0) begin
      n[3] = 1'b1;
      s = {s[55:0], 8'd0};
    end
    if (s[63:60] == 4'd0) begin
      n[2] = 1'b1;
      s = {s[59:0], 4'd0};
    end
    if (s[63:62] == 2'd0) begin
      n[1] = 1'b1;
      s = {s[61:0], 2'd0};
    end
    n[0] = ~s[63];
    return n;
  endfunction

  // As add_align, normalise and round_f32 of ow_fp_pkg, with 24 more places.
  function automatic logic [31:0] add(input logic x_nan, input logic x_inf, input logic x_sign,
                                      input logic [8:0] x_exp, input logic [50:0] x_sig,
                                      input fp_num_t y);
    /*verilator no_inline_task*/
    logic [50:0] big;
    logic [50:0] low;
    logic [50:0] sh;
    logic [51:0] sum;
    logic [8:0]  exp;
    logic [8:0]  d;
    logic [5:0]  lz;
    logic [30:0] m;
    logic        sign;
    logic        sub;
    logic        up;
    big = x_sig;
    low = {y.sig[26:3], 27'd0};
    exp = x_exp;
    d = x_exp - y.exp;
    sign = x_sign;
    if (y.exp > x_exp || (y.exp == x_exp && low > big)) begin
      big = low;
      low = x_sig;
      exp = y.exp;
      d = y.exp - x_exp;
      sign = y.sign;
    end
    sub = x_sign ^ y.sign;
    if (d > 9'd50) begin
      sh = {50'd0, low != 51'd0};
    end else begin
      sh = (low >> d[5:0]) | {50'd0, (low & ~({51{1'b1}} << d[5:0])) != 51'd0};
    end
    sum = sub ? {1'b0, big} - {1'b0, sh} : {1'b0, big} + {1'b0, sh};
    sign = x_inf ? x_sign : y.inf ? y.sign : sign && !(sub && sum == 52'd0);
    if (sum[51]) begin
      sum = {1'b0, sum[51:2], sum[1] | sum[0]};
      exp = exp + 9'd1;
    end else if (!sum[50]) begin
      lz = lead_zeros52(sum) - 6'd1;
      if (exp - 9'd1 < {3'd0, lz}) lz = exp[5:0] - 6'd1;
      sum = sum << lz;
      exp = exp - {3'd0, lz};
    end
    up = sum[26] && (sum[25:0] != 26'd0 || sum[27]);
    m = {sum[50] ? exp[7:0] : 8'd0, sum[49:27]} + {30'd0, up};
    if (x_nan || y.nan || (x_inf && y.inf && sub)) return NAN32;
    if (x_inf || y.inf || exp > 9'd254) return {sign, 8'hFF, 23'd0};
    return {sign, m};
  endfunction

  always_comb begin
    result_o = '0;
    if (a_valid_i) begin
      if (int_q) begin
        result_o = sig_q[31:0] + (a_addend_i ? c_i : 32'd0);
      end else begin
        result_o = add(nan_q, inf_q, sign_q, exp_q, sig_q,
                       a_addend_i ? unpack_f32(c_i) : zero_like(sign_q));
      end
    end
  end

endmodule
