// SPDX-License-Identifier: Apache-2.0
// Checkers of the reducer's channels (docs/style.md, checkers).

// A word that is written goes before a read of a bias. A bias is needed only while rows are left.
bind ow_reduce ow_stream_check #(
  .Width(24), .MayFall(1'b1), .MayChange(1'b1), .Grant(1'b1)
) u_check_mem (
  .clk_i, .rst_i, .valid_i(mem_req_o), .ready_i(mem_gnt_i), .data_i(mem_addr_o)
);
bind ow_reduce_output ow_stream_check #(.Width(93), .Grant(1'b1)) u_check_word (
  .clk_i, .rst_i, .valid_i(word_valid_o), .ready_i(word_gnt_i),
  .data_i({word_addr_o, word_data_o, word_be_o})
);
bind ow_reduce_bias ow_stream_check #(.Width(21), .MayFall(1'b1), .Grant(1'b1)) u_check (
  .clk_i, .rst_i, .valid_i(req_o), .ready_i(gnt_i), .data_i(addr_o)
);
bind ow_reduce_serial ow_stream_check #(.Width(22), .Grant(1'b1)) u_check_mem (
  .clk_i, .rst_i, .valid_i(mem_req_o), .ready_i(mem_gnt_i), .data_i({mem_we_o, mem_addr_o})
);
