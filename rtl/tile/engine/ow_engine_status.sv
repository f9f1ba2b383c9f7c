// SPDX-License-Identifier: Apache-2.0
// What the tensor engine reports: what each cycle counts as, and what a thread waits for. Events
// are reported a cycle later, from registers, so that no counter is on the path of the issue.
//
//   NumThreads   contexts
//   active_i ... masks of the thread table; ready_i, blk_*_i why threads wait (ow_engine_pick)
//   s_live_i, s_hot_i   the thread in stage I1
//   any_i, go_i, issue_i, data_i, weight_i   a thread is chosen; a beat can be planned; something is
//                issued: data, the last beat of a weight
//   crowded_i    the queue of beats has one place at most
//   ev_*_o, cause_o   of the cycle before: events, and what it counts as
//   thread_sel_i, thread_state_o   the THREAD word of a thread; show_o, show_ctx_i: its context
//   idle_o       nothing changes at this edge if nothing is issued
module ow_engine_status
  import ow_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [NumThreads-1:0] active_i,
  input  logic [NumThreads-1:0] live_i,
  input  logic [NumThreads-1:0] ending_i,
  input  logic [NumThreads-1:0] ready_i,
  input  logic [NumThreads-1:0] blk_in_i,
  input  logic [NumThreads-1:0] blk_out_i,
  input  logic [NumThreads-1:0] blk_mem_i,
  input  logic [NumThreads-1:0] blk_row_i,
  input  logic [NumThreads-1:0] blk_weight_i,
  input  logic [NumThreads-1:0] blk_red_i,
  input  logic [7:0]            inq_valid_i,
  input  logic                  s_live_i,
  input  logic [NumThreads-1:0] s_hot_i,
  input  logic                  any_i,
  input  logic                  go_i,
  input  logic                  issue_i,
  input  logic                  data_i,
  input  logic                  weight_i,
  input  logic                  crowded_i,
  output logic                  ev_beat_o,
  output logic                  ev_weight_o,
  output counter_e              cause_o,
  input  logic [3:0]            thread_sel_i,
  output logic [31:0]           thread_state_o,
  output logic [ThreadW-1:0]    show_o,
  /* verilator lint_off UNUSEDSIGNAL */ // operation, kinds and queues only
  input  ctx_t                  show_ctx_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                  idle_o
);

  counter_e cause, cause_q;
  counter_e rest;  // if nothing is issued, which is known late
  logic     ev_beat_q, ev_weight_q;

  always_comb begin
    rest = CTR_NO_WORK;
    if (active_i == '0) rest = CTR_NO_WORK;
    else if (go_i || crowded_i) rest = CTR_STALL_MEMORY;
    else if (any_i || live_i == '0) rest = CTR_BEATS;  // beats are in the pipeline
    else if ((live_i & blk_row_i & ~blk_weight_i & ~ending_i) != '0) rest = CTR_STALL_ROW;
    else if ((live_i & blk_mem_i) != '0) rest = CTR_STALL_MEMORY;
    else if ((live_i & blk_out_i) != '0) rest = CTR_STALL_OUTPUT;
    else rest = CTR_STALL_INPUT;
    cause = issue_i ? CTR_BEATS : rest;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ev_beat_q <= 1'b0;
      ev_weight_q <= 1'b0;
      cause_q <= CTR_NO_WORK;
    end else begin
      ev_beat_q <= data_i;
      ev_weight_q <= weight_i;
      cause_q <= cause;
    end
  end

  assign ev_beat_o = ev_beat_q;
  assign ev_weight_o = ev_weight_q;
  assign cause_o = cause_q;
  assign idle_o = !ev_beat_q && cause_q == rest;

  logic               show_ok;
  logic [ThreadW-1:0] show;

  assign show_ok = {1'b0, thread_sel_i} < 5'(NumThreads);
  assign show = ThreadW'(thread_sel_i);  // of a thread that is not there nothing is shown
  assign show_o = show;

  always_comb begin
    thread_reg_t state;
    state = '{waits: WAIT_NOTHING, default: '0};
    if (show_ok && active_i[show]) begin
      state.active = 1'b1;
      state.operation = show_ctx_i.op;
      if (live_i[show] && !ready_i[show] && !(s_live_i && s_hot_i[show])) begin
        if (blk_out_i[show]) begin
          state.waits = WAIT_OUTPUT;
          state.queue_no = {1'b0, show_ctx_i.d_q};
        end else if (blk_weight_i[show] || blk_in_i[show]) begin
          state.waits = WAIT_INPUT;
          state.queue_no = {1'b0, show_ctx_i.wtrig || show_ctx_i.a_kind != SRC_FAB ||
                                  (show_ctx_i.b_kind == SRC_FAB && inq_valid_i[show_ctx_i.a_q])
                                  ? show_ctx_i.b_q : show_ctx_i.a_q};
        end else if (blk_row_i[show]) begin
          state.waits = WAIT_ROW;
        end else if (blk_red_i[show]) begin
          state.waits = WAIT_REDUCTION;
        end else begin
          state.waits = WAIT_MEMORY;
        end
      end
    end
    thread_state_o = state;
  end

endmodule
