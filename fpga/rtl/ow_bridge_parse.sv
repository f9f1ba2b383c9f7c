// SPDX-License-Identifier: Apache-2.0
// Carries out the records that come from the host (docs/fpga.md). It takes one byte per cycle, or
// waits for the block that the record acts on. A byte that begins no record is skipped.
//
//   data_*          payload from the host, valid/ready
//   push_*          a wavelet of the port and colour that were selected, for one cycle
//   chain_*         bytes of a command, the end of the chain, the start (ow_bridge_chain)
//   chain_free_i    the chain has no command and no answer that waits
//   status_o        a status record is asked for: valid/ready
//   report_o        a report of every queue is asked for, for one cycle

`include "ow_assert.svh"

module ow_bridge_parse
  import ow_isa_pkg::*;
#(
  parameter int unsigned Ports = 8,
  parameter int unsigned NumColours = ow_pkg::MINI_NUM_COLOURS,
  localparam int unsigned QueueW = $clog2(NumColours + 2),
  localparam int unsigned PortW = $clog2(Ports)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              data_valid_i,
  output logic              data_ready_o,
  input  logic [7:0]        data_i,
  output logic              push_o,
  output logic [PortW-1:0]  push_port_o,
  output logic [QueueW-1:0] push_queue_o,
  output logic [32:0]       push_data_o,
  output logic              chain_load_o,
  output logic [7:0]        chain_byte_o,
  output logic [7:0]        chain_select_o,
  output logic              chain_start_o,
  input  logic              chain_free_i,
  output logic              status_o,
  input  logic              status_ready_i,
  output logic              report_o
);

  `OW_ASSERT_INIT(ports, Ports >= 2 && Ports <= 256)

  logic [3:0]        record_q;  // 0: the next byte begins one
  logic [3:0]        left_q;    // its bytes that are still to come
  logic [PortW-1:0]  port_q;
  logic [QueueW-1:0] queue_q;
  logic [31:0]       word_q;
  logic              push_q, start_q;
  logic [7:0]        select_q;
  logic              was_control_q;
  logic              take;

  // A record of one byte waits here until it is taken; a chain's, until the chain is free.
  assign status_o = record_q == HOST_RECORD_STATUS;
  assign data_ready_o = record_q == HOST_RECORD_CHAIN ? chain_free_i && !start_q
                                                 : record_q != HOST_RECORD_STATUS &&
                                                   record_q != HOST_RECORD_REPORT;
  assign take = data_valid_i && data_ready_o;
  assign push_o = push_q;
  assign push_port_o = port_q;
  assign push_queue_o = queue_q;
  assign push_data_o = {was_control_q, word_q};
  assign chain_load_o = take && record_q == HOST_RECORD_CHAIN && left_q != 4'd9;
  assign chain_byte_o = data_i;
  assign chain_select_o = select_q;
  assign chain_start_o = start_q;
  assign report_o = record_q == HOST_RECORD_REPORT;

  /* verilator lint_off UNUSEDSIGNAL */
  logic [4:0] queue;
  /* verilator lint_on UNUSEDSIGNAL */
  assign queue = ow_link_pkg::to_queue(data_i[4:0], 5'(NumColours));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      record_q <= '0;
      left_q <= '0;
      port_q <= '0;
      queue_q <= '0;
      push_q <= 1'b0;
      start_q <= 1'b0;
      select_q <= '0;
      was_control_q <= 1'b0;
    end else begin
      push_q <= 1'b0;
      start_q <= 1'b0;
      if (record_q == '0) begin
        if (take && data_i[7:4] == '0) begin
          unique case (data_i[3:0])
            HOST_RECORD_SELECT: {record_q, left_q} <= {HOST_RECORD_SELECT, 4'd2};
            HOST_RECORD_DATA, HOST_RECORD_CONTROL: {record_q, left_q} <= {data_i[3:0], 4'd4};
            HOST_RECORD_CHAIN: {record_q, left_q} <= {HOST_RECORD_CHAIN, 4'd9};
            HOST_RECORD_STATUS, HOST_RECORD_REPORT: {record_q, left_q} <= {data_i[3:0], 4'd0};
            default: ;
          endcase
        end
      end else if (record_q == HOST_RECORD_STATUS) begin
        if (status_ready_i) record_q <= '0;
      end else if (record_q == HOST_RECORD_REPORT) begin
        record_q <= '0;
      end else if (take) begin
        left_q <= left_q - 4'd1;
        if (left_q == 4'd1) begin
          record_q <= '0;
          push_q <= record_q == HOST_RECORD_DATA || record_q == HOST_RECORD_CONTROL;
          was_control_q <= record_q == HOST_RECORD_CONTROL;
          start_q <= record_q == HOST_RECORD_CHAIN;
        end
        if (record_q == HOST_RECORD_SELECT) begin
          if (left_q == 4'd2) port_q <= data_i[PortW-1:0];
          else queue_q <= queue[QueueW-1:0];
        end
        if (record_q == HOST_RECORD_CHAIN && left_q == 4'd9) select_q <= data_i;
      end
    end
  end
  always_ff @(posedge clk_i) if (take && record_q != '0) word_q <= {data_i, word_q[31:8]};

endmodule
