// SPDX-License-Identifier: Apache-2.0
// Binary32 adder in two stages with one rounding, made of the lanes' functions.
//
// Protocol: no handshake. While en_i is low the whole pipeline stands still.
//   cycle t      valid_i, a_i, b_i are read (stage A: align, add)
//   cycle t + 1  stage R: valid_o is high and result_o is the rounded sum, combinational from
//                registers, for as long as en_i is low and one cycle more
// Throughput: one sum per cycle. Latency: 1 cycle to result_o; a consumer registers it.
module ow_fp_add
  import ow_fp_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,    // clears the valid bit
  input  logic        en_i,     // the pipeline moves
  input  logic        valid_i,  // a_i and b_i are operands
  input  logic [31:0] a_i,      // binary32
  input  logic [31:0] b_i,      // binary32
  output logic        valid_o,  // result_o is a sum
  output logic [31:0] result_o  // binary32, a_i + b_i
);

  logic    valid_q;
  fp_sum_t sum_q;

  always_ff @(posedge clk_i) begin
    if (en_i && valid_i) sum_q <= add_align(unpack_f32(a_i), unpack_f32(b_i));
    if (rst_i) valid_q <= 1'b0;
    else if (en_i) valid_q <= valid_i;
  end

  assign valid_o = valid_q;
  assign result_o = valid_q ? round_f32(normalise(sum_q)) : 32'd0;

endmodule
