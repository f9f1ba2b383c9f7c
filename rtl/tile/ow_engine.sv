// SPDX-License-Identifier: Apache-2.0
// Tensor engine: threads, and the pipeline that their beats go through.
//
// What it does. An instruction names up to three descriptors and a thread; the thread walks their
// iteration space in beats of up to Lanes elements (docs/isa.md). Each cycle one thread that can
// issue plans one beat. Ready means: fabric operands are there, the output can take a vector, the
// write buffer has a free slot, the accumulator row is free. A thread that is not ready never holds
// the issue.
//
//   ow_engine_decode    an instruction and its descriptors become a thread's context
//   ow_engine_dsr       descriptors                ow_engine_fifos    circular buffers in memory
//   ow_engine_sched     which thread               ow_engine_plan     its beat
//   ow_engine_weights   axpyw, dotw: wavelets and rows
//   ow_engine_operands  three streams of lines (ow_engine_stream), elements for the lanes
//   ow_datapath         the arithmetic             ow_acc             accumulator cache
//   ow_gather           elements at indices        ow_nlf             non-linear functions
//   ow_engine_writes    write buffer               ow_pack            vectors to wavelets
//
// Pipeline, by the cycle of a beat:
//   I   thread, plan, first SRAM request; the beat enters a queue
//   M   the oldest beat, when its lines are there (the cycle after I at the earliest): elements
//       into lanes (lane = position in the destination's line), multiply
//   A   addend (accumulator cache, or the destination's line), add, round; the accumulator cache,
//       the write buffer or the vector to the output is written
//   W   the write buffer writes SRAM; the vector goes through ow_pack
// So beats are planned ahead of their data, and the streams slip against each other and the writes
// until they want different banks. A dependent accumulate can follow in the next cycle. Reductions
// finish RED_LATENCY cycles after M; the place for their result is kept free (resv_q).
//
// Throughput, in cycles a beat: 1 with up to two vectors to read and one to write, 1.5 with three to
// read, whatever their alignment, once the streams have slipped apart (a few cycles an instruction,
// and where other requestors disturb). A beat that reads bytes whose write is under way is planned
// when they are in the SRAM; other threads go on meanwhile. axpyw: n / Lanes beats a weight; a row
// end costs nothing if it directly follows a weight, else 1 cycle. Control wavelets elsewhere: 1
// cycle; an end that is not the last beat: 1.
//
// Fabric operands: a pair of 16-bit elements a wavelet, lower half first; pairs run across inner
// vectors. A control wavelet in a stream that is consumed is taken (1 cycle) and is no element;
// with the stream-end bit it ends the instruction, counted or not. With two fabric operands, that
// of a comes first and does not wait for b.
//
// One wavelet-triggered instruction runs at a time, one stochastic rounding, and one inner vector of
// a reduction (its partial sums are in the datapath): launches of the first two wait, threads with a
// reduction wait between inner vectors. A launch also waits while a queue that it reads belongs to
// a running thread. axpyw: the ring starts at slot 0 with each instruction, whose first beat waits
// until all rows that were closed before have been freed. Row slots are contiguous, dst dimension 0
// words each.
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
// docs/isa.md. Thread numbers from NumThreads on are fault 1. halt_i stops all issue.
//
//   Lanes       16-bit lanes: 2, 4 or 8. Bits do not depend on it
//   SramBytes   size of the SRAM, for the range check
//   NumThreads  contexts, 2 to 13; thread 0 is the task thread
//   QueueDepth  slots of an output queue, 2 to 15
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

  // Status. thread_state_o is the THREAD word of thread_sel_i.
  output logic [31:0]           fault_o,       // [31] fault, [7:4] thread, [3:0] cause
  output logic [31:0]           fault_pc_o,
  output logic [23:0]           fault_addr_o,
  input  logic [3:0]            thread_sel_i,
  output logic [31:0]           thread_state_o,
  output logic                  ev_beat_o,    // a beat issues
  output logic                  ev_weight_o,  // the last beat of a weight issues
  output logic [2:0]            cause_o,      // stall cause of this cycle
  output logic                  idle_o        // nothing changes at this edge, given these inputs
);

  `OW_ASSERT_INIT(lanes_2_4_8, Lanes == 2 || Lanes == 4 || Lanes == 8)
  `OW_ASSERT_INIT(threads_2_to_13, NumThreads >= 2 && NumThreads <= 13)
  `OW_ASSERT_INIT(queue_depth, QueueDepth >= 2 && QueueDepth <= 15)

  // Reductions and functions share the places of their results.
  `OW_ASSERT_INIT(late_together, RED_LATENCY == ow_nlf_pkg::NLF_LATENCY)

  localparam int unsigned LineW = 8 * VecBytes;       // bits a line
  localparam int unsigned OffW = $clog2(VecBytes);    // offset bits in a line
  localparam int unsigned TagW = 24 - OffW;           // line number

  localparam int unsigned BeatSlots = Lanes == 8 ? 8 : 4;  // planned beats
  localparam int unsigned BeatW = $clog2(BeatSlots);

  typedef logic [NumThreads-1:0] tmask_t;
  typedef logic [BeatW-1:0] slot_t;
  typedef logic [ThreadW-1:0] tid_t;

  // -------------------------------------------------------------------------------- threads --
  ctx_t        ctx_q    [NumThreads];
  logic [23:0] a_addr_q [NumThreads];
  logic [23:0] b_addr_q [NumThreads];
  logic [23:0] d_addr_q [NumThreads];
  logic [63:0] cnt_q    [NumThreads];  // loop counters, dimension 0 in the low 16 bits
  logic [15:0] seq_q    [NumThreads];  // elements (results) so far
  logic [31:0] scal_q   [NumThreads];
  logic [31:0] pc_q     [NumThreads];
  logic [3:0]  fcode_q  [NumThreads];  // fault found at the launch
  logic [6:0]  done_q   [NumThreads];  // completion action: task, kind
  logic [2:0]  save_q   [NumThreads];  // addresses still to be saved: dst, b, a

  tmask_t active_q;     // launched, not yet complete
  tmask_t live_q;       // has something to issue
  tmask_t ending_q;     // only the end is left to issue
  tmask_t abort_q;      // stopped by a fault
  tmask_t kill_q;       // .. of an index: results behind it go nowhere
  tmask_t started_q;    // has sent something to its output queue
  tmask_t half_a_q, half_b_q;  // the lower half of a pair is done
  tmask_t wait_q;       // waits for a write to reach the SRAM
  tmask_t memdst_q;     // writes SRAM
  tmask_t sticky_q;     // no fabric operands
  tmask_t prio_q;
  tmask_t red_q;        // runs a reduction
  tmask_t stoch_q;      // rounds stochastically
  tmask_t wtrig_q;      // runs axpyw or dotw
  tmask_t donep_q;      // complete; saving addresses, completion action
  tmask_t in_use_q  [8];  // threads that need a wavelet of input queue q to issue
  tmask_t two_q;          // threads with two fabric operands ..
  tmask_t two_a_q [8];    // .. of which a is input queue q
  tmask_t out_use_q [8];  // threads that send to output queue q
  tmask_t fifo_rd_q [4];  // threads that take from, add to FIFO n
  tmask_t fifo_wr_q [4];
  tmask_t waiters_q [16];  // threads that wait for write buffer slot s
  tmask_t red_lock_q;     // the thread whose inner vector is being reduced
  logic [7:0] own_q;
  logic       fifos_used_q;

  logic [31:0] fault_q;
  logic [31:0] fault_pc_q;
  logic [23:0] fault_addr_q;
  logic        sync_q;

  // --------------------------------------------------------------------------------- helpers --
  function automatic tid_t index_of(input tmask_t x);
    tid_t r;
    r = '0;
    for (int unsigned t = 0; t < NumThreads; t++) begin
      if (x[t]) r = r | tid_t'(t);
    end
    return r;
  endfunction

  function automatic logic is_indexed(input unit_e u);
    return u inside {UNIT_GATHER, UNIT_SCATTER, UNIT_FMAG};
  endfunction

  function automatic tmask_t lowest(input tmask_t x);
    return x & (~x + tmask_t'(1));
  endfunction

  // --------------------------------------------------------------------------------- choice --
  tmask_t     ctrl_a, blk_in, blk_out, blk_mem, blk_row, blk_weight, blk_fifo, blk_red, ready;
  tmask_t     pick_hot;
  logic       any;
  tid_t       p;
  logic [7:0] out_ready;
  logic       wq_full;
  logic       w_valid, w_blocked;
  logic [3:0] fifo_empty, fifo_full;
  logic [BeatW:0] bq_cnt_q;
  logic       take;

  always_comb begin
    ctrl_a = '0;
    blk_in = '0;
    blk_out = '0;
    blk_mem = '0;
    blk_row = '0;
    blk_weight = '0;
    blk_fifo = '0;
    blk_red = '0;
    ready = '0;
    if (live_q != '0) begin
      for (int unsigned q = 0; q < 8; q++) begin
        if (!inq_valid_i[q]) blk_in = blk_in | in_use_q[q];
        if (!out_ready[q]) blk_out = blk_out | out_use_q[q];
      end
      // A control wavelet at operand a does not wait for operand b.
      if (two_q != '0) begin
        for (int unsigned q = 0; q < 8; q++) begin
          if (inq_valid_i[q] && inq_head_i[q].ctrl) ctrl_a = ctrl_a | two_a_q[q];
        end
        blk_in = blk_in & ~ctrl_a;
      end
      if (fifos_used_q) begin
        for (int unsigned n = 0; n < 4; n++) begin
          if (fifo_empty[n]) blk_fifo = blk_fifo | fifo_rd_q[n];
          if (fifo_full[n]) blk_fifo = blk_fifo | fifo_wr_q[n];
        end
      end
      blk_mem = wait_q | (wq_full ? memdst_q : '0);
      if (w_blocked) blk_row = wtrig_q;
      if (!w_valid) blk_weight = wtrig_q;
      if (red_lock_q != '0) blk_red = red_q & ~red_lock_q;
      if (bq_cnt_q != (BeatW+1)'(BeatSlots) && !halt_i) begin
        ready = live_q & ~blk_out & ~blk_mem &
                (ending_q | ~(blk_in | blk_row | blk_weight | blk_fifo | blk_red));
      end
    end
  end

  ow_engine_sched #(.NumThreads(NumThreads)) u_sched (
    .clk_i, .rst_i,
    .ready_i(ready), .prio_i(prio_q), .sticky_i(sticky_q), .take_i(take),
    .any_o(any), .pick_o(pick_hot), .thread_o(p)
  );

  // ---------------------------------------------------------------------- plan of the beat --
  ctx_t                       c;
  ramp_t                      head_a, head_b;
  logic                       is_data, is_skip, is_wctrl, is_end, skip_b, stream_end, fold;
  logic [3:0]                 fault;
  logic [23:0]                fault_addr;
  logic [4:0]                 v;
  logic                       v_end, all_end;
  logic [23:0]                a_next, b_next, d_next;
  logic [63:0]                cnt_next;
  logic                       half_a_d, half_b_d, pop_a, pop_b;
  logic [2:0]                 rd;
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
  logic [3:0][31:0]           a_dim, b_dim, d_dim;
  logic [23:0]                aa, ba, da;
  logic                       w_ctrl, w_bad, w2_ctrl, row_first;
  logic [15:0]                w_val, w_idx;
  logic [1:0]                 w2_val;
  logic [23:0]                w_addr, row_addr;
  logic [23:0]                fifo_a, fifo_b, fifo_d;
  logic [4:0]                 fifo_a_n, fifo_b_n, fifo_d_n;

  always_comb begin
    c = '0;
    head_a = '0;
    head_b = '0;
    if (any) begin
      c = ctx_q[p];
      head_a = inq_head_i[c.a_q];
      head_b = inq_head_i[c.b_q];
    end
  end

  always_comb begin
    {aa, ba, da} = '0;
    if (any) begin
      aa = c.wtrig ? w_addr + {7'd0, cnt_q[p][15:0], 1'b0} : c.a_fifo ? fifo_a : a_addr_q[p];
      ba = c.wtrig ? scal_q[p][23:0] + {7'd0, cnt_q[p][15:0], 1'b0}
         : c.b_fifo ? fifo_b : b_addr_q[p];
      da = c.axpyw ? row_addr + {6'd0, cnt_q[p][15:0], 2'd0} : c.d_fifo ? fifo_d : d_addr_q[p];
    end
  end

  ow_engine_plan #(.Lanes(Lanes), .SramBytes(SramBytes)) u_plan (
    .any_i(any), .c_i(c), .thread_i(4'(p)),
    .fcode_i(fcode_q[p]), .ending_i(ending_q[p]), .started_i(started_q[p]),
    .aa_i(aa), .ba_i(ba), .da_i(da), .cnt_i(cnt_q[p]), .seq_i(seq_q[p]),
    .half_a_i(half_a_q[p]), .half_b_i(half_b_q[p]), .scal_i(scal_q[p]),
    .a_dim_i(a_dim), .b_dim_i(b_dim), .d_dim_i(d_dim),
    .head_a_i(head_a), .head_b_i(head_b),
    .w_ctrl_i(w_ctrl), .w_bad_i(w_bad), .w_val_i(w_val), .w_idx_i(w_idx),
    .w2_ctrl_i(w2_ctrl), .w2_val_i(w2_val), .row_first_i(row_first),
    .a_fifo_n_i(fifo_a_n), .b_fifo_n_i(fifo_b_n), .d_fifo_n_i(fifo_d_n),
    .is_data_o(is_data), .is_skip_o(is_skip), .is_wctrl_o(is_wctrl), .is_end_o(is_end),
    .skip_b_o(skip_b), .stream_end_o(stream_end), .fold_o(fold),
    .fault_o(fault), .fault_addr_o(fault_addr), .v_o(v), .v_end_o(v_end), .all_end_o(all_end),
    .a_next_o(a_next), .b_next_o(b_next), .d_next_o(d_next), .cnt_next_o(cnt_next),
    .half_a_o(half_a_d), .half_b_o(half_b_d), .pop_a_o(pop_a), .pop_b_o(pop_b),
    .rd_o(rd), .line_o(rd_line), .need_o(rd_need), .be_o(be), .beat_o(beat)
  );

  // ------------------------------------------------------------------------------- the issue --
  logic                   a_valid_q;  // a beat in stage A
  logic [RED_LATENCY-1:0] resv_q;     // a late result comes in so many cycles
  logic       hazard;
  logic [3:0] hazard_slot, slot;
  logic       issue, issue_data, issue_pipe, early_wr, slot_alloc;
  logic [3:0] late_cnt_q;  // results that will come late
  logic       c_late;
  beat_t      beat_d;

  // What was sent late comes before the end.
  assign issue = any && !(is_data && (hazard || !rd_room)) &&
                 !(is_end && c_late && late_cnt_q != 4'd0);
  assign c_late = c.red || c.unit == UNIT_NLF;
  assign take = any && (issue || hazard || is_end);
  assign issue_data = issue && is_data;
  // Moves from a queue to memory go straight into the write buffer while the pipeline is empty: the
  // wavelet is there, and the byte enables pick its place.
  assign early_wr = issue_data && c.dop == DP_MOV && c.unit == UNIT_NONE && c.a_kind == SRC_FAB &&
                    c.d_kind == SRC_MEM && bq_cnt_q == '0 && !a_valid_q && resv_q == '0;
  assign issue_pipe = issue && (is_data || is_end || beat.r.close) && !early_wr;
  assign slot_alloc = (issue_pipe || early_wr) && c.d_kind == SRC_MEM && !beat.none && (is_data || is_end);

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
  logic       launch;
  ctx_t       l_ctx;
  /* verilator lint_off UNUSEDSIGNAL */ // b has no word 3 here
  logic [2:0][31:0] l_w0, l_w2, l_w3;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [2:0][23:0] l_w1;
  logic [7:0] w_pop;
  logic       w_idle;
  logic       dn_emit;
  tid_t       dn_t;

  ow_engine_weights #(.SramBytes(SramBytes)) u_weights (
    .clk_i, .rst_i,
    .start_i(launch && l_ctx.wtrig), .ring_i(l_ctx.axpyw), .queue_i(l_ctx.b_q),
    .base_i(l_w1[0]), .pitch_i(l_w3[0][31:16]), .slot_base_i(l_w1[2]),
    .slots_i(l_w3[2][15:0] == '0 ? 8'd1 : l_w3[2][7:0]),
    .slot_bytes_i({l_w2[2][13:0], 2'd0}),
    .stop_i(dn_emit && wtrig_q[dn_t]),
    .inq_valid_i, .inq_head_i, .pop_o(w_pop),
    .valid_o(w_valid), .ctrl_o(w_ctrl), .bad_o(w_bad), .val_o(w_val), .idx_o(w_idx),
    .addr_o(w_addr), .second_ctrl_o(w2_ctrl), .second_val_o(w2_val),
    .used_i(!issue || !c.wtrig || is_end ? 2'd0 : fold ? 2'd2 : is_wctrl || v_end ? 2'd1 : 2'd0),
    .close_i(issue && beat.r.close), .product_i(issue_data && c.axpyw && v_end),
    .row_free_i, .row_first_o(row_first), .row_addr_o(row_addr), .blocked_o(w_blocked),
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
  assign inq_owned_o = own_q;

  // ---------------------------------------------------------------------------------- launch --
  logic [3:0]   l_fault, fifo_none;
  logic         l_drain, l_thread_ok;
  tid_t         l_t;
  logic [7:0]   l_own;
  tensor_insn_t insn;

  // Without an instruction the decoder's inputs rest.
  assign insn = tensor_valid_i ? tensor_i : '0;

  ow_engine_decode #(.Lanes(Lanes)) u_decode (
    .valid_i(tensor_valid_i),
    .insn_i (insn),
    .a_w0_i (l_w0[0][16:0]),
    .a_acc_i(l_w1[0][ACC_ADDR_BIT]),
    .a_w2_i (l_w2[0]),
    .b_w0_i (l_w0[1][16:0]),
    .b_acc_i(l_w1[1][ACC_ADDR_BIT]),
    .b_w2_i (l_w2[1]),
    .d_w0_i (l_w0[2][16:0]),
    .d_acc_i(l_w1[2][ACC_ADDR_BIT]),
    .d_w2_i (l_w2[2]),
    .d_rows_i(l_w3[2][15:0]),
    .fifo_none_i(fifo_none),
    .ctx_o  (l_ctx),
    .fault_o(l_fault)
  );

  always_comb begin
    tensor_ready_o = 1'b0;
    l_drain = 1'b0;
    l_thread_ok = 1'b0;
    l_t = '0;
    l_own = '0;
    if (tensor_valid_i && !halt_i) begin
      l_drain = insn.op == TOP_DRAIN;
      l_thread_ok = {1'b0, insn.ctl.thread} < 5'(NumThreads);
      l_t = l_thread_ok ? tid_t'(insn.ctl.thread) : '0;
      if (l_ctx.a_kind == SRC_FAB) l_own[l_ctx.a_q] = 1'b1;
      if (l_ctx.b_kind == SRC_FAB) l_own[l_ctx.b_q] = 1'b1;
      if (!l_thread_ok) tensor_ready_o = 1'b1;
      else if (l_drain) tensor_ready_o = !red_busy_i;
      else begin
        tensor_ready_o = !active_q[l_t] && (l_own & (own_q | red_owned_i)) == '0 &&
                         !(l_ctx.wtrig && wtrig_q != '0) && !(l_ctx.stoch && stoch_q != '0);
      end
    end
    launch = tensor_valid_i && tensor_ready_o && l_thread_ok && !l_drain;
  end

  assign red_start_o = tensor_valid_i && tensor_ready_o && l_thread_ok && l_drain;
  assign red_start_kind_o = insn.ctl.done;
  assign red_start_task_o = insn.ctl.task_id;

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

  ow_engine_operands #(.Lanes(Lanes)) u_operands (
    .clk_i, .rst_i,
    .plan_i(rd), .line_i(rd_line), .need_i(rd_need), .pend_i(rd_pend),
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
  res_t       a_q;
  addend_e    a_d_from_q;
  logic [LineW-1:0] a_d_line_q;
  logic       early_out;         // the beat in M leaves from there
  logic       late_now;          // the result of this beat will come late
  logic [2:0] red_gap_q;         // cycles until another may be started

  assign m_valid = bq_cnt_q != '0;

  always_comb begin
    m = '0;
    if (m_valid) m = bq_q[bq_rp_q];
  end

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

  assign g_fire = g_ready && g_req_ready;
  assign m_indexed = m_valid && m.data && is_indexed(m.unit);
  assign m_killed = m_indexed && (g_rsp_fault || kill_q[tid_t'(m.r.thread)]);

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

  ow_gather #(.SramBytes(SramBytes), .Lanes(Lanes), .TagW(1)) u_gather (
    .clk_i, .rst_i,
    .req_valid_i(g_ready), .req_ready_o(g_req_ready),
    .req_we_i(g.unit == UNIT_SCATTER), .req_w32_i(g.src inside {DF_F32, DF_I32}),
    .req_base_i(g.base),
    .req_mask_i(kill_q[tid_t'(g.r.thread)] ? '0 : g.mask[Lanes-1:0]),
    .req_idx_i(g_idx), .req_wdata_i(g_data), .req_tag_i(1'b0),
    .rsp_valid_o(g_rsp_valid), .rsp_ready_i(fire && m_indexed), .rsp_we_o(g_we_unused),
    .rsp_fault_o(g_rsp_fault), .rsp_addr_o(g_rsp_addr), .rsp_tag_o(g_tag_unused),
    .rsp_data_o(gathered),
    .mem_req_o(gth_req_o), .mem_we_o(gth_we_o), .mem_row_o(gth_row_o), .mem_be_o(gth_be_o),
    .mem_wdata_o(gth_wdata_o), .mem_gnt_i(gth_gnt_i), .mem_rdata_i(gth_rdata_i),
    .idle_o(g_idle_unused)
  );

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
      // One read port of the accumulator cache serves sources in M and addends in A.
      if ((m.a.from == FROM_ACC || m.b.from == FROM_ACC) && a_valid_q &&
          (a_q.acc_we || a_d_from_q == ADD_ACC)) begin
        fire = 1'b0;
      end
      if (!m.none && !m.late && resv_q[1]) fire = 1'b0;
      if (m.red_last && red_gap_q != 3'd0) fire = 1'b0;
    end
  end
  assign late_now = fire && m.late && !m.none;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      bq_rp_q <= '0;
      bq_wp_q <= '0;
      bq_cnt_q <= '0;
      a_valid_q <= 1'b0;
      a_d_from_q <= ADD_NONE;
      resv_q <= '0;
      red_gap_q <= '0;
    end else begin
      if (issue_pipe) begin
        bq_q[bq_wp_q] <= beat_d;
        bq_wp_q <= bq_wp_q + 1'b1;
      end
      if (fire) bq_rp_q <= bq_rp_q + 1'b1;
      if (issue_pipe != fire) bq_cnt_q <= fire ? bq_cnt_q - 1'b1 : bq_cnt_q + 1'b1;
      if (fire && !m.late && !early_out) begin
        a_valid_q <= 1'b1;
        a_q <= m_r;
        a_d_from_q <= m.data ? m.d_from : ADD_NONE;
        if (m.d_from == ADD_MEM || m.d_from == ADD_ZERO) a_d_line_q <= m_d_line;
      end else if (a_valid_q) begin
        a_valid_q <= 1'b0;
        a_d_from_q <= ADD_NONE;
      end
      if (resv_q != '0 || late_now) resv_q <= {late_now, resv_q[RED_LATENCY-1:1]};
      if (fire && m.red_last) red_gap_q <= 3'(RED_INTERVAL - 1);
      else if (red_gap_q != 3'd0) red_gap_q <= red_gap_q - 3'd1;
    end
  end

  // ------------------------------------------------------------------------------- datapath --
  logic [Lanes-1:0][31:0] a_c, dp_result;
  logic                   late_valid;
  logic [31:0]            late;
  logic [3:0]             acc_raddr;

  assign acc_raddr = a_d_from_q == ADD_ACC ? a_q.acc_row : m.src_row;

  always_comb begin
    a_c = '0;
    if (a_valid_q && a_d_from_q != ADD_NONE) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (a_q.mask[l]) begin
          if (a_d_from_q == ADD_ACC) a_c[l] = acc_row[32*l +: 32];
          else if (a_q.sz == 2'd2) a_c[l] = a_d_line_q[32*(l % (Lanes/2)) +: 32];
          else a_c[l] = {16'd0, a_d_line_q[16*l +: 16]};
        end
      end
    end
  end

  ow_datapath #(.Lanes(Lanes)) u_datapath (
    .clk_i, .rst_i,
    .valid_i(fire && m.data && m.unit != UNIT_NLF), .op_i(m.op), .src_i(m.src), .dst_i(m.dst), .stoch_i(m.stoch),
    .mask_i(m.mask[Lanes-1:0]), .i8_hi_i(m.mask_hi[Lanes-1:0]), .a_i(m_a), .b_i(m_b),
    .red_first_i(m.red_first), .red_last_i(m.red_last), .red_base_i(m.red_base),
    .c_i(a_c), .result_o(dp_result), .late_valid_o(late_valid), .late_o(late),
    .prng_we_i, .prng_sel_i, .prng_wdata_i, .prng_rdata_o
  );

  // Non-linear functions: two elements a beat, in lanes 2k and 2k + 1.
  /* verilator lint_off UNUSEDSIGNAL */ // both are valid together
  logic [1:0]       nlf_valid;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [1:0][15:0] nlf_y;
  for (genvar k = 0; k < 2; k++) begin : gen_nlf
    logic [15:0] x;
    always_comb begin
      x = '0;
      if (m.unit == UNIT_NLF) begin
        for (int unsigned l = k; l < Lanes; l += 2) x |= m_a[l][15:0];
      end
    end
    ow_nlf u_nlf (
      .clk_i, .rst_i,
      .valid_i(fire && m.unit == UNIT_NLF), .fn_i(ow_nlf_pkg::nlf_fn_e'(m.nlf)),
      .bf16_i(m.src == DF_BF16), .x_i(x), .valid_o(nlf_valid[k]), .y_o(nlf_y[k])
    );
  end

  // -------------------------------------------------------------------------------- results --
  // Late results find where they go in the order in which they were started.
  res_t       lm_q [8];
  logic [2:0] lm_rp_q, lm_wp_q;
  logic                   r_valid, late_any;
  /* verilator lint_off UNUSEDSIGNAL */ // small engines have fewer threads
  res_t                   r;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Lanes-1:0][31:0] r_data;

  always_comb begin
    late_any = late_valid || nlf_valid[0];
    r_valid = a_valid_q || late_any;
    r = a_q;
    r_data = dp_result;
    if (late_any) begin
      r = lm_q[lm_rp_q];
      r_data = late_valid ? {Lanes{late}} : {Lanes / 2{16'd0, nlf_y[1], 16'd0, nlf_y[0]}};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      lm_rp_q <= '0;
      lm_wp_q <= '0;
      late_cnt_q <= '0;
    end else begin
      if (late_now) begin
        lm_q[lm_wp_q] <= m.r;
        lm_wp_q <= lm_wp_q + 3'd1;
      end
      if (late_any) lm_rp_q <= lm_rp_q + 3'd1;
      if ((issue_data && beat.late && !beat.none) != late_any) begin
        late_cnt_q <= late_any ? late_cnt_q - 4'd1 : late_cnt_q + 4'd1;
      end
    end
  end

  ow_acc #(.Lanes(Lanes)) u_acc (
    .clk_i,
    .we_i    (r_valid && r.acc_we),
    .wmask_i (r.mask[Lanes-1:0]),
    .waddr_i (r.acc_row),
    .wdata_i (r_data),
    .raddr_i (acc_raddr),
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
      else r_line = {LineW / 16{half_a_q[p] ? head_a.data[31:16] : head_a.data[15:0]}};
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

  logic       wq_any, wq_pop, wq_done;
  logic [3:0] wq_pop_slot;
  /* verilator lint_off UNUSEDSIGNAL */ // small engines have fewer threads
  logic [3:0] wq_done_thread;
  /* verilator lint_on UNUSEDSIGNAL */

  ow_engine_writes #(.Lanes(Lanes)) u_writes (
    .clk_i, .rst_i,
    .full_o(wq_full), .any_o(wq_any),
    .alloc_i(slot_alloc), .alloc_line_i(rd_line[2]), .alloc_be_i(be),
    .alloc_last_i(beat.r.last), .alloc_thread_i(4'(p)), .alloc_slot_o(slot),
    .rd_i(rd), .rd_hit_i(rd_hit), .rd_line_i(rd_line), .rd_need_i(rd_need),
    .hazard_o(hazard), .hazard_slot_o(hazard_slot), .pend_o(rd_pend),
    .fill_i(r_fill || early_wr), .fill_slot_i(early_wr ? slot : r.slot), .fill_data_i(r_line),
    .fill_kill_i(r_fill && r.kill),
    .rd0_req_i(rd0_req_o), .rd0_addr_i(rd0_addr_o), .rd1_req_i(rd1_req_o),
    .rd1_addr_i(rd1_addr_o),
    .wr_req_o, .wr_addr_o, .wr_be_o, .wr_wdata_o, .wr_gnt_i,
    .pop_o(wq_pop), .pop_slot_o(wq_pop_slot), .done_o(wq_done),
    .done_thread_o(wq_done_thread)
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
    end else if (o_valid_q) begin
      o_valid_q <= 1'b0;
    end
  end

  // Moves leave from stage M when nothing is ahead of them.
  /* verilator lint_off UNUSEDSIGNAL */ // what concerns the output
  res_t                   pk;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Lanes-1:0][31:0] pk_data;
  assign early_out = fire && m.data && m.raw && m.r.out && !a_valid_q && !o_valid_q && !late_any;
  always_comb begin
    pk = o_q;
    pk_data = o_data_q;
    if (early_out) begin
      pk = m.r;
      pk_data = m_a;
    end
  end

  ow_pack #(.Lanes(Lanes), .NumThreads(NumThreads), .QueueDepth(QueueDepth)) u_pack (
    .clk_i, .rst_i,
    .alloc_ready_o(out_ready), .alloc_valid_i(issue_pipe && beat.r.out), .alloc_q_i(c.d_q),
    .vec_valid_i(o_valid_q || early_out), .vec_q_i(pk.out_q), .vec_thread_i(tid_t'(pk.thread)),
    .vec_w32_i(pk.sz == 2'd2), .vec_tag_i(pk.tag), .vec_skip_i(pk.skip),
    .vec_float_i(pk.flt), .vec_mask_i(pk.mask[Lanes-1:0]), .vec_data_i(pk_data),
    .vec_idx_i(pk.idx), .vec_last_i(pk.out_end), .vec_drop_i(pk.cut),
    .vec_close_i(pk.out_end && pk.out_close), .vec_code_i(pk.code),
    .outq_level_i, .push_o(eng_push_o), .q_o(eng_q_o), .data_o(eng_data_o),
    .done_valid_o(pk_done), .done_thread_o(pk_thread), .idle_o(pk_idle)
  );

  // ------------------------------------------------------------------------------ completion --
  logic        dn_any, dn_save;
  logic [2:0]  dn_left;
  logic [4:0]  dn_dsr;
  logic [23:0] dn_addr;
  /* verilator lint_off UNUSEDSIGNAL */ // kinds, queues and descriptors only
  ctx_t        dn_ctx;
  /* verilator lint_on UNUSEDSIGNAL */

  always_comb begin
    dn_any = donep_q != '0;
    dn_t = dn_any ? index_of(lowest(donep_q)) : '0;
    dn_left = '0;
    dn_dsr = '0;
    dn_addr = '0;
    dn_ctx = '0;
    if (dn_any) begin
      dn_ctx = ctx_q[dn_t];
      if (!abort_q[dn_t]) dn_left = save_q[dn_t];
      if (dn_left[0]) begin
        dn_dsr = dn_ctx.a_dsr;
        dn_addr = a_addr_q[dn_t];
      end else if (dn_left[1]) begin
        dn_dsr = dn_ctx.b_dsr;
        dn_addr = b_addr_q[dn_t];
      end else begin
        dn_dsr = dn_ctx.d_dsr;
        dn_addr = d_addr_q[dn_t];
      end
    end
    dn_save = dn_left != '0;
    dn_emit = dn_any && !dn_save;
  end

  assign done_kind_o = done_q[dn_t][1:0];
  assign done_task_o = done_q[dn_t][6:2];
  assign done_valid_o = dn_emit && !abort_q[dn_t] && done_kind_o != DONE_NONE;
  assign tensor_sync_done_o = sync_q || (dn_emit && !abort_q[dn_t] && dn_t == '0);

  // Ownership after the completion of this cycle.
  logic [7:0] own_after_done;
  always_comb begin
    own_after_done = own_q;
    if (dn_ctx.a_kind == SRC_FAB) own_after_done[dn_ctx.a_q] = 1'b0;
    if (dn_ctx.b_kind == SRC_FAB) own_after_done[dn_ctx.b_q] = 1'b0;
  end

  // ------------------------------------------------------------------- descriptors, FIFOs --
  /* verilator lint_off UNUSEDSIGNAL */ // kind and number
  logic [31:0] dsr_rdata, dsr_kind;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [15:0] fifo_count;
  logic        is_fifo;

  always_comb begin
    dsr_ready_o = 1'b1;
    if (dsr_we_i) begin
      if (dn_save) dsr_ready_o = 1'b0;
      for (int unsigned t = 0; t < NumThreads; t++) begin
        if (active_q[t] &&
            (ctx_q[t].d_dsr == dsr_idx_i ||
             (ctx_q[t].a_kind != SRC_NONE && ctx_q[t].a_kind != SRC_IMM &&
              ctx_q[t].a_dsr == dsr_idx_i) ||
             (ctx_q[t].b_kind != SRC_NONE && ctx_q[t].b_kind != SRC_IMM &&
              ctx_q[t].b_dsr == dsr_idx_i))) begin
          dsr_ready_o = 1'b0;
        end
      end
    end
  end

  ow_engine_dsr u_dsr (
    .clk_i,
    .we_i(dsr_we_i && dsr_ready_o), .idx_i(dsr_idx_i), .word_i(dsr_word_i),
    .wdata_i(dsr_wdata_i), .rdata_o(dsr_rdata), .kind_word_o(dsr_kind),
    .save_i(dn_save), .save_idx_i(dn_dsr), .save_addr_i(dn_addr),
    .l_idx_i({insn.ctl.dst, insn.ctl.b, insn.ctl.a}),
    .l_w0_o(l_w0), .l_w1_o(l_w1), .l_w2_o(l_w2), .l_w3_o(l_w3),
    .p_any_i(any), .p_idx_i({c.d_dsr, c.b_dsr, c.a_dsr}),
    .p_a_o(a_dim), .p_b_o(b_dim), .p_d_o(d_dim)
  );

  assign is_fifo = dsr_kind[3:0] == DK_FIFO;
  assign dsr_rdata_o = is_fifo && dsr_word_i == 3'd3 ? {16'd0, fifo_count} : dsr_rdata;

  ow_engine_fifos u_fifos (
    .clk_i, .rst_i,
    .set_base_i(dsr_we_i && dsr_ready_o && is_fifo && dsr_word_i == 3'd1),
    .set_cap_i(dsr_we_i && dsr_ready_o && is_fifo && dsr_word_i == 3'd2),
    .set_n_i(dsr_kind[9:8]), .set_data_i(dsr_wdata_i),
    .a_n_i(c.a_q[1:0]), .a_sz_i(c.a_sz), .a_addr_o(fifo_a), .a_room_o(fifo_a_n),
    .a_move_i(issue_data && c.a_fifo ? v : 5'd0),
    .b_n_i(c.b_q[1:0]), .b_sz_i(c.b_sz), .b_addr_o(fifo_b), .b_room_o(fifo_b_n),
    .b_move_i(issue_data && c.b_fifo ? v : 5'd0),
    .d_n_i(c.d_q[1:0]), .d_sz_i(c.d_sz), .d_addr_o(fifo_d), .d_room_o(fifo_d_n),
    .d_move_i(!issue_data || !c.d_fifo || beat.none ? 5'd0 : c.red ? 5'd1 : v),
    .count_n_i(dsr_kind[9:8]), .count_o(fifo_count),
    .none_o(fifo_none), .empty_o(fifo_empty), .full_o(fifo_full)
  );

  // ------------------------------------------------------------------ state of the threads --
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= '0;
      live_q <= '0;
      ending_q <= '0;
      abort_q <= '0;
      kill_q <= '0;
      started_q <= '0;
      half_a_q <= '0;
      half_b_q <= '0;
      wait_q <= '0;
      memdst_q <= '0;
      sticky_q <= '0;
      prio_q <= '0;
      red_q <= '0;
      stoch_q <= '0;
      wtrig_q <= '0;
      donep_q <= '0;
      own_q <= '0;
      two_q <= '0;
      fifos_used_q <= 1'b0;
      red_lock_q <= '0;
      for (int unsigned q = 0; q < 8; q++) begin
        in_use_q[q] <= '0;
        two_a_q[q] <= '0;
        out_use_q[q] <= '0;
      end
      for (int unsigned k = 0; k < 16; k++) waiters_q[k] <= '0;
      for (int unsigned n = 0; n < 4; n++) begin
        fifo_rd_q[n] <= '0;
        fifo_wr_q[n] <= '0;
      end
      fault_q <= '0;
      fault_pc_q <= '0;
      fault_addr_q <= '0;
      sync_q <= 1'b0;
    end else begin
      // The chosen thread.
      if (any) begin
        if (issue_data) begin
          half_a_q[p] <= half_a_d;
          half_b_q[p] <= half_b_d;
          cnt_q[p] <= cnt_next;
          seq_q[p] <= c.red ? seq_q[p] + 16'(v_end) : seq_q[p] + 16'(v);
          a_addr_q[p] <= a_next;
          b_addr_q[p] <= b_next;
          d_addr_q[p] <= d_next;
          if (all_end) live_q[p] <= 1'b0;
          if (beat.r.out) started_q[p] <= 1'b1;
          if (c.red) begin
            if (beat.red_last) red_lock_q <= '0;
            else red_lock_q <= pick_hot;
          end
        end else if (hazard && is_data) begin
          wait_q[p] <= 1'b1;
          waiters_q[hazard_slot][p] <= 1'b1;
        end
        if (issue && stream_end) ending_q[p] <= 1'b1;
        if (issue && is_end) begin
          live_q[p] <= 1'b0;
          if (c.red && red_lock_q == pick_hot) red_lock_q <= '0;
          if (fault != FAULT_NONE) begin
            abort_q[p] <= 1'b1;
            if (!fault_q[31]) begin
              fault_q <= {1'b1, 23'd0, 4'(p), fault};
              fault_pc_q <= pc_q[p];
              fault_addr_q <= fault_addr;
            end
          end
        end
      end

      // An index leads out of memory. The thread stops where the plan finds it.
      if (fire && m_indexed && g_rsp_fault) begin
        fcode_q[tid_t'(m.r.thread)] <= FAULT_ADDR;
        abort_q[tid_t'(m.r.thread)] <= 1'b1;
        kill_q[tid_t'(m.r.thread)] <= 1'b1;
        if (!fault_q[31]) begin
          fault_q <= {1'b1, 23'd0, m.r.thread, FAULT_ADDR};
          fault_pc_q <= pc_q[tid_t'(m.r.thread)];
          fault_addr_q <= g_rsp_addr;
        end
      end

      // A write leaves the write buffer: who waited for it tries again (and also who starts to wait
      // in this cycle, which is simpler and costs one try).
      if (wq_pop) begin
        wait_q <= wait_q & ~waiters_q[wq_pop_slot];
        waiters_q[wq_pop_slot] <= '0;
      end

      // Completion.
      if (wq_done) donep_q[tid_t'(wq_done_thread)] <= 1'b1;
      if (r_valid && r.last && !r.slot_en && !r.out) donep_q[tid_t'(r.thread)] <= 1'b1;
      if (pk_done) donep_q[pk_thread] <= 1'b1;
      if (dn_save) begin
        save_q[dn_t] <= dn_left & (dn_left - 3'd1);
      end else if (dn_emit) begin
        donep_q[dn_t] <= 1'b0;
        active_q[dn_t] <= 1'b0;
        memdst_q[dn_t] <= 1'b0;
        prio_q[dn_t] <= 1'b0;
        red_q[dn_t] <= 1'b0;
        stoch_q[dn_t] <= 1'b0;
        wtrig_q[dn_t] <= 1'b0;
        if (dn_ctx.a_kind == SRC_FAB) begin
          own_q[dn_ctx.a_q] <= 1'b0;
          in_use_q[dn_ctx.a_q][dn_t] <= 1'b0;
          two_a_q[dn_ctx.a_q][dn_t] <= 1'b0;
          two_q[dn_t] <= 1'b0;
        end
        if (dn_ctx.b_kind == SRC_FAB) begin
          own_q[dn_ctx.b_q] <= 1'b0;
          in_use_q[dn_ctx.b_q][dn_t] <= 1'b0;
        end
        if (dn_ctx.d_kind == SRC_FAB) out_use_q[dn_ctx.d_q][dn_t] <= 1'b0;
        if (dn_ctx.a_fifo) fifo_rd_q[dn_ctx.a_q[1:0]][dn_t] <= 1'b0;
        if (dn_ctx.b_fifo) fifo_rd_q[dn_ctx.b_q[1:0]][dn_t] <= 1'b0;
        if (dn_ctx.d_fifo) fifo_wr_q[dn_ctx.d_q[1:0]][dn_t] <= 1'b0;
      end

      // Launch.
      sync_q <= red_start_o && insn.ctl.thread == 4'd0;
      if (tensor_valid_i && tensor_ready_o && !l_thread_ok && !fault_q[31]) begin
        fault_q <= {1'b1, 23'd0, insn.ctl.thread, FAULT_OP};
        fault_pc_q <= insn.pc;
        fault_addr_q <= '0;
      end
      if (launch) begin
        ctx_q[l_t] <= l_ctx;
        fcode_q[l_t] <= l_fault;
        done_q[l_t] <= {insn.ctl.task_id, insn.ctl.done};
        save_q[l_t] <= l_ctx.wtrig ? 3'd0
                     : {l_w0[2][11] && l_ctx.d_kind inside {SRC_MEM, SRC_ACC} && !l_ctx.d_fifo,
                        l_w0[1][11] && l_ctx.b_kind inside {SRC_MEM, SRC_ACC} && !l_ctx.b_fifo,
                        l_w0[0][11] && l_ctx.a_kind inside {SRC_MEM, SRC_ACC} && !l_ctx.a_fifo};
        a_addr_q[l_t] <= l_w1[0];
        b_addr_q[l_t] <= l_w1[1];
        d_addr_q[l_t] <= l_w1[2];
        cnt_q[l_t] <= '0;
        seq_q[l_t] <= '0;
        scal_q[l_t] <= insn.scalar;
        pc_q[l_t] <= insn.pc;
        active_q[l_t] <= 1'b1;
        live_q[l_t] <= 1'b1;
        ending_q[l_t] <= 1'b0;
        abort_q[l_t] <= 1'b0;
        kill_q[l_t] <= 1'b0;
        started_q[l_t] <= 1'b0;
        half_a_q[l_t] <= 1'b0;
        half_b_q[l_t] <= 1'b0;
        memdst_q[l_t] <= l_ctx.d_kind == SRC_MEM;
        sticky_q[l_t] <= l_ctx.a_kind != SRC_FAB && l_ctx.b_kind != SRC_FAB &&
                         l_ctx.d_kind != SRC_FAB;
        prio_q[l_t] <= l_ctx.prio;
        red_q[l_t] <= l_ctx.red;
        stoch_q[l_t] <= l_ctx.stoch;
        wtrig_q[l_t] <= l_ctx.wtrig;
        own_q <= (dn_emit ? own_after_done : own_q) | l_own;
        if (l_ctx.a_kind == SRC_FAB) in_use_q[l_ctx.a_q][l_t] <= 1'b1;
        if (l_ctx.b_kind == SRC_FAB && !l_ctx.wtrig) in_use_q[l_ctx.b_q][l_t] <= 1'b1;
        if (l_ctx.a_kind == SRC_FAB && l_ctx.b_kind == SRC_FAB) begin
          two_q[l_t] <= 1'b1;
          two_a_q[l_ctx.a_q][l_t] <= 1'b1;
        end
        if (l_ctx.d_kind == SRC_FAB) out_use_q[l_ctx.d_q][l_t] <= 1'b1;
        if (l_ctx.a_fifo || l_ctx.b_fifo || l_ctx.d_fifo) fifos_used_q <= 1'b1;
        if (l_ctx.a_fifo) fifo_rd_q[l_ctx.a_q[1:0]][l_t] <= 1'b1;
        if (l_ctx.b_fifo) fifo_rd_q[l_ctx.b_q[1:0]][l_t] <= 1'b1;
        if (l_ctx.d_fifo) fifo_wr_q[l_ctx.d_q[1:0]][l_t] <= 1'b1;
      end
    end
  end

  // ---------------------------------------------------------------------------------- status --
  assign fault_o = fault_q;
  assign fault_pc_o = fault_pc_q;
  assign fault_addr_o = fault_addr_q;
  assign ev_beat_o = issue_data;
  assign ev_weight_o = issue_data && c.wtrig && v_end;

  always_comb begin
    cause_o = CAUSE_NONE;
    if (issue) cause_o = CAUSE_BUSY;
    else if (active_q == '0) cause_o = CAUSE_NONE;
    else if (any || bq_cnt_q == (BeatW+1)'(BeatSlots)) cause_o = CAUSE_MEM;
    else if (live_q == '0) cause_o = CAUSE_BUSY;  // the last beats are in the pipeline
    else if ((live_q & blk_row & ~blk_weight & ~ending_q) != '0) cause_o = CAUSE_ROW;
    else if ((live_q & blk_mem) != '0) cause_o = CAUSE_MEM;
    else if ((live_q & blk_out) != '0) cause_o = CAUSE_OUTQ;
    else cause_o = CAUSE_INQ;
  end

  always_comb begin
    tid_t s;
    /* verilator lint_off UNUSEDSIGNAL */ // operation, kinds and queues only
    ctx_t sc;
    /* verilator lint_on UNUSEDSIGNAL */
    s = {1'b0, thread_sel_i} < 5'(NumThreads) ? tid_t'(thread_sel_i) : '0;
    sc = '0;
    thread_state_o = '0;
    if ({1'b0, thread_sel_i} < 5'(NumThreads) && active_q[s]) begin
      sc = ctx_q[s];
      thread_state_o[31] = 1'b1;
      thread_state_o[22:16] = sc.op;
      if (live_q[s] && !ready[s]) begin
        if (blk_out[s]) begin
          thread_state_o[30:28] = 3'd2;
          thread_state_o[26:24] = sc.d_q;
        end else if (blk_weight[s] || blk_in[s]) begin
          thread_state_o[30:28] = 3'd1;
          thread_state_o[26:24] = sc.wtrig || sc.a_kind != SRC_FAB ||
                                  (sc.b_kind == SRC_FAB && inq_valid_i[sc.a_q]) ? sc.b_q : sc.a_q;
        end else if (blk_row[s]) begin
          thread_state_o[30:28] = 3'd3;
        end else begin
          thread_state_o[30:28] = 3'd4;
        end
      end
    end
  end

  assign idle_o = !any && w_idle && !m_valid && !a_valid_q && ops_idle && resv_q == '0 &&
                  red_gap_q == '0 && late_cnt_q == '0 && !wq_any && !o_valid_q && pk_idle &&
                  donep_q == '0 && !sync_q && !(dsr_we_i && dsr_ready_o) && !prng_we_i &&
                  !(tensor_valid_i && tensor_ready_o) && !row_free_i && !rst_i;

  // ------------------------------------------------------------------------------ assertions --
  `OW_ASSERT(outq_space, !eng_push_o || outq_level_i[eng_q_o] < 4'(QueueDepth),
             "push into a full output queue")
  `OW_ASSERT(pop_valid, (inq_pop_o & ~inq_valid_i) == '0, "pop from an empty input queue")
  `OW_ASSERT(one_chosen, (pick_hot & (pick_hot - tmask_t'(1))) == '0, "two threads chosen")
  `OW_ASSERT(live_is_active, (live_q & ~active_q) == '0, "a thread that is not active is live")
  `OW_ASSERT(late_has_its_place, !(late_any && a_valid_q) && !(late_valid && nlf_valid[0]),
             "two results in one cycle")
  `OW_ASSERT(late_as_reserved, late_any == resv_q[0], "a late result at another time")

endmodule
