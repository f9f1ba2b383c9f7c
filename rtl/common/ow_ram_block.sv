// SPDX-License-Identifier: Apache-2.0
// A block RAM of an FPGA: one write and one read port. A word is on rdata_o from the cycle after
// re_i until the next read.
// Errors: a word must not be read while it is written, because families of FPGAs differ in the
// result. An assertion reports it.
//
//   Width, Depth      bits per word; words, 2 or more
//   rst_i             for the assertions only
//   we_i, waddr_i, wdata_i  write
//   re_i, raddr_i, rdata_o  read
`include "ow_assert.svh"

module ow_ram_block #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 32,
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic             re_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o
);

  `OW_ASSERT_INIT(depth_at_least_2, Depth >= 2)

  (* ram_style = "block", no_rw_check *) logic [Width-1:0] mem_q [Depth];
  logic [Width-1:0] rdata_q;
  always_ff @(posedge clk_i) if (we_i) mem_q[waddr_i] <= wdata_i;
  always_ff @(posedge clk_i) if (re_i) rdata_q <= mem_q[raddr_i];
  assign rdata_o = rdata_q;

  `OW_ASSERT(apart, !(we_i && re_i && waddr_i == raddr_i), "a word is read while it is written")

  logic unused;
  assign unused = &{1'b0, rst_i};

endmodule
