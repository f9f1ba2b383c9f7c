// SPDX-License-Identifier: Apache-2.0
// The sender's half of the link's replay protocol (go-back-N): numbers frames, keeps what they
// carried until it is acknowledged, and sends again from the frame that the other end asks for.
//
// A frame has two halves, the first in an even cycle, the second in the odd cycle after it. A frame
// that carries something is numbered and kept; one without is a bare header and is not. At most
// Window frames wait for their acknowledgement. `epoch_o` changes whenever the sender goes back, so
// that a request to go back (nack) which was already obeyed is known by its old epoch.
// Latency: a half that is offered while open_o is high is on first_o or second_o in that cycle.
// Throughput: a half a cycle while fewer than Window frames wait.
// Errors: no acknowledgement for Timeout frames after the oldest was sent: goes back by itself;
// 8 times without progress: stuck_o. Frames are kept while the link is down; when it comes up again
// all that are not acknowledged are sent again.
//
//   FirstW, SecondW  bits of what a half carries; all 0 is nothing
//   SeqW             bits of a sequence number, 2 or more; Window is 1 to 2^SeqW - 1
//   Timeout          frames, more than the round trip
//   up_i             frames may be sent
//   odd_i            the cycle of a second half
//   first_i, second_i  what to send, may be other than 0 only while open_o is high
//   header_i         a header is wanted though there may be nothing to send
//   heard_i          a frame came in whose CRC holds: ack_i, nack_i, nack_epoch_i are its header's
//   sending_o        even cycle: the first half is not idle; odd cycle: the second half is not
//   header_o         odd cycle: the first half was sent with a header
//   seq_o, epoch_o   number of the frame, epoch (both halves)
//   waiting_o        a frame waits for its acknowledgement or is being sent
//   sent_any_o, acked_any_o  since reset
//   stuck_o          one cycle: ask for training
//   went_back_o      one cycle, for counting

`include "ow_assert.svh"

module ow_link_send #(
  parameter int unsigned FirstW = 47,
  parameter int unsigned SecondW = 43,
  parameter int unsigned SeqW = 4,
  parameter int unsigned Window = 15,
  parameter int unsigned Timeout = 32
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               up_i,
  input  logic               odd_i,
  output logic               open_o,
  input  logic [FirstW-1:0]  first_i,
  input  logic [SecondW-1:0] second_i,
  input  logic               header_i,
  input  logic               heard_i,
  input  logic               ack_valid_i,
  input  logic [SeqW-1:0]    ack_i,
  input  logic               nack_i,
  input  logic               nack_epoch_i,
  output logic               sending_o,
  output logic               header_o,
  output logic [FirstW-1:0]  first_o,
  output logic [SecondW-1:0] second_o,
  output logic [SeqW-1:0]    seq_o,
  output logic               epoch_o,
  output logic               waiting_o,
  output logic               sent_any_o,
  output logic               acked_any_o,
  output logic               stuck_o,
  output logic               went_back_o
);

  `OW_ASSERT_INIT(window_fits, Window >= 1 && Window < 2 ** SeqW)
  `OW_ASSERT_INIT(seq_bits, SeqW >= 2)

  localparam int unsigned TimeW = $clog2(Timeout + 1);
  typedef logic [SeqW-1:0] seq_t;

  logic [FirstW-1:0] keep_first_q [2**SeqW];
  logic [SecondW-1:0] keep_second_q [2**SeqW];
  seq_t base_q;   // oldest frame that is not acknowledged
  seq_t next_q;   // number of the next new frame
  seq_t send_q;   // frame to be sent next; next_q when nothing is to be sent again
  logic epoch_q;
  logic back_q;   // go back when the next frame begins
  // The frame whose first half was sent.
  logic again_q, new_q, header_q;
  logic [FirstW-1:0] first_q;
  logic [TimeW-1:0] time_q;
  logic [2:0] tries_q;
  logic sent_any_q, acked_any_q;

  // Where to send from. Acknowledgements may have moved the base past a frame that was to be sent
  // again.
  seq_t from, held;
  logic epoch, again, room, fresh;
  assign held = next_q - base_q;
  assign from = (back_q || seq_t'(send_q - base_q) > held) ? base_q : send_q;
  assign epoch = epoch_q ^ back_q;
  assign again = from != next_q;
  assign room = held < seq_t'(Window);
  assign fresh = up_i && !again && room;

  assign open_o = odd_i ? new_q : fresh;
  assign first_o = again ? keep_first_q[from] : first_i;
  assign second_o = again_q ? keep_second_q[send_q] : second_i;
  assign header_o = header_q;
  assign seq_o = odd_i ? send_q : from;
  assign epoch_o = odd_i ? epoch_q : epoch;
  assign waiting_o = base_q != next_q || back_q || header_q || new_q && odd_i;
  assign sent_any_o = sent_any_q;
  assign acked_any_o = acked_any_q;

  logic numbered;
  always_comb begin
    if (odd_i) sending_o = header_q || (new_q && second_i != '0);
    else sending_o = up_i && (again || header_i || back_q || first_i != '0);
    numbered = new_q && (first_q != '0 || second_i != '0);
  end

  // An acknowledgement of frames that wait for one.
  logic progress;
  assign progress = heard_i && ack_valid_i && ack_i != base_q && seq_t'(ack_i - base_q) <= held;

  logic nack, expired;
  assign nack = heard_i && nack_i && nack_epoch_i == (odd_i ? epoch_q : epoch);
  assign expired = odd_i && up_i && base_q != next_q && time_q == TimeW'(Timeout);
  assign went_back_o = up_i && !odd_i && back_q;
  assign stuck_o = expired && tries_q == '1;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      base_q <= '0;
      next_q <= '0;
      send_q <= '0;
      epoch_q <= 1'b0;
      back_q <= 1'b0;
      again_q <= 1'b0;
      new_q <= 1'b0;
      header_q <= 1'b0;
      first_q <= '0;
      time_q <= '0;
      tries_q <= '0;
      sent_any_q <= 1'b0;
      acked_any_q <= 1'b0;
    end else begin
      if (!odd_i) begin
        again_q <= up_i && again;
        new_q <= fresh;
        header_q <= up_i && sending_o;
        if (up_i) begin
          send_q <= from;
          epoch_q <= epoch;
          back_q <= 1'b0;
        end
        if (fresh) first_q <= first_i;
      end else begin
        // What was taken for a first half is kept even if the link goes down between the halves.
        if (numbered) begin
          keep_first_q[next_q] <= first_q;
          keep_second_q[next_q] <= second_i;
          next_q <= next_q + 1'b1;
          sent_any_q <= 1'b1;
        end
        if (numbered || again_q) send_q <= send_q + 1'b1;
        again_q <= 1'b0;
        new_q <= 1'b0;
        header_q <= 1'b0;
        if (up_i && base_q != next_q && time_q != TimeW'(Timeout)) time_q <= time_q + 1'b1;
      end
      if (expired) begin
        back_q <= 1'b1;
        time_q <= '0;
        tries_q <= tries_q + 1'b1;
      end
      if (nack) begin
        back_q <= 1'b1;
        time_q <= '0;
      end
      if (progress) begin
        base_q <= ack_i;
        time_q <= '0;
        tries_q <= '0;
        acked_any_q <= 1'b1;
      end
      if (!up_i) begin
        // The other end starts with epoch 0 as well. An odd cycle may still be finishing a frame.
        epoch_q <= 1'b0;
        back_q <= 1'b0;
        time_q <= '0;
        tries_q <= '0;
        if (!odd_i) send_q <= base_q;
      end
    end
  end

  `OW_ASSERT(offered_only_when_open, open_o || (odd_i ? second_i == '0 : first_i == '0),
             "a half was offered while the window was shut")
  `OW_ASSERT(window_kept, held <= seq_t'(Window), "more frames wait than the window has")
  `OW_ASSERT(acknowledged_was_sent,
             !(heard_i && ack_valid_i) || seq_t'(ack_i - base_q) <= held ||
             seq_t'(base_q - ack_i) <= seq_t'(Window), "acknowledgement of a frame not sent")

endmodule
