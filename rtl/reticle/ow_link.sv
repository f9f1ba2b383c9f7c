// SPDX-License-Identifier: Apache-2.0
// One end of a reticle-crossing link: both directions of one tile edge. Towards the tile it uses
// the links' credit protocol, as a router does. Towards the other reticle it drives and samples
// groups of lanes. docs/links.md is the specification.
//
// Wavelets and credits travel in frames of two beats with a CRC. A beat takes as many cycles as the
// data lanes need for its 64 bits. Wrong frames are sent again (ow_link_send, ow_link_recv).
// Training aligns and repairs the lanes (ow_link_train).
// Latency: a wavelet on tile_i in cycle t is on the other end's tile_o in cycle t + 6 of the
// single-clock grid, if its colour is not held up and no frame was wrong. Over a real crossing it
// is one cycle more if the skew of the lanes exceeds a bit.
// Throughput: 1 wavelet and at least 1 credit in the time of a beat each way, for any mix of
// colours, whatever other colours wait for.
// Errors: see the status words. While the link is not up, the end takes what the router's credits
// allow and keeps it.
//
//   NumColours        data colours of the tiles, 2 to 24
//   Groups, GroupData  groups of lanes, and data lanes of each; a group has two spares besides. 64
//                     data lanes (a beat per cycle), or 16 or 8
//   Scan              0: for area, without the test of the tile's edge: its status words are 0
//   Depth             entries of a colour's receive buffer, a power of 2, the same at both ends.
//                     The default covers the round trip of credits
//   enable_i          off: silent; retrain_i: train now, for one cycle (ow_crossing ties both)
//   cycle_i           lowest bits of the reticle's cycle count, as many as count the cycles of a
//                     frame
//   tile_i/_o         the tile's edge
//   lane_o            to the wires, registers; lane_i from the delay elements, read by ow_link_sync
//                     only
//   tap_o             taps of the delay elements of lane_i, 3 bits per lane
//   up_o              the link carries frames, as both ends have agreed
//   idle_o            if the lanes are 0, and were at the last edge, nothing changes before one of
//                     the inputs but cycle_i does
//   stat_*            status words: stat_re_i reads word stat_addr_i into stat_o at the end of the
//                     cycle. Some words switch the test of the tile's edge on and off
//                     (docs/links.md)

`include "ow_assert.svh"

module ow_link
  import ow_pkg::*;
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter int unsigned Groups = GROUPS,
  parameter int unsigned GroupData = GROUP_DATA,
  parameter bit Scan = 1'b1,
  parameter int unsigned Depth = Groups * GroupData == 8 ? 8 : 16,
  localparam int unsigned GroupLanes = GroupData + SPARES,
  localparam int unsigned Lanes = Groups * GroupLanes,
  localparam int unsigned Slice = Groups * GroupData,
  localparam int unsigned Slices = BEAT / Slice,
  localparam int unsigned CycleW = $clog2(2 * Slices)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  enable_i,
  input  logic                  retrain_i,
  input  logic [CycleW-1:0]     cycle_i,
  input  link_t                 tile_i,
  output link_t                 tile_o,
  output logic [Lanes-1:0]      lane_o,
  input  logic [Lanes-1:0]      lane_i,
  output logic [Lanes-1:0][2:0] tap_o,
  output logic                  up_o,
  output logic                  idle_o,
  input  logic                  stat_re_i,
  input  logic [5:0]            stat_addr_i,
  output logic [31:0]           stat_o
);

  `OW_ASSERT_INIT(groups_in_range, Groups >= 1 && Groups <= GROUPS)
  `OW_ASSERT_INIT(group_in_range, GroupData >= 4 && GroupData <= GROUP_DATA)
  `OW_ASSERT_INIT(lanes_in_range, Slice == BEAT || Slice == 16 || Slice == 8)

  typedef logic [Lanes-1:0] lanes_t;

  // step: a beat begins in this cycle; odd: it is the second one of a frame.
  logic step, odd;
  logic [CycleW-1:0] next_cycle;
  assign odd = cycle_i[CycleW-1];
  assign next_cycle = cycle_i + CycleW'(1);
  if (Slices == 1) begin : gen_each_cycle
    assign step = 1'b1;
  end else begin : gen_first_slice
    assign step = cycle_i[CycleW-2:0] == '0;
  end

  // ------------------------------------------------------------------------------- training ------
  lanes_t sample, aligned, pattern, faulty, tap0, tap1, tap2;
  logic rx_active, tx_train, up, train_busy;
  logic [CycleW-1:0] rx_pos;
  logic [3:0][5:0] rx_map, tx_map;
  logic [4:0][Lanes-1:0] phase;
  down_e reason;
  cause_e cause;
  logic [15:0] trainings;
  logic sent_any, acked_any, taken_any, errors, stuck;

  // Nothing else may look at the lanes.
  ow_link_sync #(.Width(Lanes)) u_sync (.clk_i, .lane_i, .lane_o(sample));

  ow_link_train #(.Groups(Groups), .GroupData(GroupData), .Slices(Slices)) u_train (
    .clk_i,
    .rst_i,
    .enable_i,
    .cycle_i,
    .sample_i   (sample),
    .aligned_o  (aligned),
    .rx_active_o(rx_active),
    .rx_pos_o   (rx_pos),
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
  for (genvar l = 0; l < Lanes; l++) begin : gen_tap
    assign tap_o[l] = {tap2[l], tap1[l], tap0[l]};
  end

  // ------------------------------------------------------------------------------- lane maps -----
  beat_t tx_beat;
  logic [Slice-1:0] tx_slice, rx_slice;
  lanes_t tx_lanes, lane_q;
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    ow_link_spread #(.Data(GroupData)) u_spread (
      .clk_i,
      .rst_i,
      .lo_i  (tx_map[2*g]),
      .hi_i  (tx_map[2*g+1]),
      .data_i(tx_slice[GroupData*g+:GroupData]),
      .lane_o(tx_lanes[GroupLanes*g+:GroupLanes])
    );
    ow_link_gather #(.Data(GroupData)) u_gather (
      .clk_i,
      .rst_i,
      .lo_i  (rx_map[2*g]),
      .hi_i  (rx_map[2*g+1]),
      .lane_i(aligned[GroupLanes*g+:GroupLanes]),
      .data_o(rx_slice[GroupData*g+:GroupData])
    );
  end
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
  first_t rx_first;
  logic heard, rx_header;

  ow_link_send #(
    .FirstW ($bits(first_half)),
    .SecondW($bits(second_half)),
    .SeqW   (SEQ_BITS),
    .Window (WINDOW),
    .Memory (Slices != 1)
  ) u_send (
    .clk_i,
    .rst_i,
    .up_i        (up),
    .step_i      (step),
    .odd_i       (odd),
    .open_o      (open),
    .first_i     (first_half),
    .second_i    (second_half),
    .any_i       (any_half),
    .header_i    (owe),
    .heard_i     (heard),
    .ack_valid_i (rx_header),
    .ack_i       (rx_first.ack),
    .nack_i      (rx_header && rx_first.nack),
    .nack_epoch_i(rx_first.nack_epoch),
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

  ow_link_beats #(.Sum(Slices == 1)) u_beats (
    .clk_i,
    .rst_i,
    .odd_i       (odd),
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

  // The header that goes now acknowledges everything that was taken before this cycle.
  logic answered, tx_busy_slices;
  assign answered = sending && !odd;
  if (Slices == 1) begin : gen_beats
    assign tx_slice = tx_beat;
    assign tx_busy_slices = 1'b0;
    always_ff @(posedge clk_i) begin
      if (rst_i) lane_q <= '0;
      else if (tx_train) lane_q <= pattern;
      else if (sending || lane_q != '0) lane_q <= tx_lanes;
    end
  end else begin : gen_slices
    ow_link_slices #(.Slice(Slice)) u_slices (
      .clk_i,
      .rst_i,
      .pos_i    (cycle_i),
      .beat_i   (tx_beat),
      .sending_i(sending),
      .slice_o  (tx_slice),
      .busy_o   (tx_busy_slices)
    );
    always_ff @(posedge clk_i) begin
      if (rst_i) lane_q <= '0;
      else lane_q <= tx_train ? pattern : tx_lanes;
    end
  end

  // ------------------------------------------------------------------------------- receiver ------
  beat_t rx_beat;
  /* verilator lint_off UNUSEDSIGNAL */ // its CRC
  second_t rx_second;  // its CRC has been checked
  /* verilator lint_on UNUSEDSIGNAL */
  logic rx_on, rx_good, rx_still;
  logic complete, idle_frame, good, form, numbered, take;
  logic hint_valid, hint;
  logic [2:0] hint_0, hint_1;
  first_t rx_rest;            // second half of a frame that is taken
  logic rest_now;             // rx_first holds it

  ow_link_frame #(.Slice(Slice)) u_frame (
    .clk_i,
    .rst_i,
    .active_i  (rx_active),
    .quiet_i   (aligned == '0),
    .pos_i     (rx_pos),
    .slice_i   (rx_slice),
    .first_o   (rx_first),
    .second_o  (rx_beat),
    .complete_o(complete),
    .idle_o    (idle_frame),
    .header_o  (rx_header),
    .good_o    (rx_good),
    .take_i    (take),
    .rest_i    (rx_rest),
    .rest_o    (rest_now),
    .active_o  (rx_on),
    .still_o   (rx_still)
  );

  assign rx_second = rx_beat;
  always_comb begin
    form = 1'b0;
    good = 1'b0;
    numbered = 1'b0;
    hint_0 = '0;
    hint_1 = '0;
    hint_valid = 1'b0;
    hint = 1'b0;
    if (complete && !idle_frame) begin
      if (rx_header) begin
        form = rx_first.marker == MARKER && rx_second.credit != NO_HEADER &&
               (rx_first.hint == (rx_second.epoch ? HINT_1 : HINT_0));
      end else begin
        form = rx_second.credit == NO_HEADER && rx_second.word.colour != '0;
      end
      good = form && rx_good;
      numbered = rx_first.credits.colour != '0 || rx_first.word.colour != '0 ||
                 rx_second.word.colour != '0 || (rx_header && rx_second.credit != '0);
      // The hint is readable if at most one of its six bits is wrong.
      hint_0 = 3'($countones(rx_first.hint ^ HINT_0));
      hint_1 = 3'($countones(rx_first.hint ^ HINT_1));
      hint_valid = hint_0 <= 3'd1 || hint_1 <= 3'd1;
      hint = hint_1 <= 3'd1;
    end
    heard = complete && good;
  end

  ow_link_recv #(.SeqW(SEQ_BITS)) u_recv (
    .clk_i,
    .rst_i,
    .active_i     (rx_on),
    .check_i      (complete && !idle_frame),
    .good_i       (good),
    .numbered_i   (numbered),
    .seq_i        (rx_second.seq),
    .epoch_i      (rx_second.epoch),
    .hint_valid_i (hint_valid),
    .hint_i       (hint),
    .header_sent_i(answered),
    .take_o       (take),
    .expect_o     (expected),
    .nack_o       (nack),
    .epoch_o      (nack_epoch),
    .owe_o        (owe),
    .taken_any_o  (taken_any),
    .retrain_o    (errors)
  );

  // A frame that is taken is delivered in two cycles, from the same register: its first wavelet and
  // credits at once, its second ones in the next cycle. `take` comes late.
  logic rx_valid, back_valid;
  always_comb begin
    rx_rest = '0;
    rx_rest.word = rx_second.word;
    if (rx_header) rx_rest.credits.colour = rx_second.credit;
    rx_valid = rx_first.word.colour != '0 && (take || rest_now);
    back_valid = rx_first.credits.colour != '0 && (take || rest_now);
  end

  // ------------------------------------------------------------------------- the tile's edge -----
  logic tx_busy, rx_busy;
  wavelet_t tile_wavelet;
  credit_t tile_credit;

  // Test of the wires to the tile: a pattern or its complement goes out. What comes in is read as
  // status, and is neither wavelet nor credit.
  localparam link_t TEST_PATTERN = {EDGE_PATTERN_HIGH, EDGE_PATTERN_LOW};
  logic test_q, invert_q;
  link_t edge_in;
  always_comb begin
    edge_in = tile_i;
    edge_in.wavelet.valid = tile_i.wavelet.valid && !test_q;
    edge_in.credit.valid = tile_i.credit.valid && !test_q;
  end

  ow_link_txq #(.NumColours(NumColours), .FarDepth(Depth), .Bypass(Slices == 1)) u_txq (
    .clk_i,
    .rst_i,
    .tile_i      (edge_in.wavelet),
    .credit_o    (tile_credit),
    .open_i      (open),
    .next_o      (tx_next),
    .passing_o   (tx_passing),
    .pass_o      (tx_pass),
    .back_valid_i(back_valid),
    .back_i      (rx_first.credits),
    .busy_o      (tx_busy)
  );

  ow_link_rxq #(.NumColours(NumColours), .Depth(Depth), .Bypass(Slices == 1)) u_rxq (
    .clk_i,
    .rst_i,
    .valid_i  (rx_valid),
    .word_i   (rx_first.word),
    .tile_o   (tile_wavelet),
    .credit_i (edge_in.credit),
    .ask_i    (open && (!odd || header_sent)),
    .many_i   (!odd),
    .next_many_i(next_cycle == '0),
    .credits_o(tx_credits),
    .busy_o   (rx_busy)
  );
  assign tile_o = Scan && test_q ? TEST_PATTERN ^ {$bits(link_t){invert_q}}
                         : link_t'{credit: tile_credit, wavelet: tile_wavelet};

  assign idle_o = !train_busy && !tx_busy && !rx_busy && !waiting && !owe && !retrain_i &&
                  !tx_busy_slices && lane_q == '0 && sample == '0 && rx_still &&
                  !edge_in.wavelet.valid && !edge_in.credit.valid;

  // --------------------------------------------------------------------------------- status ------
  logic [31:0] stat_q, replays_q, wrong_q, frames_q;
  assign stat_o = stat_q;

  // Delays of five lanes per word, 5 bits each. Then the faulty lanes of each group.
  link_delays_t [15:0] delays;
  logic [GROUPS-1:0][63:0] faulty_of;
  always_comb begin
    delays = '0;
    faulty_of = '0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      for (int unsigned b = 0; b < 5; b++) delays[l/5].delay[l%5][b] = phase[b][l];
    end
    for (int unsigned g = 0; g < Groups; g++) begin
      faulty_of[g][GroupLanes-1:0] = faulty[GroupLanes*g +: GroupLanes];
    end
  end

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
          LINK_EDGE_LOW: stat_q <= Scan ? tile_i[31:0] : '0;
          LINK_EDGE_HIGH: stat_q <= Scan ? 32'(tile_i[$bits(link_t)-1:32]) : '0;
          LINK_TEST_ON, LINK_TEST_INVERT, LINK_TEST_OFF: begin
            stat_q <= '0;
            test_q <= Scan && stat_addr_i != LINK_TEST_OFF;
            invert_q <= stat_addr_i == LINK_TEST_INVERT;
          end
          default: begin
            if (is_link_faulty(stat_addr_i)) begin
              stat_q <= faulty_of[link_faulty_index(stat_addr_i)][31:0];
            end else if (is_link_faulty_high(stat_addr_i)) begin
              stat_q <= faulty_of[link_faulty_high_index(stat_addr_i)][63:32];
            end else if (is_link_delays(stat_addr_i)) begin
              stat_q <= delays[link_delays_index(stat_addr_i)];
            end else begin
              stat_q <= '0;
            end
          end
        endcase
      end
    end
  end

  `OW_ASSERT(nothing_sent_while_down, up || tx_train || tx_beat == '0,
             "a frame was sent while the link is down")

endmodule
