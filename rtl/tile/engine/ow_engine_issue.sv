// SPDX-License-Identifier: Apache-2.0
// Stage I1 of the tensor engine: whether a beat of the thread that stage I0 has chosen can be
// planned (go_o), and whether the planned beat goes on (issue_o).
//
// Stage I0 only forecasts, so stage I1 first checks what the forecast could not know. A planned
// beat is given up, and its thread chosen again, in three cases: its bytes have a pending write,
// its lines have no place, or results of reductions have to come first.
//
// If a source in the accumulator cache still waits for its words, the beat is put off once, for as
// long as a result takes, so that beats of other threads go before it (off_o). If that was not
// enough, it waits in stage M.
//
// The end of a reduction waits until no result of any reduction is on its way, because results are
// counted together. Meanwhile no other reduction is chosen: one with short vectors could otherwise
// hold up the end for ever.
//
// A thread that sends claims the place of its vector in the output queue when that beat goes. A
// reduction claims it with the first beat of its inner vector, and an end that waits for results
// claims it when it begins to wait. So a full queue stops no thread while others wait for it.
//
//   NumThreads   contexts; live_i: threads that have something to issue
//   c_i, s_*_i   the thread in stage I1: context, flags, one-hot
//   there_a_i, ctrl_a_i   a wavelet, a control wavelet is there for its operand a
//   w_valid_i, w_blocked_i   weights are there; their row is not free
//   fifo_stale_i   addresses of its FIFOs are being computed (ow_engine_fifos)
//   places_i     the queue of beats has room
//   is_*_i ...   the plan: data, an end, a control wavelet of the weights that closes a row; the
//                beat's result comes late; it has none
//   src_acc_i, src_meets_i   it has a source in the accumulator cache; words of it have results
//                under way, in the queue of beats or after it
//   hazard_i, room_i   its bytes in the SRAM have a pending write; its lines have places
//   late_i       a result of a reduction is there; late_soon_i: results of reductions that come
//                before that of a beat that is planned in this cycle
//   direct_i     nothing that writes memory is under way
//   sends_i      the beat hands a vector to the output queue
//   claim_o      a place is claimed; claimed_o: threads that have one, s_claimed_o: the one in I1
//   issue_*_o    what goes on: anything; data; into the queue of beats
//   early_wr_o   it goes straight into the write buffer; slot_o: it takes a slot there
//   red_end_o    the thread whose end waits for results of reductions
//   idle_o       nothing is waited for
`include "ow_assert.svh"

module ow_engine_issue
  import ow_datapath_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned NumThreads = ow_pkg::FULL_NUM_THREADS
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [NumThreads-1:0] live_i,
  // The thread in stage I1.
  /* verilator lint_off UNUSEDSIGNAL */ // operands only
  input  ctx_t                  c_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                  s_live_i,
  input  logic                  s_ending_i,
  input  logic                  s_locked_out_i,
  input  logic [NumThreads-1:0] s_hot_i,
  // Resources.
  input  logic [7:0]            inq_valid_i,
  input  logic                  there_a_i,
  input  logic                  ctrl_a_i,
  input  logic                  w_valid_i,
  input  logic                  w_blocked_i,
  input  logic [3:0]            fifo_empty_i,
  input  logic [3:0]            fifo_full_i,
  input  logic                  fifo_stale_i,
  input  logic [7:0]            out_ready_i,
  input  logic                  wq_full_i,
  input  logic                  places_i,
  output logic                  go_o,
  // The plan, and what it meets.
  input  logic                  is_data_i,
  input  logic                  is_end_i,
  input  logic                  wclose_i,
  input  logic                  late_beat_i,
  input  logic                  none_i,
  input  logic                  src_acc_i,
  input  logic                  src_meets_i,
  input  logic                  hazard_i,
  input  logic                  room_i,
  input  logic                  late_i,
  input  logic [3:0]            late_soon_i,
  input  logic                  direct_i,
  input  logic                  sends_i,
  output logic                  claim_o,
  output logic [NumThreads-1:0] claimed_o,
  output logic                  s_claimed_o,
  output logic                  issue_o,
  output logic                  issue_data_o,
  output logic                  issue_pipe_o,
  output logic                  early_wr_o,
  output logic                  slot_o,
  output logic [NumThreads-1:0] off_o,
  output logic [NumThreads-1:0] red_end_o,
  output logic                  idle_o
);

  typedef logic [NumThreads-1:0] tmask_t;

  tmask_t claimed_q;  // has a place for the vector that it sends next
  assign s_claimed_o = (claimed_q & s_hot_i) != '0;
  assign claimed_o = claimed_q;

  // What the forecast of stage I0 could not know.
  always_comb begin : recheck
    logic fed;
    fed = 1'b1;
    go_o = 1'b0;
    if (s_live_i) begin
      if (c_i.a_kind == SRC_FAB && !there_a_i) fed = 1'b0;
      if (c_i.b_kind == SRC_FAB && !c_i.wtrig && !inq_valid_i[c_i.b_q] &&
          !(c_i.a_kind == SRC_FAB && ctrl_a_i)) begin
        fed = 1'b0;
      end
      if (c_i.wtrig && (!w_valid_i || w_blocked_i)) fed = 1'b0;
      if ((c_i.a_fifo && fifo_empty_i[c_i.a_q[1:0]]) ||
          (c_i.b_fifo && fifo_empty_i[c_i.b_q[1:0]]) ||
          (c_i.d_fifo && fifo_full_i[c_i.d_q[1:0]]) || fifo_stale_i) begin
        fed = 1'b0;
      end
      if (c_i.red && s_locked_out_i) fed = 1'b0;
      go_o = (s_ending_i || fed) &&
             !(c_i.d_kind == SRC_FAB && !s_claimed_o && !out_ready_i[c_i.d_q]) &&
             !(c_i.d_kind == SRC_MEM && wq_full_i) && places_i;
    end
  end

  // ------------------------------------------------------------------------------- the issue --
  logic       acc_meets, acc_hazard;  // a source in the accumulator cache is still to be written
  logic [3:0] late_cnt_q;             // results of reductions that will come
  logic [1:0] put_off_q;              // cycles that are left
  tmask_t     off_q;                  // whose beat is put off
  tmask_t     was_off_q;              // .. has been
  tmask_t     red_end_q;              // whose end waits for the results of reductions

  assign acc_meets = src_acc_i && src_meets_i && (was_off_q & s_hot_i) == '0;
  assign acc_hazard = acc_meets && is_data_i;
  // The results of reductions come before the end, also before that of a row.
  logic ends_early;
  assign ends_early = (is_end_i || wclose_i) && c_i.red && late_cnt_q != late_soon_i;
  assign issue_o = go_o && !(is_data_i && (hazard_i || !room_i || acc_meets)) && !ends_early;
  assign issue_data_o = issue_o && is_data_i;
  // A move from a queue to memory goes straight into the write buffer if no other result is on its
  // way there: its data are here, and the byte enables pick their place. Whether the beat goes on
  // is known last.
  logic early;
  assign early = is_data_i && c_i.dop == DP_MOV && c_i.unit == UNIT_NONE &&
                 c_i.a_kind == SRC_FAB && c_i.d_kind == SRC_MEM && direct_i;
  assign early_wr_o = issue_o && early;
  assign issue_pipe_o = issue_o && (is_data_i || is_end_i || wclose_i) && !early;
  logic sent;
  assign sent = issue_pipe_o && sends_i;
  assign claim_o = c_i.d_kind == SRC_FAB && !s_claimed_o &&
                   (sent || (issue_data_o && c_i.red) || (go_o && ends_early));
  assign slot_o = issue_o && c_i.d_kind == SRC_MEM && !none_i && (is_data_i || is_end_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      put_off_q <= '0;
      off_q <= '0;
      was_off_q <= '0;
      late_cnt_q <= '0;
      red_end_q <= '0;
      claimed_q <= '0;
    end else begin
      if (sent) begin
        if (s_claimed_o) claimed_q <= claimed_q & ~s_hot_i;
      end else if (claim_o) begin
        claimed_q <= claimed_q | s_hot_i;
      end
      if (go_o && ends_early) red_end_q <= s_hot_i;
      else if (red_end_q != '0) red_end_q <= red_end_q & live_i & ~(s_hot_i & {NumThreads{s_live_i}});
      if (acc_hazard) begin
        put_off_q <= 2'd3;
        off_q <= s_hot_i;
      end else if (put_off_q != 2'd0) begin
        put_off_q <= put_off_q - 2'd1;
        if (put_off_q == 2'd1) off_q <= '0;
      end
      if (acc_hazard) was_off_q <= was_off_q | s_hot_i;
      else if (issue_data_o && was_off_q != '0) was_off_q <= was_off_q & ~s_hot_i;
      if ((issue_data_o && late_beat_i && !none_i) != late_i) begin
        late_cnt_q <= late_i ? late_cnt_q - 4'd1 : late_cnt_q + 4'd1;
      end
    end
  end

  assign off_o = off_q;
  assign red_end_o = red_end_q & live_i;
  `OW_ASSERT(claim_of_the_living, (claimed_q & ~live_i) == '0,
             "a thread that has nothing to issue keeps a place in an output queue")

  assign idle_o = off_q == '0 && late_cnt_q == '0 && red_end_q == '0;

endmodule
