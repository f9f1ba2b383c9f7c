// SPDX-License-Identifier: Apache-2.0
// Properties of ow_serial_threads with the turns and launches that ow_serial makes. A step is one
// of two things. A thread has a turn, in which it goes on, waits or ends. Or a launch of a thread
// that does not run is tried, which moves the round to that thread. A refused launch is tried again
// before any other: once each time a thread has ended, and once after the reducer has. Queues and
// rows change at any time. An input of the first cycle chooses the thread that is watched.
//
// A thread that stays ready has a turn after at most Most turns of others.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module serial_threads_props
  import ow_pkg::*;
  import ow_serial_pkg::*;
#(
  parameter int unsigned NumThreads = 3,
  parameter int unsigned Most = 3,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic               clk_i,
  input  logic [ThreadW-1:0] who_i,
  input  logic               try_i,     // a launch, rather than a turn
  input  logic [ThreadW-1:0] try_who_i,
  input  logic               works_i,   // it is launched
  input  logic               drained_i, // the reducer has ended
  input  logic [1:0]         does_i,    // in a turn: goes on, waits, ends
  input  logic [1:0]         for_i,
  input  logic [2:0]         queue_i,
  input  logic               row_ok_i,
  input  logic [7:0]         inq_valid_i,
  input  logic [7:0]         outq_full_i,
  output logic               bad_late_o,    // too many turns of others
  output logic               bad_next_o,    // the next one is not ready, or none is named
  output logic               seen_last_o,   // a turn at the last moment
  output logic               seen_refused_o // a launch is tried again
);

  typedef logic [ThreadW-1:0] tid_t;

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic any, launches, turns;
  tid_t t_q, next, who_q, offer, pending_q;
  logic acts_q, launch_q;       // the second cycle of a step; it is a launch
  logic offered_q, refused_q;   // pending_q is to be launched; it is refused until one ends
  logic drained_q;              // the reducer has ended after it was offered
  logic [NumThreads-1:0] active;
  logic starts, ends, waits, goes;
  logic [7:0][3:0] level;
  always_comb for (int unsigned q = 0; q < 8; q++) level[q] = {outq_full_i[q], 3'd0};

  assign offer = offered_q ? pending_q : try_who_i;
  assign launches = up_q && !acts_q && try_i && !refused_q && 32'(offer) < NumThreads && !active[offer];
  assign turns = up_q && !acts_q && !launches && any;
  assign starts = acts_q && launch_q && works_i;
  assign waits = acts_q && !launch_q && does_i == 2'd1;
  assign ends = acts_q && !launch_q && does_i == 2'd2;
  assign goes = acts_q && !launch_q && !waits;

  ow_serial_threads #(.NumThreads(NumThreads), .QueueDepth(8)) u_threads (
    .clk_i, .rst_i(!up_q), .thread_i(t_q), .start_i(starts), .flags_i('0), .ctl_i('0), .dsr_i('0),
    .op_i('0), .end_i(ends), .wait_i(waits), .for_i(for_e'(for_i)), .q_i(queue_i), .go_i(goes),
    .row_ok_i, .inq_valid_i, .outq_level_i(level), .active_o(active), .any_o(any), .next_o(next),
    .own_o(), .room_o(), .dsr_used_o(), .sel_i('0), .state_o()
  );

  logic [3:0] late_q;  // turns of others
  logic ready;
  assign ready = up_q && active[who_q] && u_threads.met[who_q];
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      who_q <= 32'(who_i) < NumThreads ? who_i : '0;
      t_q <= '0;
      {acts_q, offered_q, refused_q, drained_q} <= '0;
    end else begin
      acts_q <= launches || turns;
      launch_q <= launches;
      if (launches) t_q <= offer;
      else if (turns) t_q <= next;
      if (launches) pending_q <= offer;
      if (acts_q && launch_q) {offered_q, refused_q} <= {2{!works_i}};
      if (ends || (drained_i && !drained_q && offered_q && !acts_q)) refused_q <= 1'b0;
      drained_q <= offered_q && (drained_q || (drained_i && !acts_q));
    end
    if (!ready) late_q <= '0;
    else if (turns) late_q <= next == who_q ? '0 : late_q + 4'(late_q != 4'd15);
  end

  assign bad_late_o = ready && turns && next != who_q && 32'(late_q) == Most;
  assign bad_next_o = up_q && (any ? !active[next] || !u_threads.met[next] : ready);
  assign seen_last_o = ready && turns && next == who_q && 32'(late_q) == Most;
  assign seen_refused_o = launches && offered_q;

endmodule
