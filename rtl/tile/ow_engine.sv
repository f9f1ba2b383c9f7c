// SPDX-License-Identifier: Apache-2.0
// Tensor engine: descriptors, threads, scheduler, Lanes x ow_lane, accumulator cache, write buffer.
//
// What it does. An instruction names up to three descriptors and a thread; the thread walks their
// iteration space in beats of up to Lanes elements (docs/isa.md). Each cycle one ready thread,
// round robin, issues one beat. Ready means: fabric operands are there, the output queue has a
// slot for what is in flight too, the write buffer has a free slot, the accumulator row is free.
// A thread that is not ready never holds the issue slot. The chosen thread asks for its SRAM reads,
// which are granted in the same cycle; if it does not get them, another thread is tried next.
//
// Pipeline, by the cycle after issue:
//   I   choose a thread, addresses, SRAM requests
//   M   SRAM data is there; select elements into lanes (lane = position in the destination's
//       line), multiply
//   A   addend: accumulator cache, or the destination's line; add
//   R   round; write accumulator cache, write buffer or output queue
//   W   the write buffer writes SRAM, in order
// The accumulator cache is written at the end of R and read in A, so a dependent accumulate can be
// issued 2 cycles later; no bypass. SRAM to SRAM takes 5 cycles when the write is granted at once.
//
// Throughput, in cycles a beat of one thread:
//   1  any beat with at most two SRAM reads on different banks, and its write on a third
//   2  two SRAM reads on the same bank (the first line is held); three SRAM reads (fma with a, b
//      and dst in SRAM)
//   b in SRAM with step_0 = 0 is read once an inner vector and then held: fma with such a b costs
//      1 cycle an inner vector more, operations with two operands nothing.
//   axpyw: n / Lanes beats a weight without a bubble from one weight to the next, for n / Lanes >=
//      2; 2 cycles a weight for n = Lanes (the accumulate latency). Weights are popped from the
//      queue ahead into a buffer of two, with their addresses. Row end 1 cycle.
//   a beat that reads a line with a write in the pipeline or write buffer waits until that write
//      is in the SRAM; other threads go on.
//   End of an instruction: a stream end costs 2 cycles, close 1, besides the pipeline's 4.
//
// Fabric operands: a pair of 16-bit elements a wavelet, lower half first; pairs run across inner
// vectors. A control wavelet in a stream that is consumed is taken (1 cycle) and is no element;
// with the stream-end bit it ends the instruction, counted or not. With two fabric operands, that
// of a comes first and does not wait for b.
//
// One axpyw runs at a time (there is one row ring): the launch of a second waits for the first.
// The ring starts at slot 0 with each axpyw, whose first beat waits until all rows that were closed
// before have been freed. Row slots are contiguous, dst dimension 0 words each. A launch also waits
// while a queue that it reads belongs to a running thread.
//
// drain starts the reducer and is complete for the engine at once: the completion action is the
// reducer's. With thread 0 the core goes on in the next cycle.
//
// Order: beats of a thread take effect in order. A source with step 0 must not be a destination of
// the same vector, and a source vector must not overlap a destination ahead of it.
//
// Errors: the first fault is kept in fault_o; the thread stops, its beats so far take effect, its
// completion action does not happen (a fault in thread 0 leaves the core waiting, for the hang
// report to find). Causes in docs/isa.md. Thread numbers from NumThreads on are fault 1.
//
//   Lanes       16-bit lanes: 2, 4 or 8. Bits do not depend on it
//   SramBytes   size of the SRAM, for the range check
//   NumThreads  contexts, 2 to 13; thread 0 is the task thread
//   QueueDepth  slots of an output queue, 2 to 15
`include "ow_assert.svh"

module ow_engine
  import ow_pkg::*;
  import ow_fp_pkg::*;
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

  // Status. thread_state_o is the THREAD word of thread_sel_i.
  output logic [31:0]           fault_o,
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

  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned LineW = 8 * VecBytes;       // bits a line
  localparam int unsigned OffW = $clog2(VecBytes);    // offset bits in a line
  localparam int unsigned TagW = 24 - OffW;           // line number
  localparam int unsigned CntW = LaneW + 1;           // counts 0 .. Lanes
  localparam int unsigned WrSlots = 8;

  typedef logic [CntW-1:0] cnt_t;
  typedef logic [LaneW-1:0] lane_t;
  typedef logic [NumThreads-1:0] tmask_t;
  typedef logic [ThreadW-1:0] tid_t;

  // A beat in the pipeline, apart from its data.
  typedef struct packed {
    logic              valid;
    tid_t              thread;
    logic              last;    // the instruction's last
    logic              close;   // closes an accumulator row
    logic              written; // .. which has been written
    logic              slot_en; // has a write buffer slot
    logic [2:0]        slot;
    logic              acc_we;
    logic [3:0]        acc_row;
    logic              d32;
    lane_t             lane0;
    logic [Lanes-1:0]  mask;    // lanes with a result
    out_e              out;
    logic [2:0]        out_q;
    logic [1:0]        code;
  } beat_t;

  // ---------------------------------------------------------------------------- descriptors --
  logic [31:0] dsr_w0_q [NUM_DSRS];
  logic [23:0] dsr_w1_q [NUM_DSRS];
  logic [31:0] dsr_w2_q [NUM_DSRS];
  logic [31:0] dsr_w3_q [NUM_DSRS];
  logic [31:0] dsr_w4_q [NUM_DSRS];
  logic [31:0] dsr_w5_q [NUM_DSRS];

  // -------------------------------------------------------------------------------- threads --
  ctx_t        ctx_q    [NumThreads];
  logic [23:0] a_addr_q [NumThreads];
  logic [23:0] b_addr_q [NumThreads];
  logic [23:0] d_addr_q [NumThreads];  // axpyw: start of the current row slot
  logic [63:0] cnt_q    [NumThreads];  // loop counters, dimension 0 in the low 16 bits
  logic [31:0] scal_q   [NumThreads];
  logic [15:0] pack_q   [NumThreads];  // lower half of an unfinished pair to the fabric
  logic [LineW-1:0] hold_a_q [NumThreads];
  logic [LineW-1:0] hold_b_q [NumThreads];
  logic [3:0]  fcode_q  [NumThreads];  // fault found at the launch
  logic [6:0]  done_q   [NumThreads];  // completion action: task, kind
  logic [2:0]  save_q   [NumThreads];  // addresses still to be saved: dst, b, a

  tmask_t active_q;     // launched, not yet complete
  tmask_t live_q;       // has something to issue
  tmask_t ending_q;     // only the end is left to issue
  tmask_t abort_q;      // stopped by a fault
  tmask_t half_a_q, half_b_q, half_d_q;  // the lower half of a pair is done
  tmask_t have_a_q, have_b_q;            // the operand's line is in the hold register
  tmask_t wait_q;       // waits for a write buffer slot to be written (hazard)
  tmask_t memdst_q;     // writes SRAM
  tmask_t donep_q;      // complete; saving addresses, completion action
  tmask_t in_use_q  [8];  // threads that need a wavelet of input queue q to issue
  tmask_t two_q;          // threads with two fabric operands ..
  tmask_t two_a_q [8];    // .. of which a is input queue q
  tmask_t out_use_q [8];  // threads that push into output queue q
  tmask_t waiters_q [WrSlots];
  tmask_t rr_q;         // threads after the one that was chosen last
  logic [7:0] own_q;
  logic [2:0] out_res_q [8];  // elements on their way to output queue q

  // ----------------------------------------------------------- axpyw: weights and row ring --
  tmask_t      axp_q;         // the thread that runs axpyw
  logic [2:0]  axp_in_q;      // its queue
  logic [4:0]  axp_a_dsr_q;
  logic [4:0]  axp_d_dsr_q;
  logic        w_end_q;       // stream end has been popped
  logic        w_rp_q, w_wp_q;
  logic [1:0]  w_cnt_q;
  logic [1:0]  w_ctrl_q;      // entry is a control wavelet
  logic [1:0]  w_bad_q;       // its index points outside memory
  logic [15:0] w_val_q  [2];
  logic [23:0] w_addr_q [2];
  logic        ring_sync_q;   // wait until all rows are free, then start at slot 0
  logic        row_first_q;   // no product in the current row yet
  logic [7:0]  ring_slot_q;
  logic [7:0]  rows_used_q;   // closed and not yet freed
  logic [7:0]  ring_rows_q;

  // ------------------------------------------------------------------- write buffer, pipeline --
  logic [TagW-1:0]     wq_line_q [WrSlots];
  logic [LineW-1:0]    wq_data_q [WrSlots];
  logic [VecBytes-1:0] wq_be_q   [WrSlots];
  tid_t                wq_thread_q [WrSlots];
  logic [WrSlots-1:0]  wq_valid_q;  // allocated at issue
  logic [WrSlots-1:0]  wq_fill_q;   // data is there
  logic [WrSlots-1:0]  wq_last_q;
  logic [2:0]          wq_head_q, wq_tail_q;

  /* verilator lint_off UNUSEDSIGNAL */ // the last stage does not need all fields of a beat
  beat_t m_q, a_q, r_q;
  /* verilator lint_on UNUSEDSIGNAL */

  // Sources of the beat in M.
  from_e       m_a_from_q, m_b_from_q, m_d_from_q;
  logic        m_a32_q, m_b32_q, m_a_bc_q, m_b_bc_q;
  lane_t       m_a_off_q, m_b_off_q;
  logic [31:0] m_a_imm_q, m_b_imm_q;
  logic [3:0]  m_src_row_q;   // accumulator row of a source
  lane_op_e    m_lop_q;
  fp_fmt_e     m_src_fmt_q, m_dst_fmt_q;
  logic        m_lane_q;      // the lanes work
  from_e       m_cap_a_q, m_cap_b_q;  // keep a line that was read
  tid_t        m_cap_t_q;
  logic        m_cap_q;
  // Addend of the beat in A.
  from_e            a_d_from_q;
  logic [LineW-1:0] a_d_line_q;

  logic [31:0] fault_q;
  logic        sync_q;

  // --------------------------------------------------------------------------------- helpers --
  function automatic tmask_t one_hot(input tid_t t);
    return tmask_t'(1) << t;
  endfunction

  function automatic tid_t index_of(input tmask_t x);
    tid_t r;
    r = '0;
    for (int unsigned t = 0; t < NumThreads; t++) begin
      if (x[t]) r = r | tid_t'(t);
    end
    return r;
  endfunction

  function automatic tmask_t lowest(input tmask_t x);
    return x & (~x + tmask_t'(1));
  endfunction

  // Position of an element in its line, row or wavelet.
  function automatic lane_t elem_off(input src_e kind, input logic is32, input logic [23:0] addr,
                                     input logic half);
    unique case (kind)
      SRC_ACC: return lane_t'(addr >> 2);
      SRC_MEM: return is32 ? lane_t'(addr >> 2) & lane_t'(Lanes / 2 - 1) : lane_t'(addr >> 1);
      SRC_FAB: return lane_t'(half);
      default: return '0;
    endcase
  endfunction

  // Elements in its line, row or wavelet.
  function automatic cnt_t elem_span(input src_e kind, input logic is32);
    unique case (kind)
      SRC_MEM: return is32 ? cnt_t'(Lanes / 2) : cnt_t'(Lanes);
      SRC_FAB: return is32 ? cnt_t'(1) : cnt_t'(2);
      default: return cnt_t'(Lanes);
    endcase
  endfunction

  function automatic cnt_t min_cnt(input cnt_t x, input cnt_t y);
    return x < y ? x : y;
  endfunction

  // Address fault of an element: misaligned, outside memory.
  function automatic logic [3:0] addr_fault(input src_e kind, input logic is32,
                                            input logic [23:0] addr);
    if (kind == SRC_MEM) begin
      if (addr[0] || (is32 && addr[1])) return FAULT_DSR;
      if (addr >= 24'(SramBytes)) return FAULT_ADDR;
    end else if (kind == SRC_ACC) begin
      if (addr[1:0] != 2'd0) return FAULT_DSR;
      if (!addr[23] || addr[22:0] >= 23'(64 * Lanes)) return FAULT_ADDR;
    end
    return FAULT_NONE;
  endfunction

  // Advance within the inner vector.
  function automatic logic [23:0] inner_step(input logic vec, input logic bc, input logic is32,
                                             input cnt_t v, input logic [15:0] step);
    if (bc) return 24'd0;
    if (vec) return is32 ? 24'(v) << 2 : 24'(v) << 1;
    return 24'($signed(step));
  endfunction

  // --------------------------------------------------------------------------------- choice --
  logic [7:0] outq_ok;
  tmask_t     ctrl_a, blk_in, blk_out, blk_mem, blk_row, blk_weight, ready, pick_hot;
  logic       any;
  tid_t       p;

  always_comb begin
    ctrl_a = '0;
    blk_in = '0;
    blk_out = '0;
    blk_mem = '0;
    blk_row = '0;
    blk_weight = '0;
    outq_ok = '1;
    ready = '0;
    pick_hot = '0;
    if (live_q != '0) begin
      for (int unsigned q = 0; q < 8; q++) begin
        if (!inq_valid_i[q]) blk_in = blk_in | in_use_q[q];
        if (out_use_q[q] != '0) begin
          outq_ok[q] = {1'b0, outq_level_i[q]} + {2'b0, out_res_q[q]} < 5'(QueueDepth);
          if (!outq_ok[q]) blk_out = blk_out | out_use_q[q];
        end
      end
      // A control wavelet at operand a does not wait for operand b.
      if (two_q != '0) begin
        for (int unsigned q = 0; q < 8; q++) begin
          if (inq_valid_i[q] && inq_head_i[q].ctrl) ctrl_a = ctrl_a | two_a_q[q];
        end
        blk_in = blk_in & ~ctrl_a;
      end
      blk_mem = wait_q | ((&wq_valid_q) ? memdst_q : '0);
      if (ring_sync_q ? rows_used_q != 8'd0 : rows_used_q >= ring_rows_q) blk_row = axp_q;
      if (w_cnt_q == 2'd0) blk_weight = axp_q;
      ready = live_q & ~blk_out & ~blk_mem & (ending_q | ~(blk_in | blk_row | blk_weight));
      pick_hot = (ready & rr_q) != '0 ? lowest(ready & rr_q) : lowest(ready);
    end
    any = ready != '0;
    p = any ? index_of(pick_hot) : '0;
  end

  // ---------------------------------------------------------------------- plan of the beat --
  /* verilator lint_off UNUSEDSIGNAL */ // fields for the status, offsets in a line
  ctx_t        c;
  logic [23:0] aa, ba, da;         // addresses of this beat
  logic [23:0] a_next, b_next, d_next;
  logic [63:0] cnt_next;
  logic        is_data, is_skip, is_wctrl, is_end;
  logic        skip_b;
  logic        stream_end;
  logic [3:0]  fcode;
  logic        v_end, all_end;
  cnt_t        v;
  lane_t       a_off, b_off, d_off;
  logic        half_a_d, half_b_d, half_d_d;
  logic        pop_a, pop_b;
  out_e        out;
  logic        last;
  logic        rd_a, rd_b, rd_d;   // lines still to be read
  from_e       rd0_sel, rd1_sel;   // FROM_RD0, FROM_RD1: the port is used
  logic        rd_more;            // three lines: the first two now
  logic        hazard, acc_hazard;
  logic [2:0]  hazard_slot;
  logic [23:0] rd0_byte, rd1_byte;
  /* verilator lint_on UNUSEDSIGNAL */
  logic        rd1_is_d;
  ramp_t       head_a, head_b;

  always_comb begin : plan
    /* verilator lint_off UNUSEDSIGNAL */ // the lengths of b are not used
    logic [31:0] a2, a3, a4, a5, b2, b3, b4, b5, d2, d3, d4, d5;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [15:0] l0, l1, l2, l3, n0, n1, n2, n3, rem;
    logic        e1, e2, w1, w2, w3;
    cnt_t        d_span;

    c = '0;
    {aa, ba, da} = '0;
    {a_next, b_next, d_next} = '0;
    cnt_next = '0;
    {is_data, is_skip, is_wctrl, is_end} = '0;
    skip_b = 1'b0;
    stream_end = 1'b0;
    fcode = FAULT_NONE;
    {v_end, all_end} = '0;
    v = '0;
    {a_off, b_off, d_off} = '0;
    {half_a_d, half_b_d, half_d_d} = '0;
    {pop_a, pop_b} = '0;
    out = OUT_NONE;
    last = 1'b0;
    {rd_a, rd_b, rd_d} = '0;
    rd0_sel = FROM_NONE;
    rd1_sel = FROM_NONE;
    rd_more = 1'b0;
    hazard = 1'b0;
    acc_hazard = 1'b0;
    hazard_slot = '0;
    rd0_byte = '0;
    rd1_byte = '0;
    rd1_is_d = 1'b0;
    head_a = '0;
    head_b = '0;
    {a2, a3, a4, a5, b2, b3, b4, b5, d2, d3, d4, d5} = '0;
    {l0, l1, l2, l3, n0, n1, n2, n3, rem} = '0;
    {e1, e2, w1, w2, w3} = '0;
    d_span = '0;

    if (any) begin
      c = ctx_q[p];
      head_a = inq_head_i[c.a_q];
      head_b = inq_head_i[c.b_q];
      fcode = fcode_q[p];
      if (fcode != FAULT_NONE) begin
        is_end = 1'b1;
      end else if (ending_q[p]) begin
        is_end = 1'b1;
      end else if (c.axpyw && w_ctrl_q[w_rp_q]) begin
        is_wctrl = 1'b1;
        stream_end = w_val_q[w_rp_q][CTRL_STREAM_END];
      end else if (c.a_kind == SRC_FAB && head_a.ctrl) begin
        is_skip = 1'b1;
        stream_end = head_a.data[CTRL_STREAM_END];
      end else if (c.b_kind == SRC_FAB && !c.axpyw && head_b.ctrl) begin
        is_skip = 1'b1;
        skip_b = 1'b1;
        stream_end = head_b.data[CTRL_STREAM_END];
      end else begin
        is_data = 1'b1;
      end

      if (is_data) begin
        a2 = dsr_w2_q[c.a_dsr];
        d2 = dsr_w2_q[c.d_dsr];
        b2 = dsr_w2_q[c.b_dsr];
        {n3, n2, n1, n0} = cnt_q[p];
        l0 = c.space_d ? d2[15:0] : a2[15:0];
        if (c.axpyw) begin
          aa = w_addr_q[w_rp_q] + {7'd0, n0, 1'b0};
          da = d_addr_q[p] + {6'd0, n0, 2'd0};
        end else begin
          aa = a_addr_q[p];
          ba = b_addr_q[p];
          da = d_addr_q[p];
        end

        fcode = addr_fault(c.d_kind, c.d32, da);
        if (fcode == FAULT_NONE) fcode = addr_fault(c.a_kind, c.a32, aa);
        if (fcode == FAULT_NONE && !c.axpyw) fcode = addr_fault(c.b_kind, c.b32, ba);
        if (fcode == FAULT_NONE && c.axpyw && w_bad_q[w_rp_q]) fcode = FAULT_ADDR;

        // How many elements.
        a_off = elem_off(c.a_kind, c.a32, aa, half_a_q[p]);
        b_off = c.axpyw ? '0 : elem_off(c.b_kind, c.b32, ba, half_b_q[p]);
        d_off = elem_off(c.d_kind, c.d32, da, half_d_q[p]);
        d_span = elem_span(c.d_kind, c.d32) - cnt_t'(d_off);
        rem = l0 - n0;
        v = c.inf || rem > 16'(Lanes) ? cnt_t'(Lanes) : cnt_t'(rem);
        v = min_cnt(v, c.d_vec ? d_span : cnt_t'(1));
        if (!c.a_bc) begin
          v = min_cnt(v, c.a_vec ? elem_span(c.a_kind, c.a32) - cnt_t'(a_off) : cnt_t'(1));
        end
        if (c.b_kind != SRC_NONE && !c.b_bc) begin
          v = min_cnt(v, c.b_vec ? elem_span(c.b_kind, c.b32) - cnt_t'(b_off) : cnt_t'(1));
        end

        // Loop counters and the next addresses.
        n0 = n0 + 16'(v);
        v_end = !c.inf && n0 == l0;
        if (!c.axpyw) begin
          a_next = aa + inner_step(c.a_vec, c.a_bc, c.a32, v, a2[31:16]);
          b_next = ba + inner_step(c.b_vec, c.b_bc, c.b32, v, b2[31:16]);
          d_next = da + inner_step(c.d_vec, 1'b0, c.d32, v, d2[31:16]);
          if (v_end) begin
            a3 = dsr_w3_q[c.a_dsr];
            a4 = dsr_w4_q[c.a_dsr];
            a5 = dsr_w5_q[c.a_dsr];
            b3 = dsr_w3_q[c.b_dsr];
            b4 = dsr_w4_q[c.b_dsr];
            b5 = dsr_w5_q[c.b_dsr];
            d3 = dsr_w3_q[c.d_dsr];
            d4 = dsr_w4_q[c.d_dsr];
            d5 = dsr_w5_q[c.d_dsr];
            l1 = c.space_d ? d3[15:0] : a3[15:0];
            l2 = c.space_d ? d4[15:0] : a4[15:0];
            l3 = c.space_d ? d5[15:0] : a5[15:0];
            n0 = '0;
            w1 = l1 != '0;
            if (w1) n1 = n1 + 16'd1;
            e1 = !w1 || n1 == l1;
            if (e1) n1 = '0;
            w2 = e1 && l2 != '0;
            if (w2) n2 = n2 + 16'd1;
            e2 = e1 && (!w2 || n2 == l2);
            if (e2) n2 = '0;
            w3 = e2 && l3 != '0;
            if (w3) n3 = n3 + 16'd1;
            all_end = e2 && (!w3 || n3 == l3);
            if (w1) begin
              a_next = a_next + 24'($signed(a3[31:16]));
              b_next = b_next + 24'($signed(b3[31:16]));
              d_next = d_next + 24'($signed(d3[31:16]));
            end
            if (w2) begin
              a_next = a_next + 24'($signed(a4[31:16]));
              b_next = b_next + 24'($signed(b4[31:16]));
              d_next = d_next + 24'($signed(d4[31:16]));
            end
            if (w3) begin
              a_next = a_next + 24'($signed(a5[31:16]));
              b_next = b_next + 24'($signed(b5[31:16]));
              d_next = d_next + 24'($signed(d5[31:16]));
            end
          end
        end else if (v_end) begin
          n0 = '0;
        end
        cnt_next = {n3, n2, n1, n0};

        // Wavelets: a pair is taken or sent when its upper half is done, or at the end.
        if (c.a_kind == SRC_FAB) begin
          half_a_d = !c.a32 && !half_a_q[p] && v == cnt_t'(1) && !all_end;
          pop_a = !half_a_d;
        end
        if (c.b_kind == SRC_FAB && !c.axpyw) begin
          half_b_d = !c.b32 && !half_b_q[p] && v == cnt_t'(1) && !all_end;
          pop_b = !half_b_d;
        end
        if (c.d_kind == SRC_FAB) begin
          half_d_d = !c.d32 && !half_d_q[p] && v == cnt_t'(1) && !all_end;
          if (c.d32) out = OUT_WORD;
          else if (half_d_q[p]) out = OUT_UPPER;
          else if (v == cnt_t'(2)) out = OUT_PAIR;
          else if (all_end) out = OUT_LAST;
          else out = OUT_KEEP;
        end
        last = all_end && !c.close;

        if (fcode != FAULT_NONE) begin
          is_data = 1'b0;
          is_end = 1'b1;
          out = OUT_NONE;
          {pop_a, pop_b} = '0;
        end
      end

      if (is_end) begin
        last = 1'b1;
        if (fcode == FAULT_NONE) begin
          if (half_d_q[p]) begin
            out = OUT_FLUSH;
            last = !c.close;
          end else if (c.close) begin
            out = OUT_CLOSE;
          end
        end
      end

      // Lines to read: b, a, dst in this order, two a cycle.
      if (is_data) begin
        rd_b = c.b_kind == SRC_MEM && !have_b_q[p];
        rd_a = c.a_kind == SRC_MEM && !have_a_q[p];
        rd_d = c.lop == LANE_FMA && c.d_kind == SRC_MEM;
        rd_more = rd_a && rd_b && rd_d;
        rd0_byte = rd_b ? ba : rd_a ? aa : da;
        rd1_is_d = rd_d && !(rd_a && rd_b);
        rd1_byte = rd1_is_d ? da : aa;
        if (rd_a || rd_b || rd_d) rd0_sel = FROM_RD0;
        if ((rd_a && rd_b) || (rd_d && (rd_a || rd_b))) rd1_sel = FROM_RD1;
        if (wq_valid_q != '0) begin
          for (int unsigned s = 0; s < WrSlots; s++) begin
            if (wq_valid_q[s] &&
                ((rd0_sel == FROM_RD0 && wq_line_q[s] == rd0_byte[23:OffW]) ||
                 (rd1_sel == FROM_RD1 && wq_line_q[s] == rd1_byte[23:OffW]))) begin
              hazard = 1'b1;
              hazard_slot = 3'(s);
            end
          end
        end
        // The accumulator cache has one read port for the lanes: the addend is read in A, a source
        // in M.
        if (c.a_kind == SRC_ACC || c.b_kind == SRC_ACC) begin
          acc_hazard = (m_q.valid && (m_q.acc_we || m_d_from_q == FROM_ACC)) ||
                       (a_q.valid && a_q.acc_we);
        end else if (c.lop == LANE_FMA && c.d_kind == SRC_ACC) begin
          acc_hazard = m_q.valid && m_q.acc_we && m_q.acc_row == 4'(da >> (OffW + 1));
        end
      end
    end
  end

  // Requests depend on the state and on queue heads only, never on a grant.
  assign rd0_req_o = rd0_sel == FROM_RD0 && !hazard && !acc_hazard;
  assign rd1_req_o = rd1_sel == FROM_RD1 && !hazard && !acc_hazard;
  assign rd0_addr_o = {rd0_byte[23:OffW], OffW'(0)};
  assign rd1_addr_o = {rd1_byte[23:OffW], OffW'(0)};

  // ------------------------------------------------------------------------------- the issue --
  logic issue_data, issue_pipe, issue_any, capture0, capture1;

  always_comb begin
    issue_data = is_data && !hazard && !acc_hazard && !rd_more &&
                 (rd0_sel != FROM_RD0 || rd0_gnt_i) && (rd1_sel != FROM_RD1 || rd1_gnt_i);
    // A line that was read but whose beat cannot go yet is held; rd1 alone is not kept.
    capture0 = is_data && !issue_data && rd0_req_o && rd0_gnt_i;
    capture1 = capture0 && rd1_req_o && rd1_gnt_i && !rd1_is_d;
    issue_pipe = issue_data || is_end || is_wctrl;
    issue_any = issue_pipe || is_skip;
  end

  // The beat that enters M.
  beat_t m_d;
  logic  slot_alloc;

  always_comb begin
    m_d = '0;
    slot_alloc = 1'b0;
    if (issue_pipe) begin
      slot_alloc = c.d_kind == SRC_MEM;
      m_d.valid = 1'b1;
      m_d.thread = p;
      m_d.last = last;
      m_d.close = is_wctrl && w_val_q[w_rp_q][CTRL_ROW_END];
      m_d.written = !row_first_q;
      m_d.slot_en = slot_alloc;
      m_d.slot = wq_tail_q;
      m_d.acc_we = issue_data && c.d_kind == SRC_ACC;
      m_d.acc_row = 4'(da >> (OffW + 1));
      m_d.d32 = c.d32;
      m_d.lane0 = d_off;
      if (issue_data) begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          m_d.mask[l] = cnt_t'(l) >= cnt_t'(d_off) && cnt_t'(l) < cnt_t'(d_off) + v;
        end
      end
      m_d.out = out;
      m_d.out_q = c.d_q;
      m_d.code = c.code;
    end
  end

  // --------------------------------------------------------------------------------- weights --
  logic        fetch;
  logic [23:0] fetch_addr;
  logic        fetch_bad;
  ramp_t       fetch_head;

  always_comb begin
    logic signed [33:0] sum;
    fetch = axp_q != '0 && !w_end_q && !w_cnt_q[1] && inq_valid_i[axp_in_q];
    fetch_head = '0;
    fetch_addr = '0;
    fetch_bad = 1'b0;
    sum = '0;
    if (fetch) begin
      fetch_head = inq_head_i[axp_in_q];
      sum = $signed({18'd0, fetch_head.data[31:16]}) *
            34'($signed(dsr_w3_q[axp_a_dsr_q][31:16])) +
            $signed({10'd0, dsr_w1_q[axp_a_dsr_q]});
      fetch_addr = sum[23:0];
      fetch_bad = sum < 34'sd0 || sum >= $signed(34'(SramBytes));
    end
  end

  always_comb begin
    inq_pop_o = '0;
    if (fetch) inq_pop_o[axp_in_q] = 1'b1;
    if (is_skip) begin
      inq_pop_o[skip_b ? c.b_q : c.a_q] = 1'b1;
    end else if (issue_data) begin
      if (pop_a) inq_pop_o[c.a_q] = 1'b1;
      if (pop_b) inq_pop_o[c.b_q] = 1'b1;
    end
  end
  assign inq_owned_o = own_q;

  // ---------------------------------------------------------------------------------- launch --
  ctx_t       l_ctx;
  logic [3:0] l_fault;
  logic       launch, l_drain, l_thread_ok;
  tid_t       l_t;
  logic [7:0] l_own;
  tensor_insn_t insn;

  // Without an instruction the decoder's inputs rest.
  assign insn = tensor_valid_i ? tensor_i : '0;

  ow_engine_decode #(.Lanes(Lanes)) u_decode (
    .insn_i (insn),
    .a_w0_i (dsr_w0_q[insn.ctl.a][14:0]),
    .a_acc_i(dsr_w1_q[insn.ctl.a][ACC_ADDR_BIT]),
    .a_w2_i (dsr_w2_q[insn.ctl.a]),
    .b_w0_i (dsr_w0_q[insn.ctl.b][14:0]),
    .b_acc_i(dsr_w1_q[insn.ctl.b][ACC_ADDR_BIT]),
    .b_w2_i (dsr_w2_q[insn.ctl.b]),
    .d_w0_i (dsr_w0_q[insn.ctl.dst][14:0]),
    .d_acc_i(dsr_w1_q[insn.ctl.dst][ACC_ADDR_BIT]),
    .d_w2_i (dsr_w2_q[insn.ctl.dst]),
    .d_rows_i(dsr_w3_q[insn.ctl.dst][15:0]),
    .ctx_o  (l_ctx),
    .fault_o(l_fault)
  );

  always_comb begin
    tensor_ready_o = 1'b0;
    l_drain = 1'b0;
    l_thread_ok = 1'b0;
    l_t = '0;
    l_own = '0;
    if (tensor_valid_i) begin
      l_drain = insn.op == TOP_DRAIN;
      l_thread_ok = {1'b0, insn.ctl.thread} < 5'(NumThreads);
      l_t = l_thread_ok ? tid_t'(insn.ctl.thread) : '0;
      if (l_ctx.a_kind == SRC_FAB) l_own[l_ctx.a_q] = 1'b1;
      if (l_ctx.b_kind == SRC_FAB) l_own[l_ctx.b_q] = 1'b1;
      if (!l_thread_ok) tensor_ready_o = 1'b1;
      else if (l_drain) tensor_ready_o = !red_busy_i;
      else begin
        tensor_ready_o = !active_q[l_t] && (l_own & (own_q | red_owned_i)) == '0 &&
                         !(l_ctx.axpyw && axp_q != '0);
      end
    end
    launch = tensor_valid_i && tensor_ready_o && l_thread_ok && !l_drain;
  end

  assign red_start_o = tensor_valid_i && tensor_ready_o && l_thread_ok && l_drain;
  assign red_start_kind_o = insn.ctl.done;
  assign red_start_task_o = insn.ctl.task_id;

  // ---------------------------------------------------------------------------------- lanes --
  logic [LineW-1:0]    m_a_line, m_b_line;
  logic [32*Lanes-1:0] acc_row, r_res;
  logic [31:0]         m_a [Lanes];
  logic [31:0]         m_b [Lanes];
  logic [31:0]         a_c [Lanes];
  logic [3:0]          acc_raddr;

  assign acc_raddr = a_d_from_q == FROM_ACC ? a_q.acc_row : m_src_row_q;

  always_comb begin
    m_a_line = '0;
    m_b_line = '0;
    if (m_lane_q) begin
      unique case (m_a_from_q)
        FROM_RD0:  m_a_line = rd0_rdata_i;
        FROM_RD1:  m_a_line = rd1_rdata_i;
        FROM_HOLD: m_a_line = hold_a_q[m_q.thread];
        default:   m_a_line[31:0] = m_a_imm_q;
      endcase
      unique case (m_b_from_q)
        FROM_RD0:  m_b_line = rd0_rdata_i;
        FROM_RD1:  m_b_line = rd1_rdata_i;
        FROM_HOLD: m_b_line = hold_b_q[m_q.thread];
        default:   m_b_line[31:0] = m_b_imm_q;
      endcase
    end
  end

  // Element idx of a line of 16-bit or 32-bit elements.
  function automatic logic [31:0] elem(input logic [LineW-1:0] line, input logic is32,
                                       input lane_t idx);
    logic [LaneW-1:0] idx32;
    idx32 = idx & lane_t'(Lanes / 2 - 1);
    return is32 ? line[32*idx32 +: 32] : {16'd0, line[16*idx +: 16]};
  endfunction

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic  work;
    lane_t a_idx, b_idx;
    logic  va_unused, vr_unused;

    assign work = m_lane_q && m_q.mask[l];

    always_comb begin
      m_a[l] = '0;
      m_b[l] = '0;
      a_idx = '0;
      b_idx = '0;
      if (work) begin
        a_idx = m_a_bc_q ? m_a_off_q : m_a_off_q + lane_t'(l) - m_q.lane0;
        b_idx = m_b_bc_q ? m_b_off_q : m_b_off_q + lane_t'(l) - m_q.lane0;
        m_a[l] = m_a_from_q == FROM_ACC ? acc_row[32*a_idx +: 32] : elem(m_a_line, m_a32_q, a_idx);
        m_b[l] = m_b_from_q == FROM_ACC ? acc_row[32*b_idx +: 32] : elem(m_b_line, m_b32_q, b_idx);
      end
    end

    always_comb begin
      a_c[l] = '0;
      if (a_q.valid && a_q.mask[l]) begin
        if (a_d_from_q == FROM_ACC) a_c[l] = acc_row[32*l +: 32];
        else a_c[l] = elem(a_d_line_q, a_q.d32, lane_t'(l));
      end
    end

    ow_lane u_lane (
      .clk_i,
      .rst_i,
      .valid_i  (work),
      .op_i     (m_lop_q),
      .src_i    (m_src_fmt_q),
      .dst_i    (m_dst_fmt_q),
      .a_i      (m_a[l]),
      .b_i      (m_b[l]),
      .valid_a_o(va_unused),
      .c_i      (a_c[l]),
      .valid_o  (vr_unused),
      .result_o (r_res[32*l +: 32])
    );

    logic unused;
    assign unused = va_unused ^ vr_unused;
  end

  ow_acc #(.Lanes(Lanes)) u_acc (
    .clk_i,
    .we_i    (r_q.valid && r_q.acc_we),
    .wmask_i (r_q.mask),
    .waddr_i (r_q.acc_row),
    .wdata_i (r_res),
    .raddr_i (acc_raddr),
    .rdata_o (acc_row),
    .raddr2_i(acc_raddr_i),
    .rdata2_o(acc_rdata_o)
  );

  // ------------------------------------------------------------------------------ write back --
  logic [LineW-1:0]    r_line;
  logic [VecBytes-1:0] r_be;

  always_comb begin
    r_line = '0;
    r_be = '0;
    if (r_q.valid && r_q.slot_en) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (r_q.d32) begin
          if (l < Lanes / 2) begin
            r_line[32*(l % (Lanes/2)) +: 32] = r_res[32*l +: 32];
            r_be[4*(l % (Lanes/2)) +: 4] = {4{r_q.mask[l]}};
          end
        end else begin
          r_line[16*l +: 16] = r_res[32*l +: 16];
          r_be[2*l +: 2] = {2{r_q.mask[l]}};
        end
      end
    end
  end

  always_comb begin
    eng_push_o = r_q.valid && r_q.out != OUT_NONE && r_q.out != OUT_KEEP;
    eng_q_o = r_q.out_q;
    eng_data_o = '0;
    if (eng_push_o) begin
      unique case (r_q.out)
        OUT_WORD:  eng_data_o.data = r_res[31:0];
        OUT_PAIR:  eng_data_o.data = {r_res[47:32], r_res[15:0]};
        OUT_UPPER: eng_data_o.data = {r_res[47:32], pack_q[r_q.thread]};
        OUT_LAST:  eng_data_o.data = {16'd0, r_res[15:0]};
        OUT_FLUSH: eng_data_o.data = {16'd0, pack_q[r_q.thread]};
        default:   eng_data_o = {1'b1, 30'd0, r_q.code};
      endcase
    end
  end

  assign row_closed_o = r_q.valid && r_q.close;
  assign row_closed_written_o = r_q.written;

  logic wq_head_ready, wq_pop;
  assign wq_head_ready = wq_fill_q[wq_head_q];
  assign wr_req_o = wq_head_ready && wq_be_q[wq_head_q] != '0;
  assign wr_addr_o = {wq_line_q[wq_head_q], OffW'(0)};
  assign wr_be_o = wq_be_q[wq_head_q];
  assign wr_wdata_o = wq_data_q[wq_head_q];
  assign wq_pop = wq_head_ready && (wr_gnt_i || wq_be_q[wq_head_q] == '0);

  // ------------------------------------------------------------------------------ completion --
  logic       dn_any, dn_save, dn_emit;
  tid_t       dn_t;
  logic [2:0] dn_left;
  logic [4:0] dn_dsr;
  logic [23:0] dn_addr;
  /* verilator lint_off UNUSEDSIGNAL */ // kinds, queues and descriptors only
  ctx_t       dn_ctx;
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

  // ------------------------------------------------------------------- descriptor read, lock --
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
    unique case (dsr_word_i)
      3'd0: dsr_rdata_o = dsr_w0_q[dsr_idx_i];
      3'd1: dsr_rdata_o = {8'd0, dsr_w1_q[dsr_idx_i]};
      3'd2: dsr_rdata_o = dsr_w2_q[dsr_idx_i];
      3'd3: dsr_rdata_o = dsr_w3_q[dsr_idx_i];
      3'd4: dsr_rdata_o = dsr_w4_q[dsr_idx_i];
      3'd5: dsr_rdata_o = dsr_w5_q[dsr_idx_i];
      default: dsr_rdata_o = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (dn_save) begin
      dsr_w1_q[dn_dsr] <= dn_addr;
    end else if (dsr_we_i && dsr_ready_o) begin
      unique case (dsr_word_i)
        3'd0: dsr_w0_q[dsr_idx_i] <= dsr_wdata_i;
        3'd1: dsr_w1_q[dsr_idx_i] <= dsr_wdata_i[23:0];
        3'd2: dsr_w2_q[dsr_idx_i] <= dsr_wdata_i;
        3'd3: dsr_w3_q[dsr_idx_i] <= dsr_wdata_i;
        3'd4: dsr_w4_q[dsr_idx_i] <= dsr_wdata_i;
        3'd5: dsr_w5_q[dsr_idx_i] <= dsr_wdata_i;
        default: ;
      endcase
    end
  end

  // ------------------------------------------------------------------ state of the threads --
  logic row_close_now, weight_used;
  assign row_close_now = is_wctrl && w_val_q[w_rp_q][CTRL_ROW_END];
  assign weight_used = is_wctrl || (issue_data && c.axpyw && v_end);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= '0;
      live_q <= '0;
      ending_q <= '0;
      abort_q <= '0;
      half_a_q <= '0;
      half_b_q <= '0;
      half_d_q <= '0;
      have_a_q <= '0;
      have_b_q <= '0;
      wait_q <= '0;
      memdst_q <= '0;
      donep_q <= '0;
      rr_q <= '0;
      own_q <= '0;
      two_q <= '0;
      for (int unsigned q = 0; q < 8; q++) begin
        in_use_q[q] <= '0;
        two_a_q[q] <= '0;
        out_use_q[q] <= '0;
      end
      for (int unsigned s = 0; s < WrSlots; s++) waiters_q[s] <= '0;
      fault_q <= '0;
      sync_q <= 1'b0;
      axp_q <= '0;
      w_end_q <= 1'b0;
      w_rp_q <= 1'b0;
      w_wp_q <= 1'b0;
      w_cnt_q <= '0;
      ring_sync_q <= 1'b0;
      row_first_q <= 1'b1;
      ring_slot_q <= '0;
      rows_used_q <= '0;
      ring_rows_q <= 8'd1;
    end else begin
      // Rows, weights.
      if (ring_sync_q && rows_used_q == 8'd0) ring_sync_q <= 1'b0;
      if (row_close_now != row_free_i) begin
        rows_used_q <= row_close_now ? rows_used_q + 8'd1 : rows_used_q - 8'd1;
      end
      if (fetch) begin
        w_ctrl_q[w_wp_q] <= fetch_head.ctrl;
        w_bad_q[w_wp_q] <= fetch_bad;
        w_val_q[w_wp_q] <= fetch_head.data[15:0];
        w_addr_q[w_wp_q] <= fetch_addr;
        w_wp_q <= !w_wp_q;
        if (fetch_head.ctrl && fetch_head.data[CTRL_STREAM_END]) w_end_q <= 1'b1;
      end
      if (weight_used) w_rp_q <= !w_rp_q;
      if (fetch != weight_used) w_cnt_q <= fetch ? w_cnt_q + 2'd1 : w_cnt_q - 2'd1;

      // The chosen thread.
      if (any) begin
        rr_q <= ~(pick_hot | (pick_hot - tmask_t'(1)));
        if (issue_data) begin
          half_a_q[p] <= half_a_d;
          half_b_q[p] <= half_b_d;
          half_d_q[p] <= half_d_d;
          cnt_q[p] <= cnt_next;
          if (!c.axpyw) begin
            a_addr_q[p] <= a_next;
            b_addr_q[p] <= b_next;
            d_addr_q[p] <= d_next;
          end
          have_a_q[p] <= 1'b0;
          have_b_q[p] <= c.b_kind == SRC_MEM && c.b_bc && !v_end;
          if (all_end && !c.axpyw) begin
            if (c.close) ending_q[p] <= 1'b1;
            else live_q[p] <= 1'b0;
          end
          if (c.axpyw && v_end) row_first_q <= 1'b0;
        end else begin
          if (capture0) begin
            if (rd_b) have_b_q[p] <= 1'b1;
            if ((!rd_b && rd_a) || (rd_a && capture1)) have_a_q[p] <= 1'b1;
          end
          if (hazard) begin
            wait_q[p] <= 1'b1;
            waiters_q[hazard_slot][p] <= 1'b1;
          end
        end
        if (is_wctrl) begin
          if (row_close_now) begin
            row_first_q <= 1'b1;
            if (ring_slot_q + 8'd1 == ring_rows_q) begin
              ring_slot_q <= '0;
              d_addr_q[p] <= dsr_w1_q[axp_d_dsr_q];
            end else begin
              ring_slot_q <= ring_slot_q + 8'd1;
              d_addr_q[p] <= d_addr_q[p] + {6'd0, dsr_w2_q[axp_d_dsr_q][15:0], 2'd0};
            end
          end
        end
        if (stream_end) ending_q[p] <= 1'b1;
        if (is_end) begin
          half_d_q[p] <= 1'b0;
          if (last) live_q[p] <= 1'b0;
          if (fcode != FAULT_NONE) begin
            abort_q[p] <= 1'b1;
            if (!fault_q[31]) fault_q <= {1'b1, 23'd0, 4'(p), fcode};
          end
        end
      end

      // A write leaves the write buffer: who waited for it tries again (and also who starts to wait
      // in this cycle, which is simpler and costs one try).
      if (wq_pop) begin
        wait_q <= wait_q & ~waiters_q[wq_head_q];
        waiters_q[wq_head_q] <= '0;
      end

      // Completion.
      if (wq_pop && wq_last_q[wq_head_q]) donep_q[wq_thread_q[wq_head_q]] <= 1'b1;
      if (r_q.valid && r_q.last && !r_q.slot_en) donep_q[r_q.thread] <= 1'b1;
      if (dn_save) begin
        save_q[dn_t] <= dn_left & (dn_left - 3'd1);
      end else if (dn_emit) begin
        donep_q[dn_t] <= 1'b0;
        active_q[dn_t] <= 1'b0;
        memdst_q[dn_t] <= 1'b0;
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
        if (dn_ctx.axpyw) axp_q <= '0;
      end

      // Launch.
      sync_q <= red_start_o && insn.ctl.thread == 4'd0;
      if (tensor_valid_i && !l_thread_ok && !fault_q[31]) begin
        fault_q <= {1'b1, 23'd0, insn.ctl.thread, FAULT_OP};
      end
      if (launch) begin
        ctx_q[l_t] <= l_ctx;
        fcode_q[l_t] <= l_fault;
        done_q[l_t] <= {insn.ctl.task_id, insn.ctl.done};
        save_q[l_t] <= l_ctx.axpyw ? 3'd0
                     : {dsr_w0_q[insn.ctl.dst][11] && l_ctx.d_kind inside {SRC_MEM, SRC_ACC},
                        dsr_w0_q[insn.ctl.b][11] && l_ctx.b_kind inside {SRC_MEM, SRC_ACC},
                        dsr_w0_q[insn.ctl.a][11] && l_ctx.a_kind inside {SRC_MEM, SRC_ACC}};
        a_addr_q[l_t] <= dsr_w1_q[insn.ctl.a];
        b_addr_q[l_t] <= dsr_w1_q[insn.ctl.b];
        d_addr_q[l_t] <= dsr_w1_q[insn.ctl.dst];
        cnt_q[l_t] <= '0;
        scal_q[l_t] <= insn.scalar;
        active_q[l_t] <= 1'b1;
        live_q[l_t] <= 1'b1;
        ending_q[l_t] <= 1'b0;
        abort_q[l_t] <= 1'b0;
        half_a_q[l_t] <= 1'b0;
        half_b_q[l_t] <= 1'b0;
        half_d_q[l_t] <= 1'b0;
        have_a_q[l_t] <= 1'b0;
        have_b_q[l_t] <= 1'b0;
        memdst_q[l_t] <= l_ctx.d_kind == SRC_MEM;
        own_q <= (dn_emit ? own_after_done : own_q) | l_own;
        if (l_ctx.a_kind == SRC_FAB) in_use_q[l_ctx.a_q][l_t] <= 1'b1;
        if (l_ctx.b_kind == SRC_FAB && !l_ctx.axpyw) in_use_q[l_ctx.b_q][l_t] <= 1'b1;
        if (l_ctx.a_kind == SRC_FAB && l_ctx.b_kind == SRC_FAB) begin
          two_q[l_t] <= 1'b1;
          two_a_q[l_ctx.a_q][l_t] <= 1'b1;
        end
        if (l_ctx.d_kind == SRC_FAB) out_use_q[l_ctx.d_q][l_t] <= 1'b1;
        if (l_ctx.axpyw) begin
          axp_q <= one_hot(l_t);
          axp_in_q <= l_ctx.b_q;
          axp_a_dsr_q <= l_ctx.a_dsr;
          axp_d_dsr_q <= l_ctx.d_dsr;
          w_end_q <= 1'b0;
          w_rp_q <= 1'b0;
          w_wp_q <= 1'b0;
          w_cnt_q <= '0;
          ring_sync_q <= 1'b1;
          row_first_q <= 1'b1;
          ring_slot_q <= '0;
          ring_rows_q <= dsr_w3_q[insn.ctl.dst][15:8] != '0 ? 8'hFF
                       : dsr_w3_q[insn.ctl.dst][7:0] == '0 ? 8'd1
                       : dsr_w3_q[insn.ctl.dst][7:0];
        end
      end
    end
  end

  // Places in the output queues for what is in the pipeline.
  logic res_up;
  assign res_up = issue_pipe && out != OUT_NONE && out != OUT_KEEP;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned q = 0; q < 8; q++) out_res_q[q] <= '0;
    end else if (res_up && eng_push_o && c.d_q == eng_q_o) begin
      // One comes, one goes.
    end else begin
      if (res_up) out_res_q[c.d_q] <= out_res_q[c.d_q] + 3'd1;
      if (eng_push_o) out_res_q[eng_q_o] <= out_res_q[eng_q_o] - 3'd1;
    end
  end

  // -------------------------------------------------------------------------------- pipeline --
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      m_q <= '0;
      a_q <= '0;
      r_q <= '0;
      m_lane_q <= 1'b0;
      m_cap_q <= 1'b0;
      m_a_from_q <= FROM_NONE;
      m_b_from_q <= FROM_NONE;
      m_d_from_q <= FROM_NONE;
      m_cap_a_q <= FROM_NONE;
      m_cap_b_q <= FROM_NONE;
      a_d_from_q <= FROM_NONE;
      wq_valid_q <= '0;
      wq_fill_q <= '0;
      wq_head_q <= '0;
      wq_tail_q <= '0;
    end else begin
      // I to M.
      if (issue_pipe) m_q <= m_d;
      else if (m_q.valid) m_q.valid <= 1'b0;
      m_lane_q <= issue_data;
      if (issue_data) begin
        m_lop_q <= c.lop;
        m_src_fmt_q <= c.src_fmt;
        m_dst_fmt_q <= c.dst_fmt;
        m_a32_q <= c.a32;
        m_b32_q <= c.b32;
        m_a_bc_q <= c.a_bc;
        m_b_bc_q <= c.b_bc;
        m_a_off_q <= a_off;
        m_b_off_q <= b_off;
        m_a_imm_q <= c.a_kind == SRC_FAB ? head_a.data : scal_q[p];
        m_b_imm_q <= c.axpyw ? {16'd0, w_val_q[w_rp_q]}
                   : c.b_kind == SRC_FAB ? head_b.data : scal_q[p];
        m_src_row_q <= 4'((c.a_kind == SRC_ACC ? aa : ba) >> (OffW + 1));
        m_a_from_q <= c.a_kind == SRC_ACC ? FROM_ACC
                    : c.a_kind != SRC_MEM ? FROM_IMM
                    : !rd_a ? FROM_HOLD : rd_b ? FROM_RD1 : FROM_RD0;
        m_b_from_q <= c.b_kind == SRC_ACC ? FROM_ACC
                    : c.b_kind != SRC_MEM ? FROM_IMM
                    : !rd_b ? FROM_HOLD : FROM_RD0;
        m_d_from_q <= c.lop != LANE_FMA ? FROM_NONE
                    : c.d_kind == SRC_MEM ? (rd1_is_d && (rd_a || rd_b) ? FROM_RD1 : FROM_RD0)
                    : c.axpyw && row_first_q ? FROM_IMM : FROM_ACC;
      end else if (m_lane_q) begin
        m_d_from_q <= FROM_NONE;
      end
      // Lines to keep: those of a beat that could not go, and b for the rest of an inner vector.
      m_cap_q <= capture0 || (issue_data && rd_b && c.b_bc);
      if (any) begin
        m_cap_t_q <= p;
        m_cap_b_q <= rd_b ? FROM_RD0 : FROM_NONE;
        m_cap_a_q <= !capture0 || !rd_a ? FROM_NONE
                   : !rd_b ? FROM_RD0 : capture1 ? FROM_RD1 : FROM_NONE;
      end
      // M: keep lines.
      if (m_cap_q) begin
        if (m_cap_b_q == FROM_RD0) hold_b_q[m_cap_t_q] <= rd0_rdata_i;
        if (m_cap_a_q == FROM_RD0) hold_a_q[m_cap_t_q] <= rd0_rdata_i;
        if (m_cap_a_q == FROM_RD1) hold_a_q[m_cap_t_q] <= rd1_rdata_i;
      end
      // M to A.
      if (m_q.valid) begin
        a_q <= m_q;
        a_d_from_q <= m_d_from_q;
        if (m_d_from_q == FROM_RD0) a_d_line_q <= rd0_rdata_i;
        else if (m_d_from_q == FROM_RD1) a_d_line_q <= rd1_rdata_i;
        else if (m_d_from_q == FROM_IMM) a_d_line_q <= '0;
      end else if (a_q.valid) begin
        a_q.valid <= 1'b0;
        a_d_from_q <= FROM_NONE;
      end
      // A to R.
      if (a_q.valid) r_q <= a_q;
      else if (r_q.valid) r_q.valid <= 1'b0;
      // R: write buffer, unfinished pair.
      if (r_q.valid) begin
        if (r_q.slot_en) begin
          wq_data_q[r_q.slot] <= r_line;
          wq_be_q[r_q.slot] <= r_be;
          wq_fill_q[r_q.slot] <= 1'b1;
        end
        if (r_q.out == OUT_KEEP) pack_q[r_q.thread] <= r_res[15:0];
      end
      // Write buffer slots.
      if (slot_alloc) begin
        wq_valid_q[wq_tail_q] <= 1'b1;
        wq_line_q[wq_tail_q] <= da[23:OffW];
        wq_last_q[wq_tail_q] <= last;
        wq_thread_q[wq_tail_q] <= p;
        wq_tail_q <= wq_tail_q + 3'd1;
      end
      if (wq_pop) begin
        wq_valid_q[wq_head_q] <= 1'b0;
        wq_fill_q[wq_head_q] <= 1'b0;
        wq_head_q <= wq_head_q + 3'd1;
      end
    end
  end

  // ---------------------------------------------------------------------------------- status --
  assign fault_o = fault_q;
  assign ev_beat_o = issue_data;
  assign ev_weight_o = issue_data && c.axpyw && v_end;

  always_comb begin
    cause_o = CAUSE_NONE;
    if (issue_any) cause_o = CAUSE_BUSY;
    else if (active_q == '0) cause_o = CAUSE_NONE;
    else if (any) cause_o = CAUSE_MEM;
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
          thread_state_o[26:24] = sc.axpyw || sc.a_kind != SRC_FAB ||
                                  (sc.b_kind == SRC_FAB && inq_valid_i[sc.a_q]) ? sc.b_q : sc.a_q;
        end else if (blk_row[s]) begin
          thread_state_o[30:28] = 3'd3;
        end else begin
          thread_state_o[30:28] = 3'd4;
        end
      end
    end
  end

  assign idle_o = !any && !fetch && !m_q.valid && !m_cap_q && !a_q.valid && !r_q.valid &&
                  !m_lane_q && wq_valid_q == '0 && donep_q == '0 && !sync_q &&
                  !(dsr_we_i && dsr_ready_o) &&
                  !(tensor_valid_i && tensor_ready_o) && !row_free_i &&
                  !(ring_sync_q && rows_used_q == 8'd0) && !rst_i;

  // ------------------------------------------------------------------------------ assertions --
  `OW_ASSERT(rd0_data_comes, !(m_lane_q && (m_a_from_q == FROM_RD0 || m_b_from_q == FROM_RD0)) ||
             rd0_rvalid_i, "no data on read port 0")
  `OW_ASSERT(rd1_data_comes, !(m_lane_q && m_a_from_q == FROM_RD1) || rd1_rvalid_i,
             "no data on read port 1")
  `OW_ASSERT(slot_free, !(slot_alloc && (&wq_valid_q)), "write buffer overflow")
  `OW_ASSERT(outq_space, !eng_push_o || outq_level_i[eng_q_o] < 4'(QueueDepth),
             "push into a full output queue")
  `OW_ASSERT(rows_in_ring, rows_used_q <= ring_rows_q || ring_sync_q, "more rows than the ring has")
  `OW_ASSERT(row_freed_was_used, !(row_free_i && rows_used_q == 8'd0), "free of a row not in use")
  `OW_ASSERT(pop_valid, (inq_pop_o & ~inq_valid_i) == '0, "pop from an empty input queue")
  `OW_ASSERT(one_chosen, (pick_hot & (pick_hot - tmask_t'(1))) == '0, "two threads chosen")
  `OW_ASSERT(live_is_active, (live_q & ~active_q) == '0, "a thread that is not active is live")

endmodule
