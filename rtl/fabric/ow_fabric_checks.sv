// SPDX-License-Identifier: Apache-2.0
// Binds the checkers of the fabric's channels (docs/style.md, checkers).

// Credits towards the neighbours, of data and of the control plane, at the senders.
bind ow_router_switch ow_link_check #(.NumColours(NumColours), .Control(1'b0)) u_check_link_n (
  .clk_i, .rst_i, .set_i(set), .set_full_i(!without_credits_i[0]), .sent_i(link_n_o.wavelet),
  .back_i(link_n_i.credit)
);
bind ow_router_switch ow_link_check #(.NumColours(NumColours), .Control(1'b0)) u_check_link_e (
  .clk_i, .rst_i, .set_i(set), .set_full_i(!without_credits_i[1]), .sent_i(link_e_o.wavelet),
  .back_i(link_e_i.credit)
);
bind ow_router_switch ow_link_check #(.NumColours(NumColours), .Control(1'b0)) u_check_link_s (
  .clk_i, .rst_i, .set_i(set), .set_full_i(!without_credits_i[2]), .sent_i(link_s_o.wavelet),
  .back_i(link_s_i.credit)
);
bind ow_router_switch ow_link_check #(.NumColours(NumColours), .Control(1'b0)) u_check_link_w (
  .clk_i, .rst_i, .set_i(set), .set_full_i(!without_credits_i[3]), .sent_i(link_w_o.wavelet),
  .back_i(link_w_i.credit)
);
bind ow_ctl_router ow_link_check #(.Data(1'b0)) u_check_link_n (
  .clk_i, .rst_i, .set_i('0), .set_full_i(1'b0), .sent_i(link_n_o.wavelet), .back_i(link_n_i.credit)
);
bind ow_ctl_router ow_link_check #(.Data(1'b0)) u_check_link_e (
  .clk_i, .rst_i, .set_i('0), .set_full_i(1'b0), .sent_i(link_e_o.wavelet), .back_i(link_e_i.credit)
);
bind ow_ctl_router ow_link_check #(.Data(1'b0)) u_check_link_s (
  .clk_i, .rst_i, .set_i('0), .set_full_i(1'b0), .sent_i(link_s_o.wavelet), .back_i(link_s_i.credit)
);
bind ow_ctl_router ow_link_check #(.Data(1'b0)) u_check_link_w (
  .clk_i, .rst_i, .set_i('0), .set_full_i(1'b0), .sent_i(link_w_o.wavelet), .back_i(link_w_i.credit)
);
bind ow_ctl_serial ow_link_check #(.Data(1'b0)) u_check_link_n (
  .clk_i, .rst_i, .set_i('0), .set_full_i(1'b0), .sent_i(link_n_o.wavelet), .back_i(link_n_i.credit)
);
bind ow_ctl_serial ow_link_check #(.Data(1'b0)) u_check_link_e (
  .clk_i, .rst_i, .set_i('0), .set_full_i(1'b0), .sent_i(link_e_o.wavelet), .back_i(link_e_i.credit)
);
bind ow_ctl_serial ow_link_check #(.Data(1'b0)) u_check_link_s (
  .clk_i, .rst_i, .set_i('0), .set_full_i(1'b0), .sent_i(link_s_o.wavelet), .back_i(link_s_i.credit)
);
bind ow_ctl_serial ow_link_check #(.Data(1'b0)) u_check_link_w (
  .clk_i, .rst_i, .set_i('0), .set_full_i(1'b0), .sent_i(link_w_o.wavelet), .back_i(link_w_i.credit)
);

// What a router holds follows only routes that return its credits to where it came from.
bind ow_router_switch ow_route_check #(.NumColours(NumColours)) u_check_route (
  .clk_i, .rst_i, .write_i(route_i), .on_i(route_on_i), .set_i(set_credits_i), .was_on_i, .from_i,
  .to_i, .at_i(owe_q), .stop_i(stop), .joins_i(arrived)
);

// The ramp may inject only where the router has promised room in the cycle before.
bind ow_router ow_inject_check #(.NumColours(NumColours), .Spaced(Spaced)) u_check_inj (
  .clk_i, .rst_i, .space_i(inj_space_o), .valid_i(inj_i.valid), .colour_i(inj_i.colour)
);

// Channels of the control plane. A request of the core may fall before it is taken (MayFall): it
// waits for the turn of the registers' other master.
bind ow_ctl_router ow_stream_check #(.Width(34)) u_check_req (
  .clk_i, .rst_i, .valid_i(req_valid_o), .ready_i(req_ready_i), .data_i({req_brief_o, req_o})
);
bind ow_ctl_router ow_stream_check #(.Width(33)) u_check_rsp (
  .clk_i, .rst_i, .valid_i(rsp_valid_i), .ready_i(rsp_ready_o), .data_i(rsp_i)
);
bind ow_ctl_router ow_stream_check #(.Width(32), .MayFall(1'b1)) u_check_ask (
  .clk_i, .rst_i, .valid_i(ask_valid_i), .ready_i(ask_ready_o), .data_i(ask_i)
);
bind ow_ctl_serial ow_stream_check #(.Width(34)) u_check_req (
  .clk_i, .rst_i, .valid_i(req_valid_o), .ready_i(req_ready_i), .data_i({req_brief_o, req_o})
);
bind ow_ctl_serial ow_stream_check #(.Width(33)) u_check_rsp (
  .clk_i, .rst_i, .valid_i(rsp_valid_i), .ready_i(rsp_ready_o), .data_i(rsp_i)
);
bind ow_ctl_serial ow_stream_check #(.Width(32), .MayFall(1'b1)) u_check_ask (
  .clk_i, .rst_i, .valid_i(ask_valid_i), .ready_i(ask_ready_o), .data_i(ask_i)
);
bind ow_ctrl_ep ow_stream_check #(.Width(33)) u_check_req (
  .clk_i, .rst_i, .valid_i(req_valid_i), .ready_i(req_ready_o), .data_i(req_i)
);
bind ow_ctrl_ep ow_stream_check #(.Width(33)) u_check_rsp (
  .clk_i, .rst_i, .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .data_i(rsp_o)
);
bind ow_ctrl_ep ow_stream_check #(.Width(57), .Grant(1'b1)) u_check_mem (
  .clk_i, .rst_i, .valid_i(mem_req_o), .ready_i(mem_gnt_i),
  .data_i({mem_we_o, mem_addr_o, mem_wdata_o & {32{mem_we_o}}})
);
bind ow_ctrl_ep ow_stream_check #(.Width(49), .Grant(1'b1)) u_check_reg (
  .clk_i, .rst_i, .valid_i(reg_req_o), .ready_i(reg_gnt_i),
  .data_i({reg_we_o, reg_addr_o, reg_wdata_o & {32{reg_we_o}}})
);
