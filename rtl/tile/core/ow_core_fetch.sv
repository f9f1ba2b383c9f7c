// SPDX-License-Identifier: Apache-2.0
// The fetch buffer of the scalar core.
//
// It holds three lines of 64 bits (two instructions each) in address order. The oldest line is the
// head; an empty buffer's head is the line that memory answers with. It reads ahead sequentially
// while there is room: straight-line code asks for one line every two cycles and tolerates two
// refused cycles per line. It asks for nothing outside the SRAM; the core raises the access fault
// itself.
//
// A request depends on registers only. So a redirect asks for the target's line in the next cycle,
// and the line can be decoded in the one after. Memory answers exactly one cycle after a grant. So
// an answer of before a redirect can arrive only with the redirect or in the next cycle, and is
// dropped.
//
//   redirect_i, target_i  discard the buffer and go on at target_i. flush_i: the same, but ask for
//                  nothing while it is high (the core does not run, its memory may be rewritten)
//   line_valid_o, line_o  the head line. line_kept_o: it is in the buffer, and so is there early
//   pop_i          its last instruction goes on
//   req_o, addr_o  to memory (8-byte aligned); gnt_i in the same cycle, rvalid_i and rdata_i in the
//                  next
//   rest_i         what target_i is while nothing is redirected
//   idle_o         nothing is under way or to be asked for, and no state changes unless there is a
//                  redirect or a line is popped. Those arrive late, and their source is not idle
//                  then

`include "ow_assert.svh"

module ow_core_fetch #(
  parameter int unsigned SramBytes = ow_pkg::FULL_SRAM_BYTES
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        flush_i,
  input  logic        redirect_i,
  /* verilator lint_off UNUSEDSIGNAL */ // which instruction of a line it is
  input  logic [31:0] target_i,
  input  logic [31:0] rest_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        line_valid_o,
  output logic        line_kept_o,
  output logic [63:0] line_o,
  input  logic        pop_i,

  output logic        req_o,
  output logic [23:0] addr_o,
  input  logic        gnt_i,
  input  logic        rvalid_i,
  input  logic [63:0] rdata_i,
  output logic        idle_o
);

  localparam int unsigned Lines = 3;

  logic [63:0]      head_line;
  logic [Lines-1:0] head_q;     // one-hot: the oldest line, and where the next answer goes
  logic [Lines-1:0] tail_q;
  logic [1:0]       count_q;
  logic             inflight_q;
  logic             drop_q;     // the answer under way is from before a redirect
  logic [28:0]      next_q;     // line address to ask for next
  logic             next_ok;    // it lies in the SRAM
  logic             arrives, restart;

  assign arrives = rvalid_i && !drop_q;
  assign restart = redirect_i || flush_i;
  assign next_ok = {next_q, 3'd0} < SramBytes;

  assign line_kept_o = count_q != 2'd0;
  assign line_valid_o = line_kept_o || arrives;
  assign line_o = (line_kept_o ? 64'd0 : rdata_i) | head_line;

  assign req_o = next_ok && !flush_i && (count_q + {1'b0, inflight_q && !drop_q}) != 2'(Lines);
  assign addr_o = {next_q[20:0], 3'd0};

  always_comb begin
    if (inflight_q) begin
      idle_o = 1'b0;
    end else if (flush_i) begin
      idle_o = count_q == 2'd0 && next_q == rest_i[31:3] && drop_q;
    end else begin
      idle_o = ~(next_ok && count_q != 2'(Lines)) && !drop_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q <= 2'd0;
      head_q <= Lines'(1);
      tail_q <= Lines'(1);
      inflight_q <= 1'b0;
      drop_q <= 1'b0;
      next_q <= 29'd0;
    end else begin
      inflight_q <= req_o && gnt_i;
      drop_q <= restart;
      if (restart) begin
        count_q <= 2'd0;
        head_q <= tail_q;
        next_q <= target_i[31:3];
      end else begin
        count_q <= count_q - {1'b0, pop_i} + {1'b0, arrives};
        if (pop_i) head_q <= {head_q[Lines-2:0], head_q[Lines-1]};
        if (arrives) tail_q <= {tail_q[Lines-2:0], tail_q[Lines-1]};
        if (req_o && gnt_i) next_q <= next_q + 29'd1;
      end
    end
  end

  logic [Lines-1:0][63:0] line_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Lines; i++) if (arrives && tail_q[i]) line_q[i] <= rdata_i;
  end
  always_comb begin
    head_line = 64'd0;
    for (int unsigned i = 0; i < Lines; i++) begin
      head_line |= {64{line_kept_o && head_q[i]}} & line_q[i];
    end
  end

  `OW_ASSERT(AnswerAfterGrant_A, rvalid_i == inflight_q,
             "the memory must answer in the cycle after a grant")
  `OW_ASSERT(PopOnlyValid_A, !pop_i || line_valid_o, "a line is popped that is not there")

endmodule
