// SPDX-License-Identifier: Apache-2.0
// What goes into an FPGA, whatever the board: the mini-grid, the host bridge, and a UART. A board's
// file adds pins and the two clocks.
//
//   ClockHz, Baud   of the clocks, of the UART (ow_uart)
//   ResendCycles    see ow_host_tx; 0: a twentieth of a second
//   the others      of a reticle and its tiles (ow_fpga_grid)
//   clk_a_i, clk_b_i   one frequency; the second one a quarter of a period later
//   rst_i           synchronous to clk_a_i
//   uart_*          pins, of the board: in and out
//   led_o           0: alive (blinks); 1: a session; 2: frames come; 3: the crossings carry frames;
//                   4: something in the grid works; 5: a rule of the links was broken

module ow_fpga_top
  import ow_pkg::*;
#(
  parameter int unsigned ClockHz = 50_000_000,
  parameter int unsigned Baud = 3_000_000,
  parameter int unsigned ResendCycles = 0,
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
  parameter bit Tiles = 1'b1
) (
  input  logic       clk_a_i,
  input  logic       clk_b_i,
  input  logic       rst_i,
  input  logic       uart_rx_i,
  output logic       uart_tx_o,
  output logic [5:0] led_o
);

  localparam int unsigned Ports = 2 * (Rows + 2 * Cols);
  localparam int unsigned Ends = 4 * Rows;

  logic rx_valid, tx_valid, tx_ready;
  logic [7:0] rx_data, tx_data;
  ow_uart #(.ClockHz(ClockHz), .Baud(Baud)) u_uart (
    .clk_i(clk_a_i), .rst_i, .rx_i(uart_rx_i), .tx_o(uart_tx_o),
    .rx_valid_o(rx_valid), .rx_data_o(rx_data),
    .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_data_i(tx_data)
  );

  logic grid_rst, idle, up, open, heard, fault;
  logic [47:0] cycle;
  link_t [Ports-1:0] to_grid, from_grid;
  logic [Ends-1:0] chain, chain_near, chain_skip;
  ow_bridge #(
    .ReticleRows(1), .ReticleCols(2), .Rows(Rows), .Cols(Cols), .SpareRows(0), .SpareCols(0),
    .NumColours(NumColours), .ResendCycles(ResendCycles == 0 ? ClockHz / 20 : ResendCycles)
  ) u_bridge (
    .clk_i(clk_a_i), .rst_i, .rx_valid_i(rx_valid), .rx_data_i(rx_data),
    .tx_valid_o(tx_valid), .tx_ready_i(tx_ready), .tx_data_o(tx_data),
    .grid_rst_o(grid_rst), .cycle_i(cycle), .idle_i(idle),
    .links_i(from_grid), .links_o(to_grid),
    .chain_o(chain), .chain_near_i(chain_near), .chain_skip_i(chain_skip),
    .open_o(open), .heard_o(heard), .fault_o(fault)
  );

  ow_fpga_grid #(
    .Rows(Rows), .Cols(Cols), .Lanes(Lanes), .SramBytes(SramBytes), .NumColours(NumColours),
    .NumThreads(NumThreads), .QueueDepth(QueueDepth),
    .LineSlots(LineSlots), .WriteSlots(WriteSlots), .PackSlots(PackSlots),
    .SramBanks(SramBanks), .ReduceAdders(ReduceAdders), .SmallRouter(SmallRouter),
    .SmallTile(SmallTile),
    .Features(Features), .Operations(Operations), .Tiles(Tiles)
  ) u_grid (
    .clk_a_i, .clk_b_i, .rst_i(grid_rst), .cycle_o(cycle), .links_i(to_grid), .links_o(from_grid),
    .chain_i(chain), .chain_near_o(chain_near), .chain_skip_o(chain_skip), .up_o(up),
    .idle_o(idle)
  );

  // The light for a frame stays on for 2^21 cycles, long enough to see.
  logic [25:0] alive_q;
  logic [20:0] heard_q;
  always_ff @(posedge clk_a_i) begin
    if (rst_i) begin
      alive_q <= '0;
      heard_q <= '0;
    end else begin
      alive_q <= alive_q + 26'd1;
      if (heard) heard_q <= '1;
      else if (heard_q != '0) heard_q <= heard_q - 21'd1;
    end
  end
  assign led_o = {fault, !idle, up, heard_q != '0, open, alive_q[25]};

endmodule
