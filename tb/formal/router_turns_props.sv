// SPDX-License-Identifier: Apache-2.0
// Properties of the turns at one output of ow_router_switch. Routes are free but stay fixed.
// Arrivals, credits, filters, teardown and slots of the control plane are free. An input of the
// first cycle chooses the colour that is watched.
//
// A held head could go to the output if it owes it a copy and has the credit in hand (or the ramp's
// room). If that holds from slot to slot, the head goes after at most one slot of each other
// colour. Meanwhile every slot that the control plane leaves is used, and none by a head that has
// just come. Small: the same for a head that could go to any output. It is chosen, or goes, after
// at most one turn of each other colour in which something of that colour goes. A colour is always
// chosen.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module router_turns_props
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = 4,
  parameter int unsigned Out = 0,
  parameter bit Small = 1'b0
) (
  input  logic                       clk_i,
  input  logic [4:0]                 who_i,
  input  logic [NumColours-1:0][2:0] in_i,      // routes
  input  logic [4:0][NumColours-1:0] out_i,
  input  logic [NumColours-1:0]      enable_i,
  input  logic [4:0]                 comes_i,   // what arrives, by port
  input  logic [4:0][4:0]            colour_i,
  input  logic [4:0]                 fence_i,
  input  logic [3:0]                 back_i,    // a credit
  input  logic [3:0][4:0]            back_colour_i,
  input  logic [NumColours-1:0]      torn_i,
  input  logic [NumColours-1:0]      take_i,
  input  logic [NumColours-1:0]      drop_i,
  input  logic [4:0]                 drop_fresh_i,
  input  logic [3:0]                 hold_i,
  input  logic [3:0]                 return_i,
  input  logic [NumColours-1:0]      ej_ready_i,
  output logic                       bad_late_o,   // too many turns of others
  output logic                       bad_empty_o,  // nothing goes, or something that is not held
  output logic                       seen_last_o,
  output logic                       seen_other_o  // the control plane had the slot
);

  typedef logic [NumColours-1:0] colours_t;

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  colours_t enable_q, who_q;  // who_q: one-hot
  logic [4:0][NumColours-1:0] out_q;
  logic [NumColours-1:0][2:0] in_q;
  always_ff @(posedge clk_i) begin
    if (!up_q) {enable_q, out_q, in_q} <= {enable_i, out_i, in_i};
    if (!up_q) who_q <= colours_t'(1) << (32'(who_i) < NumColours ? who_i : 5'd0);
  end

  link_t [4:0] into;
  colours_t from [5], to [5];
  logic [31:0] data [5];
  always_comb begin
    into = '0;
    for (int unsigned p = 0; p < 5; p++) begin
      into[p].wavelet = '{valid: up_q && comes_i[p] && 32'(colour_i[p]) < NumColours, colour: colour_i[p],
                          ctrl: fence_i[p], data: {32{fence_i[p]}}};
      if (p < 4) into[p].credit = '{valid: up_q && back_i[p%4] && 32'(back_colour_i[p%4]) < NumColours,
                                    colour: back_colour_i[p%4]};
      for (int unsigned c = 0; c < NumColours; c++) from[p][c] = 32'(in_q[c]) == p;
      to[p] = out_q[p];
      data[p] = '0;
    end
  end

  ow_router_switch #(.NumColours(NumColours), .Small(Small)) u_switch (
    .clk_i, .rst_i(!up_q), .link_n_i(into[0]), .link_e_i(into[1]), .link_s_i(into[2]),
    .link_w_i(into[3]), .inj_i(into[4].wavelet), .in_i(from), .out_i(to), .enable_i(enable_q), .torn_i,
    .take_held_i(take_i), .take_fresh_i('0), .drop_held_i(drop_i), .drop_fresh_i, .route_i('0),
    .switch_i('0), .was_on_i('0), .route_on_i('0), .from_i('0), .to_i('0), .to_out_i('0),
    .set_credits_i('0), .without_credits_i('0), .keep_credits_i('0), .hold_i, .ctl_return_i(return_i),
    .ej_ready_i, .data_i(data), .held_ctrl_i('0), .take_o(), .at_o(), .one_o(), .work_o(),
    .link_n_o(), .link_e_o(), .link_s_o(), .link_w_o(), .to_ramp_o(), .ramp_valid_o(),
    .ramp_number_o(), .ramp_ctrl_o(), .wants_o(), .waits_o(), .held_o(), .full_o(), .push_o(), .shift_o(),
    .leave_o(), .misrouted_o(), .ramp_owed_o(), .space_o(), .can_move_o(), .credits_o(), .all_credits_o()
  );

  localparam bit Ramp = Out == 4;
  colours_t can [5], could;
  logic slot, goes, waits, waited_q;
  logic [4:0] late_q;  // turns of others
  always_comb begin
    for (int unsigned o = 0; o < 5; o++) begin
      can[o] = u_switch.run & u_switch.owe_q[o] &
               (o == 4 ? ej_ready_i | drop_i : u_switch.cr2[o%4] | (u_switch.cr1[o%4] & ~u_switch.alone));
    end
    could = Small ? can[0] | can[1] | can[2] | can[3] | can[4] : can[Out];
    slot = Ramp || !hold_i[Out%4];
    goes = (u_switch.sends[Out] & who_q) != '0;
    if (Small) begin
      slot = 1'b0;
      for (int unsigned o = 0; o < 5; o++) slot |= u_switch.sends[o] != '0;
      goes = (u_switch.chosen_q & who_q) != '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!up_q || (could & who_q) == '0 || goes) late_q <= '0;
    else late_q <= late_q + 5'(slot);
    waited_q <= waits;
  end

  assign waits = up_q && (could & who_q) != '0;
  assign bad_late_o = waits && slot && !goes && 32'(late_q) == NumColours - 1;
  assign bad_empty_o = waits && (Small ? waited_q && u_switch.chosen_q == '0
                                       : slot && ((u_switch.sends[Out] & could) == '0 ||
                                                  u_switch.turn[Out] != '0));
  assign seen_last_o = waits && goes && 32'(late_q) == NumColours - 1;
  assign seen_other_o = waits && (Small ? goes && !slot : Ramp ? goes && (drop_i & who_q) != '0 : !slot);

endmodule
