// SPDX-License-Identifier: Apache-2.0
// Accumulator cache: 16 rows of Lanes fp32 words. It has one write port with an enable per lane,
// one read port for the lanes and one for the reducer.
//
// Protocol: we_i writes at the end of the cycle. Both reads are combinational and see what was
// written by the end of the cycle before. There is no bypass: ow_engine keeps dependent accesses
// apart. There is no reset: the engine adds a row's first product to +0, and the reducer knows
// which rows have been written. There are no errors.
//
//   Lanes             fp32 words per row: 2, 4 or 8
//   we_i, wmask_i     write row waddr_i, lanes wmask_i
//   raddr_i, rdata_o  read port of the lanes
//   raddr2_i, ..      read port of the reducer
module ow_acc #(
  parameter int unsigned Lanes = ow_isa_pkg::FULL_LANES
) (
  input  logic                clk_i,
  input  logic                we_i,
  input  logic [Lanes-1:0]    wmask_i,
  input  logic [3:0]          waddr_i,
  input  logic [32*Lanes-1:0] wdata_i,
  input  logic [3:0]          raddr_i,
  output logic [32*Lanes-1:0] rdata_o,
  input  logic [3:0]          raddr2_i,
  output logic [32*Lanes-1:0] rdata2_o
);

  logic [32*Lanes-1:0] mem_q [16];

  always_ff @(posedge clk_i) begin
    if (we_i) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (wmask_i[l]) mem_q[waddr_i][32*l +: 32] <= wdata_i[32*l +: 32];
      end
    end
  end

  assign rdata_o = mem_q[raddr_i];
  assign rdata2_o = mem_q[raddr2_i];

endmodule
