// SPDX-License-Identifier: Apache-2.0
// The end of a reduction of the pipelined datapath: sixteen partial results become one by a fixed
// tree,
//   q_i = p_i + p_(i+8) (i < 8),  r_i = q_i + q_(i+4) (i < 4),  s_i = r_i + r_(i+2) (i < 2),
//   t = s_0 + s_1,
// with four adders of two stages, then the result is rounded to the destination's format. "+" is
// the sum of binary32 or int32 numbers, or their maximum or minimum.
//
// Protocol: valid_i with the partial results and what is to be done, for one cycle; late_valid_o
// and late_o 11 cycles after, for one cycle. valid_i may come each 4 cycles
// (ow_datapath_pkg::RED_INTERVAL).
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

  localparam int unsigned Ages = 11;

  typedef struct packed {
    dp_kind_e kind;
    logic     ints;
    logic     min;
    dp_fmt_e  dst;
  } what_t;

  // Vectors on their way, by age in cycles: at most one in ages 0 to 3, and so on.
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

  // Level 1 in ages 0 to 3: q_c and q_(c+4) at age c. The partial results of the ages to come wait.
  logic [2:0][3:0][31:0] wait_q;
  logic [3:0][31:0]      now;
  logic [31:0]           q0, q1, r_now, s_now;
  /* verilator lint_off UNUSEDSIGNAL */ // the format is of the last age
  what_t                 what1, what2, what3;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0]           r_last_q, r_before_q, s_last_q;

  always_comb begin
    now = wait_q[0];
    if (valid_i) now = {partial_i[12], partial_i[4], partial_i[8], partial_i[0]};
    what1 = what[3];
    for (int unsigned i = 0; i < 3; i++) if (valid[i]) what1 = what[i];
    what2 = what[5];
    for (int unsigned i = 2; i < 5; i++) if (valid[i]) what2 = what[i];
    what3 = valid[6] ? what[6] : valid[7] ? what[7] : what[9];
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      for (int unsigned i = 0; i < 3; i++) begin
        wait_q[i] <= {partial_i[13+i], partial_i[5+i], partial_i[9+i], partial_i[1+i]};
      end
    end else if (valid[3:1] != '0) begin
      wait_q[1:0] <= wait_q[2:1];
    end
    r_last_q <= r_now;
    r_before_q <= r_last_q;
    s_last_q <= s_now;
  end

  ow_datapath_join u_low (
    .clk_i, .valid_i(valid[3:0] != '0), .kind_i(what1.kind), .int_i(what1.ints),
    .min_i(what1.min), .a_i(now[0]), .b_i(now[1]), .result_o(q0)
  );
  ow_datapath_join u_high (
    .clk_i, .valid_i(valid[3:0] != '0), .kind_i(what1.kind), .int_i(what1.ints),
    .min_i(what1.min), .a_i(now[2]), .b_i(now[3]), .result_o(q1)
  );

  // Level 2 in ages 2 to 5: r_c at age c + 4.
  ow_datapath_join u_second (
    .clk_i, .valid_i(valid[5:2] != '0), .kind_i(what2.kind), .int_i(what2.ints),
    .min_i(what2.min), .a_i(q0), .b_i(q1), .result_o(r_now)
  );

  // Levels 3 and 4: s_0 enters at age 6, s_1 at age 7, t at age 9.
  ow_datapath_join u_last (
    .clk_i, .valid_i(valid[6] || valid[7] || valid[9]), .kind_i(what3.kind),
    .int_i(what3.ints), .min_i(what3.min), .a_i(valid[9] ? s_last_q : r_before_q),
    .b_i(valid[9] ? s_now : r_now), .result_o(s_now)
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
