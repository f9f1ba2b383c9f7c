// SPDX-License-Identifier: Apache-2.0
// One operand stream of the tensor engine: the lines that planned beats read from SRAM, in the
// order of the beats, and the line of the last beat, kept.
//
// Planning. A beat needs bytes of a line (need_i: those that it may look at), and perhaps of the
// line after it (two_i). The first line is not read again (hit_o) if it is the one kept and no
// write to those bytes was planned after it was read. So an unaligned vector costs one line per
// beat. A scalar that advances by one element costs one line per 16 bytes. fresh_o says how many
// lines the beat adds; commit_i takes it (only with room_o). ow_engine_writes looks up whether
// bytes that the beat reads have a write under way; pend_i are those of the beat's last line.
//
// Requests leave in order, from registers, the first in the cycle after the commit. The oldest beat
// takes the data. have_o says whether one line is there (bit 0), and two (bit 1), including the one
// that arrives in this cycle. With use_i (early), line0_o and line1_o are what the beat would take;
// take_i takes fresh_m_i of them. So a beat that is planned in cycle t can use its line in t + 2.
// Up to Slots lines are read ahead. Two streams and the writes that meet in the same banks thus
// shift against each other until they do not meet.
//
//   Lanes      lanes of the engine; a line has 2 * Lanes bytes
//   TagW       width of a line's number
//   Slots      lines that are planned and not used yet: 4 or 8
//   wr_*_i     a planned write: its bytes of the kept line are no longer good
//   forget_i   nothing that was kept is good
//   ahead_o    lines that were there at the last edge
//   idle_o     nothing is on its way
`include "ow_assert.svh"

module ow_engine_stream
  import ow_onehot_pkg::increment;
#(
  parameter int unsigned Lanes = ow_pkg::FULL_LANES,
  parameter int unsigned Slots = ow_pkg::FULL_LINE_SLOTS,
  parameter int unsigned TagW = 12,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned LineW = 8 * VecBytes,
  localparam int unsigned PtrW = $clog2(Slots)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  // Plan.
  input  logic                  plan_i,
  input  logic [TagW-1:0]       line_i,
  input  logic [VecBytes-1:0]   need_i,
  input  logic                  two_i,
  input  logic [VecBytes-1:0]   pend_i,
  output logic                  hit_o,
  output logic [1:0]            fresh_o,
  output logic                  room_o,
  input  logic                  commit_i,
  input  logic                  wr_i,
  input  logic [TagW-1:0]       wr_line_i,
  input  logic [VecBytes-1:0]   wr_be_i,
  input  logic                  forget_i,
  // Memory.
  output logic                  req_o,
  output logic [TagW-1:0]       req_line_o,
  input  logic                  gnt_i,
  input  logic                  rvalid_i,
  input  logic [LineW-1:0]      rdata_i,
  // Use.
  output logic [1:0]            have_o,
  output logic [3:0]            ahead_o,
  input  logic                  use_i,
  input  logic                  take_i,
  input  logic                  hit_m_i,
  input  logic [1:0]            fresh_m_i,
  output logic [LineW-1:0]      line0_o,
  output logic [LineW-1:0]      line1_o,
  output logic                  idle_o
);

  `OW_ASSERT_INIT(slots_4_8, Slots == 4 || Slots == 8)

  logic [TagW-1:0]     tag_q;       // the line kept, once the last planned beat has been used
  logic [VecBytes-1:0] good_q;      // the good bytes of the line kept
  logic [LineW-1:0]    kept_q;
  logic [TagW-1:0]     addr_q [Slots];
  logic [TagW-1:0]     ask_q;       // the line that is asked for, or will be next
  logic [LineW-1:0]    data_q [Slots];
  logic [PtrW-1:0]     ap_q, rp_q, fp_q, hp_q;  // planned, requested, filled, used
  logic [PtrW:0]       cnt_q;   // planned and not yet used
  logic [PtrW:0]       want_q;  // planned and not yet granted
  logic [PtrW:0]       have_q;  // read and not yet used

  always_comb begin
    hit_o = 1'b0;
    fresh_o = 2'd0;
    if (plan_i) begin
      hit_o = tag_q == line_i && (need_i & ~good_q) == '0;
      fresh_o = two_i ? (hit_o ? 2'd1 : 2'd2) : (hit_o ? 2'd0 : 2'd1);
    end
  end
  // The kept line arrives last.
  always_comb begin
    room_o = 1'b1;
    if (plan_i) begin
      if (two_i && !hit_o) room_o = cnt_q <= (PtrW+1)'(Slots - 2);
      else if (two_i || !hit_o) room_o = cnt_q <= (PtrW+1)'(Slots - 1);
    end
  end

  // What the planned beat adds. commit_i arrives last and only enables the registers.
  logic            adds;
  logic [TagW-1:0] next_line, first_line, last;  // first of those that it adds; its last one
  assign adds = fresh_o != 2'd0;
  assign next_line = TagW'(increment(32'(line_i)));
  assign first_line = hit_o ? next_line : line_i;
  assign last = two_i ? next_line : line_i;
  assign req_o = want_q != '0;
  assign req_line_o = ask_q;

  // The line that is asked for has a register of its own, so its request waits for no selection.
  // The next line is looked up in parallel with the grant.
  always_ff @(posedge clk_i) begin
    if (want_q > (PtrW+1)'(1)) begin
      if (gnt_i) ask_q <= addr_q[rp_q + PtrW'(1)];
    end else if (commit_i && adds && (gnt_i || want_q == '0)) begin
      ask_q <= first_line;
    end
  end

  logic [1:0] used;
  assign used = take_i ? fresh_m_i : 2'd0;
  assign have_o = {have_q > (PtrW+1)'(1) || (have_q == (PtrW+1)'(1) && rvalid_i),
                   have_q != '0 || rvalid_i};
  assign ahead_o = 4'(have_q);

  // The lines are at the outputs as soon as a beat may use them, because take_i arrives late.
  logic [LineW-1:0] first, second;
  always_comb begin
    first = '0;
    second = '0;
    line0_o = '0;
    line1_o = '0;
    if (use_i) begin
      first = have_q != '0 ? data_q[hp_q] : rdata_i;
      if (fresh_m_i[1]) second = have_q > (PtrW+1)'(1) ? data_q[hp_q + PtrW'(1)] : rdata_i;
      line0_o = hit_m_i ? kept_q : first;
      line1_o = hit_m_i ? first : second;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      tag_q <= '0;
      good_q <= '0;
      ap_q <= '0;
      rp_q <= '0;
      fp_q <= '0;
      hp_q <= '0;
      cnt_q <= '0;
      want_q <= '0;
      have_q <= '0;
    end else begin
      if (forget_i) begin
        good_q <= '0;
      end else if (commit_i && adds) begin
        tag_q <= last;
        good_q <= wr_i && wr_line_i == last ? ~pend_i & ~wr_be_i : ~pend_i;
      end else if (wr_i && wr_line_i == tag_q) begin
        good_q <= good_q & ~wr_be_i;
      end
      if (commit_i) begin
        if (adds) addr_q[ap_q] <= first_line;
        if (fresh_o == 2'd2) addr_q[ap_q + PtrW'(1)] <= next_line;
        ap_q <= ap_q + PtrW'(fresh_o);
      end
      if (gnt_i) rp_q <= rp_q + PtrW'(1);
      if (rvalid_i) begin
        data_q[fp_q] <= rdata_i;
        fp_q <= fp_q + PtrW'(1);
      end
      if (used != 2'd0) begin
        hp_q <= hp_q + PtrW'(used);
        kept_q <= fresh_m_i[1] ? second : first;
      end
      // Grant and commit arrive late, so they only select.
      if (commit_i) want_q <= gnt_i ? want_q + (PtrW+1)'(fresh_o) - (PtrW+1)'(1)
                                    : want_q + (PtrW+1)'(fresh_o);
      else if (gnt_i) want_q <= want_q - (PtrW+1)'(1);
      if (commit_i) cnt_q <= cnt_q + (PtrW+1)'(fresh_o) - (PtrW+1)'(used);
      else cnt_q <= cnt_q - (PtrW+1)'(used);
      have_q <= have_q + (PtrW+1)'(rvalid_i) - (PtrW+1)'(used);
    end
  end

  assign idle_o = cnt_q == '0;

  `OW_ASSERT(room_for_lines, cnt_q <= (PtrW+1)'(Slots), "more lines than places")
  `OW_ASSERT(taken_is_there, 4'(used) <= 4'(have_q) + 4'(rvalid_i) &&
             (!take_i || use_i), "a line is taken before it is there")

endmodule
