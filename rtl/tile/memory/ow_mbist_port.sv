// SPDX-License-Identifier: Apache-2.0
// Shares the memory's gather port between the engine and the memory self-test. While the self-test
// runs it has the port of all banks; the core and the engine must rest then (docs/bring-up.md, ow_regs).
// Latency 0. The self-test never waits, since no other block asks while it runs.
//
//   SramBytes, SramBanks  as of ow_sram
//   Present         the tile has the self-test; without it the port is the engine's alone
//   start_i         the self-test starts; busy_o: it runs
//   sel_i, rdata_o  its registers: state, row and bits (low, high half) of the first fault
//   gth_*           from the engine (ow_gather)
//   bank_*          to ow_sram
`include "ow_assert.svh"

module ow_mbist_port
  import ow_pkg::*;
#(
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter int unsigned SramBanks = FULL_SRAM_BANKS,
  parameter bit          Present = 1'b1,
  localparam int unsigned RowW = 20 - $clog2(SramBanks)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             start_i,
  output logic             busy_o,
  input  logic [1:0]       sel_i,
  output logic [31:0]      rdata_o,
  input  logic [SramBanks-1:0]           gth_req_i,
  input  logic [SramBanks-1:0]           gth_we_i,
  input  logic [SramBanks-1:0][RowW-1:0] gth_row_i,
  input  logic [SramBanks-1:0][7:0]      gth_be_i,
  input  logic [SramBanks-1:0][63:0]     gth_wdata_i,
  output logic [SramBanks-1:0]           gth_gnt_o,
  output logic [SramBanks-1:0]           bank_req_o,
  output logic [SramBanks-1:0]           bank_we_o,
  output logic [SramBanks-1:0][RowW-1:0] bank_row_o,
  output logic [SramBanks-1:0][7:0]      bank_be_o,
  output logic [SramBanks-1:0][63:0]     bank_wdata_o,
  input  logic [SramBanks-1:0]           bank_gnt_i,
  input  logic [SramBanks-1:0][63:0]     bank_rdata_i
);

  localparam int unsigned Rows = SramBytes / (8 * SramBanks);
  localparam int unsigned RowBits = $clog2(Rows);

  logic                 done, req, we;
  logic [SramBanks-1:0] fail;
  logic [RowBits-1:0]   row, fail_row;
  logic [63:0]          wdata, fail_bits;

  if (Present) begin : gen_mbist
    ow_mbist #(.Rows(Rows), .Banks(SramBanks)) u_mbist (
      .clk_i, .rst_i, .start_i, .busy_o, .done_o(done),
      .fail_o(fail), .fail_row_o(fail_row), .fail_bits_o(fail_bits),
      .mem_req_o(req), .mem_we_o(we), .mem_row_o(row), .mem_wdata_o(wdata),
      .mem_rdata_i(bank_rdata_i)
    );
  end else begin : gen_no_mbist
    assign {busy_o, done, fail, fail_row, fail_bits, req, we, row, wdata} = '0;
    logic unused;
    assign unused = ^{clk_i, rst_i, start_i, bank_rdata_i};
  end

  assign bank_req_o = req ? '1 : gth_req_i;
  assign bank_we_o = req ? {SramBanks{we}} : gth_we_i;
  assign bank_row_o = req ? {SramBanks{RowW'(row)}} : gth_row_i;
  assign bank_be_o = req ? '1 : gth_be_i;
  assign bank_wdata_o = req ? {SramBanks{wdata}} : gth_wdata_i;
  assign gth_gnt_o = req ? '0 : bank_gnt_i;

  always_comb begin
    unique case (sel_i)
      2'd0: rdata_o = mbist_reg_t'{failed: 8'(fail), done: done, running: busy_o, default: '0};
      2'd1: rdata_o = 32'(fail_row);
      2'd2: rdata_o = fail_bits[31:0];
      2'd3: rdata_o = fail_bits[63:32];
    endcase
  end

  `OW_ASSERT(alone, !req || (bank_gnt_i == '1 && gth_req_i == '0),
             "the memory self-test runs while the core or the engine use the memory")

endmodule
