// SPDX-License-Identifier: Apache-2.0
// Launch of tensor instructions: whether one can be taken now, and what it leaves in the thread
// table. Combinational; the table is written at the edge.
//
// A launch waits while its thread is busy, while a queue that it reads belongs to a running thread
// or to the reducer, and while the one that may round stochastically, or the one that is triggered
// by wavelets, runs. drain waits for the reducer; it starts that, and is no thread.
//
//   Lanes, NumThreads, Features, Operations   as of ow_engine
//   valid_i, insn_i, ready_o   instructions, valid/ready; taken_o: at this edge
//   halt_i              none is taken
//   active_i ...        running threads; those that are triggered by wavelets, that round
//   own_i, red_owned_i  queues that running threads, the reducer, read
//   w0_i ...            words of the descriptors a, b, dst: 0 to 3
//   launch_o ...        a thread starts: which, one-hot and as an index; its context; the queues
//                       that it reads; where it starts; the addresses that it will save
//   drain_o             the reducer starts; bad_thread_o: the instruction names no thread
module ow_engine_launch
  import ow_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = 8,
  parameter int unsigned NumThreads = 13,
  parameter logic [31:0] Features = FULL_FEATURES,
  parameter logic [31:0] Operations = FULL_OPERATIONS,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                  valid_i,
  input  tensor_insn_t          insn_i,
  output logic                  ready_o,
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
  input  logic [3:0]            fifo_none_i,
  output logic                  launch_o,
  output logic [NumThreads-1:0] hot_o,
  output logic [ThreadW-1:0]    thread_o,
  output ctx_t                  ctx_o,
  output logic [7:0]            own_o,
  output walk_t                 walk_o,
  output logic [2:0]            save_o,
  output logic                  drain_o,
  output logic                  bad_thread_o
);

  typedef logic [ThreadW-1:0] tid_t;
  typedef logic [NumThreads-1:0] tmask_t;

  // Without an instruction the decoder's inputs rest.
  tensor_insn_t insn;
  assign insn = valid_i ? insn_i : '0;

  ow_engine_decode #(.Lanes(Lanes), .Features(Features), .Operations(Operations)) u_decode (
    .valid_i,
    .insn_i (insn),
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
    .fifo_none_i,
    .ctx_o
  );

  logic is_drain, thread_ok;

  always_comb begin
    ready_o = 1'b0;
    is_drain = 1'b0;
    thread_ok = 1'b0;
    thread_o = '0;
    own_o = '0;
    if (valid_i && !halt_i) begin
      is_drain = insn.op == TOP_DRAIN;
      thread_ok = {1'b0, insn.ctl.thread} < 5'(NumThreads);
      thread_o = thread_ok ? tid_t'(insn.ctl.thread) : '0;
      if (ctx_o.a_kind == SRC_FAB) own_o[ctx_o.a_q] = 1'b1;
      if (ctx_o.b_kind == SRC_FAB) own_o[ctx_o.b_q] = 1'b1;
      if (!thread_ok) ready_o = 1'b1;
      else if (is_drain) ready_o = !red_busy_i;
      else begin
        ready_o = !active_i[thread_o] && (own_o & (own_i | red_owned_i)) == '0 &&
                  !(ctx_o.wtrig && wtrig_i != '0) && !(ctx_o.stoch && stoch_i != '0);
      end
    end
    launch_o = valid_i && ready_o && thread_ok && !is_drain;
    drain_o = valid_i && ready_o && thread_ok && is_drain;
    bad_thread_o = valid_i && ready_o && !thread_ok;
    hot_o = launch_o ? tmask_t'(1) << thread_o : '0;
  end

  assign walk_o = '{a: w1_i[0], b: w1_i[1], d: w1_i[2], cnt: '0, seq: '0};

  // Addresses to be saved: dst, b, a.
  function automatic logic saves(input logic save, input src_e kind, input logic fifo);
    return save && (kind == SRC_MEM || kind == SRC_ACC) && !fifo;
  endfunction
  assign save_o = ctx_o.wtrig ? 3'd0 : {saves(w0_i[2].save_address, ctx_o.d_kind, ctx_o.d_fifo),
                                        saves(w0_i[1].save_address, ctx_o.b_kind, ctx_o.b_fifo),
                                        saves(w0_i[0].save_address, ctx_o.a_kind, ctx_o.a_fifo)};

endmodule
