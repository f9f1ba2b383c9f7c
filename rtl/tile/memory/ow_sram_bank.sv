// SPDX-License-Identifier: Apache-2.0
// One single-ported SRAM bank of 64-bit words with byte write enables. Maps to a block RAM or a
// macro.
//
// One access per cycle: with req_i, either a write of the enabled bytes, or a read whose word is on
// rdata_o from the next cycle until the next read. A write leaves rdata_o alone. Contents are
// undefined after power-up and survive reset.
module ow_sram_bank #(
  parameter int unsigned Rows = 768  // words, any number from 2
) (
  input  logic                    clk_i,
  input  logic                    req_i,    // access in this cycle
  input  logic                    we_i,     // it is a write
  input  logic [7:0]              be_i,     // bytes to write
  input  logic [$clog2(Rows)-1:0] addr_i,   // word, below Rows
  input  logic [63:0]             wdata_i,
  output logic [63:0]             rdata_o
);

  logic [63:0] mem [Rows];

  // The word is written back whole so that it maps to byte enables. For that the port that reads it
  // back must have no other use; so rdata_o reads at an address that differs while we_i is high.
  logic [$clog2(Rows)-1:0] raddr;
  always_comb begin
    raddr = addr_i;
    raddr[0] = addr_i[0] && !we_i;
  end

  function automatic logic [63:0] merged(input logic [63:0] old, input logic [63:0] fresh,
                                         input logic [7:0] be);
    logic [63:0] word;
    for (int unsigned i = 0; i < 8; i++) word[8*i +: 8] = be[i] ? fresh[8*i +: 8] : old[8*i +: 8];
    return word;
  endfunction

  always_ff @(posedge clk_i) begin
    if (req_i && we_i) mem[addr_i] <= merged(mem[addr_i], wdata_i, be_i);
    if (req_i && !we_i) rdata_o <= mem[raddr];
  end

endmodule
