// SPDX-License-Identifier: Apache-2.0
// Checker of the tensor engine's liveness, to be bound to it (docs/isa.md, scheduling): a thread whose
// operands are there and whose output has a place issues a beat within a bound. So neither a full
// output queue nor any other wait of one thread stops another one. It drives nothing.
//
// The bound has two parts. Quiet: while a thread could go, no more than so many cycles pass without
// a beat of any thread. Turns: while a thread could go, other threads have a bounded number of beats.
// With k threads without fabric operands and f with some, a thread waits for at most 32 beats of each of
// the k, between which each of the f has one: 32 * (k + 1) * (f + 1) turns. Threads with the priority
// bit give way at every 16th turn, so a thread without the bit may wait 16 times as long beside them.
//
// One exception: a reduction waits while another one is in the middle of an inner vector, even if
// that one has no operands. Beats of that vector do not count as turns of it, its first one does.
//
//   NumThreads   contexts
//   Quiet        cycles
//   halt_i       the engine is stopped by the host
//   live_i ...   masks of the thread table
//   *_use_i, fifo_*_i   threads that need a wavelet of queue q, send to queue q, take from FIFO n,
//                add to it
//   claimed_i    threads that have a place in their output queue
//   fed_i        threads whose tagged wavelet has been taken ahead
//   two_a_i, inq_ctrl_i   threads with two streams, of which a is queue q; a control wavelet is there
//   s_hot_i, issue_i    the thread in stage I1, and that its beat goes

`include "ow_assert.svh"

module ow_live_check #(
  parameter int unsigned NumThreads = ow_pkg::FULL_NUM_THREADS,
  parameter int unsigned Quiet = 64
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  input  logic                       halt_i,
  input  logic [NumThreads-1:0]      live_i,
  input  logic [NumThreads-1:0]      ending_i,
  input  logic [NumThreads-1:0]      prio_i,
  input  logic [NumThreads-1:0]      sticky_i,
  input  logic [NumThreads-1:0]      red_i,
  input  logic [NumThreads-1:0]      red_lock_i,
  input  logic [NumThreads-1:0]      wtrig_i,
  input  logic [7:0][NumThreads-1:0] in_use_i,
  input  logic [7:0][NumThreads-1:0] two_a_i,
  input  logic [7:0][NumThreads-1:0] out_use_i,
  input  logic [3:0][NumThreads-1:0] fifo_rd_i,
  input  logic [3:0][NumThreads-1:0] fifo_wr_i,
  input  logic [NumThreads-1:0]      claimed_i,
  input  logic [NumThreads-1:0]      fed_i,
  input  logic [7:0]                 inq_valid_i,
  input  logic [7:0]                 inq_ctrl_i,
  input  logic [7:0]                 out_ready_i,
  input  logic [3:0]                 fifo_empty_i,
  input  logic [3:0]                 fifo_full_i,
  input  logic                       weight_i,
  input  logic                       row_blocked_i,
  input  logic [NumThreads-1:0]      s_hot_i,
  input  logic                       issue_i
);

  typedef logic [NumThreads-1:0] tmask_t;
  typedef logic [16:0] turns_t;

  tmask_t could;      // has what it needs
  tmask_t locked_out; // but another reduction is in the middle of a vector

  always_comb begin : own
    tmask_t lacks, full;  // an operand; a place for what it makes
    lacks = '0;
    full = '0;
    for (int unsigned q = 0; q < 8; q++) begin
      if (!inq_valid_i[q]) lacks = lacks | (in_use_i[q] & ~fed_i);
      if (!out_ready_i[q]) full = full | (out_use_i[q] & ~claimed_i);
    end
    if (row_blocked_i) full = full | (wtrig_i & ~ending_i);
    for (int unsigned q = 0; q < 8; q++) begin
      if (inq_valid_i[q] && inq_ctrl_i[q]) lacks = lacks & ~two_a_i[q];
    end
    for (int unsigned n = 0; n < 4; n++) begin
      if (fifo_full_i[n]) full = full | (fifo_wr_i[n] & ~ending_i);
      if (fifo_empty_i[n]) lacks = lacks | fifo_rd_i[n];
    end
    if (!weight_i) lacks = lacks | wtrig_i;
    could = live_i & ~full & (ending_i | ~lacks);
    locked_out = (red_lock_i & (could | lacks)) != '0 ? red_i & ~red_lock_i : '0;
  end

  // Turns that a thread may wait for, from the threads that there are.
  turns_t few, many;
  logic   some_prio;

  always_comb begin : allowed
    turns_t k, f;
    k = '0;
    f = '0;
    for (int unsigned t = 0; t < NumThreads; t++) begin
      if (live_i[t] && sticky_i[t]) k = k + 17'd1;
      if (live_i[t] && !sticky_i[t]) f = f + 17'd1;
    end
    some_prio = (live_i & prio_i) != '0;
    few = (17'd2 * 17'd32) * (k + 17'd1) * (f + 17'd1);
    many = (17'd16 * 17'd32) * (k + 17'd1) * (f + 17'd1);
  end

  turns_t turns_q [NumThreads];  // beats of others for which the thread has waited
  turns_t limit_q [NumThreads];
  logic [$clog2(Quiet+2)-1:0] quiet_q;
  tmask_t late_q;     // threads that have waited for more turns than they may
  logic   was_locked_q;
  tmask_t waiting;

  assign waiting = could & ~locked_out;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      quiet_q <= '0;
      late_q <= '0;
      was_locked_q <= 1'b0;
      for (int unsigned t = 0; t < NumThreads; t++) turns_q[t] <= '0;
      for (int unsigned t = 0; t < NumThreads; t++) limit_q[t] <= '0;
    end else if (!halt_i) begin
      if (issue_i || waiting == '0) quiet_q <= '0;
      else if (quiet_q <= $bits(quiet_q)'(Quiet)) quiet_q <= quiet_q + 1'b1;
      was_locked_q <= red_lock_i != '0;
      for (int unsigned t = 0; t < NumThreads; t++) begin
        if (!could[t] || (issue_i && s_hot_i[t])) begin
          turns_q[t] <= '0;
          limit_q[t] <= '0;
        end else begin
          // A vector of a reduction that begins counts, and no more of it.
          if (locked_out[t] ? !was_locked_q : issue_i) turns_q[t] <= turns_q[t] + 17'd1;
          if ((some_prio && !prio_i[t] ? many : few) > limit_q[t]) begin
            limit_q[t] <= some_prio && !prio_i[t] ? many : few;
          end
          if (turns_q[t] > limit_q[t] && limit_q[t] != '0) late_q[t] <= 1'b1;
        end
      end
    end
  end

  `OW_ASSERT(not_quiet, quiet_q <= $bits(quiet_q)'(Quiet),
             "a thread has what it needs, and the engine issues nothing")
  `OW_ASSERT(has_its_turn, late_q == '0, "a thread has what it needs, and others go on and on")

endmodule
