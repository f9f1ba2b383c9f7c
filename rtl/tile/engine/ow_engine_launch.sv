// SPDX-License-Identifier: Apache-2.0
// Launch of tensor instructions: whether one can be launched now, and what it writes to the thread
// table at the edge. ready_o answers in the next cycle, from a register. The core holds the
// instruction until then, and none is launched in that cycle. quick_o answers in the same cycle,
// for an instruction that is cheap to check; ready_o does not follow it. Such an instruction
//   - runs on a microthread that is free;
//   - has no queue as a source, unless no queue is owned;
//   - cannot have to wait for a running instruction that rounds or is triggered.
//
// A launch waits while its thread is busy, and while a queue that it reads belongs to a running
// thread or to the reducer. One instruction at a time may round stochastically, and one at a time
// may be triggered by wavelets. drain waits for the reducer and starts it; it uses no thread. A
// malformed instruction waits like a good one, because the check ends late in the cycle. It reports
// its fault after the launch.
//
//   Lanes, NumThreads, Features, Operations   as of ow_engine
//   here_i              insn_i is an instruction, offered or not; early in the cycle
//   valid_i, insn_i, ready_o   instructions, valid/ready
//   quick_o             insn_i is launched in this cycle if it is offered. Early: it looks at no
//                       descriptors but at the kinds of a and b
//   halt_i              none is launched
//   active_i ...        running threads; those that are triggered by wavelets, that round
//   own_i, red_owned_i  queues that running threads, the reducer, read
//   w0_i ...            words 0 to 3 of the descriptors a, b, dst; more_i: dimensions that the tile
//                       lacks have lengths
//   launch_o ...        a thread starts: which, one-hot and as an index; its context; the queues
//                       that it reads; where it starts; the addresses that it will save
//   drain_o             the reducer starts; bad_thread_o: the instruction names no thread
//   idle_o              nothing is launched at this edge, and no answer is given
`include "ow_assert.svh"

module ow_engine_launch
  import ow_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  parameter logic [31:0] Features = FULL_FEATURES,
  parameter logic [31:0] Operations = FULL_OPERATIONS,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  here_i,
  input  logic                  valid_i,
  input  tensor_insn_t          insn_i,
  output logic                  ready_o,
  output logic                  quick_o,
  input  logic                  halt_i,
  input  logic [NumThreads-1:0] active_i,
  input  logic [NumThreads-1:0] wtrig_i,
  input  logic [NumThreads-1:0] stoch_i,
  input  logic [7:0]            own_i,
  input  logic [7:0]            red_owned_i,
  input  logic                  red_busy_i,
  /* verilator lint_off UNUSEDSIGNAL */ // not all of each operand
  input  dsr0_t [2:0]           w0_i,
  input  logic [2:0][23:0]      w1_i,
  input  dsr_dim_t [2:0]        w2_i,
  input  dsr_dim_t [2:0]        w3_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [2:0]            more_i,
  input  logic [3:0]            fifo_none_i,
  output logic                  launch_o,
  output logic [NumThreads-1:0] hot_o,
  output logic [ThreadW-1:0]    thread_o,
  output ctx_t                  ctx_o,
  output logic [7:0]            own_o,
  output walk_t                 walk_o,
  output logic [2:0]            save_o,
  output logic                  drain_o,
  output logic                  bad_thread_o,
  output logic                  idle_o
);

  typedef logic [ThreadW-1:0] tid_t;
  typedef logic [NumThreads-1:0] tmask_t;

  logic a_reads, b_reads, triggers, rounds;  // what it may have to wait for
  logic may_end;

  ow_engine_decode #(.Lanes(Lanes), .Features(Features), .Operations(Operations)) u_decode (
    .valid_i(here_i),
    .insn_i,
    .a_w0_i (w0_i[0]),
    .a_acc_i(w1_i[0][ACC_ADDR_BIT]),
    .a_w2_i (w2_i[0]),
    .b_w0_i (w0_i[1]),
    .b_acc_i(w1_i[1][ACC_ADDR_BIT]),
    .b_w2_i (w2_i[1]),
    .d_w0_i (w0_i[2]),
    .d_acc_i(w1_i[2][ACC_ADDR_BIT]),
    .d_w2_i (w2_i[2]),
    .d_rows_i(w3_i[2].length),
    .more_i,
    .fifo_none_i,
    .a_reads_o (a_reads),
    .b_reads_o (b_reads),
    .triggers_o(triggers),
    .rounds_o  (rounds),
    .ctx_o,
    .may_end_o (may_end)
  );

  logic       is_drain, thread_ok, waits, go;
  logic       quick, queue_free, turn_free;
  logic [7:0] reads;  // queues
  tmask_t     hot;
  logic       ready_q;

  always_comb begin
    is_drain = 1'b0;
    thread_ok = 1'b0;
    thread_o = '0;
    hot = '0;
    reads = '0;
    own_o = '0;
    waits = 1'b0;
    quick = 1'b0;
    queue_free = 1'b0;
    turn_free = 1'b0;
    if (here_i) begin
      is_drain = insn_i.op == TOP_DRAIN;
      thread_ok = {1'b0, insn_i.ctl.thread} < 5'(NumThreads);
      thread_o = thread_ok ? tid_t'(insn_i.ctl.thread) : '0;
      hot = tmask_t'(1) << thread_o;
      if (a_reads) reads[w0_i[0].queue_no] = 1'b1;
      if (b_reads) reads[w0_i[1].queue_no] = 1'b1;
      if (ctx_o.a_kind == SRC_FAB) own_o[ctx_o.a_q] = 1'b1;
      if (ctx_o.b_kind == SRC_FAB) own_o[ctx_o.b_q] = 1'b1;
      waits = (active_i & hot) != '0 || (reads & (own_i | red_owned_i)) != '0 ||
              (triggers && wtrig_i != '0) || (rounds && stoch_i != '0);
      queue_free = (own_i | red_owned_i) == '0 ||
                   (w0_i[0].kind != 4'(DK_FABIN) && w0_i[1].kind != 4'(DK_FABIN));
      turn_free = !(insn_i.op inside {TOP_AXPYW, TOP_DOTW} && wtrig_i != '0) &&
                  !(insn_i.op == TOP_CVT && stoch_i != '0);
      quick = thread_ok && !is_drain && thread_o != '0 && (active_i & hot) == '0 && queue_free &&
              turn_free;
    end
  end

  // valid_i arrives last.
  assign go = here_i && valid_i && !halt_i && !ready_q;
  assign launch_o = go && thread_ok && !is_drain && !waits;
  assign drain_o = go && thread_ok && is_drain && !red_busy_i;
  assign bad_thread_o = go && !thread_ok;
  assign hot_o = launch_o ? hot : '0;
  assign quick_o = quick && !halt_i && !ready_q;

  logic taken;
  assign taken = launch_o || drain_o || bad_thread_o;
  always_ff @(posedge clk_i) begin
    if (rst_i) ready_q <= 1'b0;
    else if (taken || ready_q) ready_q <= taken && !quick_o;
  end
  assign ready_o = ready_q;
  assign idle_o = !taken && !ready_q;

  assign walk_o = '{a: w1_i[0], b: w1_i[1], d: w1_i[2], cnt: '0, seq: '0, may_end: may_end};

  // Addresses to be saved: dst, b, a.
  function automatic logic saves(input logic save, input src_e kind, input logic fifo);
    return save && (kind == SRC_MEM || kind == SRC_ACC) && !fifo;
  endfunction
  assign save_o = ctx_o.wtrig ? 3'd0 : {saves(w0_i[2].save_address, ctx_o.d_kind, ctx_o.d_fifo),
                                        saves(w0_i[1].save_address, ctx_o.b_kind, ctx_o.b_fifo),
                                        saves(w0_i[0].save_address, ctx_o.a_kind, ctx_o.a_fifo)};

  `OW_ASSERT(offer_is_here, !valid_i || here_i, "an instruction is offered that is not there")
  `OW_ASSERT(answer_is_heard, !ready_q || valid_i, "what was launched is offered no more")
  `OW_ASSERT(quick_is_kept, !(valid_i && quick_o) || launch_o,
             "an instruction does not start that was to start at once")
  `OW_ASSERT(owns_what_it_reads, (own_o & ~reads) == '0, "a queue is taken without a look at it")
  `OW_ASSERT(runs_what_it_waits_for, (!ctx_o.wtrig || triggers) && (!ctx_o.stoch || rounds),
             "a launch that has not waited")

endmodule
