// SPDX-License-Identifier: Apache-2.0
// The remainder of a frame, as the receiver forms it.
module ow_link_crc_tb
  import ow_link_pkg::*;
(
  input  logic        clk_i,
  input  logic [63:0] first_i,
  input  logic [63:0] second_i,
  output logic [15:0] remainder_o
);

  always_ff @(posedge clk_i) remainder_o <= crc_first(first_i) ^ crc_second(second_i);

endmodule
