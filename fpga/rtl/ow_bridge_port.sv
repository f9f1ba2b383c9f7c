// SPDX-License-Identifier: Apache-2.0
// One edge port of the grid, as a neighbouring router would serve it.
//
// Out of the grid: what arrives waits in a queue with a place for every credit that the grid has,
// whatever its colours; popping returns the credit, or all of the colour for a wavelet with
// commands, one a cycle (so at most one pop every LINK_CREDITS cycles).
// Into the grid: send_i puts a wavelet on the link in the next cycle; it may be high only when
// level_o has a credit of the colour, or all for a wavelet with commands, which takes them.
//
//   NumColours      data colours of the tiles; queues are these and the control plane's two
//   link_i, link_o  the edge; link_o comes from registers by two gates
//   send_i, queue_i, wavelet_i   a wavelet to send: its colour's queue, the word
//   level_o         credits in hand, as ow_credit has them
//   valid_o, wavelet_o, pop_i    head of what arrived
//   moves_o         something moved here
//   surplus_o       a credit came that was none
`include "ow_assert.svh"

module ow_bridge_port
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = 4,
  localparam int unsigned Queues = NumColours + 2,
  localparam int unsigned QueueW = $clog2(Queues)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  link_t             link_i,
  output link_t             link_o,
  input  logic              send_i,
  input  logic [QueueW-1:0] queue_i,
  input  wavelet_t          wavelet_i,
  output logic [LINK_CREDITS-1:0][Queues-1:0] level_o,
  output logic              valid_o,
  output logic [37:0]       wavelet_o,
  input  logic              pop_i,
  output logic              moves_o,
  output logic              surplus_o
);

  `OW_ASSERT_INIT(two_colours, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)
  `OW_ASSERT_INIT(same_credits, LINK_CREDITS == CTL_CREDITS)

  // ------------------------------------------------------------------------- into the grid -------
  logic [Queues-1:0] give, spend, drain, surplus;
  /* verilator lint_off UNUSEDSIGNAL */ // of the assertions only
  logic [Queues-1:0] some, every;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [4:0] credit_queue;
  logic command;
  assign credit_queue = ow_link_pkg::to_queue(link_i.credit.colour, 5'(NumColours));
  assign command = ow_link_pkg::is_command(wavelet_i.colour, wavelet_i.ctrl, wavelet_i.data);
  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    assign give[q] = link_i.credit.valid && credit_queue == 5'(q);
    assign spend[q] = send_i && queue_i == QueueW'(q) && !command;
    assign drain[q] = send_i && queue_i == QueueW'(q) && command;
  end

  ow_credit #(.Channels(Queues), .Slots(LINK_CREDITS)) u_credit (
    .clk_i, .rst_i, .set_i('0), .set_full_i('0), .give_i(give), .spend_i(spend), .drain_i(drain),
    .some_o(some), .all_o(every), .surplus_o(surplus), .level_o
  );
  assign surplus_o = surplus != '0;

  // ----------------------------------------------------------------------- out of the grid -------
  // A power of two of places, which is what a memory of look-up tables has.
  localparam int unsigned Depth = 2 ** $clog2(Queues * LINK_CREDITS);
  logic empty, full;
  /* verilator lint_off PINCONNECTEMPTY */
  ow_fifo #(.Width(38), .Depth(Depth)) u_arrived (
    .clk_i, .rst_i,
    .push_i(link_i.wavelet.valid), .full_o(full),
    .data_i({link_i.wavelet.colour, link_i.wavelet.ctrl, link_i.wavelet.data}),
    .pop_i, .empty_o(empty), .data_o(wavelet_o), .level_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */
  assign valid_o = !empty;

  logic [1:0] owed_q;  // credits that go back, the one on the link among them
  logic [4:0] owed_colour_q;
  logic       sent_q;
  wavelet_t   wavelet_q;
  logic       popped_command;
  assign popped_command = ow_link_pkg::is_command(wavelet_o[37:33], wavelet_o[32], wavelet_o[31:0]);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      owed_q <= '0;
      owed_colour_q <= '0;
      sent_q <= 1'b0;
    end else begin
      if (pop_i) begin
        owed_q <= popped_command ? 2'(LINK_CREDITS) : 2'd1;
        owed_colour_q <= wavelet_o[37:33];
      end else if (owed_q != '0) begin
        owed_q <= owed_q - 2'd1;
      end
      sent_q <= send_i;
    end
  end
  always_ff @(posedge clk_i) if (send_i) wavelet_q <= wavelet_i;

  always_comb begin : drive
    link_o = '0;
    if (sent_q) link_o.wavelet = wavelet_q;
    if (owed_q != '0) link_o.credit = '{valid: 1'b1, colour: owed_colour_q};
  end
  assign moves_o = link_i.wavelet.valid || link_i.credit.valid || send_i || sent_q ||
                   owed_q != '0 || !empty;

  `OW_ASSERT(pops_apart, !pop_i || owed_q <= 2'd1, "a pop before the last one's credits went back")
  `OW_ASSERT(room_for_credits, !link_i.wavelet.valid || !full, "a wavelet came without a credit")
  `OW_ASSERT(sends_with_credit, !send_i || (command ? every[queue_i] : some[queue_i]),
             "sent without a credit")

endmodule
