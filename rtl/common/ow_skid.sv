// SPDX-License-Identifier: Apache-2.0
// Skid buffer: a register in a valid/ready channel that cuts valid, payload and ready.
//
// Protocol: valid/ready on both sides; valid holds and the payload is stable until ready. ready_o,
// valid_o and data_o come from registers.
// Latency 1 cycle; throughput one per cycle. It holds two elements, so the one that is under way
// when the receiver stops has a place.
// Errors: none.
//
//   Width             bits of the payload, 1 or more
//   valid_i, ready_o, data_i  from the producer
//   valid_o, ready_i, data_o  to the consumer

`include "ow_assert.svh"

module ow_skid #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  `OW_ASSERT_INIT(width_at_least_1, Width >= 1)

  logic [Width-1:0] head_q, spare_q;
  logic valid_q, full_q;  // the head, the spare element

  assign valid_o = valid_q;
  assign data_o = head_q;
  assign ready_o = !full_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      full_q <= 1'b0;
    end else if (valid_i || valid_q) begin
      if (!valid_q || ready_i) begin
        valid_q <= full_q || valid_i;
        full_q <= 1'b0;
        head_q <= full_q ? spare_q : data_i;
      end else if (valid_i && !full_q) begin
        full_q <= 1'b1;
        spare_q <= data_i;
      end
    end
  end

  `OW_ASSERT(spare_behind_head, valid_q || !full_q, "a spare element without a head")

endmodule
