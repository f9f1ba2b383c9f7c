// SPDX-License-Identifier: Apache-2.0
// The end of a reduction: eight partial results become one by a fixed tree,
//   q_i = p_i + p_(i+4) (i < 4),  r_i = q_i + q_(i+2) (i < 2),  s = r_0 + r_1,
// with two adders in four cycles, then the result is rounded to the destination's format. "+" is
// the sum of binary32 or int32 numbers, or their maximum or minimum.
//
// Protocol: valid_i with the partial results and what is to be done, for one cycle; late_valid_o
// and late_o 4 cycles after, for one cycle. valid_i may come each 4 cycles
// (ow_datapath_pkg::RED_INTERVAL).
module ow_datapath_tree
  import ow_datapath_pkg::*;
  import ow_fp_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             valid_i,      // partial results enter
  input  dp_kind_e         kind_i,       // DPK_FADD, DPK_IADD or DPK_MAX
  input  logic             int_i,        // DPK_MAX: integers
  input  logic             min_i,        // DPK_MAX: minimum
  input  dp_fmt_e          dst_i,        // format of the result
  input  logic [7:0][31:0] partial_i,
  output logic             late_valid_o,
  output logic [31:0]      late_o        // in the low bits; the rest is zero
);
`include "ow_assert.svh"

  logic [1:0]       step_q;      // 0: waits for valid_i; 1 to 3: the additions after the first two
  dp_kind_e         kind, kind_q;
  logic             ints, int_q;
  logic             min, min_q;
  dp_fmt_e          dst_q;
  logic [3:0][31:0] t_q;         // partial results 2 and 3, then sums
  logic [1:0][31:0] u_q;         // partial results 6 and 7
  logic             s_valid_q;
  logic             s_int_q;
  dp_fmt_e          s_dst_q;
  logic [31:0]      s_q;

  logic [31:0] a0, b0, a1, b1, s0, s1;

  function automatic logic [31:0] join2(input logic [31:0] a, input logic [31:0] b,
                                        input dp_kind_e how, input logic is_ints,
                                        input logic is_min);
    logic [31:0] r;
    unique case (how)
      DPK_FADD: r = round_f32(normalise(add_align(unpack_f32(a), unpack_f32(b))));
      DPK_IADD: r = a + b;
      default:  r = maximum(a, b, is_ints ? DF_I32 : DF_F32, is_min);
    endcase
    return r;
  endfunction

  always_comb begin
    kind = kind_q;
    ints = int_q;
    min = min_q;
    s0 = '0;
    s1 = '0;
    {a0, b0, a1, b1} = '0;
    if (valid_i || step_q != 2'd0) begin
      unique case (step_q)
        2'd0: begin
          kind = kind_i;
          ints = int_i;
          min = min_i;
          {a0, b0, a1, b1} = {partial_i[0], partial_i[4], partial_i[1], partial_i[5]};
        end
        2'd1: {a0, b0, a1, b1} = {t_q[2], u_q[0], t_q[3], u_q[1]};
        2'd2: {a0, b0, a1, b1} = {t_q[0], t_q[2], t_q[1], t_q[3]};
        2'd3: {a0, b0} = {t_q[0], t_q[1]};
      endcase
      s0 = join2(a0, b0, kind, ints, min);
      if (step_q != 2'd3) s1 = join2(a1, b1, kind, ints, min);
    end
  end

  always_ff @(posedge clk_i) begin
    s_valid_q <= step_q == 2'd3 && !rst_i;
    if (valid_i || step_q != 2'd0) begin
      step_q <= step_q + 2'd1;
      unique case (step_q)
        2'd0: begin
          t_q[1:0] <= {s1, s0};
          t_q[3:2] <= partial_i[3:2];
          u_q <= partial_i[7:6];
          kind_q <= kind_i;
          int_q <= int_i;
          min_q <= min_i;
          dst_q <= dst_i;
        end
        2'd1: t_q[3:2] <= {s1, s0};
        2'd2: t_q[1:0] <= {s1, s0};
        2'd3: begin
          s_q <= s0;
          s_int_q <= kind_q == DPK_IADD || (kind_q == DPK_MAX && int_q);
          s_dst_q <= dst_q;
        end
      endcase
    end
    if (rst_i) step_q <= '0;
  end

  assign late_valid_o = s_valid_q;

  always_comb begin
    late_o = '0;
    if (s_valid_q) begin
      if (s_int_q) begin
        late_o = s_dst_q == DF_I8 ? {24'd0, s_q[7:0]} :
                 s_dst_q == DF_I16 ? {16'd0, s_q[15:0]} : s_q;
      end else if (s_dst_q == DF_F16) begin
        late_o = {16'd0, f32_to_f16(s_q)};
      end else if (s_dst_q == DF_BF16) begin
        late_o = {16'd0, f32_to_bf16(s_q)};
      end else begin
        late_o = s_q;
      end
    end
  end

  `OW_ASSERT(interval, !valid_i || step_q == 2'd0, "reductions end too close together")

endmodule
