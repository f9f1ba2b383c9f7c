// SPDX-License-Identifier: Apache-2.0
// Training of a link. It finds the sampling phase and alignment of each lane and the faulty lanes,
// tells the other end, agrees with it to begin, and starts again when asked. It needs no software.
// docs/links.md has the format and the steps.
//
// While it trains, an end sends periods of 512 bits on every lane: a marker (zeros, then ones), a
// message (the same on all lanes), and a test sequence that differs from lane to lane. Markers and
// messages are read by majority of all lanes, so they need no working lane map.
// Receiver: (1) finds the marker. (2) Tries 32 delays, each for 31 bits, in all lanes: 8 taps of
// the delay element for each of 4 whole bits of alignment. The middle of a lane's first run of
// delays with at most 3 wrong bits becomes its own. (3) Takes off the whole bits that all lanes
// have in common. (4) Tests all lanes with their delays for most of a period. A lane is faulty with
// more than 11 wrong bits, without a delay that passed, or after a fault in an earlier training
// that succeeded. With at most two faulty lanes per group the receiver is done, and says so with
// the lanes.
// Handshake: done; then ready (the other end is done, its map is in use here); then go (the other
// end is ready). Frames follow a period with go.
// Latency: about 4,600 cycles from reset to up_o.
// Errors: without a marker it searches on. With too many faulty lanes it makes two more attempts,
// then goes down and tells the other end. Then it is silent until command_i, or until the other end
// trains again.
//
//   enable_i          0: off, silent
//   Groups, GroupData  groups of lanes, and data lanes of each; Slices: cycles of a beat
//   cycle_i           cycle within a frame's time; frames start in cycle 0
//   sample_i          the lanes as sampled in this end's clock
//   aligned_o         the lanes after alignment; rx_active_o: they carry frames from this cycle on
//   rx_pos_o          the cycle of a frame that aligned_o belongs to (while rx_active_o)
//   tap0_o ...        taps of the delay elements, as three planes of a bit per lane
//   pattern_o         what the lanes carry while tx_train_o is high
//   up_o              both ends have agreed
//   command_i, errors_i, silence_i  start again: by command, after errors, after silence (only one
//                     is recorded)
//   fresh_i           nothing was sent or taken since reset; used_i: something was acknowledged or
//                     taken
//   rx_*, tx_*        faulty lanes of each group for the two maps
//   faulty_o, phase_o, reason_o, cause_o, trainings_o  for the status words
//   busy_o            something may change even if the lanes are quiet

`include "ow_assert.svh"

module ow_link_train
  import ow_pkg::*;
  import ow_link_pkg::*;
#(
  parameter int unsigned Groups = GROUPS,
  parameter int unsigned GroupData = GROUP_DATA,
  parameter int unsigned Slices = 1,
  localparam int unsigned GroupLanes = GroupData + SPARES,
  localparam int unsigned Lanes = Groups * GroupLanes,
  localparam int unsigned CycleW = $clog2(2 * Slices)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              enable_i,
  input  logic [CycleW-1:0] cycle_i,
  input  logic [Lanes-1:0]  sample_i,
  output logic [Lanes-1:0]  aligned_o,
  output logic              rx_active_o,
  output logic [CycleW-1:0] rx_pos_o,
  output logic [Lanes-1:0]  tap0_o,
  output logic [Lanes-1:0]  tap1_o,
  output logic [Lanes-1:0]  tap2_o,
  output logic [Lanes-1:0]  pattern_o,
  output logic              tx_train_o,
  output logic              up_o,
  input  logic              command_i,
  input  logic              errors_i,
  input  logic              silence_i,
  input  logic              fresh_i,
  input  logic              used_i,
  output logic [3:0][5:0]   rx_map_o,
  output logic [3:0][5:0]   tx_map_o,
  output logic [Lanes-1:0]  faulty_o,
  output logic [4:0][Lanes-1:0] phase_o,
  output down_e             reason_o,
  output cause_e            cause_o,
  output logic [15:0]       trainings_o,
  output logic              busy_o
);

  `OW_ASSERT_INIT(whole_frames_in_a_period, PERIOD % (2 * Slices) == 0)

  typedef logic [Lanes-1:0] lanes_t;
  typedef logic [GroupLanes-1:0] group_t;
  // How many lanes may differ where "nearly all" must agree: the faulty ones, and a few wrong bits.
  localparam int unsigned Few = 6 * Lanes / 17;

  // ---------------------------------------------------------------------------------- states -----
  typedef enum logic [2:0] {
    TX_OFF, TX_WAIT, TX_TRAIN, TX_DATA, TX_FAIL, TX_DOWN
  } tx_e;
  typedef enum logic [2:0] {
    RX_HUNT, RX_SWEEP, RX_COMMON, RX_TEST, RX_DONE, RX_ACTIVE
  } rx_e;
  tx_e tx_q;
  rx_e rx_q;

  localparam int unsigned SETTLE = 7;
  localparam int unsigned STEP = SETTLE + 32;
  localparam logic [8:0] LAST = 9'(PERIOD - 1);
  localparam logic [2:0] FAIL_PERIODS = 3'd6;

  // Sender of the training stream.
  logic [8:0] tx_count_q, tx_lfsr_q;
  message_t tx_msg_q;
  logic [2:0] fail_count_q;
  logic [3:0] wait_q;  // TX_DATA: periods that the sender has sent frames without its receiver in
                       // operation

  // Receiver.
  logic [8:0] count_q;        // index in the period of what is in sample_i
  logic signed [2:0] ref_q;   // how many bits later the aligned lanes are expected
  logic [8:0] rx_lfsr_q;
  logic [4:0] delay_q;        // delay on trial
  logic [5:0] step_q;         // cycle within the trial
  message_t msg_q;            // the message as it comes in
  logic begin_q;              // the marker was found in the last cycle

  // What has been agreed.
  lanes_t faulty_q, sticky_q;
  logic [1:0] attempt_q;
  logic done_q, ready_q, peer_ready_q, peer_go_q, failed_q;
  logic [Groups-1:0][1:0][5:0] map_q, tx_map_q;  // of each group, the lower one first
  logic active_q;
  logic [CycleW-1:0] begin_at_q;  // the cycle in which the frames that come begin
  down_e fail_reason_q;
  cause_e cause_q;
  logic [15:0] trainings_q;
  logic up_q;

  logic working, training;
  assign working = enable_i || tx_q != TX_OFF;
  assign training = rx_q != RX_ACTIVE && tx_q != TX_OFF;

  // ------------------------------------------------------------------------------------ events ---
  logic [8:0] index;     // of what is in aligned_o
  logic in_test;         // it belongs to the test sequence
  logic low, high, most; // nearly all lanes are 0, are 1; more than half are 1
  logic marked;          // the marker has been found
  logic astray;          // what must come at this place of the period does not
  logic told;            // a message is complete, and has the right form
  logic tx_ends;         // last cycle of a period that is sent
  logic gives_up, goes;  // the sender has told that it fails; it begins with frames
  logic trial_ends;      // the trial of a delay ends
  logic whole;           // all lanes have a whole bit of delay in common
  logic tested, works;   // all lanes are tested; enough of them are good
  logic agreed;          // the other end begins with frames after this period
  logic peer_asks;       // the other end trains, and this one is down
  logic late;            // in operation for long without the receiver
  logic restart, again;  // asked to begin again; begins again
  lanes_t bad, verdict;
  logic [Groups-1:0][12:0] found;  // the faulty lanes of each group

  assign index = count_q - 9'(ref_q);
  assign in_test = index >= AT_TEST;
  assign astray = training && rx_q != RX_HUNT &&
                  ((count_q == AT_ONES - 9'd8 && !low) || (count_q == AT_ONES + 9'd8 && !high) ||
                   (count_q == AT_TEST && msg_q.check != MESSAGE_CHECK));
  assign told = training && rx_q != RX_HUNT && count_q == AT_TEST && !astray;
  assign tx_ends = (tx_q == TX_TRAIN || tx_q == TX_FAIL) && tx_count_q == LAST;
  assign gives_up = tx_ends && tx_q == TX_FAIL && fail_count_q == FAIL_PERIODS;
  assign goes = tx_ends && tx_q == TX_TRAIN && tx_msg_q.go;
  assign trial_ends = training && rx_q == RX_SWEEP && in_test &&
                      index < AT_TEST + 9'(9 * STEP) && step_q == 6'(STEP - 1);
  assign tested = training && rx_q == RX_TEST && index == LAST;
  assign agreed = training && rx_q == RX_DONE && index == LAST && peer_go_q;
  assign peer_asks = told && !msg_q.fail && tx_q == TX_DOWN;
  assign late = wait_q[3] && tx_q == TX_DATA && !up_q;
  assign restart = enable_i && (command_i || ((tx_q == TX_DATA || tx_q == TX_TRAIN) && up_q &&
                                              (errors_i || silence_i)));
  assign again = working && (restart || late || peer_asks);

  // ------------------------------------------------------------------------------------ sender ---
  always_comb begin
    pattern_o = '0;
    if (tx_q == TX_TRAIN || tx_q == TX_FAIL) begin
      if (tx_count_q >= AT_TEST) pattern_o = lanes_t'(test_bits(tx_lfsr_q));
      else if (tx_count_q >= AT_MESSAGE) begin
        pattern_o = {Lanes{tx_msg_q[5'((tx_count_q - AT_MESSAGE) >> 2)]}};
      end else if (tx_count_q >= AT_ONES) pattern_o = '1;
    end
  end
  assign tx_train_o = tx_q != TX_DATA;

  message_t tx_msg;
  always_comb begin
    tx_msg = '0;
    tx_msg.check = MESSAGE_CHECK;
    tx_msg.done = done_q;
    tx_msg.ready = ready_q;
    tx_msg.go = ready_q && peer_ready_q;
    tx_msg.fail = tx_q == TX_FAIL;
    tx_msg.fresh = fresh_i;
    {tx_msg.g1_hi, tx_msg.g1_lo, tx_msg.g0_hi, tx_msg.g0_lo} = rx_map_o;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      tx_q <= TX_OFF;
      tx_count_q <= '0;
      tx_lfsr_q <= LFSR_SEED;
      tx_msg_q <= '0;
      fail_count_q <= '0;
    end else if (working) begin
      case (tx_q)
        TX_OFF, TX_WAIT: begin
          // The stream starts where a frame does.
          tx_q <= cycle_i == '1 ? TX_TRAIN : TX_WAIT;
          tx_count_q <= '0;
          tx_msg_q <= tx_msg;
        end
        TX_TRAIN, TX_FAIL: begin
          tx_count_q <= tx_count_q + 9'd1;
          if (tx_count_q >= AT_TEST) tx_lfsr_q <= lfsr_step(tx_lfsr_q);
          else tx_lfsr_q <= LFSR_SEED;
          if (tx_ends) begin
            tx_msg_q <= tx_msg;
            if (tx_q == TX_FAIL) begin
              fail_count_q <= fail_count_q + 3'd1;
              if (gives_up) tx_q <= TX_DOWN;
            end else if (goes) begin
              tx_q <= TX_DATA;
              wait_q <= '0;
            end else if (failed_q) begin
              tx_q <= TX_FAIL;
              tx_msg_q.fail <= 1'b1;
              fail_count_q <= '0;
            end
          end
        end
        TX_DATA: begin
          if (!up_q) begin
            tx_count_q <= tx_count_q + 9'd1;
            if (tx_count_q == LAST) wait_q <= wait_q + 4'd1;
          end
        end
        default: ;
      endcase
      if (again) tx_q <= TX_WAIT;
      if (!enable_i) tx_q <= TX_OFF;
    end
  end

  // ---------------------------------------------------------------------------------- receiver ---
  // What most lanes carry.
  logic [6:0] ones;
  always_comb begin
    ones = '0;
    if (training) ones = 7'($countones(sample_i));
    most = ones > 7'(Lanes / 2);
    low = ones <= 7'(Few);
    high = ones >= 7'(Lanes - Few);
  end

  logic no_marker, marker_waits;
  ow_link_marker u_marker (
    .clk_i, .rst_i, .run_i(training && rx_q == RX_HUNT), .clear_i(again || gives_up),
    .low_i(low), .high_i(high), .most_i(most), .found_o(marked), .lost_o(no_marker),
    .waits_o(marker_waits)
  );

  // Outside the test sequence a training receiver listens without delays.
  ow_link_phase #(.Lanes(Lanes)) u_phase (
    .clk_i, .rst_i, .enable_i(working), .sample_i, .training_i(training),
    .trying_i(rx_q == RX_SWEEP),
    .plain_i(training && !(in_test && (rx_q == RX_SWEEP || rx_q == RX_TEST || rx_q == RX_DONE))),
    .delay_i(delay_q), .compare_i(training && in_test), .lfsr_i(rx_lfsr_q),
    .begin_i(begin_q),
    .clear_i((training && rx_q == RX_SWEEP && in_test && step_q < 6'(SETTLE)) ||
             (training && rx_q == RX_COMMON)),
    .count_i((rx_q == RX_SWEEP && training && in_test && step_q >= 6'(SETTLE) && !trial_ends) ||
             (rx_q == RX_TEST && training && index >= AT_TEST + 9'(SETTLE))),
    .end_i(trial_ends),
    .less_i(training && rx_q == RX_COMMON && count_q >= AT_MESSAGE && count_q < AT_TEST && whole),
    .aligned_o, .tap0_o, .tap1_o, .tap2_o, .phase_o, .whole_o(whole), .bad_o(bad)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rx_q <= RX_HUNT;
      count_q <= '0;
      ref_q <= '0;
      rx_lfsr_q <= LFSR_SEED;
      delay_q <= '0;
      step_q <= '0;
      msg_q <= '0;
      begin_q <= 1'b0;
    end else if (working) begin
      begin_q <= marked;
      if (training) begin
        count_q <= marked ? AT_ONES + 9'd10 : count_q + 9'd1;  // ten ones of it: bits 16 to 25
        rx_lfsr_q <= index < AT_TEST ? LFSR_SEED : lfsr_step(rx_lfsr_q);
        if (rx_q != RX_HUNT && count_q >= AT_MESSAGE && count_q < AT_TEST &&
            count_q[1:0] == 2'd2) begin
          msg_q <= {most, msg_q[31:1]};
        end
        case (rx_q)
          RX_HUNT: begin
            if (marked) rx_q <= RX_SWEEP;
            ref_q <= 3'sd2;
            delay_q <= '0;
            step_q <= '0;
          end
          RX_SWEEP: if (in_test && index < AT_TEST + 9'(9 * STEP)) begin
            step_q <= trial_ends ? '0 : step_q + 6'd1;
            if (trial_ends) delay_q <= delay_q + 5'd1;
            if (trial_ends && delay_q == '1) rx_q <= RX_COMMON;
          end
          // Whole bits that all lanes have in common are taken off, outside the test sequence.
          RX_COMMON: if (count_q >= AT_MESSAGE && count_q < AT_TEST) begin
            if (whole) ref_q <= ref_q - 3'sd1;
            else rx_q <= RX_TEST;
          end
          RX_TEST: if (tested) rx_q <= works ? RX_DONE : RX_HUNT;
          RX_DONE: if (agreed) rx_q <= RX_ACTIVE;
          default: ;
        endcase
      end
      // The marker must come again, and the message's form must be right.
      if (astray || gives_up || again || !enable_i) rx_q <= RX_HUNT;
    end
  end

  // ------------------------------------------------------------------------------- faulty lanes --
  // The lowest and the highest faulty lane of a group, and whether there are more.
  function automatic logic [5:0] lowest(input group_t g);
    logic [5:0] r;
    r = NO_LANE;
    for (int unsigned i = GroupLanes; i > 0; i--) if (g[i-1]) r = 6'(i - 1);
    return r;
  endfunction
  function automatic logic [5:0] highest(input group_t g);
    logic [5:0] r;
    r = NO_LANE;
    for (int unsigned i = 0; i < GroupLanes; i++) if (g[i]) r = 6'(i);
    return r;
  endfunction
  function automatic logic [12:0] faults(input group_t g);
    logic [5:0] lo, hi;
    group_t rest;
    lo = lowest(g);
    rest = g & (g - group_t'(1));
    hi = highest(rest);
    return {(rest & (rest - group_t'(1))) != '0, hi, lo};
  endfunction

  always_comb begin
    verdict = '0;
    found = {Groups{1'b0, NO_LANE, NO_LANE}};
    works = 1'b1;
    if (tested) begin
      verdict = bad | sticky_q;
      for (int unsigned g = 0; g < Groups; g++) begin
        found[g] = faults(verdict[GroupLanes*g +: GroupLanes]);
        if (found[g][12]) works = 1'b0;
      end
    end
  end

  // Groups that this link does not have have no faulty lanes.
  /* verilator lint_off UNUSEDSIGNAL */ // what the other end says of such groups
  logic [GROUPS-1:0][1:0][5:0] told_map;
  /* verilator lint_on UNUSEDSIGNAL */
  assign told_map = {msg_q.g1_hi, msg_q.g1_lo, msg_q.g0_hi, msg_q.g0_lo};
  always_comb begin
    rx_map_o = {2 * GROUPS{NO_LANE}};
    tx_map_o = {2 * GROUPS{NO_LANE}};
    rx_map_o[2*Groups-1:0] = map_q;
    tx_map_o[2*Groups-1:0] = tx_map_q;
  end

  // --------------------------------------------------------------------------------- agreement ---
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      map_q <= {2 * Groups{NO_LANE}};
      tx_map_q <= {2 * Groups{NO_LANE}};
      faulty_q <= '0;
      sticky_q <= '0;
      attempt_q <= '0;
      {done_q, ready_q, peer_ready_q, peer_go_q, failed_q} <= '0;
      active_q <= 1'b0;
      begin_at_q <= '0;
      fail_reason_q <= DOWN_LANES;
      cause_q <= CAUSE_RESET;
      trainings_q <= '0;
      up_q <= 1'b0;
    end else if (working) begin
      if (tx_q == TX_DATA && !up_q && active_q) begin
        up_q <= 1'b1;
        sticky_q <= faulty_q;
        attempt_q <= '0;
        trainings_q <= trainings_q + 16'd1;
      end
      if (astray) {done_q, ready_q, peer_ready_q, peer_go_q} <= '0;
      if (tested) begin
        faulty_q <= verdict;
        for (int unsigned g = 0; g < Groups; g++) map_q[g] <= found[g][11:0];
        done_q <= works;
        if (!works) begin
          attempt_q <= attempt_q + 2'd1;
          if (attempt_q == 2'd2) begin
            failed_q <= 1'b1;
            fail_reason_q <= DOWN_LANES;
          end
        end
      end
      if (told && rx_q == RX_DONE) begin
        if (used_i && msg_q.fresh) begin
          failed_q <= 1'b1;
          fail_reason_q <= DOWN_PEER_RESET;
        end else if (msg_q.done) begin
          ready_q <= 1'b1;
          peer_ready_q <= msg_q.ready;
          peer_go_q <= msg_q.go;
          tx_map_q <= told_map[Groups-1:0];
        end
      end
      if (agreed) begin
        active_q <= 1'b1;
        begin_at_q <= cycle_i + CycleW'(1);
      end
      // The other end cannot come up.
      if (told && msg_q.fail && tx_q == TX_TRAIN && !failed_q) begin
        failed_q <= 1'b1;
        fail_reason_q <= DOWN_PEER_LANES;
      end
      if (again) begin
        cause_q <= !(restart || late) ? CAUSE_PEER : command_i ? CAUSE_COMMAND :
                   late ? CAUSE_HANDSHAKE : errors_i ? CAUSE_ERRORS : CAUSE_SILENCE;
      end
      if (again || !enable_i) begin
        {done_q, ready_q, peer_ready_q, peer_go_q, failed_q} <= '0;
        attempt_q <= '0;
        up_q <= 1'b0;
        active_q <= 1'b0;
      end
    end
  end

  // ------------------------------------------------------------------------------------ status ---
  assign up_o = up_q;
  assign rx_active_o = active_q;
  assign rx_pos_o = cycle_i - begin_at_q;
  assign faulty_o = faulty_q;
  assign cause_o = cause_q;
  assign trainings_o = trainings_q;
  logic hears_nothing;  // a down end waits for the ones of a marker
  assign hears_nothing = sample_i == '0 && rx_q == RX_HUNT && marker_waits;
  assign busy_o = tx_q == TX_WAIT || tx_q == TX_TRAIN || tx_q == TX_FAIL ||
                  (tx_q == TX_DATA && !up_q) || (tx_q == TX_DOWN && !hears_nothing) || restart ||
                  (enable_i == (tx_q == TX_OFF));
  always_comb begin
    if (up_q) reason_o = DOWN_NOT;
    else if (tx_q == TX_OFF) reason_o = DOWN_OFF;
    else if (tx_q == TX_DOWN || tx_q == TX_FAIL) reason_o = fail_reason_q;
    else if (rx_q == RX_HUNT && no_marker) reason_o = DOWN_NO_SIGNAL;
    else reason_o = DOWN_TRAINING;
  end

  `OW_ASSERT(up_means_both, !up_q || (tx_q == TX_DATA && rx_q == RX_ACTIVE),
             "up without both directions")

endmodule
