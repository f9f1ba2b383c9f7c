// SPDX-License-Identifier: Apache-2.0
// Checker of writes of ROUTE, bound to ow_router_switch: wavelets that a new route from another port
// has stopped go on only by a route from the port at which they came in, and nothing has joined them
// meanwhile. Otherwise their credits go to another neighbour than the one that has spent them. A write
// that sets the credits ends this: then software answers for the counts at both ends of the links.
//
//   NumColours        data colours, 2 to 24
//   write_i           ROUTE of this colour is written, one-hot; on_i: the colour has a route after it
//   set_i             the write sets the credits
//   from_i, to_i      the input port before the write, if was_on_i; after it
//   at_i              [p]: colours without a route whose wavelets come from port p
//   stop_i            colours that stop by a write in this cycle
//   joins_i           colours of which a wavelet is taken in this cycle

`include "ow_assert.svh"

module ow_route_check
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS
) (
  input logic                  clk_i,
  input logic                  rst_i,
  input logic [NumColours-1:0] write_i,
  input logic                  on_i,
  input logic                  set_i,
  input logic                  was_on_i,
  input logic [2:0]            from_i,
  input logic [2:0]            to_i,
  input logic [NumColours-1:0] at_i [NUM_PORTS],
  input logic [NumColours-1:0] stop_i,
  input logic [NumColours-1:0] joins_i
);
  typedef logic [NumColours-1:0] colours_t;

  // Colours whose wavelets came in at port p, and that a route from another port has stopped; that
  // something has joined.
  colours_t came_q [NUM_PORTS], joined_q;
  colours_t astray, goes_on, wrong;

  always_comb begin
    astray = '0;
    wrong = '0;
    for (int unsigned p = 0; p < NUM_PORTS; p++) astray |= came_q[p];
    goes_on = write_i & {NumColours{on_i}} & ~stop_i;
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      if (to_i != 3'(p)) wrong |= goes_on & came_q[p];
    end
    wrong |= goes_on & astray & joined_q;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      if (rst_i) came_q[p] <= '0;
      else if (write_i != '0) begin
        came_q[p] <= (came_q[p] & ~(goes_on | (write_i & {NumColours{set_i}}))) |
                     (stop_i & ~astray & {NumColours{!set_i}} &
                      (was_on_i ? {NumColours{from_i == 3'(p)}} : at_i[p]));
      end
    end
    joined_q <= rst_i ? '0 : astray & (joined_q | joins_i);
  end

  `OW_ASSERT(credits_go_home, set_i || wrong == '0,
             "a route from another port takes along wavelets whose credits belong elsewhere")
endmodule
