// SPDX-License-Identifier: Apache-2.0
// Memory with one write and one read port, for state that a latch array, a register file or LUT RAM
// can hold: no reset, whole words.
//
// Latency: a write can be read from the next cycle on. With ReadLatency 0, rdata_o is the word at
// raddr_i in the same cycle. With 1, rdata_o is, from the next cycle on, the word that was at
// raddr_i when re_i was last high. A read and a write of one word in one cycle give the old word.
// Errors: a write beyond Depth is ignored, and a read beyond it gives anything; assertions report
// both. A word that was never written is anything.
//
//   Width             bits per word, 1 or more
//   Depth             words, 2 or more, any number
//   ReadLatency       0 or 1 cycle
//   we_i, waddr_i, wdata_i  write
//   re_i, raddr_i, rdata_o  read; re_i: raddr_i counts

`include "ow_assert.svh"

module ow_ram_1r1w #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 32,
  parameter int unsigned ReadLatency = 0,
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_i,  // for the assertions only
  input  logic             we_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic             re_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [Width-1:0] rdata_o
);

  `OW_ASSERT_INIT(width_at_least_1, Width >= 1)
  `OW_ASSERT_INIT(depth_at_least_2, Depth >= 2)
  `OW_ASSERT_INIT(latency_is_0_or_1, ReadLatency <= 1)

  (* ram_style = "distributed" *) logic [Width-1:0] mem_q [Depth];

  always_ff @(posedge clk_i) if (we_i) mem_q[waddr_i] <= wdata_i;

  if (ReadLatency == 0) begin : gen_now
    assign rdata_o = mem_q[raddr_i];
  end else begin : gen_next
    logic [Width-1:0] rdata_q;
    always_ff @(posedge clk_i) if (re_i) rdata_q <= mem_q[raddr_i];
    assign rdata_o = rdata_q;
  end

  `OW_ASSERT(write_in_range, !we_i || 32'(waddr_i) < Depth, "a write beyond the memory")
  `OW_ASSERT(read_in_range, !re_i || 32'(raddr_i) < Depth, "a read beyond the memory")

  logic unused;
  assign unused = &{1'b0, rst_i, re_i};

endmodule
