// SPDX-License-Identifier: Apache-2.0
// One flip-flop between an input from another clock and logic: scripts/flows/timing/synth must
// refuse it.
module bad_sync (
  input  logic       clk_i,
  input  logic [1:0] lane_i,
  output logic       y_o
);
  logic [1:0] sample_q;
  always_ff @(posedge clk_i) begin
    sample_q <= lane_i;
    y_o <= ^sample_q;
  end
endmodule
