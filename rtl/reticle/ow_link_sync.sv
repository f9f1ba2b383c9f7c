// SPDX-License-Identifier: Apache-2.0
// Samples the lanes of a link in this end's clock: two flip-flops a lane, one behind the other and
// with nothing in between. The first one may be metastable after its edge. It then has a whole cycle
// to settle before the second one takes its value (docs/links.md, Lanes and clocks).
// This module is its behaviour. A chip puts a library's synchroniser with the same ports here. It
// has no reset, as such cells have none.
// Latency 2 cycles. Errors: none.
//
//   Width   bits, each by itself
//   lane_i  may change at any time
//   lane_o  from registers

module ow_link_sync #(
  parameter int unsigned Width = 1
) (
  input  logic             clk_i,
  input  logic [Width-1:0] lane_i,
  output logic [Width-1:0] lane_o
);

  // FPGA tools place the two side by side, and make no shift register of them.
  (* async_reg = "true" *) logic [Width-1:0] first_q, second_q;
  always_ff @(posedge clk_i) begin
    first_q <= lane_i;
    second_q <= first_q;
  end
  assign lane_o = second_q;

endmodule
