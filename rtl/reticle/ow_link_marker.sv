// SPDX-License-Identifier: Apache-2.0
// Finds the marker of a training period in what most lanes carry: at least ten cycles of zeros,
// then ten of ones. In between the lanes may differ for two cycles.
// Latency: found_o is high in the tenth cycle of ones. Errors: lost_o.
//
//   run_i             a receiver looks for a marker; clear_i: begin again
//   low_i, high_i, most_i  nearly all lanes are 0, nearly all are 1, more than half are 1
//   lost_o            no marker for 1,024 cycles
//   waits_o           there have been zeros for long: more of them change nothing
module ow_link_marker (
  input  logic clk_i,
  input  logic rst_i,
  input  logic run_i,
  input  logic clear_i,
  input  logic low_i,
  input  logic high_i,
  input  logic most_i,
  output logic found_o,
  output logic lost_o,
  output logic waits_o
);
  localparam logic [3:0] RUN = 4'd10;  // cycles of zeros, and of ones

  logic [3:0]  zeros_q, ones_q;
  logic [1:0]  between_q;
  logic [10:0] hunt_q;  // cycles without a marker

  assign found_o = run_i && high_i && ones_q == RUN - 4'd1;
  assign lost_o = hunt_q[10];
  assign waits_o = zeros_q == '1 && ones_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i || found_o) begin
      zeros_q <= '0;
      ones_q <= '0;
      hunt_q <= '0;
    end else if (run_i) begin
      if (!hunt_q[10]) hunt_q <= hunt_q + 11'd1;
      if (ones_q == '0) begin
        if (most_i && zeros_q >= RUN) ones_q <= 4'd1;
        else if (low_i) zeros_q <= zeros_q + 4'(zeros_q != '1);
        else if (zeros_q < RUN || between_q == 2'd2) zeros_q <= '0;
      end else if (high_i) begin
        ones_q <= ones_q + 4'd1;
      end else begin
        ones_q <= '0;
        zeros_q <= '0;
      end
    end
    if (rst_i) between_q <= '0;
    else if (run_i && ones_q == '0) between_q <= low_i ? 2'd0 : between_q + 2'd1;
  end
endmodule
