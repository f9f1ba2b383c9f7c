// SPDX-License-Identifier: Apache-2.0
// ow_reticle_mesh in which every sender sends its own name, so the data that a tile or an edge
// receives say where it is connected. A name is {side, index + 1}: side 0 to 3 is a tile's north,
// east, south, west, 4 to 7 are the reticle's edges in the same order. 0 is no sender.
module ow_reticle_mesh_tb
  import ow_pkg::*;
#(
  parameter int unsigned Rows = 3,
  parameter int unsigned Cols = 4,
  parameter int unsigned SpareRows = 1,
  parameter int unsigned SpareCols = 1,
  localparam int unsigned PhysRows = Rows + SpareRows,
  localparam int unsigned PhysCols = Cols + SpareCols,
  localparam int unsigned Tiles = PhysRows * PhysCols
) (
  input  logic [Tiles-1:0][15:0]    tile_fuse_i,
  input  logic [PhysRows-1:0][7:0]  row_fuse_i,
  output logic [Tiles-1:0][31:0]    tile_n_o,
  output logic [Tiles-1:0][31:0]    tile_e_o,
  output logic [Tiles-1:0][31:0]    tile_s_o,
  output logic [Tiles-1:0][31:0]    tile_w_o,
  output logic [PhysCols-1:0][31:0] north_o,
  output logic [PhysRows-1:0][31:0] east_o,
  output logic [PhysCols-1:0][31:0] south_o,
  output logic [PhysRows-1:0][31:0] west_o
);

  function automatic link_t name(input logic [2:0] side, input logic [15:0] index);
    link_t x;
    x = '0;
    x.wavelet.valid = 1'b1;
    x.wavelet.data = {13'd0, side, index + 16'd1};
    return x;
  endfunction

  tile_fuse_t [Tiles-1:0] tile_fuse;
  row_fuse_t [PhysRows-1:0] row_fuse;
  link_t [Tiles-1:0] tn_i, te_i, ts_i, tw_i, tn_o, te_o, ts_o, tw_o;
  link_t [PhysCols-1:0] n_i, s_i, n_o, s_o;
  link_t [PhysRows-1:0] e_i, w_i, e_o, w_o;

  always_comb begin
    for (int t = 0; t < int'(Tiles); t++) begin
      tile_fuse[t] = tile_fuse_i[t][14:0];
      tn_i[t] = name(3'd0, 16'(t));
      te_i[t] = name(3'd1, 16'(t));
      ts_i[t] = name(3'd2, 16'(t));
      tw_i[t] = name(3'd3, 16'(t));
      tile_n_o[t] = tn_o[t].wavelet.data;
      tile_e_o[t] = te_o[t].wavelet.data;
      tile_s_o[t] = ts_o[t].wavelet.data;
      tile_w_o[t] = tw_o[t].wavelet.data;
    end
    for (int c = 0; c < int'(PhysCols); c++) begin
      n_i[c] = name(3'd4, 16'(c));
      s_i[c] = name(3'd6, 16'(c));
      north_o[c] = n_o[c].wavelet.data;
      south_o[c] = s_o[c].wavelet.data;
    end
    for (int r = 0; r < int'(PhysRows); r++) begin
      row_fuse[r] = row_fuse_i[r][5:0];
      e_i[r] = name(3'd5, 16'(r));
      w_i[r] = name(3'd7, 16'(r));
      east_o[r] = e_o[r].wavelet.data;
      west_o[r] = w_o[r].wavelet.data;
    end
  end

  ow_reticle_mesh #(
    .Rows(Rows), .Cols(Cols), .SpareRows(SpareRows), .SpareCols(SpareCols)
  ) u_mesh (
    .tile_fuse_i(tile_fuse), .row_fuse_i(row_fuse),
    .tile_n_i(tn_i), .tile_e_i(te_i), .tile_s_i(ts_i), .tile_w_i(tw_i),
    .tile_n_o(tn_o), .tile_e_o(te_o), .tile_s_o(ts_o), .tile_w_o(tw_o),
    .north_i(n_i), .east_i(e_i), .south_i(s_i), .west_i(w_i),
    .north_o(n_o), .east_o(e_o), .south_o(s_o), .west_o(w_o)
  );

  logic unused;
  assign unused = ^{tile_fuse_i, row_fuse_i, tn_o, te_o, ts_o, tw_o, n_o, e_o, s_o, w_o};

endmodule
