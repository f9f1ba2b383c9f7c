// SPDX-License-Identifier: Apache-2.0
// The wavelets that wait in front of the grid: a queue of HOST_QUEUE_SLOTS for each port and
// colour. For each queue it counts the wavelets in and out and the credits spent, all in block
// RAMs.
//
// A scan looks at one queue per cycle, in turn. It sends the head if the colour has a credit (all
// of them, if the head holds commands). That takes three cycles more: one to read the head, one to
// find whether it holds commands, and one to reach ports at the other end of a large part. So a
// queue sends one wavelet per round. If the others are empty, a round has Ports *
// 2^ceil(log2(Queues)) cycles. The host knows how many places are free and pushes only then. A
// queue is reported, with its count and its credits, after it has sent or when its report was asked
// for. The scan never waits: if the report is not taken, the next round offers it again.
//
//   Ports, NumColours  of the grid's edge, of its tiles
//   ready_o            low for a while after reset: the counts are being cleared
//   push_i ...         a wavelet: port, queue, control bit and data; port and queue are stable from
//                      two cycles before to one cycle after
//   send_port_o ...    a wavelet to a port; one bit per port
//   clear_o, scan_queue_o, given_i   the queue that the scan looks at, in all ports, and the
//                      credits that came for it (ow_bridge_port)
//   report_all_i       report every queue
//   room_*             a report: port, queue, wavelets gone modulo 64, credits. Valid/ready, but
//                      valid for one cycle only
//   due_o              some queue is to be reported
//   idle_o             nothing is to be sent, or its colours have no credit
//   surplus_o          more credits have come than were spent
`include "ow_assert.svh"

module ow_bridge_queues
  import ow_pkg::*;
  import ow_isa_pkg::HOST_QUEUE_SLOTS;
#(
  parameter int unsigned Ports = 8,
  parameter int unsigned NumColours = MINI_NUM_COLOURS,
  localparam int unsigned Queues = NumColours + 2,
  localparam int unsigned QueueW = $clog2(Queues),
  localparam int unsigned PortW = $clog2(Ports),
  localparam int unsigned SlotW = $clog2(HOST_QUEUE_SLOTS)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  output logic              ready_o,
  input  logic              push_i,
  input  logic [PortW-1:0]  push_port_i,
  input  logic [QueueW-1:0] push_queue_i,
  input  logic [32:0]       push_data_i,
  output logic [Ports-1:0]  send_port_o,
  output wavelet_t          send_o,
  output logic              clear_o,
  output logic [QueueW-1:0] scan_queue_o,
  input  logic [Ports-1:0][2:0] given_i,
  input  logic              report_all_i,
  output logic              room_valid_o,
  input  logic              room_ready_i,
  output logic [PortW-1:0]  room_port_o,
  output logic [QueueW-1:0] room_queue_o,
  output logic [SlotW:0]    room_gone_o,
  output logic [1:0]        room_credits_o,
  output logic              due_o,
  output logic              idle_o,
  output logic              surplus_o
);

  `OW_ASSERT_INIT(two_ports, Ports >= 2)
  `OW_ASSERT_INIT(credits_in_hand, LINK_CREDITS <= 3)  // 3 bits of a count show a surplus

  localparam int unsigned IndexW = PortW + QueueW;
  localparam int unsigned Indices = 2 ** IndexW;
  typedef logic [SlotW:0] count_t;  // wavelets, modulo 2 * HOST_QUEUE_SLOTS
  typedef struct packed {
    logic       due;    // to be reported
    logic [2:0] spent;  // credits, modulo 8
    count_t     gone;
  } state_t;

  typedef enum logic [1:0] {LOOK, READ, KNOW, SEND} step_e;
  step_e             step_q;
  logic              clearing_q;  // after reset, a round of the scan
  logic [IndexW-1:0] scan_q, scan_next, push_at;
  logic [PortW-1:0]  port;
  logic [QueueW-1:0] queue;
  logic              looks, next, bump, reports;
  assign {port, queue} = scan_q;
  assign scan_next = scan_q + IndexW'(1);
  assign push_at = {push_port_i, push_queue_i};
  assign looks = step_q == LOOK && !clearing_q;
  assign ready_o = !clearing_q;

  // -------------------------------------------------------------------------------- counts -------
  // Counts of the queue that is looked at, as they were when the scan came to it. The next round
  // sees a wavelet that is pushed in that cycle.
  count_t pushed, pushed_scan, count_d;
  state_t state, state_d;
  logic   missed, missed_q, state_we;
  assign count_d = clearing_q ? '0 : pushed + count_t'(1);
  assign missed = push_i && push_at == scan_next;
  ow_ram_block #(.Width(SlotW + 1), .Depth(Indices)) u_pushed (
    .clk_i, .rst_i, .we_i(push_i || clearing_q), .waddr_i(clearing_q ? scan_q : push_at),
    .wdata_i(count_d), .re_i(!push_i && !clearing_q), .raddr_i(push_at), .rdata_o(pushed)
  );
  ow_ram_block #(.Width(SlotW + 1), .Depth(Indices)) u_pushed_scan (
    .clk_i, .rst_i, .we_i(push_i || clearing_q), .waddr_i(clearing_q ? scan_q : push_at),
    .wdata_i(count_d), .re_i(next && !missed), .raddr_i(scan_next), .rdata_o(pushed_scan)
  );
  ow_ram_block #(.Width($bits(state_t)), .Depth(Indices)) u_state (
    .clk_i, .rst_i, .we_i(state_we), .waddr_i(scan_q), .wdata_i(state_d),
    .re_i(next), .raddr_i(scan_next), .rdata_o(state)
  );

  // ---------------------------------------------------------------------------------- scan -------
  logic       exists, waits, command_q, sweeps, left_due_q;
  logic [2:0] credits;   // in hand
  logic [32:0] head;
  logic [4:0]  colour;
  logic [IndexW:0] waiting_q;  // queues in a row that got and sent nothing
  logic [IndexW:0] sweep_q;    // queues that are still to be marked for a report
  logic [IndexW:0] due_q;      // queues that are marked
  logic rises, falls;
  assign exists = 32'(port) < Ports && 32'(queue) < Queues;
  assign scan_queue_o = queue;
  assign clear_o = clearing_q;
  assign credits = 3'(LINK_CREDITS) + given_i[port] - state.spent;
  assign waits = exists && pushed_scan != state.gone && !missed_q;
  assign surplus_o = looks && exists && credits > 3'(LINK_CREDITS);

  ow_ram_block #(.Width(33), .Depth(Indices * HOST_QUEUE_SLOTS)) u_words (
    .clk_i, .rst_i,
    .we_i(push_i), .waddr_i({push_at, pushed[SlotW-1:0]}), .wdata_i(push_data_i),
    .re_i(step_q == READ), .raddr_i({scan_q, state.gone[SlotW-1:0]}), .rdata_o(head)
  );

  assign colour = ow_link_pkg::to_colour(5'(queue), 5'(NumColours));
  assign bump = step_q == SEND && (command_q ? credits == 3'(LINK_CREDITS) : credits != '0);
  assign next = clearing_q || step_q == SEND || (looks && !(waits && credits != '0));

  assign room_valid_o = looks && state.due;
  assign reports = room_valid_o && room_ready_i;
  assign room_port_o = port;
  assign room_queue_o = queue;
  assign room_gone_o = state.gone;
  assign room_credits_o = credits[1:0];

  // A queue is marked by a request for all reports and by sending, and unmarked by its report.
  assign sweeps = looks && sweep_q != '0 && exists;
  assign rises = (sweeps && !state.due) || (bump && !left_due_q);
  assign falls = reports;
  assign state_we = clearing_q || sweeps || reports || bump;
  always_comb begin : change
    state_d = state;
    if (bump) begin
      state_d.gone = state.gone + count_t'(1);
      state_d.spent = state.spent + (command_q ? 3'(LINK_CREDITS) : 3'd1);
    end
    state_d.due = !reports;
    if (clearing_q) state_d = '0;
  end

  always_comb begin : send
    for (int unsigned p = 0; p < Ports; p++) send_port_o[p] = bump && port == PortW'(p);
    send_o = '{valid: 1'b1, colour: colour, ctrl: head[32], data: head[31:0]};
  end

  always_ff @(posedge clk_i) command_q <= ow_link_pkg::is_command(colour, head[32], head[31:0]);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clearing_q <= 1'b1;
      scan_q <= '0;
      step_q <= LOOK;
      missed_q <= 1'b0;
      left_due_q <= 1'b0;
      sweep_q <= '0;
      due_q <= '0;
      waiting_q <= '0;
    end else begin
      if (scan_q == '1) clearing_q <= 1'b0;
      if (next) begin
        scan_q <= scan_next;
        missed_q <= missed;
      end
      unique case (step_q)
        LOOK: if (!next) step_q <= READ;
        READ: step_q <= KNOW;
        KNOW: step_q <= SEND;
        default: step_q <= LOOK;
      endcase
      if (looks) left_due_q <= (state.due || sweeps) && !reports;
      if (report_all_i) sweep_q <= (IndexW + 1)'(Indices);
      else if (looks && sweep_q != '0) sweep_q <= sweep_q - (IndexW + 1)'(1);
      if (rises && !falls) due_q <= due_q + (IndexW + 1)'(1);
      if (falls && !rises) due_q <= due_q - (IndexW + 1)'(1);
      // A whole round in which nothing came and nothing could be sent means idle.
      if (push_i || bump || clearing_q) waiting_q <= '0;
      else if (next && !waiting_q[IndexW]) waiting_q <= waiting_q + (IndexW + 1)'(1);
    end
  end
  assign due_o = due_q != '0 || sweep_q != '0;
  assign idle_o = waiting_q[IndexW];

  `OW_ASSERT(marks_are_counted, !falls || due_q != '0, "a report of a queue that was not marked")

endmodule
