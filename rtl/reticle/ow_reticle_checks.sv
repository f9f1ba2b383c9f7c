// SPDX-License-Identifier: Apache-2.0
// Checkers of the channels between a tile and what stands beside it (docs/style.md, checkers).

// A word that the host pushes too early takes the place of the one before; a reset of the tile
// takes its answer back.
bind ow_station ow_stream_check #(.Width(33), .MayChange(1'b1)) u_check_tile_req (
  .clk_i, .rst_i, .valid_i(tile_req_valid_o), .ready_i(tile_req_ready_i), .data_i(tile_req_o)
);
bind ow_station ow_stream_check #(.Width(33), .MayFall(1'b1)) u_check_tile_rsp (
  .clk_i, .rst_i, .valid_i(tile_rsp_valid_i), .ready_i(tile_rsp_ready_o), .data_i(tile_rsp_i)
);
