// SPDX-License-Identifier: Apache-2.0
// The device's end of the host's byte stream. Payload arrives whole, once and in order in both
// directions, whatever the wire loses, doubles or changes. docs/fpga.md is the specification.
//
// A host opens a session (HOST_FRAME_OPEN). restart_o then tells the user of the payload to forget
// the last session. ready_i says that this is done, and the answer goes out. Frames of another
// session, or of none, are answered with HOST_FRAME_CLOSED, so a host sees that the device was
// reset.
//
//   ResendCycles   see ow_host_tx
//   info_i         what HOST_FRAME_OPENED says
//   restart_o      for one cycle: a session begins
//   ready_i        low while the user of the payload is not ready for the session
//   open_o         there is a session
//   heard_o        for one cycle: a correct frame of the session came
//   rx_*           bytes from the wire; no ready
//   tx_*           bytes to the wire, valid/ready
//   out_*          payload from the host, valid/ready
//   in_*           payload to the host, valid/ready; flush_i: no more is coming for now; fresh_o:
//                  the next byte is a frame's first

module ow_host_link
  import ow_isa_pkg::*;
#(
  parameter int unsigned ResendCycles = 2_500_000
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic [HOST_INFO_BYTES*8-1:0] info_i,
  output logic       restart_o,
  input  logic       ready_i,
  output logic       open_o,
  output logic       heard_o,
  input  logic       rx_valid_i,
  input  logic [7:0] rx_data_i,
  output logic       tx_valid_o,
  input  logic       tx_ready_i,
  output logic [7:0] tx_data_o,
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [7:0] out_o,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic [7:0] in_i,
  input  logic       flush_i,
  output logic       fresh_o
);

  logic       done, good, nack, accept;
  logic [2:0] kind;
  logic [7:0] session, seq, ack;

  logic       open_q, opening_q;
  logic [7:0] session_q;
  logic [7:0] reply_q;         // session of what is answered with HOST_FRAME_CLOSED
  logic       closed_due_q;
  logic       ack_due_q, nack_due_q;
  logic [7:0] expected_q;
  logic       asked_q;         // to go back to expected_q
  logic [HOST_TURN_BITS-1:0] turn, last_turn_q;  // of a frame, and of the last right one
  logic       opened_sent, closed_sent, ack_sent;

  // ------------------------------------------------------------------------------ receiving ------
  logic opens, known, foreign, payload;
  assign opens = done && good && kind == HOST_FRAME_OPEN;
  assign known = done && good && open_q && session == session_q &&
                 (kind == HOST_FRAME_DATA || kind == HOST_FRAME_ACK);
  assign foreign = done && good && (kind == HOST_FRAME_DATA || kind == HOST_FRAME_ACK) && !opening_q &&
                   !(open_q && session == session_q);
  assign payload = known && kind == HOST_FRAME_DATA;
  assign accept = payload && seq == expected_q;
  assign heard_o = known;
  assign open_o = open_q;

  ow_host_rx u_rx (
    .clk_i, .rst_i, .byte_valid_i(rx_valid_i), .byte_i(rx_data_i),
    .done_o(done), .good_o(good), .kind_o(kind), .turn_o(turn), .nack_o(nack), .session_o(session), .seq_o(seq),
    .ack_o(ack), .accept_i(accept), .flush_i(opens),
    .data_valid_o(out_valid_o), .data_ready_i(out_ready_i), .data_o(out_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= 1'b0;
      opening_q <= 1'b0;
      session_q <= '0;
      reply_q <= '0;
      closed_due_q <= 1'b0;
      restart_o <= 1'b0;
    end else begin
      restart_o <= opens;
      if (opens) begin
        open_q <= 1'b0;
        opening_q <= 1'b1;
        session_q <= session;
      end else if (opened_sent) begin
        open_q <= 1'b1;
        opening_q <= 1'b0;
      end
      if (closed_sent || opens) closed_due_q <= 1'b0;
      if (foreign) begin
        closed_due_q <= 1'b1;
        reply_q <= session;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || opening_q) begin
      ack_due_q <= 1'b0;
      nack_due_q <= 1'b0;
      expected_q <= '0;
      asked_q <= 1'b0;
      last_turn_q <= '0;
    end else begin
      if (ack_sent) begin
        ack_due_q <= 1'b0;
        nack_due_q <= 1'b0;
      end
      if (known) last_turn_q <= turn;
      // The host has sent all frames before the number in its frame. If that number is ahead of
      // ours, a frame is missing; in a new turn of the host's it was lost again. Numbers that are
      // not ahead are of acknowledged frames. Going back is asked for once a turn.
      if (accept) begin
        expected_q <= expected_q + 8'd1;
        ack_due_q <= 1'b1;
        asked_q <= 1'b0;
        nack_due_q <= 1'b0;
      end else if (known) begin
        if (payload || nack) ack_due_q <= 1'b1;
        if (seq == expected_q) begin
          asked_q <= 1'b0;
        end else if (seq - expected_q <= 8'(HOST_WINDOW) && (!asked_q || turn != last_turn_q)) begin
          asked_q <= 1'b1;
          ack_due_q <= 1'b1;
          nack_due_q <= 1'b1;
        end
      end else if (done && !good && open_q && !asked_q) begin
        asked_q <= 1'b1;
        ack_due_q <= 1'b1;
        nack_due_q <= 1'b1;
      end
    end
  end

  // -------------------------------------------------------------------------------- sending ------
  ow_host_tx #(.ResendCycles(ResendCycles)) u_tx (
    .clk_i, .rst_i, .restart_i(opens), .open_i(open_q),
    .in_valid_i, .in_ready_o, .in_i, .flush_i, .fresh_o,
    .session_i(session_q), .reply_i(reply_q), .expected_i(expected_q),
    .nack_i(nack_due_q), .heard_i(known), .back_i(nack), .acked_i(ack),
    .opened_i(opening_q && ready_i && !restart_o && !opens), .opened_sent_o(opened_sent),
    .closed_i(closed_due_q), .closed_sent_o(closed_sent),
    .ack_i(ack_due_q), .ack_sent_o(ack_sent), .info_i,
    .byte_valid_o(tx_valid_o), .byte_ready_i(tx_ready_i), .byte_o(tx_data_o)
  );

endmodule
