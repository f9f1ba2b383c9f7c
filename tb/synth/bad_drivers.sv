// SPDX-License-Identifier: Apache-2.0
// A net with two drivers: scripts/flows/timing/synth must refuse it.
module bad_drivers (
  input  logic clk_i,
  input  logic rst_i,
  input  logic a_i,
  output wire  y_o
);
  assign y_o = a_i ^ clk_i;
  assign y_o = rst_i;
endmodule
