// SPDX-License-Identifier: Apache-2.0
// Makes the records that go to the host (docs/fpga.md), one byte per cycle: answers of chains,
// status, reports of queues, and wavelets from the ports. Each port in turn gives up to 16
// wavelets; they are looked at a cycle after they arrive. Reports go only to the front of a frame.
// So one report covers all that a queue has sent while the frame before was on the wire.
//
//   answer_*       a chain's answer: it is there, its first byte, take a byte, the last was taken
//   status_*       a status record is wanted, valid/ready; flags_i and cycle_i are its contents
//   due_i, room_*  queues to be reported, and a report, valid/ready (ow_bridge_queues)
//   heads_i ...    what arrived at the ports (ow_bridge_port); command_o: what is popped holds
//                  commands
//   data_*         payload to the host, valid/ready; fresh_i: it begins a frame
//   flush_o        nothing is there to be sent in this frame
`include "ow_assert.svh"

module ow_bridge_gather
  import ow_isa_pkg::*;
#(
  parameter int unsigned Ports = 8,
  parameter int unsigned NumColours = ow_pkg::MINI_NUM_COLOURS,
  localparam int unsigned QueueW = $clog2(NumColours + 2),
  localparam int unsigned PortW = $clog2(Ports),
  localparam int unsigned GoneW = $clog2(HOST_QUEUE_SLOTS) + 1
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              answer_valid_i,
  input  logic [7:0]        answer_i,
  output logic              answer_shift_o,
  output logic              answer_taken_o,
  input  logic              status_i,
  output logic              status_ready_o,
  input  logic [7:0]        flags_i,
  input  logic [47:0]       cycle_i,
  input  logic              due_i,
  input  logic              room_valid_i,
  output logic              room_ready_o,
  input  logic [PortW-1:0]  room_port_i,
  input  logic [QueueW-1:0] room_queue_i,
  input  logic [GoneW-1:0]  room_gone_i,
  input  logic [1:0]        room_credits_i,
  input  logic [Ports-1:0]  heads_i,
  input  logic [Ports-1:0][37:0] wavelets_i,
  output logic [Ports-1:0]  pop_o,
  output logic              command_o,
  output logic              data_valid_o,
  input  logic              data_ready_i,
  output logic [7:0]        data_o,
  input  logic              fresh_i,
  output logic              flush_o
);

  `OW_ASSERT_INIT(ports, Ports >= 2 && Ports <= 256)
  `OW_ASSERT_INIT(room, GoneW <= HOST_ROOM_CREDITS_BIT)

  logic [63:0] shift_q;     // its lowest byte is the next one
  logic [3:0]  left_q;      // bytes in it
  logic [3:0]  answer_q;    // bytes of the chain's answer that follow
  logic        chosen_q;    // a port and a colour are selected
  logic [PortW-1:0] chosen_port_q;
  logic [4:0]  chosen_colour_q;
  logic [PortW-1:0] port_q; // the port whose turn it is
  logic [3:0]  turn_q;      // wavelets that it has given
  logic        in_front_q;  // only reports stand in the frame so far

  logic free, reporting, chosen, head, head_q, passes;
  logic [37:0] wavelet;     // of the port, if head_q
  logic [4:0] room_colour;
  logic loads_answer, loads_status, loads_room, loads_select, loads_wavelet;
  assign free = left_q == '0 && answer_q == '0;
  assign reporting = due_i && (fresh_i || in_front_q);
  assign head = 32'(port_q) < Ports && heads_i[port_q];
  assign passes = (free && !head) || (loads_wavelet && turn_q == '1);  // to the next port
  always_ff @(posedge clk_i) begin : look
    head_q <= head && !passes && !loads_wavelet && !rst_i;
    wavelet <= wavelets_i[port_q];
  end
  assign command_o = ow_link_pkg::is_command(wavelet[37:33], wavelet[32], wavelet[31:0]);
  assign chosen = chosen_q && chosen_port_q == port_q && chosen_colour_q == wavelet[37:33];
  assign room_colour = ow_link_pkg::to_colour(5'(room_queue_i), 5'(NumColours));

  // One of these is loaded.
  assign loads_answer = free && answer_valid_i;
  assign loads_status = free && !answer_valid_i && status_i;
  assign loads_room = free && !answer_valid_i && !status_i && reporting && room_valid_i;
  assign loads_select = free && !answer_valid_i && !status_i && !reporting && head_q && !chosen;
  assign loads_wavelet = free && !answer_valid_i && !status_i && !reporting && head_q && chosen;
  assign status_ready_o = loads_status;
  assign room_ready_o = free && !answer_valid_i && !status_i && reporting;

  assign data_valid_o = !free;
  assign data_o = left_q != '0 ? shift_q[7:0] : answer_i;
  assign answer_shift_o = data_valid_o && data_ready_i && left_q == '0;
  assign answer_taken_o = answer_shift_o && answer_q == 4'd1;
  assign flush_o = free && !answer_valid_i && !status_i && !reporting && heads_i == '0;

  always_comb begin : pops
    for (int unsigned p = 0; p < Ports; p++) pop_o[p] = loads_wavelet && port_q == PortW'(p);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      left_q <= '0;
      answer_q <= '0;
      chosen_q <= 1'b0;
      chosen_port_q <= '0;
      chosen_colour_q <= '0;
      port_q <= '0;
      turn_q <= '0;
      in_front_q <= 1'b0;
    end else begin
      if (data_valid_o && data_ready_i) begin
        if (left_q != '0) left_q <= left_q - 4'd1;
        else answer_q <= answer_q - 4'd1;
      end
      if (loads_answer) {left_q, answer_q} <= {4'd1, 4'd8};
      if (loads_status) left_q <= 4'd8;
      if (loads_room) left_q <= 4'd4;
      if (loads_select) begin
        left_q <= 4'd3;
        chosen_q <= 1'b1;
        chosen_port_q <= port_q;
        chosen_colour_q <= wavelet[37:33];
      end
      if (loads_wavelet) begin
        left_q <= 4'd5;
        turn_q <= turn_q + 4'd1;
      end
      if (passes) begin
        port_q <= 32'(port_q) >= Ports - 1 ? '0 : port_q + PortW'(1);
        turn_q <= '0;
      end
      // The front ends with the first other record, or when no queue is left to be reported.
      if (loads_room) in_front_q <= 1'b1;
      else if (loads_answer || loads_status || loads_select || loads_wavelet || (free && !due_i)) begin
        in_front_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (data_valid_o && data_ready_i) shift_q <= {8'd0, shift_q[63:8]};
    if (loads_answer) shift_q[7:0] <= 8'(HOST_RECORD_CHAIN);
    if (loads_status) shift_q <= {cycle_i, flags_i, 8'(HOST_RECORD_STATUS)};
    if (loads_room) begin
      shift_q[31:0] <= {room_credits_i, 6'(room_gone_i), 3'd0, room_colour, 8'(room_port_i),
                        8'(HOST_RECORD_ROOM)};
    end
    if (loads_select) begin
      shift_q[23:0] <= {3'd0, wavelet[37:33], 8'(port_q), 8'(HOST_RECORD_SELECT)};
    end
    if (loads_wavelet) begin
      shift_q[39:0] <= {wavelet[31:0], wavelet[32] ? 8'(HOST_RECORD_CONTROL) : 8'(HOST_RECORD_DATA)};
    end
  end

endmodule
