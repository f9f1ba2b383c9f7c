// SPDX-License-Identifier: Apache-2.0
// A combinational loop: scripts/flows/timing/synth must refuse it.
module bad_loop (
  input  logic clk_i,
  input  logic rst_i,
  input  logic a_i,
  output logic y_o
);
  logic b;
  assign b = a_i ^ y_o ^ clk_i;
  assign y_o = b & rst_i;
endmodule
