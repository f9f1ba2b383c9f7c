// SPDX-License-Identifier: Apache-2.0
// A net without a driver: scripts/flows/timing/synth must refuse it.
module bad_undriven (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       a_i,
  output logic [1:0] y_o
);
  logic [1:0] nobody;
  assign nobody[0] = a_i ^ clk_i;
  assign y_o = nobody ^ {2{rst_i}};
endmodule
