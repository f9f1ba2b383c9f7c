// SPDX-License-Identifier: Apache-2.0
// The wavelets that wait in front of the grid: a queue of QUEUE_SLOTS for each port and colour, all
// in one memory, and the count of those that have gone, which the host is told.
//
// A scan looks at one queue a cycle, in turn, and sends its head when the colour has a credit (all
// of them, if it holds commands), in two cycles more. So a queue sends one wavelet a round, which
// is Ports * 2^ceil(log2(Queues)) cycles if the others are empty.
// The host knows how many places are free and pushes only then. A queue that has sent, or whose
// report was asked for, is reported with its count and its credits.
//
//   Ports, NumColours  of the grid's edge, of its tiles
//   ready_o            low for a while after reset: the counts are being cleared
//   push_i ...         a wavelet: port, queue, control bit and data
//   send_o ...         to a port: see ow_bridge_port; send_port_o: a bit a port
//   report_all_i       report every queue
//   room_*             a report, valid/ready: port, queue, wavelets gone modulo 64, credits
//   due_o              some queue is to be reported
//   idle_o             nothing is to be sent, or its colours have no credit
`include "ow_assert.svh"

module ow_bridge_queues
  import ow_pkg::*;
  import ow_host_pkg::QUEUE_SLOTS;
#(
  parameter int unsigned Ports = 8,
  parameter int unsigned NumColours = 4,
  localparam int unsigned Queues = NumColours + 2,
  localparam int unsigned QueueW = $clog2(Queues),
  localparam int unsigned PortW = $clog2(Ports),
  localparam int unsigned SlotW = $clog2(QUEUE_SLOTS)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  output logic              ready_o,
  input  logic              push_i,
  input  logic [PortW-1:0]  push_port_i,
  input  logic [QueueW-1:0] push_queue_i,
  input  logic [32:0]       push_data_i,
  output logic [Ports-1:0]  send_port_o,
  output logic [QueueW-1:0] send_queue_o,
  output wavelet_t          send_o,
  input  logic [Ports-1:0][LINK_CREDITS-1:0][Queues-1:0] level_i,
  input  logic              report_all_i,
  output logic              room_valid_o,
  input  logic              room_ready_i,
  output logic [PortW-1:0]  room_port_o,
  output logic [QueueW-1:0] room_queue_o,
  output logic [SlotW:0]    room_gone_o,
  output logic [1:0]        room_credits_o,
  output logic              due_o,
  output logic              idle_o
);

  `OW_ASSERT_INIT(two_ports, Ports >= 2)

  localparam int unsigned IndexW = PortW + QueueW;
  localparam int unsigned Indices = 2 ** IndexW;
  typedef logic [SlotW:0] count_t;

  // Cleared one after the other behind reset.
  logic [IndexW:0] clear_q;
  logic clearing;
  assign clearing = !clear_q[IndexW];
  assign ready_o = !clearing;

  // Wavelets pushed into a queue, and gone from it, modulo 2 * QUEUE_SLOTS. The first count has a
  // copy for the scan.
  logic [IndexW-1:0] scan_q, push_at;
  count_t pushed, pushed_scan, gone;
  assign push_at = {push_port_i, push_queue_i};
  logic bump;   // the queue of the scan has sent

  ow_ram_1r1w #(.Width(SlotW + 1), .Depth(Indices)) u_pushed (
    .clk_i, .rst_i, .we_i(push_i || clearing),
    .waddr_i(clearing ? clear_q[IndexW-1:0] : push_at),
    .wdata_i(clearing ? '0 : pushed + count_t'(1)),
    .re_i(1'b1), .raddr_i(push_at), .rdata_o(pushed)
  );
  ow_ram_1r1w #(.Width(SlotW + 1), .Depth(Indices)) u_pushed_scan (
    .clk_i, .rst_i, .we_i(push_i || clearing),
    .waddr_i(clearing ? clear_q[IndexW-1:0] : push_at),
    .wdata_i(clearing ? '0 : pushed + count_t'(1)),
    .re_i(1'b1), .raddr_i(scan_q), .rdata_o(pushed_scan)
  );
  ow_ram_1r1w #(.Width(SlotW + 1), .Depth(Indices)) u_gone (
    .clk_i, .rst_i, .we_i(bump || clearing),
    .waddr_i(clearing ? clear_q[IndexW-1:0] : scan_q),
    .wdata_i(clearing ? '0 : gone + count_t'(1)),
    .re_i(1'b1), .raddr_i(scan_q), .rdata_o(gone)
  );

  // ---------------------------------------------------------------------------------- scan -------
  typedef enum logic [1:0] {LOOK, READ, SEND} step_e;
  step_e step_q;
  logic [PortW-1:0]  port;
  logic [QueueW-1:0] queue;
  logic exists, some, every, waits, due, reports, next;
  logic [LINK_CREDITS-1:0] level;
  logic [Ports-1:0][Queues-1:0] due_q;  // to be reported
  logic [32:0] head;
  logic command;
  logic [IndexW:0] waiting_q;           // rounds of the scan without anything, see idle_o
  assign {port, queue} = scan_q;
  assign exists = 32'(port) < Ports && 32'(queue) < Queues;

  always_comb begin : pick
    due = 1'b0;
    level = '0;
    if (exists) begin
      due = due_q[port][queue];
      for (int unsigned k = 0; k < LINK_CREDITS; k++) level[k] = level_i[port][k][queue];
    end
    some = level[0];
    every = level[LINK_CREDITS-1];
  end

  ow_ram_1r1w #(.Width(33), .Depth(Indices * QUEUE_SLOTS), .ReadLatency(1)) u_words (
    .clk_i, .rst_i,
    .we_i(push_i), .waddr_i({push_at, pushed[SlotW-1:0]}), .wdata_i(push_data_i),
    .re_i(step_q == READ), .raddr_i({scan_q, gone[SlotW-1:0]}), .rdata_o(head)
  );

  logic [4:0] colour;
  assign colour = ow_link_pkg::to_colour(5'(queue), 5'(NumColours));
  assign command = ow_link_pkg::is_command(colour, head[32], head[31:0]);
  assign waits = exists && pushed_scan != gone;
  assign bump = step_q == SEND && (command ? every : some);
  assign reports = step_q == LOOK && room_valid_o && room_ready_i;
  assign next = step_q == SEND || (step_q == LOOK && !(waits && some) && !room_valid_o) || reports;

  assign room_valid_o = step_q == LOOK && due && !clearing;
  assign room_port_o = port;
  assign room_queue_o = queue;
  assign room_gone_o = gone;
  assign room_credits_o = 2'(level[0]) + 2'(level[LINK_CREDITS-1]);

  always_comb begin : send
    send_port_o = '0;
    for (int unsigned p = 0; p < Ports; p++) send_port_o[p] = bump && port == PortW'(p);
    send_o = '{valid: 1'b1, colour: colour, ctrl: head[32], data: head[31:0]};
  end
  assign send_queue_o = queue;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= '0;
      scan_q <= '0;
      step_q <= LOOK;
      due_q <= '0;
      waiting_q <= '0;
    end else begin
      if (clearing) clear_q <= clear_q + (IndexW + 1)'(1);
      if (next && !clearing) scan_q <= scan_q + IndexW'(1);
      unique case (step_q)
        LOOK: if (waits && some && !clearing && !(room_valid_o && room_ready_i)) step_q <= READ;
        READ: step_q <= SEND;
        default: step_q <= LOOK;
      endcase
      if (exists && bump) due_q[port][queue] <= 1'b1;
      if (exists && reports) due_q[port][queue] <= 1'b0;
      if (report_all_i) due_q <= '1;
      // A whole round in which nothing came and nothing could be sent.
      if (push_i || bump) waiting_q <= '0;
      else if (next && !waiting_q[IndexW]) waiting_q <= waiting_q + (IndexW + 1)'(1);
    end
  end
  assign due_o = due_q != '0;
  assign idle_o = waiting_q[IndexW];

endmodule
