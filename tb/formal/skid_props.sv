// SPDX-License-Identifier: Apache-2.0
// Properties of ow_skid with any producer that keeps to valid/ready and any consumer. What goes in
// comes out once, in order and at full rate. The output keeps to valid/ready, too.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module skid_props #(
  parameter int unsigned Width = 2
) (
  input  logic             clk_i,
  input  logic             want_i,
  input  logic [Width-1:0] data_i,
  input  logic             ready_i,
  output logic             bad_order_o,   // what comes out is not what is due
  output logic             bad_stable_o,  // what comes out is not the next element
  output logic             bad_stall_o,   // not ready although the output is not blocked
  output logic             bad_late_o,    // an element is held, but none is offered
  output logic             seen_both_o    // two elements are held, and one leaves
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic valid, ready, out_valid, waits_q;
  logic [Width-1:0] in, held_q, out;
  assign valid = up_q && (waits_q || want_i);
  assign in = waits_q ? held_q : data_i;
  ow_skid #(.Width(Width)) u_skid (
    .clk_i, .rst_i(!up_q), .valid_i(valid), .ready_o(ready), .data_i(in),
    .valid_o(out_valid), .ready_i, .data_o(out)
  );

  logic [1:0] count_q;
  logic [2:0][Width-1:0] queue_q;
  logic offered_q;  // an offer of the cycle before was not taken
  logic [Width-1:0] offer_q;
  always_ff @(posedge clk_i) begin : follow
    automatic logic [1:0] n;
    automatic logic [2:0][Width-1:0] q;
    n = count_q;
    q = queue_q;
    if (out_valid && ready_i && n != 2'd0) begin
      q = {{Width{1'b0}}, q[2:1]};
      n = n - 2'd1;
    end
    if (valid && ready) begin
      q[n] = in;
      n = n + 2'd1;
    end
    count_q <= up_q ? n : '0;
    queue_q <= up_q ? q : '0;
    waits_q <= up_q && valid && !ready;
    held_q <= in;
    offered_q <= up_q && out_valid && !ready_i;
    offer_q <= out;
  end

  assign bad_order_o = up_q && out_valid && (count_q == 2'd0 || out != queue_q[0]);
  assign bad_stable_o = up_q && offered_q && (!out_valid || out != offer_q);
  assign bad_stall_o = up_q && !ready && count_q != 2'd2;
  assign bad_late_o = up_q && !out_valid && count_q != 2'd0;
  assign seen_both_o = up_q && count_q == 2'd2 && out_valid && ready_i;

endmodule
