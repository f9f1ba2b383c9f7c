// SPDX-License-Identifier: Apache-2.0
// Arbiter of two classes, each with a round robin of its own: the high class goes first, but of
// Share slots for which both wait in a row the low class gets one.
//
// Protocol: one_o answers high_i and low_i in the same cycle; a cycle with take_i high and a
// requester is a slot. Without take_i nothing changes, and requests may come and go.
// Latency 0, one slot a cycle. Bounds: of the low class, who requests until served is served within
// Width * Share slots; of the high class, within 2 * Width slots.
//
//   Width    requesters, 2 to 32
//   Share    one slot of so many is for the low class, 2 to 256
//   high_i   who requests in the high class
//   low_i    who requests in the low class; nobody may be in both
//   take_i   one_o is served in this cycle
//   any_o    somebody requests
//   one_o    who is next, one-hot; 0 if nobody requests
//   index_o  its number; 0 if nobody requests

`include "ow_assert.svh"

module ow_arb_class
  import ow_onehot_pkg::*;
#(
  parameter int unsigned Width = 4,
  parameter int unsigned Share = 4,
  localparam int unsigned IdxW = $clog2(Width)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic [Width-1:0] high_i,
  input  logic [Width-1:0] low_i,
  input  logic             take_i,
  output logic             any_o,
  output logic [Width-1:0] one_o,
  output logic [IdxW-1:0]  index_o
);

  `OW_ASSERT_INIT(width_in_range, Width >= 2 && Width <= 32)
  `OW_ASSERT_INIT(share_in_range, Share >= 2 && Share <= 256)

  localparam int unsigned CountW = $clog2(Share);
  logic [CountW-1:0] waited_q;  // slots that the high class took since the low one has waited
  logic low_next, any_high, any_low;
  logic [Width-1:0] one_high, one_low;
  logic [IdxW-1:0] index_high, index_low;

  assign low_next = any_low && (!any_high || waited_q == CountW'(Share - 1));

  ow_arb_rr #(.Width(Width)) u_high (
    .clk_i, .rst_i, .req_i(high_i), .take_i(take_i && !low_next),
    .any_o(any_high), .one_o(one_high), .index_o(index_high)
  );
  ow_arb_rr #(.Width(Width)) u_low (
    .clk_i, .rst_i, .req_i(low_i), .take_i(take_i && low_next),
    .any_o(any_low), .one_o(one_low), .index_o(index_low)
  );

  assign any_o = any_high || any_low;
  assign one_o = low_next ? one_low : one_high;
  assign index_o = low_next ? index_low : index_high;

  always_ff @(posedge clk_i) begin
    if (rst_i) waited_q <= '0;
    else if (take_i && low_next) waited_q <= '0;
    else if (take_i && any_low) waited_q <= waited_q + CountW'(1);
  end

  `OW_ASSERT(in_one_class, (high_i & low_i) == '0, "a requester is in both classes")
  `OW_ASSERT(turn_in_range, 32'(waited_q) < Share, "the low class has waited for too long")

endmodule
