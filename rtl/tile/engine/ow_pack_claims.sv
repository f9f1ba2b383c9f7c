// SPDX-License-Identifier: Apache-2.0
// Places of ow_pack that the engine has claimed for vectors on their way. All queues share one pool
// of Slots places, but each queue can always claim its first.
//
// A claim arrives late in the cycle, so all comparisons are made with and without it. A place that
// was freed in the cycle before is free. Stage I0 of the engine waits for alloc_more_o. So whether a
// queue has a claim left is not compared there: registers hold whether it has one or two.
//
//   Queues, Slots  queues, places
//   alloc_valid_i  a claim for queue alloc_q_i; only while alloc_ready_o of that queue is high
//   alloc_more_o   queues that could claim after a claim for alloc_q_i in this cycle, whether or
//                  not that claim comes
//   null_i, finished_i   queues of which a place is free again, at most one each
//   none_o         queues without a claim
//   idle_o         nothing changes at this edge, given these inputs
module ow_pack_claims
  import ow_pkg::*;
#(
  parameter int unsigned Queues = NUM_QUEUES,
  parameter int unsigned Slots = FULL_PACK_SLOTS,
  localparam int unsigned QueueW = $clog2(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  output logic [NUM_QUEUES-1:0] alloc_ready_o,
  output logic [NUM_QUEUES-1:0] alloc_more_o,
  input  logic                  alloc_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */ // of few queues not all bits
  input  logic [2:0]            alloc_q_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [Queues-1:0]     null_i,
  input  logic [Queues-1:0]     finished_i,
  output logic [Queues-1:0]     none_o,
  output logic                  idle_o
);
`include "ow_assert.svh"

  // Free places, and two more than the queues without a claim; claims of a queue.
  typedef logic [$clog2(Slots+2)-1:0] cnt_t;
  typedef logic [$clog2(Slots-Queues+2)-1:0] claim_t;
  typedef logic [Queues-1:0] queues_t;

  logic [QueueW-1:0] alloc_q;
  assign alloc_q = QueueW'(alloc_q_i);

  claim_t  claim_q [Queues];      // places claimed: on their way and waiting
  queues_t none_q, one_q, two_q;  // no place claimed, one, two
  cnt_t    free_q;                // places not claimed
  logic    spare_q;               // more of them than queues without a claim
  logic    spare_two_q;           // at least two more
  queues_t null_q, finished_q;
  logic    some_back;             // a claim is free again

  always_ff @(posedge clk_i) begin
    null_q <= rst_i ? '0 : null_i;
    finished_q <= rst_i ? '0 : finished_i;
  end
  assign some_back = (null_q | finished_q) != '0;

  claim_t [Queues-1:0] held;                 // claims that are left
  queues_t             none;                 // queues without a claim
  cnt_t                free, idle_queues;
  logic                some1, some2, some3;  // free places exceed such queues by 1, 2, 3
  logic                alone;                // the claim is the first of its queue

  assign none = none_q | (one_q & (null_q | finished_q)) | (two_q & null_q & finished_q);

  always_comb begin
    idle_queues = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      held[q] = claim_q[q] - claim_t'(null_q[q]) - claim_t'(finished_q[q]);
      idle_queues = idle_queues + cnt_t'(none[q]);
    end
    free = free_q + cnt_t'(null_q != '0) + cnt_t'(finished_q != '0);
    some1 = free > idle_queues;
    some2 = free > idle_queues + cnt_t'(1);
    some3 = free > idle_queues + cnt_t'(2);
    alone = none[alloc_q];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned q = 0; q < Queues; q++) claim_q[q] <= '0;
      none_q <= '1;
      one_q <= '0;
      two_q <= '0;
      free_q <= cnt_t'(Slots);
      spare_q <= 1'b1;
      spare_two_q <= 1'b1;
    end else if (alloc_valid_i || some_back) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (alloc_valid_i && alloc_q == QueueW'(q)) begin
          claim_q[q] <= held[q] + claim_t'(1);
          none_q[q] <= 1'b0;
          one_q[q] <= none[q];
          two_q[q] <= held[q] == claim_t'(1);
        end else begin
          claim_q[q] <= held[q];
          none_q[q] <= none[q];
          one_q[q] <= held[q] == claim_t'(1);
          two_q[q] <= held[q] == claim_t'(2);
        end
      end
      free_q <= alloc_valid_i ? free - cnt_t'(1) : free;
      spare_q <= alloc_valid_i && !alone ? some2 : some1;
      spare_two_q <= alloc_valid_i && !alone ? some3 : some2;
    end
  end

  // A queue whose last claim is about to be freed already counts as having none.
  queues_t ready, more;

  always_comb begin
    ready = spare_q ? '1 : none;
    more = spare_two_q ? '1 : none;
    if (!spare_two_q) more[alloc_q] = 1'b0;
  end
  assign alloc_ready_o = NUM_QUEUES'(ready);
  assign alloc_more_o = NUM_QUEUES'(more);
  assign none_o = none_q;
  assign idle_o = !alloc_valid_i && !some_back;

  queues_t counted;  // queues without a claim, from the counts
  always_comb for (int unsigned q = 0; q < Queues; q++) counted[q] = held[q] == '0;
  `OW_ASSERT(none_as_counted, !(alloc_valid_i || some_back) || none == counted,
             "a queue's claims are not what they were counted as")
  `OW_ASSERT(alloc_allowed, !alloc_valid_i || alloc_ready_o[alloc_q_i], "claim without a place")

endmodule
