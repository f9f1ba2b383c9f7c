// SPDX-License-Identifier: Apache-2.0
// The mini-grid: two reticles side by side, each with its own clock. The reticle-crossing links
// between them sample and train as on a wafer. The clocks have one frequency; the second one is a
// quarter of a period later.
//
// All ports are in clk_a_i. Signals of the second reticle pass through a register of each clock
// (ow_fpga_hop). Signals to it, including lanes of the crossings, leave at the falling edge. So
// they have a half and then three quarters of a period, instead of one quarter. Edge ports are
// numbered as in ow_bridge.
//
//   Rows, Cols     tiles of a reticle, without spares; the other parameters are those of ow_tile
//   Tiles          0: wires and a register instead of the tiles, for parts that are too small for
//                  them. What enters at a port leaves at the other end of its row or column, and no
//                  station answers on the chains. Clocks, crossings and bridge stay the same
//   rst_i          of clk_a_i; the second reticle's is taken over from it
//   cycle_o        cycle count since the reset, of the first reticle
//   links_*        edge ports: north, east, south, west
//   chain_*        (reticle * Rows + row) * 2, + 1 for the east end
//   up_o           all crossings carry frames
//   idle_o         nothing in the grid can change before an edge port does

`include "ow_assert.svh"

module ow_fpga_grid
  import ow_pkg::*;
#(
  parameter int unsigned Rows = 2,
  parameter int unsigned Cols = 1,
  parameter int unsigned Lanes = ow_pkg::MINI_LANES,
  parameter int unsigned SramBytes = ow_pkg::MINI_SRAM_BYTES,
  parameter int unsigned SramBanks = ow_pkg::MINI_SRAM_BANKS,
  parameter int unsigned NumColours = ow_pkg::MINI_NUM_COLOURS,
  parameter int unsigned NumThreads = ow_pkg::MINI_NUM_THREADS,
  parameter int unsigned QueueDepth = ow_pkg::MINI_QUEUE_DEPTH,
  parameter int unsigned LineSlots = ow_pkg::MINI_LINE_SLOTS,
  parameter int unsigned WriteSlots = ow_pkg::MINI_WRITE_SLOTS,
  parameter int unsigned PackSlots = ow_pkg::MINI_PACK_SLOTS,
  parameter int unsigned ReduceAdders = ow_pkg::MINI_REDUCE_ADDERS,
  parameter int unsigned SmallRouter = ow_pkg::MINI_SMALL_ROUTER,
  parameter int unsigned SmallTile = ow_pkg::MINI_SMALL_TILE,
  parameter logic [31:0] Features = ow_pkg::MINI_FEATURES,
  parameter logic [31:0] Operations = ow_pkg::MINI_OPERATIONS,
  parameter bit Tiles = 1'b1,
  localparam int unsigned Ports = 2 * (Rows + 2 * Cols),
  localparam int unsigned Ends = 4 * Rows
) (
  input  logic              clk_a_i,
  input  logic              clk_b_i,
  input  logic              rst_i,
  output logic [47:0]       cycle_o,
  input  link_t [Ports-1:0] links_i,
  output link_t [Ports-1:0] links_o,
  input  logic [Ends-1:0]   chain_i,
  output logic [Ends-1:0]   chain_near_o,
  output logic [Ends-1:0]   chain_skip_o,
  output logic              up_o,
  output logic              idle_o
);

  `OW_ASSERT_INIT(reticle, Rows >= 1 && Cols >= 1)
  // As many as a record can name.
  `OW_ASSERT_INIT(ports, Ports <= 256 && Ends <= 128)

  localparam int unsigned Count = Rows * Cols;
  // Lanes of a crossing, and the bits of the cycle count that count the cycles of its frames.
  localparam int unsigned LinkData = MINI_LANE_GROUPS * MINI_GROUP_DATA;
  localparam int unsigned LinkLanes = LinkData + MINI_LANE_GROUPS * ow_link_pkg::SPARES;
  localparam int unsigned FrameW = $clog2(2 * BEAT_BITS / LinkData);
  `OW_ASSERT_INIT(frames, 2 ** FrameW * LinkData == 2 * BEAT_BITS)

  logic [1:0] clk, rst;
  assign clk = {clk_b_i, clk_a_i};
  logic rst_half;
  assign rst[0] = rst_i;
  ow_fpga_hop #(.Falling(1'b1)) u_reset_half (.clk_i(clk_a_i), .d_i(rst_i), .q_o(rst_half));
  ow_fpga_hop u_reset (.clk_i(clk_b_i), .d_i(rst_half), .q_o(rst[1]));

  // Signals of each reticle, in its own clock.
  link_t [1:0][Cols-1:0] north_i, north_o, south_i, south_o;
  link_t [1:0][Rows-1:0] east_i, east_o, west_i, west_o;
  logic [1:0][Rows-1:0] chain_w, chain_w_near, chain_w_skip, chain_e, chain_e_near, chain_e_skip;
  /* verilator lint_off UNUSEDSIGNAL */ // stations at an outer edge have no link to ask
  logic [1:0][Count-1:0] stat_re;
  logic [1:0][Count-1:0][1:0] stat_side;
  logic [1:0][Count-1:0][5:0] stat_addr;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [1:0][Count-1:0][31:0] stat;
  logic [1:0][Rows-1:0][31:0] link_stat;
  logic [1:0] idle;
  logic [1:0][Rows-1:0] link_up, link_idle;
  logic [1:0][Rows-1:0][LinkLanes-1:0] lanes, leaves;  // of the links, and as they leave the reticle
  link_t [1:0][Rows-1:0] inner_i;  // what the crossings bring

  for (genvar d = 0; d < 2; d++) begin : gen_reticle
    logic [47:0] cycle_q;
    always_ff @(posedge clk[d]) cycle_q <= rst[d] ? '0 : cycle_q + 48'd1;
    if (d == 0) begin : gen_count
      assign cycle_o = cycle_q;
    end

    if (Tiles) begin : gen_tiles
      ow_reticle #(
        .Rows(Rows), .Cols(Cols), .SpareRows(0), .SpareCols(0), .Lanes(Lanes), .SramBytes(SramBytes),
        .NumColours(NumColours), .NumThreads(NumThreads), .QueueDepth(QueueDepth),
        .LineSlots(LineSlots), .WriteSlots(WriteSlots), .PackSlots(PackSlots),
        .SramBanks(SramBanks), .ReduceAdders(ReduceAdders), .SmallRouter(SmallRouter),
        .SmallTile(SmallTile), .Scan(1'b0),
        .Features(Features), .Operations(Operations)
      ) u_reticle (
        .clk_i(clk[d]), .rst_i(rst[d]), .scan_en_i(1'b0), .cycle_i(cycle_q),
        .north_i(north_i[d]), .east_i(east_i[d]), .south_i(south_i[d]), .west_i(west_i[d]),
        .north_o(north_o[d]), .east_o(east_o[d]), .south_o(south_o[d]), .west_o(west_o[d]),
        .chain_w_i(chain_w[d]), .chain_w_near_o(chain_w_near[d]), .chain_w_skip_o(chain_w_skip[d]),
        .chain_e_i(chain_e[d]), .chain_e_near_o(chain_e_near[d]), .chain_e_skip_o(chain_e_skip[d]),
        .stat_re_o(stat_re[d]), .stat_side_o(stat_side[d]), .stat_addr_o(stat_addr[d]),
        .stat_i(stat[d]), .idle_o(idle[d])
      );
    end else begin : gen_wires
      link_t [Cols-1:0] south_q, north_q;
      link_t [Rows-1:0] west_q, east_q;
      always_ff @(posedge clk[d]) begin
        if (rst[d]) {south_q, north_q, west_q, east_q} <= '0;
        else {south_q, north_q, west_q, east_q} <= {north_i[d], south_i[d], east_i[d], west_i[d]};
      end
      assign south_o[d] = south_q;
      assign north_o[d] = north_q;
      assign west_o[d] = west_q;
      assign east_o[d] = east_q;
      assign {chain_w_near[d], chain_w_skip[d], chain_e_near[d], chain_e_skip[d]} = '0;
      assign {stat_re[d], stat_side[d], stat_addr[d]} = '0;
      logic still;
      always_comb begin : moves
        still = 1'b1;
        for (int unsigned c = 0; c < Cols; c++) begin
          if (south_q[c].wavelet.valid || south_q[c].credit.valid) still = 1'b0;
          if (north_q[c].wavelet.valid || north_q[c].credit.valid) still = 1'b0;
        end
        for (int unsigned r = 0; r < Rows; r++) begin
          if (west_q[r].wavelet.valid || west_q[r].credit.valid) still = 1'b0;
          if (east_q[r].wavelet.valid || east_q[r].credit.valid) still = 1'b0;
        end
      end
      assign idle[d] = still;
      logic unused;
      assign unused = &{1'b0, chain_w[d], chain_e[d], stat[d]};
    end

    // The crossings: this reticle's ends, at its inner side, and the lanes that come in.
    for (genvar r = 0; r < Rows; r++) begin : gen_row
      localparam int unsigned Inner = r * Cols + (d == 0 ? Cols - 1 : 0);
      localparam logic [1:0] Side = d == 0 ? 2'd1 : 2'd3;
      logic [LinkLanes-1:0] come;
      // An idle link takes two cycles to say so, and a second half may begin in one of them.
      logic idle_now, idle_q;
      always_ff @(posedge clk[d]) idle_q <= idle_now;
      assign link_idle[d][r] = idle_now || idle_q;
      // Lanes of one length need only the phase of the clocks. A board whose lanes have skew puts
      // its delay cells here.
      for (genvar l = 0; l < LinkLanes; l++) begin : gen_lane
        ow_link_delay u_delay (
          .tick_i(1'b0), .tap_i(3'd0), .lane_i(leaves[1-d][r][l]), .lane_o(come[l])
        );
      end
      /* verilator lint_off PINCONNECTEMPTY */
      ow_link #(
        .NumColours(NumColours), .Groups(MINI_LANE_GROUPS), .GroupData(MINI_GROUP_DATA), .Scan(1'b0)
      ) u_link (
        .clk_i(clk[d]), .rst_i(rst[d]), .enable_i(1'b1), .retrain_i(1'b0),
        .cycle_i(cycle_q[FrameW-1:0]),
        .tile_i(d == 0 ? east_o[d][r] : west_o[d][r]), .tile_o(inner_i[d][r]),
        .lane_o(lanes[d][r]), .lane_i(come), .tap_o(), .up_o(link_up[d][r]),
        .idle_o(idle_now),
        .stat_re_i(stat_re[d][Inner] && stat_side[d][Inner] == Side),
        .stat_addr_i(stat_addr[d][Inner]), .stat_o(link_stat[d][r])
      );
      /* verilator lint_on PINCONNECTEMPTY */
      for (genvar c = 0; c < Cols; c++) begin : gen_stat
        localparam int unsigned Tile = r * Cols + c;
        assign stat[d][Tile] = Tile == Inner && stat_side[d][Tile] == Side ? link_stat[d][r] : '0;
      end
    end
  end

  ow_fpga_hop #(.Width(Rows * LinkLanes), .Falling(1'b1)) u_lanes (
    .clk_i(clk_a_i), .d_i(lanes[0]), .q_o(leaves[0])
  );
  assign leaves[1] = lanes[1];

  assign east_i[0] = inner_i[0];
  assign west_i[1] = inner_i[1];

  // -------------------------------------------------------------------- ports of reticle a -------
  localparam int unsigned North = 0;
  localparam int unsigned East = 2 * Cols;
  localparam int unsigned South = East + Rows;
  localparam int unsigned West = South + 2 * Cols;
  assign north_i[0] = links_i[North+:Cols];
  assign south_i[0] = links_i[South+:Cols];
  assign west_i[0] = links_i[West+:Rows];
  assign links_o[North+:Cols] = north_o[0];
  assign links_o[South+:Cols] = south_o[0];
  assign links_o[West+:Rows] = west_o[0];

  // -------------------------------------------------------------------- ports of reticle b -------
  localparam int unsigned Links = (2 * Cols + Rows) * $bits(link_t);
  localparam int unsigned Far = Links + 2 * Rows;
  localparam int unsigned Back = Links + 4 * Rows + 2;
  logic [Far-1:0]  far_d, half, far_q;
  logic [Back-1:0] back_d, back_q, ahead;
  logic [1:0][Rows-1:0] near_b, skip_b;  // [0] west, [1] east
  logic idle_b, up_b;
  for (genvar r = 0; r < Rows; r++) begin : gen_chain
    localparam int unsigned A = 2 * r;
    localparam int unsigned B = 2 * (Rows + r);
    assign {chain_e[0][r], chain_w[0][r]} = chain_i[A+:2];
    assign chain_near_o[A+:2] = {chain_e_near[0][r], chain_w_near[0][r]};
    assign chain_skip_o[A+:2] = {chain_e_skip[0][r], chain_w_skip[0][r]};
    assign far_d[Links+2*r+:2] = chain_i[B+:2];
    assign {chain_e[1][r], chain_w[1][r]} = far_q[Links+2*r+:2];
    assign chain_near_o[B+:2] = {near_b[1][r], near_b[0][r]};
    assign chain_skip_o[B+:2] = {skip_b[1][r], skip_b[0][r]};
  end
  assign far_d[Links-1:0] = {links_i[East+:Rows], links_i[South+Cols+:Cols], links_i[North+Cols+:Cols]};
  assign {east_i[1], south_i[1], north_i[1]} = far_q[Links-1:0];
  // The muxes of the reticle end in a register of its own clock, so only wires lie between the
  // clocks.
  assign back_d = {&link_up[1], idle[1] && &link_idle[1], chain_e_skip[1], chain_w_skip[1],
                   chain_e_near[1], chain_w_near[1], east_o[1], south_o[1], north_o[1]};
  ow_fpga_hop #(.Width(Far), .Falling(1'b1)) u_half (.clk_i(clk_a_i), .d_i(far_d), .q_o(half));
  ow_fpga_hop #(.Width(Far)) u_far (.clk_i(clk_b_i), .d_i(half), .q_o(far_q));
  ow_fpga_hop #(.Width(Back)) u_ahead (.clk_i(clk_b_i), .d_i(back_d), .q_o(ahead));
  ow_fpga_hop #(.Width(Back)) u_back (.clk_i(clk_a_i), .d_i(ahead), .q_o(back_q));
  assign {up_b, idle_b, skip_b, near_b, links_o[East+:Rows], links_o[South+Cols+:Cols],
          links_o[North+Cols+:Cols]} = back_q;

  assign up_o = &link_up[0] && up_b;
  assign idle_o = idle[0] && &link_idle[0] && idle_b;

endmodule
