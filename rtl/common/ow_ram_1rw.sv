// SPDX-License-Identifier: Apache-2.0
// Memory with one port, for a compiled SRAM or a block RAM: no reset, whole words.
//
// A cycle with req_i high writes wdata_i (we_i) or reads. After a read, rdata_o is the word from
// the next cycle until the next read. A write leaves rdata_o as it is.
// Errors: a write beyond Depth is ignored, and a read beyond it gives anything; an assertion
// reports both. A word that was never written is anything.
//
//   Width             bits per word, 1 or more
//   Depth             words, 2 or more, any number
//   req_i, we_i, addr_i, wdata_i  the access of this cycle
//   rdata_o           the last word read

`include "ow_assert.svh"

module ow_ram_1rw #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 32,
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_i,  // for the assertion only
  input  logic             req_i,
  input  logic             we_i,
  input  logic [AddrW-1:0] addr_i,
  input  logic [Width-1:0] wdata_i,
  output logic [Width-1:0] rdata_o
);

  `OW_ASSERT_INIT(width_at_least_1, Width >= 1)
  `OW_ASSERT_INIT(depth_at_least_2, Depth >= 2)

  logic [Width-1:0] mem_q [Depth];
  logic [Width-1:0] rdata_q;
  assign rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    if (req_i) begin
      if (we_i) mem_q[addr_i] <= wdata_i;
      else rdata_q <= mem_q[addr_i];
    end
  end

  `OW_ASSERT(address_in_range, !req_i || 32'(addr_i) < Depth, "an access beyond the memory")

  logic unused;
  assign unused = &{1'b0, rst_i};

endmodule
