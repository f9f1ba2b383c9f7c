// SPDX-License-Identifier: Apache-2.0
// The data of a router's buffers: two words a colour, written by five inputs, read by five outputs.
//
// Which word is where, control bits and the first command are kept elsewhere (ow_router_switch): the
// bits of its operation and NOCE (data[4:2]) are not stored here. Each word has an enable of its
// own, for clock gates; a tail is written with whatever comes, whether it becomes the tail or not.
// Latency: what arrives can be read from the next cycle on.
//
//   NumColours   data colours, 2 to 24
//   Small        all outputs read the same colour, or none
//   link_*_i, inj_i   what arrives
//   take_i       [p]: the colour that is taken at port p, one-hot; each at one port
//   push_i       colours whose word is stored
//   shift_i      colours whose head takes what comes next: the tail if tail_i, else what arrives
//   held_i       colours that hold a head
//   tail_i       colours that hold a tail
//   op_i         [1], [0]: operation of the heads; noce_i: NOCE
//   one_i        [o]: the colour that output o reads, one-hot, one that holds a head; 0: none
//   data_o       [o]: data of its head; if it reads none, 0, or if Small of the one that others read

module ow_router_words
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = 24,
  parameter bit Small = 1'b0
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
  input  logic [NumColours-1:0] noce_i,
  input  logic [NumColours-1:0] one_i [NUM_PORTS],
  output logic [31:0]           data_o [NUM_PORTS]
);

  typedef logic [NumColours-1:0] colours_t;
  localparam int unsigned Kept = 29;
  typedef logic [Kept-1:0] word_t;  // all bits but those of the first command
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic word_t kept(input logic [31:0] data);
    return {data[31:5], data[1:0]};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // What comes in for a colour.
  function automatic word_t come(input colours_t at);
    return (kept(link_n_i.wavelet.data) & {Kept{(take_i[PORT_N] & at) != '0}}) |
           (kept(link_e_i.wavelet.data) & {Kept{(take_i[PORT_E] & at) != '0}}) |
           (kept(link_s_i.wavelet.data) & {Kept{(take_i[PORT_S] & at) != '0}}) |
           (kept(link_w_i.wavelet.data) & {Kept{(take_i[PORT_W] & at) != '0}}) |
           (kept(inj_i.data) & {Kept{(take_i[PORT_R] & at) != '0}});
  endfunction

  word_t head [NumColours];
  colours_t change;  // words that are written
  assign change = push_i | (shift_i & held_i);
  for (genvar c = 0; c < NumColours; c++) begin : gen_colour
    word_t head_q, tail_q;
    assign head[c] = head_q;
    always_ff @(posedge clk_i) begin
      if (change[c]) begin : store
        if (push_i[c]) tail_q <= come(colours_t'(32'd1 << c));
        if (shift_i[c]) head_q <= tail_i[c] ? tail_q : come(colours_t'(32'd1 << c));
      end
    end
  end

  // The head of one colour.
  for (genvar o = 0; o < NUM_PORTS; o++) begin : gen_read
    always_comb begin : read
      automatic word_t word;
      automatic logic [2:0] command;
      automatic colours_t one;
      one = Small ? one_i[0] | one_i[1] | one_i[2] | one_i[3] | one_i[4] : one_i[o];
      word = '0;
      command = '0;
      if (one != '0) begin
        for (int unsigned c = 0; c < NumColours; c++) word |= head[c] & {Kept{one[c]}};
        command = {(one & noce_i) != '0, (one & op_i[1]) != '0, (one & op_i[0]) != '0};
      end
      data_o[o] = {word[28:2], command, word[1:0]};
    end
  end

endmodule
