// SPDX-License-Identifier: Apache-2.0
// Write buffer of the tensor engine: one line with byte enables for each beat that writes SRAM,
// from its planning until it is in the SRAM.
//
// A slot is taken when the beat is planned (alloc_i, only when full_o is low). It gets its data
// when the result is there (fill_i), at most one per cycle. A beat whose result needs no wait fills
// it in the same cycle (alloc_fill_i, arrives late). Lines go to the SRAM in the order in which
// they were filled. For one thread that is the order of its beats. A line may be written from the
// cycle after its fill on, when the SRAM grants it. A slot without bytes only keeps its place.
//
// Read after write: while a beat is planned, the lines that it reads are compared with all slots,
// byte by byte (hazard_o; hazard_slot_o is one of the slots to wait for). pend_o are the bytes of a
// line that have a write under way.
//
// Order of writes and reads: a line gives way to a read of the same banks while there is room, but
// at most AgeLimit times in a row, and not if it is the last of its instruction. It gives way to
// elements at indices, which ask in every cycle, only while no instruction's last line is here.
//
//   Lanes      lanes of the engine; a line has 2 * Lanes bytes
//   SramBytes, SramBanks   of the memory, as ow_sram's. All accesses here lie within it
//   Slots      4 to WRITE_SLOTS; fewer than WRITE_SLOTS hold up streams of writes
//   rd_i ...   the three operands of the planned beat: line; bytes that it may look at in it and in
//              the line after it; two: it looks at that line at all; hit: the first line will not
//              be read. Index 0 a, 1 b, 2 dst
//   rd0_* ...  the engine's read requests of this cycle, and its gather port's
//   wr_gives_o the line gives way to reads: the memory serves its request after them (ow_sram)
//   head_o     the slot head_slot_o asks for its write; first_o: first_slot_o will from the next
//              cycle on. A thread that waits for such a slot may try again: a beat that is planned
//              two cycles later finds it written, or waits once more
//   done_o     an instruction's last line asks for its write, in this cycle or from the next one
//              on. Then it counts as done, as no later request of the tile is served before it. A
//              line that comes with alloc_fill_i while head_o is low gives no done_o: its sender
//              knows
//   told_i     an instruction counts as done already, but its last line, in told_slot_i, is still
//              to come (before its fill_i). hold_o is high until it is in the SRAM, for all
//              readers. hold_look_o: for readers of the lines look_i only, as these are under way
//   tell_o     [1]: a thread may be told as done early. Low after HoldLimit cycles of hold_o in a
//              row; then hold_o stays low for HoldGap cycles, so that waiting readers get at the
//              SRAM. [0]: the same for thread 0, which has no such limit. Both are low once the
//              host has waited (host_waits_i) for HostLimit cycles, as its age in the SRAM's order
//              counts only while hold_o is low
// No output depends on the grant.
`include "ow_assert.svh"

module ow_engine_writes
  import ow_engine_pkg::*;
  import ow_onehot_pkg::*;
#(
  parameter int unsigned Lanes = ow_pkg::FULL_LANES,
  parameter int unsigned SramBytes = ow_pkg::FULL_SRAM_BYTES,
  parameter int unsigned SramBanks = ow_pkg::FULL_SRAM_BANKS,
  parameter int unsigned Slots = ow_pkg::FULL_WRITE_SLOTS,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned LineW = 8 * VecBytes,
  localparam int unsigned OffW = $clog2(VecBytes),
  localparam int unsigned TagW = $clog2(SramBytes) - OffW
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  // Plan.
  output logic                         full_o,
  output logic                         one_o,   // one slot is free
  output logic                         any_o,
  input  logic                         alloc_i,
  input  logic [TagW-1:0]              alloc_line_i,
  input  logic [VecBytes-1:0]          alloc_be_i,
  input  logic                         alloc_some_i,  // it has bytes (arrives late)
  input  logic                         alloc_last_i,
  input  logic [3:0]                   alloc_thread_i,
  input  logic                         alloc_fill_i,
  output wslot_t                       alloc_slot_o,
  input  logic [2:0]                   rd_i,
  input  logic [2:0]                   rd_hit_i,
  input  logic [2:0][TagW-1:0]         rd_line_i,
  input  logic [2:0]                   rd_two_i,
  input  logic [2:0][2*VecBytes-1:0]   rd_need_i,
  output logic                         hazard_o,
  output wslot_t                       hazard_slot_o,
  output logic [2:0][VecBytes-1:0]     pend_o,
  // Results.
  input  logic                         fill_i,
  input  wslot_t                       fill_slot_i,
  input  logic [LineW-1:0]             fill_data_i,  // with alloc_fill_i, too
  input  logic                         fill_kill_i,  // nothing is to be written
  // Memory.
  input  logic                         rd0_req_i,
  /* verilator lint_off UNUSEDSIGNAL */ // banks only
  input  logic [23:0]                  rd0_addr_i,
  input  logic                         rd1_req_i,
  input  logic [23:0]                  rd1_addr_i,
  input  logic [SramBanks-1:0]         gth_req_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                         wr_req_o,
  output logic                         wr_gives_o,
  output logic [23:0]                  wr_addr_o,
  output logic [VecBytes-1:0]          wr_be_o,
  output logic [LineW-1:0]             wr_wdata_o,
  input  logic                         wr_gnt_i,
  output logic                         head_o,
  output wslot_t                       head_slot_o,
  output logic                         first_o,
  output wslot_t                       first_slot_o,
  output logic                         done_o,
  output logic [3:0]                   done_thread_o,
  // What is told ahead.
  input  logic                         told_i,
  /* verilator lint_off UNUSEDSIGNAL */ // with few slots not all bits
  input  wslot_t                       told_slot_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                         hold_o,
  input  logic                         host_waits_i,
  output logic [1:0]                   tell_o,
  input  logic [1:0][TagW-1:0]         look_i,
  output logic [1:0]                   hold_look_o
);

  `OW_ASSERT_INIT(slots_in_range, Slots >= 4 && Slots <= WRITE_SLOTS)

  localparam int unsigned SlotW = $clog2(Slots);
  typedef logic [SlotW:0] count_t;
  typedef logic [SlotW-1:0] idx_t;  // a slot, without the bits that none has
  localparam logic [2:0] AgeLimit = 3'd7;
  localparam logic [1:0] HoldGap = 2'd2;
  localparam logic [3:0] HoldLimit = 4'd12;
  localparam logic [2:0] HostLimit = 3'd7;

  logic [Slots-1:0][TagW-1:0] line_q;  // read all at once: no memory
  logic [LineW-1:0]    data_q   [Slots];
  logic [VecBytes-1:0] be_q     [Slots];
  logic [3:0]          thread_q [Slots];
  logic [Slots-1:0]    valid_q;
  logic [Slots-1:0]    last_q;
  logic [Slots-1:0]    some_q;    // has bytes
  logic [Slots-1:0]    quiet_q;   // its end has been told
  logic                hold_q;
  logic [1:0]          gap_q;     // cycles that it stays low
  logic [3:0]          run_q;     // cycles that it has been high, with gaps that were too short
  logic [2:0]          host_q;    // cycles that the host has waited
  idx_t                hold_slot_q;
  idx_t                order_q  [1 << SlotW];  // filled slots in their order
  idx_t                op_q, fp_q;
  count_t              filled_q;
  count_t              taken_q;   // slots that are not free: their number in valid_q
  idx_t                alloc_slot, fill_slot, told_slot;
  idx_t                get_slot;  // the slot that gets its data, with what is filled
  assign alloc_slot_o = wslot_t'(alloc_slot);
  assign fill_slot = idx_t'(fill_slot_i);
  assign get_slot = fill_i ? fill_slot : alloc_slot;
  assign told_slot = idx_t'(told_slot_i);

  // The lowest free slot, computed whether or not it is taken.
  logic [Slots-1:0] vacant, free;
  assign vacant = ~valid_q;
  assign free = Slots'(lowest(32'(vacant)));
  assign alloc_slot = idx_t'(index(32'(free)));
  // full_o comes from a count of free slots, so it does not wait for their positions.
  assign full_o = taken_q == (SlotW+1)'(Slots);
  assign one_o = taken_q == (SlotW+1)'(Slots - 1);
  assign any_o = valid_q != '0 || gap_q != '0 || run_q != '0 || host_q != '0;

  // The slots that a beat meets, by operand: in bytes of its line, in bytes of the line after it.
  // Whether it looks at each line arrives last, so it is the last term.
  logic [2:0][Slots-1:0]    meets_line, meets_next;
  logic [2:0][VecBytes-1:0] pend_line, pend_next;
  logic [2:0]               any_line, any_next;
  logic [Slots-1:0]         hazards;

  always_comb begin : look
    meets_line = '0;
    meets_next = '0;
    pend_line = '0;
    pend_next = '0;
    if (valid_q != '0 && rd_i != '0) begin
      for (int unsigned s = 0; s < Slots; s++) begin
        if (valid_q[s]) begin
          for (int unsigned k = 0; k < 3; k++) begin
            if (rd_i[k] && line_q[s] == rd_line_i[k]) begin
              meets_line[k][s] = (be_q[s] & rd_need_i[k][VecBytes-1:0]) != '0;
              pend_line[k] |= be_q[s];
            end
            if (rd_i[k] && TagW'(not_next(32'(rd_line_i[k]), 32'(line_q[s]))) == '0) begin
              meets_next[k][s] = (be_q[s] & rd_need_i[k][2*VecBytes-1:VecBytes]) != '0;
              pend_next[k] |= be_q[s];
            end
          end
        end
      end
    end
  end

  always_comb begin
    hazards = '0;
    hazard_o = 1'b0;
    for (int unsigned k = 0; k < 3; k++) begin
      any_line[k] = meets_line[k] != '0;
      any_next[k] = meets_next[k] != '0;
      if ((any_line[k] && !rd_hit_i[k]) || (any_next[k] && rd_two_i[k])) hazard_o = 1'b1;
      hazards |= (rd_hit_i[k] ? '0 : meets_line[k]) | (rd_two_i[k] ? meets_next[k] : '0);
      pend_o[k] = rd_two_i[k] ? pend_next[k] : pend_line[k];
    end
    hazard_slot_o = '0;
    if (any_line != '0 || any_next != '0) begin
      for (int unsigned s = 0; s < Slots; s++) if (hazards[s]) hazard_slot_o = wslot_t'(s);
    end
  end

  // A read of the same banks goes first while there is room. Then the write shifts and the beats do
  // not, and the next ones do not meet again.
  localparam int unsigned BankLow = Lanes == 8 ? 4 : 3;
  localparam int unsigned BankHigh = 2 + $clog2(SramBanks);
  logic [BankHigh:BankLow] bank;
  logic [SramBanks-1:0]    gth_banks;
  idx_t             head, head_q;
  logic [TagW-1:0]  head_line_q;
  logic             head_some_q;  // it has bytes
  logic             head_last_q;
  logic [2:0]       age_q;     // times in a row that the head has given way
  logic             told_q;    // the end of an instruction that the head is has been told
  logic             meets, meets_gather, may_yield, yield, pop;

  // The head has registers of its own, so its request does not wait for a selection. The next head,
  // and what is filled into the empty buffer, are looked up in parallel with the memory's grant.
  logic             takes_next, takes_fill;  // the head is another one from the next cycle on
  logic             gets;                    // something is filled
  idx_t             next;
  logic [TagW-1:0]  fill_line;
  logic             fill_some, fill_last;

  assign next = order_q[op_q + idx_t'(1)];
  assign takes_next = pop && filled_q > (SlotW+1)'(1);
  assign gets = fill_i || alloc_fill_i;
  assign takes_fill = gets && (filled_q == '0 || (pop && filled_q == (SlotW+1)'(1)));

  always_comb begin
    fill_line = alloc_line_i;
    fill_some = alloc_some_i;
    fill_last = alloc_last_i;
    if (fill_i) begin
      fill_line = line_q[fill_slot];
      fill_some = some_q[fill_slot] && !fill_kill_i;
      fill_last = last_q[fill_slot];
    end
  end

  always_ff @(posedge clk_i) begin
    if (takes_next) begin
      head_q <= next;
      head_line_q <= line_q[next];
      head_some_q <= some_q[next];
      head_last_q <= last_q[next];
    end else if (takes_fill) begin
      head_q <= get_slot;
      head_line_q <= fill_line;
      head_some_q <= fill_some;
      head_last_q <= fill_last;
    end
  end

  assign head = head_q;
  assign head_o = filled_q != '0;
  assign head_slot_o = wslot_t'(head);
  assign bank = wr_addr_o[BankHigh:BankLow];
  assign gth_banks = Lanes == 8 ? SramBanks'(3) << {bank, 1'b0} : SramBanks'(1) << bank;
  assign meets = (rd0_req_i && rd0_addr_i[BankHigh:BankLow] == bank) ||
                 (rd1_req_i && rd1_addr_i[BankHigh:BankLow] == bank);
  assign meets_gather = (gth_req_i & gth_banks) != '0 && (valid_q & last_q) == '0;
  // The memory finds conflicts with reads itself, so its grants do not wait for this block.
  assign may_yield = filled_q < 4 && !head_last_q && age_q != AgeLimit;
  assign yield = (meets || meets_gather) && may_yield;
  assign wr_req_o = head_o && head_some_q && !(meets_gather && may_yield);
  assign wr_gives_o = may_yield;
  assign wr_addr_o = 24'({head_line_q, OffW'(0)});
  assign wr_be_o = be_q[head];
  assign wr_wdata_o = data_q[head];
  assign pop = head_o && ((wr_req_o && wr_gnt_i) || !head_some_q);

  // The head asks the SRAM. No request that comes later, with the same or a lower place in the
  // SRAM's order, is served before it. No thread waits yet for a slot that was only just taken.
  assign first_o = fill_i && filled_q == '0;
  assign first_slot_o = fill_slot_i;
  always_comb begin
    done_o = 1'b0;
    done_thread_o = '0;
    if (head_o) begin
      done_o = head_last_q && !quiet_q[head] && !told_q;
      done_thread_o = thread_q[head];
    end else if (fill_i) begin
      done_o = last_q[fill_slot] && !quiet_q[fill_slot];
      done_thread_o = thread_q[fill_slot];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      last_q <= '0;
      some_q <= '0;
      quiet_q <= '0;
      hold_q <= 1'b0;
      gap_q <= '0;
      run_q <= '0;
      host_q <= '0;
      op_q <= '0;
      fp_q <= '0;
      filled_q <= '0;
      taken_q <= '0;
      age_q <= '0;
      told_q <= 1'b0;
    end else begin
      if (pop || !head_o) age_q <= '0;
      else if (yield) age_q <= age_q + 3'd1;
      told_q <= head_o ? !pop : gets;
      if (alloc_i) begin
        valid_q[alloc_slot] <= 1'b1;
        last_q[alloc_slot] <= alloc_last_i;
        quiet_q[alloc_slot] <= 1'b0;
        for (int unsigned s = 0; s < Slots; s++) if (free[s]) line_q[s] <= alloc_line_i;
        be_q[alloc_slot] <= alloc_be_i;
        some_q[alloc_slot] <= alloc_some_i;
        thread_q[alloc_slot] <= alloc_thread_i;
      end
      if (gets) begin
        data_q[get_slot] <= fill_data_i;
        order_q[fp_q] <= get_slot;
        fp_q <= fp_q + 1'b1;
      end
      if (fill_i && fill_kill_i) begin
        be_q[fill_slot] <= '0;
        some_q[fill_slot] <= 1'b0;
      end
      if (told_i) begin
        hold_q <= 1'b1;
        hold_slot_q <= told_slot;
        quiet_q[told_slot] <= 1'b1;
        gap_q <= HoldGap;
      end else if (hold_q) begin
        if (pop && hold_slot_q == head) hold_q <= 1'b0;
      end else if (gap_q != '0) begin
        gap_q <= gap_q - 2'd1;
      end
      if (hold_q) run_q <= run_q == '1 ? run_q : run_q + 4'd1;
      else if (gap_q == '0) run_q <= '0;
      if (!host_waits_i) host_q <= '0;
      else if (any_o && host_q != HostLimit) host_q <= host_q + 3'd1;
      if (pop) begin
        valid_q[head] <= 1'b0;
        op_q <= op_q + 1'b1;
      end
      // gets and pop arrive late, so they only select between precomputed counts.
      if (gets != pop) filled_q <= gets ? count_t'(increment(32'(filled_q))) : filled_q - 1'b1;
      if (alloc_i != pop) taken_q <= alloc_i ? count_t'(increment(32'(taken_q))) : taken_q - 1'b1;
    end
  end

  assign hold_o = hold_q;

  always_comb begin
    hold_look_o = '0;
    if (hold_q) begin
      for (int unsigned s = 0; s < Slots; s++) begin
        for (int unsigned k = 0; k < 2; k++) begin
          if (valid_q[s] && line_q[s] == look_i[k]) hold_look_o[k] = 1'b1;
        end
      end
    end
  end

  assign tell_o = {host_q != HostLimit && run_q < HoldLimit, host_q != HostLimit};

  `OW_ASSERT(held_is_there, !hold_q || valid_q[hold_slot_q],
             "a line is waited for that is not there")
  `OW_ASSERT(quiet_is_held, hold_q || (valid_q & quiet_q) == '0,
             "a line of an ended instruction that nobody waits for")
  `OW_ASSERT(taken_counts, 32'(taken_q) == $countones(valid_q),
             "the count of the slots taken is not theirs")
  `OW_ASSERT(some_are_bytes, !alloc_i || alloc_some_i == (alloc_be_i != '0),
             "a line has bytes, and says that it has none, or the other way round")
  `OW_ASSERT(slot_free, !(alloc_i && full_o), "write buffer overflow")
  `OW_ASSERT(fill_is_taken, (!fill_i || valid_q[fill_slot]) && (!alloc_fill_i || alloc_i),
             "data for a slot that is not taken")
  `OW_ASSERT(one_fill, !(fill_i && alloc_fill_i), "two slots filled in one cycle")

endmodule
