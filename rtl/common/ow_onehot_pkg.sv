// SPDX-License-Identifier: Apache-2.0
// Functions on vectors of one bit per thing: choosing one, and turning a choice into a number. All
// functions take 32 bits. Narrower vectors are cast to them; unused bits cost nothing.
// The functions that could be an addition (lowest, increment, not_next) are written without a
// carry, as a tree over the bits.
package ow_onehot_pkg;

  // The lowest bit that is set, alone; 0 of 0.
  function automatic logic [31:0] lowest(input logic [31:0] v);
    logic [31:0] seen;  // this bit is set, or one below it
    seen = v;
    for (int unsigned i = 1; i < 32; i *= 2) seen |= seen << i;
    return v & ~(seen << 1);
  endfunction

  // v + 1.
  function automatic logic [31:0] increment(input logic [31:0] v);
    logic [31:0] ones;  // this bit is set, and all below it
    ones = v;
    for (int unsigned i = 1; i < 32; i *= 2) ones &= (ones << i) | ~(32'hFFFFFFFF << i);
    return v ^ {ones[30:0], 1'b1};
  endfunction

  // 0 if y is x + 1, in the low bits that are looked at: whether a bit must differ follows from the
  // bit below it.
  function automatic logic [31:0] not_next(input logic [31:0] x, input logic [31:0] y);
    return x ^ y ^ (((x & ~y) << 1) | 32'd1);
  endfunction

  // Round robin: the lowest bit that is set among those of the mask `above`, or else of all, alone.
  function automatic logic [31:0] pick(input logic [31:0] v, input logic [31:0] above);
    return (v & above) != '0 ? lowest(v & above) : lowest(v);
  endfunction

  // The number of the only bit that is set; 0 of 0; the OR of the numbers if there are several.
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
