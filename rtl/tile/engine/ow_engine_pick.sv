// SPDX-License-Identifier: Apache-2.0
// Stage I0 of the tensor engine: which thread plans the beat of the next cycle.
//
// What a beat needs is looked at twice. Here it is a forecast from registers alone: what is there
// now, less what the beat that stage I1 plans in this cycle may take. A thread that is left out for
// that reason is looked at again in the next cycle; one that is chosen although its beat cannot go
// costs its slot, and stage I1 finds it (ow_engine_issue, `go_o`). So the forecast decides rates, never
// results. It is exact for all but the ends of vectors whose beats are shorter than they could be.
//
// A reduction that could begin a vector waits for at most 16 vectors of others, whatever their
// priority. Then it is due: no other reduction begins one before it, as long as it has what it needs.
//
//   NumThreads   contexts
//   *_i          the thread table's masks, one bit a thread (ow_engine_threads)
//   red_end_i    the one whose end waits for the results of all reductions: no other reduction begins a
//                vector
//   s_valid_i    stage I1 plans a beat of the thread s_hot_i in this cycle, ..
//   s_in_i ...   .. which is one that needs a wavelet of these queues, sends, writes SRAM, runs a
//                reduction, axpyw or dotw: as the masks say of it, but from its context
//   s_ends_i     .. and which may be the last of its instruction, which is known late: the choice
//                is made with that thread and without it
//   issue_red_i  .. and a beat of a reduction that goes
//   s_row_ends_i .. which may be the last of its inner vector
//   inq_more_i   queues that hold two wavelets or more
//   tag_i        threads that take tagged wavelets; fed_i: whose wavelet is in front (ow_engine_tags);
//                fed_early_i: the same early, unless stop_i; tag_full_i: no other is taken
//   claimed_i    threads that have a place for what they send next (ow_engine_issue)
//   out_ready_i  queues that may claim a vector; out_more_i: also if the beat in I1 claims one
//   wq_one_i     one write buffer slot is left; wq_full_i: none
//   w_some_i     weights are there; w_rest_i: also behind those that the beat in I1 may take
//   idle_o       no reduction is due
//   any_o ...    the choice: one-hot, and as an index
//   blk_*_o      why threads wait, for the status; ready_o: those that do not, the one in I1 perhaps
//                only if it goes on
module ow_engine_pick
  import ow_pkg::*;
#(
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  // Threads.
  input  logic [NumThreads-1:0]       live_i,
  input  logic [NumThreads-1:0]       ending_i,
  input  logic [NumThreads-1:0]       wait_i,
  input  logic [NumThreads-1:0]       memdst_i,
  input  logic [NumThreads-1:0]       sticky_i,
  input  logic [NumThreads-1:0]       prio_i,
  input  logic [NumThreads-1:0]       red_i,
  input  logic [NumThreads-1:0]       wtrig_i,
  input  logic [7:0][NumThreads-1:0]  in_use_i,
  input  logic [NumThreads-1:0]       two_i,
  input  logic [7:0][NumThreads-1:0]  two_a_i,
  input  logic [7:0][NumThreads-1:0]  out_use_i,
  input  logic                        fifos_used_i,
  input  logic [3:0][NumThreads-1:0]  fifo_rd_i,
  input  logic [3:0][NumThreads-1:0]  fifo_wr_i,
  input  logic [NumThreads-1:0]       red_lock_i,
  input  logic [NumThreads-1:0]       red_end_i,
  // Stage I1.
  input  logic                        s_valid_i,
  input  logic [NumThreads-1:0]       s_hot_i,
  input  logic [7:0]                  s_in_i,
  input  logic                        s_sends_i,
  input  logic                        s_mem_i,
  input  logic                        s_red_i,
  input  logic                        s_wtrig_i,
  input  logic                        s_ends_i,
  input  logic                        s_row_ends_i,
  input  logic                        issue_red_i,
  // Resources.
  input  logic                        stop_i,
  input  logic [7:0]                  inq_valid_i,
  input  logic [7:0]                  inq_more_i,
  input  logic [7:0]                  inq_ctrl_i,
  input  logic [NumThreads-1:0]       tag_i,
  input  logic [NumThreads-1:0]       fed_i,
  input  logic [NumThreads-1:0]       fed_early_i,
  input  logic                        tag_full_i,
  input  logic [NumThreads-1:0]       claimed_i,
  input  logic [7:0]                  out_ready_i,
  input  logic [7:0]                  out_more_i,
  input  logic                        wq_full_i,
  input  logic                        wq_one_i,
  input  logic                        w_some_i,
  input  logic                        w_rest_i,
  input  logic                        w_blocked_i,
  input  logic [3:0]                  fifo_empty_i,
  input  logic [3:0]                  fifo_full_i,
  // Choice.
  output logic                        idle_o,
  output logic                        any_o,
  output logic [NumThreads-1:0]       pick_o,
  output logic [ThreadW-1:0]          thread_o,
  output logic [NumThreads-1:0]       ready_o,
  output logic [NumThreads-1:0]       blk_in_o,
  output logic [NumThreads-1:0]       blk_out_o,
  output logic [NumThreads-1:0]       blk_mem_o,
  output logic [NumThreads-1:0]       blk_row_o,
  output logic [NumThreads-1:0]       blk_weight_o,
  output logic [NumThreads-1:0]       blk_red_o
);

  typedef logic [NumThreads-1:0] tmask_t;

  tmask_t     s_hot;      // the thread in I1, if there is one
  tmask_t     lacks;      // an input: as blk_in_o, but early
  tmask_t     ctrl_a;     // a control wavelet is at operand a, which does not wait for operand b
  tmask_t     blk_fifo;
  tmask_t     lock;       // the thread that will have the reduction
  tmask_t     placed;     // the threads that will have a place in their output queue
  tmask_t     own;        // the threads that have operands and a place for what they make
  tmask_t     red_could;  // the reductions of them that the beat in I1 is not of
  tmask_t     due_q;      // the reductions that are due
  logic [3:0] passed_q;   // vectors that have ended while a reduction waited
  tmask_t     full;       // blk_out_o, if the beat in I1 claims a place
  logic [7:0] in_ok;

  always_comb begin
    s_hot = s_valid_i ? s_hot_i : '0;
    in_ok = '0;
    full = '0;
    lock = '0;
    placed = '0;
    ctrl_a = '0;
    blk_in_o = '0;
    lacks = '0;
    blk_out_o = '0;
    blk_mem_o = '0;
    blk_row_o = '0;
    blk_weight_o = '0;
    blk_fifo = '0;
    blk_red_o = '0;
    own = '0;
    red_could = '0;
    ready_o = '0;
    if (live_i != '0) begin
      for (int unsigned q = 0; q < 8; q++) begin
        in_ok[q] = s_valid_i && s_in_i[q] ? inq_more_i[q] : inq_valid_i[q];
        if (!in_ok[q]) blk_in_o = blk_in_o | in_use_i[q];
        if (!out_ready_i[q]) blk_out_o = blk_out_o | out_use_i[q];
        if (!out_more_i[q]) full = full | out_use_i[q];
      end
      // Whether the beat in I1 sends is known after the queues.
      if (s_valid_i && s_sends_i) blk_out_o = full;
      // The beat in I1 claims a place for its vector, or gives up the one that it had with the last.
      placed = claimed_i;
      if (s_valid_i && s_red_i) placed = s_row_ends_i ? claimed_i & ~s_hot_i : claimed_i | s_hot_i;
      blk_out_o = blk_out_o & ~placed;
      if (tag_full_i) blk_in_o = blk_in_o | tag_i;
      lacks = blk_in_o & ~fed_early_i;
      blk_in_o = blk_in_o & ~fed_i;
      if (two_i != '0) begin
        for (int unsigned q = 0; q < 8; q++) begin
          if (inq_valid_i[q] && inq_ctrl_i[q]) ctrl_a = ctrl_a | two_a_i[q];
        end
        blk_in_o = blk_in_o & ~(ctrl_a & ~s_hot);
        lacks = lacks & ~(ctrl_a & ~s_hot);
      end
      if (fifos_used_i) begin
        for (int unsigned n = 0; n < 4; n++) begin
          if (fifo_empty_i[n]) blk_fifo = blk_fifo | fifo_rd_i[n];
          if (fifo_full_i[n]) blk_fifo = blk_fifo | fifo_wr_i[n];
        end
      end
      blk_mem_o = wait_i;
      if (wq_full_i || (wq_one_i && s_valid_i && s_mem_i)) blk_mem_o = blk_mem_o | memdst_i;
      if (w_blocked_i) blk_row_o = wtrig_i;
      if (!(s_valid_i && s_wtrig_i ? w_rest_i : w_some_i)) blk_weight_o = wtrig_i;
      lock = red_lock_i;
      if (s_valid_i && s_red_i && (lock & ~s_hot_i) == '0) lock = s_row_ends_i ? '0 : s_hot_i;
      if (lock != '0) blk_red_o = red_i & ~lock;
      else if (red_end_i != '0) blk_red_o = red_i & ~red_end_i;
      else if (due_q != '0) blk_red_o = red_i & ~due_q;
      blk_red_o = blk_red_o & ~ending_i;
      own = live_i & ~blk_out_o & (ending_i | ~(lacks | blk_row_o | blk_weight_o | blk_fifo));
      red_could = own & red_i & ~ending_i & ~s_hot;
      if (!stop_i) ready_o = own & ~(blk_mem_o | blk_red_o);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      due_q <= '0;
      passed_q <= '0;
    end else if (due_q != '0) begin
      due_q <= due_q & own & ~(issue_red_i ? s_hot_i : '0);
    end else if (issue_red_i && s_row_ends_i && red_could != '0) begin
      if (passed_q == 4'd15) due_q <= red_could;
      passed_q <= passed_q + 4'd1;
    end
  end

  assign idle_o = due_q == '0;

  ow_engine_sched #(.NumThreads(NumThreads)) u_sched (
    .clk_i, .rst_i,
    .ready_i(ready_o), .but_i(s_hot), .drop_i(s_ends_i), .prio_i(prio_i), .sticky_i(sticky_i),
    .take_i(any_o),
    .any_o, .pick_o, .thread_o
  );

endmodule
