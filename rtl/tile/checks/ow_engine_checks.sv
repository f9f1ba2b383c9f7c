// SPDX-License-Identifier: Apache-2.0
// Checkers of the engine's channels (docs/style.md, checkers).

// A core that stops keeps the instruction for later. One that was offered and is launched is offered
// still when the engine says so, unless it leaves at once: ready answers.
bind ow_engine_launch ow_stream_check #(
  .Width($bits(ow_pkg::tensor_insn_t)), .MayFall(1'b1), .Grant(1'b1)
) u_check (
  .clk_i, .rst_i, .valid_i, .ready_i(ready_o || (valid_i && quick_o)), .data_i(insn_i)
);

// A thread that has what it needs issues.
bind ow_engine_front ow_live_check #(.NumThreads(NumThreads)) u_live (
  .clk_i, .rst_i, .halt_i(halt_q), .live_i(live), .ending_i(ending), .prio_i(prio),
  .sticky_i(sticky), .red_i(red), .red_lock_i(red_lock), .wtrig_i(wtrig), .in_use_i(in_use),
  .two_a_i(two_a), .out_use_i(out_use), .fifo_rd_i(fifo_rd), .fifo_wr_i(fifo_wr),
  .claimed_i(claimed), .fed_i(tag_fed), .inq_valid_i, .inq_ctrl_i(inq_ctrl), .out_ready_i,
  .fifo_empty_i(fifo_empty), .fifo_full_i(fifo_full), .weight_i(w_valid),
  .row_blocked_i(w_blocked), .s_hot_i(s_hot), .issue_i(issue)
);

// What is complete is in memory for elements at indices.
bind ow_engine_back ow_order_check #(.Lanes(Lanes), .SramBanks(SramBanks)) u_order (
  .clk_i, .rst_i, .end_mem_i(end_mem_o), .head_i(head_o), .wr_req_i(wr_req_o), .wr_gnt_i,
  .wr_addr_i(wr_addr_o), .wr_be_i(wr_be_o), .gth_req_i(gth_req_o), .gth_gnt_i,
  .gth_row_i(gth_row_o)
);

// A claim is made only where there is a place.
bind ow_pack_claims ow_stream_check #(
  .Width(1), .MayFall(1'b1), .MayChange(1'b1), .Room(1'b1)
) u_check_alloc (
  .clk_i, .rst_i, .valid_i(alloc_valid_i), .ready_i(alloc_ready_o[alloc_q_i]), .data_i(1'b0)
);

// Reads: a stream waits for its turn at the ports, so that these ask for the lines of another one.
bind ow_engine_stream ow_stream_check #(.Width(TagW), .Grant(1'b1)) u_check (
  .clk_i, .rst_i, .valid_i(req_o), .ready_i(gnt_i), .data_i(req_line_o)
);
bind ow_engine_operands ow_stream_check #(
  .Width(24), .MayFall(1'b1), .MayChange(1'b1), .Grant(1'b1)
) u_check_rd0 (
  .clk_i, .rst_i, .valid_i(rd0_req_o), .ready_i(rd0_gnt_i), .data_i(rd0_addr_o)
);
bind ow_engine_operands ow_stream_check #(
  .Width(24), .MayFall(1'b1), .MayChange(1'b1), .Grant(1'b1)
) u_check_rd1 (
  .clk_i, .rst_i, .valid_i(rd1_req_o), .ready_i(rd1_gnt_i), .data_i(rd1_addr_o)
);

// Writes: the head takes its request back when the gather port asks for its banks, a few times. For
// rd0 and rd1 it stays: the memory lets it wait.
bind ow_engine_writes ow_stream_check #(
  .Width(24 + VecBytes + LineW), .MayFall(1'b1), .Grant(1'b1)
) u_check_wr (
  .clk_i, .rst_i, .valid_i(wr_req_o), .ready_i(wr_gnt_i), .data_i({wr_addr_o, wr_be_o, wr_wdata_o})
);

// Elements at indices. A beat asks when all else lets it (g_fire); its request is taken back while
// a line is waited for, and asks for nothing once its thread is stopped.
bind ow_engine_beats ow_stream_check #(.Width($bits(ow_engine_pkg::beat_t))) u_check_g (
  .clk_i, .rst_i, .valid_i(g_valid_o), .ready_i(g_fire_o), .data_i(g_o)
);
bind ow_engine_operands ow_stream_check #(.Width($bits(ow_engine_pkg::beat_t))) u_check_g (
  .clk_i, .rst_i, .valid_i(g_valid_i), .ready_i(g_fire_i), .data_i(g_i)
);

// The serial engine: it launches a while after the offer, and what it launches is offered still. It asks
// the memory until it gets the bank.
bind ow_serial ow_stream_check #(
  .Width($bits(ow_pkg::tensor_insn_t)), .MayFall(1'b1), .Grant(1'b1)
) u_check_tensor (
  .clk_i, .rst_i, .valid_i(tensor_valid_i), .ready_i(tensor_ready_o), .data_i(tensor_i)
);
bind ow_serial ow_stream_check #(.Width(24), .Grant(1'b1)) u_check_rd (
  .clk_i, .rst_i, .valid_i(rd_req_o), .ready_i(rd_gnt_i), .data_i(rd_addr_o)
);
bind ow_serial ow_stream_check #(.Width(60), .Grant(1'b1)) u_check_wr (
  .clk_i, .rst_i, .valid_i(wr_req_o), .ready_i(wr_gnt_i), .data_i({wr_addr_o, wr_be_o, wr_wdata_o})
);
