// SPDX-License-Identifier: Apache-2.0
// An asynchronous reset: scripts/flows/timing/synth must refuse it.
module bad_reset (
  input  logic clk_i,
  input  logic rst_i,
  input  logic a_i,
  output logic y_o
);
  always_ff @(posedge clk_i or posedge rst_i) begin
    if (rst_i) y_o <= 1'b0;
    else y_o <= a_i;
  end
endmodule
