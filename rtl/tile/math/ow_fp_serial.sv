// SPDX-License-Identifier: Apache-2.0
// Floating-point arithmetic for area instead of speed: one adder and two registers that shift by a
// place per cycle do products, sums, casts and their roundings, with the bits of ow_fp_pkg
// (docs/numerics.md). Latency: a sum takes 5 cycles, and one more for each place by which a term or
// the result is shifted (27 at most each; few if the numbers are alike). A binary16 result takes 13
// more.
//
// Protocol: terms are handed over one after the other, each while ready_o is high. A sum has a
// first term with last_i low and a second one with keep_i and last_i high. A product or a cast is
// one term with last_i alone. ready_o is low until the term is taken in, and with last_i until
// result_o is there, which then stays until the next term.
//   load_i, keep_i, last_i  a term; it is added to the one before; nothing follows
//   wide_i    the term is the binary32 number term_i; else the exact product of the binary16
//             numbers term_i[15:0] and factor_i
//   neg_i     its sign is inverted
//   narrow_i  the result is binary16, in the lower half; steady from the cycle after last_i on
module ow_fp_serial (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        load_i,
  input  logic        keep_i,
  input  logic        last_i,
  input  logic        wide_i,
  input  logic        neg_i,
  input  logic [31:0] term_i,
  input  logic [15:0] factor_i,
  input  logic        narrow_i,
  output logic        ready_o,
  output logic [31:0] result_o
);
`include "ow_assert.svh"

  typedef enum logic [2:0] {
    REST   = 3'd0,
    NORMAL = 3'd1,  // the leading one goes to its place, or the exponent is 1
    ALIGN  = 3'd2,  // the smaller term is shifted
    ADD    = 3'd3,
    TURN   = 3'd4,  // a difference below zero is computed again, the other way round
    NARROW = 3'd5,  // the last place of binary16 moves to that of binary32
    ROUND  = 3'd6
  } state_e;

  // (-1)^sign * sig * 2^(exp - 153), as fp_num_t has it; bit 27 for a carry.
  typedef struct packed {
    logic       nan;
    logic       inf;
    logic       sign;
    logic [8:0] exp;
  } head_t;

  state_e      state_q;
  head_t       x_q, y_q;
  logic [27:0] xs_q, ys_q;   // significands
  logic        sum_q;        // the second term has been added
  logic        keep_q, last_q;
  logic        minus_q;      // the second term had another sign
  logic        tiny_q;       // nothing is left above the sticky bit
  logic [3:0]  down_q;       // places that binary16 goes down, still

  // --------------------------------------------------------------------------------- a term ----
  logic [4:0]  ea, eb;
  logic [10:0] fa, fb;
  logic [21:0] product;
  logic        a_top, b_top;   // NaN or infinity
  logic        a_frac, b_frac;
  head_t       term;
  logic [27:0] term_sig;

  assign ea = term_i[14:10];
  assign eb = factor_i[14:10];
  assign fa = {ea != '0, term_i[9:0]};
  assign fb = {eb != '0, factor_i[9:0]};
  assign product = 22'(fa) * 22'(fb);
  assign a_top = ea == '1;
  assign b_top = eb == '1;
  assign a_frac = term_i[9:0] != '0;
  assign b_frac = factor_i[9:0] != '0;

  always_comb begin
    if (wide_i) begin
      term.sign = term_i[31] ^ neg_i;
      term.nan = term_i[30:23] == '1 && term_i[22:0] != '0;
      term.inf = term_i[30:23] == '1;
      term.exp = {1'b0, term_i[30:24], term_i[23] || term_i[30:24] == '0};
      term_sig = {1'b0, term_i[30:23] != '0, term_i[22:0], 3'd0};
    end else begin
      term.sign = term_i[15] ^ factor_i[15] ^ neg_i;
      term.nan = (a_top && (a_frac || (eb == '0 && !b_frac))) ||
                 (b_top && (b_frac || (ea == '0 && !a_frac)));
      term.inf = a_top || b_top;
      term.exp = 9'({ea[4:1], ea[0] || ea[4:1] == '0}) + 9'({eb[4:1], eb[0] || eb[4:1] == '0}) + 9'd98;
      term_sig = {1'b0, product, 5'd0};
    end
  end

  // --------------------------------------------------------------------------------- the sum ----
  logic        minus;
  logic        xs_low, ys_low;   // nothing above the sticky bit
  logic        x_less, same;
  logic [27:0] sum;
  logic        carry;

  assign minus = x_q.sign != y_q.sign;
  assign xs_low = xs_q[27:1] == '0;
  assign ys_low = ys_q[27:1] == '0;
  assign x_less = x_q.exp < y_q.exp;
  assign same = x_q.exp == y_q.exp;
  // In ROUND y is the place that the number is rounded to, and no difference is formed.
  logic inverts;
  assign inverts = minus && state_q != ROUND;
  assign {carry, sum} = {1'b0, xs_q} + {1'b0, ys_q ^ {28{inverts}}} + 29'(inverts && state_q != TURN);

  // ---------------------------------------------------------------------------- the registers ----
  logic placed, aligned, narrow_done, up;
  assign placed = !xs_q[27] && (xs_q[26] || x_q.exp == 9'd1 || (xs_low && !xs_q[0]));
  assign aligned = same || (x_less ? xs_low : ys_low);
  assign narrow_done = (x_q.exp > 9'd112 || xs_low) && down_q == '0;
  assign up = xs_q[2] && (xs_q[1:0] != '0 || xs_q[3]);

  logic x_right, x_left, y_right;  // shifts
  always_comb begin
    x_right = 1'b0;
    x_left = 1'b0;
    y_right = 1'b0;
    unique case (state_q)
      NORMAL: begin
        x_right = xs_q[27];
        x_left = !xs_q[27] && !placed;
      end
      ALIGN: begin
        x_right = !aligned && x_less;
        y_right = !aligned && !x_less;
      end
      NARROW: x_right = !narrow_done;
      default: ;
    endcase
  end

  logic special;
  assign special = x_q.nan || x_q.inf;

  always_ff @(posedge clk_i) begin
    if (load_i) xs_q <= term_sig;
    else if (x_right) xs_q <= {1'b0, xs_q[27:2], xs_q[1] | xs_q[0]};
    else if (x_left) xs_q <= {xs_q[26:0], 1'b0};
    else if (state_q == TURN || (state_q == ADD && (!minus || carry)) || (state_q == ROUND && up)) begin
      xs_q <= sum ^ {28{state_q == TURN}};
    end
    if (load_i) ys_q <= xs_q;
    else if (y_right) ys_q <= {1'b0, ys_q[27:2], ys_q[1] | ys_q[0]};
    if (state_q == NORMAL && placed && last_q) begin
      if (!keep_q || sum_q) ys_q <= 28'd8;
    end
  end

  // Exponents; a zero has 1. In NARROW the exponent rises only to that of binary16's subnormals.
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      y_q <= x_q;
      x_q <= term;
    end else begin
      if (state_q == NORMAL && x_left) x_q.exp <= x_q.exp - 9'd1;
      else if ((x_right && !(state_q == NARROW && x_q.exp > 9'd112))) x_q.exp <= x_q.exp + 9'd1;
      if (y_right) y_q.exp <= y_q.exp + 9'd1;
      if (state_q == NORMAL && xs_low && !xs_q[0]) x_q.exp <= 9'd1;
      if (state_q == NORMAL && sum_q && minus_q && xs_low && !xs_q[0] && !x_q.inf) x_q.sign <= 1'b0;
      if (state_q == ALIGN && aligned) begin
        if (x_less) x_q.exp <= y_q.exp;
        x_q.nan <= x_q.nan || y_q.nan || (x_q.inf && y_q.inf && minus);
        x_q.inf <= x_q.inf || y_q.inf;
      end
      if ((state_q == TURN && !special) || (state_q == ALIGN && aligned && y_q.inf && !x_q.inf)) begin
        x_q.sign <= y_q.sign;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= REST;
    end else begin
      unique case (state_q)
        REST: if (load_i) state_q <= NORMAL;
        NORMAL: if (placed) begin
          if (!last_q) state_q <= REST;
          else if (keep_q && !sum_q) state_q <= ALIGN;
          else state_q <= narrow_i ? NARROW : ROUND;
        end
        ALIGN: if (aligned) state_q <= ADD;
        ADD: state_q <= minus && !carry ? TURN : NORMAL;
        TURN: state_q <= NORMAL;
        NARROW: if (narrow_done) state_q <= ROUND;
        default: state_q <= REST;
      endcase
    end
    if (load_i) begin
      keep_q <= keep_i;
      last_q <= last_i;
      sum_q <= 1'b0;
      tiny_q <= 1'b0;
      down_q <= 4'd13;
    end
    if (state_q == ADD) begin
      sum_q <= 1'b1;
      minus_q <= minus;
    end
    if (state_q == NARROW) begin
      if (x_q.exp <= 9'd112) tiny_q <= xs_low;
      if (x_q.exp > 9'd112 || xs_low) down_q <= down_q - 4'd1;
    end
  end
  assign ready_o = state_q == REST;

  // ------------------------------------------------------------------------------- the result ----
  // The exponent is one too small: the leading one adds itself to it, and so does a carry of the
  // rounding.
  logic [7:0] exp_32;
  logic [4:0] exp_16;
  logic       over_32, over_16;
  assign over_32 = x_q.inf || x_q.exp > 9'd254;
  assign over_16 = x_q.inf || x_q.exp > 9'd142;
  assign exp_32 = x_q.nan || over_32 ? '1 : x_q.exp[7:0] - 8'd1 + 8'(xs_q[27:26]);
  assign exp_16 = x_q.nan || over_16 ? '1 : tiny_q ? '0 : x_q.exp[4:0] - 5'd17 + 5'(xs_q[14:13]);

  always_comb begin
    if (narrow_i) begin
      result_o = {16'd0, x_q.sign && !x_q.nan, exp_16,
                  x_q.nan ? 10'h200 : over_16 ? 10'd0 : xs_q[12:3]};
    end else begin
      result_o = {x_q.sign && !x_q.nan, exp_32, x_q.nan ? 23'h40_0000 : over_32 ? 23'd0 : xs_q[25:3]};
    end
  end

  `OW_ASSERT(ready_for_it, !load_i || ready_o, "a term comes while the one before is being taken in")

endmodule
