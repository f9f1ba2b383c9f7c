// SPDX-License-Identifier: Apache-2.0
// Properties of ow_tasks' pick, of all 32 tasks. All inputs are free, but only a task that is
// offered is dispatched: tasks are activated, blocked and unblocked, wavelets come and go, and
// queues change hands and priorities at any time. Inputs of the first cycle choose the task that is
// watched and one other, so the properties hold for every two.
//
// The watched task waits from the cycle in which it is ready until it is dispatched, is not ready
// for a cycle, or PRIORITY is written. While it waits
//   - the other task is dispatched at most once, if both are of one class;
//   - if it has no priority, tasks with priority are dispatched at most 7 times in a row;
//   - if it has priority, there are 7 dispatches of tasks with priority between two of the others;
//   - it or another task is offered within Wait cycles. They count from the last dispatch, write of
//     an entry or loss of readiness of any task, and only once its class has had the turn.
// So a task without priority is dispatched after at most 30 others and 31 * 7 with priority. One
// with priority is dispatched after at most 30 others with priority and 5 without.
//
// With Relations set, every bad_* of dispatches is also high if a relation below is broken. The
// relations are between the watched task, the last ones dispatched and the pick. The proof by
// induction needs them. Seeded bugs are searched without them, and with entries of the tasks in
// Only alone.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module tasks_props
  import ow_pkg::*;
#(
  parameter bit Small = 1'b0,
  parameter int unsigned Only = 32'hFFFFFFFF,
  parameter bit Relations = 1'b1
) (
  input  logic        clk_i,
  input  logic [4:0]  who_i,
  input  logic [4:0]  other_i,
  input  logic        core_rst_i,
  input  logic        cfg_we_i,
  input  logic        cfg_re_i,
  input  logic [15:0] cfg_addr_i,
  input  logic [31:0] cfg_wdata_i,
  input  logic [7:0]  inq_valid_i,
  input  logic [7:0]  inq_ctrl_i,
  input  logic [7:0]  inq_owned_i,
  input  logic [1:0]  done_valid_i,
  input  logic [1:0]  done_kind_i,
  input  logic [4:0]  done_task_i,
  input  logic        torn_i,
  input  logic        pop_i,
  input  logic        wait_i,
  output logic        bad_twice_o,     // the other one is dispatched twice
  output logic        bad_low_turn_o,  // too many dispatches with priority in a row
  output logic        bad_high_turn_o, // too many dispatches without it in a row
  output logic        bad_late_o,      // nothing is offered
  output logic        seen_in_turn_o,      // a dispatch of the watched one, after the other one
  output logic        seen_high_in_turn_o, // the same, both with priority
  output logic        seen_low_turn_o,     // the same, without priority, after 7 that had it
  output logic        seen_high_turn_o     // a second one without priority before one that has it
);

  localparam int unsigned Wait = Small ? 33 : 1;

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  ramp_t [7:0] head;
  always_comb for (int unsigned q = 0; q < 8; q++) head[q] = {inq_ctrl_i[q], 32'd0};

  logic offered, pop, we, entry;
  assign entry = we && is_reg_task_entry(cfg_addr_i);
  assign we = cfg_we_i && (!is_reg_task_entry(cfg_addr_i) || Only[reg_task_entry_index(cfg_addr_i)]);
  assign pop = pop_i && offered;
  ow_tasks #(.Small(Small)) u_tasks (
    .clk_i, .rst_i(!up_q), .core_rst_i, .cfg_we_i(we), .cfg_re_i, .cfg_addr_i, .cfg_wdata_i,
    .cfg_rdata_o(), .cfg_late_o(), .inq_valid_i, .inq_head_i(head), .inq_owned_i, .inq_pop_o(),
    .eng_done_valid_i(done_valid_i[0]), .eng_done_kind_i(done_kind_i), .eng_done_task_i(done_task_i),
    .red_done_valid_i(done_valid_i[1]), .red_done_kind_i(done_kind_i), .red_done_task_i(done_task_i),
    .torn_i, .next_ready_o(offered), .next_entry_o(), .next_arg_o(), .next_pop_i(pop),
    .next_wait_i(wait_i), .idle_o()
  );

  logic [4:0] who_q, other_q;
  logic [31:0] eligible, prio;
  logic [4:0] at, last;  // the pick; the last one dispatched of the watched one's class
  assign eligible = u_tasks.eligible;
  assign prio = u_tasks.prio_q;
  assign at = u_tasks.pick_q;
  assign last = prio[who_q] ? u_tasks.last_high_q : u_tasks.last_low_q;

  logic waits, ends;
  assign waits = up_q && eligible[who_q];
  assign ends = !waits || (pop && at == who_q) || core_rst_i ||
                (cfg_we_i && cfg_addr_i == REG_TASK_PRIORITY);

  logic passed_q;     // the other one has been dispatched
  logic [2:0] run_q;  // dispatches with priority in a row
  logic low_q;        // there was one without
  logic [5:0] calm_q; // cycles in which nothing but time kept it from being offered
  logic [31:0] before_q;  // tasks that were ready in the last cycle
  logic calm;
  assign calm = waits && u_tasks.high == prio[who_q] && (calm_q == '0 || (before_q & ~eligible) == '0);

  always_ff @(posedge clk_i) begin
    before_q <= up_q ? eligible : '0;
    if (!up_q) begin
      who_q <= who_i;
      other_q <= other_i;
    end
    if (ends) begin
      passed_q <= 1'b0;
      run_q <= '0;
      low_q <= 1'b0;
    end else if (pop) begin
      if (at == other_q && prio[other_q] == prio[who_q]) passed_q <= 1'b1;
      if (!prio[at]) low_q <= 1'b1;
      run_q <= !prio[at] ? '0 : run_q + 3'(run_q != 3'd7);
    end
    if (ends || pop || entry || !calm) calm_q <= '0;
    else if (32'(calm_q) != Wait) calm_q <= calm_q + 6'd1;
  end

  // x is one of the tasks after `from` up to `to`, in the order of the round.
  function automatic logic comes(input logic [4:0] x, input logic [4:0] from, input logic [4:0] to);
    return 5'(x - from - 5'd1) < 5'(to - from);
  endfunction

  logic stands, looks, broken, late;
  assign stands = u_tasks.pick_valid_q;
  if (Small) begin : gen_small
    assign looks = u_tasks.gen_small.looks_q && u_tasks.gen_small.high_q == prio[who_q];
    assign late = calm_q != '0 && !stands &&
                  (!looks || 6'(5'(who_q - at)) + calm_q > 6'd32);
  end else begin : gen_fast
    assign looks = 1'b0;
    assign late = 1'b0;
  end

  always_comb begin
    broken = late;
    // A task that comes next does so before the other one's next turn.
    if (passed_q) begin
      broken |= other_q == who_q || prio[other_q] != prio[who_q] || !comes(who_q, last, other_q - 5'd1);
      broken |= ((stands && prio[at] == prio[who_q]) || looks) && !comes(at, last, who_q);
    end
    if (!prio[who_q]) begin
      broken |= run_q > u_tasks.run_q;
      broken |= run_q != 3'd0 && u_tasks.run_q == 3'd7 && stands && prio[at];
    end else if (low_q) begin
      broken |= run_q < u_tasks.run_q || (stands && !prio[at] && u_tasks.run_q != 3'd7);
    end
    // A pick was ready in the cycle before it.
    broken |= stands && !before_q[at];
    broken |= Small && stands && looks;
    broken &= Relations && up_q;
  end

  assign bad_twice_o = broken || (waits && pop && passed_q && at == other_q);
  assign bad_low_turn_o = broken || (waits && pop && !prio[who_q] && prio[at] && run_q == 3'd7);
  assign bad_high_turn_o = broken || (waits && pop && prio[who_q] && !prio[at] && low_q && run_q != 3'd7);
  assign bad_late_o = broken || (calm && 32'(calm_q) == Wait && !offered);
  assign seen_in_turn_o = waits && pop && at == who_q && passed_q && !prio[who_q];
  assign seen_high_in_turn_o = waits && pop && at == who_q && passed_q && prio[who_q];
  assign seen_low_turn_o = waits && pop && at == who_q && !prio[who_q] && run_q == 3'd7;
  assign seen_high_turn_o = waits && pop && !prio[at] && prio[who_q] && low_q;

endmodule
