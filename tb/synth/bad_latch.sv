// SPDX-License-Identifier: Apache-2.0
// A latch: scripts/flows/timing/synth must refuse it.
module bad_latch (
  input  logic clk_i,
  input  logic rst_i,
  input  logic a_i,
  output logic y_o
);
  always_latch if (a_i) y_o = clk_i ^ rst_i;
endmodule
