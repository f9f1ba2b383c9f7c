// SPDX-License-Identifier: Apache-2.0
// A wafer: ReticleRows x ReticleCols reticles. Neighbours are joined by reticle-crossing links at
// every slot of their common edge. The wafer's edges are ports by logical row and column, with the
// links' protocol of a tile. After the host has found the defects and set the fuses, software sees
// one mesh of (ReticleRows * Rows) x (ReticleCols * Cols) tiles.
//
// Single-clock form: all reticles share clk_i, and the wires of a crossing are one cycle long.
//
//   ReticleRows, ReticleCols  1 or more each; the other parameters are those of ow_reticle
//   scan_en_i         of ow_tile
//   cycle_i           cycle count
//   north_* ... west_*  edge ports by logical column or row
//   chain_*           test-access chains, index reticle * PhysRows + physical row, reticles row by
//                     row; see ow_reticle
//   idle_o            no tile that runs has anything to do, and no link either
`include "ow_assert.svh"

module ow_wafer
  import ow_pkg::*;
#(
  parameter int unsigned ReticleRows = 2,
  parameter int unsigned ReticleCols = 2,
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
  parameter logic [31:0] Features = ow_pkg::FULL_FEATURES,
  parameter logic [31:0] Operations = ow_pkg::FULL_OPERATIONS,
  localparam int unsigned PhysRows = Rows + SpareRows,
  localparam int unsigned PhysCols = Cols + SpareCols,
  localparam int unsigned Reticles = ReticleRows * ReticleCols
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  input  logic                         scan_en_i,
  input  logic [47:0]                  cycle_i,
  input  link_t [ReticleCols*Cols-1:0] north_i,
  input  link_t [ReticleRows*Rows-1:0] east_i,
  input  link_t [ReticleCols*Cols-1:0] south_i,
  input  link_t [ReticleRows*Rows-1:0] west_i,
  output link_t [ReticleCols*Cols-1:0] north_o,
  output link_t [ReticleRows*Rows-1:0] east_o,
  output link_t [ReticleCols*Cols-1:0] south_o,
  output link_t [ReticleRows*Rows-1:0] west_o,
  input  logic [Reticles*PhysRows-1:0] chain_w_i,
  output logic [Reticles*PhysRows-1:0] chain_w_near_o,
  output logic [Reticles*PhysRows-1:0] chain_w_skip_o,
  input  logic [Reticles*PhysRows-1:0] chain_e_i,
  output logic [Reticles*PhysRows-1:0] chain_e_near_o,
  output logic [Reticles*PhysRows-1:0] chain_e_skip_o,
  output logic                         idle_o
);

  `OW_ASSERT_INIT(at_least_one, ReticleRows >= 1 && ReticleCols >= 1)

  localparam int unsigned Tiles = PhysRows * PhysCols;

  // Edge slots of each reticle, and the status words of the links at them, as a station asks.
  link_t [Reticles-1:0][PhysCols-1:0] n_i, n_o, s_i, s_o;
  link_t [Reticles-1:0][PhysRows-1:0] e_i, e_o, w_i, w_o;
  // Stations inside a reticle and at the wafer's own edges have no link to ask.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [Reticles-1:0][Tiles-1:0]       stat_re;
  logic [Reticles-1:0][Tiles-1:0][1:0]  stat_side;
  logic [Reticles-1:0][Tiles-1:0][5:0]  stat_addr;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Reticles-1:0][PhysCols-1:0][31:0] n_stat, s_stat;
  logic [Reticles-1:0][PhysRows-1:0][31:0] e_stat, w_stat;
  logic [Reticles-1:0] idle;
  logic [Reticles-1:0] e_idle, s_idle;  // the links of these edges

  assign idle_o = &{idle, e_idle, s_idle};

  for (genvar y = 0; y < ReticleRows; y++) begin : gen_y
    for (genvar x = 0; x < ReticleCols; x++) begin : gen_x
      localparam int unsigned D = y * ReticleCols + x;
      logic [Tiles-1:0][31:0] stat;

      ow_reticle #(
        .Rows(Rows), .Cols(Cols), .SpareRows(SpareRows), .SpareCols(SpareCols), .Lanes(Lanes),
        .SramBytes(SramBytes), .NumColours(NumColours), .NumThreads(NumThreads),
        .QueueDepth(QueueDepth),
        .LineSlots(LineSlots), .WriteSlots(WriteSlots), .PackSlots(PackSlots),
        .SramBanks(SramBanks), .ReduceAdders(ReduceAdders), .SmallRouter(SmallRouter),
        .SmallTile(SmallTile), .ClockGates(ClockGates),
        .Features(Features), .Operations(Operations)
      ) u_reticle (
        .clk_i, .rst_i, .scan_en_i, .cycle_i,
        .north_i(n_i[D]), .east_i(e_i[D]), .south_i(s_i[D]), .west_i(w_i[D]),
        .north_o(n_o[D]), .east_o(e_o[D]), .south_o(s_o[D]), .west_o(w_o[D]),
        .chain_w_i(chain_w_i[D*PhysRows+:PhysRows]),
        .chain_w_near_o(chain_w_near_o[D*PhysRows+:PhysRows]),
        .chain_w_skip_o(chain_w_skip_o[D*PhysRows+:PhysRows]),
        .chain_e_i(chain_e_i[D*PhysRows+:PhysRows]),
        .chain_e_near_o(chain_e_near_o[D*PhysRows+:PhysRows]),
        .chain_e_skip_o(chain_e_skip_o[D*PhysRows+:PhysRows]),
        .stat_re_o(stat_re[D]), .stat_side_o(stat_side[D]), .stat_addr_o(stat_addr[D]),
        .stat_i(stat),
        .idle_o(idle[D])
      );

      // A station at an edge reads the link at its own row's or column's slot.
      for (genvar r = 0; r < PhysRows; r++) begin : gen_stat_row
        for (genvar c = 0; c < PhysCols; c++) begin : gen_stat_col
          always_comb begin
            unique case (stat_side[D][r*PhysCols+c])
              2'd0:    stat[r*PhysCols+c] = r == 0 ? n_stat[D][c] : '0;
              2'd1:    stat[r*PhysCols+c] = c == PhysCols - 1 ? e_stat[D][r] : '0;
              2'd2:    stat[r*PhysCols+c] = r == PhysRows - 1 ? s_stat[D][c] : '0;
              default: stat[r*PhysCols+c] = c == 0 ? w_stat[D][r] : '0;
            endcase
          end
        end
      end

      // The edges of the wafer: logical row or column i has slot i.
      if (y == 0) begin : gen_north
        assign n_i[D] = {{SpareCols{45'd0}}, north_i[x*Cols+:Cols]};
        assign north_o[x*Cols+:Cols] = n_o[D][Cols-1:0];
        assign n_stat[D] = '0;
      end
      if (y == ReticleRows - 1) begin : gen_south
        assign s_i[D] = {{SpareCols{45'd0}}, south_i[x*Cols+:Cols]};
        assign south_o[x*Cols+:Cols] = s_o[D][Cols-1:0];
        assign s_stat[D] = '0;
        assign s_idle[D] = 1'b1;
      end
      if (x == 0) begin : gen_west
        assign w_i[D] = {{SpareRows{45'd0}}, west_i[y*Rows+:Rows]};
        assign west_o[y*Rows+:Rows] = w_o[D][Rows-1:0];
        assign w_stat[D] = '0;
      end
      if (x == ReticleCols - 1) begin : gen_east
        assign e_i[D] = {{SpareRows{45'd0}}, east_i[y*Rows+:Rows]};
        assign east_o[y*Rows+:Rows] = e_o[D][Rows-1:0];
        assign e_stat[D] = '0;
        assign e_idle[D] = 1'b1;
      end

      // Crossings to the east and to the south.
      if (x < ReticleCols - 1) begin : gen_cross_east
        logic [PhysRows-1:0] quiet;
        assign e_idle[D] = &quiet;
        for (genvar r = 0; r < PhysRows; r++) begin : gen_slot
          localparam int unsigned Here = r * PhysCols + PhysCols - 1;
          localparam int unsigned There = r * PhysCols;
          ow_crossing #(.NumColours(NumColours)) u_crossing (
            .clk_i, .rst_i, .odd_i(cycle_i[0]),
            .a_i(e_o[D][r]), .a_o(e_i[D][r]), .b_i(w_o[D+1][r]), .b_o(w_i[D+1][r]),
            .a_stat_re_i(stat_re[D][Here] && stat_side[D][Here] == 2'd1),
            .a_stat_addr_i(stat_addr[D][Here]), .a_stat_o(e_stat[D][r]),
            .b_stat_re_i(stat_re[D+1][There] && stat_side[D+1][There] == 2'd3),
            .b_stat_addr_i(stat_addr[D+1][There]), .b_stat_o(w_stat[D+1][r]),
            .idle_o(quiet[r])
          );
        end
      end
      if (y < ReticleRows - 1) begin : gen_cross_south
        localparam int unsigned Below = D + ReticleCols;
        logic [PhysCols-1:0] quiet;
        assign s_idle[D] = &quiet;
        for (genvar c = 0; c < PhysCols; c++) begin : gen_slot
          localparam int unsigned Here = (PhysRows - 1) * PhysCols + c;
          ow_crossing #(.NumColours(NumColours)) u_crossing (
            .clk_i, .rst_i, .odd_i(cycle_i[0]),
            .a_i(s_o[D][c]), .a_o(s_i[D][c]), .b_i(n_o[Below][c]), .b_o(n_i[Below][c]),
            .a_stat_re_i(stat_re[D][Here] && stat_side[D][Here] == 2'd2),
            .a_stat_addr_i(stat_addr[D][Here]), .a_stat_o(s_stat[D][c]),
            .b_stat_re_i(stat_re[Below][c] && stat_side[Below][c] == 2'd0),
            .b_stat_addr_i(stat_addr[Below][c]), .b_stat_o(n_stat[Below][c]),
            .idle_o(quiet[c])
          );
        end
      end
    end
  end

endmodule
