// SPDX-License-Identifier: Apache-2.0
// Checkers of the core's channels (docs/style.md, checkers).

// A redirect asks for another line; a core that does not run asks for none.
bind ow_core_fetch ow_stream_check #(
  .Width(24), .MayFall(1'b1), .MayChange(1'b1), .Grant(1'b1)
) u_check (
  .clk_i, .rst_i, .valid_i(req_o), .ready_i(gnt_i), .data_i(addr_o)
);
bind ow_core_memory ow_stream_check #(.Width(61), .Grant(1'b1)) u_check_dmem (
  .clk_i, .rst_i, .valid_i(dmem_req_o), .ready_i(dmem_gnt_i),
  .data_i({dmem_we_o, dmem_be_o, dmem_addr_o, dmem_wdata_o})
);
bind ow_core_memory ow_stream_check #(.Width(49), .Grant(1'b1)) u_check_mmio (
  .clk_i, .rst_i, .valid_i(mmio_req_o), .ready_i(mmio_gnt_i),
  .data_i({mmio_we_o, mmio_addr_o, mmio_wdata_o})
);
// A core that stops keeps the instruction for later.
bind ow_core_pipeline ow_stream_check #(.Width($bits(ow_pkg::tensor_insn_t)), .MayFall(1'b1)) u_check_tensor (
  .clk_i, .rst_i, .valid_i(tensor_valid_o), .ready_i(tensor_ready_i || tensor_quick_i), .data_i(tensor_o)
);
// A core that stops asks for no instruction.
bind ow_core_serial ow_stream_check #(.Width(25), .MayFall(1'b1), .Grant(1'b1)) u_check_dmem (
  .clk_i, .rst_i(rst_i || core_rst_i), .valid_i(dmem_req_o), .ready_i(dmem_gnt_i),
  .data_i({dmem_we_o, dmem_addr_o})
);
bind ow_core_serial ow_stream_check #(.Width(36), .Grant(1'b1)) u_check_store (
  .clk_i, .rst_i(rst_i || core_rst_i), .valid_i(dmem_req_o && dmem_we_o),
  .ready_i(dmem_gnt_i && dmem_we_o), .data_i({dmem_be_o, dmem_wdata_o})
);
bind ow_core_serial ow_stream_check #(.Width(49), .Grant(1'b1)) u_check_mmio (
  .clk_i, .rst_i(rst_i || core_rst_i), .valid_i(mmio_req_o), .ready_i(mmio_gnt_i),
  .data_i({mmio_we_o, mmio_addr_o, mmio_wdata_o})
);
bind ow_core_serial ow_stream_check #(
  .Width($bits(ow_pkg::tensor_insn_t)), .MayFall(1'b1)
) u_check_tensor (
  .clk_i, .rst_i, .valid_i(tensor_valid_o), .ready_i(tensor_ready_i || tensor_quick_i), .data_i(tensor_o)
);
