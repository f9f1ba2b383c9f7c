// SPDX-License-Identifier: Apache-2.0
// One edge port of the grid. It behaves as a neighbouring router would. Logic that all ports share
// is outside: ow_bridge_queues counts the spent credits and sends only with credits in hand.
// ow_bridge_gather checks whether a wavelet that it takes holds commands.
//
// Out of the grid: wavelets wait in a queue with a place for every credit that the grid has,
// whatever their colours. A pop returns one credit, or all of the colour for a wavelet with
// commands. Credits return one per cycle, so such pops come at most every LINK_CREDITS cycles. The
// next wavelet is at the head two cycles after a pop. Into the grid: send_i puts a wavelet on the
// link in the next cycle. All of link_o are registers, so only wires lie between them and the
// registers of the other clock (ow_fpga_hop). A link that carries nothing is zero, as tiles expect.
//
//   NumColours      data colours of the tiles; queues are these and the control plane's two
//   link_i, link_o  the edge
//   send_i, wavelet_i   a wavelet to send
//   clear_i         the count of queue queue_i becomes 0 (after reset, once for each queue)
//   queue_i         a queue; given_o: credits that came for it, modulo 8
//   valid_o, wavelet_o, pop_i    head of what arrived; command_i: it holds commands
//   moves_o         something moves here
`include "ow_assert.svh"

module ow_bridge_port
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = MINI_NUM_COLOURS,
  localparam int unsigned Queues = NumColours + 2,
  localparam int unsigned QueueW = $clog2(Queues)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  link_t             link_i,
  output link_t             link_o,
  input  logic              send_i,
  input  wavelet_t          wavelet_i,
  input  logic              clear_i,
  input  logic [QueueW-1:0] queue_i,
  output logic [2:0]        given_o,
  output logic              valid_o,
  output logic [37:0]       wavelet_o,
  input  logic              pop_i,
  input  logic              command_i,
  output logic              moves_o
);

  `OW_ASSERT_INIT(two_colours, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)
  `OW_ASSERT_INIT(same_credits, LINK_CREDITS == CTL_CREDITS)

  // ------------------------------------------------------------------------- into the grid -------
  wavelet_t wavelet_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || !send_i) wavelet_q <= '0;
    else wavelet_q <= wavelet_i;
  end

  // Credits that have come, by queue. One port reads for the queue that gets a credit, the other
  // for the queue that the scan looks at.
  /* verilator lint_off UNUSEDSIGNAL */ // colours that the tiles do not have
  logic [4:0] come;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [QueueW-1:0] at;
  logic [2:0] given, given_d;
  logic write;
  assign come = ow_link_pkg::to_queue(link_i.credit.colour, 5'(NumColours));
  assign at = clear_i ? queue_i : come[QueueW-1:0];
  assign write = clear_i || link_i.credit.valid;
  assign given_d = clear_i ? '0 : given + 3'd1;
  ow_ram_1r1w #(.Width(3), .Depth(2 ** QueueW)) u_given (
    .clk_i, .rst_i, .we_i(write), .waddr_i(at), .wdata_i(given_d),
    .re_i(1'b1), .raddr_i(come[QueueW-1:0]), .rdata_o(given)
  );
  ow_ram_1r1w #(.Width(3), .Depth(2 ** QueueW)) u_given_scan (
    .clk_i, .rst_i, .we_i(write), .waddr_i(at), .wdata_i(given_d),
    .re_i(1'b1), .raddr_i(queue_i), .rdata_o(given_o)
  );

  // ----------------------------------------------------------------------- out of the grid -------
  // It is never full, so its pointers need no extra bit.
  localparam int unsigned PtrW = $clog2(Queues * LINK_CREDITS + 1);
  logic [PtrW-1:0] wptr_q, rptr_q;
  logic fetch, valid_q;
  assign fetch = wptr_q != rptr_q && !valid_q;
  ow_ram_block #(.Width(38), .Depth(2 ** PtrW)) u_arrived (
    .clk_i, .rst_i,
    .we_i(link_i.wavelet.valid), .waddr_i(wptr_q),
    .wdata_i({link_i.wavelet.colour, link_i.wavelet.ctrl, link_i.wavelet.data}),
    .re_i(fetch), .raddr_i(rptr_q), .rdata_o(wavelet_o)
  );
  assign valid_o = valid_q;

  localparam int unsigned LeftW = $clog2(LINK_CREDITS);
  credit_t          credit_q;
  logic [LeftW-1:0] left_q;    // credits still to be returned after that one

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wptr_q <= '0;
      rptr_q <= '0;
      valid_q <= 1'b0;
      credit_q <= '0;
      left_q <= '0;
    end else begin
      if (link_i.wavelet.valid) wptr_q <= wptr_q + PtrW'(1);
      if (fetch) rptr_q <= rptr_q + PtrW'(1);
      valid_q <= fetch || (valid_q && !pop_i);
      if (pop_i) credit_q <= '{valid: 1'b1, colour: wavelet_o[37:33]};
      else if (left_q == '0) credit_q <= '0;
      if (pop_i) left_q <= command_i ? LeftW'(LINK_CREDITS - 1) : '0;
      else if (left_q != '0) left_q <= left_q - LeftW'(1);
    end
  end
  assign link_o = '{wavelet: wavelet_q, credit: credit_q};
  assign moves_o = link_i.wavelet.valid || link_i.credit.valid || wavelet_q.valid ||
                   credit_q.valid || valid_q || wptr_q != rptr_q;

  `OW_ASSERT(pops_what_is_there, !pop_i || valid_q, "a pop of nothing")
  `OW_ASSERT(pops_apart, !pop_i || left_q == '0, "a pop before the last one's credits went back")
  `OW_ASSERT(room_for_credits, !link_i.wavelet.valid || PtrW'(wptr_q + PtrW'(1)) != rptr_q,
             "a wavelet came without a credit")

endmodule
