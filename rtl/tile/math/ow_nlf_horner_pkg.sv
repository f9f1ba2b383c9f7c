// SPDX-License-Identifier: Apache-2.0
// The cubic of ow_nlf by Horner's rule: c0 + t (c1 + t (c2 + t c3)), a product and a sum in each of
// three stages. The coefficients are a row of the table in ow_nlf_pkg.
package ow_nlf_horner_pkg;

  import ow_nlf_pkg::*;

  // A product is rounded to the places of what it is added to: half of the last place is added
  // below it, and all meet in one addition.
  localparam int unsigned P_W = C0_FRAC + 8;  // signed: a logarithm is below 2^7
  localparam int unsigned DROP3 = C3_FRAC + T3_FRAC - C2_FRAC;
  localparam int unsigned DROP2 = C2_FRAC + T2_FRAC - C1_FRAC;
  localparam int unsigned DROP1 = C1_FRAC + T1_FRAC - C0_FRAC;
  localparam int unsigned M3_W = C3_BITS + T3_FRAC + 1;
  localparam int unsigned SUM2_W = C1_BITS + DROP2;
  localparam int unsigned SUM1_W = P_W + DROP1;

  // The signed factor takes part as if it were larger by 2^(bits - 1) and unsigned; t times that is
  // subtracted from the coefficient. So no partial product has to be sign-extended.
  function automatic logic signed [C2_BITS-1:0] horner3(input logic [ROW_W-1:0] row,
                                                        input logic [T3_FRAC-1:0] t);
    localparam int unsigned SumW = C2_BITS + DROP3;
    logic [C3_BITS-1:0] c3;
    logic [C2_BITS-1:0] c2;
    logic [M3_W-1:0]    m;
    /* verilator lint_off UNUSEDSIGNAL */ // places that are dropped
    logic [SumW-1:0]    sum;
    /* verilator lint_on UNUSEDSIGNAL */
    c3 = NLF_C3[row][C3_BITS-1:0];
    c2 = NLF_C2[row][C2_BITS-1:0];
    m = M3_W'({~c3[C3_BITS-1], c3[C3_BITS-2:0]}) * M3_W'(t);
    sum = {c2, 1'b1, {(DROP3 - 1) {1'b0}}} - SumW'({t, {(C3_BITS - 1) {1'b0}}});
    sum = sum + SumW'(m);
    return $signed(sum[SumW-1:DROP3]);
  endfunction

  // The other products are larger. They take half as many partial products, since t comes as digits
  // of -2 to 2, of which digit n counts 4^n (Booth, radix 4), made one stage earlier.
  localparam int unsigned T1_DIGITS = T1_FRAC / 2 + 1;
  localparam int unsigned T2_DIGITS = T2_FRAC / 2 + 1;

  typedef struct packed {
    logic neg;  // below zero, or a zero that is written as -1 + 1
    logic two;
    logic one;
  } digit_t;

  function automatic digit_t [T1_DIGITS-1:0] digits(input logic [T1_FRAC-1:0] t);
    logic [2*T1_DIGITS:0]   places;
    logic [2:0]             x;  // a digit's two places and the one below
    digit_t [T1_DIGITS-1:0] r;
    places = {2'd0, t, 1'b0};
    for (int unsigned n = 0; n < T1_DIGITS; n++) begin
      x = places[2*n+:3];
      r[n] = '{neg: x[2], two: x == 3'b011 || x == 3'b100, one: x[1] ^ x[0]};
    end
    return r;
  endfunction

  // r times a digit, less one if that is negative.
  function automatic logic [C1_BITS:0] times(input digit_t x, input logic signed [C1_BITS-1:0] r);
    return (({r[C1_BITS-1], r} & {(C1_BITS + 1) {x.one}}) | ({r, 1'b0} & {(C1_BITS + 1) {x.two}})) ^
           {(C1_BITS + 1) {x.neg}};
  endfunction

  typedef logic [SUM1_W-1:0] sum_t;

  // Three summands have the sum of x ^ y ^ z and this (carry-save).
  function automatic sum_t carries(input sum_t x, input sum_t y, input sum_t z);
    return ((x & y) | (z & (x | y))) << 1;
  endfunction

  // The addends of these products, one stage earlier. The sign bit of a partial product is
  // inverted, which adds its weight, so none has to be sign-extended. SIGNS takes the weights back.
  localparam logic [C1_BITS-1:0] SIGNS2 = C1_BITS'((4 ** T2_DIGITS - 1) / 3) << (C2_BITS - DROP2);
  localparam logic [P_W-1:0] SIGNS1 = P_W'((4 ** T1_DIGITS - 1) / 3) << (C1_BITS - DROP1);

  function automatic logic [C1_BITS-1:0] base2(input logic [ROW_W-1:0] row);
    return NLF_C1[row][C1_BITS-1:0] - SIGNS2;
  endfunction

  function automatic logic [P_W-1:0] base1(input logic [ROW_W-1:0] row,
                                           input logic signed [8:0] log_e);
    return P_W'(NLF_C0[row]) + P_W'(log_e) * P_W'($signed({1'b0, LN2})) - SIGNS1;
  endfunction

  function automatic logic signed [C1_BITS-1:0] horner2(input logic [C1_BITS-1:0] base,
                                                        input digit_t [T2_DIGITS-1:0] t,
                                                        input logic signed [C2_BITS-1:0] r);
    localparam int unsigned Steps = T2_DIGITS - 1;
    /* verilator lint_off UNUSEDSIGNAL */ // places that are dropped
    logic [C1_BITS:0] m;
    sum_t             sum;
    /* verilator lint_on UNUSEDSIGNAL */
    logic             neg;  // of the digit below: one is added
    sum_t             rows[T2_DIGITS+1+2*Steps];
    neg = 1'b0;
    for (int unsigned n = 0; n < T2_DIGITS; n++) begin
      m = times(t[n], C1_BITS'(r));
      rows[n] = sum_t'({~m[C2_BITS], m[C2_BITS-1:0], 1'b0, neg}) << (2 * n) >> 2;
      neg = t[n].neg;
    end
    rows[T2_DIGITS] = sum_t'({base, 1'b1, {(DROP2 - 1) {1'b0}}});
    for (int unsigned n = 0; n < Steps; n++) begin
      rows[T2_DIGITS+1+2*n] = carries(rows[3*n], rows[3*n+1], rows[3*n+2]);
      rows[T2_DIGITS+2+2*n] = rows[3*n] ^ rows[3*n+1] ^ rows[3*n+2];
    end
    sum = rows[3*Steps] + rows[3*Steps+1];
    return $signed(sum[SUM2_W-1:DROP2]);
  endfunction

  function automatic logic signed [P_W-1:0] horner1(input logic [P_W-1:0] base,
                                                    input digit_t [T1_DIGITS-1:0] t,
                                                    input logic signed [C1_BITS-1:0] r);
    localparam int unsigned Steps = T1_DIGITS - 1;
    logic [C1_BITS:0] m;
    logic             neg;  // of the digit below: one is added
    /* verilator lint_off UNUSEDSIGNAL */ // places that are dropped
    sum_t             sum;
    /* verilator lint_on UNUSEDSIGNAL */
    sum_t             rows[T1_DIGITS+1+2*Steps];
    neg = 1'b0;
    for (int unsigned n = 0; n < T1_DIGITS; n++) begin
      m = times(t[n], r);
      rows[n] = sum_t'({~m[C1_BITS], m[C1_BITS-1:0], 1'b0, neg}) << (2 * n) >> 2;
      neg = t[n].neg;
    end
    rows[T1_DIGITS] = {base, 1'b1, {(DROP1 - 1) {1'b0}}};
    for (int unsigned n = 0; n < Steps; n++) begin
      rows[T1_DIGITS+1+2*n] = carries(rows[3*n], rows[3*n+1], rows[3*n+2]);
      rows[T1_DIGITS+2+2*n] = rows[3*n] ^ rows[3*n+1] ^ rows[3*n+2];
    end
    sum = rows[3*Steps] + rows[3*Steps+1];
    return $signed(sum[SUM1_W-1:DROP1]);
  endfunction

endpackage
