// SPDX-License-Identifier: Apache-2.0
// Properties of the repair muxes (ow_reticle_mesh) for every map that the rules of repair allow
// (docs/wafer.md), with the fuses that are written for that map. The map is an input: how far each
// logical row and each logical tile has moved, which slots of the four edges are in use, and which
// window of the logical tiles is used at all. Everything that tiles and edges send is an input,
// even from tiles that are not in use. The fuses of such tiles are inputs too, except `enable`.
// Links have the two bits of narrow_pkg.sv.
//
// A logical tile must hear on each side what its logical neighbour sends on the side that faces it,
// or what comes in at the slot of its row or column: bit by bit and in the same cycle. Each
// listener has one sender, and no two listeners share one, so no two connections meet and none is
// missing. No other tile or edge hears anything.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
//
//   Rows ... SpareCols  as of ow_reticle_mesh
module mesh_props
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
  input  logic                         clk_i,
  // The map: by how many physical rows and columns a logical one has moved on.
  input  logic [Rows-1:0][1:0]           row_i,
  input  logic [Rows-1:0][Cols-1:0][1:0] col_i,
  input  logic [Rows-1:0][1:0]           west_slot_i,
  input  logic [Rows-1:0][1:0]           east_slot_i,
  input  logic [Cols-1:0][1:0]           north_slot_i,
  input  logic [Cols-1:0][1:0]           south_slot_i,
  input  logic [3:0]                     first_row_i,  // of the window
  input  logic [3:0]                     last_row_i,
  input  logic [3:0]                     first_col_i,
  input  logic [3:0]                     last_col_i,
  // Fuses of tiles and rows that are not in use.
  input  tile_fuse_t [Tiles-1:0]         idle_fuse_i,
  input  row_fuse_t [PhysRows-1:0]       idle_row_i,
  // What the tiles and the edges send.
  input  link_t [Tiles-1:0]              tile_n_i,
  input  link_t [Tiles-1:0]              tile_e_i,
  input  link_t [Tiles-1:0]              tile_s_i,
  input  link_t [Tiles-1:0]              tile_w_i,
  input  link_t [PhysCols-1:0]           north_i,
  input  link_t [PhysRows-1:0]           east_i,
  input  link_t [PhysCols-1:0]           south_i,
  input  link_t [PhysRows-1:0]           west_i,
  output logic                           bad_row_o,     // a tile and its east neighbour
  output logic                           bad_column_o,  // a tile and its south neighbour
  output logic                           bad_in_o,      // an edge tile hears something else
  output logic                           bad_out_o,     // a slot carries something else
  output logic                           bad_idle_o,    // a tile that is not in use hears something
  output logic                           bad_unused_o,  // an unused slot carries something
  output logic                           seen_row_skipped_o,
  output logic                           seen_steps_o,  // two rows, shifted against each other
  output logic                           seen_slots_o,  // both neighbours use shifted slots
  output logic                           seen_window_o  // a tile in use, the one before it is not
);

  logic up_q;  // the proof needs at least one register
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  typedef logic [3:0] place_t;
  place_t [Rows-1:0]           row;  // physical row of a logical row
  place_t [Rows-1:0][Cols-1:0] col;  // physical column of a logical tile
  place_t [Rows-1:0]           west, east;
  place_t [Cols-1:0]           north, south;
  logic                        legal;
  logic [Rows-1:0]             row_used;
  logic [Cols-1:0]             col_used;
  logic                        open_n, open_e, open_s, open_w;

  // The rules: rows and columns stay in order, and none moves further than there are spares.
  always_comb begin
    legal = first_row_i <= last_row_i && last_row_i < 4'(Rows) &&
            first_col_i <= last_col_i && last_col_i < 4'(Cols);
    open_n = first_row_i == '0;
    open_s = last_row_i == 4'(Rows - 1);
    open_w = first_col_i == '0;
    open_e = last_col_i == 4'(Cols - 1);
    for (int unsigned c = 0; c < Cols; c++) begin
      col_used[c] = first_col_i <= 4'(c) && 4'(c) <= last_col_i;
      north[c] = 4'(c) + 4'(north_slot_i[c]);
      south[c] = 4'(c) + 4'(south_slot_i[c]);
      if (32'(north_slot_i[c]) > SpareCols || 32'(south_slot_i[c]) > SpareCols) legal = 1'b0;
      if (c > 0 && (north_slot_i[c] < north_slot_i[c-1] ||
                    south_slot_i[c] < south_slot_i[c-1])) begin
        legal = 1'b0;
      end
    end
    for (int unsigned r = 0; r < Rows; r++) begin
      row_used[r] = first_row_i <= 4'(r) && 4'(r) <= last_row_i;
      row[r] = 4'(r) + 4'(row_i[r]);
      west[r] = 4'(r) + 4'(west_slot_i[r]);
      east[r] = 4'(r) + 4'(east_slot_i[r]);
      if (32'(row_i[r]) > SpareRows || 32'(west_slot_i[r]) > SpareRows ||
          32'(east_slot_i[r]) > SpareRows) begin
        legal = 1'b0;
      end
      if (r > 0 && (row_i[r] < row_i[r-1] || west_slot_i[r] < west_slot_i[r-1] ||
                    east_slot_i[r] < east_slot_i[r-1])) begin
        legal = 1'b0;
      end
      for (int unsigned c = 0; c < Cols; c++) begin
        col[r][c] = 4'(c) + 4'(col_i[r][c]);
        if (32'(col_i[r][c]) > SpareCols) legal = 1'b0;
        if (c > 0 && col_i[r][c] < col_i[r][c-1]) legal = 1'b0;
      end
    end
  end

  // Fuses for the map.
  localparam logic [1:0] Nowhere = 2'd3;
  tile_fuse_t [Rows-1:0][Cols-1:0] fuse;
  tile_fuse_t [Tiles-1:0]    tile_fuse;
  row_fuse_t  [PhysRows-1:0] row_fuse;
  logic       [Tiles-1:0]    used;

  always_comb begin
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned c = 0; c < Cols; c++) begin
        fuse[r][c].enable = 1'b1;
        if (4'(c) != first_col_i) fuse[r][c].w_skip = 2'(col[r][c] - col[r][c>0?c-1:0] - 4'd1);
        else fuse[r][c].w_skip = open_w ? 2'(col[r][c]) : Nowhere;
        if (4'(c) != last_col_i) fuse[r][c].e_skip = 2'(col[r][c+1<Cols?c+1:c] - col[r][c] - 4'd1);
        else fuse[r][c].e_skip = open_e ? 2'(4'(PhysCols - 1) - col[r][c]) : Nowhere;
        if (4'(r) != first_row_i) begin
          fuse[r][c].n_skip = 2'(row[r] - row[r>0?r-1:0] - 4'd1);
          fuse[r][c].n_shift = 3'(col[r>0?r-1:0][c] - col[r][c]);
        end else begin
          fuse[r][c].n_skip = open_n ? 2'(row[r]) : Nowhere;
          fuse[r][c].n_shift = open_n ? 3'(north[c] - col[r][c]) : 3'd0;
        end
        if (4'(r) != last_row_i) begin
          fuse[r][c].s_skip = 2'(row[r+1<Rows?r+1:r] - row[r] - 4'd1);
          fuse[r][c].s_shift = 3'(col[r+1<Rows?r+1:r][c] - col[r][c]);
        end else begin
          fuse[r][c].s_skip = open_s ? 2'(4'(PhysRows - 1) - row[r]) : Nowhere;
          fuse[r][c].s_shift = open_s ? 3'(south[c] - col[r][c]) : 3'd0;
        end
      end
    end
    row_fuse = idle_row_i;
    tile_fuse = idle_fuse_i;
    for (int unsigned t = 0; t < Tiles; t++) tile_fuse[t].enable = 1'b0;
    used = '0;
    for (int unsigned p = 0; p < PhysRows; p++) begin
      for (int unsigned r = 0; r < Rows; r++) begin
        if (row_used[r] && row[r] == 4'(p)) begin
          row_fuse[p].w_slot = open_w ? 3'(west[r] - 4'(p)) : 3'd0;
          row_fuse[p].e_slot = open_e ? 3'(east[r] - 4'(p)) : 3'd0;
          for (int unsigned c = 0; c < Cols; c++) begin
            for (int unsigned q = 0; q < PhysCols; q++) begin
              if (col_used[c] && col[r][c] == 4'(q)) begin
                tile_fuse[p*PhysCols+q] = fuse[r][c];
                used[p*PhysCols+q] = 1'b1;
              end
            end
          end
        end
      end
    end
  end

  link_t [Tiles-1:0] heard_n, heard_e, heard_s, heard_w;
  link_t [PhysCols-1:0] north_o, south_o;
  link_t [PhysRows-1:0] east_o, west_o;

  ow_reticle_mesh #(
    .Rows(Rows), .Cols(Cols), .SpareRows(SpareRows), .SpareCols(SpareCols)
  ) u_mesh (
    .tile_fuse_i(tile_fuse),
    .row_fuse_i (row_fuse),
    .tile_n_i,
    .tile_e_i,
    .tile_s_i,
    .tile_w_i,
    .tile_n_o   (heard_n),
    .tile_e_o   (heard_e),
    .tile_s_o   (heard_s),
    .tile_w_o   (heard_w),
    .north_i,
    .east_i,
    .south_i,
    .west_i,
    .north_o,
    .east_o,
    .south_o,
    .west_o
  );

  function automatic link_t of_tile(input link_t [Tiles-1:0] v, input place_t p, input place_t q);
    of_tile = '0;
    for (int unsigned t = 0; t < Tiles; t++) begin
      if (p == 4'(t / PhysCols) && q == 4'(t % PhysCols)) of_tile |= v[t];
    end
  endfunction
  function automatic link_t of_row(input link_t [PhysRows-1:0] v, input place_t p);
    of_row = '0;
    for (int unsigned i = 0; i < PhysRows; i++) if (p == 4'(i)) of_row |= v[i];
  endfunction
  function automatic link_t of_col(input link_t [PhysCols-1:0] v, input place_t q);
    of_col = '0;
    for (int unsigned i = 0; i < PhysCols; i++) if (q == 4'(i)) of_col |= v[i];
  endfunction

  logic [PhysRows-1:0] west_used, east_used;
  logic [PhysCols-1:0] north_used, south_used;

  always_comb begin
    bad_row_o = 1'b0;
    bad_column_o = 1'b0;
    bad_in_o = 1'b0;
    bad_out_o = 1'b0;
    bad_idle_o = 1'b0;
    bad_unused_o = 1'b0;
    west_used = '0;
    east_used = '0;
    north_used = '0;
    south_used = '0;
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned c = 0; c < Cols; c++) begin
        if (row_used[r] && col_used[c]) begin : tile
          automatic link_t n, e, s, w, own_n, own_e, own_s, own_w;
          n = of_tile(heard_n, row[r], col[r][c]);
          e = of_tile(heard_e, row[r], col[r][c]);
          s = of_tile(heard_s, row[r], col[r][c]);
          w = of_tile(heard_w, row[r], col[r][c]);
          own_n = of_tile(tile_n_i, row[r], col[r][c]);
          own_e = of_tile(tile_e_i, row[r], col[r][c]);
          own_s = of_tile(tile_s_i, row[r], col[r][c]);
          own_w = of_tile(tile_w_i, row[r], col[r][c]);
          if (4'(c) != first_col_i) begin
            if (w != of_tile(tile_e_i, row[r], col[r][c>0?c-1:0])) bad_row_o = legal;
          end else begin
            if (w != (open_w ? of_row(west_i, west[r]) : '0)) bad_in_o = legal;
            if (open_w) begin
              if (of_row(west_o, west[r]) != own_w) bad_out_o = legal;
              west_used |= PhysRows'(1) << west[r];
            end
          end
          if (4'(c) != last_col_i) begin
            if (e != of_tile(tile_w_i, row[r], col[r][c+1<Cols?c+1:c])) bad_row_o = legal;
          end else begin
            if (e != (open_e ? of_row(east_i, east[r]) : '0)) bad_in_o = legal;
            if (open_e) begin
              if (of_row(east_o, east[r]) != own_e) bad_out_o = legal;
              east_used |= PhysRows'(1) << east[r];
            end
          end
          if (4'(r) != first_row_i) begin
            if (n != of_tile(tile_s_i, row[r>0?r-1:0], col[r>0?r-1:0][c])) bad_column_o = legal;
          end else begin
            if (n != (open_n ? of_col(north_i, north[c]) : '0)) bad_in_o = legal;
            if (open_n) begin
              if (of_col(north_o, north[c]) != own_n) bad_out_o = legal;
              north_used |= PhysCols'(1) << north[c];
            end
          end
          if (4'(r) != last_row_i) begin
            if (s != of_tile(tile_n_i, row[r+1<Rows?r+1:r], col[r+1<Rows?r+1:r][c])) begin
              bad_column_o = legal;
            end
          end else begin
            if (s != (open_s ? of_col(south_i, south[c]) : '0)) bad_in_o = legal;
            if (open_s) begin
              if (of_col(south_o, south[c]) != own_s) bad_out_o = legal;
              south_used |= PhysCols'(1) << south[c];
            end
          end
        end
      end
    end
    for (int unsigned t = 0; t < Tiles; t++) begin
      if (!used[t] && (heard_n[t] | heard_e[t] | heard_s[t] | heard_w[t]) != '0) bad_idle_o = legal;
    end
    for (int unsigned i = 0; i < PhysRows; i++) begin
      if ((!west_used[i] && west_o[i] != '0) || (!east_used[i] && east_o[i] != '0)) begin
        bad_unused_o = legal;
      end
    end
    for (int unsigned i = 0; i < PhysCols; i++) begin
      if ((!north_used[i] && north_o[i] != '0) || (!south_used[i] && south_o[i] != '0)) begin
        bad_unused_o = legal;
      end
    end
  end

  localparam int unsigned R1 = Rows > 1 ? 1 : 0;
  localparam int unsigned C1 = Cols > 1 ? 1 : 0;
  localparam logic [1:0] MostRows = 2'(SpareRows);
  localparam logic [1:0] MostCols = 2'(SpareCols);
  assign seen_row_skipped_o = up_q && legal && row_used[0] && row_used[R1] &&
                              row_i[R1] == MostRows &&
                              (Rows == 1 || row_i[0] == '0);
  assign seen_steps_o = up_q && legal && row_used[0] && row_used[R1] && col_i[R1][C1] == MostCols &&
                        (Rows == 1 || col_i[0][C1] == '0) && (Cols == 1 || col_i[R1][0] == '0);
  assign seen_slots_o = up_q && legal && open_w && open_s && row_used[0] && col_used[0] &&
                        west_slot_i[0] == MostRows && row_i[0] == '0 &&
                        south_slot_i[0] == MostCols && col_i[Rows-1][0] == '0;
  assign seen_window_o = up_q && legal && (Rows == 1 ? Cols == 1 || !open_w : !open_n) &&
                         of_tile(tile_n_i, '0, '0) != '0 && row_used[Rows-1] && col_used[Cols-1];

endmodule
