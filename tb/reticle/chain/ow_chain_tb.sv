// SPDX-License-Identifier: Apache-2.0
// A row of Stations chain nodes with 64 registers each. A dead station sends dead_level_i on both
// lines, or a bit of noise_i if it babbles.
module ow_chain_tb #(
  parameter int unsigned Stations = 10
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                west_end_i,   // port at the west end
  output logic                west_end_o,
  input  logic                east_end_i,
  output logic                east_end_o,
  input  logic [Stations-1:0] dead_i,
  input  logic [Stations-1:0] dead_level_i,
  input  logic [Stations-1:0] babble_i,
  input  logic [Stations-1:0] noise_i
);

  // Lines with two places beyond each end: the port is heard by the first two stations.
  logic [Stations+3:0] east, west;
  assign east[1:0] = {2{west_end_i}};
  assign west[Stations+3:Stations+2] = {2{east_end_i}};
  assign east[Stations+3:Stations+2] = '0;
  assign west[1:0] = '0;
  // The host hears the last station, or the one before it if the last is silent.
  assign west_end_o = dead_i[0] ? west[3] : west[2];
  assign east_end_o = dead_i[Stations-1] ? east[Stations] : east[Stations+1];

  for (genvar s = 0; s < Stations; s++) begin : gen_station
    logic        e, w, we, re;
    logic [5:0]  addr;
    logic [31:0] wdata;
    logic [31:0] regs [64];
    ow_chain_node u_node (
      .clk_i, .rst_i, .col_i(8'(s)),
      .east_near_i(east[s+1]), .east_skip_i(east[s]), .east_o(e),
      .west_near_i(west[s+3]), .west_skip_i(west[s+4]), .west_o(w),
      .reg_we_o(we), .reg_re_o(re), .reg_addr_o(addr), .reg_wdata_o(wdata),
      .reg_rdata_i(addr == 6'd0 ? 32'h4F570000 + 32'(s) : regs[addr])
    );
    always_ff @(posedge clk_i) if (we) regs[addr] <= wdata;
    logic level;
    assign level = babble_i[s] ? noise_i[s] : dead_level_i[s];
    assign east[s+2] = dead_i[s] ? level : e;
    assign west[s+2] = dead_i[s] ? level : w;
    logic unused;
    assign unused = re;
  end

  logic unused_ends;
  assign unused_ends = ^{east[Stations+3:Stations+2], west[1:0]};

endmodule
