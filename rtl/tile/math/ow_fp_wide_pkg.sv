// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the 32-bit multiply-add: two factors of 24 bits, their product of 48, and a sum
// that is rounded once. In all else it is like ow_fp_pkg.
package ow_fp_wide_pkg;

  import ow_fp_pkg::*;

  // A binary32 factor: (-1)^sign * sig * 2^(exp - 150), normalised or zero.
  typedef struct packed {
    logic               nan;
    logic               inf;
    logic               sign;
    logic signed [9:0]  exp;
    logic        [23:0] sig;
  } fp_wide_t;

  // Zeros above the leading one of {x, 1'b1}.
  function automatic logic [2:0] lead_zeros8(input logic [7:1] x);
    logic [3:1] half;
    half = x[7:4] == 4'd0 ? x[3:1] : x[7:5];
    return {x[7:4] == 4'd0, half[3:2] == 2'd0, half[3:2] == 2'd0 ? ~half[1] : ~half[3]};
  endfunction

  // Operands may come from memory in this cycle. So the byte with a subnormal number's leading one
  // is found in parallel with the place in each byte.
  function automatic fp_wide_t unpack_wide(input logic [31:0] x);
    /*verilator no_inline_task*/
    fp_wide_t    r;
    logic [23:0] up;
    logic [4:0]  n;
    r.sign = x[31];
    r.nan = x[30:23] == 8'hFF && x[22:0] != 23'd0;
    r.inf = x[30:23] == 8'hFF && x[22:0] == 23'd0;
    r.exp = signed'({2'd0, x[30:23]});
    r.sig = {1'b1, x[22:0]};
    if (x[30:23] == 8'd0) begin
      if (x[22:15] != 8'd0) begin
        up = {x[22:0], 1'b0};
        n = {2'd0, lead_zeros8(x[22:16])};
      end else if (x[14:7] != 8'd0) begin
        up = {x[14:0], 9'd0};
        n = {2'd1, lead_zeros8(x[14:8])};
      end else begin
        up = {x[6:0], 17'd0};
        n = {2'd2, lead_zeros8(x[6:0])};
      end
      r.exp = -signed'({5'd0, n});
      r.sig = up << n[2:0];
    end
    return r;
  endfunction

  // A sum shifted up until its highest bit is one, and by how many places; a zero by 63. Counting
  // and shifting go together, one power of two after the other.
  typedef struct packed {
    logic [5:0]  places;
    logic [50:0] sig;
  } fp_wide_up_t;

  function automatic fp_wide_up_t shift_up_wide(input logic [50:0] x);
    fp_wide_up_t r;
    logic        none;  // in the highest places
    r = '{places: '0, sig: x};
    for (int unsigned n = 32; n > 0; n = n / 2) begin
      none = (r.sig >> (51 - n)) == 51'd0;
      r.places = {r.places[4:0], none};
      if (none) r.sig = r.sig << n;
    end
    return r;
  endfunction

  // A sum of 24-bit factors' product and a number before normalisation: (-1)^sign * sum *
  // 2^(exp - 177); bit 0 of sum is sticky.
  typedef struct packed {
    fp_sum_e     what;
    logic        sign;
    logic [8:0]  exp;
    logic [51:0] sum;
  } fp_wide_sum_t;  // 64 bits

  // A significand moved down by d places, what is lost becoming sticky.
  function automatic logic [50:0] shift_down_wide(input logic [50:0] x, input logic [8:0] d);
    if (d > 9'd50) return {50'd0, x != 51'd0};
    return (x >> d[5:0]) | {50'd0, (x & ~({51{1'b1}} << d[5:0])) != 51'd0};
  endfunction

  // Like add_align, with 24 more places: x is sig * 2^(exp - 177). Each term is shifted as if it
  // were the smaller one, because the comparison ends late.
  function automatic fp_wide_sum_t add_wide(input logic x_nan, input logic x_inf,
                                            input logic x_sign, input logic [8:0] x_exp,
                                            input logic [50:0] x_sig, input fp_num_t y);
    /*verilator no_inline_task*/
    fp_wide_sum_t r;
    logic [50:0]  y_sig;
    logic [50:0]  hi;
    logic [50:0]  sh;
    logic [50:0]  x_low, y_low;
    logic [8:0]   d_xy, d_yx;
    logic         swap;
    logic         sign;
    logic         sub;
    y_sig = {y.sig[26:3], 27'd0};
    swap = {y.exp, y.sig[26:3]} > {x_exp, x_sig[50:27]};
    d_xy = x_exp - y.exp;
    d_yx = y.exp - x_exp;
    x_low = shift_down_wide(x_sig, d_yx);
    y_low = shift_down_wide(y_sig, d_xy);
    hi = swap ? y_sig : x_sig;
    sh = swap ? x_low : y_low;
    r.exp = swap ? y.exp : x_exp;
    sign = swap ? y.sign : x_sign;
    sub = x_sign ^ y.sign;
    r.sum = 52'(({1'b0, hi, 1'b1} + {{1'b0, sh} ^ {52{sub}}, sub}) >> 1);
    r.what = sum_is(x_nan || y.nan || (x_inf && y.inf && sub), x_inf || y.inf, sub);
    r.sign = x_inf ? x_sign : y.inf ? y.sign : sign;
    return r;
  endfunction

  // normalise and round_f32 together.
  function automatic logic [31:0] round_wide(input fp_wide_sum_t x);
    /*verilator no_inline_task*/
    logic [51:0] sum;
    logic [8:0]  exp;
    logic [8:0]  room;
    fp_wide_up_t high;
    logic [30:0] m;
    logic        up;
    sum = x.sum;
    exp = x.exp;
    if (sum[51]) begin
      sum = {1'b0, sum[51:2], sum[1] | sum[0]};
      exp = exp + 9'd1;
    end else if (!sum[50]) begin
      // Normalised as if the exponent left room for it. Whether it does is found in parallel.
      high = shift_up_wide(x.sum[50:0]);
      room = x.exp - 9'd1;
      sum = {1'b0, high.sig};
      exp = x.exp - {3'd0, high.places};
      if (room < {3'd0, high.places}) begin
        sum = x.sum << room[5:0];
        exp = 9'd1;
      end
    end
    up = sum[26] && (sum[25:0] != 26'd0 || sum[27]);
    m = {sum[50] ? exp[7:0] : 8'd0, sum[49:27]} + {30'd0, up};
    if (x.what == FPS_NAN) return NAN32;
    if (x.what == FPS_INF || exp > 9'd254) return {x.sign, 8'hFF, 23'd0};
    return {x.sign && !(x.what == FPS_PLUS && x.sum == 52'd0), m};
  endfunction

endpackage
