// SPDX-License-Identifier: Apache-2.0
// Thread table of the tensor engine: what is known of each thread, the register between the stages
// I0 and I1, and the completion of instructions.
//
// Events, each with its ports and in any cycle:
//   - a launch;
//   - the choice of stage I0: the thread's context is in the s_* registers in the next cycle, when
//     stage I1 plans its beat;
//   - the result of that plan;
//   - a fault of an index;
//   - a slot of the write buffer that is about to be free;
//   - ends of instructions, from four places.
// A beat directly after one of its own thread gets the new walk before the table has it.
//
// Completion: one thread per cycle, the lowest first. It saves its addresses, one per cycle. Then
// it gives its completion action (done_valid_o).
//
// Errors: the first fault is kept (fault_o), with the instruction's pc and the bad address.
//
//   NumThreads   contexts, 2 to 13; Queues: those that there are; HasFifos
//   l_*_i        launch (ow_engine_launch): l_any_i there is one
//   pick_i ...   choice of stage I0; pick_dsr_o: its descriptors. stay_i: there is none, and the
//                thread in stage I1 stays there
//   s_*_o        the thread whose beat stage I1 plans. s_live_o: it has something to issue; flags
//                that may have changed since it was chosen are read in this cycle
//   i_*_i        what stage I1 does, all for s_hot_o: data and its walk after it; wait for a write
//                buffer slot; the end. i_stored_i: its last result is in the write buffer, or about
//                to be
//   kill_*_i     an index of a thread leads out of memory
//   head_i ...   write buffer slots that are about to be written
//   end_*_i      threads whose last result is in its place, or will be before anyone can look
`include "ow_assert.svh"

module ow_engine_threads
  import ow_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  parameter int unsigned Queues = NUM_QUEUES,
  parameter bit HasFifos = 1'b1,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  // Launch.
  input  logic                        l_any_i,
  input  logic [NumThreads-1:0]       l_hot_i,
  input  logic [ThreadW-1:0]          l_thread_i,
  input  ctx_t                        l_ctx_i,
  input  walk_t                       l_walk_i,
  input  logic [7:0]                  l_own_i,
  input  logic [2:0]                  l_save_i,
  input  logic [31:0]                 l_scal_i,
  input  logic [31:0]                 l_pc_i,
  input  logic [1:0]                  l_done_i,
  input  logic [4:0]                  l_task_i,
  input  logic                        l_bad_thread_i,
  input  logic [3:0]                  l_number_i,
  input  logic                        l_sync_i,
  // Stage I0.
  input  logic                        pick_i,
  input  logic [NumThreads-1:0]       pick_hot_i,
  input  logic [ThreadW-1:0]          pick_thread_i,
  output logic [2:0][4:0]             pick_dsr_o,
  input  logic                        stay_i,
  // Stage I1.
  output logic                        s_valid_o,
  output logic [NumThreads-1:0]       s_hot_o,
  output logic [ThreadW-1:0]          s_thread_o,
  output ctx_t                        s_ctx_o,
  output walk_t                       s_walk_o,
  output logic [31:0]                 s_scal_o,
  output logic                        s_live_o,
  output logic                        s_ending_o,
  output logic                        s_started_o,
  output logic                        s_kill_o,
  output logic                        s_half_a_o,
  output logic                        s_half_b_o,
  output logic                        s_locked_out_o,
  input  logic                        i_data_i,
  input  walk_t                       i_walk_i,
  input  logic                        i_half_a_i,
  input  logic                        i_half_b_i,
  input  logic                        i_sent_i,
  input  logic                        i_red_last_i,
  input  logic                        i_wait_i,
  input  wslot_t                      i_wait_slot_i,
  input  logic                        i_ending_i,
  input  logic                        i_finish_i,
  input  logic                        i_stored_i,
  input  logic                        i_end_i,
  input  logic [3:0]                  i_fault_i,
  input  logic [23:0]                 i_fault_addr_i,
  // Later.
  input  logic                        kill_i,
  /* verilator lint_off UNUSEDSIGNAL */ // of few threads not all bits
  input  logic [3:0]                  kill_thread_i,
  input  logic [23:0]                 kill_addr_i,
  input  logic                        head_i,
  input  wslot_t                      head_slot_i,
  input  logic                        first_i,
  input  wslot_t                      first_slot_i,
  input  logic                        end_mem_i,
  input  logic [3:0]                  end_mem_thread_i,
  input  logic                        end_beat_i,
  input  logic [3:0]                  end_beat_thread_i,
  input  logic                        end_late_i,
  input  logic [3:0]                  end_late_thread_i,
  input  logic                        end_out_i,
  input  logic [ThreadW-1:0]          end_out_thread_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // Completion.
  output logic                        save_o,
  output logic [4:0]                  save_dsr_o,
  output logic [23:0]                 save_addr_o,
  output logic                        done_valid_o,
  output logic [1:0]                  done_kind_o,
  output logic [4:0]                  done_task_o,
  output logic                        sync_done_o,
  output logic                        wtrig_done_o,
  // The masks that choice and launch look at.
  output logic [NumThreads-1:0]       active_o,
  output logic [NumThreads-1:0]       live_o,
  output logic [NumThreads-1:0]       ending_o,
  output logic [NumThreads-1:0]       kill_o,
  output logic [NumThreads-1:0]       wait_o,
  output logic [NumThreads-1:0]       memdst_o,
  output logic [NumThreads-1:0]       sticky_o,
  output logic [NumThreads-1:0]       prio_o,
  output logic [NumThreads-1:0]       red_o,
  output logic [NumThreads-1:0]       red_lock_o,
  output logic [NumThreads-1:0]       stoch_o,
  output logic [NumThreads-1:0]       wtrig_o,
  output logic [NumThreads-1:0]       tag_o,
  output logic [7:0][NumThreads-1:0]  in_use_o,
  output logic [NumThreads-1:0]       two_o,
  output logic [7:0][NumThreads-1:0]  two_a_o,
  output logic [7:0][NumThreads-1:0]  out_use_o,
  output logic                        fifos_used_o,
  output logic [3:0][NumThreads-1:0]  fifo_rd_o,
  output logic [3:0][NumThreads-1:0]  fifo_wr_o,
  output logic [7:0]                  own_o,
  // Status.
  output logic [31:0]                 fault_o,
  output logic [31:0]                 fault_pc_o,
  output logic [23:0]                 fault_addr_o,
  input  logic [ThreadW-1:0]          show_i,
  output ctx_t                        show_ctx_o,
  input  logic                        dsr_we_i,
  input  logic [4:0]                  dsr_i,
  output logic                        dsr_used_o,   // dsr_we_i, and a running thread uses dsr_i
  output logic                        idle_o
);

  typedef logic [NumThreads-1:0] tmask_t;
  typedef logic [ThreadW-1:0] tid_t;

  // --------------------------------------------------------------------------------- tables --
  walk_t       walk_q  [NumThreads];
  logic [31:0] pc_q    [NumThreads];
  logic [6:0]  done_q  [NumThreads];  // completion action: task, kind
  logic [2:0]  save_q  [NumThreads];  // addresses still to be saved: dst, b, a
  wslot_t      wslot_q [NumThreads];  // write buffer slot that the thread waits for

  tmask_t active_q;     // launched, not yet complete
  tmask_t live_q;       // has something to issue
  tmask_t ending_q;     // only the end is left to issue
  tmask_t abort_q;      // stopped by a fault
  tmask_t kill_q;       // stopped by a fault of an index: results after it go nowhere
  tmask_t started_q;    // has sent something to its output queue
  tmask_t half_a_q, half_b_q;  // the lower half of a pair is done
  tmask_t wait_q;       // waits for a write to reach the SRAM
  tmask_t memdst_q;     // writes SRAM
  tmask_t sticky_q;     // no fabric operands
  tmask_t prio_q;
  tmask_t red_q;        // runs a reduction
  tmask_t stoch_q;      // rounds stochastically
  tmask_t wtrig_q;      // runs axpyw or dotw
  tmask_t tag_q;        // takes tagged wavelets
  tmask_t donep_q;      // complete; saving addresses, completion action
  tmask_t [7:0] in_use_q;   // threads that need a wavelet of input queue q to issue
  tmask_t two_q;            // threads with two fabric operands
  tmask_t [7:0] two_a_q;    // those of two_q whose operand a is input queue q
  tmask_t [7:0] out_use_q;  // threads that send to output queue q
  tmask_t [3:0] fifo_rd_q;  // threads that take from, add to FIFO n
  tmask_t [3:0] fifo_wr_q;
  tmask_t red_lock_q;       // the thread whose inner vector is being reduced
  logic [7:0] own_q;
  logic       fifos_used_q;

  // The thread that completes.
  tmask_t     dn_hot;
  tid_t       dn_t;
  logic       dn_any, dn_abort;
  logic [2:0] dn_left;
  /* verilator lint_off UNUSEDSIGNAL */ // kinds, queues and descriptors only
  ctx_t       dn_ctx;
  walk_t      dn_walk;
  /* verilator lint_on UNUSEDSIGNAL */
  tmask_t     emit_hot;  // the thread that is complete at this edge
  logic [7:0] emit_own;  // the queues that it gives back

  // --------------------------------------------------------------------------- stage I0 to I1 --
  logic        s_valid_q;
  tmask_t      s_hot_q;
  tid_t        s_thread_q;
  ctx_t        s_ctx;
  walk_t       s_walk_q;
  logic [31:0] s_scal;

  always_ff @(posedge clk_i) begin
    if (rst_i) s_valid_q <= 1'b0;
    else if ((pick_i || stay_i) != s_valid_q) s_valid_q <= pick_i || stay_i;
    if (pick_i) begin
      s_hot_q <= pick_hot_i;
      s_thread_q <= pick_thread_i;
      s_walk_q <= i_data_i && pick_thread_i == s_thread_q ? i_walk_i : walk_q[pick_thread_i];
    end
  end

  ow_engine_contexts #(.NumThreads(NumThreads)) u_contexts (
    .clk_i, .rst_i,
    .l_any_i, .l_thread_i, .l_ctx_i, .l_scal_i,
    .pick_i, .pick_hot_i, .pick_thread_i, .pick_dsr_o, .s_ctx_o(s_ctx), .s_scal_o(s_scal),
    .done_i(dn_any), .done_thread_i(dn_t), .done_ctx_o(dn_ctx),
    .active_i(active_q), .show_i, .show_ctx_o, .dsr_we_i, .dsr_i,
    .dsr_used_o
  );

  assign s_valid_o = s_valid_q;
  assign s_hot_o = s_hot_q;
  assign s_thread_o = s_thread_q;
  assign {s_ctx_o, s_walk_o, s_scal_o} = {s_ctx, s_walk_q, s_scal};
  assign s_live_o = s_valid_q && (live_q & s_hot_q) != '0;
  assign s_ending_o = (ending_q & s_hot_q) != '0;
  assign s_started_o = (started_q & s_hot_q) != '0;
  assign s_kill_o = (kill_q & s_hot_q) != '0;
  assign s_half_a_o = (half_a_q & s_hot_q) != '0;
  assign s_half_b_o = (half_b_q & s_hot_q) != '0;
  assign s_locked_out_o = red_lock_q != '0 && (red_lock_q & s_hot_q) == '0;

  // ------------------------------------------------------------------------------ completion --
  always_comb begin
    dn_any = donep_q != '0;
    dn_hot = donep_q & (~donep_q + tmask_t'(1));
    dn_t = '0;
    if (dn_any) begin
      for (int unsigned t = 0; t < NumThreads; t++) begin
        if (dn_hot[t]) dn_t = dn_t | tid_t'(t);
      end
    end
  end

  always_comb begin
    dn_left = '0;
    dn_walk = '0;
    dn_abort = 1'b0;
    save_dsr_o = '0;
    save_addr_o = '0;
    emit_own = '0;
    if (dn_any) begin
      dn_walk = walk_q[dn_t];
      dn_abort = (abort_q & dn_hot) != '0;
      if (!dn_abort) dn_left = save_q[dn_t];
      if (dn_left[0]) begin
        save_dsr_o = dn_ctx.a_dsr;
        save_addr_o = dn_walk.a;
      end else if (dn_left[1]) begin
        save_dsr_o = dn_ctx.b_dsr;
        save_addr_o = dn_walk.b;
      end else begin
        save_dsr_o = dn_ctx.d_dsr;
        save_addr_o = dn_walk.d;
      end
      if (dn_left == '0) begin
        if (dn_ctx.a_kind == SRC_FAB) emit_own[dn_ctx.a_q] = 1'b1;
        if (dn_ctx.b_kind == SRC_FAB) emit_own[dn_ctx.b_q] = 1'b1;
      end
    end
    save_o = dn_left != '0;
    emit_hot = dn_left == '0 ? dn_hot : '0;
  end

  logic sync_q;
  assign done_kind_o = done_q[dn_t][1:0];
  assign done_task_o = done_q[dn_t][6:2];
  assign done_valid_o = emit_hot != '0 && !dn_abort && done_kind_o != DONE_NONE;
  assign sync_done_o = sync_q || (emit_hot[0] && !dn_abort);
  assign wtrig_done_o = (emit_hot & wtrig_q) != '0;

  // ---------------------------------------------------------------------------------- events --
  function automatic tmask_t hot(input logic en, input logic [3:0] t);
    return en ? tmask_t'(16'd1 << t) : '0;
  endfunction

  // A thread that would begin to wait for the slot that is written now tries again at once.
  logic   waits;
  assign waits = i_wait_i && !(head_i && head_slot_i == i_wait_slot_i);

  // A beat that is planned but held back by a hazard leaves its thread unchanged. This holds also
  // in a cycle in which another thread is launched.
  tmask_t i_hot, taken, kill_hot, woken;
  assign i_hot = s_valid_q ? s_hot_q : '0;
  assign taken = i_data_i ? i_hot : '0;
  assign kill_hot = hot(kill_i, kill_thread_i);

  always_comb begin
    woken = '0;
    if (wait_q != '0) begin
      for (int unsigned t = 0; t < NumThreads; t++) begin
        woken[t] = (head_i && wslot_q[t] == head_slot_i) ||
                   (first_i && wslot_q[t] == first_slot_i);
      end
    end
  end

  logic fault_now;
  assign fault_now = i_end_i && i_fault_i != FAULT_NONE;

  // What moves with the beats.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      live_q <= '0;
      ending_q <= '0;
      abort_q <= '0;
      kill_q <= '0;
      started_q <= '0;
      half_a_q <= '0;
      half_b_q <= '0;
      wait_q <= '0;
      donep_q <= '0;
      red_lock_q <= '0;
    end else begin
      if (i_finish_i || l_any_i) live_q <= (live_q & ~(i_finish_i ? i_hot : '0)) | l_hot_i;
      if (i_ending_i || l_any_i) begin
        ending_q <= (ending_q | (i_ending_i ? i_hot : '0)) & ~l_hot_i;
      end
      if (fault_now || kill_i || l_any_i) begin
        abort_q <= (abort_q | (fault_now ? i_hot : '0) | kill_hot) & ~l_hot_i;
        kill_q <= (kill_q | kill_hot) & ~l_hot_i;
      end
      if (i_sent_i || l_any_i) begin
        started_q <= (started_q | (i_sent_i ? i_hot : '0)) & ~l_hot_i;
      end
      if (i_data_i || l_any_i) begin
        half_a_q <= ((half_a_q & ~taken) | (i_half_a_i ? taken : '0)) & ~l_hot_i;
        half_b_q <= ((half_b_q & ~taken) | (i_half_b_i ? taken : '0)) & ~l_hot_i;
      end
      if (waits || wait_q != '0) wait_q <= (wait_q & ~woken) | (waits ? i_hot : '0);
      if (i_data_i && s_ctx.red) red_lock_q <= i_red_last_i ? '0 : i_hot;
      else if (i_end_i && (red_lock_q & i_hot) != '0) red_lock_q <= '0;
      if (donep_q != '0 || end_mem_i || end_beat_i || end_late_i || end_out_i || i_stored_i) begin
        donep_q <= (donep_q & ~emit_hot) | hot(end_mem_i, end_mem_thread_i) |
                   hot(end_beat_i, end_beat_thread_i) | hot(end_late_i, end_late_thread_i) |
                   hot(end_out_i, 4'(end_out_thread_i)) | (i_stored_i ? i_hot : '0);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (i_data_i) walk_q[s_thread_q] <= i_walk_i;
    if (waits) wslot_q[s_thread_q] <= i_wait_slot_i;
    if (save_o) save_q[dn_t] <= dn_left & (dn_left - 3'd1);
    if (l_any_i) begin
      walk_q[l_thread_i] <= l_walk_i;
      pc_q[l_thread_i] <= l_pc_i;
      done_q[l_thread_i] <= {l_task_i, l_done_i};
      save_q[l_thread_i] <= l_save_i;
    end
  end

  // What holds from launch to completion.
  function automatic tmask_t held(input tmask_t now, input tmask_t off, input tmask_t on,
                                  input logic en);
    return (now & ~off) | (en ? on : '0);
  endfunction

  logic a_fab, b_fab;  // operands of what is launched are streams
  assign {a_fab, b_fab} = {l_ctx_i.a_kind == SRC_FAB, l_ctx_i.b_kind == SRC_FAB};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= '0;
      memdst_q <= '0;
      sticky_q <= '0;
      prio_q <= '0;
      red_q <= '0;
      stoch_q <= '0;
      wtrig_q <= '0;
      tag_q <= '0;
      two_q <= '0;
      in_use_q <= '0;
      two_a_q <= '0;
      out_use_q <= '0;
      fifo_rd_q <= '0;
      fifo_wr_q <= '0;
      fifos_used_q <= 1'b0;
      own_q <= '0;
    end else if (emit_hot != '0 || l_any_i) begin
      active_q <= held(active_q, emit_hot, l_hot_i, 1'b1);
      memdst_q <= held(memdst_q, emit_hot, l_hot_i, l_ctx_i.d_kind == SRC_MEM);
      sticky_q <= held(sticky_q, emit_hot, l_hot_i,
                       !a_fab && !b_fab && l_ctx_i.d_kind != SRC_FAB);
      prio_q <= held(prio_q, emit_hot, l_hot_i, l_ctx_i.prio);
      red_q <= held(red_q, emit_hot, l_hot_i, l_ctx_i.red);
      stoch_q <= held(stoch_q, emit_hot, l_hot_i, l_ctx_i.stoch);
      wtrig_q <= held(wtrig_q, emit_hot, l_hot_i, l_ctx_i.wtrig);
      tag_q <= held(tag_q, emit_hot, l_hot_i, l_ctx_i.a_tag);
      two_q <= held(two_q, emit_hot, l_hot_i, a_fab && b_fab);
      for (int unsigned q = 0; q < Queues; q++) begin
        in_use_q[q] <= held(in_use_q[q], emit_hot, l_hot_i,
                            (a_fab && l_ctx_i.a_q == 3'(q)) ||
                            (b_fab && !l_ctx_i.wtrig && l_ctx_i.b_q == 3'(q)));
        two_a_q[q] <= held(two_a_q[q], emit_hot, l_hot_i, a_fab && b_fab && l_ctx_i.a_q == 3'(q));
        out_use_q[q] <= held(out_use_q[q], emit_hot, l_hot_i,
                             l_ctx_i.d_kind == SRC_FAB && l_ctx_i.d_q == 3'(q));
      end
      for (int unsigned n = 0; n < 4; n++) begin
        fifo_rd_q[n] <= held(fifo_rd_q[n], emit_hot, l_hot_i,
                             HasFifos && ((l_ctx_i.a_fifo && l_ctx_i.a_q[1:0] == 2'(n)) ||
                                          (l_ctx_i.b_fifo && l_ctx_i.b_q[1:0] == 2'(n))));
        fifo_wr_q[n] <= held(fifo_wr_q[n], emit_hot, l_hot_i,
                             HasFifos && l_ctx_i.d_fifo && l_ctx_i.d_q[1:0] == 2'(n));
      end
      if (HasFifos && l_any_i && (l_ctx_i.a_fifo || l_ctx_i.b_fifo || l_ctx_i.d_fifo)) begin
        fifos_used_q <= 1'b1;
      end
      own_q <= (own_q & ~emit_own) | (l_any_i ? l_own_i : '0);
    end
  end

  // The first fault, and the completion of instructions that use no thread.
  engine_fault_reg_t fault_q;
  logic [31:0] fault_pc_q;
  logic [23:0] fault_addr_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      sync_q <= 1'b0;
      fault_q <= '0;
      fault_pc_q <= '0;
      fault_addr_q <= '0;
    end else begin
      if (l_sync_i != sync_q) sync_q <= l_sync_i;
      if (!fault_q.fault) begin
        if (l_bad_thread_i) begin
          fault_q <= '{fault: 1'b1, thread: l_number_i, cause: FAULT_OP, default: '0};
          fault_pc_q <= l_pc_i;
          fault_addr_q <= '0;
        end else if (kill_i) begin
          fault_q <= '{fault: 1'b1, thread: kill_thread_i, cause: FAULT_ADDR, default: '0};
          fault_pc_q <= pc_q[tid_t'(kill_thread_i)];
          fault_addr_q <= kill_addr_i;
        end else if (fault_now) begin
          fault_q <= '{fault: 1'b1, thread: 4'(s_thread_q), cause: i_fault_i, default: '0};
          fault_pc_q <= pc_q[s_thread_q];
          fault_addr_q <= i_fault_addr_i;
        end
      end
    end
  end

  // --------------------------------------------------------------------------------- outputs --
  assign {active_o, live_o, ending_o, kill_o, wait_o} = {active_q, live_q, ending_q, kill_q, wait_q};
  assign {memdst_o, sticky_o, prio_o, red_o} = {memdst_q, sticky_q, prio_q, red_q};
  assign {red_lock_o, stoch_o, wtrig_o, tag_o} = {red_lock_q, stoch_q, wtrig_q, tag_q};
  assign {in_use_o, two_o, two_a_o, out_use_o} = {in_use_q, two_q, two_a_q, out_use_q};
  assign {fifos_used_o, fifo_rd_o, fifo_wr_o} = {fifos_used_q, fifo_rd_q, fifo_wr_q};
  assign own_o = own_q;
  assign fault_o = fault_q;
  assign fault_pc_o = fault_pc_q;
  assign fault_addr_o = fault_addr_q;
  assign idle_o = !s_valid_q && donep_q == '0 && !sync_q;

  // ------------------------------------------------------------------------------ assertions --
  `OW_ASSERT(stays_alone, !(stay_i && pick_i), "a thread is chosen while another one stays")
  `OW_ASSERT(one_chosen, (pick_hot_i & (pick_hot_i - tmask_t'(1))) == '0, "two threads chosen")
  `OW_ASSERT(live_is_active, (live_q & ~active_q) == '0, "a thread that is not active is live")
  `OW_ASSERT(launch_of_one, l_any_i == (l_hot_i != '0), "a launch of no thread, or none of one")
  `OW_ASSERT(lives_once, (l_hot_i & active_q) == '0, "a launch on a busy thread")

endmodule
