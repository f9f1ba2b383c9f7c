// SPDX-License-Identifier: Apache-2.0
// Vectors of one bit a thing: choosing one, and turning a choice into a number. All functions take
// 32 bits; narrower vectors are cast to them, and what is cut off costs nothing.
package ow_onehot_pkg;

  // The lowest bit that is set, alone; 0 of 0.
  function automatic logic [31:0] lowest(input logic [31:0] v);
    return v & (~v + 32'd1);
  endfunction

  // The number of the only bit that is set; 0 of 0, the OR of the numbers if there are several.
  function automatic logic [4:0] index(input logic [31:0] one);
    return {(one & 32'hFFFF0000) != '0, (one & 32'hFF00FF00) != '0, (one & 32'hF0F0F0F0) != '0,
            (one & 32'hCCCCCCCC) != '0, (one & 32'hAAAAAAAA) != '0};
  endfunction

  // Bit n alone if valid, else 0.
  function automatic logic [31:0] decode(input logic valid, input logic [4:0] n);
    return {31'b0, valid} << n;
  endfunction

  // All bits above bit n.
  function automatic logic [31:0] above(input logic [4:0] n);
    return 32'hFFFFFFFE << n;
  endfunction

endpackage
