// SPDX-License-Identifier: Apache-2.0
// The outputs of the control plane's router: which flow sends on each of them in this cycle.
//
// A flow is a network (requests, responses) and an input. An output that has taken the first word
// of a packet stays with this packet to its last word (lock). Requests and responses take turns
// when both could go; the inputs of a network go round robin. At a link data go first, but the
// control plane gets one of four slots that it waits for. The ramp takes a word when it is ready.
// Bounds: while a flow wants an output, each other input of its network begins at most one packet
// there before it. While it could go, words of the other network alternate with those of its own.
// Latency 0, one word per output and cycle. Errors: none; assertions report broken locks.
//
//   want_i    by output: flows with a copy for it, requests [4:0], responses [9:5], by input
//   credit_i  the far end of a link can take a word: of a request [3:0], of a response [7:4]
//   yield_i   links that data want too
//   ready_i   there is room at the ramp
//   tail_i    by output: the word of next_o is the last one of its packet
//   next_o    by output: the flow that goes next, one-hot; 0: none could
//   take_o    by output: it goes in this cycle; response_o: it belongs to a response
//   hold_o    by link: the slot belongs to the control plane, also if data want it (from
//             registers)
//   wait_o    by link: the control plane leaves the slot to data, and has waited for one more

`include "ow_assert.svh"

module ow_ctl_outputs
  import ow_pkg::*;
  import ow_onehot_pkg::lowest;
(
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic [NUM_PORTS-1:0][9:0] want_i,
  input  logic [7:0]                credit_i,
  input  logic [3:0]                yield_i,
  input  logic                      ready_i,
  input  logic [NUM_PORTS-1:0]      tail_i,
  output logic [NUM_PORTS-1:0][9:0] next_o,
  output logic [NUM_PORTS-1:0]      take_o,
  output logic [NUM_PORTS-1:0]      response_o,
  output logic [3:0]                hold_o,
  output logic [3:0]                wait_o
);

  typedef logic [4:0] inputs_t;
  // By output: the input that holds it, one-hot (0: it is free); the inputs above the last one
  // granted.
  inputs_t [NUM_PORTS-1:0] req_lock_q, rsp_lock_q, req_above_q, rsp_above_q;
  logic [NUM_PORTS-1:0] alt_q;         // responses are next when both want it
  logic [NUM_PORTS-1:0][1:0] share_q;  // slots waited for

  // The lowest of the inputs above the last one granted, or of all.
  function automatic inputs_t pick(input inputs_t cand, input inputs_t above);
    automatic inputs_t s;
    s = (cand & above) != '0 ? cand & above : cand;
    return inputs_t'(lowest(32'(s)));
  endfunction
  function automatic inputs_t above(input logic [3:0] one);
    return {|one, |one[2:0], |one[1:0], one[0], 1'b0};
  endfunction

  // A flow that has waited still can go: only going changes that.
  always_comb begin : hold
    for (int unsigned o = 0; o < 4; o++) hold_o[o] = share_q[o] == 2'd3;
  end

  logic [NUM_PORTS-1:0] some;
  logic two_hold, not_wanted;  // for assertions
  always_comb begin : choose
    automatic inputs_t reqs, rsps;
    automatic logic ramp;
    {reqs, rsps, ramp} = '0;
    {some, response_o, take_o, wait_o} = '0;
    {two_hold, not_wanted} = '0;
    next_o = '0;
    if (want_i != '0) begin
      for (int unsigned o = 0; o < NUM_PORTS; o++) begin
        ramp = 3'(o) == PORT_R;
        reqs = want_i[o][4:0] & (req_lock_q[o] == '0 ? '1 : req_lock_q[o]) &
               {5{ramp || credit_i[o%4]}};
        rsps = want_i[o][9:5] & (rsp_lock_q[o] == '0 ? '1 : rsp_lock_q[o]) &
               {5{ramp || credit_i[4+o%4]}};
        some[o] = (reqs | rsps) != '0;
        response_o[o] = rsps != '0 && (reqs == '0 || alt_q[o]);
        take_o[o] = some[o] && (ramp ? ready_i : !yield_i[o%4] || hold_o[o%4]);
        if (response_o[o]) next_o[o][9:5] = pick(rsps, rsp_above_q[o]);
        else next_o[o][4:0] = pick(reqs, req_above_q[o]);
        two_hold |= !$onehot0(req_lock_q[o]) || !$onehot0(rsp_lock_q[o]);
        not_wanted |= !$onehot0(next_o[o]) || (next_o[o] & ~want_i[o]) != '0;
      end
      wait_o = some[3:0] & ~take_o[3:0];
    end
  end

  always_ff @(posedge clk_i) begin : turns
    if (rst_i) begin
      req_lock_q <= '0;
      rsp_lock_q <= '0;
      req_above_q <= '0;
      rsp_above_q <= '0;
      alt_q <= '0;
      share_q <= '0;
    end else if (some != '0) begin
      for (int unsigned o = 0; o < NUM_PORTS; o++) begin
        if (some[o]) share_q[o] <= take_o[o] || 3'(o) == PORT_R ? '0 : share_q[o] + 2'd1;
        if (take_o[o]) alt_q[o] <= !response_o[o];
        if (take_o[o] && response_o[o]) begin
          rsp_lock_q[o] <= next_o[o][9:5] & {5{!tail_i[o]}};
          rsp_above_q[o] <= above(next_o[o][8:5]);
        end
        if (take_o[o] && !response_o[o]) begin
          req_lock_q[o] <= next_o[o][4:0] & {5{!tail_i[o]}};
          req_above_q[o] <= above(next_o[o][3:0]);
        end
      end
    end
  end

  `OW_ASSERT(lock_onehot, !two_hold, "two packets hold one output")
  `OW_ASSERT(held_for_some, (hold_o & ~some[3:0]) == '0, "a slot is kept for nobody")
  `OW_ASSERT(one_of_those, !not_wanted, "an output takes a word that is not for it")

endmodule
