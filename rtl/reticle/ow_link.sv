// SPDX-License-Identifier: Apache-2.0
// One end of a reticle-crossing link: both directions of one tile edge. Towards the tile it speaks
// the links' credit protocol as a router does; towards the other reticle it drives and samples 68
// lanes each way. docs/links.md is the specification.
//
// Wavelets and credits travel in frames of two beats with a CRC; wrong frames are sent again
// (ow_link_send, ow_link_recv), lanes are aligned and repaired by training (ow_link_train).
// Latency: a wavelet that is on tile_i in cycle t is on the other end's tile_o in cycle t + 5 of
// the single-clock grid, if its colour is not held up and no frame was wrong; over a real crossing
// one cycle more if the lanes' skew reaches over a bit. Throughput: 1 wavelet and at least 1 credit
// a cycle each way, for any mix of colours, whatever other colours wait for.
// Errors: see the status words. While the link is not up it takes what the router's credits allow
// and keeps it.
//
//   NumColours   data colours of the tiles, 2 to 24
//   Depth        entries of a colour's receive buffer, a power of 2; 16 covers the round trip
//   enable_i     off: silent; retrain_i: train now, for one cycle (ow_crossing ties both)
//   odd_i        bit 0 of the reticle's cycle count
//   tile_i/_o    the tile's edge
//   lane_o       to the wires, registers; lane_i from the delay elements, read by registers only
//   tap_o        taps of the delay elements of lane_i, 3 bits a lane
//   up_o         the link carries frames, as both ends have agreed
//   idle_o       nothing changes before one of the inputs but odd_i does
//   stat_*       status words: stat_re_i reads word stat_addr_i into stat_o at the end of the
//                cycle; some words switch the test of the tile's edge on and off (docs/links.md)

`include "ow_assert.svh"

module ow_link
  import ow_pkg::*;
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = 24,
  parameter int unsigned Depth = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  enable_i,
  input  logic                  retrain_i,
  input  logic                  odd_i,
  input  link_t                 tile_i,
  output link_t                 tile_o,
  output lanes_t                lane_o,
  input  lanes_t                lane_i,
  output logic [LANES-1:0][2:0] tap_o,
  output logic                  up_o,
  output logic                  idle_o,
  input  logic                  stat_re_i,
  input  logic [5:0]            stat_addr_i,
  output logic [31:0]           stat_o
);

  // ------------------------------------------------------------------------------- training ------
  lanes_t sample_q, aligned, pattern, faulty, tap0, tap1, tap2;
  logic rx_active, rx_even, tx_train, up, train_busy;
  logic [3:0][5:0] rx_map, tx_map;
  logic [4:0][LANES-1:0] phase;
  down_e reason;
  cause_e cause;
  logic [15:0] trainings;
  logic sent_any, acked_any, taken_any, errors, stuck;

  ow_link_train u_train (
    .clk_i,
    .rst_i,
    .enable_i,
    .odd_i,
    .sample_i   (sample_q),
    .aligned_o  (aligned),
    .rx_active_o(rx_active),
    .rx_even_o  (rx_even),
    .tap0_o     (tap0),
    .tap1_o     (tap1),
    .tap2_o     (tap2),
    .pattern_o  (pattern),
    .tx_train_o (tx_train),
    .up_o       (up),
    .command_i  (retrain_i),
    .errors_i   (errors),
    .silence_i  (stuck),
    .fresh_i    (!sent_any && !taken_any),
    .used_i     (acked_any || taken_any),
    .rx_map_o   (rx_map),
    .tx_map_o   (tx_map),
    .faulty_o   (faulty),
    .phase_o    (phase),
    .reason_o   (reason),
    .cause_o    (cause),
    .trainings_o(trainings),
    .busy_o     (train_busy)
  );
  assign up_o = up;
  for (genvar l = 0; l < LANES; l++) begin : gen_tap
    assign tap_o[l] = {tap2[l], tap1[l], tap0[l]};
  end

  // ------------------------------------------------------------------------------- lane maps -----
  beat_t tx_beat, rx_beat;
  lanes_t tx_lanes, lane_q;
  ow_link_spread u_spread0 (
    .clk_i,
    .rst_i,
    .lo_i  (tx_map[0]),
    .hi_i  (tx_map[1]),
    .data_i(tx_beat[GROUP_DATA-1:0]),
    .lane_o(tx_lanes[GROUP_LANES-1:0])
  );
  ow_link_spread u_spread1 (
    .clk_i,
    .rst_i,
    .lo_i  (tx_map[2]),
    .hi_i  (tx_map[3]),
    .data_i(tx_beat[BEAT-1:GROUP_DATA]),
    .lane_o(tx_lanes[LANES-1:GROUP_LANES])
  );
  ow_link_gather u_gather0 (
    .clk_i,
    .rst_i,
    .lo_i  (rx_map[0]),
    .hi_i  (rx_map[1]),
    .lane_i(aligned[GROUP_LANES-1:0]),
    .data_o(rx_beat[GROUP_DATA-1:0])
  );
  ow_link_gather u_gather1 (
    .clk_i,
    .rst_i,
    .lo_i  (rx_map[2]),
    .hi_i  (rx_map[3]),
    .lane_i(aligned[LANES-1:GROUP_LANES]),
    .data_o(rx_beat[BEAT-1:GROUP_DATA])
  );
  assign lane_o = lane_q;

  // --------------------------------------------------------------------------------- sender ------
  logic open, sending, header_sent, again, nack, nack_epoch, owe, went_back, waiting;
  logic [SEQ_BITS-1:0] seq, expected;
  logic epoch, tx_pass;
  word_t tx_next, tx_passing;
  credits_t tx_credits;
  logic [46:0] first_half, again_half;
  logic [42:0] second_half;
  logic any_half;
  // What the receiver has heard (below).
  first_t rx_first_q;
  logic heard, rx_header;

  ow_link_send #(
    .FirstW ($bits(first_half)),
    .SecondW($bits(second_half)),
    .SeqW   (SEQ_BITS),
    .Window (WINDOW)
  ) u_send (
    .clk_i,
    .rst_i,
    .up_i        (up),
    .odd_i,
    .open_o      (open),
    .first_i     (first_half),
    .second_i    (second_half),
    .any_i       (any_half),
    .header_i    (owe),
    .heard_i     (heard),
    .ack_valid_i (rx_header),
    .ack_i       (rx_first_q.ack),
    .nack_i      (rx_header && rx_first_q.nack),
    .nack_epoch_i(rx_first_q.nack_epoch),
    .sending_o   (sending),
    .header_o    (header_sent),
    .again_o     (again),
    .half_o      (again_half),
    .seq_o       (seq),
    .epoch_o     (epoch),
    .waiting_o   (waiting),
    .sent_any_o  (sent_any),
    .acked_any_o (acked_any),
    .stuck_o     (stuck),
    .went_back_o (went_back)
  );

  ow_link_beats u_beats (
    .clk_i,
    .rst_i,
    .odd_i,
    .sending_i   (sending),
    .header_i    (header_sent),
    .again_i     (again),
    .half_i      (again_half),
    .open_i      (open),
    .credits_i   (tx_credits),
    .word_i      (tx_next),
    .passing_i   (tx_passing),
    .pass_i      (tx_pass),
    .seq_i       (seq),
    .epoch_i     (epoch),
    .ack_i       (expected),
    .nack_i      (nack),
    .nack_epoch_i(nack_epoch),
    .first_o     (first_half),
    .second_o    (second_half),
    .any_o       (any_half),
    .beat_o      (tx_beat)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) lane_q <= '0;
    else if (tx_train) lane_q <= pattern;
    else if (sending || lane_q != '0) lane_q <= tx_lanes;
  end

  // ------------------------------------------------------------------------------- receiver ------
  beat_t beat_q;
  /* verilator lint_off UNUSEDSIGNAL */
  second_t rx_second;  // its CRC is checked in beat_q
  /* verilator lint_on UNUSEDSIGNAL */
  logic [15:0] rx_crc_q;
  logic active_q, even_q;     // beat_q holds a beat of a frame; the first one
  logic complete, idle_frame, good, form, numbered, take;
  logic hint_valid, hint;
  logic [2:0] hint_0, hint_1;
  first_t rx_rest;            // of a frame that is taken: its second half
  logic second_q;             // rx_first_q holds that

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      sample_q <= '0;
      beat_q <= '0;
      rx_first_q <= '0;
      rx_crc_q <= '0;
      second_q <= 1'b0;
      active_q <= 1'b0;
      even_q <= 1'b0;
    end else begin
      sample_q <= lane_i;
      active_q <= rx_active;
      even_q <= rx_even;
      if (!rx_active) beat_q <= '0;
      else if (aligned != '0 || beat_q != '0) beat_q <= rx_beat;
      if (!active_q) rx_first_q <= '0;
      else if (!even_q) rx_first_q <= take ? rx_rest : '0;
      else if (beat_q != '0 || rx_first_q != '0 || rx_crc_q != '0) begin
        rx_first_q <= beat_q;
        rx_crc_q <= crc_first(beat_q);
      end
      second_q <= take;
    end
  end

  assign rx_second = beat_q;
  always_comb begin
    complete = active_q && !even_q;
    idle_frame = rx_first_q == '0 && beat_q == '0;
    rx_header = rx_first_q != '0;
    form = 1'b0;
    good = 1'b0;
    numbered = 1'b0;
    hint_0 = '0;
    hint_1 = '0;
    hint_valid = 1'b0;
    hint = 1'b0;
    if (complete && !idle_frame) begin
      if (rx_header) begin
        form = rx_first_q.marker == MARKER && rx_second.credit != NO_HEADER &&
               (rx_first_q.hint == (rx_second.epoch ? HINT_1 : HINT_0));
      end else begin
        form = rx_second.credit == NO_HEADER && rx_second.word.colour != '0;
      end
      good = form && (rx_crc_q ^ crc_second(beat_q)) == CRC_GOOD;
      numbered = rx_first_q.credits.colour != '0 || rx_first_q.word.colour != '0 ||
                 rx_second.word.colour != '0 || (rx_header && rx_second.credit != '0);
      // At most one of the six bits is wrong.
      hint_0 = 3'($countones(rx_first_q.hint ^ HINT_0));
      hint_1 = 3'($countones(rx_first_q.hint ^ HINT_1));
      hint_valid = hint_0 <= 3'd1 || hint_1 <= 3'd1;
      hint = hint_1 <= 3'd1;
    end
    heard = complete && good;
  end

  ow_link_recv #(.SeqW(SEQ_BITS)) u_recv (
    .clk_i,
    .rst_i,
    .active_i     (active_q),
    .check_i      (complete && !idle_frame),
    .good_i       (good),
    .numbered_i   (numbered),
    .seq_i        (rx_second.seq),
    .epoch_i      (rx_second.epoch),
    .hint_valid_i (hint_valid),
    .hint_i       (hint),
    .header_sent_i(header_sent),
    .take_o       (take),
    .expect_o     (expected),
    .nack_o       (nack),
    .epoch_o      (nack_epoch),
    .owe_o        (owe),
    .taken_any_o  (taken_any),
    .retrain_o    (errors)
  );

  // A frame that is taken is delivered in two cycles: its first wavelet and credits at once, its
  // second ones in the next, from the same register. That it is taken is known late.
  logic rx_valid, back_valid;
  always_comb begin
    rx_rest = '0;
    rx_rest.word = rx_second.word;
    if (rx_header) rx_rest.credits.colour = rx_second.credit;
    rx_valid = rx_first_q.word.colour != '0 && (take || second_q);
    back_valid = rx_first_q.credits.colour != '0 && (take || second_q);
  end

  // ------------------------------------------------------------------------- the tile's edge -----
  logic tx_busy, rx_busy;
  wavelet_t tile_wavelet;
  credit_t tile_credit;

  // Test of the wires to the tile: a pattern or its complement goes out, and what comes in is read
  // as status and means nothing to the link.
  localparam link_t TEST_PATTERN = {EDGE_PATTERN_HIGH, EDGE_PATTERN_LOW};
  logic test_q, invert_q;
  link_t edge_in;
  always_comb begin
    edge_in = tile_i;
    edge_in.wavelet.valid = tile_i.wavelet.valid && !test_q;
    edge_in.credit.valid = tile_i.credit.valid && !test_q;
  end

  ow_link_txq #(.NumColours(NumColours), .FarDepth(Depth)) u_txq (
    .clk_i,
    .rst_i,
    .tile_i      (edge_in.wavelet),
    .credit_o    (tile_credit),
    .open_i      (open),
    .next_o      (tx_next),
    .passing_o   (tx_passing),
    .pass_o      (tx_pass),
    .back_valid_i(back_valid),
    .back_i      (rx_first_q.credits),
    .busy_o      (tx_busy)
  );

  ow_link_rxq #(.NumColours(NumColours), .Depth(Depth)) u_rxq (
    .clk_i,
    .rst_i,
    .valid_i  (rx_valid),
    .word_i   (rx_first_q.word),
    .tile_o   (tile_wavelet),
    .credit_i (edge_in.credit),
    .ask_i    (open && (!odd_i || header_sent)),
    .many_i   (!odd_i),
    .credits_o(tx_credits),
    .busy_o   (rx_busy)
  );
  assign tile_o = test_q ? TEST_PATTERN ^ {$bits(link_t){invert_q}}
                         : link_t'{credit: tile_credit, wavelet: tile_wavelet};

  assign idle_o = !train_busy && !tx_busy && !rx_busy && !waiting && !owe && !retrain_i &&
                  lane_q == '0 && lane_i == '0 && sample_q == '0 && beat_q == '0 &&
                  rx_first_q == '0 && rx_crc_q == '0 &&
                  !edge_in.wavelet.valid && !edge_in.credit.valid;

  // --------------------------------------------------------------------------------- status ------
  logic [31:0] stat_q, replays_q, wrong_q, frames_q;
  assign stat_o = stat_q;

  // Five lanes' delays a word: 5 bits each.
  function automatic link_delays_t delays(input logic [4:0][LANES-1:0] planes,
                                          input logic [6:0] at);
    link_delays_t w;
    w = '0;
    for (int unsigned i = 0; i < 5; i++) begin
      for (int unsigned b = 0; b < 5; b++) begin
        if (32'(at) + i < LANES) w.delay[i][b] = planes[b][7'(32'(at) + i)];
      end
    end
    return w;
  endfunction

  // A lane map as its status word shows it.
  function automatic link_map_t shown(input logic [3:0][5:0] map);
    return '{g0_lo: map[0], g0_hi: map[1], g1_lo: map[2], g1_hi: map[3], default: '0};
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stat_q <= '0;
      replays_q <= '0;
      wrong_q <= '0;
      frames_q <= '0;
      test_q <= 1'b0;
      invert_q <= 1'b0;
    end else begin
      if (went_back) replays_q <= replays_q + 32'd1;
      if (complete && !idle_frame) begin
        if (!good) wrong_q <= wrong_q + 32'd1;
        else if (take) frames_q <= frames_q + 32'd1;
      end
      if (stat_re_i) begin
        case (stat_addr_i)
          LINK_STATE: begin
            stat_q <= state_reg_t'{trainings: trainings, cause: cause, down: reason,
                                   receives: rx_active, up: up, default: '0};
          end
          LINK_REPLAYS: stat_q <= replays_q;
          LINK_WRONG: stat_q <= wrong_q;
          LINK_FRAMES: stat_q <= frames_q;
          LINK_RX_MAP: stat_q <= shown(rx_map);
          LINK_TX_MAP: stat_q <= shown(tx_map);
          LINK_EDGE_LOW: stat_q <= tile_i[31:0];
          LINK_EDGE_HIGH: stat_q <= 32'(tile_i[$bits(link_t)-1:32]);
          LINK_TEST_ON, LINK_TEST_INVERT, LINK_TEST_OFF: begin
            stat_q <= '0;
            test_q <= stat_addr_i != LINK_TEST_OFF;
            invert_q <= stat_addr_i == LINK_TEST_INVERT;
          end
          default: begin
            if (is_link_faulty(stat_addr_i)) begin
              stat_q <= faulty[GROUP_LANES*32'(link_faulty_index(stat_addr_i)) +: 32];
            end else if (is_link_faulty_high(stat_addr_i)) begin
              stat_q <= 32'(faulty[GROUP_LANES*32'(link_faulty_high_index(stat_addr_i)) + 32 +: 2]);
            end else if (is_link_delays(stat_addr_i)) begin
              stat_q <= delays(phase, 7'd5 * 7'(link_delays_index(stat_addr_i)));
            end else begin
              stat_q <= '0;
            end
          end
        endcase
      end
    end
  end

  `OW_ASSERT(one_half_a_cycle, !complete || !second_q,
             "a frame was complete in the cycle of another's second half")
  `OW_ASSERT(nothing_sent_while_down, up || tx_train || tx_beat == '0,
             "a frame was sent while the link is down")

endmodule
