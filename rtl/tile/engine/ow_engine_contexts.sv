// SPDX-License-Identifier: Apache-2.0
// Static contexts of the tensor engine's threads. A launch writes them. They are read by stage I0
// for stage I1, by the completion, by the status and by the check before a descriptor is written.
//
//   NumThreads   as of ow_engine
//   l_*_i        a launch: its thread, context and scalar
//   pick_*_i     choice of stage I0 (one-hot and as an index). pick_dsr_o: its descriptors, in the
//                same cycle. s_*_o: its context, from the next cycle until another one is chosen
//   done_*       context of a thread that completes; show_*: of the thread that the status shows,
//                if it is active
//   dsr_used_o   dsr_we_i is high, and an active thread uses the descriptor dsr_i
`include "ow_assert.svh"

module ow_engine_contexts
  import ow_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,  // of the assertion only
  input  logic                  l_any_i,
  input  logic [ThreadW-1:0]    l_thread_i,
  input  ctx_t                  l_ctx_i,
  input  logic [31:0]           l_scal_i,
  input  logic                  pick_i,
  input  logic [NumThreads-1:0] pick_hot_i,
  input  logic [ThreadW-1:0]    pick_thread_i,
  output logic [2:0][4:0]       pick_dsr_o,
  output ctx_t                  s_ctx_o,
  output logic [31:0]           s_scal_o,
  input  logic                  done_i,
  input  logic [ThreadW-1:0]    done_thread_i,
  output ctx_t                  done_ctx_o,
  input  logic [NumThreads-1:0] active_i,
  input  logic [ThreadW-1:0]    show_i,
  output ctx_t                  show_ctx_o,
  input  logic                  dsr_we_i,
  input  logic [4:0]            dsr_i,
  output logic                  dsr_used_o
);

  ctx_t        ctx_q  [NumThreads];
  logic [31:0] scal_q [NumThreads];
  ctx_t        s_ctx_q;
  logic [31:0] s_scal_q;

  always_ff @(posedge clk_i) begin
    if (l_any_i) begin
      ctx_q[l_thread_i] <= l_ctx_i;
      scal_q[l_thread_i] <= l_scal_i;
    end
    if (pick_i) begin
      s_ctx_q <= ctx_q[pick_thread_i];
      s_scal_q <= scal_q[pick_thread_i];
    end
  end
  assign {s_ctx_o, s_scal_o} = {s_ctx_q, s_scal_q};

  // The descriptors are selected by the one-hot choice, which is there before the thread's number.
  always_comb begin
    pick_dsr_o = '0;
    for (int unsigned t = 0; t < NumThreads; t++) begin
      if (pick_hot_i[t]) pick_dsr_o |= {ctx_q[t].d_dsr, ctx_q[t].b_dsr, ctx_q[t].a_dsr};
    end
  end

  always_comb begin
    done_ctx_o = '0;
    show_ctx_o = '0;
    if (done_i) done_ctx_o = ctx_q[done_thread_i];
    if (active_i[show_i]) show_ctx_o = ctx_q[show_i];
  end

  always_comb begin
    dsr_used_o = 1'b0;
    if (dsr_we_i && active_i != '0) begin
      for (int unsigned t = 0; t < NumThreads; t++) begin
        if (active_i[t] &&
            (ctx_q[t].d_dsr == dsr_i ||
             (!(ctx_q[t].a_kind inside {SRC_NONE, SRC_IMM}) && ctx_q[t].a_dsr == dsr_i) ||
             (!(ctx_q[t].b_kind inside {SRC_NONE, SRC_IMM}) && ctx_q[t].b_dsr == dsr_i))) begin
          dsr_used_o = 1'b1;
        end
      end
    end
  end

  logic unused;
  assign unused = rst_i;

  `OW_ASSERT(written_before, !(pick_i && l_any_i && pick_thread_i == l_thread_i),
             "a thread is chosen while it is launched")

endmodule
