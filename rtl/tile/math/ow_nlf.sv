// SPDX-License-Identifier: Apache-2.0
// One lane of the non-linear functions: reciprocal, reciprocal square root, exponential, natural
// logarithm, hyperbolic tangent and sigmoid of binary16 and bfloat16. Results are correctly rounded
// (nearest even) for every input of both formats; subnormals are honoured, NaN is canonical.
// docs/numerics.md has the special values and the method.
//
// Protocol: no handshake and no stall. An operand with valid_i in cycle t gives its result with
// valid_o in cycle t + NLF_LATENCY, for one cycle, from registers. Throughput: one per cycle, any
// mixture of functions and formats. There are no errors: an encoding of fn_i without a function
// gives an unspecified result.
//
//   stage 1  unpack, special values, x log2(e)
//   stage 2  range reduction: row of the table, t in [0, 1), exponent of the result
//   stage 3  r = c2 + c3 t (from here to stage 5: ow_nlf_horner_pkg)
//   stage 4  r = c1 + r t
//   stage 5  p = c0 + r t (+ e ln 2)
//   stage 6  1 - p where the range reduction asks for it, normalise, round
//
// Range reduction of x = (-1)^s 2^e (1 + f):
//   reciprocals  by f (and the parity of e)
//   exp          by x log2(e) = n + u: 2^n 2^u
//   log          by e ln 2 + ln(1 + f); next to one, where that would cancel, by the distance from
//                one normalised like a number
//   sigmoid      sigmoid(-a) by a log2(e) = k - u: 2^-k times a curve of u. sigmoid(a) = 1 -
//                sigmoid(-a)
//   tanh         1 - 2 sigmoid(-2a) from 1/2 up; below, by f
`include "ow_assert.svh"

module ow_nlf
  import ow_nlf_pkg::*;
  import ow_nlf_horner_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,    // clears the valid bits
  input  logic        valid_i,  // fn_i, bf16_i and x_i are an operand
  input  nlf_fn_e     fn_i,     // function
  input  logic        bf16_i,   // 0: binary16, 1: bfloat16, operand and result
  input  logic [15:0] x_i,
  output logic        valid_o,  // y_o is a result
  output logic [15:0] y_o       // zero while valid_o is low
);

  localparam int unsigned PROD_W = 11 + Z_FRAC + 1;  // x log2(e), before its exponent

  // x shifted up until its highest bit is one, and by how many places; a zero by 15.
  typedef struct packed {
    logic [3:0] zeros;
    logic [9:0] x;
  } normal10_t;

  function automatic normal10_t normal10(input logic [9:0] x);
    normal10_t r;
    logic      none;  // in the highest places
    r = '{zeros: '0, x: x};
    for (int unsigned n = 8; n > 0; n = n / 2) begin
      none = (r.x >> (10 - n)) == 10'd0;
      r.zeros = {r.zeros[2:0], none};
      if (none) r.x = r.x << n;
    end
    return r;
  endfunction

  // The same of 32 bits, which are not zero.
  typedef struct packed {
    logic [4:0]  zeros;
    logic [31:0] x;
  } normal32_t;

  function automatic normal32_t normal32(input logic [31:0] x);
    normal32_t r;
    logic      none;  // in the highest places
    r = '{zeros: '0, x: x};
    for (int unsigned n = 16; n > 0; n = n / 2) begin
      none = (r.x >> (32 - n)) == 32'd0;
      r.zeros = {r.zeros[3:0], none};
      if (none) r.x = r.x << n;
    end
    return r;
  endfunction

  // ------------------------------------------------------------------------------- stage 1 ----
  typedef struct packed {
    nlf_fn_e           fn;
    logic              bf16;
    logic              sign;
    logic signed [9:0] e;        // exponent, subnormals normalised
    logic [9:0]        f;        // fraction, left-aligned
    logic              special;  // the result is in y
    logic [15:0]       y;
    logic [PROD_W-1:0] prod;     // (1 + f) log2(e), 10 + Z_FRAC places after the point
  } s1_t;

  function automatic s1_t unpack(input nlf_fn_e fn, input logic bf16, input logic [15:0] x);
    s1_t         r;
    logic [7:0]  be;    // biased exponent
    logic [9:0]  raw;   // fraction as encoded
    normal10_t   low;   // of a subnormal
    logic        top;   // infinity or NaN
    logic [9:0]  bias;
    logic [15:0] inf;
    logic [15:0] nan;
    logic [15:0] one;
    be = bf16 ? x[14:7] : {3'd0, x[14:10]};
    raw = bf16 ? {x[6:0], 3'd0} : x[9:0];
    top = bf16 ? be == 8'hFF : be == 8'h1F;
    bias = bf16 ? 10'd127 : 10'd15;
    inf = bf16 ? 16'h7F80 : 16'h7C00;
    nan = bf16 ? 16'h7FC0 : 16'h7E00;
    one = bf16 ? 16'h3F80 : 16'h3C00;
    r.fn = fn;
    r.bf16 = bf16;
    r.sign = x[15];
    r.prod = '0;
    if (be == 8'd0) begin
      low = normal10(raw);
      r.e = -bias - {6'd0, low.zeros};
      r.f = low.x << 1;
    end else begin
      low = '0;
      r.e = {2'd0, be} - bias;
      r.f = raw;
    end
    // A zero has the exponent of a number smaller than all others, an infinity of a larger one.
    r.special = 1'b0;
    r.y = 16'd0;
    if (top && raw != 10'd0) begin
      r.special = 1'b1;
      r.y = nan;
    end else begin
      case (fn)
        NLF_RCP: begin
          r.special = top || x[14:0] == 15'd0;
          r.y = {x[15], top ? 15'd0 : inf[14:0]};
        end
        NLF_RSQRT: begin
          r.special = top || x[15] || x[14:0] == 15'd0;
          r.y = x[14:0] == 15'd0 ? {x[15], inf[14:0]} : x[15] ? nan : 16'd0;
        end
        NLF_EXP: begin
          r.special = r.e > 10'sd7 || r.e < -10'sd13;
          r.y = r.e < 10'sd0 ? one : x[15] ? 16'd0 : inf;
        end
        NLF_LOG: begin
          r.special = top || x[15] || x[14:0] == 15'd0 || x == one;
          r.y = x[14:0] == 15'd0 ? {1'b1, inf[14:0]} : x[15] ? nan : top ? inf : 16'd0;
        end
        NLF_TANH: begin
          r.special = r.e > 10'sd6 || r.e < -$signed(10'(TANH_LAST));
          r.y = r.e < 10'sd0 ? x : {x[15], one[14:0]};
        end
        default: begin
          r.special = r.e > 10'sd7 || r.e < -10'sd13;
          r.y = r.e < 10'sd0 ? (bf16 ? 16'h3F00 : 16'h3800) : x[15] ? 16'd0 : one;
        end
      endcase
    end
    if (!r.special && fn >= NLF_EXP && fn != NLF_LOG) begin
      // Subnormals are special here: the fraction needs no normalisation.
      r.prod = PROD_W'({1'b1, raw}) * PROD_W'(LOG2E);
    end
    return r;
  endfunction

  // ------------------------------------------------------------------------------- stage 2 ----
  // What stage 6 needs.
  typedef struct packed {
    logic              special;  // the result is y
    logic [15:0]       y;
    logic              bf16;
    logic              sign;     // of the result
    logic signed [9:0] e;        // the result is p 2^e, or 1 - p 2^-shift
    logic              comp;     // 1 - p 2^-shift
    logic [4:0]        shift;    // 0 unless comp
  } tail_t;

  typedef struct packed {
    tail_t              tail;
    logic signed [8:0]  log_e;  // times ln 2, added to the curve
    logic [ROW_W-1:0]   row;
    logic [T1_FRAC-1:0] t;
  } s2_t;

  // The next n bits of f select the segment; the others are t.
  function automatic logic [T1_FRAC-1:0] t_of(input logic [9:0] f, input logic [2:0] n);
    return {f << n, {(T1_FRAC - 10) {1'b0}}};
  endfunction

  function automatic s2_t reduce(input s1_t x);
    s2_t                r;
    logic               near;   // log: within a quarter above or below one
    logic [9:0]         w;      // log: the distance from one
    normal10_t          n;      // that distance, normalised
    logic [3:0]         lz;
    logic [9:0]         d;      // n without its leading one
    logic [4:0]         sh;
    logic [Z_FRAC+8:0]  z;      // |x| log2(e), or twice that
    logic [Z_FRAC+9:0]  zs;     // with the sign that the reduction needs
    logic [Z_FRAC-1:0]  u;
    logic [9:0]         k;
    r.tail.special = x.special;
    r.tail.y = x.y;
    r.tail.bf16 = x.bf16;
    r.tail.sign = x.sign;
    r.tail.e = '0;
    r.tail.comp = 1'b0;
    r.tail.shift = 5'd0;
    r.log_e = 9'sd0;
    r.row = '0;
    r.t = '0;
    case (x.fn)
      NLF_RCP: begin
        r.row = ROW_RCP + {4'd0, x.f[9:6]};
        r.t = t_of(x.f, 3'd4);
        r.tail.e = -x.e;
      end
      NLF_RSQRT: begin
        r.row = (x.e[0] ? ROW_RSQRT1 : ROW_RSQRT0) + {5'd0, x.f[9:7]};
        r.t = t_of(x.f, 3'd3);
        r.tail.e = -(x.e >>> 1);
      end
      NLF_LOG: begin
        r.tail.sign = x.e < 10'sd0;
        near = (x.e == 10'sd0 && x.f[9:8] == 2'd0) ||
               (x.e == -10'sd1 && x.f[9] && x.f[8:0] != 9'd0);
        if (near) begin
          w = r.tail.sign ? -x.f : x.f;  // in units of 2^-11 below one, of 2^-10 above
          n = normal10(w);
          lz = n.zeros;
          d = n.x << 1;
          r.tail.e = -{6'd0, lz} - 10'd1;
          if (!r.tail.sign) begin
            case (lz)  // k - 1
              4'd2: r.row = ROW_LOGUP3 + {6'd0, d[9:8]};
              4'd3: r.row = ROW_LOGUP4 + {7'd0, d[9]};
              4'd4: r.row = ROW_LOGUP5 + {7'd0, d[9]};
              default: r.row = ROW_LOGUP6 + {4'd0, lz} - 8'd5;
            endcase
            r.t = t_of(d, lz == 4'd2 ? 3'd2 : lz < 4'd5 ? 3'd1 : 3'd0);
          end else begin
            case (lz)  // k - 2
              4'd1: r.row = ROW_LOGDN3 + {6'd0, d[9:8]};
              4'd2: r.row = ROW_LOGDN4 + {7'd0, d[9]};
              4'd3: r.row = ROW_LOGDN5 + {7'd0, d[9]};
              default: r.row = ROW_LOGDN6 + {4'd0, lz} - 8'd4;
            endcase
            r.t = t_of(d, lz == 4'd1 ? 3'd2 : lz < 4'd4 ? 3'd1 : 3'd0);
          end
        end else begin
          r.row = ROW_LOG + {5'd0, x.f[9:7]};
          r.t = t_of(x.f, 3'd3);
          r.log_e = x.e[8:0];
        end
      end
      default: begin
        if (x.fn == NLF_TANH && x.e < -10'sd1) begin
          case (x.e[2:0])
            3'b110: r.row = ROW_TANH2 + {5'd0, x.f[9:7]};
            3'b101: r.row = ROW_TANH3 + {6'd0, x.f[9:8]};
            3'b100: r.row = ROW_TANH4 + {7'd0, x.f[9]};
            3'b011: r.row = ROW_TANH5;
            default: r.row = ROW_TANH6;
          endcase
          r.t = t_of(x.f, x.e[2:0] > 3'b011 ? x.e[2:0] - 3'd3 : 3'd0);
          r.tail.e = x.e;
        end else begin
          // An argument below 2^8, 2^-13 or more.
          sh = 5'd7 - x.e[4:0] - {4'd0, x.fn == NLF_TANH};
          z = x.prod[PROD_W-1:3] >> sh;
          zs = x.fn == NLF_EXP && !x.sign ? {1'b0, z} : -{1'b0, z};
          u = zs[Z_FRAC-1:0];
          k = -zs[Z_FRAC+9:Z_FRAC];
          if (x.fn == NLF_EXP) begin
            r.tail.sign = 1'b0;
            r.tail.e = zs[Z_FRAC+9:Z_FRAC];
          end else if (x.fn == NLF_SIGMOID && x.sign) begin
            r.tail.sign = 1'b0;
            r.tail.e = -k;
          end else begin
            r.tail.comp = 1'b1;
            r.tail.shift = k > 10'd31 ? 5'd31 : k[4:0] - {4'd0, x.fn == NLF_TANH};
          end
          if (x.fn == NLF_EXP || k > 10'(SIG_LAST)) begin
            r.row = ROW_EXP + {4'd0, u[Z_FRAC-1-:4]};
            r.t = u[Z_FRAC-5-:T1_FRAC];
          end else if (k == 10'd1) begin
            r.row = ROW_SIG1 + {5'd0, u[Z_FRAC-1-:3]};
            r.t = u[Z_FRAC-4-:T1_FRAC];
          end else begin
            r.row = ROW_SIG2 + {2'd0, k[3:0] - 4'd2, u[Z_FRAC-1-:2]};
            r.t = u[Z_FRAC-3-:T1_FRAC];
          end
        end
      end
    endcase
    return r;
  endfunction

  // ------------------------------------------------------------------------------- stage 4 ----
  // 1 - p 2^-shift is one for every p, which is below 2, from a shift of 16 on: the midpoint below
  // one is 2^-12 away from it in binary16 and further in bfloat16.
  function automatic tail_t near_one(input tail_t x);
    tail_t r;
    r = x;
    if (!x.special && x.shift[4]) begin
      r.special = 1'b1;
      r.y = {x.sign, x.bf16 ? 15'h3F80 : 15'h3C00};
    end
    return r;
  endfunction

  // ------------------------------------------------------------------------------- stage 6 ----
  function automatic logic [15:0] finish(input tail_t x, input logic signed [P_W-1:0] p);
    logic [31:0]       q;
    logic              less;   // q is subtracted
    logic [31:0]       v;      // the result without its sign, C0_FRAC places, times 2^e
    normal32_t         n;      // v, normalised
    // Exponents count from that of the smallest normal numbers. Results of x.e alone are ready
    // before v, so the count of leading zeros is only compared with them.
    logic signed [10:0] top;   // of the highest place of v
    logic signed [10:0] over;  // top less the exponent of the largest numbers
    logic [7:0]         e;     // exponent of the leading one, if it is that of a normal number
    logic signed [10:0] k;     // places from v to the subnormal numbers' significand
    logic [31:0]        sub;   // that significand, with a bit for what is below it
    logic              below;  // the result is subnormal
    logic [31:0]       sig;
    logic [14:0]       m;
    logic              up;
    if (x.special) return x.y;
    q = 32'(p >> x.shift[3:0]);
    less = x.comp || p[P_W-1];
    v = 32'(({6'd0, x.comp, {C0_FRAC{1'b0}}, 1'b1} + {q ^ {32{less}}, less}) >> 1);
    n = normal32(v);
    top = 11'(x.e) + (x.bf16 ? 11'(31 - C0_FRAC + 126) : 11'(31 - C0_FRAC + 14));
    over = top - (x.bf16 ? 11'sd253 : 11'sd29);
    e = top[7:0] - {3'd0, n.zeros};
    if (over > $signed({6'd0, n.zeros})) return {x.sign, x.bf16 ? 15'h7F80 : 15'h7C00};
    // The result as if it were subnormal, in parallel with the normalisation: its places follow
    // from x.e alone.
    k = -top;
    if (k < 11'sd0) begin
      sub = v << -k[4:0];
    end else begin
      sub = k > 11'sd31 ? 32'd0 : v >> k[4:0];
      sub[0] = sub[0] | (k > 11'sd31 ? v != 32'd0 : (v & ~(32'hFFFF_FFFF << k[4:0])) != 32'd0);
    end
    below = top < $signed({6'd0, n.zeros});
    sig = below ? sub : n.x;
    // The last place kept is bit 21 or 24; what is dropped decides the rounding. The leading one of
    // a normal significand adds one to the exponent; a carry out of the fraction is the next
    // exponent, up to infinity.
    if (x.bf16) begin
      up = sig[23] && (sig[22:0] != 23'd0 || sig[24]);
      m = {(below ? 8'd0 : e) + 8'(sig[31]), sig[30:24]};
    end else begin
      up = sig[20] && (sig[19:0] != 20'd0 || sig[21]);
      m = {(below ? 5'd0 : e[4:0]) + 5'(sig[31]), sig[30:21]};
    end
    return {x.sign, up ? m + 15'd1 : m};
  endfunction

  s1_t                       s1_q;
  s2_t                       s2_q;
  s2_t                       s3_q;
  tail_t                     s4_q, s5_q;
  digit_t [T2_DIGITS-1:0]    t3_q;
  digit_t [T1_DIGITS-1:0]    t4_q;
  logic [C1_BITS-1:0]        base3_q;
  logic [P_W-1:0]            base4_q;
  logic signed [C2_BITS-1:0] r3_q;
  logic signed [C1_BITS-1:0] r4_q;
  logic signed [P_W-1:0]     p_q;
  logic [15:0]               y_q;
  logic [NLF_LATENCY:1]      valid_q;  // stage by stage

  always_ff @(posedge clk_i) begin
    if (valid_i) s1_q <= unpack(fn_i, bf16_i, x_i);
    if (valid_q[1]) s2_q <= reduce(s1_q);
    if (valid_q[2]) begin
      s3_q <= s2_q;
      t3_q <= (3 * T2_DIGITS)'(digits(T1_FRAC'(s2_q.t[T1_FRAC-1-:T2_FRAC])));
      base3_q <= base2(s2_q.row);
      r3_q <= horner3(s2_q.row, s2_q.t[T1_FRAC-1-:T3_FRAC]);
    end
    if (valid_q[3]) begin
      s4_q <= near_one(s3_q.tail);
      t4_q <= digits(s3_q.t);
      base4_q <= base1(s3_q.row, s3_q.log_e);
      r4_q <= horner2(base3_q, t3_q, r3_q);
    end
    if (valid_q[4]) begin
      s5_q <= s4_q;
      p_q <= horner1(base4_q, t4_q, r4_q);
    end
    if (valid_q[5]) y_q <= finish(s5_q, p_q);
    if (rst_i) valid_q <= '0;
    else valid_q <= {valid_q[NLF_LATENCY-1:1], valid_i};
  end

  assign valid_o = valid_q[NLF_LATENCY];
  assign y_o = valid_o ? y_q : 16'd0;

  `OW_ASSERT(NotZero, !valid_q[5] || s5_q.special || p_q != '0,
             "a result that is not a special value is zero before rounding")
  `OW_ASSERT(Known, !valid_i || fn_i <= NLF_SIGMOID, "no such function")

endmodule
