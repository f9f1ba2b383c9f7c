// SPDX-License-Identifier: Apache-2.0
// Picks the next task and hands it to the core.
//
// Tasks 0..7 are the data tasks of input queues 0..7 (ready if a data wavelet is at the head),
// 8..15 their control tasks (a control wavelet is), 16..31 local tasks. Every task can also be
// activated; activation is one bit, not a count. A task can be picked if it is ready in one of
// these ways, its entry address has been written, and it is not blocked. A queue that a tensor
// instruction or the reducer owns makes no task ready. A dispatch pops the task's wavelet, which is
// the argument, or clears its activation; then the argument is 0. If both wait for a task they take
// turns.
//
// Order: tasks with their PRIORITY bit set go before the others. Each class goes round robin over
// the task numbers, from its last one on. After HighRun dispatches of priority tasks in a row while
// another task was ready, one of the others has the turn. So no task starves. Bounds for a task
// that is ready until it is dispatched, while PRIORITY stays:
//   - each other task of its class is dispatched once at most before it;
//   - without priority, besides, 7 with priority before each of these and before it;
//   - with priority, besides, one without at first and one more after every 7 with priority.
//
// Latency: the pick is registered. One cycle after a wavelet is at inq_head_i, next_ready_o is
// high, and a core in ow.next takes it then; the task's first instruction executes two cycles
// later. A pick whose reason has gone (blocked, the queue given to a thread) is dropped. So is one
// without priority that was not taken when a priority task becomes ready.
//
//   Small       for area: the pick looks at one task per cycle, from the one after the last of the
//               class on, so it takes up to 33 cycles. Its entry comes from a block RAM, and a
//               write of an entry makes a pick begin again. next_entry_o stays for a cycle more
//   cfg_*       the TASK registers (docs/memory-map.md). cfg_addr_i is the offset of the access; a
//               write takes effect at the next edge, cfg_rdata_o is combinational. Small: entries
//               read as 0 there, and cfg_late_o is the entry in the cycle after cfg_re_i (else 0)
//   inq_*       heads of the ramp's input queues. inq_owned_i: not for tasks; inq_pop_o in the
//               cycle of the dispatch
//   eng_done_*, red_done_*  completion events (done_e: activate or unblock a task)
//   torn_i      a colour was torn down in the cycle before: activates task 29, whichever colour it
//               was (RT_TORN shows which)
//   next_*      the pick for the core. next_pop_i takes it; next_wait_i: the core is in ow.next, no
//               task runs
//   core_rst_i  the core is reset: no task runs, is registered, active or blocked any more
//   idle_o      nothing can change here before one of the inputs does

`include "ow_assert.svh"

module ow_tasks
  import ow_pkg::*;
  import ow_onehot_pkg::*;
#(
  parameter bit Small = 1'b0
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  core_rst_i,

  input  logic                  cfg_we_i,
  input  logic                  cfg_re_i,
  input  logic [15:0]           cfg_addr_i,
  input  logic [31:0]           cfg_wdata_i,
  output logic [31:0]           cfg_rdata_o,
  output logic [31:0]           cfg_late_o,

  input  logic [NUM_QUEUES-1:0] inq_valid_i,
  input  ramp_t [NUM_QUEUES-1:0] inq_head_i,
  input  logic [NUM_QUEUES-1:0] inq_owned_i,
  output logic [NUM_QUEUES-1:0] inq_pop_o,

  input  logic                  eng_done_valid_i,
  input  logic [1:0]            eng_done_kind_i,
  input  logic [4:0]            eng_done_task_i,
  input  logic                  red_done_valid_i,
  input  logic [1:0]            red_done_kind_i,
  input  logic [4:0]            red_done_task_i,
  input  logic                  torn_i,

  output logic                  next_ready_o,
  output logic [31:0]           next_entry_o,
  output logic [31:0]           next_arg_o,
  input  logic                  next_pop_i,
  input  logic                  next_wait_i,
  output logic                  idle_o
);

  localparam logic [31:0] TEARDOWN_TASK = 32'd1 << TASK_TEARDOWN;

  // Turns that priority tasks can have in a row while another task is ready.
  localparam logic [2:0] HighRun = 3'd7;

  logic [31:0] written_q;    // entry has been written
  logic [31:0] active_q;     // activated and not yet dispatched
  logic [31:0] blocked_q;
  logic [15:0] turn_q;       // 1: the last dispatch of this task took a wavelet
  logic        pick_valid_q;
  logic [4:0]  pick_q;
  logic        running_q;
  logic [31:0] prio_q;
  logic [4:0]  last_q;       // the task dispatched last
  logic [4:0]  last_high_q;  // the last one with priority, and the last without
  logic [4:0]  last_low_q;
  logic [2:0]  run_q;        // priority tasks dispatched while others waited, since the last of those

  logic [15:0] has_wavelet;  // by task number 0..15
  logic [31:0] eligible;

  always_comb begin
    has_wavelet = 16'd0;
    if (inq_valid_i != 8'd0) begin
      for (int unsigned q = 0; q < NUM_QUEUES; q++) begin
        has_wavelet[q] = inq_valid_i[q] & ~inq_owned_i[q] & ~inq_head_i[q].ctrl;
        has_wavelet[q+8] = inq_valid_i[q] & ~inq_owned_i[q] & inq_head_i[q].ctrl;
      end
    end
    eligible = (active_q | {16'd0, has_wavelet}) & written_q & ~blocked_q;
  end

  logic entry_hit;  // the register is an entry
  logic [4:0] entry_at;
  assign entry_hit = is_reg_task_entry(cfg_addr_i);
  assign entry_at = reg_task_entry_index(cfg_addr_i);

  // The dispatch. The reason for the pick is checked again, since it is a cycle old.
  logic take_wavelet;
  logic pick_ok;
  logic [31:0] pick_entry, read_entry;
  always_comb begin
    pick_ok = 1'b0;
    take_wavelet = 1'b0;
    next_entry_o = Small ? pick_entry : 32'd0;
    next_arg_o = 32'd0;
    inq_pop_o = '0;
    if (pick_valid_q) begin
      pick_ok = eligible[pick_q];
      take_wavelet = ~pick_q[4] & has_wavelet[pick_q[3:0]] &
          ~(active_q[pick_q] & turn_q[pick_q[3:0]]);
      if (!Small) next_entry_o = pick_entry;
      if (take_wavelet) next_arg_o = inq_head_i[pick_q[2:0]].data;
      inq_pop_o[pick_q[2:0]] = next_pop_i & take_wavelet;
    end
  end
  assign next_ready_o = pick_ok;

  // The next pick: the class, then its first eligible task after the last one that was dispatched,
  // else its first of all.
  logic        low_waits;  // a task without priority is eligible
  logic [4:0]  pick_d;
  logic        hold;  // the pick stays: it is not taken in this cycle
  logic        high;  // a priority task has the turn
  logic        picked;  // the next pick, if the one before does not hold
  logic        settled; // nothing of it changes by itself
  always_comb begin
    low_waits = 1'b0;
    high = 1'b0;
    if (eligible != 32'd0) begin
      low_waits = (eligible & ~prio_q) != 32'd0;
      high = (eligible & prio_q) != 32'd0 && !(low_waits && run_q == HighRun);
    end
    hold = pick_ok & ~next_pop_i & ~(high & ~prio_q[pick_q]);
  end

  logic choose;
  assign choose = !hold && !next_pop_i && eligible != 32'd0;

  if (Small) begin : gen_small
    // A pick that is taken while an entry is written uses the old entry, which has been read
    // already. A block RAM does not define a read of the word that is written.
    (* ram_style = "block", no_rw_check *) logic [31:0] mem_q [NUM_TASKS];
    logic [31:0] mem_rdata_q, late_q;
    logic        shows_q;
    logic        wrote_q;  // what pick_q points at is read again

    always_ff @(posedge clk_i) begin
      if (cfg_we_i && entry_hit) mem_q[entry_at] <= cfg_wdata_i;
      if (!(cfg_we_i && entry_hit)) mem_rdata_q <= mem_q[pick_q];
      if (cfg_re_i && entry_hit) late_q <= mem_q[entry_at];
      shows_q <= cfg_re_i && entry_hit && written_q[entry_at];
      wrote_q <= cfg_we_i && entry_hit;
    end
    assign pick_entry = mem_rdata_q;
    assign read_entry = '0;
    assign cfg_late_o = late_q & {32{shows_q}};

    // pick_q goes over the tasks. It stays for a cycle at the task that is found, while its entry
    // is read.
    logic looks_q, high_q;  // in the class of those with priority
    logic found, looks;
    assign looks = looks_q && high_q == high;
    assign found = looks && eligible[pick_q] && prio_q[pick_q] == high;
    assign pick_d = hold || next_pop_i || found ? pick_q
                  : (looks ? pick_q : high ? last_high_q : last_low_q) + 5'd1;
    assign picked = found && choose && !(cfg_we_i && entry_hit);
    assign settled = !looks_q && high_q == high && !cfg_re_i && !shows_q && !wrote_q;

    always_ff @(posedge clk_i) begin
      if (rst_i || core_rst_i) looks_q <= 1'b0;
      else looks_q <= choose && !found;
      high_q <= high;
    end
  end else begin : gen_fast
    logic [31:0] entry_q [NUM_TASKS];
    always_ff @(posedge clk_i) if (cfg_we_i && entry_hit) entry_q[entry_at] <= cfg_wdata_i;
    assign pick_entry = entry_q[pick_q];
    assign read_entry = entry_q[entry_at];
    assign cfg_late_o = '0;
    logic unused;
    assign unused = cfg_re_i;
    assign picked = !next_pop_i && eligible != 32'd0;
    assign settled = 1'b1;

    // One pick of each class. Whether there is a pick, and the class that has the turn, arrive
    // last.
    logic [4:0] high_pick, low_pick;
    always_comb begin
      high_pick = '0;
      low_pick = '0;
      pick_d = pick_q;
      if (eligible != 32'd0) begin
        high_pick = index(pick(eligible & prio_q, above(last_high_q)));
        low_pick = index(pick(eligible & ~prio_q, above(last_low_q)));
        if (choose) pick_d = high ? high_pick : low_pick;
      end
    end
  end

  // Events. Setting wins over the clearing by a dispatch in the same cycle, so none is lost.
  logic [31:0] set_active, set_blocked, clr_blocked, clr_active;
  always_comb begin
    set_active = 32'd0;
    set_blocked = 32'd0;
    clr_blocked = 32'd0;
    clr_active = 32'd0;
    if (next_pop_i && !take_wavelet) clr_active = 32'd1 << pick_q;
    if (cfg_we_i) begin
      unique case (cfg_addr_i)
        REG_TASK_ACTIVATE: set_active = cfg_wdata_i;
        REG_TASK_BLOCK: set_blocked = cfg_wdata_i;
        REG_TASK_UNBLOCK: clr_blocked = cfg_wdata_i;
        default: ;
      endcase
    end
    if (eng_done_valid_i) begin
      if (eng_done_kind_i == DONE_ACTIVATE) set_active |= 32'd1 << eng_done_task_i;
      if (eng_done_kind_i == DONE_UNBLOCK) clr_blocked |= 32'd1 << eng_done_task_i;
    end
    if (red_done_valid_i) begin
      if (red_done_kind_i == DONE_ACTIVATE) set_active |= 32'd1 << red_done_task_i;
      if (red_done_kind_i == DONE_UNBLOCK) clr_blocked |= 32'd1 << red_done_task_i;
    end
    if (torn_i) set_active |= TEARDOWN_TASK;
  end

  logic event_any;
  assign event_any = cfg_we_i | eng_done_valid_i | red_done_valid_i | torn_i | next_pop_i;

  always_ff @(posedge clk_i) begin
    if (rst_i || core_rst_i) begin
      written_q <= 32'd0;
      active_q <= 32'd0;
      blocked_q <= 32'd0;
      turn_q <= 16'd0;
      pick_valid_q <= 1'b0;
      pick_q <= 5'd0;
      running_q <= 1'b0;
      last_q <= 5'd31;
      last_high_q <= 5'd31;
      last_low_q <= 5'd31;
      run_q <= 3'd0;
      prio_q <= 32'd0;
    end else begin
      if (event_any) begin
        active_q <= (active_q & ~clr_active) | set_active;
        blocked_q <= (blocked_q & ~clr_blocked) | set_blocked;
        if (cfg_we_i && entry_hit) written_q[entry_at] <= 1'b1;
        if (cfg_we_i && cfg_addr_i == REG_TASK_PRIORITY) prio_q <= cfg_wdata_i;
      end
      if (!hold) begin
        pick_valid_q <= picked;
        pick_q <= pick_d;
      end
      // The pick holds the old entry, so it begins again.
      if (Small && cfg_we_i && entry_hit) pick_valid_q <= 1'b0;
      if (next_pop_i) begin
        last_q <= pick_q;
        running_q <= 1'b1;
        if (prio_q[pick_q]) begin
          last_high_q <= pick_q;
          if (!low_waits) run_q <= 3'd0;
          else if (run_q != HighRun) run_q <= run_q + 3'd1;
        end else begin
          last_low_q <= pick_q;
          run_q <= 3'd0;
        end
        if (!pick_q[4]) turn_q[pick_q[3:0]] <= take_wavelet;
      end else if (next_wait_i) begin
        running_q <= 1'b0;
      end
    end
  end

  always_comb begin
    unique case (cfg_addr_i)
      REG_TASK_ACTIVATE: cfg_rdata_o = active_q;
      REG_TASK_BLOCK, REG_TASK_UNBLOCK: cfg_rdata_o = blocked_q;
      REG_TASK_PRIORITY: cfg_rdata_o = prio_q;
      REG_TASK_RUNNING: begin
        cfg_rdata_o = task_running_reg_t'{running: running_q, task_id: last_q, default: '0};
      end
      default: cfg_rdata_o = entry_hit && written_q[entry_at] ? read_entry : 32'd0;
    endcase
  end

  assign idle_o = (pick_valid_q ? hold : eligible == 32'd0) & ~event_any & settled &
      ~(running_q & (next_wait_i | core_rst_i));

  `OW_ASSERT(PopOnlyReady_A, !next_pop_i || next_ready_o, "a task is taken that is not ready")
  `OW_ASSERT(OnePop_A, $onehot0(inq_pop_o), "a dispatch pops at most one queue")
  `OW_ASSERT(PopOnlyHead_A, (inq_pop_o & ~inq_valid_i) == '0,
             "a wavelet is popped that is not there")

endmodule
