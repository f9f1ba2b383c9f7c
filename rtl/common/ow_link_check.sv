// SPDX-License-Identifier: Apache-2.0
// Checker of the credits of a link's sender (docs/fabric.md, credits), to be bound to it. By
// colour, it compares what goes out on the link with the credits that come back. A fence takes all
// credits of its colour. The counts are its own (ow_credit_check).
//
//   NumColours  data colours, 2 to 24
//   Data        the data colours are checked
//   Control     the colours of the control plane are checked
//   set_i       data colours whose credits are set at the end of the cycle, to all (set_full_i) or
//               to none
//   sent_i      the wavelet that is sent
//   back_i      the credit that comes; it may be spent in the same cycle

`include "ow_assert.svh"

module ow_link_check
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter bit Data = 1'b1,
  parameter bit Control = 1'b1
) (
  input logic                  clk_i,
  input logic                  rst_i,
  input logic [NumColours-1:0] set_i,
  input logic                  set_full_i,
  input wavelet_t              sent_i,
  input credit_t               back_i
);

  `OW_ASSERT_INIT(something_to_check, Data || Control)

  if (Data) begin : gen_data
    logic [NumColours-1:0] give, sent;
    logic fence;
    assign give = back_i.valid ? NumColours'(32'd1 << back_i.colour) : '0;
    assign sent = sent_i.valid ? NumColours'(32'd1 << sent_i.colour) : '0;
    assign fence = sent_i.ctrl && has_commands(sent_i.data);
    ow_credit_check #(.Channels(NumColours), .Slots(LINK_CREDITS)) u_credits (
      .clk_i, .rst_i, .set_i, .set_full_i({NumColours{set_full_i}}), .give_i(give),
      .spend_i(fence ? '0 : sent), .drain_i(fence ? sent : '0)
    );
  end

  if (Control) begin : gen_control
    logic [1:0] give, sent;
    assign give = {back_i.valid && back_i.colour == COLOUR_RSP,
                   back_i.valid && back_i.colour == COLOUR_REQ};
    assign sent = {sent_i.valid && sent_i.colour == COLOUR_RSP,
                   sent_i.valid && sent_i.colour == COLOUR_REQ};
    ow_credit_check #(.Channels(2), .Slots(CTL_CREDITS)) u_credits (
      .clk_i, .rst_i, .set_i('0), .set_full_i('0), .give_i(give), .spend_i(sent), .drain_i('0)
    );
  end

  // Without one of the parts some inputs are not used.
  logic unused;
  assign unused = &{1'b0, set_i, set_full_i, sent_i, back_i};

endmodule
