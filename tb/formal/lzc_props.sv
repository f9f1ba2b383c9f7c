// SPDX-License-Identifier: Apache-2.0
// Properties of ow_lzc: the bit that it names is set, and no bit above it is.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module lzc_props #(
  parameter int unsigned Width = 13,
  localparam int unsigned CountW = $clog2(Width)
) (
  input  logic             clk_i,
  input  logic [Width-1:0] data_i,
  output logic             bad_zeros_o,
  output logic             bad_none_o,
  output logic             seen_last_o
);

  logic [CountW-1:0] zeros;
  logic none, again_q;
  ow_lzc #(.Width(Width)) u_lzc (.data_i, .zeros_o(zeros), .none_o(none));

  logic [Width-1:0] top;  // the bit that it names
  assign top = Width'(1) << (CountW'(Width - 1) - zeros);
  initial again_q = 1'b0;
  always_ff @(posedge clk_i) again_q <= !again_q;  // the proof needs at least one register

  assign bad_zeros_o = again_q && (data_i == '0 ? 32'(zeros) != Width - 1
                                                : (data_i & top) == '0 || data_i >= (top << 1) &&
                                                  top != (Width'(1) << (Width - 1)));
  assign bad_none_o = again_q && none != (data_i == '0);
  assign seen_last_o = again_q && 32'(zeros) == Width - 1 && !none;

endmodule
