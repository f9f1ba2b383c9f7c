// SPDX-License-Identifier: Apache-2.0
// Credits of a sender, for several channels side by side. Each channel has Slots credits at the
// start.
//
// Protocol: a credit that comes (give_i) can be spent in the same cycle, or if Later in the next
// one. some_o and all_o say what can be spent. spend_i takes one credit, drain_i all; both only of
// channels with some_o.
// Latency 0 (1 if Later); each channel may get and spend a credit in every cycle. The state is one
// vector of a bit per channel for each credit, so one operation works on all channels.
// Errors: a credit for a channel that has all is one too many. It is dropped, and surplus_o and an
// assertion report it.
//
//   Channels          how many, 1 or more
//   Slots             credits of a channel, 1 or more
//   Later             some_o and all_o depend on registers only
//   set_i             channels whose credits are set to all (set_full_i) or to none at the end of
//                     the cycle, whatever else happens
//   give_i, spend_i, drain_i  a credit comes; one is spent; all are
//   some_o            channels with a credit in hand; unless Later, arriving credits included
//   all_o             channels with all of them in hand, likewise
//   surplus_o         channels that got a credit too many in this cycle
//   level_o           what is in hand at the start of the cycle: bit c of word k: more than k

`include "ow_assert.svh"

module ow_credit #(
  parameter int unsigned Channels = 1,
  parameter int unsigned Slots = 2,
  parameter bit Later = 1'b0
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic [Channels-1:0]            set_i,
  input  logic [Channels-1:0]            set_full_i,
  input  logic [Channels-1:0]            give_i,
  input  logic [Channels-1:0]            spend_i,
  input  logic [Channels-1:0]            drain_i,
  output logic [Channels-1:0]            some_o,
  output logic [Channels-1:0]            all_o,
  output logic [Channels-1:0]            surplus_o,
  output logic [Slots-1:0][Channels-1:0] level_o
);

  `OW_ASSERT_INIT(channels_at_least_1, Channels >= 1)
  `OW_ASSERT_INIT(slots_at_least_1, Slots >= 1)

  typedef logic [Channels-1:0] channels_t;
  channels_t [Slots-1:0] level_q, level;  // bit c of word k: channel c has more than k

  always_comb begin : arrive
    level[0] = level_q[0] | give_i;
    for (int unsigned k = 1; k < Slots; k++) level[k] = level_q[k] | (level_q[k-1] & give_i);
  end
  assign some_o = Later ? level_q[0] : level[0];
  assign all_o = Later ? level_q[Slots-1] : level[Slots-1];
  assign surplus_o = level_q[Slots-1] & give_i;
  assign level_o = level_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      level_q <= '1;
    end else begin
      for (int unsigned k = 0; k < Slots; k++) begin
        level_q[k] <= (((k + 1 < Slots ? (level[k] & ~spend_i) | level[(k+1)%Slots]
                                       : level[k] & ~spend_i) & ~drain_i) & ~set_i) |
                      (set_i & set_full_i);
      end
    end
  end

  `OW_ASSERT(no_surplus, surplus_o == '0, "a credit came back that was not spent")
  `OW_ASSERT(spent_in_hand, ((spend_i | drain_i) & ~some_o) == '0,
             "a credit was spent that was not in hand")

endmodule
