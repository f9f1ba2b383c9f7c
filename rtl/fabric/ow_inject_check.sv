// SPDX-License-Identifier: Apache-2.0
// Checker of what the ramp injects, bound to ow_router: only on colours for which the router has
// promised room in the cycle before, and if Spaced never in two cycles in a row. The promise is
// kept here and not in the router.
//
//   NumColours        data colours, 2 to 24
//   Spaced            as in ow_router
//   space_i           the router's promise for the next cycle, a bit per colour
//   valid_i, colour_i  the wavelet that enters in this cycle

`include "ow_assert.svh"

module ow_inject_check #(
  parameter int unsigned NumColours = ow_pkg::FULL_NUM_COLOURS,
  parameter bit Spaced = 1'b0
) (
  input logic                  clk_i,
  input logic                  rst_i,
  input logic [NumColours-1:0] space_i,
  input logic                  valid_i,
  input logic [4:0]            colour_i
);
  logic [NumColours-1:0] promised_q;
  logic valid_q;
  always_ff @(posedge clk_i) begin
    promised_q <= rst_i ? '0 : space_i;
    valid_q <= valid_i && !rst_i;
  end

  `OW_ASSERT(spaced, !(Spaced && valid_q && valid_i), "the ramp injected in two cycles in a row")

  ow_stream_check #(.Width(1), .MayFall(1'b1), .MayChange(1'b1), .Room(1'b1)) u_check (
    .clk_i, .rst_i, .valid_i,
    .ready_i((promised_q & NumColours'(32'd1 << colour_i)) != '0), .data_i(1'b0)
  );
endmodule
