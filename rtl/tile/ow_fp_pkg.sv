// SPDX-License-Identifier: Apache-2.0
// Binary floating point as the datapath sees it: types and pure functions that the SIMD lanes
// (ow_lane) and the reducer's adder (ow_fp_add) share.
//
// Every operand is unpacked into the range of binary32: a 24-bit significand and an 8-bit biased
// exponent. This loses nothing: a binary16 number, and also the exact product of two of them
// (22 bits, 2^-48 to 2^32), is a normal binary32 number or zero. So there is one adder of two
// 24-bit significands, and only the last step knows whether it rounds to binary32 or binary16.
// Round to nearest even; subnormals are honoured; NaN results are canonical; docs/numerics.md.
package ow_fp_pkg;

  // What a lane does. ADD and SUB use the product path with a factor of one.
  typedef enum logic [2:0] {
    LANE_FMA = 3'd0,  // a * b + c, c comes at stage A
    LANE_MUL = 3'd1,  // a * b
    LANE_ADD = 3'd2,  // a + b
    LANE_SUB = 3'd3,  // a - b
    LANE_MAX = 3'd4,  // IEEE 754-2019 maximum
    LANE_MIN = 3'd5,  // IEEE 754-2019 minimum
    LANE_MOV = 3'd6,  // a, bit by bit
    LANE_CVT = 3'd7   // a, rounded to the destination's format
  } lane_op_e;

  // Number format of an operand. Further encodings are kept for bfloat16 and integers.
  typedef enum logic [1:0] {
    FMT_F16 = 2'd0,
    FMT_F32 = 2'd2
  } fp_fmt_e;

  localparam logic [15:0] NAN16 = 16'h7E00;
  localparam logic [31:0] NAN32 = 32'h7FC0_0000;

  // An unpacked operand: (-1)^sign * sig * 2^(exp - 150), exp >= 1; sig is normalised (bit 23) or
  // exp is 1. With nan or inf the number fields are not used.
  typedef struct packed {
    logic        nan;
    logic        inf;
    logic        sign;
    logic [7:0]  exp;
    logic [23:0] sig;
  } fp_num_t;  // 35 bits

  // A sum before normalisation: (-1)^sign * sum * 2^(exp - 153); bit 0 of sum is sticky.
  typedef struct packed {
    logic        nan;
    logic        inf;
    logic        sign;
    logic [7:0]  exp;
    logic [27:0] sum;
  } fp_sum_t;  // 39 bits

  // Zeros above the leading one of x (28 if there is none).
  function automatic logic [4:0] lead_zeros28(input logic [27:0] x);
    logic [31:0] s;
    logic [4:0]  n;
    s = {x, 4'hF};
    n = 5'd0;
    if (s[31:16] == 16'd0) begin
      n[4] = 1'b1;
      s = {s[15:0], 16'd0};
    end
    if (s[31:24] == 8'd0) begin
      n[3] = 1'b1;
      s = {s[23:0], 8'd0};
    end
    if (s[31:28] == 4'd0) begin
      n[2] = 1'b1;
      s = {s[27:0], 4'd0};
    end
    if (s[31:30] == 2'd0) begin
      n[1] = 1'b1;
      s = {s[29:0], 2'd0};
    end
    n[0] = ~s[31];
    return n;
  endfunction

  // Zeros above the leading one of a binary16 fraction (10 if there is none).
  function automatic logic [3:0] lead_zeros10(input logic [9:0] x);
    logic [15:0] s;
    logic [3:0]  n;
    s = {x, 6'h3F};
    n = 4'd0;
    if (s[15:8] == 8'd0) begin
      n[3] = 1'b1;
      s = {s[7:0], 8'd0};
    end
    if (s[15:12] == 4'd0) begin
      n[2] = 1'b1;
      s = {s[11:0], 4'd0};
    end
    if (s[15:14] == 2'd0) begin
      n[1] = 1'b1;
      s = {s[13:0], 2'd0};
    end
    n[0] = ~s[15];
    return n;
  endfunction

  // Binary16 to the unpacked form, exact; subnormals come out normalised.
  function automatic fp_num_t unpack_f16(input logic [15:0] x);
    fp_num_t     r;
    logic [3:0]  n;
    logic [9:0]  f;
    r.sign = x[15];
    r.nan = 1'b0;
    r.inf = 1'b0;
    n = 4'd0;
    f = x[9:0];
    if (x[14:10] == 5'd0) begin
      if (x[9:0] == 10'd0) begin
        r.exp = 8'd1;
        r.sig = 24'd0;
      end else begin
        n = lead_zeros10(x[9:0]);
        f = x[9:0] << n;
        r.exp = 8'd112 - {4'd0, n};  // fraction bit 9 weighs 2^-15
        r.sig = {f, 14'd0};
      end
    end else begin
      r.exp = {3'd0, x[14:10]} + 8'd112;
      r.sig = {1'b1, x[9:0], 13'd0};
      if (x[14:10] == 5'd31) begin
        r.nan = x[9:0] != 10'd0;
        r.inf = x[9:0] == 10'd0;
      end
    end
    return r;
  endfunction

  // Binary32 to the unpacked form.
  function automatic fp_num_t unpack_f32(input logic [31:0] x);
    fp_num_t r;
    r.sign = x[31];
    r.nan = x[30:23] == 8'hFF && x[22:0] != 23'd0;
    r.inf = x[30:23] == 8'hFF && x[22:0] == 23'd0;
    r.exp = x[30:23] == 8'd0 ? 8'd1 : x[30:23];
    r.sig = {x[30:23] != 8'd0, x[22:0]};
    return r;
  endfunction

  // Operand x in format fmt (binary16 in the low half).
  function automatic fp_num_t unpack(input logic [31:0] x, input fp_fmt_e fmt);
    return fmt == FMT_F32 ? unpack_f32(x) : unpack_f16(x[15:0]);
  endfunction

  // Exact product of two unpacked binary16 numbers.
  function automatic fp_num_t mul_f16(input fp_num_t a, input fp_num_t b);
    fp_num_t     r;
    logic [21:0] p;
    p = {11'd0, a.sig[23:13]} * {11'd0, b.sig[23:13]};
    r.sign = a.sign ^ b.sign;
    r.nan = a.nan || b.nan || (a.inf && !b.inf && b.sig == 24'd0) ||
            (b.inf && !a.inf && a.sig == 24'd0);
    r.inf = a.inf || b.inf;
    if (p == 22'd0) begin
      r.exp = 8'd1;
      r.sig = 24'd0;
    end else if (p[21]) begin
      r.exp = a.exp + b.exp - 8'd126;
      r.sig = {p, 2'd0};
    end else begin
      r.exp = a.exp + b.exp - 8'd127;
      r.sig = {p[20:0], 3'd0};
    end
    return r;
  endfunction

  // A zero of the given sign: added to a number of that sign it changes nothing.
  function automatic fp_num_t zero_like(input logic sign);
    fp_num_t r;
    r = '0;
    r.sign = sign;
    r.exp = 8'd1;
    return r;
  endfunction

  // x, or its negation.
  function automatic fp_num_t negate_if(input fp_num_t x, input logic neg);
    fp_num_t r;
    r = x;
    r.sign = x.sign ^ neg;
    return r;
  endfunction

  // First half of an addition: alignment and the sum of the significands. The smaller magnitude is
  // shifted; three bits below the larger one's last place (the last of them sticky) are enough,
  // since a shift of 2 or more leaves at most one bit to normalise.
  function automatic fp_sum_t add_align(input fp_num_t x, input fp_num_t y);
    fp_sum_t     r;
    logic [31:0] big;  // exponent and significand of the larger magnitude
    logic [31:0] low;  // and of the other
    logic        sign;
    logic        sub;
    logic [7:0]  d;
    logic [26:0] lo;
    logic [26:0] sh;
    big = {x.exp, x.sig};
    low = {y.exp, y.sig};
    sign = x.sign;
    if (low > big) begin
      big = {y.exp, y.sig};
      low = {x.exp, x.sig};
      sign = y.sign;
    end
    sub = x.sign ^ y.sign;
    d = big[31:24] - low[31:24];
    lo = {low[23:0], 3'd0};
    if (d > 8'd26) begin
      sh = {26'd0, low[23:0] != 24'd0};
    end else begin
      sh = lo >> d[4:0];
      sh[0] = sh[0] | ((lo & ~(27'h7FF_FFFF << d[4:0])) != 27'd0);
    end
    r.sum = sub ? {1'b0, big[23:0], 3'd0} - {1'b0, sh} : {1'b0, big[23:0], 3'd0} + {1'b0, sh};
    r.exp = big[31:24];
    r.nan = x.nan || y.nan || (x.inf && y.inf && sub);
    r.inf = x.inf || y.inf;
    r.sign = x.inf ? x.sign : y.inf ? y.sign : sign && !(sub && r.sum == 28'd0);
    return r;
  endfunction

  // Second half, common part: leading one to bit 26, or exp = 1.
  function automatic fp_sum_t normalise(input fp_sum_t x);
    fp_sum_t    r;
    logic [4:0] lz;
    logic [7:0] room;
    r = x;
    if (x.sum[27]) begin
      r.sum = {1'b0, x.sum[27:2], x.sum[1] | x.sum[0]};
      r.exp = x.exp + 8'd1;
    end else if (!x.sum[26]) begin
      lz = lead_zeros28(x.sum) - 5'd1;
      room = x.exp - 8'd1;
      if (room < {3'd0, lz}) lz = room[4:0];
      r.sum = x.sum << lz;
      r.exp = x.exp - {3'd0, lz};
    end
    return r;
  endfunction

  // Second half: round a normalised sum to binary32.
  function automatic logic [31:0] round_f32(input fp_sum_t x);
    logic [30:0] m;
    logic        up;
    m = {x.sum[26] ? x.exp : 8'd0, x.sum[25:3]};
    up = x.sum[2] && (x.sum[1:0] != 2'd0 || x.sum[3]);
    m = m + {30'd0, up};  // a carry out of the fraction is the next exponent, up to infinity
    if (x.nan) return NAN32;
    if (x.inf || x.exp == 8'hFF) return {x.sign, 8'hFF, 23'd0};
    return {x.sign, m};
  endfunction

  // Second half: round a normalised sum to binary16.
  function automatic logic [15:0] round_f16(input fp_sum_t x);
    logic [26:0] s;
    logic [14:0] m;
    logic [7:0]  d;
    logic        up;
    if (x.nan) return NAN16;
    if (x.inf || x.exp > 8'd142) return {x.sign, 5'h1F, 10'd0};
    s = x.sum[26:0];
    d = 8'd0;
    if (x.exp < 8'd113) begin  // below the normal range: the last place is 2^-24
      d = 8'd113 - x.exp;
      s = d > 8'd26 ? 27'd0 : x.sum[26:0] >> d[4:0];
      s[0] = s[0] | (d > 8'd26 ? x.sum != 28'd0 : 
                     (x.sum[26:0] & ~(27'h7FF_FFFF << d[4:0])) != 27'd0);
      m = {5'd0, s[25:16]};
    end else begin
      m = {x.exp[4:0] - 5'd16, s[25:16]};  // exp - 112, modulo 32
      if (!s[26]) m[14:10] = 5'd0;
    end
    up = s[15] && (s[14:0] != 15'd0 || s[16]);
    m = m + {14'd0, up};
    return {x.sign, m};
  endfunction

  // Second half of an addition in one step; binary16 comes out in the low half.
  function automatic logic [31:0] finish(input fp_sum_t x, input fp_fmt_e fmt);
    fp_sum_t n;
    n = normalise(x);
    return fmt == FMT_F32 ? round_f32(n) : {16'd0, round_f16(n)};
  endfunction

  // Binary32 to binary16, one rounding.
  function automatic logic [15:0] f32_to_f16(input logic [31:0] x);
    fp_num_t a;
    fp_sum_t s;
    a = unpack_f32(x);
    s.nan = a.nan;
    s.inf = a.inf;
    s.sign = a.sign;
    s.exp = a.exp;
    s.sum = {1'b0, a.sig, 3'd0};
    return round_f16(s);  // an unnormalised binary32 is far below the least binary16
  endfunction

  // ReLU: NaN stays NaN (canonical), anything below or equal to zero is +0.
  function automatic logic [15:0] relu_f16(input logic [15:0] x);
    if (x[14:0] > 15'h7C00) return NAN16;
    return x[15] ? 16'd0 : x;
  endfunction

  function automatic logic [31:0] relu_f32(input logic [31:0] x);
    if (x[30:0] > 31'h7F80_0000) return NAN32;
    return x[31] ? 32'd0 : x;
  endfunction

  // IEEE 754-2019 maximum (min = 0) or minimum (min = 1) of two numbers of one format.
  function automatic logic [31:0] max_min(input logic [31:0] a, input logic [31:0] b,
                                          input fp_fmt_e fmt, input logic min);
    logic [31:0] x;
    logic [31:0] y;
    logic        nan;
    logic        less;  // a < b, with -0 < +0
    x = fmt == FMT_F32 ? a : {a[15:0], 16'd0};
    y = fmt == FMT_F32 ? b : {b[15:0], 16'd0};
    if (fmt == FMT_F32) nan = x[30:0] > 31'h7F80_0000 || y[30:0] > 31'h7F80_0000;
    else nan = x[30:0] > 31'h7C00_0000 || y[30:0] > 31'h7C00_0000;
    if (x[31] != y[31]) less = x[31];
    else less = x[31] ? x[30:0] > y[30:0] : x[30:0] < y[30:0];
    if (nan) return fmt == FMT_F32 ? NAN32 : {16'd0, NAN16};
    return less ^ min ? b : a;
  endfunction

endpackage
