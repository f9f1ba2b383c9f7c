// SPDX-License-Identifier: Apache-2.0
// Checker of a valid/ready channel, to be bound to it: valid holds, and the payload is stable, until
// ready. It drives nothing; where assertions are off it is nothing.
//
//   Width    bits of the payload, 1 or more
//   valid_i, ready_i, data_i   the channel

`include "ow_assert.svh"

module ow_stream_check #(
  parameter int unsigned Width = 32
) (
  input logic             clk_i,
  input logic             rst_i,
  input logic             valid_i,
  input logic             ready_i,
  input logic [Width-1:0] data_i
);

  `OW_ASSERT_INIT(width_at_least_1, Width >= 1)

  logic waits_q;  // the payload of the cycle before was not taken
  logic [Width-1:0] data_q;

  always_ff @(posedge clk_i) begin
    waits_q <= valid_i && !ready_i && !rst_i;
    if (valid_i && !waits_q) data_q <= data_i;
  end

  `OW_ASSERT(valid_holds, !waits_q || valid_i, "valid fell before ready")
  `OW_ASSERT(payload_stable, !waits_q || !valid_i || data_i == data_q,
             "the payload changed before ready")

endmodule
