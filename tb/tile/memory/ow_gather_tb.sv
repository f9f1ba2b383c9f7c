// SPDX-License-Identifier: Apache-2.0
// Test top: ow_gather on ow_sram. The test gives requests, reads lines beside them, and fills and
// inspects memory through the control plane's port.
module ow_gather_tb #(
  parameter int unsigned Lanes = 8,
  parameter int unsigned SramBytes = 6144,
  parameter int unsigned SramBanks = 8,
  parameter int unsigned Depth = (Lanes == 8) ? 3 : 2
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  logic                   req_we_i,
  input  logic                   req_w32_i,
  input  logic [23:0]            req_base_i,
  input  logic [Lanes-1:0]       req_mask_i,
  input  logic [Lanes-1:0][15:0] req_idx_i,
  input  logic [Lanes-1:0][31:0] req_wdata_i,
  input  logic [7:0]             req_tag_i,
  output logic                   rsp_valid_o,
  input  logic                   rsp_ready_i,
  output logic                   rsp_we_o,
  output logic                   rsp_fault_o,
  output logic [23:0]            rsp_addr_o,
  output logic [7:0]             rsp_tag_o,
  output logic [Lanes-1:0][31:0] rsp_data_o,
  output logic                   idle_o,

  input  logic                   rd0_req_i,
  input  logic [23:0]            rd0_addr_i,
  output logic                   rd0_gnt_o,
  input  logic                   rd1_req_i,
  input  logic [23:0]            rd1_addr_i,
  output logic                   rd1_gnt_o,

  input  logic                   ctl_req_i,
  input  logic                   ctl_we_i,
  input  logic [23:0]            ctl_addr_i,
  input  logic [31:0]            ctl_wdata_i,
  output logic                   ctl_gnt_o,
  output logic                   ctl_rvalid_o,
  output logic [31:0]            ctl_rdata_o
);

  localparam int unsigned RowW = 20 - $clog2(SramBanks);
  logic [SramBanks-1:0] gth_req, gth_we, gth_gnt;
  logic [SramBanks-1:0][RowW-1:0] gth_row;
  logic [SramBanks-1:0][7:0] gth_be;
  logic [SramBanks-1:0][63:0] gth_wdata, gth_rdata;

  /* verilator lint_off PINCONNECTEMPTY */ // ports that this test does not use
  ow_gather #(.SramBytes(SramBytes), .SramBanks(SramBanks), .Lanes(Lanes), .Depth(Depth)) u_gather (
    .clk_i, .rst_i,
    .req_valid_i, .req_ready_o, .req_we_i, .req_w32_i, .req_base_i, .req_mask_i, .req_idx_i,
    .req_wdata_i, .req_tag_i,
    .rsp_valid_o, .rsp_ready_i, .rsp_we_o, .rsp_fault_o, .rsp_addr_o, .rsp_tag_o, .rsp_data_o,
    .mem_ask_o(), .mem_req_o(gth_req), .mem_we_o(gth_we), .mem_row_o(gth_row), .mem_be_o(gth_be),
    .mem_wdata_o(gth_wdata), .mem_gnt_i(gth_gnt), .mem_rdata_i(gth_rdata),
    .idle_o
  );

  ow_sram #(.SramBytes(SramBytes), .SramBanks(SramBanks), .Lanes(Lanes)) u_sram (
    .clk_i, .rst_i,
    .wr_req_i(1'b0), .wr_gives_i(1'b0), .wr_addr_i('0), .wr_be_i('0), .wr_wdata_i('0), .wr_gnt_o(),
    .rd0_req_i, .rd0_addr_i, .rd0_gnt_o, .rd0_rvalid_o(), .rd0_rdata_o(),
    .rd1_req_i, .rd1_addr_i, .rd1_gnt_o, .rd1_rvalid_o(), .rd1_rdata_o(),
    .red_req_i(1'b0), .red_we_i(1'b0), .red_be_i('0), .red_addr_i('0), .red_wdata_i('0),
    .red_gnt_o(), .red_rvalid_o(), .red_rdata_o(),
    .lsu_req_i(1'b0), .lsu_we_i(1'b0), .lsu_be_i('0), .lsu_addr_i('0), .lsu_wdata_i('0),
    .lsu_gnt_o(), .lsu_rvalid_o(), .lsu_rdata_o(),
    .fetch_req_i(1'b0), .fetch_addr_i('0), .fetch_gnt_o(), .fetch_rvalid_o(), .fetch_rdata_o(),
    .ctl_req_i, .ctl_we_i, .ctl_addr_i, .ctl_wdata_i, .ctl_gnt_o, .ctl_rvalid_o, .ctl_rdata_o,
    .gth_req_i(gth_req), .gth_we_i(gth_we), .gth_row_i(gth_row), .gth_be_i(gth_be),
    .gth_wdata_i(gth_wdata), .gth_gnt_o(gth_gnt), .gth_rdata_o(gth_rdata),
    .idle_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
