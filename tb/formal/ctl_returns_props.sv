// SPDX-License-Identifier: Apache-2.0
// Properties of ow_ctl_returns at one link. Any slot that has been taken may be freed, and any data
// credits may wait. Inputs of the first cycle choose the link and the network that are watched.
//
// Every freed slot's credit goes back once. While a credit of the watched network is owed, no two
// of the other network go back in a row, and the control plane has one of two slots of the link.
// While data credits wait, they have one of four slots.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module ctl_returns_props (
  input  logic       clk_i,
  input  logic [1:0] link_i,
  input  logic       network_i,
  input  logic [7:0] come_i,   // a word comes and takes a slot
  input  logic [7:0] freed_i,
  input  logic [3:0] waits_i,
  output logic       bad_credit_o,   // a credit goes back that is not owed
  output logic       bad_network_o,  // two credits of the other network in a row
  output logic       bad_slot_o,     // none of two slots was used
  output logic       bad_data_o,     // none of four slots was for data
  output logic       seen_two_owed_o,
  output logic       seen_data_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  // Slots of each neighbour: words in them, and credits owed for them; at most two in all.
  logic [7:0][1:0] full_q, owed_q, owed;
  logic [7:0] come, freed, back;
  logic [3:0] returns, response;
  always_comb begin
    for (int unsigned k = 0; k < 8; k++) begin
      come[k] = up_q && come_i[k] && full_q[k] + owed_q[k] < 2'd2;
      freed[k] = up_q && freed_i[k] && full_q[k] != 2'd0;
      owed[k] = owed_q[k] + 2'(freed[k]);
    end
  end
  ow_ctl_returns u_returns (
    .clk_i, .rst_i(!up_q), .freed_i(freed), .waits_i, .return_o(returns), .response_o(response),
    .due_o(), .owed_o()
  );
  assign back = {returns & response, returns & ~response};
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < 8; k++) begin
      full_q[k] <= up_q ? full_q[k] + 2'(come[k]) - 2'(freed[k]) : '0;
      owed_q[k] <= up_q ? owed[k] - 2'(back[k]) : '0;
    end
  end

  logic [1:0] link_q;
  logic network_q, mine, due, last_q, none_q;
  logic [1:0] data_q;  // slots that went to the control plane while data credits waited
  assign mine = back[{network_q, link_q}];
  assign due = up_q && owed[{network_q, link_q}] != '0;
  always_ff @(posedge clk_i) begin
    if (!up_q) {link_q, network_q} <= {link_i, network_i};
    last_q <= due && (returns[link_q] ? !mine : last_q);
    none_q <= due && !returns[link_q];
    data_q <= up_q && waits_i[link_q] && returns[link_q] ? data_q + 2'd1 : '0;
  end

  assign bad_credit_o = up_q && mine && !due;
  assign bad_network_o = due && last_q && returns[link_q] && !mine;
  assign bad_slot_o = due && !returns[link_q] && (none_q || !waits_i[link_q]);
  assign bad_data_o = up_q && waits_i[link_q] && returns[link_q] && data_q == 2'd3;
  assign seen_two_owed_o = up_q && owed_q[{network_q, link_q}] == 2'd2;
  assign seen_data_o = up_q && none_q && mine;

endmodule
