// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter: the first requester above the one that was served last, or the first of all.
//
// Protocol: one_o answers req_i in the same cycle; a cycle with take_i high and a requester is a
// slot, and moves the pointer to the one that is served. Without take_i nothing changes, and
// requests may come and go.
// Latency 0, one slot a cycle. Bound: who requests until served is served within Width slots.
//
//   Width    requesters, 2 to 32
//   req_i    who would like to be served
//   take_i   one_o is served in this cycle
//   any_o    somebody requests
//   one_o    who is next, one-hot; 0 if nobody requests
//   index_o  its number; 0 if nobody requests

`include "ow_assert.svh"

module ow_arb_rr
  import ow_onehot_pkg::*;
#(
  parameter int unsigned Width = 4,
  localparam int unsigned IdxW = $clog2(Width)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic [Width-1:0] req_i,
  input  logic             take_i,
  output logic             any_o,
  output logic [Width-1:0] one_o,
  output logic [IdxW-1:0]  index_o
);

  `OW_ASSERT_INIT(width_in_range, Width >= 2 && Width <= 32)

  typedef logic [Width-1:0] requests_t;
  logic [IdxW-1:0] last_q;  // who was served last; after reset the last one

  // Both choices are made at once, so that the pointer's is not on the way of the other.
  always_comb begin : choose
    automatic requests_t high;
    any_o = req_i != '0;
    one_o = '0;
    index_o = '0;
    high = req_i & requests_t'(above(5'(last_q)));
    if (any_o) begin
      one_o = high != '0 ? requests_t'(lowest(32'(high))) : requests_t'(lowest(32'(req_i)));
      index_o = IdxW'(index(32'(one_o)));
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) last_q <= IdxW'(Width - 1);
    else if (any_o && take_i) last_q <= index_o;
  end

  `OW_ASSERT(one_of_the_requesters, $onehot0(one_o) && (one_o & ~req_i) == '0,
             "the arbiter serves nobody who requests")
  `OW_ASSERT(work_conserving, (req_i == '0) == (one_o == '0), "somebody requests, none is next")

endmodule
