// SPDX-License-Identifier: Apache-2.0
// Constants, frame layout and CRC of the reticle-crossing link. docs/links.md has the tables.

// No module uses every constant.
/* verilator lint_off UNUSEDPARAM */
package ow_link_pkg;

  // Lanes of one direction: groups of data lanes and 2 spares each, one bit per lane and cycle. A
  // slice is what the data lanes carry in a cycle. A beat is 64 bits: one slice on a link of full
  // size, several on a smaller one. A frame is two beats. The constants are those of the largest
  // link.
  import ow_isa_pkg::GROUP_DATA, ow_isa_pkg::GROUP_LANES;
  export ow_isa_pkg::GROUP_DATA, ow_isa_pkg::GROUP_LANES;
  localparam int unsigned GROUPS = ow_isa_pkg::LANE_GROUPS;
  localparam int unsigned LANES = GROUPS * GROUP_LANES;
  localparam int unsigned SPARES = GROUP_LANES - GROUP_DATA;
  localparam int unsigned BEAT = ow_isa_pkg::BEAT_BITS;
  localparam int unsigned SEQ_BITS = 4;
  localparam int unsigned WINDOW = ow_isa_pkg::FRAME_WINDOW;

  typedef logic [BEAT-1:0] beat_t;

  // What a frame and a message of training hold.
  typedef ow_isa_pkg::link_word_t word_t;
  typedef ow_isa_pkg::link_credits_t credits_t;
  typedef ow_isa_pkg::frame_first_t first_t;
  typedef ow_isa_pkg::frame_second_t second_t;
  typedef ow_isa_pkg::link_message_t message_t;
  localparam logic [4:0] MARKER = ow_isa_pkg::FRAME_MARKER;
  localparam logic [4:0] NO_HEADER = ow_isa_pkg::FRAME_NO_HEADER;
  localparam logic [5:0] HINT_0 = ow_isa_pkg::FRAME_HINT_0;
  localparam logic [5:0] HINT_1 = ow_isa_pkg::FRAME_HINT_1;

  // CRC-16, inverted. Row r of a matrix selects the bits of a beat whose sum is bit r of the
  // remainder.
  localparam logic [15:0] CRC_POLY = ow_isa_pkg::CRC_POLYNOMIAL;
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

  // The same slice by slice, at most 16 bits, the highest bit first. Between slices the remainder
  // of what has come, times x^16, is kept. A slice is added to its highest bits; bit j of this sum
  // counts as x^(16 + j).
  typedef logic [15:0][15:0] crc_fold_t;
  function automatic logic [15:0] crc_times_x16(input logic [15:0] sum);
    logic [15:0] x;
    x = sum;
    for (int unsigned i = 0; i < 16; i++) x = {x[14:0], 1'b0} ^ (x[15] ? CRC_POLY : 16'd0);
    return x;
  endfunction
  function automatic crc_fold_t crc_fold();
    crc_fold_t rows;
    logic [15:0] x;
    for (int unsigned j = 0; j < 16; j++) begin
      x = crc_times_x16(16'd1 << j);
      for (int unsigned r = 0; r < 16; r++) rows[r][j] = x[r];
    end
    return rows;
  endfunction

  localparam crc_fold_t CRC_FOLD = crc_fold();
  localparam logic [15:0] CRC_SLICES_GOOD = crc_times_x16(CRC_GOOD);  // of a whole frame

  function automatic logic [15:0] crc_folded(input logic [15:0] bits);
    logic [15:0] sum;
    for (int unsigned r = 0; r < 16; r++) sum[r] = ^(bits & CRC_FOLD[r]);
    return sum;
  endfunction

  // Training: bits of a period on each lane.
  localparam int unsigned PERIOD = ow_isa_pkg::TRAIN_PERIOD;
  localparam logic [8:0] AT_ONES = ow_isa_pkg::TRAIN_ONES;  // zeros before, ones after: the marker
  // 32 bits of 4 cycles, the same on all lanes
  localparam logic [8:0] AT_MESSAGE = ow_isa_pkg::TRAIN_MESSAGE;
  localparam logic [8:0] AT_TEST = ow_isa_pkg::TRAIN_TEST;  // from here on each lane's own sequence
  localparam logic [8:0] LFSR_SEED = 9'h1A5;


  // x^9 + x^5 + 1: period 511.
  function automatic logic [8:0] lfsr_step(input logic [8:0] s);
    return {s[7:0], s[8] ^ s[4]};
  endfunction

  // The test sequence of each lane is the sequence of the register at an offset of its own.
  function automatic logic [8:0][LANES-1:0] lane_codes();
    logic [8:0][LANES-1:0] planes;
    for (int unsigned l = 0; l < LANES; l++) begin
      for (int unsigned b = 0; b < 9; b++) planes[b][l] = 1'((5 * l + 101) >> b);
    end
    return planes;
  endfunction

  localparam logic [8:0][LANES-1:0] LANE_CODES = lane_codes();

  function automatic logic [LANES-1:0] test_bits(input logic [8:0] s);
    logic [LANES-1:0] e;
    e = '0;
    for (int unsigned b = 0; b < 9; b++) if (s[b]) e ^= LANE_CODES[b];
    return e;
  endfunction

  // Why a link is not up, and why it was last trained.
  typedef ow_isa_pkg::link_down_e down_e;
  typedef ow_isa_pkg::link_cause_e cause_e;

  function automatic logic [4:0] index32(input logic [31:0] onehot);
    return {(onehot & 32'hFFFF0000) != '0, (onehot & 32'hFF00FF00) != '0,
            (onehot & 32'hF0F0F0F0) != '0, (onehot & 32'hCCCCCCCC) != '0,
            (onehot & 32'hAAAAAAAA) != '0};
  endfunction

  // Index of a colour's queue: the `colours` data colours, then the two of the control plane; and
  // back.
  function automatic logic [4:0] to_queue(input logic [4:0] colour, input logic [4:0] colours);
    return colour >= ow_pkg::COLOUR_REQ ? colours + {4'd0, colour[0]} : colour;
  endfunction
  function automatic logic [4:0] to_colour(input logic [4:0] queue, input logic [4:0] colours);
    return queue >= colours ? ow_pkg::COLOUR_REQ + (queue - colours) : queue;
  endfunction
  // Colour of the only queue of a set; 0 for an empty set.
  function automatic logic [4:0] colour_of(input logic [31:0] one, input logic [4:0] colours);
    logic [1:0] control;
    control = 2'(one >> colours);
    return index32(one & ~(32'hFFFFFFFF << colours)) |
           (control[0] ? ow_pkg::COLOUR_REQ : '0) | (control[1] ? ow_pkg::COLOUR_RSP : '0);
  endfunction

  // Credits of a router that pass through the link, of one colour: at most LINK_CREDITS.
  typedef logic [1:0] grants_t;
  localparam int unsigned MAX_GRANTS = 3;

  // A command wavelet of a data colour: control bit, and a list of commands that is not 0.
  function automatic logic is_command(input logic [4:0] colour, input logic ctrl,
                                      input logic [31:0] data);
    return ctrl && ow_pkg::has_commands(data) && colour < ow_pkg::COLOUR_REQ;
  endfunction

endpackage
/* verilator lint_on UNUSEDPARAM */
