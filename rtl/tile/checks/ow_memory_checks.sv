// SPDX-License-Identifier: Apache-2.0
// Checkers of the channels of memory and gather (docs/style.md, checkers).

// Gather: the engine takes a request back while it waits for a line.
bind ow_gather ow_stream_check #(.Width(26 + 16 * Lanes), .MayFall(1'b1)) u_check_req (
  .clk_i, .rst_i, .valid_i(req_valid_i), .ready_i(req_ready_o),
  .data_i({req_we_i, req_w32_i, req_base_i, req_idx_i})
);
bind ow_gather ow_stream_check #(.Width(2 + TagW)) u_check_rsp (
  .clk_i, .rst_i, .valid_i(rsp_valid_o), .ready_i(rsp_ready_i),
  .data_i({rsp_we_o, rsp_fault_o, rsp_tag_o})
);
bind ow_gather ow_stream_check #(.Channels(SramBanks), .Width(RowW)) u_check_mem (
  .clk_i, .rst_i, .valid_i(mem_req_o), .ready_i(mem_gnt_i), .data_i(mem_row_o)
);
bind ow_gather ow_stream_check #(.Channels(SramBanks), .Width(8)) u_check_mem_be (
  .clk_i, .rst_i, .valid_i(mem_req_o & mem_we_o), .ready_i(mem_gnt_i), .data_i(mem_be_o)
);
bind ow_gather ow_stream_check #(.Channels(SramBanks), .Width(64)) u_check_mem_wdata (
  .clk_i, .rst_i, .valid_i(mem_req_o & mem_we_o), .ready_i(mem_gnt_i), .data_i(mem_wdata_o)
);

// Requests are held until they are granted or taken back. They are taken back by a reset of the
// requestor; while the engine waits for a line (ow_tile); by the engine's write buffer, which gives
// way to the gather port. The engine's read ports and the fetch may change their request meanwhile.
// A word of the reducer goes before its bias.
bind ow_sram ow_stream_check #(
  .Width(24 + VecBytes + 8 * VecBytes), .MayFall(1'b1), .Grant(1'b1)
) u_check_wr (
  .clk_i, .rst_i, .valid_i(wr_req_i), .ready_i(wr_gnt_o), .data_i({wr_addr_i, wr_be_i, wr_wdata_i})
);
bind ow_sram ow_stream_check #(
  .Width(24), .MayFall(1'b1), .MayChange(1'b1), .Grant(1'b1)
) u_check_rd0 (
  .clk_i, .rst_i, .valid_i(rd0_req_i), .ready_i(rd0_gnt_o), .data_i(rd0_addr_i)
);
bind ow_sram ow_stream_check #(
  .Width(24), .MayFall(1'b1), .MayChange(1'b1), .Grant(1'b1)
) u_check_rd1 (
  .clk_i, .rst_i, .valid_i(rd1_req_i), .ready_i(rd1_gnt_o), .data_i(rd1_addr_i)
);
bind ow_sram ow_stream_check #(
  .Width(24), .MayFall(1'b1), .MayChange(1'b1), .Grant(1'b1)
) u_check_red (
  .clk_i, .rst_i, .valid_i(red_req_i), .ready_i(red_gnt_o), .data_i(red_addr_i)
);
bind ow_sram ow_stream_check #(.Width(61), .MayFall(1'b1), .Grant(1'b1)) u_check_lsu (
  .clk_i, .rst_i, .valid_i(lsu_req_i), .ready_i(lsu_gnt_o),
  .data_i({lsu_we_i, lsu_be_i, lsu_addr_i, lsu_wdata_i})
);
bind ow_sram ow_stream_check #(
  .Width(24), .MayFall(1'b1), .MayChange(1'b1), .Grant(1'b1)
) u_check_fetch (
  .clk_i, .rst_i, .valid_i(fetch_req_i), .ready_i(fetch_gnt_o), .data_i(fetch_addr_i)
);
bind ow_sram ow_stream_check #(.Width(57), .MayFall(1'b1), .Grant(1'b1)) u_check_ctl (
  .clk_i, .rst_i, .valid_i(ctl_req_i), .ready_i(ctl_gnt_o),
  .data_i({ctl_we_i, ctl_addr_i, ctl_wdata_i & {32{ctl_we_i}}})
);
// A bank's grant does not wait for the request.
bind ow_sram ow_stream_check #(
  .Channels(SramBanks), .Width(RowW), .MayFall(1'b1)
) u_check_gth (
  .clk_i, .rst_i, .valid_i(gth_req_i), .ready_i(gth_gnt_o), .data_i(gth_row_i)
);
