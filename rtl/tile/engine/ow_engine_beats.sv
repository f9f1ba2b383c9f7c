// SPDX-License-Identifier: Apache-2.0
// Queue of the tensor engine's planned beats, and stage M. The oldest beat leaves stage M for the
// datapath when its lines are there, and its elements at indices if it has any.
//
// Beats with indices ask for their elements between I1 and M. The oldest beat that has not asked
// does so once its indices are there and no beat before it needs what it takes (the streams and
// their selection). The earliest cycle for it is the one after its plan.
//
// Elements at indices are not compared with the write buffer. So an instruction that was launched
// while a line of a completed instruction is still to come (hold_i) waits for that line. The first
// cycle of hold_i needs no wait, because nobody can know yet that the instruction is complete.
//
//   Lanes, SramBytes, SramBanks, NumThreads   as of ow_engine
//   Gather       there are beats with indices
//   push_i, beat_i   a beat is planned (arrives late in the cycle). Only with room: full_o: there
//                is none; one_o: there is room for one
//   src_*_i, src_meets_o   a beat here will write words of an accumulator row
//   launch_hot_i the thread that is launched
//   kill_i       threads with an index outside memory; fault_o: that of m_o is, at fault_addr_o
//   m_o, m_valid_o   the oldest beat, 0 if there is none; res_o: where its result goes, or what a
//                fault leaves of that
//   m_own_o, m_lends_o   the streams a, b that it takes from in stage M, and those that it leaves
//                to a beat that asks: each is the inverse of the other
//   ready_i      its lines are there; wait_i: it waits for a result; fire_o: it enters the datapath
//   g_*          ow_engine_operands: elements of the beat that asks
//   gathered_o   elements for m_o
//   gth_*        gather port of ow_sram; gth_ask_o: as ow_gather's mem_ask_o
`include "ow_assert.svh"

module ow_engine_beats
  import ow_datapath_pkg::*;
  import ow_onehot_pkg::increment;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = ow_pkg::FULL_LANES,
  parameter int unsigned SramBytes = ow_pkg::FULL_SRAM_BYTES,
  parameter int unsigned SramBanks = ow_pkg::FULL_SRAM_BANKS,
  parameter int unsigned NumThreads = ow_pkg::FULL_NUM_THREADS,
  parameter bit Gather = 1'b1,
  localparam int unsigned RowW = 20 - $clog2(SramBanks)
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  // Plan.
  input  logic                    push_i,
  input  beat_t                   beat_i,
  output logic                    full_o,
  output logic                    one_o,
  input  logic [3:0]              src_row_i,
  input  logic [7:0]              src_words_i,
  output logic                    src_meets_o,
  // Threads.
  input  logic [NumThreads-1:0]   launch_hot_i,
  input  logic                    hold_i,
  input  logic [NumThreads-1:0]   kill_i,
  output logic                    fault_o,
  output logic [23:0]             fault_addr_o,
  // Stage M.
  output logic                    m_valid_o,
  output beat_t                   m_o,
  output logic [1:0]              m_own_o,
  output logic [1:0]              m_lends_o,
  output res_t                    res_o,
  input  logic                    ready_i,
  input  logic                    wait_i,
  output logic                    fire_o,
  // Elements at indices.
  output logic                    g_valid_o,
  output beat_t                   g_o,
  input  logic                    g_ready_i,
  output logic                    g_fire_o,
  input  logic [Lanes-1:0][15:0]  g_idx_i,
  input  logic [Lanes-1:0][31:0]  g_data_i,
  output logic [Lanes-1:0][31:0]  gathered_o,
  output logic [SramBanks-1:0]           gth_ask_o,
  output logic [SramBanks-1:0]           gth_req_o,
  output logic [SramBanks-1:0]           gth_we_o,
  output logic [SramBanks-1:0][RowW-1:0] gth_row_o,
  output logic [SramBanks-1:0][7:0]      gth_be_o,
  output logic [SramBanks-1:0][63:0]     gth_wdata_o,
  input  logic [SramBanks-1:0]           gth_gnt_i,
  input  logic [SramBanks-1:0][63:0]     gth_rdata_i
);

  localparam int unsigned BeatSlots = Lanes == 8 ? 8 : 4;
  localparam int unsigned BeatW = $clog2(BeatSlots);
  typedef logic [BeatW-1:0] slot_t;
  typedef logic [BeatW:0] cnt_t;
  typedef logic [NumThreads-1:0] tmask_t;
  typedef logic [$clog2(NumThreads)-1:0] tid_t;

  function automatic logic is_indexed(input unit_e u);
    return Gather && u inside {UNIT_GATHER, UNIT_SCATTER, UNIT_FMAG};
  endfunction

  // ----------------------------------------------------------------------------------- queue --
  typedef logic [BeatSlots-1:0] slots_t;

  // A memory holds all of each beat. Fields that are compared in all beats at once are in
  // registers.
  beat_t  bq_q [BeatSlots];
  slot_t  bq_rp_q, bq_wp_q;
  cnt_t   bq_cnt_q;
  slots_t there_q;  // slots that hold a beat
  beat_t  m_q;      // the oldest one
  // The streams that m_q takes from, and the others. Both select in all lanes, so each is a
  // register.
  logic [1:0] m_own_q, m_lends_q;
  slots_t uses_a_q, uses_b_q;         // these beats take from that stream in stage M
  slots_t acc_q;                      // they write words of an accumulator row: this one, these
  logic [BeatSlots-1:0][3:0] acc_row_q;
  logic [BeatSlots-1:0][7:0] acc_words_q;

  // The streams that a beat takes from in stage M.
  /* verilator lint_off UNUSEDSIGNAL */ // unit only
  function automatic logic [1:0] uses(input beat_t b);
    return {b.data && !is_indexed(b.unit),
            b.data && !(Gather && b.unit inside {UNIT_GATHER, UNIT_SCATTER})};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic slots_t at(input logic enable, input slot_t s);
    return enable ? slots_t'(1) << s : '0;
  endfunction

  assign full_o = bq_cnt_q == cnt_t'(BeatSlots);
  assign one_o = bq_cnt_q == cnt_t'(BeatSlots - 1);
  assign m_valid_o = bq_cnt_q != '0;
  assign m_o = m_q;
  assign m_own_o = m_own_q;
  assign m_lends_o = m_lends_q;

  slot_t      bq_next;
  logic [1:0] own_next;  // of the beat after the oldest one, or of the beat that is pushed
  assign bq_next = bq_rp_q + slot_t'(1);
  assign own_next = bq_cnt_q > cnt_t'(1) ? {uses_b_q[bq_next], uses_a_q[bq_next]} :
                    push_i ? uses(beat_i) : 2'b00;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      bq_rp_q <= '0;
      bq_wp_q <= '0;
      bq_cnt_q <= '0;
      there_q <= '0;
      m_q <= '0;
      m_own_q <= 2'b00;
      m_lends_q <= 2'b11;
    end else if (push_i || fire_o) begin
      if (fire_o || !m_valid_o) begin
        if (bq_cnt_q > cnt_t'(1)) m_q <= bq_q[bq_next];
        else m_q <= push_i ? beat_i : '0;
        m_own_q <= own_next;
        m_lends_q <= ~own_next;
      end
      if (push_i) begin
        bq_q[bq_wp_q] <= beat_i;
        bq_wp_q <= bq_wp_q + 1'b1;
      end
      if (fire_o) bq_rp_q <= bq_rp_q + 1'b1;
      // push_i arrives late, so it only selects between precomputed counts.
      if (push_i != fire_o) bq_cnt_q <= push_i ? cnt_t'(increment(32'(bq_cnt_q))) : bq_cnt_q - 1'b1;
      there_q <= (there_q & ~at(fire_o, bq_rp_q)) | at(push_i, bq_wp_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      for (int unsigned s = 0; s < BeatSlots; s++) begin
        if (bq_wp_q == slot_t'(s)) begin
          {uses_b_q[s], uses_a_q[s]} <= uses(beat_i);
          acc_q[s] <= beat_i.r.acc_we;
          acc_row_q[s] <= beat_i.r.acc_row;
          acc_words_q[s] <= beat_i.r.mask;
        end
      end
    end
  end

  always_comb begin
    src_meets_o = 1'b0;
    for (int unsigned s = 0; s < BeatSlots; s++) begin
      if (there_q[s] && acc_q[s] && acc_row_q[s] == src_row_i &&
          (acc_words_q[s] & src_words_i) != '0) begin
        src_meets_o = 1'b1;
      end
    end
  end

  // --------------------------------------------------------------------- elements at indices --
  // The oldest beat that has not asked is in registers of its own, as the oldest beat of all is.
  // The next such beat is looked up in parallel with the decision whether this one asks now.
  logic   g_req_ready, g_rsp_valid, g_rsp_fault, m_indexed, killed;
  logic   g_valid_q;   // there is one
  beat_t  g_q;
  slot_t  g_slot_q;
  slots_t behind_q;    // slots with others that have not asked: all of them came later
  slots_t before_q;    // of the slots in use, those with beats that came before it
  logic   takes_push;  // the beat that is planned now is the one from the next cycle on

  assign g_o = g_q;
  assign takes_push = push_i && is_indexed(beat_i.unit) &&
                      (!g_valid_q || (g_fire_o && behind_q == '0));

  always_comb begin : ask
    logic uses_a, uses_b;  // beats before it need what it takes
    g_valid_o = 1'b0;
    uses_a = 1'b0;
    uses_b = 1'b0;
    if (Gather && g_valid_q) begin
      uses_a = (there_q & before_q & uses_a_q) != '0;
      uses_b = (there_q & before_q & uses_b_q) != '0;
      g_valid_o = !uses_b && !(uses_a && g_q.unit == UNIT_SCATTER);
    end
  end

  slot_t  follows;  // the oldest of the later ones
  slots_t passed;   // the slots from that of the asking beat up to that one
  always_comb begin : follow
    slot_t s;
    logic  found;
    follows = '0;
    passed = '0;
    s = '0;
    found = 1'b0;
    if (behind_q != '0) begin
      for (int unsigned i = 0; i < BeatSlots; i++) begin
        s = g_slot_q + slot_t'(i);
        if (behind_q[s] && !found) begin
          found = 1'b1;
          follows = s;
        end
        if (!found) passed[s] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      g_valid_q <= 1'b0;
      behind_q <= '0;
      before_q <= '0;
    end else if (Gather && (g_valid_q || takes_push)) begin
      if (takes_push) begin
        g_valid_q <= 1'b1;
        before_q <= ~at(1'b1, bq_wp_q);
      end else begin
        if (g_fire_o) g_valid_q <= behind_q != '0;
        before_q <= (before_q | (g_fire_o ? passed : '0)) & ~at(push_i, bq_wp_q);
        behind_q <= (behind_q & ~at(g_fire_o, follows)) |
                    at(push_i && is_indexed(beat_i.unit), bq_wp_q);
      end
    end
    if (takes_push || g_fire_o) begin
      g_q <= behind_q != '0 ? bq_q[follows] : beat_i;
      g_slot_q <= behind_q != '0 ? follows : bq_wp_q;
    end
  end

  tmask_t looks_q;
  logic   held_q;
  logic   g_held;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      looks_q <= '0;
      held_q <= 1'b0;
    end else begin
      if (held_q != hold_i) held_q <= hold_i;
      if (looks_q != '0 || hold_i) begin
        looks_q <= !hold_i ? '0 : looks_q | (held_q ? launch_hot_i : '0);
      end
    end
  end

  assign g_held = hold_i && looks_q[tid_t'(g_q.r.thread)];
  assign g_fire_o = g_ready_i && g_req_ready && !g_held;

  if (Gather) begin : gen_gather
    /* verilator lint_off UNUSEDSIGNAL */ // the queue of beats knows
    logic we, tag, idle;
    /* verilator lint_on UNUSEDSIGNAL */
    ow_gather #(.SramBytes(SramBytes), .SramBanks(SramBanks), .Lanes(Lanes),
                .TagW(1)) u_gather (
      .clk_i, .rst_i,
      .req_valid_i(g_ready_i && !g_held), .req_ready_o(g_req_ready),
      .req_we_i(g_q.unit == UNIT_SCATTER), .req_w32_i(g_q.src inside {DF_F32, DF_I32}),
      .req_base_i(g_q.base),
      .req_mask_i(kill_i[tid_t'(g_q.r.thread)] ? '0 : g_q.mask[Lanes-1:0]),
      .req_idx_i(g_idx_i), .req_wdata_i(g_data_i), .req_tag_i(1'b0),
      .rsp_valid_o(g_rsp_valid), .rsp_ready_i(fire_o && m_indexed), .rsp_we_o(we),
      .rsp_fault_o(g_rsp_fault), .rsp_addr_o(fault_addr_o), .rsp_tag_o(tag),
      .rsp_data_o(gathered_o),
      .mem_ask_o(gth_ask_o), .mem_req_o(gth_req_o), .mem_we_o(gth_we_o), .mem_row_o(gth_row_o),
      .mem_be_o(gth_be_o), .mem_wdata_o(gth_wdata_o), .mem_gnt_i(gth_gnt_i),
      .mem_rdata_i(gth_rdata_i),
      .idle_o(idle)
    );
  end else begin : gen_no_gather
    assign g_req_ready = 1'b0;
    assign {g_rsp_valid, g_rsp_fault, fault_addr_o, gathered_o} = '0;
    assign {gth_ask_o, gth_req_o, gth_we_o, gth_row_o, gth_be_o, gth_wdata_o} = '0;
    logic unused;
    assign unused = ^{g_data_i, g_idx_i, gth_gnt_i, gth_rdata_i};
  end

  // --------------------------------------------------------------------------------- stage M --
  assign m_indexed = m_valid_o && m_q.data && is_indexed(m_q.unit);
  assign killed = m_indexed && (g_rsp_fault || kill_i[tid_t'(m_q.r.thread)]);
  assign fault_o = fire_o && m_indexed && g_rsp_fault;

  always_comb begin
    res_o = m_q.r;
    if (killed) begin
      res_o.kill = 1'b1;
      res_o.mask = '0;
      res_o.acc_we = 1'b0;
      res_o.cut = m_q.r.last;
      res_o.out_close = 1'b0;
    end
  end

  // An answer always belongs to the oldest beat. Those before it have taken theirs, and it blocks
  // those after it.
  always_comb begin
    fire_o = 1'b0;
    if (m_valid_o && ready_i) begin
      fire_o = 1'b1;
      if (m_indexed && !g_rsp_valid) fire_o = 1'b0;
      if (wait_i) fire_o = 1'b0;
    end
  end

  `OW_ASSERT(own_of_the_oldest, !m_valid_o || (m_own_q == uses(m_q) && m_lends_q == ~m_own_q),
             "the streams of the oldest beat are not those that it takes of")
  `OW_ASSERT(answer_of_the_oldest, !(fire_o && g_valid_q && g_slot_q == bq_rp_q),
             "a beat goes that has not asked for its elements")

endmodule
