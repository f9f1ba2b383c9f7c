// SPDX-License-Identifier: Apache-2.0
// Wires and muxes between the physical tiles of a reticle and its edges (docs/wafer.md).
// Combinational from the tiles' registers to the tiles' inputs, so skipping a defect costs no
// cycle.
//
// A tile takes each of its four inputs from the tile that its fuses name, or from the edge if that
// is one row or column beyond the last. A tile that is not enabled gets zeros, and no tile listens
// to it. An edge slot carries what the tile sends whose fuses name this slot. A slot that no tile
// names carries zeros.
// Errors: none; two tiles that name the same slot are ORed.
//
//   Rows, Cols        logical tiles, 1 or more each
//   SpareRows, SpareCols  0 to 2; the physical tiles are (Rows + SpareRows) x (Cols + SpareCols)
//   tile_fuse_i, row_fuse_i  fuses, by physical row and column, and by physical row
//   tile_*_i, tile_*_o  what the tiles send, what they receive: index row * PhysCols + column
//   north_i ... west_o  the edges, a slot for each physical column (north, south) or row
`include "ow_assert.svh"

module ow_reticle_mesh
  import ow_pkg::*;
#(
  parameter int unsigned Rows = 2,
  parameter int unsigned Cols = 2,
  parameter int unsigned SpareRows = 1,
  parameter int unsigned SpareCols = 1,
  localparam int unsigned PhysRows = Rows + SpareRows,
  localparam int unsigned PhysCols = Cols + SpareCols,
  localparam int unsigned Tiles = PhysRows * PhysCols
) (
  input  tile_fuse_t [Tiles-1:0]    tile_fuse_i,
  input  row_fuse_t  [PhysRows-1:0] row_fuse_i,
  input  link_t      [Tiles-1:0]    tile_n_i,
  input  link_t      [Tiles-1:0]    tile_e_i,
  input  link_t      [Tiles-1:0]    tile_s_i,
  input  link_t      [Tiles-1:0]    tile_w_i,
  output link_t      [Tiles-1:0]    tile_n_o,
  output link_t      [Tiles-1:0]    tile_e_o,
  output link_t      [Tiles-1:0]    tile_s_o,
  output link_t      [Tiles-1:0]    tile_w_o,
  input  link_t      [PhysCols-1:0] north_i,
  input  link_t      [PhysRows-1:0] east_i,
  input  link_t      [PhysCols-1:0] south_i,
  input  link_t      [PhysRows-1:0] west_i,
  output link_t      [PhysCols-1:0] north_o,
  output link_t      [PhysRows-1:0] east_o,
  output link_t      [PhysCols-1:0] south_o,
  output link_t      [PhysRows-1:0] west_o
);

  `OW_ASSERT_INIT(logical_tiles, Rows >= 1 && Cols >= 1)
  `OW_ASSERT_INIT(spares_0_to_2, SpareRows <= 2 && SpareCols <= 2)

  localparam int signed SR = int'(SpareRows);
  localparam int signed SC = int'(SpareCols);
  localparam int signed PR = int'(PhysRows);
  localparam int signed PC = int'(PhysCols);

  // What the ends of a row receive from their slots.
  link_t [PhysRows-1:0] row_w, row_e;
  // What a row sends at its ends: from the first and the last of its logical tiles.
  link_t [PhysRows-1:0] first_w, last_e;

  for (genvar p = 0; p < PR; p++) begin : gen_row
    always_comb begin
      row_w[p] = '0;
      row_e[p] = '0;
      for (int d = -SR; d <= SR; d++) begin
        if (p + d >= 0 && p + d < PR) begin
          if (row_fuse_i[p].w_slot == 3'(d)) row_w[p] = west_i[p+d];
          if (row_fuse_i[p].e_slot == 3'(d)) row_e[p] = east_i[p+d];
        end
      end
      first_w[p] = '0;
      last_e[p] = '0;
      for (int k = 0; k <= SC; k++) begin
        if (tile_fuse_i[p*PC+k].enable && tile_fuse_i[p*PC+k].w_skip == 2'(k)) begin
          first_w[p] = first_w[p] | tile_w_i[p*PC+k];
        end
        if (tile_fuse_i[p*PC+PC-1-k].enable && tile_fuse_i[p*PC+PC-1-k].e_skip == 2'(k)) begin
          last_e[p] = last_e[p] | tile_e_i[p*PC+PC-1-k];
        end
      end
    end

    for (genvar c = 0; c < PC; c++) begin : gen_col
      tile_fuse_t fuse;
      assign fuse = tile_fuse_i[p*PC+c];
      always_comb begin
        tile_n_o[p*PC+c] = '0;
        tile_e_o[p*PC+c] = '0;
        tile_s_o[p*PC+c] = '0;
        tile_w_o[p*PC+c] = '0;
        if (fuse.enable) begin
          for (int k = 0; k <= SC; k++) begin
            if (fuse.w_skip == 2'(k)) begin
              if (c - 1 - k >= 0) tile_w_o[p*PC+c] = tile_e_i[p*PC+c-1-k];
              else if (c - 1 - k == -1) tile_w_o[p*PC+c] = row_w[p];
            end
            if (fuse.e_skip == 2'(k)) begin
              if (c + 1 + k < PC) tile_e_o[p*PC+c] = tile_w_i[p*PC+c+1+k];
              else if (c + 1 + k == PC) tile_e_o[p*PC+c] = row_e[p];
            end
          end
          for (int k = 0; k <= SR; k++) begin
            for (int d = -SC; d <= SC; d++) begin
              if (c + d >= 0 && c + d < PC) begin
                if (fuse.n_skip == 2'(k) && fuse.n_shift == 3'(d)) begin
                  if (p - 1 - k >= 0) tile_n_o[p*PC+c] = tile_s_i[(p-1-k)*PC+c+d];
                  else if (p - 1 - k == -1) tile_n_o[p*PC+c] = north_i[c+d];
                end
                if (fuse.s_skip == 2'(k) && fuse.s_shift == 3'(d)) begin
                  if (p + 1 + k < PR) tile_s_o[p*PC+c] = tile_n_i[(p+1+k)*PC+c+d];
                  else if (p + 1 + k == PR) tile_s_o[p*PC+c] = south_i[c+d];
                end
              end
            end
          end
        end
      end
    end
  end

  for (genvar s = 0; s < PR; s++) begin : gen_west_east
    always_comb begin
      west_o[s] = '0;
      east_o[s] = '0;
      for (int d = -SR; d <= SR; d++) begin
        if (s - d >= 0 && s - d < PR) begin
          if (row_fuse_i[s-d].w_slot == 3'(d)) west_o[s] = west_o[s] | first_w[s-d];
          if (row_fuse_i[s-d].e_slot == 3'(d)) east_o[s] = east_o[s] | last_e[s-d];
        end
      end
    end
  end

  for (genvar s = 0; s < PC; s++) begin : gen_north_south
    always_comb begin
      north_o[s] = '0;
      south_o[s] = '0;
      for (int k = 0; k <= SR; k++) begin
        for (int d = -SC; d <= SC; d++) begin
          if (s - d >= 0 && s - d < PC) begin
            if (tile_fuse_i[k*PC+s-d].enable && tile_fuse_i[k*PC+s-d].n_skip == 2'(k) &&
                tile_fuse_i[k*PC+s-d].n_shift == 3'(d)) begin
              north_o[s] = north_o[s] | tile_n_i[k*PC+s-d];
            end
            if (tile_fuse_i[(PR-1-k)*PC+s-d].enable &&
                tile_fuse_i[(PR-1-k)*PC+s-d].s_skip == 2'(k) &&
                tile_fuse_i[(PR-1-k)*PC+s-d].s_shift == 3'(d)) begin
              south_o[s] = south_o[s] | tile_s_i[(PR-1-k)*PC+s-d];
            end
          end
        end
      end
    end
  end

endmodule
