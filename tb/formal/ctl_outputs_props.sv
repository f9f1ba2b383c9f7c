// SPDX-License-Identifier: Apache-2.0
// Properties of ow_ctl_outputs at one output, with any flows that want it, any credits, tails and
// data at its link. One flow and another input of its network are watched. Inputs of the first
// cycle choose them, so the properties hold for every two.
//
// A flow waits while it wants the output and none of its words goes. Meanwhile
//   - each other input of its network begins at most one packet;
//   - no two words of the other network go in a row, in cycles in which the flow could go (it has a
//     credit, and no packet of another input holds the output);
//   - in such cycles the control plane has one slot of every four of a link, and every slot of a
//     ramp that is ready.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module ctl_outputs_props
  import ow_pkg::*;
#(
  parameter int unsigned Out = 0
) (
  input  logic           clk_i,
  input  logic           network_i,
  input  logic [2:0]     who_i,
  input  logic [2:0]     other_i,
  input  logic [4:0][9:0] want_i,
  input  logic [7:0]     credit_i,
  input  logic [3:0]     yield_i,
  input  logic           ready_i,
  input  logic [4:0]     tail_i,
  output logic           bad_twice_o,    // the other input begins a second packet
  output logic           bad_network_o,  // two words of the other network in a row
  output logic           bad_slot_o,     // none of four slots was used
  output logic           bad_choice_o,   // not one flow goes, or one that must not
  output logic           seen_in_turn_o, // a packet of the watched one after the other's
  output logic           seen_after_data_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [4:0][9:0] next;
  logic [4:0] take, response;
  ow_ctl_outputs u_outputs (
    .clk_i, .rst_i(!up_q), .want_i, .credit_i, .yield_i, .ready_i, .tail_i, .next_o(next),
    .take_o(take), .response_o(response), .hold_o(), .wait_o()
  );

  localparam bit Ramp = Out == 4;
  logic network_q;
  logic [4:0] who_q, other_q;  // one-hot
  logic [4:0] lock_q;          // the input whose packet holds the output, of the watched network
  logic [4:0] want, goes;      // of that network
  logic credit, waits, could;
  assign want = network_q ? want_i[Out][9:5] : want_i[Out][4:0];
  assign goes = take[Out] ? (network_q ? next[Out][9:5] : next[Out][4:0]) : '0;
  assign credit = Ramp || (network_q ? credit_i[4+Out%4] : credit_i[Out%4]);
  assign waits = up_q && (want & who_q) != '0 && (goes & who_q) == '0;
  assign could = up_q && (want & who_q) != '0 && credit && (lock_q & ~who_q) == '0;

  logic passed_q;        // the other input has begun a packet
  logic last_q;          // the last word was one of the other network
  logic [1:0] slots_q;   // slots in a row without the control plane
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      network_q <= network_i;
      who_q <= 5'd1 << (who_i > 3'd4 ? 3'd0 : who_i);
      other_q <= 5'd1 << (other_i > 3'd4 ? 3'd0 : other_i);
    end
    if (!up_q) lock_q <= '0;
    else if (goes != '0) lock_q <= tail_i[Out] ? '0 : goes;
    passed_q <= waits && (passed_q || ((goes & other_q) != '0 && lock_q == '0));
    last_q <= could && (take[Out] ? goes == '0 : last_q);
    slots_q <= could && !take[Out] && !Ramp ? slots_q + 2'd1 : '0;
  end

  assign bad_twice_o = waits && passed_q && (goes & other_q) != '0 && lock_q == '0;
  assign bad_network_o = could && last_q && take[Out] && goes == '0;
  assign bad_slot_o = could && !take[Out] && (Ramp ? ready_i : slots_q == 2'd3);
  assign bad_choice_o = up_q && take[Out] && (!$onehot(next[Out]) || (next[Out] & ~want_i[Out]) != '0 ||
                        response[Out] != (next[Out][9:5] != '0) || (goes != '0 && !credit) ||
                        (lock_q != '0 && (goes & ~lock_q) != '0));
  assign seen_in_turn_o = up_q && passed_q && (goes & who_q) != '0;
  assign seen_after_data_o = up_q && !Ramp ? slots_q == 2'd3 && (goes & who_q) != '0
                                           : up_q && last_q && (goes & who_q) != '0;

endmodule
