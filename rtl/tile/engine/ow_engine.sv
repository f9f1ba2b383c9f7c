// SPDX-License-Identifier: Apache-2.0
// Tensor engine: threads, and the pipeline that their beats go through.
//
// What it does. An instruction names up to three descriptors and a thread; the thread walks their
// iteration space in beats of up to Lanes elements (docs/isa.md). Each cycle one thread that is
// ready plans one beat. Ready means: fabric operands are there, the output can take a vector, the
// write buffer has a free slot, the accumulator row is free. A thread that is not ready never holds
// the issue.
//
//   ow_engine_launch    an instruction and its descriptors become a thread's context
//   ow_engine_threads   what is known of each thread, and completion
//   ow_engine_dsr       descriptors                ow_engine_fifos    circular buffers in memory
//   ow_engine_pick      stage I0: which thread     ow_engine_plan     stage I1: its beat
//   ow_engine_weights   axpyw, dotw: wavelets and rows
//   ow_engine_operands  three streams of lines (ow_engine_stream), elements for the lanes
//   ow_datapath         the arithmetic             ow_engine_flight   beats in it
//   ow_acc              accumulator cache
//   ow_gather           elements at indices        ow_nlf             non-linear functions
//   ow_engine_writes    write buffer               ow_pack            vectors to wavelets
//
// Pipeline, by the cycle of a beat (docs/architecture.md has the picture):
//   I0  choice of the thread, from a forecast of what its beat needs; its context is read
//   I1  plan, from registers: elements, addresses, lanes, what the thread goes on with; bytes under
//       way; the beat enters a queue, or is given up and tried again
//   I2  first SRAM request; the write of what had none to wait for
//   M   the oldest beat, when its lines are there (the cycle after I2 at the earliest): elements
//       into lanes (lane = position in the destination's line), into the datapath
//   M+2 addend (accumulator cache, or the destination's line)
//   M+5 result: the accumulator cache, the write buffer or the vector to the output is written
//   M+6 the write buffer writes SRAM; the vector goes through ow_pack
// So beats are planned ahead of their data, and the streams slip against each other and the writes
// until they want different banks. Beats of one thread follow each other in every cycle: stage I1
// hands what the thread goes on with to itself. A beat that adds to elements of the accumulator
// cache fires 4 cycles after the one that wrote them, a mixed multiply-add after 2, and results of
// reductions and functions come later than others (ow_engine_flight).
//
// Throughput, in cycles a beat: 1 with up to two vectors to read and one to write, 1.5 with three to
// read, whatever their alignment, once the streams have slipped apart (a few cycles an instruction,
// and where other requestors disturb). A beat that reads bytes whose write is under way is planned
// when they are in the SRAM; other threads go on meanwhile. axpyw: n / Lanes beats a weight, 2 at
// least; a row end costs nothing if it directly follows a weight, else 1 cycle. Control wavelets
// elsewhere: 1 cycle; an end that is not the last beat: 1.
//
// Fabric operands: a pair of 16-bit elements a wavelet, lower half first; pairs run across inner
// vectors. A control wavelet in a stream that is consumed is taken (1 cycle) and is no element;
// with the stream-end bit it ends the instruction, counted or not. With two fabric operands, that
// of a comes first and does not wait for b.
//
// One wavelet-triggered instruction runs at a time, one stochastic rounding, and one inner vector of
// a reduction (its partial sums are in the datapath): launches of the first two wait, threads with a
// reduction wait between inner vectors. A launch also waits while a queue that it reads belongs to
// a running thread. axpyw, and dotw into the accumulator cache: the ring starts at slot 0 with each
// instruction, whose first beat waits until all rows that were closed before have been freed. Row
// slots are contiguous, dst dimension 0 words each.
//
// drain starts the reducer and is complete for the engine at once: the completion action is the
// reducer's. With thread 0 the core goes on in the next cycle.
//
// Order: beats of a thread take effect in order. A source with step 0 must not be a destination of
// the same vector, and a source vector must not overlap a destination ahead of it. What others than
// the engine write while an instruction runs may be read before or after.
//
// Errors: the first fault is kept in fault_o, with the instruction's pc and the bad address; the
// thread stops, its beats so far take effect, its completion action does not happen. Causes in
// docs/isa.md. Thread numbers from NumThreads on are fault 1. halt_i stops all issue, a cycle
// after it rises.
//
//   Lanes       16-bit lanes: 2, 4 or 8. Bits do not depend on it
//   SramBytes   size of the SRAM, for the range check
//   NumThreads  contexts, 2 to 13; thread 0 is the task thread
//   QueueDepth  slots of an output queue, 2 to 15
//   LineSlots   lines that an operand reads ahead, 4 or 8
//   WriteSlots  slots of the write buffer, 4 to 24
//   PackSlots   vectors on their way to output queues (ow_pack), 9 to 64
//   Features, Operations   what there is, as the registers of these names tell it. What is not is an
//               illegal operation, and its units are left out
`include "ow_assert.svh"

module ow_engine
  import ow_pkg::*;
  import ow_datapath_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = 8,
  parameter int unsigned SramBytes = 49152,
  parameter int unsigned NumThreads = 13,
  parameter int unsigned QueueDepth = 8,
  parameter logic [31:0] Features = FULL_FEATURES,
  parameter logic [31:0] Operations = FULL_OPERATIONS,
  parameter int unsigned LineSlots = 8,
  parameter int unsigned WriteSlots = WRITE_SLOTS,
  parameter int unsigned PackSlots = 20,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  halt_i,       // no thread issues, no instruction is taken

  // Instructions: valid/ready. sync_done pulses when thread 0's instruction is complete.
  input  logic                  tensor_valid_i,
  input  tensor_insn_t          tensor_i,
  output logic                  tensor_ready_o,
  output logic                  tensor_sync_done_o,

  // Descriptors: a write is taken when dsr_ready_o is high (low while a running thread uses the
  // descriptor); the read is combinational.
  input  logic                  dsr_we_i,
  input  logic [4:0]            dsr_idx_i,
  input  logic [2:0]            dsr_word_i,
  input  logic [31:0]           dsr_wdata_i,
  output logic                  dsr_ready_o,
  output logic [31:0]           dsr_rdata_o,

  // SRAM (ow_sram): grant in the cycle of the request, data in the next.
  output logic                  rd0_req_o,
  output logic [23:0]           rd0_addr_o,
  input  logic                  rd0_gnt_i,
  input  logic                  rd0_rvalid_i,
  input  logic [8*VecBytes-1:0] rd0_rdata_i,
  output logic                  rd1_req_o,
  output logic [23:0]           rd1_addr_o,
  input  logic                  rd1_gnt_i,
  input  logic                  rd1_rvalid_i,
  input  logic [8*VecBytes-1:0] rd1_rdata_i,
  output logic                  wr_req_o,
  output logic [23:0]           wr_addr_o,
  output logic [VecBytes-1:0]   wr_be_o,
  output logic [8*VecBytes-1:0] wr_wdata_o,
  input  logic                  wr_gnt_i,

  // An instruction is complete, but its last line is not in the SRAM yet: whoever might look for it
  // there (control plane, fence.i) must not be served. Who looks at look_addr_i (0: the core's loads
  // and stores, 1: the reducer) must not with hold_look_o: a write to that line is under way.
  // host_waits_i: the control plane asks and is not served, so that hold_o must fall for long enough.
  output logic                  hold_o,
  input  logic                  host_waits_i,
  /* verilator lint_off UNUSEDSIGNAL */ // lines
  input  logic [1:0][23:0]      look_addr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [1:0]            hold_look_o,

  // Gather port of ow_sram.
  output logic [7:0]            gth_req_o,
  output logic [7:0]            gth_we_o,
  output logic [7:0][16:0]      gth_row_o,
  output logic [7:0][7:0]       gth_be_o,
  output logic [7:0][63:0]      gth_wdata_o,
  input  logic [7:0]            gth_gnt_i,
  input  logic [7:0][63:0]      gth_rdata_i,

  // Ramp queues. A queue in inq_owned_o is read by a running thread and by nobody else.
  input  logic [7:0]            inq_valid_i,
  input  ramp_t [7:0]           inq_head_i,
  input  logic [7:0]            inq_more_i,    // the queue holds two wavelets at least
  output logic [7:0]            inq_pop_o,
  output logic [7:0]            inq_owned_o,
  input  logic [7:0]            red_owned_i,   // queues that a running drain reads
  input  logic [7:0][3:0]       outq_level_i,  // elements held
  output logic                  eng_push_o,
  output logic [2:0]            eng_q_o,
  output ramp_t                 eng_data_o,

  // Completion action of one thread.
  output logic                  done_valid_o,
  output logic [1:0]            done_kind_o,
  output logic [4:0]            done_task_o,

  // Reducer: start of a drain; rows of the ring, closed in order (written: at least one product
  // was added, else the row reads as +0); its read port of the accumulator cache.
  output logic                  red_start_o,
  output logic [1:0]            red_start_kind_o,
  output logic [4:0]            red_start_task_o,
  input  logic                  red_busy_i,
  output logic                  row_closed_o,
  output logic                  row_closed_written_o,
  input  logic                  row_free_i,
  input  logic [3:0]            acc_raddr_i,
  output logic [32*Lanes-1:0]   acc_rdata_o,

  // State of the random generator (ow_datapath).
  input  logic                  prng_we_i,
  input  logic [1:0]            prng_sel_i,
  input  logic [31:0]           prng_wdata_i,
  output logic [31:0]           prng_rdata_o,
  output logic                  prng_busy_o,  // an instruction that rounds stochastically runs

  // Status. thread_state_o is the THREAD word of thread_sel_i.
  output logic [31:0]           fault_o,       // as ENGINE_FAULT has it
  output logic [31:0]           fault_pc_o,
  output logic [23:0]           fault_addr_o,
  input  logic [3:0]            thread_sel_i,
  output logic [31:0]           thread_state_o,
  // Of the cycle before: a beat was issued; the last one of a weight; its counter (beats, a stall,
  // no work).
  output logic                  ev_beat_o,
  output logic                  ev_weight_o,
  output counter_e              cause_o,
  output logic                  idle_o        // nothing changes at this edge, given these inputs
);

  `OW_ASSERT_INIT(lanes_2_4_8, Lanes == 2 || Lanes == 4 || Lanes == 8)
  `OW_ASSERT_INIT(threads_2_to_13, NumThreads >= 2 && NumThreads <= 13)
  `OW_ASSERT_INIT(queue_depth, QueueDepth >= 2 && QueueDepth <= 15)

  localparam int unsigned LineW = 8 * VecBytes;       // bits a line
  localparam int unsigned OffW = $clog2(VecBytes);    // offset bits in a line
  localparam int unsigned TagW = 24 - OffW;           // line number

  localparam int unsigned BeatSlots = Lanes == 8 ? 8 : 4;  // planned beats
  localparam int unsigned BeatW = $clog2(BeatSlots);

  typedef logic [NumThreads-1:0] tmask_t;
  typedef logic [BeatW-1:0] slot_t;
  typedef logic [ThreadW-1:0] tid_t;

  // -------------------------------------------------------------------------------- threads --
  tmask_t       active, live, ending, kill, waits, memdst, sticky, prio, red, red_lock, stoch;
  tmask_t       wtrig, two;
  tmask_t [7:0] in_use, two_a, out_use;
  tmask_t [3:0] fifo_rd, fifo_wr;
  logic [7:0]   own;
  logic         fifos_used;

  // Stage I0's choice; what stage I1 plans: its thread and that one's context.
  logic         any;
  tmask_t       pick_hot, s_hot;
  tid_t         pick_t, s_t;
  logic         s_valid, s_live, s_ending, s_started, s_kill, s_half_a, s_half_b, s_locked_out;
  ctx_t         c;
  walk_t        s_walk;
  logic [31:0]  s_scal;
  logic [2:0][4:0] pick_dsr;

  // Resources.
  logic [7:0]   out_ready, out_more, inq_ctrl;
  logic         wq_full, wq_one;
  logic         w_valid, w_rest, w_blocked, w_blocked_next;
  logic [3:0]   fifo_empty, fifo_full;
  logic [BeatW:0] bq_cnt_q;
  logic         halt_q;
  tmask_t       off_q;  // whose beat is put off
  logic         may_row_end, may_end;
  tmask_t       ready, blk_in, blk_out, blk_mem, blk_row, blk_weight;

  localparam features_reg_t Tile = Features;
  localparam dp_has_t Has = dp_has(Tile, Operations);
  localparam bit HasFifos = Tile.fifos != '0;

  function automatic logic is_indexed(input unit_e u);
    return Tile.gather && u inside {UNIT_GATHER, UNIT_SCATTER, UNIT_FMAG};
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) halt_q <= 1'b0;
    else if (halt_i != halt_q) halt_q <= halt_i;
  end

  always_comb begin
    for (int unsigned q = 0; q < 8; q++) inq_ctrl[q] = inq_head_i[q].ctrl;
  end

  // ----------------------------------------------------------------------------- stage I0 --
  ow_engine_pick #(.NumThreads(NumThreads)) u_pick (
    .clk_i, .rst_i,
    .live_i(live), .ending_i(ending), .wait_i(waits | off_q), .memdst_i(memdst), .sticky_i(sticky),
    .prio_i(prio), .red_i(red), .wtrig_i(wtrig), .in_use_i(in_use), .two_i(two), .two_a_i(two_a),
    .out_use_i(out_use), .fifos_used_i(fifos_used), .fifo_rd_i(fifo_rd), .fifo_wr_i(fifo_wr),
    .red_lock_i(red_lock),
    .s_valid_i(s_live), .s_hot_i(s_hot), .s_ends_i(may_end || s_ending),
    .s_row_ends_i(may_row_end),
    .stop_i(halt_q || bq_cnt_q + (BeatW+1)'(s_live) >= (BeatW+1)'(BeatSlots)),
    .inq_valid_i, .inq_more_i, .inq_ctrl_i(inq_ctrl), .out_ready_i(out_ready),
    .out_more_i(out_more), .wq_full_i(wq_full), .wq_one_i(wq_one), .w_some_i(w_valid),
    .w_rest_i(w_rest), .w_blocked_i(w_blocked_next), .fifo_empty_i(fifo_empty),
    .fifo_full_i(fifo_full),
    .any_o(any), .pick_o(pick_hot), .thread_o(pick_t), .ready_o(ready),
    .blk_in_o(blk_in), .blk_out_o(blk_out), .blk_mem_o(blk_mem), .blk_row_o(blk_row),
    .blk_weight_o(blk_weight)
  );

  // ----------------------------------------------------------------------------- stage I1 --
  ramp_t                      head_a, head_b;
  logic                       go;   // the beat can be planned
  logic                       is_data, is_skip, is_wctrl, is_end, skip_b, stream_end, fold;
  logic [3:0]                 fault;
  logic [23:0]                fault_addr;
  logic [4:0]                 v;
  logic                       v_end, all_end;
  walk_t                      walk_d;
  logic                       half_a_d, half_b_d, pop_a, pop_b;
  logic [2:0]                 rd, rd_two;
  logic [2:0][TagW-1:0]       rd_line;
  logic [2:0][2*VecBytes-1:0] rd_need;
  logic [2:0][VecBytes-1:0]   rd_pend;
  logic [2:0]                 rd_hit;
  /* verilator lint_off UNUSEDSIGNAL */ // the addend has one line
  logic [2:0][1:0]            rd_fresh;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                       rd_room;
  logic [VecBytes-1:0]        be;
  beat_t                      beat;
  dsr_dim_t [3:0]             a_dim, b_dim, d_dim;
  logic                       w_ctrl, w_bad, w2_ctrl, row_first, row_full;
  logic [15:0]                w_val, w_idx;
  logic [1:0]                 w2_val;
  logic [23:0]                w_addr, w_vec, row_addr;
  logic [23:0]                fifo_a, fifo_b, fifo_d;
  logic [15:0]                fifo_a_n, fifo_b_n, fifo_d_n;

  always_comb begin
    head_a = '0;
    head_b = '0;
    if (s_valid) begin
      head_a = inq_head_i[c.a_q];
      head_b = inq_head_i[c.b_q];
    end
  end

  // What the forecast of stage I0 could not know.
  logic        src_acc;
  logic [3:0]  src_row;
  logic [7:0]  src_words;

  always_comb begin : recheck
    logic fed;
    fed = 1'b1;
    go = 1'b0;
    if (s_live) begin
      if (c.a_kind == SRC_FAB && !inq_valid_i[c.a_q]) fed = 1'b0;
      if (c.b_kind == SRC_FAB && !c.wtrig && !inq_valid_i[c.b_q] &&
          !(c.a_kind == SRC_FAB && head_a.ctrl)) begin
        fed = 1'b0;
      end
      if (c.wtrig && (!w_valid || w_blocked)) fed = 1'b0;
      if ((c.a_fifo && fifo_empty[c.a_q[1:0]]) || (c.b_fifo && fifo_empty[c.b_q[1:0]]) ||
          (c.d_fifo && fifo_full[c.d_q[1:0]])) begin
        fed = 1'b0;
      end
      if (c.red && s_locked_out) fed = 1'b0;
      go = (s_ending || fed) && !(c.d_kind == SRC_FAB && !out_ready[c.d_q]) &&
           !(c.d_kind == SRC_MEM && wq_full) && bq_cnt_q != (BeatW+1)'(BeatSlots);
    end
  end

  ow_engine_plan #(.Lanes(Lanes), .SramBytes(SramBytes)) u_plan (
    .go_i(go), .c_i(c), .thread_i(4'(s_t)), .walk_i(s_walk),
    .kill_i(s_kill), .ending_i(s_ending), .started_i(s_started),
    .half_a_i(s_half_a), .half_b_i(s_half_b), .scal_i(s_scal),
    .a_dim_i(a_dim), .b_dim_i(b_dim), .d_dim_i(d_dim),
    .head_a_i(head_a), .head_b_i(head_b),
    .w_ctrl_i(w_ctrl), .w_bad_i(w_bad), .w_val_i(w_val), .w_idx_i(w_idx), .w_addr_i(w_addr),
    .w2_ctrl_i(w2_ctrl), .w2_val_i(w2_val), .w_vec_i(w_vec), .row_first_i(row_first),
    .row_full_i(row_full), .row_addr_i(row_addr),
    .a_fifo_i(fifo_a), .b_fifo_i(fifo_b), .d_fifo_i(fifo_d),
    .a_fifo_n_i(fifo_a_n), .b_fifo_n_i(fifo_b_n), .d_fifo_n_i(fifo_d_n),
    .is_data_o(is_data), .is_skip_o(is_skip), .is_wctrl_o(is_wctrl), .is_end_o(is_end),
    .skip_b_o(skip_b), .stream_end_o(stream_end), .fold_o(fold),
    .fault_o(fault), .fault_addr_o(fault_addr), .v_o(v), .v_end_o(v_end), .all_end_o(all_end),
    .may_row_end_o(may_row_end), .may_end_o(may_end), .walk_o(walk_d),
    .half_a_o(half_a_d), .half_b_o(half_b_d), .pop_a_o(pop_a), .pop_b_o(pop_b),
    .rd_o(rd), .line_o(rd_line), .two_o(rd_two), .need_o(rd_need), .be_o(be),
    .src_acc_o(src_acc), .src_row_o(src_row), .src_words_o(src_words), .beat_o(beat)
  );

  // ------------------------------------------------------------------------------- the issue --
  logic       hold, told;
  logic [1:0] tell;
  logic       acc_meets;
  logic       acc_hazard;  // a source in the accumulator cache is still to be written
  logic       sends, writes, lates;  // results under way: for an output, for memory; of reductions
  logic       hazard;
  wslot_t     hazard_slot, slot;
  logic       issue, issue_data, issue_pipe, early_wr, slot_alloc;
  logic [3:0] late_cnt_q;  // results of reductions that will come
  logic [3:0] late_soon;   // .. before that of a beat that is planned now
  beat_t      beat_d;

  // The results of reductions come before the end, also before that of a row.
  assign issue = go && !(is_data && (hazard || !rd_room || acc_meets)) &&
                 !((is_end || (is_wctrl && beat.r.close)) && c.red && late_cnt_q != late_soon);
  assign issue_data = issue && is_data;
  // Moves from a queue to memory go straight into the write buffer when no other result is on its
  // way there: the wavelet is there, and the byte enables pick its place.
  assign early_wr = issue_data && c.dop == DP_MOV && c.unit == UNIT_NONE && c.a_kind == SRC_FAB &&
                    c.d_kind == SRC_MEM && bq_cnt_q == '0 && !writes && !lates;
  assign issue_pipe = issue && (is_data || is_end || beat.r.close) && !early_wr;
  assign slot_alloc = (issue_pipe || early_wr) && c.d_kind == SRC_MEM && !beat.none &&
                      (is_data || is_end);

  always_comb begin
    beat_d = beat;
    beat_d.a.hit = rd[0] && rd_hit[0];
    beat_d.a.fresh = rd[0] ? rd_fresh[0] : 2'd0;
    beat_d.b.hit = rd[1] && rd_hit[1];
    beat_d.b.fresh = rd[1] ? rd_fresh[1] : 2'd0;
    beat_d.d_hit = rd[2] && rd_hit[2];
    beat_d.r.slot_en = slot_alloc;
    beat_d.r.slot = slot;
  end

  // --------------------------------------------------------------------------------- weights --
  ctx_t       l_ctx;
  tmask_t     l_hot;
  logic       launch;
  logic [2:0][31:0] l_w0;
  dsr_dim_t [2:0]   l_w2, l_w3;
  logic [2:0][23:0] l_w1;
  logic [7:0] w_pop;
  logic       w_idle, wtrig_done;

  ow_engine_weights #(.SramBytes(SramBytes)) u_weights (
    .clk_i, .rst_i,
    .start_i(launch && l_ctx.wtrig), .ring_i(l_ctx.ring), .queue_i(l_ctx.b_q),
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
    .used_i(!issue || !c.wtrig || is_end ? 2'd0 : fold ? 2'd2 : is_wctrl || v_end ? 2'd1 : 2'd0),
    .close_i(issue && beat.r.close), .product_i(issue_data && c.ring && v_end),
    .row_free_i, .row_first_o(row_first), .row_full_o(row_full), .row_addr_o(row_addr),
    .vec_o(w_vec), .blocked_o(w_blocked),
    .blocked_next_o(w_blocked_next),
    .idle_o(w_idle)
  );

  // ---------------------------------------------------------------------------------- queues --
  always_comb begin
    inq_pop_o = w_pop;
    if (issue && is_skip) begin
      inq_pop_o[skip_b ? c.b_q : c.a_q] = 1'b1;
    end else if (issue_data) begin
      if (pop_a) inq_pop_o[c.a_q] = 1'b1;
      if (pop_b) inq_pop_o[c.b_q] = 1'b1;
    end
  end
  assign inq_owned_o = own;

  // ---------------------------------------------------------------------------------- launch --
  logic [3:0] fifo_none;
  tid_t       l_t;
  logic [7:0] l_own;
  walk_t      l_walk;
  logic [2:0] l_save;
  logic       l_bad_thread;

  ow_engine_launch #(.Lanes(Lanes), .NumThreads(NumThreads), .Features(Features),
                     .Operations(Operations)) u_launch (
    .valid_i(tensor_valid_i), .insn_i(tensor_i), .ready_o(tensor_ready_o), .halt_i(halt_q),
    .active_i(active), .wtrig_i(wtrig), .stoch_i(stoch), .own_i(own), .red_owned_i,
    .red_busy_i, .w0_i(l_w0), .w1_i(l_w1), .w2_i(l_w2), .w3_i(l_w3), .fifo_none_i(fifo_none),
    .launch_o(launch), .hot_o(l_hot), .thread_o(l_t), .ctx_o(l_ctx), .own_o(l_own),
    .walk_o(l_walk), .save_o(l_save), .drain_o(red_start_o), .bad_thread_o(l_bad_thread)
  );

  assign red_start_kind_o = tensor_i.ctl.done;
  assign red_start_task_o = tensor_i.ctl.task_id;

  // ------------------------------------------------------------------------------- operands --
  logic                   m_valid, fire;
  beat_t                  m;
  logic                   m_ready;
  logic [Lanes-1:0][31:0] m_a, m_b;
  logic [LineW-1:0]       m_d_line;
  logic [32*Lanes-1:0]    acc_row;
  logic                   ops_idle;
  logic                   g_valid, g_ready, g_fire;
  beat_t                  g;
  logic [Lanes-1:0][15:0] g_idx;
  logic [Lanes-1:0][31:0] g_data, gathered;

  ow_engine_operands #(.Lanes(Lanes), .LineSlots(LineSlots), .Gather(Tile.gather)) u_operands (
    .clk_i, .rst_i,
    .plan_i(rd), .line_i(rd_line),
    .need_i({rd_need[2][VecBytes-1:0], rd_need[1][VecBytes-1:0], rd_need[0][VecBytes-1:0]}),
    .two_i(rd_two), .pend_i(rd_pend),
    .hit_o(rd_hit), .fresh_o(rd_fresh), .room_o(rd_room), .commit_i(issue_data),
    .wr_i(slot_alloc), .wr_line_i(rd_line[2]), .wr_be_i(be), .forget_i(launch),
    .rd0_req_o, .rd0_addr_o, .rd0_gnt_i, .rd0_rvalid_i, .rd0_rdata_i,
    .rd1_req_o, .rd1_addr_o, .rd1_gnt_i, .rd1_rvalid_i, .rd1_rdata_i,
    .m_valid_i(m_valid), .m_i(m), .ready_o(m_ready), .fire_i(fire), .acc_row_i(acc_row),
    .g_valid_i(g_valid), .g_i(g), .g_ready_o(g_ready), .g_fire_i(g_fire),
    .g_idx_o(g_idx), .g_data_o(g_data), .gathered_i(gathered),
    .a_o(m_a), .b_o(m_b), .d_line_o(m_d_line), .idle_o(ops_idle)
  );

  // ---------------------------------------------------------------------- queue of beats, M --
  beat_t      bq_q [BeatSlots];
  slot_t      bq_rp_q, bq_wp_q;
  beat_t      m_q;               // the oldest one
  logic       early_out;         // the beat in M leaves from there,
  logic       early_hold;        // .. in the next cycle
  logic       m_wait;            // it waits for a result that is under way

  assign m_valid = bq_cnt_q != '0;

  assign m = m_q;  // 0 without a beat

  // Beats with indices, between I and M: the oldest that has not asked for its elements asks, once
  // its indices are there, and the beats before it do not need what it takes (the streams and their
  // selection).
  logic       g_req_ready, g_rsp_valid, g_rsp_fault, m_indexed;
  logic [23:0] g_rsp_addr;
  logic [BeatSlots-1:0] asked_q;   // of the beats in the queue
  logic [BeatW:0]       to_ask_q;  // beats that have not asked
  slot_t                g_slot;
  res_t       m_r;        // of m, or what a fault leaves of it
  logic       m_killed;

  always_comb begin : ask
    slot_t      s;
    logic       before_b, before_a;  // needed by a beat before
    g = '0;
    g_valid = 1'b0;
    g_slot = '0;
    s = '0;
    before_a = 1'b0;
    before_b = 1'b0;
    if (to_ask_q != '0) begin
      for (int unsigned i = 0; i < BeatSlots; i++) begin
        s = bq_rp_q + slot_t'(i);
        if ((BeatW+1)'(i) < bq_cnt_q && !g_valid) begin
          if (is_indexed(bq_q[s].unit) && !asked_q[s]) begin
            g_valid = 1'b1;
            g_slot = s;
          end else if (bq_q[s].data) begin
            if (!is_indexed(bq_q[s].unit)) before_b = 1'b1;
            if (!(bq_q[s].unit inside {UNIT_GATHER, UNIT_SCATTER})) before_a = 1'b1;
          end
        end
      end
      if (g_valid) g = bq_q[g_slot];
      if (before_b || (before_a && g.unit == UNIT_SCATTER)) g_valid = 1'b0;
    end
  end

  // Elements at indices are no operands whose lines are compared with the write buffer: what was
  // launched while a line of a completed instruction is still to come waits for that. Nobody can
  // know in the first cycle of hold that it is complete.
  tmask_t     looks_q;
  logic       held_q;
  logic       g_held;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      looks_q <= '0;
      held_q <= 1'b0;
    end else begin
      if (held_q != hold) held_q <= hold;
      if (looks_q != '0 || (launch && hold)) begin
        looks_q <= !hold ? '0 : looks_q | (held_q ? l_hot : '0);
      end
    end
  end

  assign g_held = hold && looks_q[tid_t'(g.r.thread)];
  assign g_fire = g_ready && g_req_ready && !g_held;
  assign m_indexed = m_valid && m.data && is_indexed(m.unit);
  assign m_killed = m_indexed && (g_rsp_fault || kill[tid_t'(m.r.thread)]);

  always_comb begin
    m_r = m.r;
    if (m_killed) begin
      m_r.kill = 1'b1;
      m_r.mask = '0;
      m_r.acc_we = 1'b0;
      m_r.cut = m.r.last;
      m_r.out_close = 1'b0;
    end
  end

  /* verilator lint_off UNUSEDSIGNAL */ // the queue of beats knows
  logic g_we_unused, g_tag_unused, g_idle_unused;
  /* verilator lint_on UNUSEDSIGNAL */

  if (Tile.gather) begin : gen_gather
    ow_gather #(.SramBytes(SramBytes), .Lanes(Lanes), .TagW(1)) u_gather (
      .clk_i, .rst_i,
      .req_valid_i(g_ready && !g_held), .req_ready_o(g_req_ready),
      .req_we_i(g.unit == UNIT_SCATTER), .req_w32_i(g.src inside {DF_F32, DF_I32}),
      .req_base_i(g.base),
      .req_mask_i(kill[tid_t'(g.r.thread)] ? '0 : g.mask[Lanes-1:0]),
      .req_idx_i(g_idx), .req_wdata_i(g_data), .req_tag_i(1'b0),
      .rsp_valid_o(g_rsp_valid), .rsp_ready_i(fire && m_indexed), .rsp_we_o(g_we_unused),
      .rsp_fault_o(g_rsp_fault), .rsp_addr_o(g_rsp_addr), .rsp_tag_o(g_tag_unused),
      .rsp_data_o(gathered),
      .mem_req_o(gth_req_o), .mem_we_o(gth_we_o), .mem_row_o(gth_row_o), .mem_be_o(gth_be_o),
      .mem_wdata_o(gth_wdata_o), .mem_gnt_i(gth_gnt_i), .mem_rdata_i(gth_rdata_i),
      .idle_o(g_idle_unused)
    );
  end else begin : gen_no_gather
    assign g_req_ready = 1'b0;
    assign {g_rsp_valid, g_rsp_fault, g_rsp_addr, gathered} = '0;
    assign {g_we_unused, g_tag_unused, g_idle_unused} = '0;
    assign {gth_req_o, gth_we_o, gth_row_o, gth_be_o, gth_wdata_o} = '0;
    logic unused;
    assign unused = ^{g_data, g_idx, gth_gnt_i, gth_rdata_i};
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      asked_q <= '0;
      to_ask_q <= '0;
    end else if (to_ask_q != '0 || (issue_pipe && is_indexed(beat.unit))) begin
      if (issue_pipe) asked_q[bq_wp_q] <= 1'b0;
      if (g_fire) asked_q[g_slot] <= 1'b1;
      if ((issue_pipe && is_indexed(beat.unit)) != g_fire) begin
        to_ask_q <= g_fire ? to_ask_q - 1'b1 : to_ask_q + 1'b1;
      end
    end
  end

  always_comb begin
    fire = 1'b0;
    if (m_valid && m_ready) begin
      fire = 1'b1;
      if (m_indexed && !(asked_q[bq_rp_q] && g_rsp_valid)) fire = 1'b0;
      if (m_wait) fire = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      bq_rp_q <= '0;
      bq_wp_q <= '0;
      bq_cnt_q <= '0;
      m_q <= '0;
    end else begin
      if (fire || (!m_valid && issue_pipe)) begin
        if (bq_cnt_q > (BeatW+1)'(1)) m_q <= bq_q[bq_rp_q + slot_t'(1)];
        else m_q <= issue_pipe ? beat_d : '0;
      end
      if (issue_pipe) begin
        bq_q[bq_wp_q] <= beat_d;
        bq_wp_q <= bq_wp_q + 1'b1;
      end
      if (fire) bq_rp_q <= bq_rp_q + 1'b1;
      if (issue_pipe != fire) bq_cnt_q <= fire ? bq_cnt_q - 1'b1 : bq_cnt_q + 1'b1;
    end
  end

  // ------------------------------------------------------------------------------- datapath --
  logic [Lanes-1:0][31:0] addend, dp_result;
  logic                   late_valid;
  logic [31:0]            late;
  logic                   p_acc;    // the addend of this cycle is in the accumulator cache
  logic [3:0]             p_row;
  logic [1:0]             m_back;
  logic                   src_under_way;
  /* verilator lint_off UNUSEDSIGNAL */ // both are valid together
  logic [1:0]             nlf_valid;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [1:0][15:0]       nlf_y;
  logic                   r_valid, beat_end, late_end, flight_idle;
  /* verilator lint_off UNUSEDSIGNAL */ // small engines have fewer threads
  res_t                   r;
  logic [3:0]             beat_end_thread, late_end_thread;
  wslot_t                 told_slot;
  /* verilator lint_on UNUSEDSIGNAL */

  ow_engine_flight #(.Lanes(Lanes)) u_flight (
    .clk_i, .rst_i,
    .m_valid_i(m_valid), .m_i(m), .wait_o(m_wait), .back_o(m_back), .fire_i(fire),
    .early_i(early_out || early_hold), .res_i(m_r), .d_line_i(m_d_line),
    .p_acc_o(p_acc), .p_row_o(p_row), .acc_row_i(acc_row), .addend_o(addend),
    .late_valid_i(late_valid), .nlf_valid_i(nlf_valid[0]), .r_valid_o(r_valid), .r_o(r),
    .ended_o(beat_end), .ended_thread_o(beat_end_thread), .tell_i(tell),
    .told_o(told), .told_slot_o(told_slot),
    .late_ended_o(late_end), .late_ended_thread_o(late_end_thread),
    .src_row_i(src_row), .src_words_i(src_words), .src_under_way_o(src_under_way),
    .sends_o(sends), .writes_o(writes), .late_o(lates), .late_soon_o(late_soon),
    .idle_o(flight_idle)
  );

  // Such a beat is put off once, for as long as a result takes, so that those of other threads go
  // before it; if that was not enough, it waits in stage M.
  logic [1:0] put_off_q;  // cycles that are left
  tmask_t     was_off_q;  // whose beat has been put off

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      put_off_q <= '0;
      off_q <= '0;
      was_off_q <= '0;
    end else begin
      if (acc_hazard) begin
        put_off_q <= 2'd3;
        off_q <= s_hot;
      end else if (put_off_q != 2'd0) begin
        put_off_q <= put_off_q - 2'd1;
        if (put_off_q == 2'd1) off_q <= '0;
      end
      if (acc_hazard) was_off_q <= was_off_q | s_hot;
      else if (issue_data && was_off_q != '0) was_off_q <= was_off_q & ~s_hot;
    end
  end

  always_comb begin
    acc_meets = 1'b0;
    if (src_acc && (was_off_q & s_hot) == '0) begin
      acc_meets = src_under_way;
      for (int unsigned i = 0; i < BeatSlots; i++) begin
        if ((BeatW+1)'(i) < bq_cnt_q && bq_q[bq_rp_q + slot_t'(i)].r.acc_we &&
            bq_q[bq_rp_q + slot_t'(i)].r.acc_row == src_row &&
            (bq_q[bq_rp_q + slot_t'(i)].r.mask & src_words) != '0) begin
          acc_meets = 1'b1;
        end
      end
    end
  end
  assign acc_hazard = acc_meets && is_data;

  ow_datapath #(.Lanes(Lanes), .Has(Has)) u_datapath (
    .clk_i, .rst_i,
    .valid_i(fire && m.data && m.unit != UNIT_NLF && !(early_out || early_hold)),
    .op_i(m.op), .src_i(m.src), .dst_i(m.dst), .stoch_i(m.stoch),
    .mask_i(m.mask[Lanes-1:0]), .i8_hi_i(m.mask_hi[Lanes-1:0]), .a_i(m_a), .b_i(m_b),
    .red_first_i(m.red_first), .red_last_i(m.red_last), .red_base_i(m.red_base),
    .back_i(m_back), .c_i(addend), .result_o(dp_result), .late_valid_o(late_valid), .late_o(late),
    .prng_we_i, .prng_sel_i, .prng_wdata_i, .prng_rdata_o
  );
  assign prng_busy_o = stoch != '0;

  // Non-linear functions: two elements a beat, in lanes 2k and 2k + 1.
  for (genvar k = 0; k < 2; k++) begin : gen_nlf
    logic [15:0] x;
    always_comb begin
      x = '0;
      if (m.unit == UNIT_NLF) begin
        for (int unsigned l = k; l < Lanes; l += 2) x |= m_a[l][15:0];
      end
    end
    if (Tile.nonlinear) begin : gen_unit
      ow_nlf u_nlf (
        .clk_i, .rst_i,
        .valid_i(fire && m.unit == UNIT_NLF), .fn_i(ow_nlf_pkg::nlf_fn_e'(m.nlf)),
        .bf16_i(m.src == DF_BF16), .x_i(x), .valid_o(nlf_valid[k]), .y_o(nlf_y[k])
      );
    end else begin : gen_none
      assign nlf_valid[k] = 1'b0;
      assign nlf_y[k] = '0;
      logic unused;
      assign unused = ^x;
    end
  end

  // -------------------------------------------------------------------------------- results --
  logic [Lanes-1:0][31:0] r_data;

  always_comb begin
    r_data = dp_result;
    if (late_valid) r_data = {Lanes{late}};
    else if (nlf_valid[0]) r_data = {Lanes / 2{16'd0, nlf_y[1], 16'd0, nlf_y[0]}};
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) late_cnt_q <= '0;
    else if ((issue_data && beat.late && !beat.none) != late_valid) begin
      late_cnt_q <= late_valid ? late_cnt_q - 4'd1 : late_cnt_q + 4'd1;
    end
  end

  ow_acc #(.Lanes(Lanes)) u_acc (
    .clk_i,
    .we_i    (r_valid && r.acc_we),
    .wmask_i (r.mask[Lanes-1:0]),
    .waddr_i (r.acc_row),
    .wdata_i (r_data),
    .raddr_i (p_acc ? p_row : m.src_row),
    .rdata_o (acc_row),
    .raddr2_i(acc_raddr_i),
    .rdata2_o(acc_rdata_o)
  );

  assign row_closed_o = r_valid && r.close;
  assign row_closed_written_o = r.written;

  logic [LineW-1:0] r_line;
  logic             r_fill;
  assign r_fill = r_valid && r.slot_en;
  always_comb begin
    r_line = '0;
    if (early_wr) begin
      if (c.d_sz == 2'd2) r_line = {LineW / 32{head_a.data}};
      else if (v == 5'd2 && !beat.lane0[0]) r_line = {LineW / 32{head_a.data}};
      else if (v == 5'd2) r_line = {LineW / 32{head_a.data[15:0], head_a.data[31:16]}};
      else r_line = {LineW / 16{s_half_a ? head_a.data[31:16] : head_a.data[15:0]}};
    end else if (r_fill) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        unique case (r.sz)
          2'd2: if (l < Lanes / 2) r_line[32*(l % (Lanes/2)) +: 32] = r_data[l];
          2'd1: r_line[16*l +: 16] = r_data[l][15:0];
          default: begin
            r_line[8*l +: 8] = r_data[l][7:0];
            r_line[8*(l+Lanes) +: 8] = r_data[l][7:0];
          end
        endcase
      end
    end
  end

  logic       wq_any, wq_head, wq_first, wq_done;
  wslot_t     wq_head_slot, wq_first_slot;
  /* verilator lint_off UNUSEDSIGNAL */ // small engines have fewer threads
  logic [3:0] wq_done_thread;
  /* verilator lint_on UNUSEDSIGNAL */

  ow_engine_writes #(.Lanes(Lanes), .Slots(WriteSlots)) u_writes (
    .clk_i, .rst_i,
    .full_o(wq_full), .one_o(wq_one), .any_o(wq_any),
    .alloc_i(slot_alloc), .alloc_line_i(rd_line[2]), .alloc_be_i(be),
    .alloc_last_i(beat.r.last), .alloc_thread_i(4'(s_t)), .alloc_slot_o(slot),
    .rd_i(rd), .rd_hit_i(rd_hit), .rd_line_i(rd_line), .rd_two_i(rd_two),
    .rd_need_i(rd_need),
    .hazard_o(hazard), .hazard_slot_o(hazard_slot), .pend_o(rd_pend),
    .fill_i(r_fill || early_wr), .fill_slot_i(early_wr ? slot : r.slot), .fill_data_i(r_line),
    .fill_kill_i(r_fill && r.kill),
    .rd0_req_i(rd0_req_o), .rd0_addr_i(rd0_addr_o), .rd1_req_i(rd1_req_o),
    .rd1_addr_i(rd1_addr_o), .gth_req_i(gth_req_o),
    .wr_req_o, .wr_addr_o, .wr_be_o, .wr_wdata_o, .wr_gnt_i,
    .head_o(wq_head), .head_slot_o(wq_head_slot), .first_o(wq_first),
    .first_slot_o(wq_first_slot), .done_o(wq_done),
    .done_thread_o(wq_done_thread),
    .told_i(told), .told_slot_i(told_slot), .hold_o(hold), .host_waits_i, .tell_o(tell),
    .look_i({look_addr_i[1][23:OffW], look_addr_i[0][23:OffW]}), .hold_look_o
  );

  // --------------------------------------------------------------------------- output queues --
  logic                   o_valid_q;
  /* verilator lint_off UNUSEDSIGNAL */ // what concerns the output
  res_t                   o_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Lanes-1:0][31:0] o_data_q;
  logic                   pk_done, pk_idle;
  tid_t                   pk_thread;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      o_valid_q <= 1'b0;
    end else if (r_valid && r.out) begin
      o_valid_q <= 1'b1;
      o_q <= r;
      o_data_q <= r_data;
    end else if (early_hold) begin
      o_valid_q <= 1'b1;
      o_q <= m.r;
      o_data_q <= m_a;
    end else if (o_valid_q) begin
      o_valid_q <= 1'b0;
    end
  end

  // Moves leave from stage M when nothing is ahead of them: those that skip zeros in the next cycle,
  // as what is skipped is looked at in a cycle of its own.
  /* verilator lint_off UNUSEDSIGNAL */ // what concerns the output
  res_t pk;
  /* verilator lint_on UNUSEDSIGNAL */
  logic may_early;
  assign may_early = m.data && m.raw && m.r.out && !sends && !late_valid;
  assign early_out = fire && may_early && !m.r.skip && !o_valid_q;
  assign early_hold = fire && may_early && m.r.skip;
  always_comb begin
    pk = o_q;
    if (!o_valid_q) pk = m.r;
  end

  ow_pack #(.Lanes(Lanes), .NumThreads(NumThreads), .QueueDepth(QueueDepth),
            .Slots(PackSlots)) u_pack (
    .clk_i, .rst_i,
    .alloc_ready_o(out_ready), .alloc_more_o(out_more),
    .alloc_valid_i(issue_pipe && beat.r.out), .alloc_q_i(c.d_q),
    .vec_valid_i(o_valid_q || early_out), .vec_q_i(pk.out_q), .vec_thread_i(tid_t'(pk.thread)),
    .vec_w32_i(pk.sz == 2'd2), .vec_tag_i(pk.tag), .vec_skip_i(pk.skip),
    .vec_float_i(pk.flt), .vec_mask_i(o_q.mask[Lanes-1:0]), .vec_data_i(o_data_q),
    .raw_i(!o_valid_q), .raw_mask_i(m.r.mask[Lanes-1:0]), .raw_data_i(m_a),
    .vec_idx_i(pk.idx), .vec_last_i(pk.out_end), .vec_drop_i(pk.cut),
    .vec_close_i(pk.out_end && pk.out_close), .vec_row_end_i(pk.row_end), .vec_stream_end_i(pk.stream_end),
    .outq_level_i, .push_o(eng_push_o), .q_o(eng_q_o), .data_o(eng_data_o),
    .done_valid_o(pk_done), .done_thread_o(pk_thread), .idle_o(pk_idle)
  );

  // ---------------------------------------------------------------------------- thread table --
  logic        save, dsr_used, table_idle;
  logic [4:0]  save_dsr;
  logic [23:0] save_addr;
  tid_t        show_t;
  /* verilator lint_off UNUSEDSIGNAL */ // operation, kinds and queues only
  ctx_t        show;
  /* verilator lint_on UNUSEDSIGNAL */

  ow_engine_threads #(.NumThreads(NumThreads)) u_threads (
    .clk_i, .rst_i,
    .l_hot_i(l_hot), .l_thread_i(l_t), .l_ctx_i(l_ctx), .l_walk_i(l_walk), .l_own_i(l_own),
    .l_save_i(l_save), .l_scal_i(tensor_i.scalar), .l_pc_i(tensor_i.pc),
    .l_done_i(tensor_i.ctl.done), .l_task_i(tensor_i.ctl.task_id),
    .l_bad_thread_i(l_bad_thread), .l_number_i(tensor_i.ctl.thread),
    .l_sync_i(red_start_o && tensor_i.ctl.thread == 4'd0),
    .pick_i(any), .pick_hot_i(pick_hot), .pick_thread_i(pick_t), .pick_dsr_o(pick_dsr),
    .s_valid_o(s_valid), .s_hot_o(s_hot), .s_thread_o(s_t), .s_ctx_o(c), .s_walk_o(s_walk),
    .s_scal_o(s_scal), .s_live_o(s_live), .s_ending_o(s_ending), .s_started_o(s_started),
    .s_kill_o(s_kill), .s_half_a_o(s_half_a), .s_half_b_o(s_half_b),
    .s_locked_out_o(s_locked_out),
    .i_data_i(issue_data), .i_walk_i(walk_d), .i_half_a_i(half_a_d), .i_half_b_i(half_b_d),
    .i_sent_i(issue_data && beat.r.out), .i_red_last_i(beat.red_last),
    .i_wait_i(hazard && is_data), .i_wait_slot_i(hazard_slot),
    .i_ending_i(issue && stream_end), .i_finish_i((issue_data && all_end) || (issue && is_end)),
    .i_end_i(issue && is_end), .i_fault_i(fault), .i_fault_addr_i(fault_addr),
    .kill_i(fire && m_indexed && g_rsp_fault), .kill_thread_i(m.r.thread),
    .kill_addr_i(g_rsp_addr),
    .head_i(wq_head), .head_slot_i(wq_head_slot), .first_i(wq_first),
    .first_slot_i(wq_first_slot),
    .end_mem_i(wq_done), .end_mem_thread_i(wq_done_thread),
    .end_beat_i(beat_end), .end_beat_thread_i(beat_end_thread),
    .end_late_i(late_end), .end_late_thread_i(late_end_thread),
    .end_out_i(pk_done), .end_out_thread_i(pk_thread),
    .save_o(save), .save_dsr_o(save_dsr), .save_addr_o(save_addr),
    .done_valid_o, .done_kind_o, .done_task_o, .sync_done_o(tensor_sync_done_o),
    .wtrig_done_o(wtrig_done),
    .active_o(active), .live_o(live), .ending_o(ending), .kill_o(kill), .wait_o(waits),
    .memdst_o(memdst), .sticky_o(sticky), .prio_o(prio), .red_o(red), .red_lock_o(red_lock),
    .stoch_o(stoch), .wtrig_o(wtrig), .in_use_o(in_use), .two_o(two), .two_a_o(two_a),
    .out_use_o(out_use), .fifos_used_o(fifos_used), .fifo_rd_o(fifo_rd), .fifo_wr_o(fifo_wr),
    .own_o(own),
    .fault_o, .fault_pc_o, .fault_addr_o,
    .show_i(show_t), .show_ctx_o(show), .dsr_i(dsr_idx_i), .dsr_used_o(dsr_used),
    .idle_o(table_idle)
  );

  // ------------------------------------------------------------------- descriptors, FIFOs --
  /* verilator lint_off UNUSEDSIGNAL */ // kind and number
  logic [31:0] dsr_rdata;
  dsr0_t       dsr_kind;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [15:0] fifo_count;
  logic        is_fifo;

  assign dsr_ready_o = !(dsr_we_i && (save || dsr_used));

  ow_engine_dsr #(.Dsrs(32'(Tile.dsrs) + 1)) u_dsr (
    .clk_i, .rst_i,
    .we_i(dsr_we_i && dsr_ready_o), .idx_i(dsr_idx_i), .word_i(dsr_word_i),
    .wdata_i(dsr_wdata_i), .rdata_o(dsr_rdata), .kind_word_o(dsr_kind),
    .save_i(save), .save_idx_i(save_dsr), .save_addr_i(save_addr),
    .l_any_i(tensor_valid_i),
    .l_idx_i(tensor_valid_i ? {tensor_i.ctl.dst, tensor_i.ctl.b, tensor_i.ctl.a} : 15'd0),
    .l_w0_o(l_w0), .l_w1_o(l_w1), .l_w2_o(l_w2), .l_w3_o(l_w3),
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
      .a_n_i(c.a_q[1:0]), .a_sz_i(c.a_sz), .a_addr_o(fifo_a), .a_room_o(fifo_a_n),
      .a_move_i(issue_data && c.a_fifo),
      .b_n_i(c.b_q[1:0]), .b_sz_i(c.b_sz), .b_addr_o(fifo_b), .b_room_o(fifo_b_n),
      .b_move_i(issue_data && c.b_fifo),
      .d_n_i(c.d_q[1:0]), .d_sz_i(c.d_sz), .d_addr_o(fifo_d), .d_room_o(fifo_d_n),
      .d_move_i(issue_data && c.d_fifo && !beat.none), .v_i(v), .d_one_i(c.red),
      .count_n_i(dsr_kind.queue_no[1:0]), .count_o(fifo_count),
      .none_o(fifo_none), .empty_o(fifo_empty), .full_o(fifo_full)
    );
  end else begin : gen_no_fifos
    assign {fifo_a, fifo_b, fifo_d, fifo_a_n, fifo_b_n, fifo_d_n, fifo_count} = '0;
    assign {fifo_none, fifo_empty, fifo_full} = '1;
  end

  // ---------------------------------------------------------------------------------- status --
  assign hold_o = hold;
  // What is counted, a cycle later.
  counter_e cause, cause_q;
  logic     ev_beat_q, ev_weight_q;

  always_comb begin
    cause = CTR_NO_WORK;
    if (issue) cause = CTR_BEATS;
    else if (active == '0) cause = CTR_NO_WORK;
    else if (go || bq_cnt_q >= (BeatW+1)'(BeatSlots - 1)) cause = CTR_STALL_MEMORY;
    else if (any || live == '0) cause = CTR_BEATS;  // beats are in the pipeline
    else if ((live & blk_row & ~blk_weight & ~ending) != '0) cause = CTR_STALL_ROW;
    else if ((live & blk_mem) != '0) cause = CTR_STALL_MEMORY;
    else if ((live & blk_out) != '0) cause = CTR_STALL_OUTPUT;
    else cause = CTR_STALL_INPUT;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ev_beat_q <= 1'b0;
      ev_weight_q <= 1'b0;
      cause_q <= CTR_NO_WORK;
    end else begin
      ev_beat_q <= issue_data;
      ev_weight_q <= issue_data && c.wtrig && v_end;
      cause_q <= cause;
    end
  end

  assign ev_beat_o = ev_beat_q;
  assign ev_weight_o = ev_weight_q;
  assign cause_o = cause_q;

  logic show_ok;
  assign show_ok = {1'b0, thread_sel_i} < 5'(NumThreads);
  assign show_t = show_ok ? tid_t'(thread_sel_i) : '0;

  always_comb begin
    thread_reg_t state;
    state = '{waits: WAIT_NOTHING, default: '0};
    if (show_ok && active[show_t]) begin
      state.active = 1'b1;
      state.operation = show.op;
      if (live[show_t] && !ready[show_t] && !(s_live && s_hot[show_t])) begin
        if (blk_out[show_t]) begin
          state.waits = WAIT_OUTPUT;
          state.queue_no = {1'b0, show.d_q};
        end else if (blk_weight[show_t] || blk_in[show_t]) begin
          state.waits = WAIT_INPUT;
          state.queue_no = {1'b0, show.wtrig || show.a_kind != SRC_FAB ||
                                  (show.b_kind == SRC_FAB && inq_valid_i[show.a_q])
                                  ? show.b_q : show.a_q};
        end else if (blk_row[show_t]) begin
          state.waits = WAIT_ROW;
        end else begin
          state.waits = WAIT_MEMORY;
        end
      end
    end
    thread_state_o = state;
  end

  assign idle_o = !any && w_idle && !m_valid && ops_idle && flight_idle && off_q == '0 &&
                  late_cnt_q == '0 && !ev_beat_q && cause_q == cause && !wq_any && !o_valid_q &&
                  pk_idle && table_idle &&
                  halt_q == halt_i && !(dsr_we_i && dsr_ready_o) && !prng_we_i &&
                  !(tensor_valid_i && tensor_ready_o) && !row_free_i && !rst_i;

  // ------------------------------------------------------------------------------ assertions --
  `OW_ASSERT(outq_space, !eng_push_o || outq_level_i[eng_q_o] < 4'(QueueDepth),
             "push into a full output queue")
  `OW_ASSERT(pop_valid, (inq_pop_o & ~inq_valid_i) == '0, "pop from an empty input queue")
endmodule
