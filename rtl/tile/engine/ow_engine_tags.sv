// SPDX-License-Identifier: Apache-2.0
// Distances that the index of a tagged wavelet selects, where a step is not its element's size: index
// times step, for operand b and for the destination. The product takes the cycle in which the beat is
// first in stage I1; the beat is given up, and has its addresses when it is planned again.
//
// The products are those of the wavelet at the head of the queue of one thread. Only that thread takes
// it, with the next beat that it issues, and then they are forgotten.
//
//   NumThreads     contexts
//   want_i         the beat in stage I1, of the thread s_hot_i, needs the products of this cycle's
//                  inputs
//   issue_i        that thread's beat, or end, is issued
//   ready_o        its products are there; b_o, d_o: bytes
`include "ow_assert.svh"

module ow_engine_tags #(
  parameter int unsigned NumThreads = 13
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  want_i,
  input  logic [NumThreads-1:0] s_hot_i,
  input  logic                  issue_i,
  input  logic [15:0]           index_i,
  input  logic [15:0]           b_step_i,
  input  logic [15:0]           d_step_i,
  output logic                  ready_o,
  output logic [32:0]           b_o,
  output logic [32:0]           d_o
);

  logic [NumThreads-1:0] hot_q;  // whose they are
  logic [32:0]           b_q, d_q;
  logic                  makes;

  assign ready_o = (hot_q & s_hot_i) != '0;
  assign makes = want_i && !ready_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) hot_q <= '0;
    else if (makes) hot_q <= s_hot_i;
    else if (issue_i && ready_o) hot_q <= '0;
    if (makes) begin
      b_q <= 33'($signed({1'b0, index_i})) * 33'($signed(b_step_i));
      d_q <= 33'($signed({1'b0, index_i})) * 33'($signed(d_step_i));
    end
  end

  assign b_o = b_q;
  assign d_o = d_q;

  `OW_ASSERT(one_thread, (hot_q & (hot_q - 1'b1)) == '0, "the products of two threads")

endmodule
