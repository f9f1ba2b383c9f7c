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

  // Both codings write the enabled bytes. Synthesis wants a write a byte, from which it infers byte
  // enables. The simulator would keep a pending write for each of them, 64 in the tile, and look at
  // them in every cycle, requests or not: it gets one write of the whole word.
  always_ff @(posedge clk_i) begin
    if (req_i) begin
      if (we_i) begin
`ifdef VERILATOR
        logic [63:0] mask;
        mask = {{8{be_i[7]}}, {8{be_i[6]}}, {8{be_i[5]}}, {8{be_i[4]}},
                {8{be_i[3]}}, {8{be_i[2]}}, {8{be_i[1]}}, {8{be_i[0]}}};
        mem[addr_i] <= (mem[addr_i] & ~mask) | (wdata_i & mask);
`else
        for (int unsigned i = 0; i < 8; i++) begin
          if (be_i[i]) mem[addr_i][8*i +: 8] <= wdata_i[8*i +: 8];
        end
`endif
      end else begin
        rdata_o <= mem[addr_i];
      end
    end
  end

endmodule
