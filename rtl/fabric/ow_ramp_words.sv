// SPDX-License-Identifier: Apache-2.0
// The data of a ramp's queues: one memory per queue, or if Small one memory for all output queues.
//
// ow_ramp knows where a queue begins and how long it is. A push writes after the end of its queue.
// Latency: a word can be read from the next cycle on. Throughput: one push and one read per queue
// and cycle. Small: one word is pushed into output queues per cycle, and one is read; the word that
// is read is there in the cycle after.
// Errors: none here; ow_ramp drops pushes that do not fit, and reports them.
//
//   Queues, QueueDepth, Small  as in ow_ramp
//   in_*, out_*       input and output queues: push_i: which take a word at the end of the cycle;
//                     data_i: the word; valid_i: which hold one; rp_i: the place of the first;
//                     level_i: how many; head_o: the first ones, or anything. out_head_o is 0 if
//                     Small
//   into_i            Small: the output queue that takes a word if one does; early in the cycle
//   inj_i             Small: the output queue whose first word is read, one-hot, or none; inj_o:
//                     the last word that was read

`include "ow_assert.svh"

module ow_ramp_words
  import ow_pkg::ramp_t;
  import ow_onehot_pkg::index;
#(
  parameter int unsigned Queues = ow_pkg::NUM_QUEUES,
  parameter int unsigned QueueDepth = ow_pkg::FULL_QUEUE_DEPTH,
  parameter bit Small = 1'b0,
  localparam int unsigned PtrW = $clog2(QueueDepth),
  localparam int unsigned QueueW = $clog2(Queues)
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  input  logic [Queues-1:0]            in_push_i,
  input  ramp_t                        in_data_i,
  input  logic [Queues-1:0]            in_valid_i,
  input  logic [Queues-1:0][PtrW-1:0]  in_rp_i,
  input  logic [Queues-1:0][3:0]       in_level_i,
  output ramp_t [Queues-1:0]           in_head_o,
  input  logic [Queues-1:0]            out_push_i,
  input  ramp_t [Queues-1:0]           out_data_i,
  input  logic [Queues-1:0]            out_valid_i,
  input  logic [Queues-1:0][PtrW-1:0]  out_rp_i,
  input  logic [Queues-1:0][3:0]       out_level_i,
  output ramp_t [Queues-1:0]           out_head_o,
  input  logic [QueueW-1:0]            into_i,
  input  logic [Queues-1:0]            inj_i,
  output ramp_t                        inj_o
);

  for (genvar q = 0; q < Queues; q++) begin : gen_in
    ow_ram_1r1w #(.Width($bits(ramp_t)), .Depth(QueueDepth)) u_in (
      .clk_i, .rst_i, .we_i(in_push_i[q]), .waddr_i(in_rp_i[q] + in_level_i[q][PtrW-1:0]),
      .wdata_i(in_data_i), .re_i(in_valid_i[q]), .raddr_i(in_rp_i[q]), .rdata_o(in_head_o[q])
    );
  end

  if (Small) begin : gen_one
    logic [QueueW-1:0] from;
    logic [PtrW-1:0] place;
    assign from = QueueW'(index(32'(inj_i)));
    assign place = out_rp_i[into_i] + out_level_i[into_i][PtrW-1:0];
    ow_ram_1r1w #(.Width($bits(ramp_t)), .Depth(Queues * QueueDepth), .ReadLatency(1)) u_out (
      .clk_i, .rst_i, .we_i(out_push_i != '0), .waddr_i({into_i, place}), .wdata_i(out_data_i[0]),
      .re_i(inj_i != '0), .raddr_i({from, out_rp_i[from]}), .rdata_o(inj_o)
    );
    assign out_head_o = '0;
    logic unused;
    assign unused = &{1'b0, out_valid_i, out_data_i};
  end else begin : gen_each
    for (genvar q = 0; q < Queues; q++) begin : gen_queue
      ow_ram_1r1w #(.Width($bits(ramp_t)), .Depth(QueueDepth)) u_out (
        .clk_i, .rst_i, .we_i(out_push_i[q]), .waddr_i(out_rp_i[q] + out_level_i[q][PtrW-1:0]),
        .wdata_i(out_data_i[q]), .re_i(out_valid_i[q]), .raddr_i(out_rp_i[q]),
        .rdata_o(out_head_o[q])
      );
    end
    assign inj_o = '0;
    logic unused;
    assign unused = &{1'b0, into_i, inj_i};
  end

endmodule
