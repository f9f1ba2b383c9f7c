// SPDX-License-Identifier: Apache-2.0
// Checkers of the channels of a tile's registers, test port and self-test (docs/style.md,
// checkers).

// A reset of the core takes its request back. A request for the router gives the control plane its
// turn at the registers.
bind ow_regs ow_stream_check #(.Width(49), .Grant(1'b1)) u_check_ctl (
  .clk_i, .rst_i, .valid_i(ctl_req_i), .ready_i(ctl_gnt_o),
  .data_i({ctl_we_i, ctl_addr_i, ctl_wdata_i & {32{ctl_we_i}}})
);
bind ow_regs ow_stream_check #(.Width(49), .MayFall(1'b1), .Grant(1'b1)) u_check_core (
  .clk_i, .rst_i, .valid_i(core_req_i), .ready_i(core_gnt_o),
  .data_i({core_we_i, core_addr_i, core_wdata_i & {32{core_we_i}}})
);
bind ow_regs ow_stream_check #(.Width(32), .MayFall(1'b1)) u_check_ask (
  .clk_i, .rst_i, .valid_i(ask_valid_o), .ready_i(ask_ready_i), .data_i(wdata_o)
);

// The station's side, at the registers between the two, wherever these are. A word that the host
// pushes too early replaces the one before (ow_station).
bind ow_test_port ow_stream_check #(.Width(33), .MayChange(1'b1)) u_check_test_req (
  .clk_i, .rst_i, .valid_i(req_valid), .ready_i(req_ready_q), .data_i(req)
);
bind ow_test_port ow_stream_check #(.Width(33)) u_check_test_rsp (
  .clk_i, .rst_i, .valid_i(rsp_valid_q), .ready_i(rsp_ready), .data_i(rsp_q)
);
bind ow_test_port ow_stream_check #(.Width(33)) u_check_rt_req (
  .clk_i, .rst_i, .valid_i(rt_req_valid_i), .ready_i(rt_req_ready_o), .data_i(rt_req_i)
);
bind ow_test_port ow_stream_check #(.Width(33)) u_check_rt_rsp (
  .clk_i, .rst_i, .valid_i(rt_rsp_valid_o), .ready_i(rt_rsp_ready_i), .data_i(rt_rsp_o)
);
bind ow_test_port ow_stream_check #(.Width(33)) u_check_ep_req (
  .clk_i, .rst_i, .valid_i(ep_req_valid_o), .ready_i(ep_req_ready_i), .data_i(ep_req_o)
);
bind ow_test_port ow_stream_check #(.Width(33)) u_check_ep_rsp (
  .clk_i, .rst_i, .valid_i(ep_rsp_valid_i), .ready_i(ep_rsp_ready_o), .data_i(ep_rsp_i)
);

// A reset of the engine takes its requests back.
bind ow_mbist_port ow_stream_check #(
  .Channels(SramBanks), .Width(RowW), .MayFall(1'b1)
) u_check_gth (
  .clk_i, .rst_i, .valid_i(gth_req_i), .ready_i(gth_gnt_o), .data_i(gth_row_i)
);
bind ow_mbist_port ow_stream_check #(
  .Channels(SramBanks), .Width(RowW), .MayFall(1'b1)
) u_check_bank (
  .clk_i, .rst_i, .valid_i(bank_req_o), .ready_i(bank_gnt_i), .data_i(bank_row_o)
);
