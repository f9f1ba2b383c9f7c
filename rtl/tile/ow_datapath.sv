// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the tensor engine: Lanes SIMD lanes, the 32-bit multiply-add made of their
// multipliers, the partial results of reductions, the random generator of stochastic rounding.
//
// Protocol: no handshake and no stall; a beat enters with valid_i and moves on each cycle.
//   cycle t      stage M: operation, formats and operands are read; multiply
//   cycle t + 1  stage A: the addend c_i is read (DP_FMA); add, normalise, round. result_o is
//                combinational from it; the engine registers it, and may give it back as the addend
//                of the next beat: accumulate to accumulate takes one cycle.
//   reductions   (DP_DOT and above) add to eight partial results kept here, element i of the inner
//                vector to number i modulo 8. red_first_i marks the first beat of a vector, which
//                starts them afresh, red_last_i the last one: late_o is the result, for one cycle,
//                RED_LATENCY cycles after that beat was in stage M. Two last beats are at least
//                RED_INTERVAL cycles apart. Beats of one vector need not be adjacent, but no beat
//                of another vector comes between them; other operations may.
// Throughput: a beat each cycle. Elements of a beat: one a lane with an element in mask_i. An int8
// dot has two, the upper one (bits 15:8 of a_i and b_i) where i8_hi_i is set, too. DP_MUL, DP_FMA
// and DP_DOT of f32 and i32 take at most max(1, Lanes / 4) lanes, all in one aligned group (lanes
// 2k and 2k + 1 with 8 lanes).
// Operands and results are in the low bits; of a result the bits above the format are 0.
//
// What there is (docs/numerics.md defines the results; other combinations are the engine's to
// refuse):
//   MOV                  any format                 CVT        between any two
//   ADD SUB              f16 bf16 f32 i16 i32       MAX MIN CMP  f16 bf16 f32 i16 i32
//   MUL                  f16 bf16 f32 i16 i32       AND OR XOR SLL SRL SRA  i16 i32
//   FMA                  f16 bf16 f32 i16 i32, and f16 or bf16 factors with an f32 addend
//   DOT                  f16 bf16 f32 i8 i16        SUM RMAX RMIN  f16 bf16 f32 i8 i16 i32
// src_i is the format of a_i and b_i, dst_i that of c_i and the result. The result of a DOT or SUM
// of floating-point elements is an fp32 sum, rounded to dst_i; of integers, the low bits of an
// int32 sum.
//
// The random generator is xoshiro128+ (docs/numerics.md). A DP_CVT with stoch_i from f32 to 16 bits
// takes one number an element, in the order of the lanes. prng_we_i writes word prng_sel_i of the
// state; a write and such a DP_CVT do not come in the same cycle.
module ow_datapath
  import ow_datapath_pkg::*;
#(
  parameter int unsigned Lanes = 8  // SIMD lanes: 2, 4 or 8; no bit of a result depends on it
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  // Stage M.
  input  logic                   valid_i,      // a beat enters
  input  dp_op_e                 op_i,         // its operation
  input  dp_fmt_e                src_i,        // format of a_i, b_i
  input  dp_fmt_e                dst_i,        // format of c_i and of the result
  input  logic                   stoch_i,      // DP_CVT of f32 to 16 bits: stochastic rounding
  input  logic [Lanes-1:0]       mask_i,       // lanes with an element
  input  logic [Lanes-1:0]       i8_hi_i,      // int8 dot: lanes with a second one
  input  logic [Lanes-1:0][31:0] a_i,
  input  logic [Lanes-1:0][31:0] b_i,
  input  logic                   red_first_i,  // reductions: first beat of an inner vector
  input  logic                   red_last_i,   // reductions: last beat of an inner vector
  input  logic [2:0]             red_base_i,   // reductions: element index of lane 0, modulo 8; a
                                               // multiple of Lanes
  // Stage A, one cycle later.
  input  logic [Lanes-1:0][31:0] c_i,          // addend
  output logic [Lanes-1:0][31:0] result_o,     // not of reductions
  // Late.
  output logic                   late_valid_o, // late_o is the result of a reduction
  output logic [31:0]            late_o,
  // Random generator.
  input  logic                   prng_we_i,
  input  logic [1:0]             prng_sel_i,
  input  logic [31:0]            prng_wdata_i,
  output logic [31:0]            prng_rdata_o  // word prng_sel_i of the state
);
`include "ow_assert.svh"

  `OW_ASSERT_INIT(lanes_2_4_8, Lanes == 2 || Lanes == 4 || Lanes == 8)

  localparam int unsigned Units = Lanes == 8 ? 2 : 1;  // of 32-bit multiply-add

  // ---------------------------------------------------------------------------------- stage M --
  logic                       src_int, is_mul, wide, red, use_random;
  dp_kind_e                   kind;
  logic [Lanes-1:0][15:0]     random;
  logic [Lanes-1:0][31:0]     product;
  logic [4*Units-1:0][15:0]   wide_a, wide_b;
  logic [4*Units-1:0][31:0]   wide_product;

  always_comb begin
    src_int = src_i == DF_I8 || src_i == DF_I16 || src_i == DF_I32;
    is_mul = op_i == DP_MUL || op_i == DP_FMA || op_i == DP_DOT;
    wide = valid_i && is_mul && (src_i == DF_F32 || src_i == DF_I32);
    red = op_i >= DP_DOT;
    use_random = valid_i && stoch_i && op_i == DP_CVT && src_i == DF_F32 &&
                 (dst_i == DF_F16 || dst_i == DF_BF16);
    unique case (op_i)
      DP_ADD, DP_SUB, DP_MUL: kind = src_int ? DPK_RAW : DPK_FADD;
      DP_FMA, DP_DOT, DP_SUM: kind = src_int ? DPK_IADD : DPK_FADD;
      DP_CVT: kind = dst_i == DF_I8 || dst_i == DF_I16 || dst_i == DF_I32 ? DPK_RAW : DPK_FADD;
      DP_RMAX, DP_RMIN: kind = DPK_MAX;
      default: kind = DPK_RAW;
    endcase
  end

  // --------------------------------------------------------------------------- beat in stage A --
  logic             a_valid_q;
  logic             a_wide_q;    // the result comes from the 32-bit multiply-add
  logic             a_red_q;
  dp_addend_e       a_addend_q;
  dp_fmt_e          a_addend_fmt_q;
  dp_kind_e         a_kind_q;
  dp_fmt_e          a_fmt_q;     // of the addition
  dp_fmt_e          a_dst_q;     // reductions: of the result
  logic             a_int_q;
  logic             a_stoch_q;
  logic             a_min_q;
  logic             a_first_q;
  logic             a_last_q;
  logic [2:0]       a_base_q;
  logic [Lanes-1:0] a_mask_q;

  always_ff @(posedge clk_i) begin
    a_valid_q <= valid_i && !rst_i;
    if (valid_i) begin
      a_wide_q <= wide;
      a_red_q <= red;
      a_addend_q <= red || op_i == DP_FMA ? DPA_C :
                    op_i == DP_ADD || op_i == DP_SUB ? DPA_BITS : DPA_ZERO;
      a_addend_fmt_q <= red ? DF_F32 : op_i == DP_FMA ? dst_i : src_i;
      a_kind_q <= kind;
      a_fmt_q <= !red ? dst_i : src_int ? DF_I32 : DF_F32;
      a_dst_q <= dst_i;
      a_int_q <= src_int;
      a_stoch_q <= use_random;
      a_min_q <= op_i == DP_RMIN;
      a_first_q <= red_first_i;
      a_last_q <= red_last_i;
      a_base_q <= red_base_i;
      a_mask_q <= mask_i;
    end
  end

  // ------------------------------------------------------------------------------- reductions --
  logic [7:0][31:0]       part_q;
  logic [31:0]            part_init;
  logic [Lanes-1:0][31:0] addend;
  logic                   end_q;      // part_q holds the partial results of a whole vector
  dp_kind_e               end_kind_q;
  logic                   end_int_q, end_min_q;
  dp_fmt_e                end_dst_q;

  always_comb begin
    part_init = '0;
    if (a_kind_q == DPK_MAX) begin
      if (a_int_q) part_init = a_min_q ? 32'h7FFF_FFFF : 32'h8000_0000;
      else part_init = a_min_q ? 32'h7F80_0000 : 32'hFF80_0000;
    end
  end

  always_comb begin
    addend = c_i;
    if (a_valid_q && a_red_q) begin
      for (int unsigned i = 0; i < 8; i++) begin
        if (a_base_q == 3'(i / Lanes * Lanes)) addend[i % Lanes] = part_q[i];
      end
      if (a_first_q) addend = {Lanes{part_init}};
    end
  end

  always_ff @(posedge clk_i) begin
    end_q <= a_valid_q && a_red_q && a_last_q && !rst_i;
    if (a_valid_q && a_red_q) begin
      if (a_first_q) part_q <= {8{part_init}};
      for (int unsigned i = 0; i < 8; i++) begin
        if (a_mask_q[i % Lanes] && a_base_q == 3'(i / Lanes * Lanes)) begin
          part_q[i] <= result_o[i % Lanes];
        end
      end
      end_kind_q <= a_kind_q;
      end_int_q <= a_int_q;
      end_min_q <= a_min_q;
      end_dst_q <= a_dst_q;
    end
  end

  ow_datapath_tree u_tree (
    .clk_i,
    .rst_i,
    .valid_i  (end_q),
    .kind_i   (end_kind_q),
    .int_i    (end_int_q),
    .min_i    (end_min_q),
    .dst_i    (end_dst_q),
    .partial_i(part_q),
    .late_valid_o,
    .late_o
  );

  // ------------------------------------------------------------------------------------ lanes --
  logic [Lanes-1:0][31:0] lane_result;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    localparam bit Lent = Lanes >= 4;  // its multiplier works for a 32-bit unit, too
    ow_datapath_lane u_lane (
      .clk_i,
      .valid_i   (valid_i && mask_i[l] && !wide),
      .op_i,
      .kind_i    (kind),
      .src_i,
      .dst_i,
      .i8_hi_i   (i8_hi_i[l]),
      .a_i       (a_i[l]),
      .b_i       (b_i[l]),
      .random_i  (random[l]),
      .wide_i    (Lent && wide),
      .wide_a_i  (Lent ? wide_a[l] : 16'd0),
      .wide_b_i  (Lent ? wide_b[l] : 16'd0),
      .product_o (product[l]),
      .a_valid_i (a_valid_q && a_mask_q[l] && !a_wide_q),
      .a_kind_i  (a_kind_q),
      .a_fmt_i   (a_fmt_q),
      .a_addend_i(a_addend_q),
      .a_addend_fmt_i(a_addend_fmt_q),
      .a_stoch_i (a_stoch_q),
      .a_min_i   (a_min_q),
      .c_i       (addend[l]),
      .result_o  (lane_result[l])
    );
  end

  // ------------------------------------------------------------------- 32-bit multiply and add --
  logic [Units-1:0][31:0] wide_result;

  if (Lanes >= 4) begin : gen_lent
    assign wide_product = product;
  end else begin : gen_own
    for (genvar m = 0; m < 4; m++) begin : gen_mul
      always_comb begin
        wide_product[m] = '0;
        if (wide) wide_product[m] = {16'd0, wide_a[m]} * {16'd0, wide_b[m]};
      end
    end
    logic unused;
    assign unused = ^product;
  end

  for (genvar u = 0; u < Units; u++) begin : gen_wide
    logic        valid, a_valid;
    logic [31:0] a, b, c;

    always_comb begin
      valid = 1'b0;
      a = '0;
      b = '0;
      if (wide) begin
        for (int unsigned l = u; l < Lanes; l += Units) begin
          if (mask_i[l]) begin
            valid = 1'b1;
            a = a | a_i[l];
            b = b | b_i[l];
          end
        end
      end
    end

    always_comb begin
      a_valid = 1'b0;
      c = '0;
      if (a_valid_q && a_wide_q) begin
        for (int unsigned l = u; l < Lanes; l += Units) begin
          if (a_mask_q[l]) begin
            a_valid = 1'b1;
            c = c | addend[l];
          end
        end
      end
    end

    ow_datapath_wide u_wide (
      .clk_i,
      .valid_i   (valid),
      .int_i     (src_int),
      .a_i       (a),
      .b_i       (b),
      .mul_a_o   (wide_a[4*u +: 4]),
      .mul_b_o   (wide_b[4*u +: 4]),
      .product_i (wide_product[4*u +: 4]),
      .a_valid_i (a_valid),
      .a_addend_i(a_addend_q == DPA_C),
      .c_i       (c),
      .result_o  (wide_result[u])
    );
  end

  always_comb begin
    result_o = lane_result;
    if (a_valid_q && a_wide_q) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        result_o[l] = a_mask_q[l] ? wide_result[l % Units] : 32'd0;
      end
    end
  end

  // -------------------------------------------------------------------------- random generator --
  logic [3:0][31:0] prng_q, prng_d;

  // One step of xoshiro128+.
  function automatic logic [3:0][31:0] prng_step(input logic [3:0][31:0] s);
    logic [3:0][31:0] r;
    r[2] = s[2] ^ s[0];
    r[3] = s[3] ^ s[1];
    r[1] = s[1] ^ r[2];
    r[0] = s[0] ^ r[3];
    r[2] = r[2] ^ {s[1][22:0], 9'd0};
    r[3] = {r[3][20:0], r[3][31:21]};
    return r;
  endfunction

  function automatic logic [15:0] prng_high(input logic [31:0] s0, input logic [31:0] s3);
    return 16'((s0 + s3) >> 16);
  endfunction

  always_comb begin
    prng_d = prng_q;
    random = '0;
    if (use_random) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (mask_i[l]) begin
          random[l] = prng_high(prng_d[0], prng_d[3]);
          prng_d = prng_step(prng_d);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (use_random) prng_q <= prng_d;
    if (prng_we_i) prng_q[prng_sel_i] <= prng_wdata_i;
    if (rst_i) prng_q <= {32'hA54F_F53A, 32'h3C6E_F372, 32'hBB67_AE85, 32'h6A09_E667};
  end

  assign prng_rdata_o = prng_q[prng_sel_i];

  `OW_ASSERT(prng_one_user, !(use_random && prng_we_i), "the generator is written while in use")
  `OW_ASSERT(red_base, !valid_i || !red || (32'(red_base_i) & (Lanes - 1)) == 0,
             "the first element of a reduction's beat is not a multiple of the lanes")
  `OW_ASSERT(wide_group, !wide || $countones(mask_i) <= Units,
             "more 32-bit products in a beat than there are multipliers")

endmodule
