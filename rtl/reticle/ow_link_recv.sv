// SPDX-License-Identifier: Apache-2.0
// The receiver's half of the link's replay protocol. It takes a frame only if its CRC holds and its
// number is the one expected, and otherwise asks the sender to go back.
//
// After a frame that is wrong or out of turn, nothing is taken until the sender's epoch changes.
// The sender changes its epoch when it goes back. Until then the request (nack, with the epoch that
// it is about) goes out with every header. If the first frames of the replay are wrong too, the
// next right one shows the new epoch and an unexpected number, and the request is made again for
// the new epoch. hint_i shows the new epoch earlier, from the wrong frame itself. The hint only
// saves time: a wrong hint costs a needless replay.
// Latency: take_o in the cycle of check_i. Throughput: a frame in every cycle.
// Errors: retrain_o for one cycle when wrong frames are so frequent that training may help: each
// counts 3, each right one takes 1 away, at 48.
//
//   SeqW              bits of a sequence number, 2 or more
//   active_i          frames come in; while it is low the passing state of the protocol is cleared
//   check_i           a frame that is not idle is complete; good_i: its CRC and form hold
//   numbered_i        it carries something
//   seq_i, epoch_i    of the frame
//   hint_valid_i, hint_i  the epoch as far as the first half shows it
//   header_sent_i     a header goes: it acknowledges what was taken before this cycle
//   take_o            the frame is accepted
//   expect_o          the number that is acknowledged: the frame expected next
//   nack_o, epoch_o   go back, and the epoch that this is about
//   owe_o             a header should be sent
//   taken_any_o       something was accepted since reset
//   retrain_o         as above

`include "ow_assert.svh"

module ow_link_recv #(
  parameter int unsigned SeqW = 4
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic            active_i,
  input  logic            check_i,
  input  logic            good_i,
  input  logic            numbered_i,
  input  logic [SeqW-1:0] seq_i,
  input  logic            epoch_i,
  input  logic            hint_valid_i,
  input  logic            hint_i,
  input  logic            header_sent_i,
  output logic            take_o,
  output logic [SeqW-1:0] expect_o,
  output logic            nack_o,
  output logic            epoch_o,
  output logic            owe_o,
  output logic            taken_any_o,
  output logic            retrain_o
);

  `OW_ASSERT_INIT(seq_bits, SeqW >= 2)

  logic [SeqW-1:0] expect_q;
  logic epoch_q, nack_q, owe_q, taken_any_q;
  logic [5:0] wrong_q;

  logic obey;
  assign obey = check_i && good_i && (epoch_i != epoch_q || !nack_q);
  assign take_o = obey && numbered_i && seq_i == expect_q;

  assign expect_o = expect_q;
  assign nack_o = nack_q;
  assign epoch_o = epoch_q;
  assign owe_o = owe_q || nack_q;
  assign taken_any_o = taken_any_q;
  assign retrain_o = active_i && wrong_q >= 6'd48;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      expect_q <= '0;
      epoch_q <= 1'b0;
      nack_q <= 1'b0;
      owe_q <= 1'b0;
      taken_any_q <= 1'b0;
      wrong_q <= '0;
    end else begin
      if (header_sent_i) owe_q <= 1'b0;
      if (!active_i) begin
        epoch_q <= 1'b0;
        nack_q <= 1'b0;
        owe_q <= 1'b0;
        wrong_q <= '0;
      end else if (check_i) begin
        if (!good_i) begin
          nack_q <= 1'b1;
          owe_q <= 1'b1;  // the frame may have held an acknowledgement that waits for an answer
          if (hint_valid_i) epoch_q <= hint_i;
          wrong_q <= wrong_q > 6'd60 ? '1 : wrong_q + 6'd3;
        end else begin
          if (wrong_q != '0) wrong_q <= wrong_q - 6'd1;
          epoch_q <= epoch_i;
          if (obey) nack_q <= seq_i != expect_q;
          if (take_o) begin
            expect_q <= expect_q + 1'b1;
            taken_any_q <= 1'b1;
          end
          if (obey && numbered_i) owe_q <= 1'b1;
        end
      end
    end
  end

  `OW_ASSERT(take_in_turn, !take_o || (good_i && seq_i == expect_q && numbered_i),
             "a frame was taken out of turn")

endmodule
