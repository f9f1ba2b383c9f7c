// SPDX-License-Identifier: Apache-2.0
// Number of zeros above the highest bit that is set. Combinational: a tree of depth log2(Width).
//
//   Width    bits, 2 to 64
//   data_i   the word
//   zeros_o  leading zeros, 0 to Width - 1; Width - 1 if no bit is set
//   none_o   no bit is set

`include "ow_assert.svh"

module ow_lzc #(
  parameter int unsigned Width = 32,
  localparam int unsigned CountW = $clog2(Width)
) (
  input  logic [Width-1:0]  data_i,
  output logic [CountW-1:0] zeros_o,
  output logic              none_o
);

  `OW_ASSERT_INIT(width_in_range, Width >= 2 && Width <= 64)

  localparam int unsigned Full = 1 << CountW;

  // The word is at the top, over ones that count only if the word is 0. Each step keeps the half
  // that holds the highest one.
  always_comb begin : halve
    automatic logic [Full-1:0] rest;
    rest = '1;
    rest[Full-1-:Width] = data_i;
    none_o = data_i == '0;
    zeros_o = '0;
    for (int unsigned k = CountW; k > 0; k--) begin : half
      automatic logic empty;
      empty = 1'b1;
      for (int unsigned i = Full - (1 << (k - 1)); i < Full; i++) if (rest[i]) empty = 1'b0;
      zeros_o[k-1] = empty;
      if (empty) rest = rest << (1 << (k - 1));
    end
    if (none_o) zeros_o = CountW'(Width - 1);
  end

endmodule
