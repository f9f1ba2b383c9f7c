// SPDX-License-Identifier: Apache-2.0
// From result vectors to wavelets: everything between the engine's pipeline and the push port of
// the output queues. Pairs, words, {index, value} tags, zero skipping, closing control wavelets.
//
// Protocol. When the engine issues a beat that sends to queue q, or the first beat of an inner vector
// whose reduction is sent to q, it claims a place
// (alloc_valid_i, alloc_q_i; only while alloc_ready_o[q] is high) and later hands over exactly one
// vector for each claim, in order for each queue, in any cycle (vec_valid_i): a vector is never
// refused. Whether it comes may be known late: vec_may_i says early that it may, and all that belongs
// to it is given with that. alloc_more_o says who could claim after a claim for alloc_q_i in this
// cycle, whether it comes or not. The places are one pool of Slots vectors. Each queue always gets
// its first place, and one queue alone gets Slots - Queues + 1, so a queue that is full stops only the
// threads that send to it.
//
// Throughput: one wavelet a cycle over all queues, round robin among the queues that have something
// to send and room for it; a whole vector is scanned a cycle, and a vector of nothing but skipped
// zeros goes away as it arrives. Latency 0: if nothing is ahead of it in its queue, the first
// wavelet of a vector is pushed in the cycle in which the vector is handed over.
//
// Elements go out in ascending lanes.
//   vec_w32_i             an element a wavelet
//   vec_tag_i             16-bit elements: wavelet = {index, element}, index = vec_idx_i + lane
//   neither               pairs of 16-bit elements, the lower half first. They run across vectors:
//                         the half that waits for its partner is kept for each thread. A vector
//                         that only leaves such a half takes a cycle without a push.
//   vec_skip_i            elements that are zero are left out: for floats (vec_float_i) +0 and -0
//   vec_last_i            the instruction ends: an unfinished pair goes out with upper half 0, or
//                         is forgotten (vec_drop_i)
//   vec_close_i           with last: then a control wavelet with these bits of its data
// done_valid_o tells with its thread that all of a `last` vector has been pushed.
//
// Errors: none at run time. A vector without a claim is a mistake of the engine (assertion).
//
//   Lanes       elements of a vector: 2, 4 or 8
//   NumThreads  threads with an unfinished pair of their own, 2 to 13
//   QueueDepth  slots of an output queue, 2 to 15
//   Queues      queues that anything is sent to, 2 to 8, from 0 on
//   Slots       places for vectors, more than Queues, to 64: a claim lasts 10 cycles in the engine, so 20
//               let one queue have a vector a cycle, however few elements each has
//   vec_mask_i  lanes with an element; with vec_w32_i all of them in the lower or all in the upper
//               half of the lanes
//   vec_data_i  the element in the low bits of its lane
//   raw_i       the vector's mask and elements are those of raw_mask_i and raw_data_i, and none of
//               them is skipped: for vectors that come late in the cycle
//   idle_o      nothing changes at this edge, given these inputs
module ow_pack
  import ow_pkg::*;
  import ow_onehot_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  parameter int unsigned QueueDepth = FULL_QUEUE_DEPTH,
  parameter int unsigned Queues = NUM_QUEUES,
  parameter int unsigned Slots = FULL_PACK_SLOTS,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  // Claims.
  output logic [NUM_QUEUES-1:0]  alloc_ready_o,
  output logic [NUM_QUEUES-1:0]  alloc_more_o,
  input  logic                   alloc_valid_i,
  input  logic [2:0]             alloc_q_i,

  // Vectors.
  input  logic                   vec_may_i,
  input  logic                   vec_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */ // of few queues not all bits
  input  logic [2:0]             vec_q_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [ThreadW-1:0]     vec_thread_i,
  input  logic                   vec_w32_i,
  input  logic                   vec_tag_i,
  input  logic                   vec_skip_i,
  input  logic                   vec_float_i,
  input  logic [Lanes-1:0]       vec_mask_i,
  input  logic [Lanes-1:0][31:0] vec_data_i,
  input  logic [15:0]            vec_idx_i,
  input  logic                   vec_last_i,
  input  logic                   vec_drop_i,
  input  logic                   vec_close_i,
  input  logic                   vec_row_end_i,
  input  logic                   vec_stream_end_i,
  input  logic                   raw_i,
  input  logic [Lanes-1:0]       raw_mask_i,
  input  logic [Lanes-1:0][31:0] raw_data_i,

  // Output queues of the ramp.
  /* verilator lint_off UNUSEDSIGNAL */ // queues that the tile lacks are not asked
  input  logic [NUM_QUEUES-1:0][3:0] outq_level_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                   push_o,
  output logic [2:0]             q_o,
  output ramp_t                  data_o,

  // Instructions whose last wavelet is pushed in this cycle.
  output logic                   done_valid_o,
  output logic [ThreadW-1:0]     done_thread_o,

  output logic                   idle_o
);
`include "ow_assert.svh"

  `OW_ASSERT_INIT(lanes_2_4_8, Lanes == 2 || Lanes == 4 || Lanes == 8)
  `OW_ASSERT_INIT(threads_2_to_13, NumThreads >= 2 && NumThreads <= 13)
  `OW_ASSERT_INIT(queue_depth, QueueDepth >= 2 && QueueDepth <= 15)
  `OW_ASSERT_INIT(queues, Queues >= 2 && Queues <= NUM_QUEUES)
  `OW_ASSERT_INIT(slots, Slots > Queues && Slots <= 64)

  localparam int unsigned Half = Lanes / 2;
  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned QueueW = $clog2(Queues);

  typedef logic [Lanes-1:0]   mask_t;
  typedef logic [Queues-1:0]  queues_t;
  typedef logic [QueueW-1:0]  queue_t;
  typedef logic [SlotW-1:0]   slot_t;

  // A vector as it waits: 16 bits a lane, 32-bit elements in neighbouring lanes and marked by the
  // lower Half bits of the mask. Zeros to be skipped are out of the mask already.
  typedef struct packed {
    logic [Lanes-1:0][15:0] data;
    mask_t                  mask;
    logic [15:0]            idx;
    logic [ThreadW-1:0]     thread;
    logic                   w32;
    logic                   tag;
    logic                   last;
    logic                   drop;
    logic                   close;
    logic                   row_end;
    logic                   stream_end;
  } entry_t;

  entry_t      mem_q   [Slots];
  slot_t       next_q  [Slots];       // the vector behind it in its queue
  slot_t       head_q  [Queues];      // first and last vector of a queue
  slot_t       tail_q  [Queues];
  mask_t       rest_q  [Queues];      // what is left of the first one, if it has been begun
  logic [15:0] half_q  [NumThreads];
  logic [NumThreads-1:0] half_valid_q;
  queues_t     wait_q;                // has a vector waiting
  queues_t     begun_q;               // its first one has been begun
  queues_t     one_q;                 // it has just one
  logic [Slots-1:0]      used_q;
  queue_t      turn_q;                // queue that was served last

  // ------------------------------------------------------------------------------- arrivals --
  entry_t in;
  mask_t  vec_mask;  // without what is skipped
  logic   in_null;   // nothing to send, now or later

  always_comb begin : skip
    logic [31:0] x;
    vec_mask = '0;
    x = '0;
    if (vec_may_i && !raw_i) begin
      for (int unsigned k = 0; k < Lanes; k++) begin
        x = vec_w32_i ? vec_data_i[k] : {vec_data_i[k][15:0], 16'd0};
        vec_mask[k] = vec_mask_i[k] &&
                      !(vec_skip_i && x[30:0] == '0 && (vec_float_i || !x[31]));
      end
    end
  end

  always_comb begin
    mask_t                  mask;
    logic [Lanes-1:0][31:0] data;
    logic                   hi;
    in = '0;
    mask = '0;
    data = '0;
    hi = 1'b0;
    in_null = 1'b0;
    if (vec_may_i) begin
      in.idx = vec_idx_i;
      in.thread = vec_thread_i;
      in.w32 = vec_w32_i;
      in.tag = vec_tag_i;
      in.last = vec_last_i;
      in.drop = vec_drop_i;
      in.close = vec_close_i;
      in.row_end = vec_row_end_i;
      in.stream_end = vec_stream_end_i;
      mask = raw_i ? raw_mask_i : vec_mask;
      data = raw_i ? raw_data_i : vec_data_i;
      if (vec_w32_i) begin
        hi = mask[Lanes-1:Half] != '0;
        for (int unsigned k = 0; k < Half; k++) begin
          {in.data[2*k+1], in.data[2*k]} = hi ? data[Half+k] : data[k];
          in.mask[k] = mask[k] || mask[Half+k];
        end
      end else begin
        in.mask = mask;
        for (int unsigned k = 0; k < Lanes; k++) in.data[k] = data[k][15:0];
      end
      in_null = mask == '0 && !vec_last_i;
    end
  end

  // ---------------------------------------------------------------------------------- choice --
  // Whether a vector arrives is known last: the choice is made for both cases, and so is the step.
  queues_t    can, come;      // queues that can send what waits; that of the vector that arrives,
  queues_t    stored, first;  // .. if nothing is ahead of it. Chosen without it, and with it
  logic       any, ahead;
  queue_t     p, p_stored;    // queue that is served
  queue_t     vec_q;
  queues_t    vec_hot;        // .. one-hot
  logic       leads;          // a vector that arrives would be served at once
  logic       direct;         // it arrives, and is

  always_comb begin
    can = '0;
    come = '0;
    stored = '0;
    first = '0;
    if (wait_q != '0 || vec_may_i) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (outq_level_i[q] < 4'(QueueDepth)) begin
          can[q] = wait_q[q];
          come[q] = vec_may_i && vec_hot[q] && !wait_q[q];
        end
      end
      // The queue after the one that was served last, if it can go.
      stored = queues_t'(pick(32'(can), above(5'(turn_q))));
      first = queues_t'(pick(32'(queues_t'(can | come)), above(5'(turn_q))));
    end
  end

  assign ahead = (first & come) != '0;
  assign leads = ahead && !in_null;
  assign direct = leads && vec_valid_i;
  assign any = can != '0 || direct;
  assign p_stored = queue_t'(index(32'(stored)));
  assign vec_q = queue_t'(vec_q_i);
  assign vec_hot = queues_t'(1) << vec_q;
  assign p = direct ? vec_q : p_stored;

  // --------------------------------------------------------------------------------- a step --
  // What is sent of a vector in a cycle, and what is left of it.
  typedef struct packed {
    logic        push;
    ramp_t       word;
    mask_t       left;
    logic        half_valid;  // of its thread, behind the step
    logic [15:0] half;
    logic        finished;
  } step_t;

  /* verilator lint_off UNUSEDSIGNAL */ // of the vector: its mask is in rest
  function automatic step_t step(input entry_t e, input mask_t rest, input logic half_valid,
                                 input logic [15:0] half);
    step_t       s;
    mask_t       m0, m1, m2;    // first, second, third element
    mask_t       low, high;     // lanes whose elements are the halves of the word
    logic [15:0] x0, x1, x2;
    logic [2:0]  i0;
    logic        ctl;
    s = '0;
    s.half_valid = half_valid;
    s.half = half;
    s.left = rest;
    {low, high} = '0;
    {x0, x1, x2} = '0;
    i0 = '0;
    ctl = 1'b0;
    m0 = mask_t'(lowest(32'(rest)));
    m1 = mask_t'(lowest(32'(mask_t'(rest & ~m0))));
    m2 = rest & ~m0 & ~m1;  // looked at only if it is a single element
    for (int unsigned k = 0; k < Lanes; k++) begin
      if (m0[k]) begin
        x0 = x0 | e.data[k];
        i0 = i0 | 3'(k);
      end
      if (m1[k]) x1 = x1 | e.data[k];
      if (m2[k]) x2 = x2 | e.data[k];
    end
    if (rest == '0) begin
      if (e.last && half_valid) begin
        s.push = 1'b1;
        s.word.data = {16'd0, half};
        s.half_valid = 1'b0;
      end else if (e.close) begin
        s.push = 1'b1;
        s.word = '{ctrl: 1'b1, data: control_t'{row_end: e.row_end, stream_end: e.stream_end,
                                                default: '0}};
        ctl = 1'b1;
      end
    end else if (e.w32) begin
      s.push = 1'b1;
      for (int unsigned k = 0; k < Half; k++) {high[2*k+1], low[2*k]} = {2{m0[k]}};
      s.left = rest & ~m0;
    end else if (e.tag) begin
      s.push = 1'b1;
      s.word.data[31:16] = e.idx + 16'(i0);
      low = m0;
      s.left = rest & ~m0;
    end else if (half_valid) begin
      // The pair, and the element behind it if it is the only one left.
      s.push = 1'b1;
      s.word.data[15:0] = half;
      high = m0;
      s.half_valid = m1 != '0 && m2 == '0;
      s.half = x1;
      s.left = s.half_valid ? '0 : rest & ~m0;
    end else if (m1 != '0) begin
      s.push = 1'b1;
      {high, low} = {m1, m0};
      s.half_valid = m2 != '0 && (m2 & (m2 - mask_t'(1))) == '0;
      s.half = x2;
      s.left = s.half_valid ? '0 : m2;
    end else begin
      s.push = e.last;
      low = m0;
      s.half_valid = !e.last;
      s.half = x0;
      s.left = '0;
    end
    // Elements come late: they are chosen once, by what is known before.
    for (int unsigned k = 0; k < Lanes; k++) begin
      if (low[k]) s.word.data[15:0] = s.word.data[15:0] | e.data[k];
      if (high[k]) s.word.data[31:16] = s.word.data[31:16] | e.data[k];
    end
    s.finished = s.left == '0 && !(e.last && s.half_valid) && (!e.close || ctl);
    return s;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  entry_t waiting;              // the vector that waits and is chosen
  mask_t  waiting_rest;         // .. what is left of it
  step_t  in_step, waiting_step, done;

  always_comb begin : look_up
    logic [Slots-1:0] is_head;
    waiting = '0;
    waiting_rest = '0;
    is_head = '0;
    if (can != '0) begin
      for (int unsigned s = 0; s < Slots; s++) begin
        for (int unsigned q = 0; q < Queues; q++) begin
          if (stored[q] && head_q[q] == slot_t'(s)) is_head[s] = 1'b1;
        end
        if (is_head[s]) waiting = waiting | mem_q[s];
      end
      waiting_rest = waiting.mask;
      for (int unsigned q = 0; q < Queues; q++) begin
        if (stored[q] && begun_q[q]) waiting_rest = rest_q[q];
      end
    end
  end

  always_comb begin
    in_step = '0;
    waiting_step = '0;
    if (leads) begin
      in_step = step(in, in.mask, half_valid_q[in.thread] && !in.drop, half_q[in.thread]);
    end
    if (can != '0) begin
      waiting_step = step(waiting, waiting_rest, half_valid_q[waiting.thread] && !waiting.drop,
                          half_q[waiting.thread]);
    end
    done = direct ? in_step : waiting_step;
  end

  logic               last;
  logic [ThreadW-1:0] thread;
  assign last = direct ? in.last : waiting.last;
  assign thread = direct ? in.thread : waiting.thread;
  assign push_o = done.push;
  assign data_o = done.word;
  assign q_o = 3'(p);
  assign done_valid_o = done.finished && last;
  assign done_thread_o = thread;

  // ---------------------------------------------------------------------------------- state --
  logic  store, take;
  slot_t slot;  // the lowest free place

  always_comb begin
    store = vec_valid_i && !in_null && !(leads && in_step.finished);
    take = waiting_step.finished && !direct;
    slot = '0;
    if (vec_may_i) begin
      for (int unsigned s = Slots; s > 0; s--) begin
        if (!used_q[s-1]) slot = slot_t'(s - 1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wait_q <= '0;
      begun_q <= '0;
      one_q <= '0;
      half_valid_q <= '0;
      turn_q <= '0;
    end else if (vec_valid_i || any) begin
      if (store) begin
        mem_q[slot] <= in;
        if (wait_q[vec_q]) next_q[tail_q[vec_q]] <= slot;
        tail_q[vec_q] <= slot;
        wait_q[vec_q] <= 1'b1;
        one_q[vec_q] <= !wait_q[vec_q] || (take && p == vec_q && one_q[p]);
        if (!wait_q[vec_q]) head_q[vec_q] <= slot;
      end
      if (take) begin
        if (one_q[p]) begin
          wait_q[p] <= store && vec_q == p;
          head_q[p] <= slot;  // matters only if one is stored now
        end else begin
          head_q[p] <= next_q[head_q[p]];
          if (!(store && vec_q == p)) one_q[p] <= next_q[head_q[p]] == tail_q[p];
        end
      end
      if (any) begin
        turn_q <= p;
        begun_q[p] <= !done.finished;
        rest_q[p] <= done.left;
        half_valid_q[thread] <= done.half_valid && !(done.finished && last);
        if (done.half_valid) half_q[thread] <= done.half;
      end
    end
  end

  // Places: claimed at the issue, free again in the cycle after a vector was finished or turned out to
  // be empty. The place in memory likewise: the end of a vector is known late.
  logic                  take_q;
  slot_t                 take_slot_q;
  queues_t               none;
  logic                  claims_idle;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      take_q <= 1'b0;
      used_q <= '0;
    end else begin
      if (take_q != take) take_q <= take;
      if (take_q) used_q[take_slot_q] <= 1'b0;
      if (store) used_q[slot] <= 1'b1;
    end
    if (take) take_slot_q <= head_q[p_stored];
  end

  ow_pack_claims #(.Queues(Queues), .Slots(Slots)) u_claims (
    .clk_i, .rst_i, .alloc_ready_o, .alloc_more_o, .alloc_valid_i, .alloc_q_i,
    .null_i(vec_valid_i && in_null ? vec_hot : '0),
    .finished_i(direct ? vec_hot & {Queues{in_step.finished}}
                       : stored & {Queues{waiting_step.finished}}),
    .none_o(none), .idle_o(claims_idle)
  );

  assign idle_o = claims_idle && !vec_valid_i && !any && !take_q && !rst_i;

  // ------------------------------------------------------------------------------ assertions --
  `OW_ASSERT(vec_foretold, !vec_valid_i || vec_may_i, "a vector of which nothing was said early")
  `OW_ASSERT(vec_claimed, !vec_valid_i || !none[vec_q], "vector without a claim")
  `OW_ASSERT(fresh, !direct || !begun_q[vec_q], "a vector that arrives has been begun")
  `OW_ASSERT(room, !store || !(&used_q), "more vectors than places")
  mask_t lanes;  // with an element
  assign lanes = raw_i ? raw_mask_i : vec_mask_i;
  `OW_ASSERT(w32_half, !(vec_valid_i && vec_w32_i) || lanes[Lanes-1:Half] == '0 ||
             lanes[Half-1:0] == '0, "32-bit elements in both halves of the lanes")
  `OW_ASSERT(push_room, !push_o || outq_level_i[q_o] < 4'(QueueDepth),
             "push into a full output queue")
  `OW_ASSERT(close_last, !vec_valid_i || vec_last_i || !(vec_close_i || vec_drop_i),
             "close or drop before the end")

endmodule
