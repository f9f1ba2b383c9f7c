// SPDX-License-Identifier: Apache-2.0
// Properties of ow_arb_class with any requests in either set, any choice of the set and any slots.
// One of the requesters of the chosen set is next. The high class goes first except in one slot of
// Share. A requester that requests until it is served is served within Width * Share slots (low
// class) or 2 * Width slots (high class). An input of the first cycle chooses the requester that is
// watched, so the properties hold for every requester.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module arb_class_props #(
  parameter int unsigned Width = 3,
  parameter int unsigned Share = 3,
  localparam int unsigned IdxW = $clog2(Width)
) (
  input  logic             clk_i,
  input  logic [1:0][Width-1:0] req_i,
  input  logic [1:0][Width-1:0] low_i,  // of the requesters, those of the low class
  input  logic                  set_i,
  input  logic             take_i,
  input  logic [Width-1:0] who_i,
  output logic             bad_choice_o,
  output logic             bad_index_o,
  output logic             bad_order_o,   // the low class before the high one out of its turn
  output logic             bad_low_o,     // the bound of the low class
  output logic             bad_high_o,    // the bound of the high class
  output logic             seen_low_late_o,
  output logic             seen_high_late_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic any;
  logic [Width-1:0] one, who_q, req, high, low;
  logic [IdxW-1:0] index;
  assign req = set_i ? req_i[1] : req_i[0];
  assign high = req & ~(set_i ? low_i[1] : low_i[0]);
  assign low = req & (set_i ? low_i[1] : low_i[0]);
  ow_arb_class #(.Width(Width), .Share(Share)) u_arb (
    .clk_i, .rst_i(!up_q), .high_i(req_i & ~low_i), .low_i(req_i & low_i), .set_i, .take_i,
    .any_o(any), .one_o(one), .index_o(index)
  );

  localparam int unsigned CountW = $clog2(Width * Share + 1) + 1;
  logic [CountW-1:0] low_q, high_q;  // slots in which the watched one was passed over
  logic [CountW-1:0] turn_q;         // slots of the high class while the low one waited
  logic served;
  assign served = take_i && (one & who_q) != '0;
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      who_q <= who_i & (~who_i + Width'(1));
      low_q <= '0;
      high_q <= '0;
      turn_q <= '0;
    end else begin
      if ((low & who_q) == '0 || served) low_q <= '0;
      else if (take_i) low_q <= low_q + CountW'(1);
      if ((high & who_q) == '0 || served) high_q <= '0;
      else if (take_i) high_q <= high_q + CountW'(1);
      if (take_i && (one & low) != '0) turn_q <= '0;
      else if (take_i && low != '0) turn_q <= turn_q + CountW'(1);
    end
  end

  assign bad_choice_o = up_q && ((one & ~req) != '0 || (one & (one - Width'(1))) != '0 ||
                                 (one == '0) != (req == '0) || any != (req != '0));
  assign bad_index_o = up_q && any && !one[index];
  assign bad_order_o = up_q && high != '0 && (one & low) != '0 && 32'(turn_q) != Share - 1;
  assign bad_low_o = up_q && 32'(low_q) >= Width * Share;
  assign bad_high_o = up_q && 32'(high_q) >= 2 * Width;
  assign seen_low_late_o = up_q && 32'(low_q) == Width * Share - 1 && served;
  assign seen_high_late_o = up_q && 32'(high_q) >= Width && served;

endmodule
