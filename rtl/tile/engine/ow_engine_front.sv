// SPDX-License-Identifier: Apache-2.0
// The tensor engine up to stage I1: decides what is done next. An instruction becomes a thread
// (ow_engine_launch, ow_engine_threads, ow_engine_dsr). Stage I0 chooses a thread (ow_engine_pick).
// Stage I1 plans its beat (ow_engine_plan) and decides whether it goes on to ow_engine_back
// (ow_engine_issue). Wavelets that trigger operations come through ow_engine_weights; circular
// buffers are in ow_engine_fifos.
//
//   Lanes ... Operations   as of ow_engine; so are all ports that are not listed here
//   thread_o ...   the beat in stage I1, what is issued of it, and events: inputs of
//                ow_engine_back
//   idle_o         nothing changes at this edge
`include "ow_assert.svh"

module ow_engine_front
  import ow_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  parameter logic [31:0] Features = FULL_FEATURES,
  parameter logic [31:0] Operations = FULL_OPERATIONS,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned TagW = 24 - $clog2(VecBytes),
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  input  logic                       halt_i,
  input  logic                       tensor_here_i,
  input  logic                       tensor_valid_i,
  input  tensor_insn_t               tensor_i,
  output logic                       tensor_ready_o,
  output logic                       tensor_quick_o,
  output logic                       tensor_sync_done_o,
  input  logic                       dsr_we_i,
  input  logic [4:0]                 dsr_idx_i,
  input  logic [2:0]                 dsr_word_i,
  input  logic [31:0]                dsr_wdata_i,
  output logic                       dsr_ready_o,
  output logic [31:0]                dsr_rdata_o,
  input  logic [7:0]                 inq_valid_i,
  input  ramp_t [7:0]                inq_head_i,
  input  logic [7:0]                 inq_more_i,
  output logic [7:0]                 inq_pop_o,
  output logic [7:0]                 inq_owned_o,
  input  logic [7:0]                 red_owned_i,
  output logic                       done_valid_o,
  output logic [1:0]                 done_kind_o,
  output logic [4:0]                 done_task_o,
  output logic                       red_start_o,
  output logic [1:0]                 red_start_kind_o,
  output logic [4:0]                 red_start_task_o,
  input  logic                       red_busy_i,
  input  logic                       row_free_i,
  output logic                       prng_busy_o,
  output logic [31:0]                fault_o,
  output logic [31:0]                fault_pc_o,
  output logic [23:0]                fault_addr_o,
  input  logic [3:0]                 thread_sel_i,
  output logic [31:0]                thread_state_o,
  output logic                       ev_beat_o,
  output logic                       ev_weight_o,
  output counter_e                   cause_o,
  // The beat in stage I1.
  output logic [2:0]                 rd_o,
  output logic [2:0][TagW-1:0]       line_o,
  output logic [2:0]                 two_o,
  output logic [2:0][2*VecBytes-1:0] need_o,
  output logic [VecBytes-1:0]        be_o,
  input  logic                       hazard_i,
  input  wslot_t                     hazard_slot_i,
  input  logic                       room_i,
  output logic [3:0]                 src_row_o,
  output logic [7:0]                 src_words_o,
  input  logic                       src_meets_i,
  output beat_t                      beat_o,
  output logic [3:0]                 thread_o,
  output logic [2:0]                 out_q_o,
  output logic                       issue_data_o,
  output logic                       issue_pipe_o,
  output logic                       early_wr_o,
  output logic                       slot_o,
  output logic                       claim_o,
  output logic [31:0]                word_o,
  output logic                       launch_o,
  output logic [NumThreads-1:0]      launch_hot_o,
  output logic [NumThreads-1:0]      kill_o,
  // Resources.
  input  logic                       beats_full_i,
  input  logic                       beats_one_i,
  input  logic                       wq_full_i,
  input  logic                       wq_one_i,
  input  logic [7:0]                 out_ready_i,
  input  logic [7:0]                 out_more_i,
  input  logic                       direct_i,
  input  logic                       late_i,
  input  logic [3:0]                 late_soon_i,
  // Events.
  input  logic                       fault_i,
  input  logic [3:0]                 fault_thread_i,
  input  logic [23:0]                fault_addr_i,
  input  logic                       head_i,
  input  wslot_t                     head_slot_i,
  input  logic                       first_i,
  input  wslot_t                     first_slot_i,
  input  logic                       end_mem_i,
  input  logic [3:0]                 end_mem_thread_i,
  input  logic                       end_beat_i,
  input  logic [3:0]                 end_beat_thread_i,
  input  logic                       end_late_i,
  input  logic [3:0]                 end_late_thread_i,
  input  logic                       end_out_i,
  input  logic [ThreadW-1:0]         end_out_thread_i,
  output logic                       active_o,
  output logic                       idle_o
);

  typedef logic [NumThreads-1:0] tmask_t;
  typedef logic [ThreadW-1:0] tid_t;

  localparam features_reg_t Tile = Features;
  localparam operations_reg_t Engine = Operations;
  localparam bit HasFifos = Tile.fifos != '0;
  localparam int unsigned Dims = Engine.dimensions ? NUM_DIMENSIONS : 2;

  // Threads.
  tmask_t       active, live, ending, waits, memdst, sticky, prio, red, red_lock, red_end, stoch;
  tmask_t       wtrig, two, off, claimed;
  tmask_t [7:0] in_use, two_a, out_use;
  tmask_t [3:0] fifo_rd, fifo_wr;
  logic         fifos_used;

  // Stage I0's choice; what stage I1 plans: its thread and that one's context.
  logic            any;
  tmask_t          pick_hot, s_hot;
  tid_t            pick_t, s_t;
  logic            s_valid, s_live, s_ending, s_started, s_kill, s_half_a, s_half_b, s_locked_out;
  logic            s_claimed;
  ctx_t            c;
  walk_t           s_walk;
  logic [31:0]     s_scal;
  logic [2:0][4:0] pick_dsr;

  // Resources.
  logic [7:0]      inq_ctrl;
  logic [7:0]      s_in;  // queues that the thread in I1 needs wavelets of
  logic            w_valid, w_rest, w_blocked, w_blocked_next;
  logic [3:0]      fifo_none, fifo_empty, fifo_full;
  logic            fifo_stale;   // the thread in I1 stays there for its FIFOs' addresses
  logic            may_row_end, may_end;
  logic [7:0]      w_pop;
  logic            wtrig_done, save, dsr_used, w_idle, pick_idle, issue_idle, status_idle, table_idle;
  logic [4:0]      save_dsr;
  logic [23:0]     save_addr;
  tid_t            show;  // the thread whose context is shown
  ctx_t            show_ctx;
  tmask_t          takes_tags, tag_fed, tag_fed_early;
  logic            tag_full;
  tmask_t          ready, blk_in, blk_out, blk_mem, blk_row, blk_weight, blk_red;

  logic halt_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) halt_q <= 1'b0;
    else if (halt_i != halt_q) halt_q <= halt_i;
  end

  always_comb begin
    for (int unsigned q = 0; q < 8; q++) begin
      inq_ctrl[q] = inq_head_i[q].ctrl;
      s_in[q] = (c.a_kind == SRC_FAB && c.a_q == 3'(q)) ||
                (c.b_kind == SRC_FAB && !c.wtrig && c.b_q == 3'(q));
    end
  end

  // ----------------------------------------------------------------------------- stage I0 --
  ow_engine_pick #(.NumThreads(NumThreads)) u_pick (
    .clk_i, .rst_i,
    .live_i(live), .ending_i(ending), .wait_i(waits | off), .memdst_i(memdst), .sticky_i(sticky),
    .prio_i(prio), .red_i(red), .wtrig_i(wtrig), .in_use_i(in_use), .two_i(two), .two_a_i(two_a),
    .out_use_i(out_use), .fifos_used_i(fifos_used), .fifo_rd_i(fifo_rd), .fifo_wr_i(fifo_wr),
    .red_lock_i(red_lock), .red_end_i(red_end),
    .s_valid_i(s_live), .s_hot_i(s_hot), .s_in_i(s_in), .s_sends_i(c.d_kind == SRC_FAB && !s_claimed),
    .s_mem_i(c.d_kind == SRC_MEM), .s_red_i(c.red), .s_wtrig_i(c.wtrig),
    .s_ends_i(may_end || s_ending),
    .s_row_ends_i(may_row_end), .issue_red_i(issue_data_o && c.red), .idle_o(pick_idle),
    .stop_i(halt_q || beats_full_i || (beats_one_i && s_live) || fifo_stale),
    .inq_valid_i, .inq_more_i, .inq_ctrl_i(inq_ctrl),
    .tag_i(takes_tags), .fed_i(tag_fed), .fed_early_i(tag_fed_early), .tag_full_i(tag_full),
    .claimed_i(claimed), .out_ready_i, .out_more_i,
    .wq_full_i, .wq_one_i, .w_some_i(w_valid), .w_rest_i(w_rest), .w_blocked_i(w_blocked_next),
    .fifo_empty_i(fifo_empty), .fifo_full_i(fifo_full),
    .any_o(any), .pick_o(pick_hot), .thread_o(pick_t), .ready_o(ready),
    .blk_in_o(blk_in), .blk_out_o(blk_out), .blk_mem_o(blk_mem), .blk_row_o(blk_row),
    .blk_weight_o(blk_weight), .blk_red_o(blk_red)
  );

  // ----------------------------------------------------------------------------- stage I1 --
  ramp_t          head_a, head_b;
  logic           go;     // the beat can be planned
  logic           issue;  // .. and goes on
  logic           is_data, is_skip, is_wctrl, is_end, wclose, skip_b, stream_end, fold, src_acc;
  logic [3:0]     fault;
  logic [23:0]    fault_addr;
  logic [4:0]     v;
  logic           v_end, all_end;
  walk_t          walk_d;
  logic           half_a_d, half_b_d, pop_a, pop_b;
  dsr_dim_t [3:0] a_dim, b_dim, d_dim;
  logic           w_ctrl, w_bad, w2_ctrl, row_first, row_full;
  logic [15:0]    w_val, w_idx;
  logic [1:0]     w2_val;
  logic [23:0]    w_addr, w_vec, row_addr;
  logic [23:0]    fifo_a, fifo_b, fifo_d;
  logic [15:0]    fifo_a_n, fifo_b_n, fifo_d_n;

  always_comb begin
    head_a = '0;
    head_b = '0;
    if (s_valid) begin
      head_a = inq_head_i[c.a_q];
      head_b = inq_head_i[c.b_q];
    end
  end

  // A tagged wavelet is taken ahead of its beat.
  ramp_t       wave_a;   // of operand a
  logic        there_a;
  logic        tag_take, tag_none, tag_has, tag_far, tags_idle;
  logic [15:0] tag_value;
  logic [23:0] tag_b, tag_d;

  if (Engine.tags) begin : gen_tags
    ow_engine_tags #(.NumThreads(NumThreads)) u_tags (
      .clk_i, .rst_i,
      .live_i(live), .here_i(s_live && c.a_tag && !s_ending && !s_kill),
      .want_i(s_live && c.a_tag && !s_ending && !s_kill && !fifo_stale),
      .s_thread_i(s_t),
      .head_valid_i(inq_valid_i[c.a_q]), .head_i(head_a),
      .left_i(a_dim[0].length - s_walk.cnt[15:0]), .inf_i(c.inf),
      .b_fifo_i(c.b_fifo), .b_ready_i(!fifo_empty[c.b_q[1:0]]),
      .b_i(c.b_fifo ? fifo_b : s_walk.b), .d_i(s_walk.d),
      .b_step_i(c.b_fifo ? 16'd0 : b_dim[0].step), .d_step_i(d_dim[0].step), .d_len_i(d_dim[0].length),
      .b_counts_i(c.b_kind inside {SRC_MEM, SRC_ACC}),
      .take_o(tag_take), .none_o(tag_none), .has_o(tag_has), .value_o(tag_value), .b_o(tag_b),
      .d_o(tag_d), .far_o(tag_far), .use_i(issue_data_o && c.a_tag), .fed_o(tag_fed), .fed_early_o(tag_fed_early),
      .full_o(tag_full), .idle_o(tags_idle)
    );
  end else begin : gen_no_tags
    assign {tag_take, tag_has, tag_value, tag_b, tag_d, tag_far, tag_fed, tag_fed_early, tag_full} = '0;
    assign {tag_none, tags_idle} = '1;
  end

  assign there_a = c.a_tag ? tag_has || (tag_none && inq_valid_i[c.a_q] && head_a.ctrl)
                           : inq_valid_i[c.a_q];
  assign wave_a = c.a_tag && tag_has ? '{ctrl: 1'b0, data: {16'd0, tag_value}} : head_a;

  ow_engine_plan #(.Lanes(Lanes), .SramBytes(SramBytes), .Dims(Dims)) u_plan (
    .valid_i(s_valid), .go_i(go), .c_i(c), .thread_i(4'(s_t)), .walk_i(s_walk),
    .kill_i(s_kill), .ending_i(s_ending), .started_i(s_started), .claimed_i(s_claimed),
    .half_a_i(s_half_a), .half_b_i(s_half_b), .scal_i(s_scal),
    .a_dim_i(a_dim), .b_dim_i(b_dim), .d_dim_i(d_dim),
    .head_a_i(wave_a), .head_b_i(head_b),
    .tag_b_i(tag_b), .tag_d_i(tag_d), .tag_far_i(tag_far),
    .w_ctrl_i(w_ctrl), .w_bad_i(w_bad), .w_val_i(w_val), .w_idx_i(w_idx), .w_addr_i(w_addr),
    .w2_ctrl_i(w2_ctrl), .w2_val_i(w2_val), .w_vec_i(w_vec), .row_first_i(row_first),
    .row_full_i(row_full), .row_addr_i(row_addr),
    .a_fifo_i(fifo_a), .b_fifo_i(fifo_b), .d_fifo_i(fifo_d),
    .a_fifo_n_i(fifo_a_n), .b_fifo_n_i(fifo_b_n), .d_fifo_n_i(fifo_d_n),
    .is_data_o(is_data), .is_skip_o(is_skip), .is_wctrl_o(is_wctrl), .is_end_o(is_end),
    .wclose_o(wclose), .skip_b_o(skip_b), .stream_end_o(stream_end), .fold_o(fold),
    .fault_o(fault), .fault_addr_o(fault_addr), .v_o(v), .v_end_o(v_end), .all_end_o(all_end),
    .may_row_end_o(may_row_end), .may_end_o(may_end), .walk_o(walk_d),
    .half_a_o(half_a_d), .half_b_o(half_b_d), .pop_a_o(pop_a), .pop_b_o(pop_b),
    .rd_o, .line_o, .two_o, .need_o, .be_o, .src_acc_o(src_acc), .src_row_o, .src_words_o, .beat_o
  );

  ow_engine_issue #(.NumThreads(NumThreads)) u_issue (
    .clk_i, .rst_i, .live_i(live),
    .c_i(c), .s_live_i(s_live), .s_ending_i(s_ending), .s_locked_out_i(s_locked_out),
    .s_hot_i(s_hot), .inq_valid_i, .there_a_i(there_a), .ctrl_a_i(wave_a.ctrl), .w_valid_i(w_valid),
    .w_blocked_i(w_blocked), .fifo_empty_i(fifo_empty), .fifo_full_i(fifo_full),
    .fifo_stale_i(fifo_stale), .out_ready_i, .wq_full_i, .places_i(!beats_full_i), .go_o(go),
    .is_data_i(is_data), .is_end_i(is_end), .wclose_i(wclose),
    .late_beat_i(beat_o.late), .none_i(beat_o.none), .src_acc_i(src_acc), .src_meets_i,
    .hazard_i, .room_i, .late_i, .late_soon_i, .direct_i,
    .sends_i(beat_o.r.out), .claim_o, .claimed_o(claimed), .s_claimed_o(s_claimed),
    .issue_o(issue), .issue_data_o, .issue_pipe_o, .early_wr_o, .slot_o, .off_o(off), .red_end_o(red_end),
    .idle_o(issue_idle)
  );

  assign thread_o = 4'(s_t);
  assign out_q_o = c.d_q;

  // What a move from a queue to memory writes, in each word: the byte enables pick its place.
  always_comb begin
    word_o = wave_a.data;
    if (c.d_sz != 2'd2) begin
      if (v != 5'd2) word_o = {2{s_half_a ? wave_a.data[31:16] : wave_a.data[15:0]}};
      else if (beat_o.lane0[0]) word_o = {wave_a.data[15:0], wave_a.data[31:16]};
    end
  end

  // What is taken from the queues. Whether the beat goes is known last.
  logic [7:0] beat_pop;

  always_comb begin
    beat_pop = '0;
    if ((is_skip && !skip_b) || pop_a) beat_pop[c.a_q] = 1'b1;
    if ((is_skip && skip_b) || pop_b) beat_pop[c.b_q] = 1'b1;
    inq_pop_o = w_pop;
    if (tag_take) inq_pop_o[c.a_q] = 1'b1;
    if (issue) inq_pop_o = inq_pop_o | beat_pop;
  end

  // ------------------------------------------------------------------------ launch, weights --
  tid_t             l_t;
  ctx_t             l_ctx;
  logic [7:0]       l_own;
  walk_t            l_walk;
  logic [2:0]       l_save;
  logic             l_bad_thread, launch_idle;
  logic [2:0][31:0] l_w0;
  logic [2:0][23:0] l_w1;
  dsr_dim_t [2:0]   l_w2, l_w3;
  logic [2:0]       l_more;

  ow_engine_launch #(.Lanes(Lanes), .NumThreads(NumThreads), .Features(Features),
                     .Operations(Operations)) u_launch (
    .clk_i, .rst_i,
    .here_i(tensor_here_i), .valid_i(tensor_valid_i), .insn_i(tensor_i),
    .ready_o(tensor_ready_o), .quick_o(tensor_quick_o), .halt_i(halt_q),
    .active_i(active), .wtrig_i(wtrig), .stoch_i(stoch), .own_i(inq_owned_o), .red_owned_i,
    .red_busy_i, .w0_i(l_w0), .w1_i(l_w1), .w2_i(l_w2), .w3_i(l_w3), .more_i(l_more),
    .fifo_none_i(fifo_none),
    .launch_o, .hot_o(launch_hot_o), .thread_o(l_t), .ctx_o(l_ctx), .own_o(l_own),
    .walk_o(l_walk), .save_o(l_save), .drain_o(red_start_o), .bad_thread_o(l_bad_thread),
    .idle_o(launch_idle)
  );

  assign red_start_kind_o = tensor_i.ctl.done;
  assign red_start_task_o = tensor_i.ctl.task_id;
  assign prng_busy_o = stoch != '0;

  ow_engine_weights #(.SramBytes(SramBytes), .Dotw(Engine.reductions)) u_weights (
    .clk_i, .rst_i,
    .start_i(launch_o && l_ctx.wtrig), .ring_i(l_ctx.ring), .queue_i(l_ctx.b_q),
    .base_i(l_w1[0]), .pitch_i(l_w3[0].step), .slot_base_i(l_w1[2]),
    .slots_i(l_w3[2].length == '0 ? 8'd1 : l_w3[2].length[7:0]),
    .slot_bytes_i({l_w2[2].length[13:0], 2'd0}), .row_length_i(l_w2[2].length[7:0]),
    .vec_i(tensor_i.scalar[23:0]), .vec_step_i(l_w3[1].step),
    .vecs_i(Tile.dotw_rows ? l_w3[1].length : 16'd0),
    .stop_i(wtrig_done),
    .inq_valid_i, .inq_head_i, .pop_o(w_pop),
    .valid_o(w_valid), .may_end_i(may_row_end), .rest_o(w_rest), .ctrl_o(w_ctrl), .bad_o(w_bad),
    .val_o(w_val), .idx_o(w_idx),
    .addr_o(w_addr), .second_ctrl_o(w2_ctrl), .second_val_o(w2_val),
    .used_i(!c.wtrig || is_end ? 2'd0 : fold ? 2'd2 : is_wctrl || v_end ? 2'd1 : 2'd0),
    .take_i(issue), .close_i(issue && beat_o.r.close), .product_i(issue_data_o && c.ring && v_end),
    .row_free_i, .row_first_o(row_first), .row_full_o(row_full), .row_addr_o(row_addr),
    .vec_o(w_vec), .blocked_o(w_blocked), .blocked_next_o(w_blocked_next), .idle_o(w_idle)
  );

  // ---------------------------------------------------------------------------- thread table --
  ow_engine_threads #(.NumThreads(NumThreads), .Queues(32'(Tile.queues)),
                      .HasFifos(HasFifos)) u_threads (
    .clk_i, .rst_i,
    .l_any_i(launch_o), .l_hot_i(launch_hot_o), .l_thread_i(l_t), .l_ctx_i(l_ctx), .l_walk_i(l_walk),
    .l_own_i(l_own), .l_save_i(l_save), .l_scal_i(tensor_i.scalar), .l_pc_i(tensor_i.pc),
    .l_done_i(tensor_i.ctl.done), .l_task_i(tensor_i.ctl.task_id),
    .l_bad_thread_i(l_bad_thread), .l_number_i(tensor_i.ctl.thread),
    .l_sync_i(red_start_o && tensor_i.ctl.thread == 4'd0),
    .pick_i(any), .pick_hot_i(pick_hot), .pick_thread_i(pick_t), .pick_dsr_o(pick_dsr),
    .stay_i(fifo_stale),
    .s_valid_o(s_valid), .s_hot_o(s_hot), .s_thread_o(s_t), .s_ctx_o(c), .s_walk_o(s_walk),
    .s_scal_o(s_scal), .s_live_o(s_live), .s_ending_o(s_ending), .s_started_o(s_started),
    .s_kill_o(s_kill), .s_half_a_o(s_half_a), .s_half_b_o(s_half_b),
    .s_locked_out_o(s_locked_out),
    .i_data_i(issue_data_o), .i_walk_i(walk_d), .i_half_a_i(half_a_d), .i_half_b_i(half_b_d),
    .i_sent_i(issue_data_o && beat_o.r.out), .i_red_last_i(beat_o.red_last),
    .i_wait_i(hazard_i && is_data), .i_wait_slot_i(hazard_slot_i),
    .i_ending_i(issue && stream_end),
    .i_finish_i((issue_data_o && all_end) || (issue && is_end)),
    .i_stored_i(early_wr_o && beat_o.r.last && !head_i),
    .i_end_i(issue && is_end), .i_fault_i(fault), .i_fault_addr_i(fault_addr),
    .kill_i(fault_i), .kill_thread_i(fault_thread_i), .kill_addr_i(fault_addr_i),
    .head_i, .head_slot_i, .first_i, .first_slot_i, .end_mem_i, .end_mem_thread_i, .end_beat_i,
    .end_beat_thread_i, .end_late_i, .end_late_thread_i, .end_out_i, .end_out_thread_i,
    .save_o(save), .save_dsr_o(save_dsr), .save_addr_o(save_addr),
    .done_valid_o, .done_kind_o, .done_task_o, .sync_done_o(tensor_sync_done_o),
    .wtrig_done_o(wtrig_done),
    .active_o(active), .live_o(live), .ending_o(ending), .kill_o, .wait_o(waits),
    .memdst_o(memdst), .sticky_o(sticky), .prio_o(prio), .red_o(red), .red_lock_o(red_lock),
    .stoch_o(stoch), .wtrig_o(wtrig), .tag_o(takes_tags), .in_use_o(in_use),
    .two_o(two), .two_a_o(two_a),
    .out_use_o(out_use), .fifos_used_o(fifos_used), .fifo_rd_o(fifo_rd), .fifo_wr_o(fifo_wr),
    .own_o(inq_owned_o),
    .fault_o, .fault_pc_o, .fault_addr_o,
    .show_i(show), .show_ctx_o(show_ctx), .dsr_we_i, .dsr_i(dsr_idx_i), .dsr_used_o(dsr_used),
    .idle_o(table_idle)
  );

  ow_engine_status #(.NumThreads(NumThreads)) u_status (
    .clk_i, .rst_i,
    .active_i(active), .live_i(live), .ending_i(ending), .ready_i(ready), .blk_in_i(blk_in),
    .blk_out_i(blk_out), .blk_mem_i(blk_mem), .blk_row_i(blk_row), .blk_weight_i(blk_weight),
    .blk_red_i(blk_red),
    .inq_valid_i, .s_live_i(s_live), .s_hot_i(s_hot), .any_i(any), .go_i(go || fifo_stale),
    .issue_i(issue),
    .data_i(issue_data_o), .weight_i(issue_data_o && c.wtrig && v_end),
    .crowded_i(beats_full_i || beats_one_i),
    .ev_beat_o, .ev_weight_o, .cause_o, .thread_sel_i, .thread_state_o, .show_o(show),
    .show_ctx_i(show_ctx), .idle_o(status_idle)
  );

  // ------------------------------------------------------------------- descriptors, FIFOs --
  /* verilator lint_off UNUSEDSIGNAL */ // kind and number
  logic [31:0] dsr_rdata;
  dsr0_t       dsr_kind;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [15:0] fifo_count;
  logic        is_fifo;

  assign dsr_ready_o = !((save && dsr_word_i == DSR_ADDRESS) || dsr_used);

  ow_engine_dsr #(.Dsrs(32'(Tile.dsrs) + 1), .Dims(Dims)) u_dsr (
    .clk_i, .rst_i,
    .we_i(dsr_we_i && dsr_ready_o), .idx_i(dsr_idx_i), .word_i(dsr_word_i),
    .wdata_i(dsr_wdata_i), .rdata_o(dsr_rdata), .kind_word_o(dsr_kind),
    .save_i(save), .save_idx_i(save_dsr), .save_addr_i(save_addr),
    .l_any_i(tensor_here_i), .l_idx_i({tensor_i.ctl.dst, tensor_i.ctl.b, tensor_i.ctl.a}),
    .l_w0_o(l_w0), .l_w1_o(l_w1), .l_w2_o(l_w2), .l_w3_o(l_w3), .l_more_o(l_more),
    .p_any_i(any), .p_idx_i(pick_dsr),
    .p_a_o(a_dim), .p_b_o(b_dim), .p_d_o(d_dim)
  );

  assign is_fifo = dsr_kind.kind == DK_FIFO;
  assign dsr_rdata_o = is_fifo && dsr_word_i == DSR_DIM1 ? {16'd0, fifo_count} : dsr_rdata;

  if (HasFifos) begin : gen_fifos
    ow_engine_fifos u_fifos (
      .clk_i, .rst_i,
      .set_base_i(dsr_we_i && dsr_ready_o && is_fifo && dsr_word_i == DSR_ADDRESS),
      .set_cap_i(dsr_we_i && dsr_ready_o && is_fifo && dsr_word_i == DSR_DIM0),
      .set_n_i(dsr_kind.queue_no[1:0]), .set_data_i(dsr_wdata_i),
      .look_i(s_live && !s_ending),
      .a_en_i(c.a_fifo), .a_n_i(c.a_q[1:0]), .a_sz_i(c.a_sz), .a_addr_o(fifo_a),
      .a_room_o(fifo_a_n),
      .b_en_i(c.b_fifo), .b_n_i(c.b_q[1:0]), .b_sz_i(c.b_sz), .b_addr_o(fifo_b),
      .b_room_o(fifo_b_n),
      .d_en_i(c.d_fifo), .d_n_i(c.d_q[1:0]), .d_sz_i(c.d_sz), .d_addr_o(fifo_d),
      .d_room_o(fifo_d_n),
      .d_adds_i(c.d_fifo && !beat_o.none), .move_i(issue_data_o), .v_i(v), .d_one_i(c.red),
      .stale_o(fifo_stale),
      .count_n_i(dsr_kind.queue_no[1:0]), .count_o(fifo_count),
      .none_o(fifo_none), .empty_o(fifo_empty), .full_o(fifo_full)
    );
  end else begin : gen_no_fifos
    assign {fifo_a, fifo_b, fifo_d, fifo_a_n, fifo_b_n, fifo_d_n, fifo_count} = '0;
    assign {fifo_none, fifo_empty, fifo_full} = '1;
    assign fifo_stale = 1'b0;
  end

  `OW_ASSERT(may_end_known, !s_valid || c.fcode != FAULT_NONE || s_walk.may_end ==
             (!c.inf && 16'((c.space_d ? d_dim[0].length : a_dim[0].length) - s_walk.cnt[15:0]) <=
                        16'd1 << c.most),
             "that a beat may end its inner vector is not known ahead")

  assign active_o = active != '0;
  assign idle_o = !any && w_idle && tags_idle && pick_idle && issue_idle && status_idle &&
                  table_idle && halt_q == halt_i &&
                  !(dsr_we_i && dsr_ready_o) && launch_idle && !row_free_i;

endmodule
