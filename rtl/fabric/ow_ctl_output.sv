// SPDX-License-Identifier: Apache-2.0
// One output of the control plane's router: which flow sends on it in this cycle.
//
// A flow is a network (requests, responses) and an input. An output that has taken the first word
// of a packet stays with it to the tail (lock). Requests and responses take turns when both could
// go, the inputs of a network round robin. Towards a link data go first, but of four slots that the
// control plane waits for it gets one.
// Latency 0.
//
//   ToRamp      the output is the ramp: ready_i decides, not the data
//   want_i      flows with a copy for this output: requests [4:0], responses [9:5], by input
//   credit_i    the far end can take a word: of a request [0], of a response [1]
//   yield_i     data want this output, too (links)
//   ready_i     there is room (ramp)
//   tail_i      the word of next_o is the last one of its packet
//   next_o      the flow that goes next, one-hot; 0: none could
//   take_o      it goes in this cycle
//   response_o  it is one of responses
//   wait_o      it has to leave the slot to data, and has waited for one more

`include "ow_assert.svh"

module ow_ctl_output #(
  parameter bit ToRamp = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic [9:0] want_i,
  input  logic [1:0] credit_i,
  input  logic       yield_i,
  input  logic       ready_i,
  input  logic       tail_i,
  output logic [9:0] next_o,
  output logic       take_o,
  output logic       response_o,
  output logic       wait_o
);

  typedef logic [4:0] inputs_t;
  inputs_t req_lock_q, rsp_lock_q;    // the input that holds the output, one-hot; 0: it is free
  inputs_t req_above_q, rsp_above_q;  // the inputs above the last one granted
  logic alt_q;                        // responses are next when both want it
  logic [1:0] share_q;                // slots waited for

  // The lowest of the inputs above the last one granted, or of all.
  function automatic inputs_t pick(input inputs_t cand, input inputs_t above);
    automatic inputs_t s;
    s = (cand & above) != '0 ? cand & above : cand;
    return s & (~s + 5'd1);
  endfunction
  function automatic inputs_t above(input logic [3:0] one);
    return {|one, |one[2:0], |one[1:0], one[0], 1'b0};
  endfunction

  logic some;
  inputs_t one;
  always_comb begin : choose
    automatic inputs_t reqs, rsps;
    {reqs, rsps, one} = '0;
    {some, response_o, take_o, wait_o} = '0;
    next_o = '0;
    if (want_i != '0) begin
      reqs = want_i[4:0] & (req_lock_q == '0 ? '1 : req_lock_q) & {5{credit_i[0]}};
      rsps = want_i[9:5] & (rsp_lock_q == '0 ? '1 : rsp_lock_q) & {5{credit_i[1]}};
      some = (reqs | rsps) != '0;
      response_o = rsps != '0 && (reqs == '0 || alt_q);
      one = response_o ? pick(rsps, rsp_above_q) : pick(reqs, req_above_q);
      take_o = some && (ToRamp ? ready_i : !yield_i || share_q == 2'd3);
      wait_o = !ToRamp && some && !take_o;
      next_o = {one & {5{response_o}}, one & {5{!response_o}}};
    end
  end

  always_ff @(posedge clk_i) begin : turns
    if (rst_i) begin
      req_lock_q <= '0;
      rsp_lock_q <= '0;
      req_above_q <= '0;
      rsp_above_q <= '0;
      alt_q <= 1'b0;
      share_q <= '0;
    end else if (some) begin
      share_q <= take_o ? '0 : share_q + 2'(!ToRamp);
      if (take_o) alt_q <= !response_o;
      if (take_o && response_o) begin
        rsp_lock_q <= one & {5{!tail_i}};
        rsp_above_q <= above(one[3:0]);
      end
      if (take_o && !response_o) begin
        req_lock_q <= one & {5{!tail_i}};
        req_above_q <= above(one[3:0]);
      end
    end
  end

  `OW_ASSERT(lock_onehot, $onehot0(req_lock_q) && $onehot0(rsp_lock_q),
             "two packets hold one output")
  `OW_ASSERT(one_of_those, $onehot0(next_o) && (next_o & ~want_i) == '0,
             "an output takes a word that is not for it")

endmodule
