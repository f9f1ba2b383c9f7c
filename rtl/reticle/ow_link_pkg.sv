// SPDX-License-Identifier: Apache-2.0
// Constants, frame layout and CRC of the reticle-crossing link. docs/links.md has the tables.

// No module uses every constant.
/* verilator lint_off UNUSEDPARAM */
package ow_link_pkg;

  // Lanes of one direction: groups of 32 data lanes and 2 spares, one bit a lane and cycle. A beat
  // is what the data lanes carry in a cycle, a frame is two beats.
  import ow_isa_pkg::GROUP_DATA, ow_isa_pkg::GROUP_LANES;
  export ow_isa_pkg::GROUP_DATA, ow_isa_pkg::GROUP_LANES;
  localparam int unsigned GROUPS = ow_isa_pkg::LANE_GROUPS;
  localparam int unsigned LANES = GROUPS * GROUP_LANES;
  localparam int unsigned BEAT = GROUPS * GROUP_DATA;
  localparam int unsigned SEQ_BITS = 4;
  localparam int unsigned WINDOW = 15;  // frames that may wait for their acknowledgement

  typedef logic [LANES-1:0] lanes_t;
  typedef logic [BEAT-1:0] beat_t;
  typedef logic [GROUP_LANES-1:0] group_t;

  // A wavelet on the lanes: its colour + 1, so that 0 is no wavelet.
  typedef struct packed {
    logic [4:0]  colour;
    logic        ctrl;
    logic [31:0] data;
  } word_t;  // 38 bits

  // Credits of one colour: its colour + 1 (0: none), how many less one, and whether they are
  // credits of the neighbour's router that pass through the link instead of the link's own.
  typedef struct packed {
    logic       grant;
    logic [2:0] count;
    logic [4:0] colour;
  } credits_t;  // 9 bits

  // The two beats of a frame. Bit 63 of the first beat is the highest power of the polynomial.
  localparam logic [4:0] MARKER = 5'h1F;
  typedef struct packed {
    logic [4:0] marker;
    logic [5:0] hint;        // the epoch so that it can be read from a frame with wrong bits
    logic       nack;        // send again from `ack` on
    logic       nack_epoch;  // if this is still the sender's epoch
    logic [3:0] ack;         // the frame that is expected next
    credits_t   credits;
    word_t      word;
  } first_t;

  localparam logic [4:0] NO_HEADER = 5'h1F;  // `credit` of a frame whose first beat is idle
  typedef struct packed {
    word_t       word;
    logic [4:0]  credit;     // a second credit: colour + 1, 0: none
    logic [3:0]  seq;
    logic        epoch;      // changes whenever the sender goes back
    logic [15:0] crc;
  } second_t;

  localparam logic [5:0] HINT_0 = 6'b000111;
  localparam logic [5:0] HINT_1 = 6'b111000;

  // CRC-16 with 0x3D65 (x^16 + x^13 + x^12 + x^11 + x^10 + x^8 + x^6 + x^5 + x^2 + 1), inverted.
  // Row r of a matrix names the bits of a beat whose sum is bit r of the remainder.
  localparam logic [15:0] CRC_POLY = 16'h3D65;
  localparam logic [15:0] CRC_GOOD = 16'hFFFF;  // remainder of a whole frame
  typedef logic [15:0][BEAT-1:0] crc_rows_t;

  function automatic crc_rows_t crc_rows(input int unsigned first);
    crc_rows_t rows;
    logic [15:0] x;
    rows = '0;
    x = 16'd1;  // x^0
    for (int unsigned i = 0; i < 2 * BEAT; i++) begin
      if (i >= first && i < first + BEAT) begin
        for (int unsigned r = 0; r < 16; r++) rows[r][i-first] = x[r];
      end
      x = {x[14:0], 1'b0} ^ (x[15] ? CRC_POLY : 16'd0);
    end
    return rows;
  endfunction

  localparam crc_rows_t CRC_SECOND = crc_rows(0);
  localparam crc_rows_t CRC_FIRST = crc_rows(BEAT);

  function automatic logic [15:0] crc_first(input beat_t beat);
    logic [15:0] sum;
    for (int unsigned r = 0; r < 16; r++) sum[r] = ^(beat & CRC_FIRST[r]);
    return sum;
  endfunction

  function automatic logic [15:0] crc_second(input beat_t beat);
    logic [15:0] sum;
    for (int unsigned r = 0; r < 16; r++) sum[r] = ^(beat & CRC_SECOND[r]);
    return sum;
  endfunction

  // Training: a period of 512 bits a lane.
  localparam int unsigned PERIOD = 512;
  localparam logic [8:0] AT_ONES = 9'd16;      // 0..15 zeros, 16..31 ones: the marker
  localparam logic [8:0] AT_MESSAGE = 9'd32;   // 32 bits of 4 cycles, the same on all lanes
  localparam logic [8:0] AT_TEST = 9'd160;     // from here on: each lane's own test sequence
  localparam logic [8:0] LFSR_SEED = 9'h1A5;

  typedef struct packed {
    logic [5:0] g1_hi;   // highest and lowest faulty lane of each group, 63: none
    logic [5:0] g1_lo;
    logic [5:0] g0_hi;
    logic [5:0] g0_lo;
    logic [1:0] check;   // 01
    logic       spare;
    logic       fresh;   // nothing was sent or taken since reset
    logic       fail;    // this end cannot come up
    logic       go;      // frames follow this period
    logic       ready;   // this end's sender has the map of the other's receiver
    logic       done;    // this end's receiver has found its phases and faulty lanes
  } message_t;

  localparam logic [5:0] NO_LANE = 6'd63;

  // x^9 + x^5 + 1: period 511.
  function automatic logic [8:0] lfsr_step(input logic [8:0] s);
    return {s[7:0], s[8] ^ s[4]};
  endfunction

  // Each lane's test sequence is the register's sequence at an offset of its own.
  function automatic logic [8:0][LANES-1:0] lane_codes();
    logic [8:0][LANES-1:0] planes;
    for (int unsigned l = 0; l < LANES; l++) begin
      for (int unsigned b = 0; b < 9; b++) planes[b][l] = 1'((5 * l + 101) >> b);
    end
    return planes;
  endfunction

  localparam logic [8:0][LANES-1:0] LANE_CODES = lane_codes();

  function automatic lanes_t test_bits(input logic [8:0] s);
    lanes_t e;
    e = '0;
    for (int unsigned b = 0; b < 9; b++) if (s[b]) e ^= LANE_CODES[b];
    return e;
  endfunction

  // Why a link is not up, and why it was last trained.
  typedef enum logic [2:0] {
    DOWN_NOT = 3'd0,         // it is up
    DOWN_OFF = 3'd1,         // not enabled
    DOWN_NO_SIGNAL = 3'd2,   // the other end's marker has not been found
    DOWN_TRAINING = 3'd3,
    DOWN_LANES = 3'd4,       // more faulty lanes than spares in this end's receiver
    DOWN_PEER_LANES = 3'd5,  // the same in the other end's receiver
    DOWN_PEER_RESET = 3'd6   // the other end was reset, this one was not
  } down_e;

  typedef enum logic [2:0] {
    CAUSE_RESET = 3'd0,
    CAUSE_COMMAND = 3'd1,
    CAUSE_ERRORS = 3'd2,      // too many wrong frames: noise, lanes, or the other end trains
    CAUSE_SILENCE = 3'd3,     // no acknowledgement in spite of replays
    CAUSE_HANDSHAKE = 3'd4,   // the other end did not follow into operation
    CAUSE_PEER = 3'd5         // woken by the other end
  } cause_e;

  function automatic logic [4:0] index32(input logic [31:0] onehot);
    return {(onehot & 32'hFFFF0000) != '0, (onehot & 32'hFF00FF00) != '0,
            (onehot & 32'hF0F0F0F0) != '0, (onehot & 32'hCCCCCCCC) != '0,
            (onehot & 32'hAAAAAAAA) != '0};
  endfunction

  // Index of a colour's queue: `colours` data colours, then the control plane's two; and back.
  function automatic logic [4:0] to_queue(input logic [4:0] colour, input logic [4:0] colours);
    return colour >= ow_pkg::COLOUR_REQ ? colours + {4'd0, colour[0]} : colour;
  endfunction
  function automatic logic [4:0] to_colour(input logic [4:0] queue, input logic [4:0] colours);
    return queue >= colours ? ow_pkg::COLOUR_REQ + (queue - colours) : queue;
  endfunction

  // A command wavelet of a data colour: control bit, and something in the list of commands, bits
  // 25:2 of the data (docs/fabric.md).
  function automatic logic is_command(input logic [4:0] colour, input logic ctrl,
                                      input logic [23:0] list);
    return ctrl && list != '0 && colour < ow_pkg::COLOUR_REQ;
  endfunction

  // Round robin over queues: the lowest candidate among those above the last one, or of all.
  function automatic logic [31:0] pick(input logic [31:0] cand, input logic [31:0] above);
    logic [31:0] s;
    s = cand & above;
    if (s == '0) s = cand;
    return s & (~s + 32'd1);
  endfunction

endpackage
/* verilator lint_on UNUSEDPARAM */
