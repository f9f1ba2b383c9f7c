// SPDX-License-Identifier: Apache-2.0
// The host bridge: the grid's edge ports and the test-access chains over one byte stream each way.
// docs/fpga.md is the specification. ow_host_link carries records whole and in order whatever the
// wire does. ow_bridge_parse carries out those from the host, ow_bridge_gather makes those to it.
//
// A new session resets the grid and the bridge's ports: grid_rst_o is high for at least
// ResetCycles.
//
//   ReticleRows ... SpareCols   the grid's shape, as ow_wafer has it; told to the host
//   NumColours     data colours of the tiles
//   ResendCycles   see ow_host_tx
//   ResetCycles    16 or more
//   rx_*           bytes from the host; no ready, since a wire does not wait
//   tx_*           bytes to the host, valid/ready
//   grid_rst_o     reset of the grid, a register
//   cycle_i        the grid's cycle count
//   idle_i         nothing in the grid can change before an edge port does
//   links_i/_o     edge ports, links_o from registers: north by column, east by row, south, west
//   chain_*        ends of the test-access chains: (reticle * physical rows + row) * 2, + 1: east
//   open_o         there is a session; heard_o: for one cycle, a correct frame came
//   fault_o        a rule of the links was broken since the session began
`include "ow_assert.svh"

module ow_bridge
  import ow_pkg::*;
  import ow_isa_pkg::*;
#(
  parameter int unsigned ReticleRows = 1,
  parameter int unsigned ReticleCols = 2,
  parameter int unsigned Rows = 2,
  parameter int unsigned Cols = 1,
  parameter int unsigned SpareRows = 0,
  parameter int unsigned SpareCols = 0,
  parameter int unsigned NumColours = MINI_NUM_COLOURS,
  parameter int unsigned ResendCycles = 2_500_000,
  parameter int unsigned ResetCycles = 32,
  localparam int unsigned Ports = 2 * (ReticleRows * Rows + ReticleCols * Cols),
  localparam int unsigned Ends = 2 * ReticleRows * ReticleCols * (Rows + SpareRows)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             rx_valid_i,
  input  logic [7:0]       rx_data_i,
  output logic             tx_valid_o,
  input  logic             tx_ready_i,
  output logic [7:0]       tx_data_o,
  output logic             grid_rst_o,
  input  logic [47:0]      cycle_i,
  input  logic             idle_i,
  input  link_t [Ports-1:0] links_i,
  output link_t [Ports-1:0] links_o,
  output logic [Ends-1:0]  chain_o,
  input  logic [Ends-1:0]  chain_near_i,
  input  logic [Ends-1:0]  chain_skip_i,
  output logic             open_o,
  output logic             heard_o,
  output logic             fault_o
);

  `OW_ASSERT_INIT(ports_in_a_byte, Ports <= 256)
  `OW_ASSERT_INIT(reset_cycles, ResetCycles >= 16 && ResetCycles <= 255)

  localparam int unsigned Queues = NumColours + 2;
  localparam int unsigned QueueW = $clog2(Queues);
  localparam int unsigned PortW = $clog2(Ports);
  localparam int unsigned GoneW = $clog2(HOST_QUEUE_SLOTS) + 1;

  // -------------------------------------------------------------------------------- stream -------
  logic restart, ready;
  logic down_valid, down_ready, up_valid, up_ready, flush, fresh;
  logic [7:0] down, up;
  logic [HOST_INFO_BYTES*8-1:0] info;
  assign info = {8'(HOST_QUEUE_SLOTS), 8'(NumColours), 8'(SpareCols), 8'(SpareRows), 8'(Cols), 8'(Rows),
                 8'(ReticleCols), 8'(ReticleRows), 8'(HOST_PROTOCOL)};

  ow_host_link #(.ResendCycles(ResendCycles)) u_link (
    .clk_i, .rst_i, .info_i(info), .restart_o(restart), .ready_i(ready), .open_o, .heard_o,
    .rx_valid_i, .rx_data_i, .tx_valid_o, .tx_ready_i, .tx_data_o,
    .out_valid_o(down_valid), .out_ready_i(down_ready), .out_o(down),
    .in_valid_i(up_valid), .in_ready_o(up_ready), .in_i(up), .flush_i(flush), .fresh_o(fresh)
  );

  // The session's reset: everything but the byte stream.
  logic [7:0] reset_q;  // cycles left
  logic       clear_q;
  logic       queues_ready;
  always_ff @(posedge clk_i) begin
    if (rst_i || restart) reset_q <= 8'(ResetCycles);
    else if (reset_q != '0) reset_q <= reset_q - 8'd1;
    clear_q <= rst_i || restart || reset_q != '0;
    grid_rst_o <= rst_i || restart || reset_q != '0;
  end
  assign ready = !clear_q && reset_q == '0 && queues_ready;

  // ------------------------------------------------------------------------ into the grid --------
  logic push, status_wanted, status_ready, report_all;
  logic [PortW-1:0] push_port;
  logic [QueueW-1:0] push_queue, scan_queue;
  logic [32:0] push_data;
  logic chain_load, chain_start, chain_done, chain_shift, chain_taken;
  logic [7:0] chain_byte, chain_select, chain_answer;
  logic answer_q;  // a command was started and its answer not taken
  logic [Ports-1:0] send;
  wavelet_t sent;
  logic [Ports-1:0][2:0] given;
  logic clear_counts;

  ow_bridge_parse #(.Ports(Ports), .NumColours(NumColours)) u_parse (
    .clk_i, .rst_i(clear_q), .data_valid_i(down_valid), .data_ready_o(down_ready), .data_i(down),
    .push_o(push), .push_port_o(push_port), .push_queue_o(push_queue), .push_data_o(push_data),
    .chain_load_o(chain_load), .chain_byte_o(chain_byte), .chain_select_o(chain_select),
    .chain_start_o(chain_start), .chain_free_i(!answer_q),
    .status_o(status_wanted), .status_ready_i(status_ready), .report_o(report_all)
  );

  logic room_valid, room_ready, due, queues_idle, surplus;
  logic [PortW-1:0] room_port;
  logic [QueueW-1:0] room_queue;
  logic [GoneW-1:0] room_gone;
  logic [1:0] room_credits;
  ow_bridge_queues #(.Ports(Ports), .NumColours(NumColours)) u_queues (
    .clk_i, .rst_i(clear_q), .ready_o(queues_ready),
    .push_i(push), .push_port_i(push_port), .push_queue_i(push_queue), .push_data_i(push_data),
    .send_port_o(send), .send_o(sent),
    .clear_o(clear_counts), .scan_queue_o(scan_queue), .given_i(given),
    .report_all_i(report_all), .room_valid_o(room_valid), .room_ready_i(room_ready),
    .room_port_o(room_port), .room_queue_o(room_queue), .room_gone_o(room_gone),
    .room_credits_o(room_credits), .due_o(due), .idle_o(queues_idle), .surplus_o(surplus)
  );

  // ---------------------------------------------------------------------------------- ports ------
  logic [Ports-1:0] heads, pop, moves;
  logic pop_command;
  logic [Ports-1:0][37:0] wavelets;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    ow_bridge_port #(.NumColours(NumColours)) u_port (
      .clk_i, .rst_i(clear_q), .link_i(links_i[p]), .link_o(links_o[p]),
      .send_i(send[p]), .wavelet_i(sent),
      .clear_i(clear_counts), .queue_i(scan_queue), .given_o(given[p]),
      .valid_o(heads[p]), .wavelet_o(wavelets[p]), .pop_i(pop[p]), .command_i(pop_command),
      .moves_o(moves[p])
    );
  end

  // --------------------------------------------------------------------------------- chains ------
  ow_bridge_chain #(.Ends(Ends)) u_chain (
    .clk_i, .rst_i(clear_q), .select_i(chain_select), .load_i(chain_load), .byte_i(chain_byte),
    .start_i(chain_start), .done_o(chain_done), .shift_i(chain_shift), .byte_o(chain_answer),
    .chain_o, .near_i(chain_near_i), .skip_i(chain_skip_i)
  );
  logic started_q;  // chain_done is about this command
  always_ff @(posedge clk_i) begin
    if (clear_q) begin
      answer_q <= 1'b0;
      started_q <= 1'b0;
    end else begin
      started_q <= answer_q;
      if (chain_start) answer_q <= 1'b1;
      else if (chain_taken) answer_q <= 1'b0;
    end
  end

  // --------------------------------------------------------------------------------- status ------
  // Quiet means idle for so long that
  //   - nothing is between two of its blocks;
  //   - a round over the queues has seen every credit that came;
  //   - no report is due that would let the host send more.
  localparam int unsigned StillW = PortW + QueueW + 1 > 8 ? PortW + QueueW + 1 : 8;
  logic [StillW-1:0] still_q;
  logic              fault_q;
  assign fault_o = fault_q;
  always_ff @(posedge clk_i) begin
    if (clear_q) begin
      still_q <= '0;
      fault_q <= 1'b0;
    end else begin
      if (!idle_i || !queues_idle || due || moves != '0 || push || answer_q) still_q <= '0;
      else if (still_q != '1) still_q <= still_q + StillW'(1);
      if (surplus) fault_q <= 1'b1;
    end
  end
  logic [7:0] flags;
  always_comb begin : state
    flags = '0;
    flags[HOST_QUIET_BIT] = still_q == '1;
    flags[HOST_CREDIT_BIT] = fault_q;
  end

  // ---------------------------------------------------------------------- out of the grid --------
  ow_bridge_gather #(.Ports(Ports), .NumColours(NumColours)) u_gather (
    .clk_i, .rst_i(clear_q),
    .answer_valid_i(answer_q && started_q && chain_done), .answer_i(chain_answer),
    .answer_shift_o(chain_shift), .answer_taken_o(chain_taken),
    .status_i(status_wanted), .status_ready_o(status_ready), .flags_i(flags), .cycle_i,
    .due_i(due), .room_valid_i(room_valid), .room_ready_o(room_ready), .room_port_i(room_port),
    .room_queue_i(room_queue), .room_gone_i(room_gone), .room_credits_i(room_credits),
    .heads_i(heads), .wavelets_i(wavelets), .pop_o(pop), .command_o(pop_command),
    .data_valid_o(up_valid), .data_ready_i(up_ready), .data_o(up), .fresh_i(fresh), .flush_o(flush)
  );

  // The rules of the streams inside.
  ow_stream_check #(.Width(8)) u_check_tx (
    .clk_i, .rst_i, .valid_i(tx_valid_o), .ready_i(tx_ready_i), .data_i(tx_data_o)
  );
  ow_stream_check #(.Width(8)) u_check_down (
    .clk_i, .rst_i(clear_q || restart), .valid_i(down_valid), .ready_i(down_ready), .data_i(down)
  );
  ow_stream_check #(.Width(8)) u_check_up (
    .clk_i, .rst_i(clear_q || restart), .valid_i(up_valid), .ready_i(up_ready), .data_i(up)
  );

endmodule
