// SPDX-License-Identifier: Apache-2.0
// Checker of valid/ready channels, to be bound to them (docs/style.md, checkers): valid holds, and
// the payload is stable, until ready. It drives nothing. Without assertions it has no effect.
//
// Request and grant are valid and ready too. The parameters relax or extend the rules; a bind that
// uses them gives the reason. With MayFall and MayChange both set, only Grant and Room are checked.
//
//   Channels          channels side by side, 1 or more
//   Width             bits of a payload, 1 or more
//   MayFall           valid may fall before ready: the sender takes back what it offers
//   MayChange         the payload may change before ready: the sender offers something else
//   Grant             ready answers valid: it is never high without valid
//   Room              valid answers ready: it is never high without ready
//   valid_i, ready_i, data_i  the channels

`include "ow_assert.svh"

module ow_stream_check #(
  parameter int unsigned Channels = 1,
  parameter int unsigned Width = 32,
  parameter bit MayFall = 1'b0,
  parameter bit MayChange = 1'b0,
  parameter bit Grant = 1'b0,
  parameter bit Room = 1'b0
) (
  input logic                           clk_i,
  input logic                           rst_i,
  input logic [Channels-1:0]            valid_i,
  input logic [Channels-1:0]            ready_i,
  input logic [Channels-1:0][Width-1:0] data_i
);

  `OW_ASSERT_INIT(channels_at_least_1, Channels >= 1)
  `OW_ASSERT_INIT(width_at_least_1, Width >= 1)
  `OW_ASSERT_INIT(something_to_check, !MayFall || !MayChange || Grant || Room)

  logic [Channels-1:0] waits_q;  // the payload of the cycle before was not taken
  logic [Channels-1:0][Width-1:0] data_q;
  logic changed;

  always_comb begin : look
    changed = 1'b0;
    for (int unsigned c = 0; c < Channels; c++) begin
      if (waits_q[c] && valid_i[c] && data_i[c] != data_q[c]) changed = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    waits_q <= rst_i ? '0 : valid_i & ~ready_i;
    for (int unsigned c = 0; c < Channels; c++) begin
      if (valid_i[c] && !waits_q[c]) data_q[c] <= data_i[c];
    end
  end

  `OW_ASSERT(valid_holds, MayFall || (waits_q & ~valid_i) == '0, "valid fell before ready")
  `OW_ASSERT(payload_stable, MayChange || !changed, "the payload changed before ready")
  `OW_ASSERT(ready_answers, !Grant || (ready_i & ~valid_i) == '0, "a grant without a request")
  `OW_ASSERT(valid_answers, !Room || (valid_i & ~ready_i) == '0, "sent without room")

endmodule
