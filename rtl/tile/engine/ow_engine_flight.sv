// SPDX-License-Identifier: Apache-2.0
// Beats of the tensor engine between stage M, where they enter the datapath, and their results:
// where each result goes, which addend it needs, and which beat waits for one that is under way.
//
// Results come a fixed number of cycles after a beat has fired: RES_LATENCY; NlfLatency for
// non-linear functions, which take their operands from registers; RED_LATENCY for reductions, in
// the order in which they fired. One result can come in each cycle, so a beat waits if its own
// cycle is taken. No beat overtakes a function of its own thread.
//
// Addends are needed ADD_LATENCY cycles after a beat fires. An accumulator row is written with the
// result. So a beat that adds to elements that are under way fires 4 cycles after the beat that
// makes them. A mixed multiply-add can fire after 2 or 3, because the datapath feeds the sum back
// to itself (back_o). A source in the accumulator cache is read at once, so it waits for all
// results to its row. Both share the one read port of the cache.
//
//   Lanes       lanes of the engine; a line has 2 * Lanes bytes
//   m_valid_i, m_i   the oldest planned beat
//   wait_o      it must not fire in this cycle; else back_o says how its addend comes (ow_datapath)
//   fire_i      it fires: res_i is where its result goes, d_line_i its addend's line
//   early_i     it fires, but its result leaves from stage M
//   p_acc_o ... the addend of the beat that needs it in this cycle: acc_row_i is row p_row_o of the
//               accumulator cache, if p_acc_o
//   late_valid_i, nlf_valid_i   a result of a reduction, of a non-linear function is there
//   r_valid_o   the result of r_o is there; it is late_valid_i's, nlf_valid_i's or neither's
//   ended_o ... an instruction counts as complete Ahead cycles before its last result, if no
//               program can see the difference. A result for the accumulator cache: later beats
//               wait here. A result for memory: readers wait for the line in slot told_slot_o
//               (told_o). The latter needs tell_i[0] for thread 0 and tell_i[1] for others, one
//               thread at a time. late_ended_o: the same for a reduction, possibly in the same
//               cycle
//   src_under_way_o     results for words src_words_i in row src_row_i of the accumulator cache are
//               under way, and would be still for a beat that is planned in this cycle
//   sends_o, writes_o   results for an output queue, for the write buffer are under way. Those of
//               reductions are in late_o; late_soon_o of them come before that of a beat that is
//               planned in this cycle
//   idle_o      nothing is under way
`include "ow_assert.svh"

module ow_engine_flight
  import ow_datapath_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = ow_pkg::FULL_LANES,
  localparam int unsigned LineW = 16 * Lanes
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  // Stage M.
  input  logic                   m_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */ // what decides when it fires
  input  beat_t                  m_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                   wait_o,
  output logic [1:0]             back_o,
  input  logic                   fire_i,
  input  logic                   early_i,
  input  res_t                   res_i,
  input  logic [LineW-1:0]       d_line_i,
  // Addends.
  output logic                   p_acc_o,
  output logic [3:0]             p_row_o,
  input  logic [32*Lanes-1:0]    acc_row_i,
  output logic [Lanes-1:0][31:0] addend_o,
  // Results.
  input  logic                   late_valid_i,
  input  logic                   nlf_valid_i,
  output logic                   r_valid_o,
  output res_t                   r_o,
  output logic                   ended_o,
  output logic [3:0]             ended_thread_o,
  input  logic [1:0]             tell_i,
  output logic                   told_o,
  output wslot_t                 told_slot_o,
  output logic                   late_ended_o,
  output logic [3:0]             late_ended_thread_o,
  // Plan.
  input  logic [3:0]             src_row_i,
  input  logic [7:0]             src_words_i,
  output logic                   src_under_way_o,
  // Status.
  output logic                   sends_o,
  output logic                   writes_o,
  output logic                   late_o,
  output logic [3:0]             late_soon_o,
  output logic                   idle_o
);

  localparam int unsigned NlfLatency = ow_nlf_pkg::NLF_LATENCY + 1;

  `OW_ASSERT_INIT(nlf_is_later, NlfLatency > RES_LATENCY && NlfLatency < RED_LATENCY)
  `OW_ASSERT_INIT(late_fit, RED_LATENCY <= 4 * RED_INTERVAL)
  `OW_ASSERT_INIT(one_before, RED_INTERVAL >= RES_LATENCY - 1)

  typedef struct packed {
    addend_e from;
    logic    back;  // its result can be an addend before it is in the accumulator cache
    logic    nlf;
    res_t    r;
  } flight_t;

  // Indexed by the cycles since they fired. Stages after RES_LATENCY hold non-linear functions
  // only.
  localparam int unsigned Last = NlfLatency;
  logic [Last:1]       valid_q;
  flight_t [Last:1]    at_q;
  logic [LineW-1:0]    line_q, p_line_q;
  logic [RED_LATENCY-1:0] resv_q;  // bit k: a reduction's result comes in k cycles
  logic [2:0]          gap_q;      // cycles until another may be started
  res_t                late_q [4]; // reductions, in their order
  logic [1:0]          late_rp_q, late_wp_q;
  logic [2:0]          moves_q;    // cycles until a beat without a result is through the lanes

  logic          enters, late_now, m_nlf;
  flight_t       enter;
  logic [Last:1] goes_on;  // stages that are in use in the next cycle

  assign m_nlf = m_i.unit == UNIT_NLF;
  assign enters = fire_i && !m_i.late && !early_i;
  assign late_now = fire_i && m_i.late && !m_i.none;

  always_comb begin
    enter.from = m_i.data ? m_i.d_from : ADD_NONE;
    enter.back = m_i.data && m_i.op == DP_FMA && m_i.src != DF_F32 && m_i.dst == DF_F32;
    enter.nlf = m_i.data && m_nlf;
    enter.r = res_i;
    goes_on[1] = enters;
    for (int unsigned s = 2; s <= Last; s++) begin
      goes_on[s] = valid_q[s-1] && (s <= RES_LATENCY || at_q[s-1].nlf);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      resv_q <= '0;
      gap_q <= '0;
      late_rp_q <= '0;
      late_wp_q <= '0;
      moves_q <= '0;
    end else begin
      if (valid_q != '0 || enters) begin
        valid_q <= goes_on;
      end
      if (resv_q != '0 || late_now) resv_q <= {late_now, resv_q[RED_LATENCY-1:1]};
      if (fire_i && m_i.red_last) gap_q <= 3'(RED_INTERVAL - 1);
      else if (gap_q != 3'd0) gap_q <= gap_q - 3'd1;
      if (fire_i && m_i.none) moves_q <= 3'(RES_LATENCY + 1);
      else if (moves_q != 3'd0) moves_q <= moves_q - 3'd1;
      if (late_now) late_wp_q <= late_wp_q + 2'd1;
      if (late_valid_i) late_rp_q <= late_rp_q + 2'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (enters) at_q[1] <= enter;
    for (int unsigned s = 2; s <= Last; s++) if (goes_on[s]) at_q[s] <= at_q[s-1];
    if (enters && m_i.d_from == ADD_MEM) line_q <= d_line_i;
    if (valid_q[1] && at_q[1].from == ADD_MEM) p_line_q <= line_q;
    if (late_now) late_q[late_wp_q] <= res_i;
  end

  /* verilator lint_off UNUSEDSIGNAL */ // of a result: whose and where
  function automatic logic ends_here(input res_t r, input logic [1:0] tell);
    return r.last && !r.out && (!r.slot_en || tell[r.thread != 4'd0]);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // --------------------------------------------------------------------------------- waiting --
  // The addend of m is read two cycles later. A result that comes after that must be waited for.
  logic            from_acc;  // a source is in the accumulator cache
  logic [Last-2:1] meets;     // a beat that writes what m adds to, and whose result comes too late
  logic [3:2]      covers;    // it writes all of that, and can feed it back

  always_comb begin
    from_acc = m_i.a.from == FROM_ACC || m_i.b.from == FROM_ACC;
    meets = '0;
    covers = '0;
    wait_o = 1'b0;
    back_o = 2'd0;
    if (m_valid_i && (valid_q != '0 || resv_q != '0 || gap_q != 3'd0)) begin
      if (m_i.d_from == ADD_ACC) begin
        for (int unsigned s = 1; s <= Last - 2; s++) begin
          meets[s] = valid_q[s] && at_q[s].r.acc_we && at_q[s].r.acc_row == m_i.r.acc_row &&
                     (at_q[s].r.mask & m_i.mask) != '0 && (s < 4 || at_q[s].nlf);
        end
        for (int unsigned s = 2; s <= 3; s++) begin
          covers[s] = at_q[s].back && enter.back && (m_i.mask & ~at_q[s].r.mask) == '0;
        end
        back_o = {meets[3] && !meets[2], meets[2]};
        wait_o = meets[1] || meets[Last-2:4] != '0 ||
                 (meets[2] ? !covers[2] : meets[3] && !covers[3]);
      end
      if (from_acc) begin
        for (int unsigned s = 1; s <= Last; s++) begin
          if (valid_q[s] && at_q[s].r.acc_we && at_q[s].r.acc_row == m_i.src_row &&
              (at_q[s].r.mask & m_i.src_words) != '0) begin
            wait_o = 1'b1;
          end
        end
        if (p_acc_o) wait_o = 1'b1;
      end
      if (m_i.late) begin
        if (m_i.red_last && gap_q != 3'd0) wait_o = 1'b1;
      end else begin
        if (m_nlf ? resv_q[Last] : resv_q[RES_LATENCY]) wait_o = 1'b1;
        for (int unsigned s = 1; s <= Last - RES_LATENCY; s++) begin
          if (!m_nlf && valid_q[s] && at_q[s].nlf &&
              (s == Last - RES_LATENCY || at_q[s].r.thread == m_i.r.thread)) begin
            wait_o = 1'b1;
          end
        end
      end
    end
  end

  // What is planned now is in stage M in the next cycle at the earliest.
  always_comb begin
    src_under_way_o = 1'b0;
    for (int unsigned s = 1; s < RES_LATENCY; s++) begin
      if (valid_q[s] && at_q[s].r.acc_we && at_q[s].r.acc_row == src_row_i &&
          (at_q[s].r.mask & src_words_i) != '0) begin
        src_under_way_o = 1'b1;
      end
    end
  end

  // --------------------------------------------------------------------------------- addends --
  assign p_acc_o = valid_q[ADD_LATENCY] && at_q[ADD_LATENCY].from == ADD_ACC;
  assign p_row_o = at_q[ADD_LATENCY].r.acc_row;

  always_comb begin
    addend_o = '0;
    if (p_acc_o || (valid_q[ADD_LATENCY] && at_q[ADD_LATENCY].from == ADD_MEM)) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (at_q[ADD_LATENCY].r.mask[l]) begin
          if (p_acc_o) addend_o[l] = acc_row_i[32*l +: 32];
          else if (at_q[ADD_LATENCY].r.sz == 2'd2) addend_o[l] = p_line_q[32*(l % (Lanes/2)) +: 32];
          else addend_o[l] = {16'd0, p_line_q[16*l +: 16]};
        end
      end
    end
  end

  // --------------------------------------------------------------------------------- results --
  always_comb begin
    r_valid_o = (valid_q[RES_LATENCY] && !at_q[RES_LATENCY].nlf) || nlf_valid_i || late_valid_i;
    r_o = at_q[RES_LATENCY].r;
    if (late_valid_i) r_o = late_q[late_rp_q];
    else if (nlf_valid_i) r_o = at_q[Last].r;
  end

  // At most one reduction is due before the one that is due after Ahead cycles.
  localparam int unsigned Ahead = RES_LATENCY - 1;
  res_t soon;
  // The line of a non-linear function is filled two cycles later than those of other results. A
  // beat that ends in the cycle after it would fill its line first, but lines must be filled in the
  // order in which their ends are told. So that beat ends only when its line is filled. A beat two
  // cycles after it needs the same result cycle, and so waits anyway.
  logic behind_nlf;

  assign behind_nlf = valid_q[2] && at_q[2].nlf && at_q[2].r.last && at_q[2].r.slot_en;
  assign soon = late_q[late_rp_q + 2'(resv_q[Ahead-1:0] != '0)];
  assign ended_o = valid_q[1] && ends_here(at_q[1].r, tell_i) &&
                   !(behind_nlf && at_q[1].r.slot_en && !at_q[1].nlf);
  assign ended_thread_o = at_q[1].r.thread;
  assign late_ended_o = resv_q[Ahead] && ends_here(soon, tell_i) &&
                        !(soon.slot_en && (behind_nlf || (ended_o && at_q[1].r.slot_en)));
  assign late_ended_thread_o = soon.thread;
  assign told_o = (ended_o && at_q[1].r.slot_en) || (late_ended_o && soon.slot_en);
  assign told_slot_o = late_ended_o && soon.slot_en ? soon.slot : at_q[1].r.slot;

  always_comb begin
    sends_o = 1'b0;
    writes_o = 1'b0;
    for (int unsigned s = 1; s <= Last; s++) begin
      if (valid_q[s] && at_q[s].r.out) sends_o = 1'b1;
      if (valid_q[s] && at_q[s].r.slot_en) writes_o = 1'b1;
    end
  end

  assign late_o = resv_q != '0;

  always_comb begin
    late_soon_o = '0;
    for (int unsigned s = 0; s <= RES_LATENCY; s++) late_soon_o = late_soon_o + 4'(resv_q[s]);
  end
  assign idle_o = valid_q == '0 && resv_q == '0 && gap_q == 3'd0 && moves_q == 3'd0;

  `OW_ASSERT(late_as_reserved, late_valid_i == resv_q[0], "a late result at another time")
  `OW_ASSERT(nlf_as_reserved, nlf_valid_i == valid_q[Last], "a function's value at another time")
  `OW_ASSERT(one_result, !(late_valid_i && nlf_valid_i) &&
             !((late_valid_i || nlf_valid_i) && valid_q[RES_LATENCY] && !at_q[RES_LATENCY].nlf),
             "two results in one cycle")
  `OW_ASSERT(waited, !(fire_i && wait_o), "a beat fires that should wait")

endmodule
