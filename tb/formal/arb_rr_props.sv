// SPDX-License-Identifier: Apache-2.0
// Properties of ow_arb_rr with any requests and any slots: one of the requesters is next if there is
// one, and who requests until served is served within Width slots. Which requester is watched is an
// input of the first cycle, so what holds of it holds of every one.
//
// scripts/formal proves that no bad_* output is ever high, and that every seen_* output can be.
module arb_rr_props #(
  parameter int unsigned Width = 4,
  localparam int unsigned IdxW = $clog2(Width)
) (
  input  logic             clk_i,
  input  logic [Width-1:0] req_i,
  input  logic             take_i,
  input  logic [Width-1:0] who_i,
  output logic             bad_choice_o,  // not one of the requesters, or none of them
  output logic             bad_index_o,   // not its number
  output logic             bad_bound_o,   // somebody was passed over in Width slots
  output logic             seen_last_o    // somebody was served in the last slot of the bound
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic any;
  logic [Width-1:0] one, who_q;
  logic [IdxW-1:0] index;
  ow_arb_rr #(.Width(Width)) u_arb (
    .clk_i, .rst_i(!up_q), .req_i, .take_i, .any_o(any), .one_o(one), .index_o(index)
  );

  logic [IdxW:0] passed_q;  // slots in which the watched one was passed over
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      who_q <= who_i & (~who_i + Width'(1));
      passed_q <= '0;
    end else if ((req_i & who_q) == '0 || (take_i && (one & who_q) != '0)) begin
      passed_q <= '0;
    end else if (take_i) begin
      passed_q <= passed_q + (IdxW+1)'(1);
    end
  end

  assign bad_choice_o = up_q && ((one & ~req_i) != '0 || (one & (one - Width'(1))) != '0 ||
                                 (one == '0) != (req_i == '0) || any != (req_i != '0));
  assign bad_index_o = up_q && any && !one[index];
  assign bad_bound_o = up_q && 32'(passed_q) >= Width;
  assign seen_last_o = up_q && 32'(passed_q) == Width - 1 && take_i && (one & who_q) != '0;

endmodule
