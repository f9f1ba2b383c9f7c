// SPDX-License-Identifier: Apache-2.0
// The non-linear functions of the tile (ow_nlf): encodings, formats, and the coefficient table.
//
// The table is not stored: constant functions of this package compute it at elaboration, in integer
// arithmetic, from a short description (which curve is cut into how many segments). A row is a
// segment. On it the curve is c0 + c1 t + c2 t^2 + c3 t^3 with t in [0, 1) from the segment's start
// to its end, interpolated at the four Chebyshev points. docs/numerics.md gives the method and its
// error; the test of ow_nlf is exhaustive.

// No module uses every constant.
/* verilator lint_off UNUSEDPARAM */
package ow_nlf_pkg;

  // The functions, as the low three bits of the tensor operation that applies them.
  typedef enum logic [2:0] {
    NLF_RCP     = 3'd0,  // 1 / x
    NLF_RSQRT   = 3'd1,  // 1 / sqrt(x)
    NLF_EXP     = 3'd2,  // e^x
    NLF_LOG     = 3'd3,  // natural logarithm
    NLF_TANH    = 3'd4,
    NLF_SIGMOID = 3'd5   // 1 / (1 + e^-x)
  } nlf_fn_e;

  // Cycles from valid_i to valid_o of ow_nlf.
  localparam int unsigned NLF_LATENCY = 6;

  // ---------------------------------------------------------------------------------- formats --
  // Places after the binary point of the coefficients, and of t where it multiplies each of them. A
  // coefficient of a higher power needs fewer places: t^2 and t^3 of a rounding error are mostly a
  // line, which fit() puts into the lower coefficients.
  localparam int unsigned C0_FRAC = 25;
  localparam int unsigned C1_FRAC = 23;
  localparam int unsigned C2_FRAC = 21;
  localparam int unsigned C3_FRAC = 19;
  localparam int unsigned T1_FRAC = 20;  // t that multiplies c1
  localparam int unsigned T2_FRAC = 15;
  localparam int unsigned T3_FRAC = 10;
  localparam int unsigned C0_BITS = 26;  // unsigned; the others are signed
  localparam int unsigned C1_BITS = 24;
  localparam int unsigned C2_BITS = 17;
  localparam int unsigned C3_BITS = 11;

  // Exponential arguments: x log2(e) with Z_FRAC places after the point.
  localparam int unsigned Z_FRAC = 24;

  // ------------------------------------------------------------- description of the segments --
  // Curves, on u in [0, 1) unless k says more. Every one is in (0, 2).
  typedef enum logic [3:0] {
    CURVE_RCP,     // 1 / (1 + u)
    CURVE_EXP,     // 2^u
    CURVE_RSQRT0,  // 1 / sqrt(1 + u)
    CURVE_RSQRT1,  // 1 / sqrt(2 + 2u)
    CURVE_LOG,     // ln(1 + u)
    CURVE_SIG,     // 2^u / (1 + 2^(u-k)): 2^k sigmoid(-a) at a log2(e) = k - u
    CURVE_LOGUP,   // 2^k ln(1 + 2^-k (1 + u)): just above one
    CURVE_LOGDN,   // -2^(k-1) ln(1 - 2^-k (1 + u)): just below one
    CURVE_TANH     // 2^k tanh(2^-k (1 + u))
  } curve_e;

  // Ranges of k. Sigmoid beyond the last k is 2^-k 2^u; tanh beyond the last k is its argument.
  localparam int unsigned SIG_LAST = 15;
  localparam int unsigned LOG_FIRST = 3;
  localparam int unsigned LOGUP_LAST = 10;
  localparam int unsigned LOGDN_LAST = 11;
  localparam int unsigned TANH_FIRST = 2;
  localparam int unsigned TANH_LAST = 6;

  // Curve c, for k, is cut into 2^seg_bits segments.
  function automatic int unsigned seg_bits(input curve_e c, input int unsigned k);
    case (c)
      CURVE_RCP, CURVE_EXP: return 4;
      CURVE_RSQRT0, CURVE_RSQRT1, CURVE_LOG: return 3;
      CURVE_SIG: return k == 1 ? 3 : 2;
      CURVE_LOGUP, CURVE_LOGDN: return k == 3 ? 2 : k < 6 ? 1 : 0;
      CURVE_TANH: return k < 5 ? 5 - k : 0;
      default: return 0;
    endcase
  endfunction

  function automatic int unsigned first_k(input curve_e c);
    case (c)
      CURVE_SIG: return 1;
      CURVE_LOGUP, CURVE_LOGDN: return LOG_FIRST;
      CURVE_TANH: return TANH_FIRST;
      default: return 0;
    endcase
  endfunction

  function automatic int unsigned last_k(input curve_e c);
    case (c)
      CURVE_SIG: return SIG_LAST;
      CURVE_LOGUP: return LOGUP_LAST;
      CURVE_LOGDN: return LOGDN_LAST;
      CURVE_TANH: return TANH_LAST;
      default: return 0;
    endcase
  endfunction

  // First row of curve c for k: the curves one after the other, each by ascending k.
  function automatic int unsigned row_base(input curve_e c, input int unsigned k);
    int unsigned n;
    n = 0;
    for (int unsigned i = 0; i <= 32'(CURVE_TANH); i++) begin
      for (int unsigned j = first_k(curve_e'(i)); j <= last_k(curve_e'(i)); j++) begin
        if (curve_e'(i) < c || (curve_e'(i) == c && j < k)) n = n + (1 << seg_bits(curve_e'(i), j));
      end
    end
    return n;
  endfunction

  localparam int unsigned NLF_ROWS = row_base(CURVE_TANH, TANH_LAST + 1);
  localparam int unsigned ROW_W = 8;  // bits of a row number
  localparam logic [ROW_W-1:0] ROW_RCP = ROW_W'(row_base(CURVE_RCP, 0));
  localparam logic [ROW_W-1:0] ROW_EXP = ROW_W'(row_base(CURVE_EXP, 0));
  localparam logic [ROW_W-1:0] ROW_RSQRT0 = ROW_W'(row_base(CURVE_RSQRT0, 0));
  localparam logic [ROW_W-1:0] ROW_RSQRT1 = ROW_W'(row_base(CURVE_RSQRT1, 0));
  localparam logic [ROW_W-1:0] ROW_LOG = ROW_W'(row_base(CURVE_LOG, 0));
  localparam logic [ROW_W-1:0] ROW_SIG1 = ROW_W'(row_base(CURVE_SIG, 1));
  localparam logic [ROW_W-1:0] ROW_SIG2 = ROW_W'(row_base(CURVE_SIG, 2));
  localparam logic [ROW_W-1:0] ROW_LOGUP3 = ROW_W'(row_base(CURVE_LOGUP, 3));
  localparam logic [ROW_W-1:0] ROW_LOGUP4 = ROW_W'(row_base(CURVE_LOGUP, 4));
  localparam logic [ROW_W-1:0] ROW_LOGUP5 = ROW_W'(row_base(CURVE_LOGUP, 5));
  localparam logic [ROW_W-1:0] ROW_LOGUP6 = ROW_W'(row_base(CURVE_LOGUP, 6));
  localparam logic [ROW_W-1:0] ROW_LOGDN3 = ROW_W'(row_base(CURVE_LOGDN, 3));
  localparam logic [ROW_W-1:0] ROW_LOGDN4 = ROW_W'(row_base(CURVE_LOGDN, 4));
  localparam logic [ROW_W-1:0] ROW_LOGDN5 = ROW_W'(row_base(CURVE_LOGDN, 5));
  localparam logic [ROW_W-1:0] ROW_LOGDN6 = ROW_W'(row_base(CURVE_LOGDN, 6));
  localparam logic [ROW_W-1:0] ROW_TANH2 = ROW_W'(row_base(CURVE_TANH, 2));
  localparam logic [ROW_W-1:0] ROW_TANH3 = ROW_W'(row_base(CURVE_TANH, 3));
  localparam logic [ROW_W-1:0] ROW_TANH4 = ROW_W'(row_base(CURVE_TANH, 4));
  localparam logic [ROW_W-1:0] ROW_TANH5 = ROW_W'(row_base(CURVE_TANH, 5));
  localparam logic [ROW_W-1:0] ROW_TANH6 = ROW_W'(row_base(CURVE_TANH, 6));

  // Corrections of c0 of some rows, in units of its last place. Without one, a segment's
  // interpolation rounds some input to the wrong side of a midpoint; the exhaustive test then
  // fails.
  function automatic int nudge(input curve_e c, input int unsigned k, input int unsigned segment);
    if (c == CURVE_EXP && segment == 0) return -1;
    if (c == CURVE_RSQRT1 && segment == 7) return 1;
    if (c == CURVE_LOG && segment == 0) return 7;
    if (c == CURVE_LOG && segment == 1) return 1;
    if (c == CURVE_LOG && segment == 2) return 2;
    if (c == CURVE_SIG && k == 1 && segment == 7) return 7;
    return 0;
  endfunction

  // ------------------------------------------------------ mathematics, at elaboration only ----
  // Signed fixed point with FIX_FRAC places after the point; absolute values stay below 8, so that
  // products fit.
  localparam int unsigned FIX_FRAC = 60;
  typedef logic signed [127:0] fix_t;
  localparam fix_t FIX_ONE = fix_t'(1) <<< FIX_FRAC;

  function automatic fix_t fix_mul(input fix_t a, input fix_t b);
    return (a * b) >>> FIX_FRAC;
  endfunction

  function automatic fix_t fix_div(input fix_t a, input fix_t b);
    return (a <<< FIX_FRAC) / b;
  endfunction

  // e^x for x in [0, 1]: the exponential series.
  function automatic fix_t fix_exp(input fix_t x);
    fix_t term;
    fix_t sum;
    term = FIX_ONE;
    sum = FIX_ONE;
    for (int n = 1; n < 24; n++) begin
      term = fix_mul(term, x) / fix_t'(n);
      sum = sum + term;
    end
    return sum;
  endfunction

  // ln(1 + x) for x in [-1/2, 1]: 2 artanh(x / (2 + x)).
  function automatic fix_t fix_ln1p(input fix_t x);
    fix_t z;
    fix_t z2;
    fix_t sum;
    z = fix_div(x, 2 * FIX_ONE + x);
    z2 = fix_mul(z, z);
    sum = '0;
    for (int n = 1; n < 56; n += 2) begin
      sum = sum + z / fix_t'(n);
      z = fix_mul(z, z2);
    end
    return 2 * sum;
  endfunction

  // 1 / sqrt(x) for x in [1, 4]: Newton's iteration, which gains digits twofold from 2/3.
  function automatic fix_t fix_rsqrt(input fix_t x);
    fix_t y;
    y = x < 2 * FIX_ONE ? 5 * FIX_ONE / 6 : 7 * FIX_ONE / 12;
    for (int n = 0; n < 7; n++) begin
      y = fix_mul(y, 3 * FIX_ONE - fix_mul(x, fix_mul(y, y))) >>> 1;
    end
    return y;
  endfunction

  localparam fix_t FIX_LN2 = fix_ln1p(FIX_ONE);

  // log2(e) and ln(2) as the datapath uses them, rounded.
  localparam logic [Z_FRAC:0] LOG2E =
      (Z_FRAC + 1)'((fix_div(FIX_ONE, FIX_LN2) + (FIX_ONE >>> (Z_FRAC + 1)))
                    >>> (FIX_FRAC - Z_FRAC));
  localparam logic [C0_FRAC-1:0] LN2 =
      C0_FRAC'((FIX_LN2 + (FIX_ONE >>> (C0_FRAC + 1))) >>> (FIX_FRAC - C0_FRAC));

  // The value of a curve.
  function automatic fix_t curve(input curve_e c, input int unsigned k, input fix_t u);
    fix_t x;
    case (c)
      CURVE_RCP: return fix_div(FIX_ONE, FIX_ONE + u);
      CURVE_EXP: return fix_exp(fix_mul(u, FIX_LN2));
      CURVE_RSQRT0: return fix_rsqrt(FIX_ONE + u);
      CURVE_RSQRT1: return fix_rsqrt(2 * (FIX_ONE + u));
      CURVE_LOG: return fix_ln1p(u);
      CURVE_SIG: begin
        x = fix_exp(fix_mul(u, FIX_LN2));
        return fix_div(x, FIX_ONE + (x >>> k));
      end
      CURVE_LOGUP: return fix_ln1p((FIX_ONE + u) >>> k) <<< k;
      CURVE_LOGDN: return -(fix_ln1p(-((FIX_ONE + u) >>> k)) <<< (k - 1));
      CURVE_TANH: begin
        x = fix_exp((FIX_ONE + u) >>> (k - 1));
        return fix_div(x - FIX_ONE, x + FIX_ONE) <<< k;
      end
      default: return '0;
    endcase
  endfunction

  // One row of the table.
  typedef struct packed {
    logic [C0_BITS-1:0]        c0;
    logic signed [C1_BITS-1:0] c1;
    logic signed [C2_BITS-1:0] c2;
    logic signed [C3_BITS-1:0] c3;
  } nlf_row_t;

  // x rounded to frac places, as an integer.
  function automatic fix_t to_places(input fix_t x, input int unsigned frac);
    return (x + (FIX_ONE >>> (frac + 1))) >>> (FIX_FRAC - frac);
  endfunction

  // The four Chebyshev points of [0, 1), (1 + cos((2i + 1) pi / 8)) / 2, in units of 2^-16.
  function automatic fix_t point(input int i);
    case (i)
      0: return 128'sd2494;
      1: return 128'sd20228;
      2: return 128'sd45308;
      default: return 128'sd63042;
    endcase
  endfunction

  // The cubic through the curve at the four points of a segment, rounded to the coefficients'
  // places. The rounding error of a coefficient moves into the lower ones as far as they can take
  // it: on [0, 1), t^3 is (48 t^2 - 18 t + 1) / 32 within 1/32, t^2 is t - 1/8 within 1/8, and t is
  // 1/2 within 1/2 (Chebyshev polynomials).
  function automatic nlf_row_t fit(input curve_e c, input int unsigned k, input int unsigned segment);
    nlf_row_t r;
    fix_t y [4];
    fix_t a0;
    fix_t a1;
    fix_t a2;
    fix_t a3;
    fix_t err;
    fix_t n;
    for (int i = 0; i < 4; i++) begin
      y[i] = curve(c, k, ((fix_t'(segment) <<< 16) + point(i)) <<<
                         (FIX_FRAC - 16 - seg_bits(c, k)));
    end
    // Newton's divided differences in place, then the products multiplied out.
    for (int i = 1; i < 4; i++) begin
      for (int j = 3; j >= i; j--) begin
        y[j] = ((y[j] - y[j-1]) <<< 16) / (point(j) - point(j - i));
      end
    end
    a0 = y[3];
    a1 = '0;
    a2 = '0;
    a3 = '0;
    for (int i = 2; i >= 0; i--) begin
      a3 = a2 - ((a3 * point(i)) >>> 16);
      a2 = a1 - ((a2 * point(i)) >>> 16);
      a1 = a0 - ((a1 * point(i)) >>> 16);
      a0 = y[i] - ((a0 * point(i)) >>> 16);
    end
    n = to_places(a3, C3_FRAC);
    r.c3 = C3_BITS'(n);
    err = a3 - (n <<< (FIX_FRAC - C3_FRAC));
    a2 = a2 + 3 * err / 2;
    a1 = a1 - 9 * err / 16;
    a0 = a0 + err / 32;
    n = to_places(a2, C2_FRAC);
    r.c2 = C2_BITS'(n);
    err = a2 - (n <<< (FIX_FRAC - C2_FRAC));
    a1 = a1 + err;
    a0 = a0 - err / 8;
    n = to_places(a1, C1_FRAC);
    r.c1 = C1_BITS'(n);
    err = a1 - (n <<< (FIX_FRAC - C1_FRAC));
    a0 = a0 + err / 2;
    r.c0 = C0_BITS'(to_places(a0, C0_FRAC) + fix_t'(nudge(c, k, segment)));
    return r;
  endfunction

  // The table, and its columns as the datapath reads them: the coefficient of t^power, signed but
  // for power 0, in the low bits.
  typedef logic [NLF_ROWS-1:0][$bits(nlf_row_t)-1:0] nlf_table_t;
  typedef logic [NLF_ROWS-1:0][C0_BITS-1:0] nlf_column_t;

  function automatic nlf_table_t build();
    nlf_table_t rows;
    for (int unsigned c = 0; c <= 32'(CURVE_TANH); c++) begin
      for (int unsigned k = first_k(curve_e'(c)); k <= last_k(curve_e'(c)); k++) begin
        for (int unsigned s = 0; s < (1 << seg_bits(curve_e'(c), k)); s++) begin
          rows[row_base(curve_e'(c), k)+s] = fit(curve_e'(c), k, s);
        end
      end
    end
    return rows;
  endfunction

  localparam nlf_table_t NLF_TABLE = build();

  function automatic nlf_column_t column(input nlf_table_t rows, input int power);
    nlf_column_t cells;
    nlf_row_t    r;
    for (int unsigned i = 0; i < NLF_ROWS; i++) begin
      r = rows[i];
      case (power)
        0: cells[i] = r.c0;
        1: cells[i] = C0_BITS'(r.c1);
        2: cells[i] = C0_BITS'(r.c2);
        default: cells[i] = C0_BITS'(r.c3);
      endcase
    end
    return cells;
  endfunction

  localparam nlf_column_t NLF_C0 = column(NLF_TABLE, 0);
  localparam nlf_column_t NLF_C1 = column(NLF_TABLE, 1);
  localparam nlf_column_t NLF_C2 = column(NLF_TABLE, 2);
  localparam nlf_column_t NLF_C3 = column(NLF_TABLE, 3);

endpackage
/* verilator lint_on UNUSEDPARAM */
