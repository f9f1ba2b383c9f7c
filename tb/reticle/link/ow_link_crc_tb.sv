// SPDX-License-Identifier: Apache-2.0
// The remainder of a frame, as the receivers compute it: for two beats, and times x^16 for slices
// of 16 and of 8 bits.
module ow_link_crc_tb
  import ow_link_pkg::*;
(
  input  logic        clk_i,
  input  logic [63:0] first_i,
  input  logic [63:0] second_i,
  output logic [15:0] remainder_o,
  output logic [15:0] shifted_o,
  output logic [15:0] of_16_o,
  output logic [15:0] of_8_o
);

  logic [127:0] frame;
  logic [15:0] of_16, of_8;
  assign frame = {first_i, second_i};
  always_comb begin
    of_16 = '0;
    of_8 = '0;
    for (int i = 112; i >= 0; i -= 16) of_16 = crc_folded(of_16 ^ frame[i+:16]);
    for (int i = 120; i >= 0; i -= 8) begin
      of_8 = {of_8[7:0], 8'd0} ^ crc_folded({8'd0, of_8[15:8] ^ frame[i+:8]});
    end
  end

  always_ff @(posedge clk_i) begin
    remainder_o <= crc_first(first_i) ^ crc_second(second_i);
    shifted_o <= crc_times_x16(crc_first(first_i) ^ crc_second(second_i));
    of_16_o <= of_16;
    of_8_o <= of_8;
  end

endmodule
