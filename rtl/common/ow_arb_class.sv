// SPDX-License-Identifier: Apache-2.0
// Arbiter of two classes, each with a round robin of its own. The high class goes first. But if
// both wait for Share slots in a row, the low class gets one of them.
//
// Requests come in two sets, and set_i selects the set that counts. set_i may come late: the
// arbiter decides both sets in parallel, and set_i selects one of the two results.
//
// Protocol: one_o answers high_i, low_i and set_i in the same cycle. A cycle with take_i high and a
// requester in the set is a slot. Without take_i nothing changes, and requests may come and go.
// Latency 0, one slot per cycle. Bounds: a requester of the low class that keeps requesting is
// served within Width * Share slots, one of the high class within 2 * Width slots.
// Errors: assertions report a requester in both classes.
//
//   Width    requesters, 2 to 32
//   Share    one slot of so many is for the low class, 2 to 256
//   high_i   who requests in the high class, in each set
//   low_i    who requests in the low class; nobody may be in both classes of a set
//   set_i    the set that counts
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
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [1:0][Width-1:0] high_i,
  input  logic [1:0][Width-1:0] low_i,
  input  logic                  set_i,
  input  logic                  take_i,
  output logic                  any_o,
  output logic [Width-1:0]      one_o,
  output logic [IdxW-1:0]       index_o
);

  `OW_ASSERT_INIT(width_in_range, Width >= 2 && Width <= 32)
  `OW_ASSERT_INIT(share_in_range, Share >= 2 && Share <= 256)

  typedef logic [Width-1:0] requests_t;
  localparam int unsigned CountW = $clog2(Share);

  logic [IdxW-1:0]   high_last_q, low_last_q;  // who was served last in each class
  logic [CountW-1:0] waited_q;  // slots that the high class took while the low one waited

  // For each set.
  logic [1:0]           any, low_next;
  requests_t [1:0]      one;
  logic [1:0][IdxW-1:0] number;

  always_comb begin : choose
    automatic requests_t high_above, low_above, one_high, one_low;
    high_above = requests_t'(above(5'(high_last_q)));
    low_above = requests_t'(above(5'(low_last_q)));
    one_high = '0;
    one_low = '0;
    any = '0;
    low_next = '0;
    one = '0;
    number = '0;
    for (int unsigned s = 0; s < 2; s++) begin
      any[s] = (high_i[s] | low_i[s]) != '0;
      if (any[s]) begin
        one_high = requests_t'(pick(32'(high_i[s]), 32'(high_above)));
        one_low = requests_t'(pick(32'(low_i[s]), 32'(low_above)));
        low_next[s] = low_i[s] != '0 && (high_i[s] == '0 || waited_q == CountW'(Share - 1));
        one[s] = low_next[s] ? one_low : one_high;
        number[s] = low_next[s] ? IdxW'(index(32'(one_low))) : IdxW'(index(32'(one_high)));
      end
    end
  end

  assign any_o = set_i ? any[1] : any[0];
  assign one_o = set_i ? one[1] : one[0];
  assign index_o = set_i ? number[1] : number[0];

  logic low_served, low_waits;
  assign low_served = set_i ? low_next[1] : low_next[0];
  assign low_waits = set_i ? low_i[1] != '0 : low_i[0] != '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      high_last_q <= IdxW'(Width - 1);
      low_last_q <= IdxW'(Width - 1);
      waited_q <= '0;
    end else if (take_i && any_o) begin
      if (low_served) low_last_q <= index_o;
      else high_last_q <= index_o;
      if (low_served) waited_q <= '0;
      else if (low_waits) waited_q <= waited_q + CountW'(1);
    end
  end

  `OW_ASSERT(in_one_class, (high_i & low_i) == '0, "a requester is in both classes")
  `OW_ASSERT(turn_in_range, 32'(waited_q) < Share, "the low class has waited for too long")
  `OW_ASSERT(one_of_the_requesters,
             $onehot0(one_o) && (one_o & ~(high_i[set_i] | low_i[set_i])) == '0,
             "the arbiter serves nobody who requests")

endmodule
