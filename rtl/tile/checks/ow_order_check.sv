// SPDX-License-Identifier: Apache-2.0
// Checker of the order between the write buffer and the gather port, to be bound to the engine. An
// instruction is complete when its last line asks for the memory. A gather that is launched then must
// not get at that line before it is written. It drives nothing.
//
//   Lanes, SramBanks   as of ow_engine
//   end_mem_i    an instruction is complete; its last line is the head of the write buffer, or is
//                from the next cycle on
//   head_i ...   the head of the write buffer, and its request
//   gth_*_i      the gather port: what it asks for, and what it gets

`include "ow_assert.svh"

module ow_order_check #(
  parameter int unsigned Lanes = ow_pkg::FULL_LANES,
  parameter int unsigned SramBanks = ow_pkg::FULL_SRAM_BANKS,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned BankW = $clog2(SramBanks),
  localparam int unsigned RowW = 20 - BankW
) (
  input logic                           clk_i,
  input logic                           rst_i,
  input logic                           end_mem_i,
  input logic                           head_i,
  input logic                           wr_req_i,
  input logic                           wr_gnt_i,
  input logic [23:0]                    wr_addr_i,
  input logic [VecBytes-1:0]            wr_be_i,
  input logic [SramBanks-1:0]           gth_req_i,
  input logic [SramBanks-1:0]           gth_gnt_i,
  input logic [SramBanks-1:0][RowW-1:0] gth_row_i
);

  logic told_q;  // the head is the last line of an instruction that is complete
  logic early;   // the gather port gets at it

  // Words of a line, each in a bank of its own.
  always_comb begin : look
    logic [23:0] at;
    early = 1'b0;
    at = '0;
    for (int unsigned w = 0; w < (VecBytes + 7) / 8; w++) begin
      at = wr_addr_i + 24'(8 * w);
      for (int unsigned b = 0; b < SramBanks; b++) begin
        if (at[3 +: BankW] == BankW'(b) && gth_req_i[b] && gth_gnt_i[b] &&
            gth_row_i[b] == RowW'(at >> (3 + BankW)) &&
            (wr_be_i & VecBytes'(64'hFF << (8 * w))) != '0) begin
          early = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) told_q <= 1'b0;
    else if (head_i && wr_req_i && wr_gnt_i) told_q <= 1'b0;
    else if (end_mem_i) told_q <= 1'b1;
    else if (!head_i) told_q <= 1'b0;
  end

  `OW_ASSERT(written_first, !(told_q && head_i && wr_req_i && early),
             "the gather port reads or writes a line of a complete instruction before its write")

endmodule
