// SPDX-License-Identifier: Apache-2.0
// ow_core_fetch: the fetch buffer of the scalar core.
//
// Three lines of 64 bits (two instructions each) in address order, the first of them at the head.
// It reads ahead sequentially while there is room: straight-line code asks for one line every two
// cycles and tolerates two refused cycles a line. It asks for nothing outside the SRAM; the core
// raises the access fault itself.
//
// A redirect asks for the target's line in the same cycle; granted at once, the target executes
// two cycles after the branch (a penalty of one cycle). The memory answers exactly one cycle after
// a grant, so the only answer that can be late is the one that arrives with the redirect, and it is
// dropped there.
//
// redirect_i/target_i: throw the buffer away and go on at target_i. flush_i/target_i: the same, but
//   ask for nothing while it is high (the core does not run, its memory may be rewritten).
// line_valid_o/line_o: the head line. pop_i: its last instruction has been executed.
// req_o, addr_o (8-byte aligned), gnt_i (same cycle), rvalid_i/rdata_i (the cycle after): memory.
// idle_o: nothing under way, nothing to ask for, no state about to change.

`include "ow_assert.svh"

module ow_core_fetch #(
  parameter int unsigned SramBytes = 49152
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        flush_i,
  input  logic        redirect_i,
  input  logic [31:0] target_i,
  output logic        line_valid_o,
  output logic [63:0] line_o,
  input  logic        pop_i,

  output logic        req_o,
  output logic [23:0] addr_o,
  input  logic        gnt_i,
  input  logic        rvalid_i,
  input  logic [63:0] rdata_i,
  output logic        idle_o
);

  logic [63:0] line0_q, line1_q, line2_q;
  logic [1:0]  count_q;
  logic        inflight_q;
  logic [20:0] next_q;      // line address to ask for next
  logic        next_ok_q;   // it lies in the SRAM

  logic        target_ok;
  logic [20:0] ask;         // line address asked for in this cycle

  assign line_valid_o = count_q != 2'd0;
  assign line_o = line0_q;

  assign target_ok = target_i < SramBytes;

  always_comb begin
    req_o = 1'b0;
    ask = next_q;
    if (redirect_i) begin
      req_o = target_ok & ~flush_i;
      ask = target_i[23:3];
    end else if (!flush_i) begin
      req_o = next_ok_q && (count_q + {1'b0, inflight_q}) != 2'd3;
    end
  end
  assign addr_o = {ask, 3'd0};

  logic room;
  assign room = count_q != 2'd3;
  always_comb begin
    if (inflight_q || redirect_i) begin
      idle_o = 1'b0;
    end else if (flush_i) begin
      idle_o = count_q == 2'd0 && next_q == target_i[23:3] && next_ok_q == target_ok;
    end else begin
      idle_o = ~(next_ok_q & room);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q <= 2'd0;
      inflight_q <= 1'b0;
      next_q <= 21'd0;
      next_ok_q <= 1'b1;
    end else begin
      inflight_q <= req_o & gnt_i;
      if (redirect_i || flush_i) begin
        count_q <= 2'd0;
        next_q <= target_i[23:3];
        next_ok_q <= target_ok;
      end
      if (req_o && gnt_i) begin
        next_q <= ask + 21'd1;
        next_ok_q <= {8'd0, ask, 3'd0} + 32'd8 < SramBytes;
      end
      if (!redirect_i && !flush_i && (pop_i || rvalid_i)) begin
        count_q <= count_q - {1'b0, pop_i} + {1'b0, rvalid_i};
        if (pop_i) begin
          line0_q <= line1_q;
          line1_q <= line2_q;
        end
        if (rvalid_i) begin
          unique case (count_q - {1'b0, pop_i})
            2'd0: line0_q <= rdata_i;
            2'd1: line1_q <= rdata_i;
            default: line2_q <= rdata_i;
          endcase
        end
      end
    end
  end

  `OW_ASSERT(AnswerAfterGrant_A, rvalid_i == inflight_q,
             "the memory must answer in the cycle after a grant")
  `OW_ASSERT(PopOnlyValid_A, !pop_i || line_valid_o, "a line is popped that is not there")

endmodule
