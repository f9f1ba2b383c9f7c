// SPDX-License-Identifier: Apache-2.0
// Reset of a board: high until the clock has been good for 2^Bits cycles in a row, and again as
// soon as it is not. The counter may hold anything at power-up; every value but all ones is a
// reset.
//
//   Bits     4 or more
//   good_i   asynchronous: the PLL has locked and nobody presses reset
//   rst_o    a register; synchronous to clk_i
`include "ow_assert.svh"

module ow_fpga_reset #(
  parameter int unsigned Bits = 16
) (
  input  logic clk_i,
  input  logic good_i,
  output logic rst_o
);

  `OW_ASSERT_INIT(some_cycles, Bits >= 4)

  logic [1:0]      good_q;
  logic [Bits-1:0] count_q;
  always_ff @(posedge clk_i) begin
    good_q <= {good_q[0], good_i};
    if (!good_q[1]) count_q <= '0;
    else if (count_q != '1) count_q <= count_q + Bits'(1);
    rst_o <= count_q != '1;
  end

endmodule
