// SPDX-License-Identifier: Apache-2.0
// Binary floating point in the datapath: types and pure functions that the SIMD lanes
// (ow_datapath_lane), the reductions and the reducer's adder (ow_fp_add) share. Rounding is to
// nearest even; subnormals are honoured; NaN results are canonical (docs/numerics.md).
//
// Every operand is unpacked into a 27-bit significand and a biased exponent of 9 bits. The
// significand has binary32's 24 bits and three below them, the last of which is sticky. The
// exponent starts where binary32's does and goes on above it. A binary16 number is then a normal
// binary32 number or zero, and so is the exact product of two of them (22 bits, 2^-48 to 2^32). The
// product of two bfloat16 numbers (16 bits) may lie below or above binary32's range. Above, the
// ninth bit holds its exponent. Below, it is shifted to exponent 1 with a sticky bit, which is
// exact enough because no result has a place below 2^-149. So there is one adder, and only the last
// step knows the format it rounds to.
package ow_fp_pkg;

  import ow_datapath_pkg::*;

  localparam logic [15:0] NAN16 = 16'h7E00;
  localparam logic [15:0] NANB16 = 16'h7FC0;
  localparam logic [31:0] NAN32 = 32'h7FC0_0000;

  // An unpacked operand: (-1)^sign * sig * 2^(exp - 153), exp >= 1; sig is normalised (bit 26) or
  // exp is 1; bit 0 may be sticky. With nan or inf the number fields are not used.
  typedef struct packed {
    logic        nan;
    logic        inf;
    logic        sign;
    logic [8:0]  exp;
    logic [26:0] sig;
  } fp_num_t;  // 39 bits

  // A factor of 16 bits: (-1)^sign * sig * 2^(exp - 137); sig is normalised (bit 10) or zero.
  typedef struct packed {
    logic               nan;
    logic               inf;
    logic               sign;
    logic signed [9:0]  exp;
    logic        [10:0] sig;
  } fp_factor_t;  // 24 bits

  // The kind of a sum. Whether a number is 0 is found during normalisation, in parallel.
  typedef enum logic [1:0] {
    FPS_NUMBER = 2'd0,
    FPS_PLUS   = 2'd1,  // a number that is +0 if it is 0
    FPS_INF    = 2'd2,
    FPS_NAN    = 2'd3
  } fp_sum_e;

  function automatic fp_sum_e sum_is(input logic nan, input logic inf, input logic plus);
    return nan ? FPS_NAN : inf ? FPS_INF : plus ? FPS_PLUS : FPS_NUMBER;
  endfunction

  // A sum before normalisation: (-1)^sign * sum * 2^(exp - 153); bit 0 of sum is sticky.
  typedef struct packed {
    fp_sum_e     what;
    logic        sign;
    logic [8:0]  exp;
    logic [27:0] sum;
  } fp_sum_t;  // 40 bits

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

  // Zeros above the leading one of {x, 1'b1}.
  function automatic logic [4:0] lead_zeros32(input logic [31:1] x);
    logic [4:0] n;
    n = lead_zeros28(x[31:4]);
    if (n == 5'd28) n[1:0] = {x[3:2] == 2'd0, x[3:2] == 2'd0 ? ~x[1] : ~x[3]};
    return n;
  endfunction

  // A binary16 fraction without the zeros above its leading one, and below it an exponent reduced
  // by their number; 0 gives 0. The place of the leading one selects both.
  function automatic logic [19:0] normal10(input logic [9:0] x, input logic [9:0] exp);
    logic [10:0] seen;  // this bit is set, or one above it
    logic [19:0] r;
    seen = {1'b0, x};
    for (int unsigned i = 1; i < 10; i *= 2) seen = seen | (seen >> i);
    r = 20'd0;
    for (int unsigned k = 0; k < 10; k++) begin
      if (seen[9-k] && !seen[10-k]) r = r | {x << k, exp - 10'(k)};
    end
    return r;
  endfunction

  // Binary16 to the unpacked form, exact; subnormals come out normalised.
  function automatic fp_num_t unpack_f16(input logic [15:0] x);
    fp_num_t    r;
    logic [9:0] f;
    logic       unused;
    r.sign = x[15];
    r.nan = 1'b0;
    r.inf = 1'b0;
    if (x[14:10] == 5'd0) begin
      {f, unused, r.exp} = normal10(x[9:0], 10'd112);  // fraction bit 9 weighs 2^-15
      r.exp[0] = r.exp[0] | (x[9:0] == 10'd0);
      r.sig = {f, 17'd0};
    end else begin
      r.exp = {4'd0, x[14:10]} + 9'd112;
      r.sig = {1'b1, x[9:0], 16'd0};
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
    r.exp = x[30:23] == 8'd0 ? 9'd1 : {1'b0, x[30:23]};
    r.sig = {x[30:23] != 8'd0, x[22:0], 3'd0};
    return r;
  endfunction

  // Operand x in the floating-point format fmt (16 bits in the low half) to the unpacked form.
  function automatic fp_num_t unpack_as(input logic [31:0] x, input dp_fmt_e fmt);
    if (fmt == DF_F32) return unpack_f32(x);
    if (fmt == DF_BF16) return unpack_f32({x[15:0], 16'd0});
    return unpack_f16(x[15:0]);
  endfunction

  // The same for a cast to integers, where subnormals only have to be small.
  function automatic fp_num_t unpack_cast(input logic [31:0] x, input dp_fmt_e fmt);
    fp_num_t r;
    if (fmt != DF_F16) return unpack_f32(fmt == DF_F32 ? x : {x[15:0], 16'd0});
    r.sign = x[15];
    r.nan = x[14:10] == 5'd31 && x[9:0] != 10'd0;
    r.inf = x[14:10] == 5'd31 && x[9:0] == 10'd0;
    r.exp = {4'd0, x[14:10]} + 9'd112;
    r.sig = {1'b1, x[9:0], 16'd0};
    return r;
  endfunction

  // A factor in binary16 or, with bf, in bfloat16; subnormals come out normalised.
  function automatic fp_factor_t unpack_factor(input logic [15:0] x, input logic bf);
    /*verilator no_inline_task*/
    fp_factor_t  r;
    logic [19:0] n;
    logic [9:0]  f;
    r.sign = x[15];
    r.nan = 1'b0;
    r.inf = 1'b0;
    f = bf ? {x[6:0], 3'd0} : x[9:0];
    if (bf ? x[14:7] == 8'd0 : x[14:10] == 5'd0) begin
      n = normal10(f, bf ? 10'd0 : 10'd112);
      r.exp = signed'(n[9:0]);
      r.sig = {n[19:10], 1'b0};
    end else begin
      r.exp = bf ? signed'({2'd0, x[14:7]}) : signed'({5'd0, x[14:10]} + 10'd112);
      r.sig = {1'b1, f};
      if (bf ? x[14:7] == 8'hFF : x[14:10] == 5'h1F) begin
        r.nan = f != 10'd0;
        r.inf = f == 10'd0;
      end
    end
    return r;
  endfunction

  // The product of two factors, p being the product of their significands.
  function automatic fp_num_t fp_product(input fp_factor_t a, input fp_factor_t b,
                                      input logic [21:0] p);
    fp_num_t            r;
    logic signed [9:0]  e;
    logic        [26:0] sig;
    logic        [9:0]  d;
    r.sign = a.sign ^ b.sign;
    r.nan = a.nan || b.nan || (a.inf && !b.inf && !b.sig[10]) || (b.inf && !a.inf && !a.sig[10]);
    r.inf = a.inf || b.inf;
    sig = p[21] ? {p, 5'd0} : {p[20:0], 6'd0};
    e = a.exp + b.exp - (p[21] ? 10'sd126 : 10'sd127);
    if (p == 22'd0) begin
      r.exp = 9'd1;
      r.sig = 27'd0;
    end else if (e < 10'sd1) begin
      d = 10'd1 - unsigned'(e);
      r.exp = 9'd1;
      r.sig = d > 10'd26 ? 27'd0 : sig >> d[4:0];
      r.sig[0] = r.sig[0] | (d > 10'd26 || (sig & ~(27'h7FF_FFFF << d[4:0])) != 27'd0);
    end else begin
      r.exp = e[8:0];
      r.sig = sig;
    end
    return r;
  endfunction

  function automatic logic [31:0] magnitude(input logic [31:0] x);
    return x[31] ? ~x + 32'd1 : x;
  endfunction

  // An integer, as its magnitude and its sign, to the unpacked form; what is below the 26th place
  // becomes sticky.
  function automatic fp_num_t unpack_int(input logic [31:0] x, input logic neg);
    fp_num_t     r;
    logic [31:0] m;
    logic [4:0]  n;
    r.nan = 1'b0;
    r.inf = 1'b0;
    r.sign = neg;
    if (x == 32'd0) begin
      r.exp = 9'd1;
      r.sig = 27'd0;
    end else begin
      n = lead_zeros32(x[31:1]);
      m = x << n;
      r.exp = 9'd158 - {4'd0, n};
      r.sig = {m[31:6], m[5:0] != 6'd0};
    end
    return r;
  endfunction

  // A number rounded to a signed integer, nearest even; NaN gives 0. Bit 32: it does not fit 32
  // bits. The number must have no sticky bit.
  function automatic logic [32:0] round_int(input fp_num_t x);
    logic [31:0] m;     // the magnitude, and the first place below it
    logic        rest;  // there is something below that
    logic        up;
    logic [8:0]  d;
    m = {x.sig[26:3], 8'd0};
    rest = 1'b0;
    d = 9'd157 - x.exp;
    if (x.nan) return 33'd0;
    if (x.inf || x.exp > 9'd157) return {1'b1, 32'd0};
    if (d > 9'd31) return 33'd0;
    for (int unsigned k = 0; k < 5; k++) begin
      if (d[k]) begin
        rest = rest | (m & ~(32'hFFFF_FFFF << (32'd1 << k))) != 32'd0;
        m = m >> (32'd1 << k);
      end
    end
    up = m[0] && (rest || m[1]);
    return {1'b0, ({1'b0, m[31:1]} ^ {32{x.sign}}) + {31'd0, up ^ x.sign}};
  endfunction

  // A signed integer saturated to 8, 16 or 32 bits, sign-extended. Bit 32: it is beyond 32 bits;
  // neg tells on which side.
  function automatic logic [31:0] saturate(input logic [32:0] x, input logic neg,
                                           input logic [5:0] bits);
    logic off8, off16;
    off8 = x[31:7] != {25{x[31]}};
    off16 = x[31:15] != {17{x[31]}};
    if (!x[32] && !(bits == 6'd8 && off8) && !(bits == 6'd16 && off16)) return x[31:0];
    return (bits == 6'd32 ? 32'h7FFF_FFFF : bits == 6'd16 ? 32'h7FFF : 32'h7F) ^ {32{neg}};
  endfunction

  // First half of an addition: alignment and the sum of the significands. The smaller magnitude is
  // shifted. Three bits below the larger one's last place (the last of them sticky) are enough,
  // since a shift of 2 or more leaves at most one bit to normalise. The exponents alone give the
  // places to shift by: if they are equal it is none, whichever number is larger. One adder adds
  // and subtracts.
  function automatic fp_sum_t add_align(input fp_num_t x, input fp_num_t y);
    fp_sum_t     r;
    logic        swap;  // y is the larger magnitude
    logic        sign;
    logic        sub;
    logic [8:0]  d, d_xy, d_yx;
    logic [26:0] hi;
    logic [26:0] lo;
    logic [26:0] sh;
    logic [27:0] add;
    swap = {y.exp, y.sig} > {x.exp, x.sig};
    d_xy = x.exp - y.exp;
    d_yx = y.exp - x.exp;
    d = y.exp > x.exp ? d_yx : d_xy;
    hi = swap ? y.sig : x.sig;
    lo = swap ? x.sig : y.sig;
    sign = swap ? y.sign : x.sign;
    sub = x.sign ^ y.sign;
    if (d > 9'd26) begin
      sh = {26'd0, lo != 27'd0};
    end else begin
      sh = lo >> d[4:0];
      sh[0] = sh[0] | ((lo & ~(27'h7FF_FFFF << d[4:0])) != 27'd0);
    end
    add = {1'b0, sh} ^ {28{sub}};
    r.sum = 28'(({1'b0, hi, 1'b1} + {add, sub}) >> 1);
    r.exp = swap ? y.exp : x.exp;
    r.what = sum_is(x.nan || y.nan || (x.inf && y.inf && sub), x.inf || y.inf, sub);
    r.sign = x.inf ? x.sign : y.inf ? y.sign : sign;
    return r;
  endfunction

  // Second half, common part: the leading one moves to bit 26, or exp = 1. A one where the exponent
  // ends joins the sum's own leading one, so the two counts of places need no comparison.
  function automatic fp_sum_t normalise(input fp_sum_t x);
    fp_sum_t     r;
    logic [4:0]  lz;
    logic [8:0]  room;
    logic [26:0] ends;
    r = x;
    if (x.what == FPS_PLUS) begin
      r.what = FPS_NUMBER;
      if (x.sum == 28'd0) r.sign = 1'b0;
    end
    if (x.sum[27]) begin
      r.sum = {1'b0, x.sum[27:2], x.sum[1] | x.sum[0]};
      r.exp = x.exp + 9'd1;
    end else if (!x.sum[26]) begin
      room = x.exp - 9'd1;
      ends = room[8:5] == 4'd0 ? 27'h400_0000 >> room[4:0] : 27'd0;
      lz = lead_zeros28({x.sum[26:0] | ends, 1'b1});
      r.sum = x.sum << lz;
      r.exp = x.exp - {4'd0, lz};
    end
    return r;
  endfunction

  // m + 1 if up. The bits that change follow from m alone, so up, which arrives last, starts no
  // carry.
  function automatic logic [30:0] rounded(input logic [30:0] m, input logic up);
    logic [30:0] ones;  // this bit is set, and all below it
    ones = m;
    for (int unsigned i = 1; i < 31; i *= 2) ones = ones & ((ones << i) | ~(31'h7FFF_FFFF << i));
    return m ^ ({ones[29:0], 1'b1} & {31{up}});
  endfunction

  // Second half: round a normalised sum to binary32.
  function automatic logic [31:0] round_f32(input fp_sum_t x);
    logic [30:0] m;
    logic        up;
    m = {x.sum[26] ? x.exp[7:0] : 8'd0, x.sum[25:3]};
    up = x.sum[2] && (x.sum[1:0] != 2'd0 || x.sum[3]);
    m = rounded(m, up);  // a carry out of the fraction is the next exponent, up to infinity
    if (x.what == FPS_NAN) return NAN32;
    if (x.what == FPS_INF || x.exp > 9'd254) return {x.sign, 8'hFF, 23'd0};
    return {x.sign, m};
  endfunction

  // Second half: round a normalised sum to bfloat16, which is the upper half of a binary32 number.
  // With stoch, the 16 bits below the last place plus the random number carry into it.
  function automatic logic [15:0] round_bf16(input fp_sum_t x, input logic stoch,
                                             input logic [15:0] random);
    logic [14:0] m;
    logic        up;
    m = {x.sum[26] ? x.exp[7:0] : 8'd0, x.sum[25:19]};
    up = stoch ? x.sum[18:3] > ~random : x.sum[18] && (x.sum[17:0] != 18'd0 || x.sum[19]);
    m = 15'(rounded({16'd0, m}, up));
    if (x.what == FPS_NAN) return NANB16;
    if (x.what == FPS_INF || x.exp > 9'd254) return {x.sign, 8'hFF, 7'd0};
    return {x.sign, m};
  endfunction

  // Second half: round a normalised sum to binary16. With stoch, the 16 bits below the last place
  // plus the random number carry into it.
  function automatic logic [15:0] round_f16(input fp_sum_t x, input logic stoch,
                                            input logic [15:0] random);
    logic [26:0] s;
    logic [14:0] m;
    logic [8:0]  d;
    logic        up;
    if (x.what == FPS_NAN) return NAN16;
    if (x.what == FPS_INF || x.exp > 9'd142) return {x.sign, 5'h1F, 10'd0};
    s = x.sum[26:0];
    d = 9'd0;
    if (x.exp < 9'd113) begin  // below the normal range: the last place is 2^-24
      d = 9'd113 - x.exp;
      s = d > 9'd26 ? 27'd0 : x.sum[26:0] >> d[4:0];
      if (!stoch) begin
        s[0] = s[0] | (d > 9'd26 ? x.sum != 28'd0
                                 : (x.sum[26:0] & ~(27'h7FF_FFFF << d[4:0])) != 27'd0);
      end
      m = {5'd0, s[25:16]};
    end else begin
      m = {x.exp[4:0] - 5'd16, s[25:16]};  // exp - 112, modulo 32
      if (!s[26]) m[14:10] = 5'd0;
    end
    up = stoch ? s[15:0] > ~random : s[15] && (s[14:0] != 15'd0 || s[16]);
    m = 15'(rounded({16'd0, m}, up));
    return {x.sign, m};
  endfunction

  // A number as a sum.
  function automatic fp_sum_t as_sum(input fp_num_t x);
    fp_sum_t s;
    s.what = sum_is(x.nan, x.inf, 1'b0);
    s.sign = x.sign;
    s.exp = x.exp;
    s.sum = {1'b0, x.sig};
    return s;
  endfunction

  // Binary32 to binary16 or bfloat16, one rounding. A binary32 number needs no normalisation here:
  // an unnormalised one has exponent 1.
  function automatic logic [15:0] f32_to_f16(input logic [31:0] x);
    return round_f16(as_sum(unpack_f32(x)), 1'b0, 16'd0);
  endfunction

  function automatic logic [15:0] f32_to_bf16(input logic [31:0] x);
    return round_bf16(as_sum(unpack_f32(x)), 1'b0, 16'd0);
  endfunction

  // ReLU: NaN stays NaN (canonical), anything below or equal to zero is +0.
  function automatic logic [15:0] relu_f16(input logic [15:0] x);
    if (x[14:0] > 15'h7C00) return NAN16;
    return x[15] ? 16'd0 : x;
  endfunction

  function automatic logic [15:0] relu_bf16(input logic [15:0] x);
    if (x[14:0] > 15'h7F80) return NANB16;
    return x[15] ? 16'd0 : x;
  endfunction

  function automatic logic [31:0] relu_f32(input logic [31:0] x);
    if (x[30:0] > 31'h7F80_0000) return NAN32;
    return x[31] ? 32'd0 : x;
  endfunction

  // An operand of 16 or 32 bits with its sign in bit 31: order is that of the upper bits.
  function automatic logic [31:0] left_align(input logic [31:0] x, input dp_fmt_e fmt);
    return fmt == DF_F32 || fmt == DF_I32 ? x : {x[15:0], 16'd0};
  endfunction

  // A left-aligned number is a NaN (integers never are).
  function automatic logic is_nan(input logic [30:0] x, input dp_fmt_e fmt);
    if (fmt == DF_I16 || fmt == DF_I32) return 1'b0;
    return x > (fmt == DF_F16 ? 31'h7C00_0000 : 31'h7F80_0000);
  endfunction

  // x < y for left-aligned operands that are not NaN, with -0 < +0.
  function automatic logic is_less(input logic [31:0] x, input logic [31:0] y, input dp_fmt_e fmt);
    if (fmt == DF_I16 || fmt == DF_I32) return signed'(x) < signed'(y);
    if (x[31] != y[31]) return x[31];
    return x[31] ? x[30:0] > y[30:0] : x[30:0] < y[30:0];
  endfunction

  // Maximum, or with min the minimum: IEEE 754-2019 for numbers, signed for integers.
  function automatic logic [31:0] maximum(input logic [31:0] a, input logic [31:0] b,
                                          input dp_fmt_e fmt, input logic min);
    logic [31:0] x;
    logic [31:0] y;
    x = left_align(a, fmt);
    y = left_align(b, fmt);
    if (is_nan(x[30:0], fmt) || is_nan(y[30:0], fmt)) begin
      return fmt == DF_F32 ? NAN32 : {16'd0, fmt == DF_BF16 ? NANB16 : NAN16};
    end
    x = is_less(x, y, fmt) ^ min ? y : x;
    return fmt == DF_F32 || fmt == DF_I32 ? x : {16'd0, x[31:16]};
  endfunction

  // a relation b ? 1 : 0 in the format of the operands. With a NaN only "not equal" holds.
  function automatic logic [31:0] compare(input logic [31:0] a, input logic [31:0] b,
                                          input dp_fmt_e fmt, input dp_op_e op);
    logic [31:0] x;
    logic [31:0] y;
    logic        eq;
    logic        lt;
    logic        yes;
    x = left_align(a, fmt);
    y = left_align(b, fmt);
    eq = x == y || (fmt != DF_I16 && fmt != DF_I32 && {x[30:0], y[30:0]} == 62'd0);
    lt = is_less(x, y, fmt) && !eq;
    if (is_nan(x[30:0], fmt) || is_nan(y[30:0], fmt)) {eq, lt} = 2'b00;
    unique case (op)
      DP_CMPEQ: yes = eq;
      DP_CMPNE: yes = !eq;
      DP_CMPLT: yes = lt;
      default:  yes = eq || lt;
    endcase
    if (!yes) return 32'd0;
    unique case (fmt)
      DF_F16:  return 32'h0000_3C00;
      DF_BF16: return 32'h0000_3F80;
      DF_F32:  return 32'h3F80_0000;
      default: return 32'd1;
    endcase
  endfunction

endpackage
