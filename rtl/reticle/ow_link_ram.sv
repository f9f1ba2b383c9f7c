// SPDX-License-Identifier: Apache-2.0
// The memories of a link's end: its receive buffer, and with few lanes what waits to be sent or
// sent again. One write and one read per cycle. The word that is read is on rdata_o from the next
// cycle until the next read. It maps to a two-port macro or to block RAM.
// Errors: a word must not be written and read in the same cycle. Contents are undefined after
// power-up.
//
//   Words, Width      size in words, bits per word
//   we_i, waddr_i, wdata_i  write
//   re_i, raddr_i, rdata_o  read

module ow_link_ram #(
  parameter int unsigned Words = 512,
  parameter int unsigned Width = 33
) (
  input  logic                     clk_i,
  input  logic                     we_i,
  input  logic [$clog2(Words)-1:0] waddr_i,
  input  logic [Width-1:0]         wdata_i,
  input  logic                     re_i,
  input  logic [$clog2(Words)-1:0] raddr_i,
  output logic [Width-1:0]         rdata_o
);

  // On an FPGA it is a block RAM, however few the words. What a read of the word being written
  // returns is never used.
  (* ram_style = "block", no_rw_check *)
  logic [Width-1:0] mem [Words];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    if (re_i) rdata_o <= mem[raddr_i];
  end

endmodule
