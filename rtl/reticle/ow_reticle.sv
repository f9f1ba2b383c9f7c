// SPDX-License-Identifier: Apache-2.0
// A reticle: physical tiles with spare columns and rows, a station beside each tile, and the wires
// and muxes between them. Whatever is broken, it presents Rows x Cols logical tiles to its
// neighbours, in the slots of its four edges (docs/wafer.md). Reticle-crossing links are outside,
// at the slots.
//
// After reset nothing is connected and all tiles are in reset. The host sets the fuses over the
// test-access chains, one per physical row, which can be entered from either end
// (docs/bring-up.md).
//
//   Rows ... SpareCols  logical tiles and spares. Scan is of ow_station, the others are of ow_tile
//   scan_en_i         of ow_tile
//   north_* ... west_*  edge slots, PhysCols or PhysRows of them, links of ow_tile
//   chain_w_i, chain_e_i  a row's chain at its west and its east end. Outputs: near comes from the
//                     row's last station, skip from the one before it, in case the last is dead
//   stat_*            status of the links, as the station of index row * PhysCols + column asks
//   idle_o            no tile that runs has anything to do, and the others are in reset and send
//                     nothing. Stations, which the chains talk to, do not count
`include "ow_assert.svh"

module ow_reticle
  import ow_pkg::*;
#(
  parameter int unsigned Rows = 2,
  parameter int unsigned Cols = 2,
  parameter int unsigned SpareRows = 1,
  parameter int unsigned SpareCols = 1,
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
  parameter bit Scan = 1'b1,
  parameter logic [31:0] Features = ow_pkg::FULL_FEATURES,
  parameter logic [31:0] Operations = ow_pkg::FULL_OPERATIONS,
  localparam int unsigned PhysRows = Rows + SpareRows,
  localparam int unsigned PhysCols = Cols + SpareCols
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  input  logic                       scan_en_i,
  input  logic [47:0]                cycle_i,
  input  link_t [PhysCols-1:0]       north_i,
  input  link_t [PhysRows-1:0]       east_i,
  input  link_t [PhysCols-1:0]       south_i,
  input  link_t [PhysRows-1:0]       west_i,
  output link_t [PhysCols-1:0]       north_o,
  output link_t [PhysRows-1:0]       east_o,
  output link_t [PhysCols-1:0]       south_o,
  output link_t [PhysRows-1:0]       west_o,
  input  logic [PhysRows-1:0]        chain_w_i,
  output logic [PhysRows-1:0]        chain_w_near_o,
  output logic [PhysRows-1:0]        chain_w_skip_o,
  input  logic [PhysRows-1:0]        chain_e_i,
  output logic [PhysRows-1:0]        chain_e_near_o,
  output logic [PhysRows-1:0]        chain_e_skip_o,
  output logic [PhysRows*PhysCols-1:0]       stat_re_o,
  output logic [PhysRows*PhysCols-1:0][1:0]  stat_side_o,
  output logic [PhysRows*PhysCols-1:0][5:0]  stat_addr_o,
  input  logic [PhysRows*PhysCols-1:0][31:0] stat_i,
  output logic                       idle_o
);

  `OW_ASSERT_INIT(columns_in_address, PhysCols <= 255)

  localparam int unsigned Tiles = PhysRows * PhysCols;

  tile_fuse_t [Tiles-1:0]    tile_fuse;
  row_fuse_t  [Tiles-1:0]    row_fuse;       // of every station; that of column 0 counts
  row_fuse_t  [PhysRows-1:0] end_fuse;
  link_t      [Tiles-1:0]    from_n, from_e, from_s, from_w;  // to the mesh
  link_t      [Tiles-1:0]    to_n, to_e, to_s, to_w;
  logic       [Tiles-1:0]    tile_rst;
  logic       [Tiles-1:0]    idle;
  logic       [Tiles-1:0]    rests_q, rested_q;  // in reset one, two cycles ago: its links are 0

  always_ff @(posedge clk_i) begin
    rests_q <= tile_rst;
    rested_q <= rests_q;
  end
  assign idle_o = &(idle | (tile_rst & rests_q & rested_q));

  ow_reticle_mesh #(
    .Rows(Rows), .Cols(Cols), .SpareRows(SpareRows), .SpareCols(SpareCols)
  ) u_mesh (
    .tile_fuse_i(tile_fuse), .row_fuse_i(end_fuse),
    .tile_n_i(from_n), .tile_e_i(from_e), .tile_s_i(from_s), .tile_w_i(from_w),
    .tile_n_o(to_n), .tile_e_o(to_e), .tile_s_o(to_s), .tile_w_o(to_w),
    .north_i, .east_i, .south_i, .west_i, .north_o, .east_o, .south_o, .west_o
  );

  for (genvar r = 0; r < PhysRows; r++) begin : gen_row
    // The chain's lines. East: station c drives place c + 2, after two places of the port. West: it
    // drives place c, before two places of the port.
    logic [PhysCols+1:0] east, west;
    assign east[1:0] = {2{chain_w_i[r]}};
    assign west[PhysCols+1:PhysCols] = {2{chain_e_i[r]}};
    assign chain_w_near_o[r] = west[0];
    assign chain_w_skip_o[r] = west[1];
    assign chain_e_near_o[r] = east[PhysCols+1];
    assign chain_e_skip_o[r] = east[PhysCols];
    assign end_fuse[r] = row_fuse[r*PhysCols];

    for (genvar c = 0; c < PhysCols; c++) begin : gen_col
      localparam int unsigned T = r * PhysCols + c;
      logic  test, req_valid, req_ready, rsp_valid, rsp_ready;
      ramp_t req, rsp;
      link_t sent_n, sent_e, sent_s, sent_w;

      ow_station #(.Scan(Scan)) u_station (
        .clk_i, .rst_i, .col_i(8'(c)),
        .east_near_i(east[c+1]), .east_skip_i(east[c]), .east_o(east[c+2]),
        .west_near_i(west[c+1]), .west_skip_i(west[c+2]), .west_o(west[c]),
        .tile_fuse_o(tile_fuse[T]), .row_fuse_o(row_fuse[T]),
        .tile_rst_o(tile_rst[T]), .tile_test_o(test),
        .tile_req_valid_o(req_valid), .tile_req_o(req), .tile_req_ready_i(req_ready),
        .tile_rsp_valid_i(rsp_valid), .tile_rsp_i(rsp), .tile_rsp_ready_o(rsp_ready),
        .from_i({sent_w, sent_s, sent_e, sent_n}),
        .to_o({from_w[T], from_s[T], from_e[T], from_n[T]}),
        .at_i({to_w[T], to_s[T], to_e[T], to_n[T]}),
        .stat_re_o(stat_re_o[T]), .stat_side_o(stat_side_o[T]), .stat_addr_o(stat_addr_o[T]),
        .stat_i(stat_i[T])
      );

      // Retired instructions are watched on single tiles, not here.
      /* verilator lint_off PINCONNECTEMPTY */
      ow_tile #(
        .Lanes(Lanes), .SramBytes(SramBytes), .NumColours(NumColours), .NumThreads(NumThreads),
        .QueueDepth(QueueDepth),
        .LineSlots(LineSlots), .WriteSlots(WriteSlots), .PackSlots(PackSlots),
        .SramBanks(SramBanks), .ReduceAdders(ReduceAdders), .SmallRouter(SmallRouter),
        .SmallTile(SmallTile), .ClockGates(ClockGates),
        .Features(Features), .Operations(Operations)
      ) u_tile (
        .clk_i, .rst_i(tile_rst[T]), .scan_en_i, .cycle_i,
        .link_n_i(to_n[T]), .link_e_i(to_e[T]), .link_s_i(to_s[T]), .link_w_i(to_w[T]),
        .link_n_o(sent_n), .link_e_o(sent_e), .link_s_o(sent_s), .link_w_o(sent_w),
        .test_i(test), .test_req_valid_i(req_valid), .test_req_i(req),
        .test_req_ready_o(req_ready), .test_rsp_valid_o(rsp_valid), .test_rsp_o(rsp),
        .test_rsp_ready_i(rsp_ready),
        .idle_o(idle[T]), .retire_o()
      );
      /* verilator lint_on PINCONNECTEMPTY */
    end
  end

endmodule
