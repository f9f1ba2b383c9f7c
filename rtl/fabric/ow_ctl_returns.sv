// SPDX-License-Identifier: Apache-2.0
// Credits that the control plane owes its neighbours: of requests and of responses, by link.
//
// A freed slot returns in the same cycle if the link's credit slot is free for it. One credit
// returns per cycle and link. Requests and responses take turns; after a reset a request's is
// first. The control plane goes before data, but data credits that wait get one of four slots, so
// no packet holds them up for its length.
// Bounds: while the control plane owes a credit, it has at least one of two slots in a row. A
// network that is owed one has at least one of two of these.
// Latency 0. Two credits per network and link (CTL_CREDITS). Errors: a count out of range is
// reported by an assertion.
//
//   freed_i     slots that are freed in this cycle: of requests [3:0], of responses [7:4], by link
//   waits_i     links for which data credits are due
//   return_o    links on which a credit returns
//   response_o  it is a credit of responses
//   due_o       a credit is owed or freed
//   owed_o      a credit is owed from before

`include "ow_assert.svh"

module ow_ctl_returns (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic [7:0] freed_i,
  input  logic [3:0] waits_i,
  output logic [3:0] return_o,
  output logic [3:0] response_o,
  output logic       due_o,
  output logic       owed_o
);

  logic [7:0] owed0_q, owed1_q;   // counts, two bit planes
  logic [3:0] wait0_q, wait1_q;   // slots that were taken while data credits waited
  logic [3:0] alt_q;              // responses are next when both are owed
  logic [7:0] due, back, more, less;

  assign due = freed_i | owed0_q | owed1_q;
  assign due_o = due != '0;
  assign owed_o = (owed0_q | owed1_q) != '0;
  always_comb begin
    {return_o, response_o, back, more, less} = '0;
    if (due != '0) begin
      return_o = (due[7:4] | due[3:0]) & ~(waits_i & wait0_q & wait1_q);
      response_o = due[7:4] & (~due[3:0] | alt_q) & return_o;
      back = {response_o, return_o & ~response_o};
      more = freed_i & ~back;
      less = back & ~freed_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      owed0_q <= '0;
      owed1_q <= '0;
      wait0_q <= '0;
      wait1_q <= '0;
      alt_q <= '0;
    end else if (due != '0) begin
      wait1_q <= (wait1_q ^ wait0_q) & waits_i & return_o;
      wait0_q <= ~wait0_q & waits_i & return_o;
      alt_q <= (alt_q & ~return_o) | (return_o & ~response_o);
      owed1_q <= owed1_q ^ ((more & owed0_q) | (less & ~owed0_q));
      owed0_q <= owed0_q ^ (more | less);
    end
  end

  `OW_ASSERT(owed_in_range, (owed1_q & owed0_q) == '0, "owed control credits out of range")

endmodule
