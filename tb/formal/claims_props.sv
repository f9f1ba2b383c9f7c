// SPDX-License-Identifier: Apache-2.0
// Properties of ow_engine_issue's claims, with any beats and any room in the queues: a reduction that
// holds others up has a place for what it sends. So a full queue stops neither it nor the threads that
// wait for it.
//
// Each thread runs a reduction that sends. What ow_engine_plan and ow_engine_threads make of a beat is
// restated here: where a beat ends its inner vector, or its instruction, is free.
//
// scripts/flows/formal/formal proves that no bad_* output is ever high, and that every seen_* output can be.
module claims_props
  import ow_engine_pkg::*;
#(
  parameter int unsigned NumThreads = 2
) (
  input  logic                  clk_i,
  input  logic [NumThreads-1:0] launch_i,
  input  logic [NumThreads-1:0] pick_i,
  input  logic                  ending_i,
  input  logic                  started_i,
  input  logic                  end_i,      // the beat is the end
  input  logic                  v_end_i,    // .. of data, the last of its inner vector
  input  logic                  all_end_i,  // .. and of its instruction
  input  logic                  fed_i,
  input  logic                  room_i,
  input  logic                  hazard_i,
  input  logic                  places_i,
  input  logic                  late_i,
  input  logic [3:0]            late_soon_i,
  input  logic [7:0]            out_ready_i,
  output logic                  bad_lock_o,
  output logic                  bad_end_o,
  output logic                  bad_stopped_o,
  output logic                  bad_twice_o,
  output logic                  seen_full_o,
  output logic                  seen_end_full_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  typedef logic [NumThreads-1:0] tmask_t;

  tmask_t live_q, lock_q, s_hot, red_end, claimed;
  ctx_t   c;
  logic   s_live, go, issue, issue_data, issue_pipe, is_data, is_end, sends, claim, s_claimed;

  // One thread at most is chosen.
  assign s_hot = pick_i & (~pick_i + tmask_t'(1));
  assign s_live = up_q && (s_hot & live_q) != '0;
  always_comb begin
    c = '0;
    c.a_kind = SRC_FAB;
    c.d_kind = SRC_FAB;
    c.red = 1'b1;
  end

  assign is_end = go && (ending_i || end_i);
  assign is_data = go && !is_end;
  assign sends = is_end ? started_i || s_claimed : is_data && v_end_i;

  ow_engine_issue #(.NumThreads(NumThreads)) u_issue (
    .clk_i, .rst_i(!up_q), .live_i(live_q), .c_i(c), .s_live_i(s_live), .s_ending_i(ending_i),
    .s_locked_out_i(lock_q != '0 && (lock_q & s_hot) == '0), .s_hot_i(s_hot),
    .inq_valid_i({8{fed_i}}), .there_a_i(fed_i), .ctrl_a_i(1'b0), .w_valid_i(1'b0),
    .w_blocked_i(1'b0), .fifo_empty_i('0), .fifo_full_i('0), .fifo_stale_i(1'b0), .out_ready_i,
    .wq_full_i(1'b0), .places_i, .go_o(go), .is_data_i(is_data), .is_end_i(is_end),
    .wclose_i(1'b0), .late_beat_i(1'b1), .none_i(!v_end_i), .src_acc_i(1'b0), .src_meets_i(1'b0),
    .hazard_i, .room_i, .late_i, .late_soon_i, .direct_i(1'b0),
    .sends_i(sends), .claim_o(claim), .claimed_o(claimed), .s_claimed_o(s_claimed),
    .issue_o(issue), .issue_data_o(issue_data), .issue_pipe_o(issue_pipe), .early_wr_o(), .slot_o(),
    .off_o(), .red_end_o(red_end), .idle_o()
  );

  // As ow_engine_threads.
  tmask_t finish;
  assign finish = (issue_data && v_end_i && all_end_i) || (issue && is_end) ? s_hot : '0;
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      live_q <= '0;
      lock_q <= '0;
    end else begin
      live_q <= (live_q & ~finish) | (launch_i & ~live_q);
      if (issue_data) lock_q <= v_end_i ? '0 : s_hot;
      else if (issue && is_end && (lock_q & s_hot) != '0) lock_q <= '0;
    end
  end

  // A place is claimed by one that has none, and given up with what is sent.
  assign bad_twice_o = up_q && ((claim && s_claimed) ||
                                (issue_pipe && sends && !claim && !s_claimed));
  assign bad_lock_o = up_q && (lock_q & ~claimed) != '0;
  assign bad_end_o = up_q && (red_end & ~claimed) != '0;
  assign bad_stopped_o = s_live && ((lock_q == '0 ? red_end : lock_q) & s_hot) != '0 && fed_i &&
                         places_i && !go;
  assign seen_full_o = up_q && lock_q != '0 && out_ready_i == '0 && issue_data && v_end_i;
  assign seen_end_full_o = up_q && red_end != '0 && out_ready_i == '0 && issue && is_end;

endmodule
