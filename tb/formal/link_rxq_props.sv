// SPDX-License-Identifier: Apache-2.0
// Properties of what ow_link_rxq gives the far end. Anything may arrive where the far end knows of
// room, the router may return any credits, and frames ask as a link does: the first half for many
// credits, which may be grants, the second half for one. One queue is watched; an input of the
// first cycle chooses it.
//
// A half that can take credits has some if any are owed. A first half has grants if there are any.
// Before credits of a colour, at most as many others go as there are other colours; before its
// grants, at most two for each other colour. No entry is lost: the far end knows that it is free,
// or it holds something, or it waits to be reported.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module link_rxq_props
  import ow_pkg::*;
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = 2,
  parameter bit Bypass = 1'b1,
  localparam int unsigned N = NumColours + 2,
  localparam int unsigned IdxW = $clog2(N)
) (
  input  logic            clk_i,
  input  logic [IdxW-1:0] who_i,
  input  logic            valid_i,
  input  word_t           word_i,
  input  credit_t         credit_i,
  input  logic            ask_i,
  input  logic            next_many_i,
  output logic            bad_credit_late_o,
  output logic            bad_grant_late_o,
  output logic            bad_credit_slot_o,  // a half that can take credits has none
  output logic            bad_grant_slot_o,
  output logic            bad_entries_o,
  output logic            seen_credit_last_o,
  output logic            seen_grant_last_o
);

  localparam int unsigned Depth = 2;
  localparam int unsigned MostCredits = N - 1;
  localparam int unsigned MostGrants = 2 * (N - 1);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  function automatic logic exists(input logic [4:0] colour);
    return 32'(colour) < NumColours || colour == COLOUR_REQ || colour == COLOUR_RSP;
  endfunction

  logic [N-1:0][1:0] far_q, level_q;  // free entries known to the far end; entries in use
  logic [N-1:0] command_q, leaves, gives;
  logic [IdxW-1:0] at, credit_at;
  logic many_q, next_many, valid, command;
  credit_t credit;
  assign at = IdxW'(to_queue(word_i.colour - 5'd1, 5'(NumColours)));
  assign credit_at = IdxW'(to_queue(credit_i.colour, 5'(NumColours)));
  assign command = is_command(word_i.colour - 5'd1, word_i.ctrl, word_i.data);
  assign valid = up_q && valid_i && exists(word_i.colour - 5'd1) && far_q[at] != '0 && !command_q[at];
  assign next_many = next_many_i && !many_q;
  always_comb begin
    credit = credit_i;
    credit.valid = up_q && credit_i.valid && exists(credit_i.colour) &&
                   32'(u_rxq.grants_q[credit_at]) < MAX_GRANTS;
  end
  ow_link_rxq #(.NumColours(NumColours), .Depth(Depth), .Bypass(Bypass)) u_rxq (
    .clk_i, .rst_i(!up_q), .valid_i(valid), .word_i, .tile_o(), .credit_i(credit), .ask_i(up_q && ask_i),
    .many_i(many_q), .next_many_i(next_many), .credits_o(), .busy_o()
  );

  // Signals inside the unit.
  logic give, give_grant;
  logic [1:0] number;
  assign leaves = u_rxq.leaves_one;
  assign gives = u_rxq.give_one_q;
  assign give = u_rxq.give;
  assign give_grant = u_rxq.give_grant_q;
  assign number = u_rxq.number;

  logic [IdxW-1:0] who_q;
  logic [5:0] credits_q, grants_q;  // of others while this one waits
  always_ff @(posedge clk_i) begin
    many_q <= up_q && next_many;
    if (!up_q) begin
      who_q <= 32'(who_i) < N ? who_i : '0;
      for (int unsigned c = 0; c < N; c++) far_q[c] <= 2'(Depth);
      level_q <= '0;
      command_q <= '0;
      credits_q <= '0;
      grants_q <= '0;
    end else begin
      for (int unsigned c = 0; c < N; c++) begin
        far_q[c] <= far_q[c] - 2'(valid && 32'(at) == c) + (give && !give_grant && gives[c] ? number : '0);
        level_q[c] <= level_q[c] + 2'(valid && 32'(at) == c) - 2'(leaves[c]);
        if (leaves[c]) command_q[c] <= 1'b0;
        if (valid && 32'(at) == c && !(leaves[c] && level_q[c] == '0)) command_q[c] <= command;
      end
      if (!u_rxq.owed_q[who_q] || (give && !give_grant && gives[who_q])) credits_q <= '0;
      else if (give && !give_grant) credits_q <= credits_q + 6'd1;
      if (!u_rxq.granted_q[who_q] || (give && give_grant && gives[who_q])) grants_q <= '0;
      else if (give && give_grant) grants_q <= grants_q + 6'd1;
    end
  end

  logic other;
  assign other = up_q && give && !gives[who_q];
  assign bad_credit_late_o = other && !give_grant && u_rxq.owed_q[who_q] && 32'(credits_q) == MostCredits;
  assign bad_grant_late_o = other && give_grant && u_rxq.granted_q[who_q] && 32'(grants_q) == MostGrants;
  assign bad_credit_slot_o = up_q && ask_i && !many_q && u_rxq.owed_q != '0 && (gives == '0 || give_grant);
  assign bad_grant_slot_o = up_q && ask_i && many_q && u_rxq.granted_q != '0 && !give_grant;
  assign bad_entries_o = up_q && 32'(far_q[who_q]) + 32'(level_q[who_q]) + 32'(u_rxq.back_q[who_q]) != Depth;
  assign seen_credit_last_o = up_q && give && !give_grant && gives[who_q] && 32'(credits_q) == MostCredits;
  assign seen_grant_last_o = up_q && give && give_grant && gives[who_q] && 32'(grants_q) == MostGrants - 1;

endmodule
