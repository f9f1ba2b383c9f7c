// SPDX-License-Identifier: Apache-2.0
// Binds the checkers of the channels between a tile and what is beside it (docs/style.md,
// checkers).

// No tile is reset by itself while its links are busy.
bind ow_reticle ow_reset_check #(
  .Rows(Rows), .Cols(Cols), .SpareRows(SpareRows), .SpareCols(SpareCols)
) u_check_reset (
  .clk_i, .rst_i, .reset_i(tile_rst), .tile_fuse_i(tile_fuse), .row_fuse_i(end_fuse),
  .from_n_i(from_n), .from_e_i(from_e), .from_s_i(from_s), .from_w_i(from_w),
  .to_n_i(to_n), .to_e_i(to_e), .to_s_i(to_s), .to_w_i(to_w)
);

// No fuse changes while words go.
bind ow_reticle ow_fuse_check #(
  .Rows(Rows), .Cols(Cols), .SpareRows(SpareRows), .SpareCols(SpareCols)
) u_check_fuse (
  .clk_i, .rst_i, .reset_i(tile_rst), .tile_fuse_i(tile_fuse), .row_fuse_i(end_fuse),
  .from_n_i(from_n), .from_e_i(from_e), .from_s_i(from_s), .from_w_i(from_w),
  .to_n_i(to_n), .to_e_i(to_e), .to_s_i(to_s), .to_w_i(to_w),
  .north_i, .east_i, .south_i, .west_i
);

// A word that the host pushes too early replaces the one before. A reset of the tile takes its
// answer back.
bind ow_station ow_stream_check #(.Width(33), .MayChange(1'b1)) u_check_tile_req (
  .clk_i, .rst_i, .valid_i(tile_req_valid_o), .ready_i(tile_req_ready_i), .data_i(tile_req_o)
);
bind ow_station ow_stream_check #(.Width(33), .MayFall(1'b1)) u_check_tile_rsp (
  .clk_i, .rst_i, .valid_i(tile_rsp_valid_i), .ready_i(tile_rsp_ready_o), .data_i(tile_rsp_i)
);
