// SPDX-License-Identifier: Apache-2.0
// Properties of the link's replay protocol: ow_link_send and ow_link_recv with a channel of fixed
// delay each way on which frames are lost or arrive wrong at any time, headers of the other
// direction too, and with the link going down at any time. Frames carry a tag: 1 before a marked
// one, 2 the marked one, 3 after it; which frame is marked is an input. What is taken must be
// ones, then one 2, then threes: nothing is lost, doubled or out of order.
//
// scripts/formal proves that no bad_* output is ever high, and that every seen_* output can be.
module link_replay_props #(
  parameter int unsigned SeqW = 3,
  parameter int unsigned Window = 4
) (
  input  logic       clk_i,
  input  logic       offer_i,       // there is something to send
  input  logic       mark_i,        // this is the frame that is marked
  input  logic       header_i,      // a header is wanted in any case
  input  logic       lost_i,        // a frame, or the header of the other direction, is not there
  input  logic       wrong_i,       // a frame arrives with wrong bits
  input  logic       hint_valid_i,
  input  logic       hint_i,
  input  logic       back_lost_i,
  input  logic       down_i,        // the link goes down, or stays down
  output logic       bad_order_o,   // what was taken is not in turn
  output logic       bad_twice_o,   // the marked frame was taken again
  output logic       bad_window_o,  // more frames wait than the window has
  output logic       seen_marked_o,        // the marked frame was taken
  output logic       seen_after_error_o,   // after it had arrived wrong
  output logic       seen_wrapped_o,       // after more frames than there are numbers
  output logic       seen_after_down_o,    // after the link had been down with it waiting
  output logic       seen_full_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic odd_q, live_q;
  logic [1:0] silent_q;
  logic marked_q;
  logic open, sending, header_sent, epoch;
  logic [1:0] tag, first;
  logic second, second_in;
  logic [SeqW-1:0] seq, expected;
  logic nack, nack_epoch, owe, take;

  assign tag = marked_q ? 2'd3 : mark_i ? 2'd2 : 2'd1;

  // Forward channel: one frame; it is checked in the odd cycle after the one that it was sent in.
  logic f_there_q, f_epoch_q;
  logic [1:0] f_tag_q, first_q;
  logic [SeqW-1:0] f_seq_q;
  logic half_q;
  // Backward channel.
  logic b_there_q, b_nack_q, b_epoch_q;
  logic [SeqW-1:0] b_ack_q;

  logic arrive, heard;
  assign arrive = live_q && odd_q && f_there_q && !lost_i;
  assign heard = live_q && odd_q && b_there_q && !back_lost_i;

  logic waiting, sent_any, acked_any, stuck, went_back;
  ow_link_send #(.FirstW(2), .SecondW(1), .SeqW(SeqW), .Window(Window), .Timeout(3)) u_send (
    .clk_i,
    .rst_i       (!up_q),
    .up_i        (live_q),
    .odd_i       (odd_q),
    .open_o      (open),
    .first_i     ((open && !odd_q && offer_i) ? tag : 2'd0),
    .second_i    (second_in),
    .header_i,
    .heard_i     (heard),
    .ack_valid_i (1'b1),
    .ack_i       (b_ack_q),
    .nack_i      (b_nack_q),
    .nack_epoch_i(b_epoch_q),
    .sending_o   (sending),
    .header_o    (header_sent),
    .first_o     (first),
    .second_o    (second),
    .seq_o       (seq),
    .epoch_o     (epoch),
    .waiting_o   (waiting),
    .sent_any_o  (sent_any),
    .acked_any_o (acked_any),
    .stuck_o     (stuck),
    .went_back_o (went_back)
  );
  assign second_in = 1'b0;

  logic taken_any, retrain;
  ow_link_recv #(.SeqW(SeqW)) u_recv (
    .clk_i,
    .rst_i        (!up_q),
    .active_i     (live_q),
    .check_i      (arrive),
    .good_i       (!wrong_i),
    .numbered_i   (f_tag_q != 2'd0),
    .seq_i        (f_seq_q),
    .epoch_i      (f_epoch_q),
    .hint_valid_i,
    .hint_i,
    .header_sent_i(live_q && odd_q),
    .take_o       (take),
    .expect_o     (expected),
    .nack_o       (nack),
    .epoch_o      (nack_epoch),
    .owe_o        (owe),
    .taken_any_o  (taken_any),
    .retrain_o    (retrain)
  );

  logic [1:0] before_q;   // what was taken last: 1, 2 or 3; 0 nothing
  logic failed_q, down_q, was_full_q;
  logic [SeqW:0] count_q, offered_q;

  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      odd_q <= 1'b0;
      live_q <= 1'b0;
      silent_q <= 2'd0;
      marked_q <= 1'b0;
      half_q <= 1'b0;
      first_q <= 2'd0;
      f_there_q <= 1'b0;
      f_epoch_q <= 1'b0;
      f_tag_q <= 2'd0;
      f_seq_q <= '0;
      b_there_q <= 1'b0;
      b_nack_q <= 1'b0;
      b_epoch_q <= 1'b0;
      b_ack_q <= '0;
      before_q <= 2'd0;
      failed_q <= 1'b0;
      down_q <= 1'b0;
      count_q <= '0;
      offered_q <= '0;
    end else begin
      odd_q <= !odd_q;
      // Down for at least four cycles, and up again in an even one.
      if (down_i) begin
        live_q <= 1'b0;
        silent_q <= 2'd0;
      end else if (!live_q) begin
        if (silent_q != 2'd3) silent_q <= silent_q + 2'd1;
        else if (odd_q) live_q <= 1'b1;
      end
      if (open && !odd_q && offer_i) begin
        if (mark_i) marked_q <= 1'b1;
        if (!(&offered_q)) offered_q <= offered_q + 1'b1;
      end
      // Channels.
      if (!odd_q) begin
        half_q <= sending;
        first_q <= sending ? first : 2'd0;
      end else begin
        f_there_q <= live_q && sending;
        f_tag_q <= half_q ? first_q : 2'd0;
        f_seq_q <= seq;
        f_epoch_q <= epoch;
        b_there_q <= live_q;
        b_nack_q <= nack;
        b_epoch_q <= nack_epoch;
        b_ack_q <= expected;
      end
      if (!live_q) begin
        f_there_q <= 1'b0;
        b_there_q <= 1'b0;
      end
      // What was taken, and for the covers what happened before.
      if (take) begin
        before_q <= f_tag_q;
        if (!(&count_q)) count_q <= count_q + 1'b1;
      end
      if (arrive && wrong_i && f_tag_q == 2'd2 && before_q < 2'd2) failed_q <= 1'b1;
      if (!live_q && marked_q && before_q < 2'd2) down_q <= 1'b1;
    end
  end

  logic marked_now;
  assign marked_now = up_q && take && f_tag_q == 2'd2;
  assign bad_order_o = up_q && take &&
      !((f_tag_q == 2'd1 && before_q <= 2'd1) || (f_tag_q == 2'd2 && before_q <= 2'd1) ||
        (f_tag_q == 2'd3 && before_q >= 2'd2) || (f_tag_q == 2'd2 && before_q == 2'd2));
  assign bad_twice_o = marked_now && before_q >= 2'd2;
  // Frames offered and not taken cannot be more than the window, unless counts have saturated.
  assign bad_window_o = up_q && !(&offered_q) && (SeqW+1)'(offered_q - count_q) > (SeqW+1)'(Window);
  assign seen_marked_o = marked_now;
  assign seen_after_error_o = marked_now && failed_q;
  assign seen_wrapped_o = marked_now && count_q > (SeqW+1)'(2 ** SeqW);
  assign seen_after_down_o = marked_now && down_q;
  assign seen_full_o = up_q && live_q && !odd_q && !open && (SeqW+1)'(offered_q - count_q) ==
                       (SeqW+1)'(Window) && !(&offered_q);

endmodule
