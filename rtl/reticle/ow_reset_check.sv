// SPDX-License-Identifier: Apache-2.0
// Checker of the rule for the reset of one tile (docs/fabric.md, F21 to F34), to be bound to a
// reticle. The control plane's credits cannot be set again, so a word or credit under way on a link
// that is reset at one end stays lost or surplus. For each link of each connected tile the checker
// counts what was sent and has no credit back yet, both ways.
//
// A link with both ends in reset may hold anything. What is beyond the edges of the reticle always
// runs, but what comes from there to a tile in reset may be a test pattern.
//
//   Rows ... SpareCols  as in ow_reticle
//   reset_i           tiles in reset
//   tile_fuse_i, row_fuse_i, from_*_i, to_*_i  as in ow_reticle_mesh: what tiles send and receive

`include "ow_assert.svh"

module ow_reset_check
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
  input link_t      [Tiles-1:0]    to_w_i
);

  // What is beyond each link: the muxes of the mesh show it if each tile sends its own state as a
  // word.
  localparam link_t Edge = 45'd2;
  link_t [Tiles-1:0] state, beyond_n, beyond_e, beyond_s, beyond_w;
  for (genvar t = 0; t < Tiles; t++) begin : gen_state
    assign state[t] = {44'd0, reset_i[t]};
  end
  /* verilator lint_off PINCONNECTEMPTY */ // what the mesh sends to links is not looked at
  ow_reticle_mesh #(
    .Rows(Rows), .Cols(Cols), .SpareRows(SpareRows), .SpareCols(SpareCols)
  ) u_mesh (
    .tile_fuse_i, .row_fuse_i,
    .tile_n_i(state), .tile_e_i(state), .tile_s_i(state), .tile_w_i(state),
    .tile_n_o(beyond_n), .tile_e_o(beyond_e), .tile_s_o(beyond_s), .tile_w_o(beyond_w),
    .north_i({PhysCols{Edge}}), .east_i({PhysRows{Edge}}), .south_i({PhysCols{Edge}}),
    .west_i({PhysRows{Edge}}), .north_o(), .east_o(), .south_o(), .west_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // One-hot: the network of a word or credit of the control plane.
  function automatic logic [1:0] network(input logic valid, input logic [4:0] colour);
    return {valid && colour == COLOUR_RSP, valid && colour == COLOUR_REQ};
  endfunction

  // The tile sees the begin and the end of its reset a cycle late. So it may still send in the
  // first cycle, and does not hear what comes in the first cycle after the reset.
  logic [Tiles-1:0] reset_q, rests_q, open_at_reset, sent_to_reset;
  always_ff @(posedge clk_i) begin
    reset_q <= reset_i;
    rests_q <= reset_i & reset_q;
  end

  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    /* verilator lint_off UNUSEDSIGNAL */ // only valid and colour are used
    link_t [3:0] from, to, beyond;
    /* verilator lint_on UNUSEDSIGNAL */
    assign from = {from_w_i[t], from_s_i[t], from_e_i[t], from_n_i[t]};
    assign to = {to_w_i[t], to_s_i[t], to_e_i[t], to_n_i[t]};
    assign beyond = {beyond_w[t], beyond_s[t], beyond_e[t], beyond_n[t]};

    // By link and network: sent by the tile and to it, without a credit back.
    logic [3:0][1:0][1:0] sent_q, came_q, sent, came;
    logic [3:0] runs, is_open, heard;
    always_comb begin : count
      automatic logic [1:0] out, out_back, in, in_back;
      {out, out_back, in, in_back} = '0;
      sent = sent_q;
      came = came_q;
      for (int unsigned p = 0; p < 4; p++) begin
        out = network(from[p].wavelet.valid, from[p].wavelet.colour);
        out_back = network(to[p].credit.valid, to[p].credit.colour);
        in = network(to[p].wavelet.valid, to[p].wavelet.colour);
        in_back = network(from[p].credit.valid, from[p].credit.colour);
        for (int unsigned n = 0; n < 2; n++) begin
          sent[p][n] = sent_q[p][n] + 2'(out[n]) - 2'(out_back[n]);
          came[p][n] = came_q[p][n] + 2'(in[n]) - 2'(in_back[n]);
        end
        runs[p] = !beyond[p][0];
        is_open[p] = {sent[p], came[p]} != '0;
        heard[p] = in != '0 && beyond[p] == '0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i || (reset_i[t] && reset_q[t]) || !tile_fuse_i[t].enable) begin
        sent_q <= '0;
        came_q <= '0;
      end else begin
        sent_q <= sent;
        came_q <= came;
      end
    end
    assign open_at_reset[t] = tile_fuse_i[t].enable && reset_i[t] && !rests_q[t] &&
                              (runs & is_open) != '0;
    assign sent_to_reset[t] = tile_fuse_i[t].enable && (reset_i[t] || reset_q[t]) && heard != '0;
  end

  `OW_ASSERT(reset_while_quiet, open_at_reset == '0,
             "a tile was reset while its links had words of the control plane under way")
  `OW_ASSERT(nothing_to_reset, sent_to_reset == '0,
             "a word of the control plane was sent to a tile in reset")

endmodule
