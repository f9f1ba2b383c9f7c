// SPDX-License-Identifier: Apache-2.0
// The sender's half of the link's replay protocol (go-back-N). It numbers frames, keeps what they
// carried until it is acknowledged, and sends again from the frame that the other end asks for.
//
// A frame has two halves: the first goes in an even cycle, the second in the odd cycle after it. If
// a half takes several cycles on the lanes, even and odd cycles are those in which step_i is high,
// in turn. Acknowledgements and requests may come at any time. A frame that carries something is
// numbered and kept; a frame with only a header is not. At most Window frames wait for their
// acknowledgement. epoch_o changes whenever the sender goes back, so a request (nack) that was
// already obeyed is known by its old epoch.
// The kind of the next frame is settled while a second half is sent, so only registers decide what
// goes. Requests and acknowledgements count from the next such cycle on.
// Latency: a half that is offered while open_o is high is sent in this cycle. Throughput: a half
// per cycle while fewer than Window frames wait.
// Errors: without an acknowledgement for Timeout frames after the oldest was sent, the sender goes
// back by itself; after 8 times without progress stuck_o is high. Frames are kept while the link is
// down. When it comes up again, all that are not acknowledged are sent again.
//
//   FirstW, SecondW   bits of what a half carries; all 0 is nothing
//   SeqW              bits of a sequence number, 2 or more
//   Window            frames that may wait, 1 to 2^SeqW - 1
//   Timeout           frames, more than the round trip
//   Memory            what is kept is in an ow_link_ram, otherwise in registers
//   up_i              frames may be sent
//   step_i            a half goes now; odd_i: a second one
//   first_i, second_i  what to send; may be other than 0 only while open_o is high
//   any_i             this is not 0
//   again_o           half_o, a register, is sent instead
//   header_i          a header is wanted although there may be nothing to send
//   heard_i           a frame with a right CRC came in; ack_valid_i, ack_i, nack_i, nack_epoch_i:
//                     its header
//   sending_o         even cycle: the first half is not idle; odd cycle: the second half is not
//   header_o          until the second half has gone: the first half was sent with a header
//   seq_o, epoch_o    number of the frame, epoch (both halves)
//   waiting_o         a frame waits for its acknowledgement or is being sent, or the sender is not
//                     at rest yet
//   sent_any_o, acked_any_o  since reset
//   stuck_o           one cycle: ask for training
//   went_back_o       one cycle, for counting

`include "ow_assert.svh"

module ow_link_send #(
  parameter int unsigned FirstW = 47,
  parameter int unsigned SecondW = 43,
  parameter int unsigned SeqW = 4,
  parameter int unsigned Window = 15,
  parameter int unsigned Timeout = 32,
  parameter bit Memory = 1'b0
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               up_i,
  input  logic               step_i,
  input  logic               odd_i,
  output logic               open_o,
  input  logic [FirstW-1:0]  first_i,
  input  logic [SecondW-1:0] second_i,
  input  logic               any_i,
  input  logic               header_i,
  input  logic               heard_i,
  input  logic               ack_valid_i,
  input  logic [SeqW-1:0]    ack_i,
  input  logic               nack_i,
  input  logic               nack_epoch_i,
  output logic               sending_o,
  output logic               header_o,
  output logic               again_o,
  output logic [(FirstW > SecondW ? FirstW : SecondW)-1:0] half_o,
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
  localparam int unsigned HalfW = FirstW > SecondW ? FirstW : SecondW;
  typedef logic [SeqW-1:0] seq_t;

  seq_t base_q;   // oldest frame that is not acknowledged
  seq_t next_q;   // number of the next new frame
  seq_t send_q;   // the frame being sent, or the next one; next_q if nothing is sent again
  logic epoch_q;
  logic back_q;   // go back when the frame has been sent
  logic turned_q; // the frame is the first one after going back
  // What the frame may be, known when it begins: one that is sent again, or a new one.
  logic plan_again_q, plan_new_q;
  // What the frame is, while its second half is sent, and whether its first half carried something.
  // At rest the plan is a new frame, so a wavelet that comes in an odd cycle goes at once.
  logic again_q, new_q, header_q, any_q;
  logic [TimeW-1:0] time_q;
  logic [2:0] tries_q;
  logic sent_any_q, acked_any_q;

  assign open_o = step_i && (odd_i ? new_q : up_i && plan_new_q);
  assign again_o = odd_i ? again_q : up_i && plan_again_q;
  assign header_o = header_q;
  assign seq_o = send_q;
  assign epoch_o = epoch_q;
  // A link that has just come up is not at rest yet: asleep it would hold up its first word.
  assign waiting_o = base_q != next_q || back_q || turned_q || header_q || up_i != new_q;
  assign sent_any_o = sent_any_q;
  assign acked_any_o = acked_any_q;

  logic numbered;
  always_comb begin
    if (!step_i) sending_o = 1'b0;
    else if (odd_i) sending_o = header_q || (new_q && any_i);
    else sending_o = up_i && (plan_again_q || header_i || turned_q || any_i);
    numbered = new_q && (any_q || any_i);
  end

  // The next frame is planned in the odd cycle before it. Acknowledgements may have moved the base
  // past a frame that was to be sent again. Those of this cycle count from the next frame on.
  seq_t held, stay, from;
  logic restart, again, room;
  assign held = next_q - base_q;
  assign stay = again_q ? send_q + 1'b1 : send_q;
  assign restart = back_q || !up_i;
  assign from = (restart || seq_t'(stay - base_q) > held) ? base_q : stay;
  assign again = numbered ? restart : from != next_q;
  assign room = numbered ? held < seq_t'(Window - 1) : held < seq_t'(Window);

  // An acknowledgement of frames that wait for one.
  logic progress;
  assign progress = heard_i && ack_valid_i && ack_i != base_q && seq_t'(ack_i - base_q) <= held;

  logic nack, expired;
  assign nack = heard_i && nack_i && nack_epoch_i == (epoch_q ^ back_q);
  assign expired = step_i && odd_i && up_i && !back_q && base_q != next_q &&
                   time_q == TimeW'(Timeout);
  assign went_back_o = up_i && step_i && odd_i && back_q;
  assign stuck_o = expired && tries_q == '1;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      base_q <= '0;
      next_q <= '0;
      send_q <= '0;
      epoch_q <= 1'b0;
      back_q <= 1'b0;
      turned_q <= 1'b0;
      plan_again_q <= 1'b0;
      plan_new_q <= 1'b0;
      again_q <= 1'b0;
      new_q <= 1'b0;
      header_q <= 1'b0;
      any_q <= 1'b0;
      time_q <= '0;
      tries_q <= '0;
      sent_any_q <= 1'b0;
      acked_any_q <= 1'b0;
    end else begin
      if (step_i && !odd_i) begin
        again_q <= up_i && plan_again_q;
        new_q <= up_i && plan_new_q;
        header_q <= up_i && sending_o;
        any_q <= any_i;
      end else if (step_i) begin
        // What was taken for a first half is kept even if the link goes down between the halves.
        if (numbered) begin
          next_q <= next_q + 1'b1;
          sent_any_q <= 1'b1;
        end
        send_q <= (numbered && !restart) ? next_q + 1'b1 : from;
        plan_again_q <= again;
        plan_new_q <= !again && room;
        epoch_q <= epoch_q ^ back_q;
        back_q <= 1'b0;
        turned_q <= back_q;
        again_q <= 1'b0;
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
        turned_q <= 1'b0;
        time_q <= '0;
        tries_q <= '0;
      end
    end
  end

  // What a new frame carries is written under the next number, whether or not the frame gets this
  // number. What is sent again is read a cycle ahead.
  if (Memory) begin : gen_memory
    ow_link_ram #(.Words(2 * 2 ** SeqW), .Width(HalfW)) u_ram (
      .clk_i,
      .we_i   (open_o),
      .waddr_i({odd_i, next_q}),
      .wdata_i(odd_i ? HalfW'(second_i) : HalfW'(first_i)),
      .re_i   (step_i && (odd_i ? restart || from != next_q : plan_again_q)),
      .raddr_i({!odd_i, odd_i ? from : send_q}),
      .rdata_o(half_o)
    );
  end else begin : gen_registers
    logic [FirstW-1:0] keep_first_q [2**SeqW];
    logic [SecondW-1:0] keep_second_q [2**SeqW];
    logic [HalfW-1:0] half_q;  // what is sent again, read in the cycle before
    assign half_o = half_q;
    always_ff @(posedge clk_i) begin
      if (step_i && !odd_i && up_i && plan_new_q) keep_first_q[next_q] <= first_i;
      if (step_i && odd_i && new_q) keep_second_q[next_q] <= second_i;
      if (step_i && odd_i && (restart || from != next_q)) half_q <= HalfW'(keep_first_q[from]);
      if (step_i && !odd_i && plan_again_q) half_q <= HalfW'(keep_second_q[send_q]);
    end
  end

  `OW_ASSERT(offered_only_when_open, open_o || (odd_i ? second_i == '0 : first_i == '0),
             "a half was offered while the window was shut")
  `OW_ASSERT(any_is_right, any_i == ((odd_i ? second_i != '0 : first_i != '0)),
             "what is offered is 0, or it is not")
  `OW_ASSERT(window_kept, held <= seq_t'(Window), "more frames wait than the window has")
  `OW_ASSERT(acknowledged_was_sent,
             !(heard_i && ack_valid_i) || seq_t'(ack_i - base_q) <= held ||
             seq_t'(base_q - ack_i) <= seq_t'(Window), "acknowledgement of a frame not sent")

endmodule
