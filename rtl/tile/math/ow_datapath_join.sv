// SPDX-License-Identifier: Apache-2.0
// The "+" of the end of a reduction, in two stages: the sum of two binary32 or int32 numbers, or
// their maximum or minimum.
//
// Protocol: no handshake and no stall. valid_i brings operands and operation. result_o is their
// result from two cycles later on, until the next result. Throughput: one per cycle.
module ow_datapath_join
  import ow_datapath_pkg::*;
  import ow_fp_pkg::*;
(
  input  logic        clk_i,
  input  logic        valid_i,  // operands enter
  input  dp_kind_e    kind_i,   // DPK_FADD, DPK_IADD or DPK_MAX
  input  logic        int_i,    // DPK_MAX: integers
  input  logic        min_i,    // DPK_MAX: minimum
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o  // registered
);

  logic        valid_q, float_q;
  fp_sum_t     sum_q;
  logic [31:0] bits_q, result_q;

  always_ff @(posedge clk_i) begin
    valid_q <= valid_i;
    if (valid_i) begin
      float_q <= kind_i == DPK_FADD;
      if (kind_i == DPK_FADD) sum_q <= add_align(unpack_f32(a_i), unpack_f32(b_i));
      else if (kind_i == DPK_IADD) bits_q <= a_i + b_i;
      else bits_q <= maximum(a_i, b_i, int_i ? DF_I32 : DF_F32, min_i);
    end
    if (valid_q) result_q <= float_q ? round_f32(normalise(sum_q)) : bits_q;
  end

  assign result_o = result_q;

endmodule
