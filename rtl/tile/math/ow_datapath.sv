// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the tensor engine: Lanes SIMD lanes, the 32-bit multiply-add made of their
// multipliers, the partial results of reductions, and the random generator of stochastic rounding.
//
// Protocol: no handshake and no stall. A beat enters with valid_i and moves on in each cycle, in
// six stages (U, M, P, A, N, R of ow_datapath_lane):
//   cycle t      operation, formats and operands are read
//   cycle t + 2  the addend c_i is read (DP_FMA)
//   cycle t + 5  result_o, combinational. The engine registers it, and may give it back as the
//                addend of a beat that enters 4 or more cycles after this one. With back_i a
//                binary32 result of the lanes is the addend of a beat 2 or 3 cycles after it.
// Reductions (DP_DOT and above) add to PARTIALS partial results kept here: element i of the inner
// vector to number i modulo PARTIALS. So the same partial result is wanted again after two beats,
// which is what the addition takes. In an int8 dot each beat takes the next partial results
// instead, since its beats may be short and the order does not matter. red_first_i marks the first
// beat of a vector and starts them afresh; red_last_i marks the last one. late_o is the result, for
// one cycle, RED_LATENCY cycles after the last beat entered. Two last beats are at least
// RED_INTERVAL cycles apart. Between beats of one vector other operations may enter, but no beat of
// another vector.
//
// Throughput: a beat per cycle. A beat has one element per lane in mask_i. An int8 dot has two
// where i8_hi_i is set: the upper one in bits 15:8 of a_i and b_i. DP_MUL, DP_FMA and DP_DOT of f32
// and i32 take at most max(1, Lanes / 4) lanes, all in one aligned group (lanes 2k and 2k + 1 with
// 8 lanes). Operands and results are in the low bits. A result's bits above its format are 0.
//
// What there is (docs/numerics.md defines the results). The engine refuses other combinations.
//   MOV                  any format                 CVT        between any two
//   ADD SUB              f16 bf16 f32 i16 i32       MAX MIN CMP  f16 bf16 f32 i16 i32
//   MUL                  f16 bf16 f32 i16 i32       AND OR XOR SLL SRL SRA  i16 i32
//   FMA                  f16 bf16 f32 i16 i32, and f16 or bf16 factors with an f32 addend
//   DOT                  f16 bf16 f32 i8 i16        SUM RMAX RMIN  f16 bf16 f32 i8 i16 i32
// src_i is the format of a_i and b_i, dst_i that of c_i and the result. The result of a DOT or SUM
// of floating-point elements is an fp32 sum, rounded to dst_i. That of integers is the low bits of
// an int32 sum.
//
// The random generator is xoshiro128+ (docs/numerics.md). A DP_CVT with stoch_i from f32 to 16 bits
// takes one number per element, in the order of the lanes. prng_we_i writes word prng_sel_i of the
// state; a write and such a DP_CVT never come in the same cycle.
module ow_datapath
  import ow_datapath_pkg::*;
#(
  parameter int unsigned Lanes = ow_isa_pkg::FULL_LANES,  // 2, 4 or 8; no bit of a result depends on it
  parameter dp_has_t Has = DP_HAS_ALL,  // what it is asked for
  localparam int unsigned BaseW = $clog2(PARTIALS)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  // Cycle t.
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
  input  logic [BaseW-1:0]       red_base_i,   // reductions: element index of lane 0, modulo
                                               // PARTIALS; a multiple of Lanes
  input  logic [1:0]             back_i,       // DP_FMA: the addend is not c_i, but the result of
                                               // the beat 2 (01) or 3 (10) cycles before
  // Cycle t + 2.
  input  logic [Lanes-1:0][31:0] c_i,          // addend
  // Cycle t + 5.
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
  localparam bit HasWide = Has.f32 || Has.i32;         // they are there

  // ---------------------------------------------------------------------------------- stage U --
  logic                       src_int, pairs, is_mul, wide, red, use_random;
  logic [BaseW-1:0]           pair_base_q;  // where the next beat of an int8 dot adds
  dp_kind_e                   kind;
  logic [Lanes-1:0][15:0]     random;
  logic [Lanes-1:0][31:0]     product;
  logic [4*Units-1:0][15:0]   wide_a, wide_b;
  logic [4*Units-1:0][31:0]   wide_product;

  // The operation and formats, without bits that this configuration never sets. A move copies bits.
  dp_op_e  op;
  dp_fmt_e src, dst;

  always_comb begin
    op = dp_op_of(op_i, Has);
    dst = dp_fmt_of(dst_i, Has);
    src = dp_fmt_of(op_i != DP_MOV || src_i == DF_I8 ? src_i :
                    src_i == DF_F32 || src_i == DF_I32 ? DF_F32 : DF_F16, Has);
  end

  always_comb begin
    pairs = Has.i8 && src == DF_I8;
    src_int = pairs || (Has.i16 && src == DF_I16) || (Has.i32 && src == DF_I32);
    is_mul = op == DP_MUL || op == DP_FMA || (Has.red && op == DP_DOT);
    wide = HasWide && valid_i && is_mul && (src == DF_F32 || (Has.i32 && src == DF_I32));
    red = Has.red && op >= DP_DOT;
    use_random = Has.stoch && valid_i && stoch_i && op == DP_CVT && src == DF_F32 &&
                 (dst == DF_F16 || dst == DF_BF16);
    unique case (op)
      DP_ADD, DP_SUB, DP_MUL: kind = src_int ? DPK_RAW : DPK_FADD;
      DP_FMA, DP_DOT, DP_SUM: kind = src_int ? DPK_IADD : DPK_FADD;
      DP_CVT: kind = dst == DF_I8 || dst == DF_I16 || dst == DF_I32 ? DPK_RAW : DPK_FADD;
      DP_RMAX, DP_RMIN: kind = DPK_MAX;
      default: kind = DPK_RAW;
    endcase
  end

  // --------------------------------------------------------------- what a beat does, by stages --
  typedef struct packed {
    logic             wide;    // the result comes from the 32-bit multiply-add
    logic             red;
    dp_addend_e       addend;
    dp_fmt_e          addend_fmt;
    dp_kind_e         kind;
    dp_fmt_e          fmt;     // of the addition
    dp_fmt_e          dst;     // reductions: of the result
    logic             ints;
    logic             stoch;
    logic             min;
    logic             first;
    logic             last;
    logic [1:0]       back;
    logic [BaseW-1:0] base;
    logic [Lanes-1:0] mask;
  } what_t;

  /* verilator lint_off UNUSEDSIGNAL */ // each stage looks at a part
  what_t what_u, what_m_q, what_p_q, what_a_q, what_n_q, what_r_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic  m_valid_q, p_valid_q, a_valid_q, n_valid_q, r_valid_q;

  always_comb begin
    what_u.wide = wide;
    what_u.red = red;
    what_u.addend = op == DP_FMA ? DPA_C : op == DP_ADD || op == DP_SUB ? DPA_BITS : DPA_ZERO;
    what_u.addend_fmt = op == DP_FMA ? dst : src;
    what_u.kind = kind;
    what_u.fmt = !red ? dst : src_int ? DF_I32 : DF_F32;
    what_u.dst = dst;
    what_u.ints = src_int;
    what_u.stoch = use_random;
    what_u.min = op == DP_RMIN;
    what_u.first = red_first_i;
    what_u.last = red_last_i;
    what_u.back = op == DP_FMA ? back_i : 2'd0;
    what_u.base = pairs && op == DP_DOT ? pair_base_q : red_base_i;
    what_u.mask = mask_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) pair_base_q <= '0;
    else if (valid_i && pairs && op == DP_DOT) pair_base_q <= pair_base_q + BaseW'(Lanes);
    {m_valid_q, p_valid_q, a_valid_q, n_valid_q, r_valid_q} <=
        {valid_i, m_valid_q, p_valid_q, a_valid_q, n_valid_q} & {5{!rst_i}};
    if (valid_i) what_m_q <= what_u;
    if (m_valid_q) what_p_q <= what_m_q;
    if (p_valid_q) what_a_q <= what_p_q;
    if (a_valid_q) what_n_q <= what_a_q;
    if (n_valid_q) what_r_q <= what_n_q;
  end

  // ------------------------------------------------------------------------------- reductions --
  localparam int unsigned Groups = PARTIALS / Lanes;

  logic [PARTIALS-1:0][31:0] part_q;
  logic [Lanes-1:0][31:0]    sum;       // the partial results that leave stage N
  logic                      end_q;     // part_q holds the partial results of a whole vector
  dp_kind_e                  end_kind_q;
  logic                      end_int_q, end_min_q;
  dp_fmt_e                   end_dst_q;

  // What a partial result starts from.
  function automatic logic [31:0] start_of(input dp_kind_e how, input logic ints,
                                           input logic min);
    if (how != DPK_MAX) return 32'd0;
    if (ints) return min ? 32'h7FFF_FFFF : 32'h8000_0000;
    return min ? 32'h7F80_0000 : 32'hFF80_0000;
  endfunction

  // The addend of the beat in stage P. Each lane and each 32-bit unit has its own copy of the
  // selection, since one register cannot drive all of them in time. The first beat of a vector
  // starts all partial results when it leaves stage N. The beat after it does not see that yet.
  logic              afresh;
  logic [Groups-1:0] p_from;   // partial results of this group
  logic [31:0]       p_start;  // or what they start from; else 0
  assign afresh = what_p_q.first || (a_valid_q && what_a_q.red && what_a_q.first);

  always_comb begin
    p_start = what_p_q.red && afresh ? start_of(what_p_q.kind, what_p_q.ints, what_p_q.min) : '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      p_from[g] = what_p_q.red && !afresh && what_p_q.base == BaseW'(g * Lanes);
    end
  end

  always_ff @(posedge clk_i) begin
    end_q <= n_valid_q && what_n_q.red && what_n_q.last && !rst_i;
    if (n_valid_q && what_n_q.red) begin
      if (what_n_q.first) begin
        part_q <= {PARTIALS{start_of(what_n_q.kind, what_n_q.ints, what_n_q.min)}};
      end
      for (int unsigned i = 0; i < PARTIALS; i++) begin
        if (what_n_q.mask[i % Lanes] && what_n_q.base == BaseW'(i / Lanes * Lanes)) begin
          part_q[i] <= sum[i % Lanes];
        end
      end
      end_kind_q <= what_n_q.kind;
      end_int_q <= what_n_q.ints;
      end_min_q <= what_n_q.min;
      end_dst_q <= what_n_q.dst;
    end
  end

  if (Has.red) begin : gen_fold
    ow_datapath_fold u_fold (
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
  end else begin : gen_no_fold
    assign late_valid_o = 1'b0;
    assign late_o = '0;
    logic unused;
    assign unused = ^{end_q, end_kind_q, end_int_q, end_min_q, end_dst_q};
  end

  // ------------------------------------------------------------------------------------ lanes --
  logic [Lanes-1:0][31:0] lane_result, lane_partial;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    localparam bit Lent = Lanes >= 4;  // its multiplier works for a 32-bit unit, too
    logic [Groups-1:0][31:0] part;     // its partial results

    for (genvar g = 0; g < Groups; g++) begin : gen_part
      assign part[g] = part_q[g*Lanes+l];
    end

    ow_datapath_lane #(.Has(Has), .Groups(Groups)) u_lane (
      .clk_i,
      .valid_i   (valid_i && mask_i[l] && !wide),
      .beat_i    (valid_i),
      .op_i      (op),
      .kind_i    (kind),
      .src_i     (src),
      .dst_i     (dst),
      .i8_hi_i   (i8_hi_i[l]),
      .a_i       (a_i[l]),
      .b_i       (b_i[l]),
      .random_i  (random[l]),
      .wide_a_i  (Lent ? wide_a[l] : 16'd0),
      .wide_b_i  (Lent ? wide_b[l] : 16'd0),
      .product_o (product[l]),
      .p_addend_i(what_p_q.addend),
      .p_addend_fmt_i(what_p_q.addend_fmt),
      .p_back_i  (what_p_q.back),
      .p_red_i   (what_p_q.red),
      .p_from_i  (p_from),
      .p_start_i (p_start),
      .c_i       (c_i[l]),
      .a_valid_i (a_valid_q && what_a_q.mask[l] && !what_a_q.wide),
      .a_kind_i  (what_a_q.kind),
      .a_fmt_i   (what_a_q.fmt),
      .a_min_i   (what_a_q.min),
      .part_i    (part),
      .n_valid_i (n_valid_q && what_n_q.mask[l] && !what_n_q.wide),
      .n_kind_i  (what_n_q.kind),
      .partial_o (lane_partial[l]),
      .r_valid_i (r_valid_q && what_r_q.mask[l] && !what_r_q.wide),
      .r_kind_i  (what_r_q.kind),
      .r_fmt_i   (what_r_q.fmt),
      .r_stoch_i (what_r_q.stoch),
      .result_o  (lane_result[l])
    );
  end

  // ------------------------------------------------------------------- 32-bit multiply and add --
  logic [Units-1:0][31:0] wide_result, wide_partial;

  if (!HasWide) begin : gen_none
    assign wide_product = '0;
    logic unused;
    assign unused = ^{product, wide_a, wide_b, wide_product};
  end else if (Lanes >= 4) begin : gen_lent
    assign wide_product = product;
  end else begin : gen_own
    for (genvar k = 0; k < 4; k++) begin : gen_mul
      always_comb begin
        wide_product[k] = '0;
        if (m_valid_q && what_m_q.wide) wide_product[k] = {16'd0, wide_a[k]} * {16'd0, wide_b[k]};
      end
    end
    logic unused;
    assign unused = ^product;
  end

  for (genvar k = 0; k < Units; k++) begin : gen_wide
    localparam int unsigned Parts = PARTIALS / Units;  // partial results of its lanes
    logic                   valid, in_p, in_a, in_n;
    logic [31:0]            a, b, addend;
    logic [Parts-1:0]       from;
    logic [Parts-1:0][31:0] part;

    for (genvar i = 0; i < Parts; i++) begin : gen_part
      localparam int unsigned Number = i * Units + k;
      assign from[i] = p_from[Number/Lanes] && what_p_q.mask[Number%Lanes];
      assign part[i] = part_q[Number];
    end

    // The lanes of this unit that have an element: at most one.
    function automatic logic takes(input logic [Lanes-1:0] mask);
      takes = 1'b0;
      for (int unsigned l = k; l < Lanes; l += Units) takes = takes | mask[l];
    endfunction

    assign valid = wide && takes(mask_i);
    assign in_p = p_valid_q && what_p_q.wide && takes(what_p_q.mask);
    assign in_a = a_valid_q && what_a_q.wide && takes(what_a_q.mask);
    assign in_n = n_valid_q && what_n_q.wide && takes(what_n_q.mask);

    always_comb begin
      a = '0;
      b = '0;
      addend = '0;
      if (valid) begin
        for (int unsigned l = k; l < Lanes; l += Units) begin
          if (mask_i[l]) begin
            a = a | a_i[l];
            b = b | b_i[l];
          end
        end
      end
      if (in_p) begin
        for (int unsigned l = k; l < Lanes; l += Units) begin
          if (what_p_q.mask[l]) addend = addend | c_i[l];
        end
      end
    end

    if (!HasWide) begin : gen_none
      assign wide_a[4*k +: 4] = '0;
      assign wide_b[4*k +: 4] = '0;
      assign wide_partial[k] = '0;
      assign wide_result[k] = '0;
      logic unused;
      assign unused = ^{a, b, addend, in_a, in_n, from, part};
    end else begin : gen_unit
      ow_datapath_wide #(.Parts(Parts)) u_wide (
        .clk_i,
        .valid_i   (valid),
        .beat_i    (valid_i),
        .int_i     (src_int),
        .a_i       (a),
        .b_i       (b),
        .mul_a_o   (wide_a[4*k +: 4]),
        .mul_b_o   (wide_b[4*k +: 4]),
        .product_i (wide_product[4*k +: 4]),
        .p_addend_i(what_p_q.addend == DPA_C),
        .p_red_i   (what_p_q.red),
        .p_from_i  (from),
        .c_i       (addend),
        .a_valid_i (in_a),
        .part_i    (part),
        .n_valid_i (in_n),
        .partial_o (wide_partial[k]),
        .result_o  (wide_result[k])
      );
    end
  end

  always_comb begin
    sum = lane_partial;
    if (n_valid_q && what_n_q.wide) begin
      for (int unsigned l = 0; l < Lanes; l++) sum[l] = wide_partial[l % Units];
    end
    result_o = lane_result;
    if (r_valid_q && what_r_q.wide) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        result_o[l] = what_r_q.mask[l] ? wide_result[l % Units] : 32'd0;
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

  // The numbers are computed in parallel. Only the selection depends on which lanes take one.
  always_comb begin : numbers
    logic [3:0][31:0]        state;
    logic [15:0]             number;
    logic [Lanes:0][Lanes:0] taken;  // by the lanes below this one: so many, one-hot
    prng_d = '0;
    random = '0;
    state = prng_q;
    number = '0;
    taken = '0;
    if (use_random) begin
      taken[0] = (Lanes+1)'(1);
      for (int unsigned l = 0; l < Lanes; l++) taken[l+1] = taken[l] << mask_i[l];
      for (int unsigned k = 0; k <= Lanes; k++) begin
        number = prng_high(state[0], state[3]);
        for (int unsigned l = k; l < Lanes; l++) if (taken[l][k]) random[l] = random[l] | number;
        if (taken[Lanes][k]) prng_d = prng_d | state;
        state = prng_step(state);
      end
    end
  end

  if (Has.stoch) begin : gen_prng
    always_ff @(posedge clk_i) begin
      if (use_random) prng_q <= prng_d;
      if (prng_we_i) prng_q[prng_sel_i] <= prng_wdata_i;
      if (rst_i) prng_q <= {32'hA54F_F53A, 32'h3C6E_F372, 32'hBB67_AE85, 32'h6A09_E667};
    end
  end else begin : gen_no_prng
    assign prng_q = '0;
    logic unused;
    assign unused = ^{prng_d, prng_wdata_i};
  end

  assign prng_rdata_o = prng_q[prng_sel_i];

  `OW_ASSERT(prng_one_user, !(use_random && prng_we_i), "the generator is written while in use")
  `OW_ASSERT(red_base, !valid_i || !red || (32'(red_base_i) & (Lanes - 1)) == 0,
             "the first element of a reduction's beat is not a multiple of the lanes")
  `OW_ASSERT(wide_group, !wide || $countones(mask_i) <= Units,
             "more 32-bit products in a beat than there are multipliers")

endmodule
