// SPDX-License-Identifier: Apache-2.0
// A flat grid of Rows x Cols tiles: the monolithic top, the reference for simulators that
// instantiate tiles one by one. Neighbours are wired directly, from register to register, one cycle
// per hop. The outer edges are ports, one per tile, with the links' protocol (docs/fabric.md).
// Row 0 is north, column 0 is west.
//
//   Rows, Cols        tiles, 1 or more each; the other parameters are those of ow_tile
//   scan_en_i         of ow_tile
//   cycle_i           cycle count of the reticle
//   north_*, south_*, east_*, west_*  the edge links, into and out of the grid, by column (north,
//                     south) or row
//   idle_o            all tiles are idle

`include "ow_assert.svh"

module ow_grid
  import ow_pkg::*;
#(
  parameter int unsigned Rows = 2,
  parameter int unsigned Cols = 2,
  parameter int unsigned Lanes = FULL_LANES,
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter int unsigned SramBanks = FULL_SRAM_BANKS,
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  parameter int unsigned QueueDepth = FULL_QUEUE_DEPTH,
  parameter int unsigned LineSlots = FULL_LINE_SLOTS,
  parameter int unsigned WriteSlots = FULL_WRITE_SLOTS,
  parameter int unsigned PackSlots = FULL_PACK_SLOTS,
  parameter int unsigned ReduceAdders = FULL_REDUCE_ADDERS,
  parameter int unsigned SmallRouter = FULL_SMALL_ROUTER,
  parameter int unsigned SmallTile = FULL_SMALL_TILE,
  parameter bit ClockGates = 1'b0,
  parameter logic [31:0] Features = ow_pkg::FULL_FEATURES,
  parameter logic [31:0] Operations = ow_pkg::FULL_OPERATIONS
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             scan_en_i,
  input  logic [47:0]      cycle_i,
  input  link_t [Cols-1:0] north_i,
  input  link_t [Cols-1:0] south_i,
  input  link_t [Rows-1:0] east_i,
  input  link_t [Rows-1:0] west_i,
  output link_t [Cols-1:0] north_o,
  output link_t [Cols-1:0] south_o,
  output link_t [Rows-1:0] east_o,
  output link_t [Rows-1:0] west_o,
  output logic             idle_o
);

  `OW_ASSERT_INIT(at_least_one_tile, Rows >= 1 && Cols >= 1)

  // What goes south (north) across the line above row r of column c: index r * Cols + c. Lines 0
  // and Rows are the edges. What goes east (west) across the line left of column c: index r * (Cols
  // + 1) + c.
  link_t going_s [(Rows+1)*Cols];
  link_t going_n [(Rows+1)*Cols];
  link_t going_e [Rows*(Cols+1)];
  link_t going_w [Rows*(Cols+1)];
  logic [Rows*Cols-1:0] idle;

  assign idle_o = &idle;

  for (genvar c = 0; c < Cols; c++) begin : gen_north_south
    assign going_s[c] = north_i[c];
    assign north_o[c] = going_n[c];
    assign going_n[Rows*Cols+c] = south_i[c];
    assign south_o[c] = going_s[Rows*Cols+c];
  end
  for (genvar r = 0; r < Rows; r++) begin : gen_east_west
    assign going_e[r*(Cols+1)] = west_i[r];
    assign west_o[r] = going_w[r*(Cols+1)];
    assign going_w[r*(Cols+1)+Cols] = east_i[r];
    assign east_o[r] = going_e[r*(Cols+1)+Cols];
  end

  for (genvar r = 0; r < Rows; r++) begin : gen_row
    for (genvar c = 0; c < Cols; c++) begin : gen_col
      // Retired instructions are watched on single tiles, not here. A flat grid has no stations.
      /* verilator lint_off PINCONNECTEMPTY */
      ow_tile #(
        .Lanes     (Lanes),
        .SramBytes (SramBytes),
        .NumColours(NumColours),
        .NumThreads(NumThreads),
        .QueueDepth(QueueDepth),
        .LineSlots(LineSlots), .WriteSlots(WriteSlots), .PackSlots(PackSlots),
        .SramBanks(SramBanks), .ReduceAdders(ReduceAdders), .SmallRouter(SmallRouter),
        .SmallTile(SmallTile), .ClockGates(ClockGates),
        .Features(Features), .Operations(Operations)
      ) u_tile (
        .clk_i,
        .rst_i,
        .scan_en_i,
        .cycle_i,
        .link_n_i(going_s[r*Cols+c]),
        .link_n_o(going_n[r*Cols+c]),
        .link_s_i(going_n[(r+1)*Cols+c]),
        .link_s_o(going_s[(r+1)*Cols+c]),
        .link_w_i(going_e[r*(Cols+1)+c]),
        .link_w_o(going_w[r*(Cols+1)+c]),
        .link_e_i(going_w[r*(Cols+1)+c+1]),
        .link_e_o(going_e[r*(Cols+1)+c+1]),
        .test_i(1'b0),
        .test_req_valid_i(1'b0),
        .test_req_i('0),
        .test_req_ready_o(),
        .test_rsp_valid_o(),
        .test_rsp_o(),
        .test_rsp_ready_i(1'b0),
        .idle_o  (idle[r*Cols+c]),
        .retire_o()
      );
      /* verilator lint_on PINCONNECTEMPTY */
    end
  end

endmodule
