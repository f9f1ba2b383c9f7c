// SPDX-License-Identifier: Apache-2.0
// The data of a router's buffers: two words a colour, written by five inputs, read by five outputs.
//
// Which word is where, control bits and operations are kept elsewhere (ow_router_switch): the bits
// of the operation (data[3:2]) are not stored here. Each word has an enable of its own, for clock
// gates; a tail is written with whatever comes, whether it becomes the tail or not.
// Latency: what arrives can be read in the same cycle, from its input, and from the next one on.
//
//   NumColours   data colours, 2 to 24
//   link_*_i, inj_i   what arrives
//   take_i       [p]: the colour that is taken at port p, one-hot; each at one port
//   push_i       colours whose word is stored
//   shift_i      colours whose head takes what comes next: the tail if tail_i, else what arrives
//   held_i       colours that hold a head
//   op_i         [1], [0]: operation of the heads
//   one_i        [o]: the colour that output o reads, one-hot
//   data_o       [o]: data of its head, 0 if it reads none

module ow_router_words
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = 24
) (
  input  logic                  clk_i,
  /* verilator lint_off UNUSEDSIGNAL */ // all but data
  input  link_t                 link_n_i,
  input  link_t                 link_e_i,
  input  link_t                 link_s_i,
  input  link_t                 link_w_i,
  input  wavelet_t              inj_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NumColours-1:0] take_i [NUM_PORTS],
  input  logic [NumColours-1:0] push_i,
  input  logic [NumColours-1:0] shift_i,
  input  logic [NumColours-1:0] tail_i,
  input  logic [NumColours-1:0] held_i,
  input  logic [NumColours-1:0] op_i [2],
  input  logic [NumColours-1:0] one_i [NUM_PORTS],
  output logic [31:0]           data_o [NUM_PORTS]
);

  typedef logic [NumColours-1:0] colours_t;
  typedef logic [29:0] word_t;  // all bits but those of the operation
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic word_t kept(input logic [31:0] data);
    return {data[31:4], data[1:0]};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // What comes in for a colour.
  function automatic word_t come(input colours_t at);
    return (kept(link_n_i.wavelet.data) & {30{(take_i[PORT_N] & at) != '0}}) |
           (kept(link_e_i.wavelet.data) & {30{(take_i[PORT_E] & at) != '0}}) |
           (kept(link_s_i.wavelet.data) & {30{(take_i[PORT_S] & at) != '0}}) |
           (kept(link_w_i.wavelet.data) & {30{(take_i[PORT_W] & at) != '0}}) |
           (kept(inj_i.data) & {30{(take_i[PORT_R] & at) != '0}});
  endfunction

  word_t head [NumColours];
  colours_t change;  // words that are written
  assign change = push_i | (shift_i & held_i);
  for (genvar c = 0; c < NumColours; c++) begin : gen_colour
    word_t head_q, tail_q;
    assign head[c] = head_q;
    always_ff @(posedge clk_i) begin
      if (change[c]) begin : store
        automatic word_t word;
        word = come(colours_t'(32'd1 << c));
        if (push_i[c]) tail_q <= word;
        if (shift_i[c]) head_q <= tail_i[c] ? tail_q : word;
      end
    end
  end

  // The head of one colour, eight colours at a time.
  for (genvar o = 0; o < NUM_PORTS; o++) begin : gen_read
    always_comb begin : read
      automatic colours_t stored;
      automatic word_t word;
      automatic logic [1:0] op;
      stored = '0;
      word = '0;
      op = '0;
      if (one_i[o] != '0) begin
        stored = one_i[o] & held_i;
        for (int unsigned g = 0; g < (NumColours + 7) / 8; g++) begin
          if ((stored & colours_t'(32'hFF << 8 * g)) != '0) begin
            for (int unsigned c = 8 * g; c < 8 * g + 8; c++) begin
              if (c < NumColours) word |= head[c%NumColours] & {30{stored[c%NumColours]}};
            end
          end
        end
        if ((one_i[o] & ~held_i) != '0) word |= come(one_i[o] & ~held_i);
        op = {(one_i[o] & op_i[1]) != '0, (one_i[o] & op_i[0]) != '0};
      end
      data_o[o] = {word[29:2], op, word[1:0]};
    end
  end

endmodule
