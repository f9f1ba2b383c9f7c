// SPDX-License-Identifier: Apache-2.0
// The 32-bit multiply-add of ow_datapath: binary32 with one rounding, int32 modulo 2^32. Its
// product is put together from four 16 x 16 bit products of the lanes' multipliers.
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
  fp_wide_t    fa, fb;
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
        fa = unpack_wide(a_i);
        fb = unpack_wide(b_i);
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
  always_comb begin
    result_o = '0;
    if (a_valid_i) begin
      if (int_q) begin
        result_o = sig_q[31:0] + (a_addend_i ? c_i : 32'd0);
      end else begin
        result_o = add_wide(nan_q, inf_q, sign_q, exp_q, sig_q,
                            a_addend_i ? unpack_f32(c_i) : zero_like(sign_q));
      end
    end
  end

endmodule
