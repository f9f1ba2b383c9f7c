// SPDX-License-Identifier: Apache-2.0
// Properties of ow_credit against counts, with anything at its inputs that its contract allows, and
// with surplus credits.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module credit_props #(
  parameter int unsigned Channels = 2,
  parameter int unsigned Slots = 2,
  parameter bit Later = 1'b0
) (
  input  logic                clk_i,
  input  logic [Channels-1:0] set_i,
  input  logic [Channels-1:0] set_full_i,
  input  logic [Channels-1:0] give_i,
  input  logic [Channels-1:0] spend_i,
  input  logic [Channels-1:0] drain_i,
  output logic                bad_some_o,
  output logic                bad_all_o,
  output logic                bad_level_o,
  output logic                bad_surplus_o,
  output logic                seen_surplus_o,
  output logic                seen_spent_as_it_came_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  localparam int unsigned CountW = $clog2(Slots + 2);
  logic [Channels-1:0] spend, drain, some, all, surplus;
  logic [Slots-1:0][Channels-1:0] level;
  logic [CountW-1:0] count_q [Channels];
  logic [CountW-1:0] now [Channels], can [Channels];  // with new credits; what can be spent

  always_comb begin
    for (int unsigned c = 0; c < Channels; c++) begin
      now[c] = count_q[c] + CountW'(give_i[c] && 32'(count_q[c]) != Slots);
      can[c] = Later ? count_q[c] : now[c];
      spend[c] = spend_i[c] && can[c] != '0;
      drain[c] = drain_i[c] && can[c] != '0;
    end
  end

  ow_credit #(.Channels(Channels), .Slots(Slots), .Later(Later)) u_credit (
    .clk_i, .rst_i(!up_q), .set_i, .set_full_i, .give_i, .spend_i(spend), .drain_i(drain),
    .some_o(some), .all_o(all), .surplus_o(surplus), .level_o(level)
  );

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Channels; c++) begin
      if (!up_q) count_q[c] <= CountW'(Slots);
      else if (set_i[c]) count_q[c] <= set_full_i[c] ? CountW'(Slots) : '0;
      else if (drain[c]) count_q[c] <= '0;
      else count_q[c] <= now[c] - CountW'(spend[c]);
    end
  end

  always_comb begin
    bad_some_o = 1'b0;
    bad_all_o = 1'b0;
    bad_level_o = 1'b0;
    bad_surplus_o = 1'b0;
    seen_surplus_o = 1'b0;
    seen_spent_as_it_came_o = 1'b0;
    for (int unsigned c = 0; c < Channels; c++) begin
      if (some[c] != (can[c] != '0)) bad_some_o = up_q;
      if (all[c] != (32'(can[c]) == Slots)) bad_all_o = up_q;
      for (int unsigned k = 0; k < Slots; k++) begin
        if (level[k][c] != (32'(count_q[c]) > k)) bad_level_o = up_q;
      end
      if (surplus[c] != (give_i[c] && 32'(count_q[c]) == Slots)) bad_surplus_o = up_q;
      if (surplus[c]) seen_surplus_o = up_q;
      if ((Later || count_q[c] == '0) && give_i[c] && spend[c]) seen_spent_as_it_came_o = up_q;
    end
  end

endmodule
