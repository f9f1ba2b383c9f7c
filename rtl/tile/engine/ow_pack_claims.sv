// SPDX-License-Identifier: Apache-2.0
// Places of ow_pack that the engine has claimed for vectors on their way. All queues share one pool
// of Slots places, but each queue can always claim its first.
//
// A claim arrives late in the cycle, so all comparisons are made with and without it. A place that
// was freed in the cycle before is free.
//
//   Queues, Slots  queues, places
//   alloc_valid_i  a claim for queue alloc_q_i; only while alloc_ready_o of that queue is high
//   alloc_more_o   queues that could claim after a claim for alloc_q_i in this cycle, whether or
//                  not that claim comes
//   null_i, finished_i   a place of null_q_i, of finished_q_i is free again
//   none_o         queues without a claim
//   idle_o         nothing changes at this edge, given these inputs
module ow_pack_claims
  import ow_pkg::*;
#(
  parameter int unsigned Queues = NUM_QUEUES,
  parameter int unsigned Slots = FULL_PACK_SLOTS,
  localparam int unsigned CntW = $clog2(Slots) + 1,
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
  input  logic                  null_i,
  input  logic [QueueW-1:0]     null_q_i,
  input  logic                  finished_i,
  input  logic [QueueW-1:0]     finished_q_i,
  output logic [Queues-1:0]     none_o,
  output logic                  idle_o
);
`include "ow_assert.svh"

  typedef logic [CntW-1:0] cnt_t;

  logic [QueueW-1:0] alloc_q;
  assign alloc_q = QueueW'(alloc_q_i);

  cnt_t                  claim_q [Queues];  // places claimed: on their way and waiting
  logic [Queues-1:0]     none_q;  // no place claimed
  cnt_t                  free_q;  // places not claimed
  logic                  spare_q; // more of them than queues without a claim
  logic                  two_q;   // at least two more
  logic                  null_q, finished_q;
  logic [QueueW-1:0]     null_queue_q, finished_queue_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      null_q <= 1'b0;
      finished_q <= 1'b0;
    end else begin
      if (null_q != null_i) null_q <= null_i;
      if (finished_q != finished_i) finished_q <= finished_i;
    end
    if (null_i) null_queue_q <= null_q_i;
    if (finished_i) finished_queue_q <= finished_q_i;
  end

  cnt_t [Queues-1:0]     back, held;  // claims that are free again; those that are left
  logic [Queues-1:0]     none;      // queues without a claim
  cnt_t                  free, idle_queues;
  logic                  some1, some2, some3;  // free places exceed such queues by 1, 2, 3
  logic                  alone;       // the claim is the first of its queue

  always_comb begin
    idle_queues = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      back[q] = cnt_t'(null_q && null_queue_q == QueueW'(q)) +
                cnt_t'(finished_q && finished_queue_q == QueueW'(q));
      held[q] = claim_q[q] - back[q];
      none[q] = claim_q[q] == back[q];
      idle_queues = idle_queues + cnt_t'(none[q]);
    end
    free = free_q + cnt_t'(null_q) + cnt_t'(finished_q);
    some1 = free > idle_queues;
    some2 = free > idle_queues + cnt_t'(1);
    some3 = free > idle_queues + cnt_t'(2);
    alone = none[alloc_q];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned q = 0; q < Queues; q++) claim_q[q] <= '0;
      none_q <= '1;
      free_q <= cnt_t'(Slots);
      spare_q <= 1'b1;
      two_q <= 1'b1;
    end else if (alloc_valid_i || null_q || finished_q) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (alloc_valid_i && alloc_q == QueueW'(q)) begin
          claim_q[q] <= held[q] + cnt_t'(1);
          none_q[q] <= 1'b0;
        end else begin
          claim_q[q] <= held[q];
          none_q[q] <= none[q];
        end
      end
      free_q <= alloc_valid_i ? free - cnt_t'(1) : free;
      spare_q <= alloc_valid_i && !alone ? some2 : some1;
      two_q <= alloc_valid_i && !alone ? some3 : some2;
    end
  end

  // A queue whose last claim is about to be freed already counts as having none.
  logic [Queues-1:0] ready, more;

  always_comb begin
    ready = spare_q ? '1 : none;
    more = two_q ? '1 : none;
    if (!two_q) more[alloc_q] = 1'b0;
  end
  assign alloc_ready_o = NUM_QUEUES'(ready);
  assign alloc_more_o = NUM_QUEUES'(more);
  assign none_o = none_q;
  assign idle_o = !alloc_valid_i && !null_q && !finished_q;

  `OW_ASSERT(none_as_counted, !alloc_valid_i || null_q || finished_q || none == none_q,
             "a queue's claims are not what they were counted as")
  `OW_ASSERT(alloc_allowed, !alloc_valid_i || alloc_ready_o[alloc_q_i], "claim without a place")

endmodule
