// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue with registered storage.
//
// Protocol: push_i puts data_i in at the end of the cycle, and may be high only while full_o is
// low. pop_i removes the head at the end of the cycle, and may be high only while empty_o is low.
// Both may be high in one cycle. data_o is the head (read from storage without a clock), valid
// while empty_o is low.
// Latency: a word that is pushed in cycle t can be popped in cycle t + 1. Throughput: one push and
// one pop per cycle for a Depth of 2 or more; every other cycle for 1.
// Errors: a push when full is dropped and a pop when empty is ignored; assertions report both.
//
//   Width             bits per element, 1 or more
//   Depth             elements, 1 or more, any number
//   push_i, data_i, full_o  the side of the producer
//   pop_i, data_o, empty_o  the side of the consumer
//   level_o           elements held

`include "ow_assert.svh"

module ow_fifo #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 8,
  localparam int unsigned LevelW = $clog2(Depth + 1)
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              push_i,
  input  logic [Width-1:0]  data_i,
  output logic              full_o,
  input  logic              pop_i,
  output logic [Width-1:0]  data_o,
  output logic              empty_o,
  output logic [LevelW-1:0] level_o
);

  `OW_ASSERT_INIT(width_at_least_1, Width >= 1)
  `OW_ASSERT_INIT(depth_at_least_1, Depth >= 1)

  localparam int unsigned PtrW = (Depth > 1) ? $clog2(Depth) : 1;
  localparam logic [PtrW-1:0] LastSlot = PtrW'(Depth - 1);

  logic [Width-1:0]  mem_q [Depth];
  logic [PtrW-1:0]   rptr_q, wptr_q;
  logic [LevelW-1:0] level_q;

  assign full_o  = level_q == LevelW'(Depth);
  assign empty_o = level_q == '0;
  assign level_o = level_q;
  assign data_o  = mem_q[rptr_q];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rptr_q  <= '0;
      wptr_q  <= '0;
      level_q <= '0;
    end else if (push_i || pop_i) begin
      if (push_i && !full_o) begin
        mem_q[wptr_q] <= data_i;
        wptr_q        <= (wptr_q == LastSlot) ? '0 : wptr_q + 1'b1;
      end
      if (pop_i && !empty_o) begin
        rptr_q <= (rptr_q == LastSlot) ? '0 : rptr_q + 1'b1;
      end
      if ((push_i && !full_o) && !(pop_i && !empty_o)) begin
        level_q <= level_q + 1'b1;
      end else if (!(push_i && !full_o) && (pop_i && !empty_o)) begin
        level_q <= level_q - 1'b1;
      end
    end
  end

  `OW_ASSERT(no_push_when_full, !(push_i && full_o), "push into a full queue")
  `OW_ASSERT(no_pop_when_empty, !(pop_i && empty_o), "pop from an empty queue")

endmodule
