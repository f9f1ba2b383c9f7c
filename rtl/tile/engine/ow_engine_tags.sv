// SPDX-License-Identifier: Apache-2.0
// Tagged wavelets on their way to their beats. The product of index and step takes a cycle of its
// own, between the queue and stage I1. Throughput is one wavelet per cycle.
//
//   1  a thread with such an operand is in stage I1: the head of its queue is taken, with the steps
//      and addresses of that thread
//   2  products and sums (bases of an inner vector do not move while it lasts)
//   3  two places, in order: a beat is planned when the oldest one belongs to the thread in
//      stage I1
//
// A wavelet is taken only if its instruction surely needs it: not more elements than are left of
// the inner vector, and nothing while a control wavelet is at the head. The control wavelet goes to
// stage I1 when no wavelet of the thread is here. So no wavelet is left here when an instruction
// ends; a fault drops those that are.
//
// Every wavelet here is planned in bounded time, so none waits for ever for one of another thread.
// Its beat writes memory or the accumulator cache, and waits only for writes and results. If
// operand b is a FIFO, the thread takes one wavelet at a time, and only while the FIFO holds
// something; no other thread reads that FIFO (docs/isa.md, FIFOs).
//
//   NumThreads    contexts; live_i: threads that have something to issue
//   here_i        the thread in stage I1 (s_thread_i) has such an operand, and is not at its end;
//                 want_i: and it is planned in this cycle, which arrives late
//   head_valid_i, head_i   of its queue
//   left_i        elements that are left of its inner vector; inf_i: it has no end
//   b_fifo_i, b_ready_i    operand b is a FIFO; that FIFO holds something
//   b_i, d_i, *_step_i, d_len_i   bases, steps, and elements of the destination
//   b_counts_i    operand b has addresses
//   take_o        the head is taken from the queue
//   none_o        no wavelet of the thread in stage I1 is here
//   has_o, value_o, b_o, d_o, far_o   the oldest wavelet is its: element; addresses; an address has
//                 more than 24 bits, or the index is beyond the destination
//   use_i         it is planned (arrives late)
//   fed_o         the thread whose wavelet is the oldest in the next cycle, if use_i comes now;
//                 fed_early_o: the same as if want_i were here_i
//   full_o        none is taken in this cycle
//   idle_o        nothing changes at this edge but by want_i and use_i
`include "ow_assert.svh"

module ow_engine_tags
  import ow_pkg::ramp_t;
#(
  parameter int unsigned NumThreads = ow_pkg::FULL_NUM_THREADS,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [NumThreads-1:0] live_i,
  input  logic                  here_i,
  input  logic                  want_i,
  input  logic [ThreadW-1:0]    s_thread_i,
  input  logic                  head_valid_i,
  input  ramp_t                 head_i,
  input  logic [15:0]           left_i,
  input  logic                  inf_i,
  input  logic                  b_fifo_i,
  input  logic                  b_ready_i,
  input  logic [23:0]           b_i,
  input  logic [23:0]           d_i,
  input  logic [15:0]           b_step_i,
  input  logic [15:0]           d_step_i,
  input  logic [15:0]           d_len_i,
  input  logic                  b_counts_i,
  output logic                  take_o,
  output logic                  none_o,
  output logic                  has_o,
  output logic [15:0]           value_o,
  output logic [23:0]           b_o,
  output logic [23:0]           d_o,
  output logic                  far_o,
  input  logic                  use_i,
  output logic [NumThreads-1:0] fed_o,
  output logic [NumThreads-1:0] fed_early_o,
  output logic                  full_o,
  output logic                  idle_o
);

  typedef logic [ThreadW-1:0] tid_t;

  typedef struct packed {
    tid_t        thread;
    logic [15:0] value;
    logic [15:0] index;
    logic [15:0] b_step;
    logic [15:0] d_step;
    logic [23:0] b;
    logic [23:0] d;
    logic        b_counts;
    logic        beyond;
  } taken_t;

  typedef struct packed {
    tid_t        thread;
    logic [15:0] value;
    logic [23:0] b;
    logic [23:0] d;
    logic        beyond;
  } done_t;

  logic       t_valid_q;
  taken_t     t_q;
  logic [1:0] valid_q;  // places; the oldest is 0
  done_t      done_q [2];

  // ---------------------------------------------------------------------------------- taking --
  logic       moves;    // the product goes into a place
  logic [2:0] mine;     // wavelets of the thread in stage I1
  logic [1:0] count;
  logic       enough;   // they are all that it needs

  assign moves = t_valid_q && valid_q != 2'b11;
  assign mine = {t_valid_q && t_q.thread == s_thread_i,
                 valid_q[1] && done_q[1].thread == s_thread_i,
                 valid_q[0] && done_q[0].thread == s_thread_i};
  assign count = 2'(mine[0]) + 2'(mine[1]) + 2'(mine[2]);
  assign none_o = mine == '0;
  assign enough = b_fifo_i ? mine != '0 || !b_ready_i
                           : !inf_i && left_i[15:2] == '0 && left_i[1:0] <= count;
  assign take_o = want_i && head_valid_i && !head_i.ctrl && !enough && (!t_valid_q || moves);

  // -------------------------------------------------------------------------------- products --
  done_t product;

  always_comb begin
    logic signed [34:0] at_b, at_d;
    at_b = $signed({11'd0, t_q.b}) + 35'($signed({1'b0, t_q.index})) * 35'($signed(t_q.b_step));
    at_d = $signed({11'd0, t_q.d}) + 35'($signed({1'b0, t_q.index})) * 35'($signed(t_q.d_step));
    product = '0;
    if (t_valid_q) begin
      product.thread = t_q.thread;
      product.value = t_q.value;
      product.b = at_b[23:0];
      product.d = at_d[23:0];
      product.beyond = t_q.beyond || (at_b[34:24] != '0 && t_q.b_counts) || at_d[34:24] != '0;
    end
  end

  // ---------------------------------------------------------------------------------- places --
  // Those of threads that a fault has stopped are dropped where they are.
  logic       leaves;  // the oldest goes
  logic [1:0] keep;    // the others stay, or move up

  assign has_o = valid_q[0] && done_q[0].thread == s_thread_i;
  assign value_o = done_q[0].value;
  assign b_o = done_q[0].b;
  assign d_o = done_q[0].d;
  assign far_o = done_q[0].beyond;
  assign leaves = use_i || !live_i[done_q[0].thread];
  assign keep[1] = valid_q[1] && live_i[done_q[1].thread];
  assign keep[0] = t_valid_q && live_i[t_q.thread];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      t_valid_q <= 1'b0;
      valid_q <= '0;
    end else begin
      if (take_o) t_valid_q <= 1'b1;
      else if (t_valid_q) t_valid_q <= keep[0] && !moves;
      if (valid_q != '0 || moves) begin
        if (valid_q[0] && !leaves) valid_q <= {valid_q[1] ? keep[1] : keep[0] && moves, 1'b1};
        else if (valid_q[1]) valid_q <= {1'b0, keep[1]};
        else valid_q <= {1'b0, keep[0] && moves};
      end
    end
    if (take_o) begin
      t_q <= '{thread: s_thread_i, value: head_i.data[15:0], index: head_i.data[31:16],
               b_step: b_step_i, d_step: d_step_i, b: b_i, d: d_i, b_counts: b_counts_i,
               beyond: head_i.data[31:16] >= d_len_i};
    end
    if (valid_q[1]) begin
      if (leaves) done_q[0] <= done_q[1];
    end else if (moves) begin
      if (valid_q[0] && !leaves) done_q[1] <= product;
      else done_q[0] <= product;
    end
  end

  // The thread of the oldest wavelet in the next cycle, if the thread in stage I1 uses its wavelet
  // now.
  function automatic logic [NumThreads-1:0] hot(input logic on, input tid_t t);
    hot = '0;
    hot[t] = on;
  endfunction
  logic [NumThreads-1:0] stays, follows;  // if what is in front is not used, if it is
  assign stays = hot(valid_q[0], done_q[0].thread);
  assign follows = valid_q[1] ? hot(1'b1, done_q[1].thread) : hot(t_valid_q, t_q.thread);
  assign fed_o = valid_q[0] && !(want_i && has_o) ? stays : follows;
  assign fed_early_o = valid_q[0] && !(here_i && has_o) ? stays : follows;
  assign full_o = t_valid_q && !moves;

  // A product may stay here while both places are taken and a halt keeps them from being used.
  assign idle_o = !moves && (!t_valid_q || live_i[t_q.thread]) &&
                  (!valid_q[0] || live_i[done_q[0].thread]) &&
                  (!valid_q[1] || live_i[done_q[1].thread]);

  `OW_ASSERT(in_order, valid_q != 2'b10, "the first place is empty and the second is not")
  `OW_ASSERT(its_own, !use_i || has_o, "a wavelet is used that is not there")

endmodule
