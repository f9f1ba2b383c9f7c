// SPDX-License-Identifier: Apache-2.0
// The beats of the frames that a link's end sends: header, what the halves carry, number and CRC.
//
// Early in the cycle everything is known except a wavelet that arrives in it. The CRC is linear, so
// the part of this wavelet is computed by itself, and added when it is known to go.
// Latency 0, a beat per cycle: the first one of a frame in even cycles, the second in odd ones.
// Errors: an assertion reports two wavelets in one half of a frame.
//
//   Sum               second beats have their CRC; otherwise 0 in its place
//   odd_i             the cycle of a second beat
//   sending_i         the beat is not idle (late)
//   header_i          odd cycle: the frame's first beat was sent
//   again_i           half_i is sent: credits and wavelet of a half, as they were given to keep
//   open_i            otherwise credits_i and word_i are sent, 0 if there is nothing
//   pass_i            passing_i takes the place of word_i, which is 0 then (late)
//   seq_i, epoch_i, ack_i, nack_i, nack_epoch_i  fields of the frame and of its header
//   first_o, second_o  what is sent in the two halves if it is new, 0 in the other half's cycle;
//                     any_o: it is not 0
//   beat_o            the beat, 0 if idle

`include "ow_assert.svh"

module ow_link_beats
  import ow_link_pkg::*;
#(
  parameter bit Sum = 1'b1,
  localparam int unsigned FirstW = $bits(credits_t) + $bits(word_t),
  localparam int unsigned SecondW = 5 + $bits(word_t)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                odd_i,
  input  logic                sending_i,
  input  logic                header_i,
  input  logic                again_i,
  input  logic [FirstW-1:0]   half_i,
  input  logic                open_i,
  input  credits_t            credits_i,
  input  word_t               word_i,
  input  word_t               passing_i,
  input  logic                pass_i,
  input  logic [SEQ_BITS-1:0] seq_i,
  input  logic                epoch_i,
  input  logic [SEQ_BITS-1:0] ack_i,
  input  logic                nack_i,
  input  logic                nack_epoch_i,
  output logic [FirstW-1:0]   first_o,
  output logic [SecondW-1:0]  second_o,
  output logic                any_o,
  output beat_t               beat_o
);

  word_t passing;
  assign passing = pass_i ? passing_i : '0;

  // What is kept to be sent again. A frame whose first beat was idle has no place for a second
  // credit: the credit field marks such a frame.
  logic [4:0] credit;
  assign credit = header_i ? credits_i.colour : '0;
  assign first_o = (open_i && !odd_i) ? {credits_i, word_i | passing} : '0;
  assign second_o = (open_i && odd_i) ? {credit, word_i | passing} : '0;

  assign any_o = pass_i || (open_i && (word_i.colour != '0 ||
                                       (odd_i ? credit : credits_i.colour) != '0));

  // The beats without the wavelet that passes, and its part of their sums.
  first_t first;
  second_t second;
  logic [15:0] first_sum, second_sum, crc_q;
  always_comb begin : early
    first = '0;
    if (again_i) {first.credits, first.word} = half_i;
    else if (open_i) {first.credits, first.word} = {credits_i, word_i};
    first.marker = MARKER;
    first.hint = epoch_i ? HINT_1 : HINT_0;
    first.nack = nack_i;
    first.nack_epoch = nack_epoch_i;
    first.ack = ack_i;
    second = '0;
    if (again_i) {second.credit, second.word} = half_i[SecondW-1:0];
    else if (open_i) {second.credit, second.word} = {credit, word_i};
    if (!header_i) second.credit = NO_HEADER;
    second.seq = seq_i;
    second.epoch = epoch_i;
  end

  always_comb begin : sums
    automatic first_t first_passing;
    automatic second_t second_passing;
    first_passing = '0;
    first_passing.word = passing_i;
    second_passing = '0;
    second_passing.word = passing_i;
    first_sum = crc_first(first) ^ (pass_i ? crc_first(first_passing) : '0);
    second_sum = crc_second(second) ^ (pass_i ? crc_second(second_passing) : '0);
  end

  always_comb begin : beat
    automatic first_t whole_first;
    automatic second_t whole_second;
    whole_first = first;
    whole_first.word = first.word | passing;
    whole_second = second;
    whole_second.word = second.word | passing;
    if (Sum) whole_second.crc = crc_q ^ second_sum ^ CRC_GOOD;
    beat_o = '0;
    if (sending_i) beat_o = odd_i ? whole_second : whole_first;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) crc_q <= '0;
    else if (!odd_i) crc_q <= sending_i ? first_sum : '0;
  end

  `OW_ASSERT(one_wavelet, !pass_i || (open_i && !again_i && word_i == '0),
             "two wavelets in one half of a frame")

endmodule
