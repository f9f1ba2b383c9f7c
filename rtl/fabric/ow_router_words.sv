// SPDX-License-Identifier: Apache-2.0
// The data of a router's buffers: two words per colour, written by five inputs, read by five
// outputs.
//
// ow_router_switch knows which word is where. Bits that all colours need at once are kept as
// vectors of one bit per colour (kinds): control bit, first command, and whether the wavelet is
// outside the range of its colour's filter. The other bits are kept word by word, each word with an
// enable of its own for clock gates. A tail is written with whatever comes, whether or not it
// becomes the tail. Nothing comes for a colour that has a tail (ow_router_switch asserts it), so a
// head needs no choice between tail and arrival. Small: the words are in memories, one per input.
// Latency: an arriving word can be read from the next cycle on. Throughput: one word per input and
// output in each cycle.
// Errors: none here; ow_router_switch asserts that no buffer overruns.
//
//   NumColours        data colours, 2 to 24
//   Small             all outputs read the same colour, or none; the words are in memories
//   link_*_i, inj_i   what arrives
//   outside_i         [p]: the wavelet at port p is outside its filter's range
//   work_i            something may change in this cycle
//   take_i            [p]: the colour that is taken at port p, one-hot; each colour at one port
//                     only
//   push_i            colours whose word is stored
//   shift_i           colours whose head takes what comes next: the tail if tail_i, otherwise what
//                     arrives
//   held_i            colours that hold a head
//   tail_i            colours that hold a tail
//   one_i             [o]: the colour that output o reads, one-hot, which must hold a head; 0:
//                     none. Small: without a head the word that is read means nothing
//   data_o            [o]: data of this head. If output o reads none: 0, or if Small the word that
//                     others read
//   held_ctrl_o, held_noce_o, held_outside_o  held heads that are control wavelets; whose first
//                     command has NOCE; that are outside their filter's range
//   op_o              [1], [0]: operation of the heads, arriving ones included

module ow_router_words
  import ow_pkg::*;
  import ow_onehot_pkg::index;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter bit Small = 1'b0
) (
  input  logic                  clk_i,
  /* verilator lint_off UNUSEDSIGNAL */ // all but data and control bits
  input  link_t                 link_n_i,
  input  link_t                 link_e_i,
  input  link_t                 link_s_i,
  input  link_t                 link_w_i,
  input  wavelet_t              inj_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NUM_PORTS-1:0]  outside_i,
  input  logic                  work_i,
  input  logic [NumColours-1:0] take_i [NUM_PORTS],
  input  logic [NumColours-1:0] push_i,
  input  logic [NumColours-1:0] shift_i,
  input  logic [NumColours-1:0] tail_i,
  input  logic [NumColours-1:0] held_i,
  input  logic [NumColours-1:0] one_i [NUM_PORTS],
  output logic [31:0]           data_o [NUM_PORTS],
  output logic [NumColours-1:0] held_ctrl_o,
  output logic [NumColours-1:0] held_noce_o,
  output logic [NumColours-1:0] held_outside_o,
  output logic [NumColours-1:0] op_o [2]
);

  typedef logic [NumColours-1:0] colours_t;
  localparam int unsigned Kept = 29;
  typedef logic [Kept-1:0] word_t;  // all bits but those of the first command
  /* verilator lint_off UNUSEDSIGNAL */ // the first command has registers of its own, below
  function automatic word_t kept(input logic [31:0] data);
    return {data[31:5], data[1:0]};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // The word that arrives for a colour.
  function automatic word_t come(input colours_t at);
    return (kept(link_n_i.wavelet.data) & {Kept{(take_i[PORT_N] & at) != '0}}) |
           (kept(link_e_i.wavelet.data) & {Kept{(take_i[PORT_E] & at) != '0}}) |
           (kept(link_s_i.wavelet.data) & {Kept{(take_i[PORT_S] & at) != '0}}) |
           (kept(link_w_i.wavelet.data) & {Kept{(take_i[PORT_W] & at) != '0}}) |
           (kept(inj_i.data) & {Kept{(take_i[PORT_R] & at) != '0}});
  endfunction

  // -------------------------------------------------------------------------------------- kinds --
  localparam int unsigned Kinds = 5;
  localparam int unsigned Ctrl = 0, Op0 = 1, Op1 = 2, Noce = 3, Outside = 4;
  colours_t head_kind_q [Kinds], tail_kind_q [Kinds], new_kind [Kinds];
  colours_t renewed;  // heads that are replaced: nothing else changes a kind, so an idle router
                      // stays idle

  /* verilator lint_off UNUSEDSIGNAL */ // all but control bits and commands
  wavelet_t arrive [NUM_PORTS];
  /* verilator lint_on UNUSEDSIGNAL */
  assign arrive[PORT_N] = link_n_i.wavelet;
  assign arrive[PORT_E] = link_e_i.wavelet;
  assign arrive[PORT_S] = link_s_i.wavelet;
  assign arrive[PORT_W] = link_w_i.wavelet;
  assign arrive[PORT_R] = inj_i;
  always_comb begin : new_kinds
    automatic logic [Kinds-1:0] kind;
    kind = '0;
    for (int unsigned k = 0; k < Kinds; k++) new_kind[k] = '0;
    renewed = shift_i & held_i;
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      if (arrive[p].valid) begin
        kind[Ctrl] = arrive[p].ctrl;
        {kind[Op1], kind[Op0]} = command_op(arrive[p].data);
        kind[Noce] = command_noce(arrive[p].data);
        kind[Outside] = outside_i[p];
        for (int unsigned k = 0; k < Kinds; k++) new_kind[k] |= take_i[p] & {NumColours{kind[k]}};
        renewed |= take_i[p] & ~held_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin : kinds
    if (work_i) begin
      for (int unsigned k = 0; k < Kinds; k++) begin
        head_kind_q[k] <= (head_kind_q[k] & ~renewed) |
                          (renewed & ((tail_i & tail_kind_q[k]) | new_kind[k]));
        tail_kind_q[k] <= (tail_kind_q[k] & ~push_i) | new_kind[k];
      end
    end
  end

  assign held_ctrl_o = held_i & head_kind_q[Ctrl];
  assign held_noce_o = head_kind_q[Noce];
  assign held_outside_o = head_kind_q[Outside];
  assign op_o[0] = (held_i & head_kind_q[Op0]) | (~held_i & new_kind[Op0]);
  assign op_o[1] = (held_i & head_kind_q[Op1]) | (~held_i & new_kind[Op1]);

  // -------------------------------------------------------------------------------------- words --
  // A word waits in the memory of the port that it came from, in one of two places of its colour.
  // The port of each place is kept, because a route may be written in between.
  if (Small) begin : gen_memories
    localparam int unsigned ColourW = $clog2(NumColours);
    colours_t place_q, into, one, from [NUM_PORTS];  // place_q: the head's place; into: the place
                                                     // of what comes; one: the chosen head; from
                                                     // [p]: heads that came in at port p
    logic [ColourW-1:0] colour;
    logic [31:0] words [NUM_PORTS], word;
    logic place;
    logic [NUM_PORTS-1:0] port;

    assign one = one_i[0] | one_i[1] | one_i[2] | one_i[3] | one_i[4];
    assign colour = ColourW'(index(32'(one)));
    assign place = (one & place_q) != '0;
    assign into = place_q ^ held_i;

    for (genvar p = 0; p < NUM_PORTS; p++) begin : gen_port
      ow_ram_1r1w #(.Width(32), .Depth(2 * NumColours)) u_words (
        .clk_i, .rst_i(1'b0), .we_i(take_i[p] != '0),
        .waddr_i({arrive[p].colour[ColourW-1:0], (take_i[p] & into) != '0}),
        .wdata_i(arrive[p].data), .re_i(one != '0), .raddr_i({colour, place}), .rdata_o(words[p])
      );
    end

    for (genvar c = 0; c < NumColours; c++) begin : gen_colour
      logic [NUM_PORTS-1:0] source, head_q, tail_q;  // where they came in, one-hot
      always_comb begin : come_from
        for (int unsigned p = 0; p < NUM_PORTS; p++) source[p] = take_i[p][c];
      end
      always_ff @(posedge clk_i) begin
        // An empty buffer begins at place 0, so place_q needs no reset.
        if (shift_i[c] && held_i[c]) place_q[c] <= !place_q[c];
        else if (!held_i[c] && !push_i[c]) place_q[c] <= 1'b0;
        if (push_i[c]) tail_q <= source;
        if (shift_i[c]) head_q <= tail_i[c] ? tail_q : source;
      end
      for (genvar p = 0; p < NUM_PORTS; p++) begin : gen_from
        assign from[p][c] = head_q[p];
      end
    end

    always_comb begin : read
      word = '0;
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        port[p] = (one & from[p]) != '0;
        word |= words[p] & {32{port[p]}};
      end
      for (int unsigned o = 0; o < NUM_PORTS; o++) data_o[o] = word;
    end
  end else begin : gen_registers
    word_t head [NumColours];
    colours_t change;  // words that are written
    assign change = push_i | (shift_i & held_i);
    for (genvar c = 0; c < NumColours; c++) begin : gen_colour
      word_t head_q, tail_q;
      assign head[c] = head_q;
      always_ff @(posedge clk_i) begin
        if (change[c]) begin : store
          if (push_i[c]) tail_q <= come(colours_t'(32'd1 << c));
          if (shift_i[c]) head_q <= come(colours_t'(32'd1 << c)) | (tail_q & {Kept{tail_i[c]}});
        end
      end
    end

    // An output reads the head of one colour.
    for (genvar o = 0; o < NUM_PORTS; o++) begin : gen_read
      always_comb begin : read
        automatic word_t word;
        automatic logic [2:0] command;
        automatic colours_t one;
        one = one_i[o];
        word = '0;
        command = '0;
        if (one != '0) begin
          for (int unsigned c = 0; c < NumColours; c++) word |= head[c] & {Kept{one[c]}};
          command = {(one & head_kind_q[Noce]) != '0, (one & head_kind_q[Op1]) != '0,
                     (one & head_kind_q[Op0]) != '0};
        end
        data_o[o] = {word[28:2], command, word[1:0]};
      end
    end
  end

endmodule
