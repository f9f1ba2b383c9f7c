// SPDX-License-Identifier: Apache-2.0
// Checker of credit channels, to be bound to a sender: it never holds more credits than slots, so a
// credit that comes twice is found, and nothing is sent without one. It keeps a count of its own
// and drives nothing. Without assertions it has no effect.
//
//   Channels  channels side by side, 1 or more
//   Slots     credits of a channel, 1 or more
//   set_i     channels whose credits are set at the end of the cycle, to all (set_full_i) or to
//             none
//   give_i    a credit comes; it may be spent in the same cycle
//   spend_i   something is sent with one credit
//   drain_i   something is sent with all of them

`include "ow_assert.svh"

module ow_credit_check #(
  parameter int unsigned Channels = 1,
  parameter int unsigned Slots = 2
) (
  input logic                clk_i,
  input logic                rst_i,
  input logic [Channels-1:0] set_i,
  input logic [Channels-1:0] set_full_i,
  input logic [Channels-1:0] give_i,
  input logic [Channels-1:0] spend_i,
  input logic [Channels-1:0] drain_i
);

  `OW_ASSERT_INIT(channels_at_least_1, Channels >= 1)
  `OW_ASSERT_INIT(slots_at_least_1, Slots >= 1)

  localparam int unsigned CountW = $clog2(Slots + 1);
  logic [CountW-1:0] count_q [Channels];
  logic surplus, unpaid, partial;

  always_comb begin : look
    surplus = 1'b0;
    unpaid = 1'b0;
    partial = 1'b0;
    if ((give_i | spend_i | drain_i) != '0) begin
      for (int unsigned c = 0; c < Channels; c++) begin
        if (give_i[c] && count_q[c] == CountW'(Slots)) surplus = 1'b1;
        if (spend_i[c] && count_q[c] == '0 && !give_i[c]) unpaid = 1'b1;
        if (drain_i[c] && 32'(count_q[c]) + 32'(give_i[c]) != Slots) partial = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned c = 0; c < Channels; c++) count_q[c] <= CountW'(Slots);
    end else if ((give_i | spend_i | drain_i | set_i) != '0) begin
      for (int unsigned c = 0; c < Channels; c++) begin
        if (set_i[c]) count_q[c] <= set_full_i[c] ? CountW'(Slots) : '0;
        else if (drain_i[c]) count_q[c] <= '0;
        else count_q[c] <= count_q[c] + CountW'(give_i[c]) - CountW'(spend_i[c]);
      end
    end
  end

  `OW_ASSERT(no_surplus, !surplus, "a credit came back that was not spent")
  `OW_ASSERT(paid, !unpaid, "sent without a credit")
  `OW_ASSERT(paid_in_full, !partial, "all credits were spent without having all")

endmodule
