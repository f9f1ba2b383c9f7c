// SPDX-License-Identifier: Apache-2.0
// A clock gate that the scan enable does not open: scripts/flows/timing/synth must refuse it.
module bad_scan (
  input  logic clk_i,
  input  logic scan_en_i,
  input  logic en_i,
  input  logic a_i,
  output logic y_o
);
  logic en_l, gated;
  always_latch if (!clk_i) en_l = en_i;
  assign gated = clk_i & en_l;
  always_ff @(posedge gated) y_o <= a_i ^ scan_en_i;
endmodule
