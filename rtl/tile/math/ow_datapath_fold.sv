// SPDX-License-Identifier: Apache-2.0
// The end of a reduction: sixteen partial results become one by a fixed tree,
//   q_i = p_i + p_(i+8) (i < 8),  r_i = q_i + q_(i+4) (i < 4),  s_i = r_i + r_(i+2) (i < 2),
//   t = s_0 + s_1,
// with five adders of two stages. The result is then rounded to the destination's format. "+" is
// the sum of binary32 or int32 numbers, or their maximum or minimum.
//
// Protocol: valid_i, for one cycle, brings the partial results and the operation. late_valid_o and
// late_o come 9 cycles later, for one cycle. Throughput: valid_i may come every 4 cycles
// (ow_datapath_pkg::RED_INTERVAL).
//
// What enters which adder, by the age of the vector in cycles (results come two cycles later):
//   0, 1   q0 q4 q2 q6, then q1 q5 q3 q7, one in each of four
//   2, 3   r0 r2, then r1 r3, in the two that had q0 and q2
//   4 5 7  s0, s1 and t, in the fifth
module ow_datapath_fold
  import ow_datapath_pkg::*;
  import ow_fp_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              valid_i,      // partial results enter
  input  dp_kind_e          kind_i,       // DPK_FADD, DPK_IADD or DPK_MAX
  input  logic              int_i,        // DPK_MAX: integers
  input  logic              min_i,        // DPK_MAX: minimum
  input  dp_fmt_e           dst_i,        // format of the result
  input  logic [15:0][31:0] partial_i,
  output logic              late_valid_o,
  output logic [31:0]       late_o        // in the low bits; the rest is zero
);
`include "ow_assert.svh"

  localparam int unsigned Ages = 9;

  typedef struct packed {
    dp_kind_e kind;
    logic     ints;
    logic     min;
    dp_fmt_e  dst;
  } what_t;

  // Vectors under way, by age in cycles: at most one in ages 0 to 3, and one in 4 to 7.
  logic [Ages:0]  valid;
  logic [Ages:1]  valid_q;
  what_t [Ages:0] what;
  what_t [Ages:1] what_q;

  assign valid = {valid_q, valid_i};
  assign what[0] = '{kind: kind_i, ints: int_i, min: min_i, dst: dst_i};
  assign what[Ages:1] = what_q;

  always_ff @(posedge clk_i) begin
    valid_q <= rst_i ? '0 : valid[Ages-1:0];
    for (int unsigned i = 1; i <= Ages; i++) if (valid[i-1]) what_q[i] <= what[i-1];
  end

  logic [7:0][31:0] odd_q;   // partial results that enter at age 1: 9 1 11 3 13 5 15 7
  logic             odd_now_q, second_q;  // ages 1, and 2 or 3
  logic [3:0][31:0] out;     // results of the first four adders: q0 q2 q4 q6, ...
  logic [31:0]      s_now, s_last_q;
  /* verilator lint_off UNUSEDSIGNAL */ // the format is of the last age
  what_t            first, last;
  /* verilator lint_on UNUSEDSIGNAL */

  always_comb begin
    first = what[3];
    for (int unsigned i = 0; i < 3; i++) if (valid[i]) first = what[i];
    last = valid[4] ? what[4] : valid[5] ? what[5] : what[7];
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      for (int unsigned k = 0; k < 4; k++) begin
        odd_q[2*k+:2] <= {partial_i[2*k+1], partial_i[2*k+9]};
      end
    end
    s_last_q <= s_now;
    odd_now_q <= valid_i && !rst_i;
    second_q <= valid[2:1] != '0 && !rst_i;
  end

  for (genvar k = 0; k < 4; k++) begin : gen_first
    logic [31:0] a, b;
    always_comb begin
      {a, b} = {64{valid_i}} & {partial_i[2*k], partial_i[2*k+8]};
      {a, b} = {a, b} | ({64{odd_now_q}} & odd_q[2*k +: 2]);
      if (k < 2) {a, b} = {a, b} | ({64{second_q}} & {out[k], out[(k + 2) % 4]});
    end
    ow_datapath_join u_join (
      .clk_i, .valid_i(valid[1:0] != '0 || (k < 2 && valid[3:2] != '0)), .kind_i(first.kind),
      .int_i(first.ints), .min_i(first.min), .a_i(a), .b_i(b), .result_o(out[k])
    );
  end

  ow_datapath_join u_last (
    .clk_i, .valid_i(valid[4] || valid[5] || valid[7]), .kind_i(last.kind), .int_i(last.ints),
    .min_i(last.min), .a_i(valid[7] ? s_last_q : out[0]), .b_i(valid[7] ? s_now : out[1]),
    .result_o(s_now)
  );

  assign late_valid_o = valid[Ages];

  always_comb begin
    late_o = '0;
    if (late_valid_o) begin
      late_o = s_now;
      if (what[Ages].kind == DPK_IADD || (what[Ages].kind == DPK_MAX && what[Ages].ints)) begin
        if (what[Ages].dst == DF_I8) late_o = {24'd0, s_now[7:0]};
        else if (what[Ages].dst == DF_I16) late_o = {16'd0, s_now[15:0]};
      end else if (what[Ages].dst == DF_F16) begin
        late_o = {16'd0, f32_to_f16(s_now)};
      end else if (what[Ages].dst == DF_BF16) begin
        late_o = {16'd0, f32_to_bf16(s_now)};
      end
    end
  end

  `OW_ASSERT(interval, !valid_i || valid[3:1] == '0, "reductions end too close together")

endmodule
