// SPDX-License-Identifier: Apache-2.0
// The clock of a unit that may sleep: clk_o has the edges of clk_i in cycles in which en_i is high
// before the edge.
//
//   Gate   1: a latch, open while clk_i is low, and an AND, as in a library's clock-gating cell. 0:
//          a wire, for targets whose clocks may not be gated. The unit is then clocked in every
//          cycle, and must not change in cycles in which en_i is low
//   en_i   settles before clk_i rises
//   test_en_i  the scan enable: every edge passes, so that a test can shift through the flip-flops of
//          a unit that sleeps
//   clk_o  rises with clk_i

`include "ow_assert.svh"

module ow_clock_gate #(
  parameter bit Gate = 1'b0
) (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);

  if (Gate) begin : gen_gate
    logic en_l;
    always_latch begin
      if (!clk_i) en_l = en_i | test_en_i;
    end
    assign clk_o = clk_i & en_l;
  end else begin : gen_wire
    assign clk_o = clk_i;
    logic unused;
    assign unused = en_i | test_en_i;
  end

endmodule
