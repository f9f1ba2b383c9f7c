// SPDX-License-Identifier: Apache-2.0
// Properties of the link's replay protocol: ow_link_send and ow_link_recv with a channel of fixed
// delay each way. Frames, and headers of the other direction, may be lost or arrive wrong at any
// time. The link may go down at any time. Frames carry a tag: 1 before a marked frame, 2 the marked
// one, 3 after it; an input chooses the marked frame. The receiver must take ones, then one 2, then
// threes: nothing is lost, doubled or out of order.
//
// With Relations set, bad_order_o is also high if a relation below is broken. The relations are
// between the states of the two ends, the channel and the position of the marked frame. With them
// the proof by induction needs one cycle. Seeded bugs are searched without them.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module link_replay_props #(
  parameter int unsigned SeqW = 3,
  parameter int unsigned Window = 4,
  parameter bit Relations = 1'b1
) (
  input  logic       clk_i,
  input  logic       offer_i,       // there is something to send
  input  logic       mark_i,        // this frame is the marked one
  input  logic       header_i,      // a header is wanted in any case
  input  logic       lost_i,        // a frame, or the header of the other direction, is lost
  input  logic       wrong_i,       // a frame arrives with wrong bits
  input  logic       hint_valid_i,
  input  logic       hint_i,
  input  logic       back_lost_i,
  input  logic       down_i,        // the link goes down, or stays down
  output logic       bad_order_o,   // a frame was taken out of order or twice
  output logic       bad_window_o,  // more frames wait than the window has
  output logic       seen_marked_o,        // the marked frame was taken
  output logic       seen_after_error_o,   // after it had arrived wrong
  output logic       seen_wrapped_o,       // after more frames than there are numbers
  output logic       seen_after_down_o,    // after the link had been down while the frame waited
  output logic       seen_full_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic odd_q, live_q;
  logic [1:0] silent_q;
  logic marked_q;
  logic open, sending, header_sent, again, epoch;
  logic [1:0] tag, first, first_in, half;
  logic second_in;
  logic [SeqW-1:0] seq, expected;
  logic nack, nack_epoch, owe, take;

  assign tag = marked_q ? 2'd3 : mark_i ? 2'd2 : 2'd1;

  // Forward channel: one frame. It is checked in the odd cycle after the one in which it was sent.
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
    .step_i      (1'b1),
    .odd_i       (odd_q),
    .open_o      (open),
    .first_i     (first_in),
    .second_i    (second_in),
    .any_i       (odd_q ? second_in : first_in != 2'd0),
    .header_i,
    .heard_i     (heard),
    .ack_valid_i (1'b1),
    .ack_i       (b_ack_q),
    .nack_i      (b_nack_q),
    .nack_epoch_i(b_epoch_q),
    .sending_o   (sending),
    .header_o    (header_sent),
    .again_o     (again),
    .half_o      (half),
    .seq_o       (seq),
    .epoch_o     (epoch),
    .waiting_o   (waiting),
    .sent_any_o  (sent_any),
    .acked_any_o (acked_any),
    .stuck_o     (stuck),
    .went_back_o (went_back)
  );
  assign first_in = (open && !odd_q && offer_i) ? tag : 2'd0;
  assign second_in = 1'b0;
  assign first = again ? half : first_in;

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
  logic failed_q, down_q;
  logic [SeqW:0] count_q, offered_q;
  logic [SeqW-1:0] mark_seq_q;  // number of the marked frame
  logic mark_kept_q;            // it is not yet acknowledged
  logic f_old_q;                // the frame in the channel was taken before it was sent again

  // The sender's state.
  logic [SeqW-1:0] base, next, send;
  logic offered;
  assign base = u_send.base_q;
  assign next = u_send.next_q;
  assign send = u_send.send_q;
  assign offered = open && !odd_q && offer_i;

  logic pending;  // a frame was offered and gets its number at the end of this cycle
  assign pending = odd_q && u_send.new_q && u_send.any_q;

  logic [SeqW-1:0] base_after;
  assign base_after = (heard && b_ack_q != base && SeqW'(b_ack_q - base) <= SeqW'(next - base)) ?
                      b_ack_q : base;

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
      f_old_q <= 1'b0;
      b_there_q <= 1'b0;
      b_nack_q <= 1'b0;
      b_epoch_q <= 1'b0;
      b_ack_q <= '0;
      before_q <= 2'd0;
      failed_q <= 1'b0;
      down_q <= 1'b0;
      count_q <= '0;
      offered_q <= '0;
      mark_seq_q <= '0;
      mark_kept_q <= 1'b0;
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
      if (offered) begin
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
        // Older than the base, if an acknowledgement came after the frame was chosen.
        f_old_q <= (u_send.again_q && SeqW'(seq - base) >= SeqW'(next - base)) ||
                   SeqW'(seq - base) < SeqW'(SeqW'(expected + SeqW'(take)) - base);
        b_there_q <= live_q;
        b_nack_q <= nack;
        b_epoch_q <= nack_epoch;
        b_ack_q <= expected;
      end
      if (!live_q) begin
        f_there_q <= 1'b0;
        b_there_q <= 1'b0;
      end
      // What was taken, where the marked frame is, and what happened before (for the covers).
      if (take) begin
        before_q <= f_tag_q;
        if (!(&count_q)) count_q <= count_q + 1'b1;
      end
      if (offered && mark_i && !marked_q) begin
        mark_seq_q <= next;
        mark_kept_q <= 1'b1;
      end else if (mark_kept_q && SeqW'(mark_seq_q - base) < SeqW'(base_after - base)) begin
        mark_kept_q <= 1'b0;
      end
      if (arrive && wrong_i && f_tag_q == 2'd2 && before_q < 2'd2) failed_q <= 1'b1;
      if (!live_q && marked_q && before_q < 2'd2) down_q <= 1'b1;
    end
  end

  // Tag of the frame at a position counted from the base.
  function automatic logic [1:0] tag_at(input logic [SeqW-1:0] position);
    if (!marked_q) return 2'd1;
    if (!mark_kept_q) return 2'd3;
    if (position == SeqW'(mark_seq_q - base)) return 2'd2;
    return position < SeqW'(mark_seq_q - base) ? 2'd1 : 2'd3;
  endfunction

  logic broken;
  logic [SeqW-1:0] waiting_frames, taken_frames, mark_at;
  assign waiting_frames = next - base;
  assign taken_frames = expected - base;
  assign mark_at = mark_seq_q - base;
  always_comb begin
    broken = waiting_frames > SeqW'(Window) || taken_frames > waiting_frames;
    if (pending) broken |= waiting_frames >= SeqW'(Window);
    // The frames that are kept.
    for (int unsigned i = 0; i < 2 ** SeqW; i++) begin
      if (SeqW'(i) < waiting_frames) begin
        broken |= u_send.gen_registers.keep_first_q[SeqW'(base + SeqW'(i))] != tag_at(SeqW'(i));
      end
    end
    if (pending) broken |= u_send.gen_registers.keep_first_q[next] != tag_at(waiting_frames);
    // The marked frame.
    if (!marked_q) broken |= before_q > 2'd1 || mark_kept_q;
    if (marked_q && before_q < 2'd2) broken |= !mark_kept_q || mark_at < taken_frames;
    if (marked_q && before_q >= 2'd2 && mark_kept_q) broken |= mark_at >= taken_frames;
    if (mark_kept_q) broken |= mark_at >= SeqW'(waiting_frames + SeqW'(pending)) &&
                               !(pending && waiting_frames == '1);
    // The channels. A frame that is not new is older than the expected one.
    if (f_there_q && f_tag_q != 2'd0) begin
      if (f_old_q) broken |= f_seq_q == expected;
      else broken |= SeqW'(f_seq_q - base) >= waiting_frames ||
                     SeqW'(f_seq_q - base) < taken_frames ||
                     f_tag_q != tag_at(SeqW'(f_seq_q - base));
    end
    if (b_there_q) broken |= SeqW'(b_ack_q - base) > taken_frames;
    // What is being sent: a new frame, a frame that waits or was acknowledged after it was chosen,
    // or only a header. And what may be sent.
    if (!odd_q) begin
      broken |= u_send.again_q || (u_send.plan_again_q && u_send.plan_new_q);
      if (u_send.plan_again_q) begin
        broken |= SeqW'(next - send) == '0 || SeqW'(next - send) > SeqW'(Window) ||
                  u_send.gen_registers.half_q != u_send.gen_registers.keep_first_q[send];
      end else if (live_q) broken |= send != next;
      if (u_send.plan_new_q) broken |= waiting_frames >= SeqW'(Window);
    end else begin
      if (u_send.new_q) begin
        broken |= u_send.again_q || send != next || waiting_frames >= SeqW'(Window) ||
                  first_q != u_send.gen_registers.keep_first_q[next] || u_send.any_q != (first_q != 2'd0);
      end
      if (u_send.again_q) begin
        broken |= SeqW'(next - send) == '0 || SeqW'(next - send) > SeqW'(Window) ||
                  (half_q && first_q != u_send.gen_registers.keep_first_q[send]);
      end
      if (!half_q || !(u_send.new_q || u_send.again_q)) broken |= first_q != 2'd0;
    end
  end

  logic marked_now;
  assign marked_now = up_q && take && f_tag_q == 2'd2;
  assign bad_order_o = up_q && ((Relations && broken) || (take &&
      !((f_tag_q == 2'd1 && before_q <= 2'd1) || (f_tag_q == 2'd2 && before_q <= 2'd1) ||
        (f_tag_q == 2'd3 && before_q >= 2'd2))));
  assign bad_window_o = up_q && (waiting_frames > SeqW'(Window) ||
                                 (pending && waiting_frames == SeqW'(Window)));
  assign seen_marked_o = marked_now;
  assign seen_after_error_o = marked_now && failed_q;
  assign seen_wrapped_o = marked_now && count_q > (SeqW+1)'(2 ** SeqW);
  assign seen_after_down_o = marked_now && down_q;
  assign seen_full_o = up_q && live_q && !odd_q && !open && (SeqW+1)'(offered_q - count_q) ==
                       (SeqW+1)'(Window) && !(&offered_q);

endmodule
