// SPDX-License-Identifier: Apache-2.0
// One single-ported SRAM bank of 64-bit words with byte write enables.
//
// One access a cycle: with req_i, either a write of the enabled bytes, or a read whose word stands
// on rdata_o from the next cycle until the next read. A write leaves rdata_o alone. Contents are
// undefined after power-up and survive reset. Maps to a block RAM or a macro.
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

  always_ff @(posedge clk_i) begin
    if (req_i) begin
      if (we_i) begin
        for (int unsigned i = 0; i < 8; i++) begin
          if (be_i[i]) mem[addr_i][8*i +: 8] <= wdata_i[8*i +: 8];
        end
      end else begin
        rdata_o <= mem[addr_i];
      end
    end
  end

endmodule
