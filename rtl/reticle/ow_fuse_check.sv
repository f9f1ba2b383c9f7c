// SPDX-License-Identifier: Apache-2.0
// Checker of the rule that fuses do not change while words go, to be bound to a reticle. The muxes
// have more than one cycle after a change of a fuse (constraints/static.yaml). So in the cycle in
// which a fuse has changed, each tile that it concerns must be in reset, or have nothing on its
// links: it sends nothing, and hears nothing, through the fuses as they are and as they were.
//
//   Rows ... SpareCols  as in ow_reticle
//   reset_i           tiles in reset
//   tile_fuse_i, row_fuse_i, from_*_i, to_*_i  as in ow_reticle_mesh: what tiles send and receive
//   north_i ... west_i  what comes in at the edges

`include "ow_assert.svh"

module ow_fuse_check
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
  input logic                      clk_i,
  input logic                      rst_i,
  input logic       [Tiles-1:0]    reset_i,
  input tile_fuse_t [Tiles-1:0]    tile_fuse_i,
  input row_fuse_t  [PhysRows-1:0] row_fuse_i,
  input link_t      [Tiles-1:0]    from_n_i,
  input link_t      [Tiles-1:0]    from_e_i,
  input link_t      [Tiles-1:0]    from_s_i,
  input link_t      [Tiles-1:0]    from_w_i,
  input link_t      [Tiles-1:0]    to_n_i,
  input link_t      [Tiles-1:0]    to_e_i,
  input link_t      [Tiles-1:0]    to_s_i,
  input link_t      [Tiles-1:0]    to_w_i,
  input link_t      [PhysCols-1:0] north_i,
  input link_t      [PhysRows-1:0] east_i,
  input link_t      [PhysCols-1:0] south_i,
  input link_t      [PhysRows-1:0] west_i
);

  tile_fuse_t [Tiles-1:0]    tile_fuse_q;
  row_fuse_t  [PhysRows-1:0] row_fuse_q;
  link_t      [Tiles-1:0]    was_n, was_e, was_s, was_w;
  always_ff @(posedge clk_i) begin
    tile_fuse_q <= tile_fuse_i;
    row_fuse_q <= row_fuse_i;
  end

  /* verilator lint_off PINCONNECTEMPTY */ // what goes to links comes from tiles
  ow_reticle_mesh #(
    .Rows(Rows), .Cols(Cols), .SpareRows(SpareRows), .SpareCols(SpareCols)
  ) u_mesh (
    .tile_fuse_i(tile_fuse_q), .row_fuse_i(row_fuse_q),
    .tile_n_i(from_n_i), .tile_e_i(from_e_i), .tile_s_i(from_s_i), .tile_w_i(from_w_i),
    .tile_n_o(was_n), .tile_e_o(was_e), .tile_s_o(was_s), .tile_w_o(was_w),
    .north_i, .east_i, .south_i, .west_i, .north_o(), .east_o(), .south_o(), .west_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  logic [Tiles-1:0] moved;
  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    /* verilator lint_off UNUSEDSIGNAL */ // a link that carries nothing is 0: valid bits are enough
    link_t any;
    /* verilator lint_on UNUSEDSIGNAL */
    assign any = from_n_i[t] | from_e_i[t] | from_s_i[t] | from_w_i[t] | to_n_i[t] | to_e_i[t] |
                 to_s_i[t] | to_w_i[t] | was_n[t] | was_e[t] | was_s[t] | was_w[t];
    assign moved[t] = !reset_i[t] && (any.wavelet.valid || any.credit.valid) &&
                      {tile_fuse_i[t], row_fuse_i[t/PhysCols]} !=
                      {tile_fuse_q[t], row_fuse_q[t/PhysCols]};
  end

  `OW_ASSERT(fuses_stand, moved == '0, "a fuse changed while words were on the links of its tile")

endmodule
