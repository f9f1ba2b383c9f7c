// SPDX-License-Identifier: Apache-2.0
// Properties of the turns of ow_ctl_serial's flows. Anything may arrive where there is room.
// Credits, data at the links, and what the tile takes and sends are free. An input of the first
// cycle chooses the flow that is watched.
//
// A flow that holds a word is looked at within Most + 1 cycles, counted from the word's arrival and
// from any change that lets it go. Only words of flows that hold one are used.
//
// With Relations set, every bad_* is also high if a relation below between the round and the flow
// is broken. The proof by induction needs these relations. Seeded bugs are searched without them.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module ctl_serial_props
  import ow_pkg::*;
#(
  parameter int unsigned Most = 19,
  parameter bit Relations = 1'b1
) (
  input  logic             clk_i,
  input  logic [3:0]       who_i,
  input  logic [3:0]       comes_i,
  input  logic [3:0]       rsp_i,        // it is a response
  input  logic [3:0][32:0] word_i,
  input  logic [3:0]       back_i,       // a credit
  input  logic [3:0]       back_rsp_i,
  input  logic [3:0]       yield_i,
  input  logic [3:0]       waits_i,
  input  logic             req_ready_i,
  input  logic [32:0]      own_rsp_i,
  input  logic             own_rsp_valid_i,
  input  logic [31:0]      ask_i,
  input  logic             ask_valid_i,
  output logic             bad_late_o,
  output logic             bad_empty_o,  // a word is used that is not there
  output logic             seen_late_o,   // the flow goes after six others
  output logic             seen_stuck_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  link_t [3:0] into;
  always_comb begin
    into = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      into[p].wavelet = '{valid: up_q && comes_i[p] && !u_serial.tail_valid_q[4'(p)+(rsp_i[p] ? 4'd5 : 4'd0)],
                          colour: rsp_i[p] ? COLOUR_RSP : COLOUR_REQ, ctrl: word_i[p][32],
                          data: word_i[p][31:0]};
      into[p].credit = '{valid: up_q && back_i[p], colour: back_rsp_i[p] ? COLOUR_RSP : COLOUR_REQ};
    end
  end

  ow_ctl_serial u_serial (
    .clk_i, .rst_i(!up_q), .link_n_i(into[0]), .link_e_i(into[1]), .link_s_i(into[2]),
    .link_w_i(into[3]), .yield_i, .waits_i, .hold_o(), .return_o(), .link_n_o(), .link_e_o(), .link_s_o(),
    .link_w_o(), .req_o(), .req_brief_o(), .req_valid_o(), .req_ready_i, .rsp_i(own_rsp_i), .rsp_valid_i(own_rsp_valid_i),
    .rsp_ready_o(), .ask_i, .ask_valid_i, .ask_ready_o(), .held_o(), .move_o()
  );

  logic [3:0] who_q;
  logic waits_q;        // it has to be looked at
  logic [5:0] late_q;   // cycles since then
  logic holds, looked_at;
  assign holds = up_q && u_serial.head_valid_q[who_q];
  assign looked_at = u_serial.look_q[who_q] && u_serial.occupied_q;
  always_ff @(posedge clk_i) begin
    if (!up_q) who_q <= who_i > 4'd9 ? '0 : who_i;
    waits_q <= up_q && ((u_serial.better && u_serial.work) || (holds && waits_q && !looked_at));
    late_q <= holds && waits_q && !looked_at ? late_q + 6'(late_q != '1) : '0;
  end

  // Turns that come before: flows not yet looked at in this round, and those of the next round.
  logic [5:0] left;
  logic seen, broken;
  always_comb begin
    seen = u_serial.seen_q[who_q];
    left = seen ? 6'd10 : 6'd0;
    for (int unsigned k = 0; k < 10; k++) left += 6'(!u_serial.seen_q[k]);
    broken = !$onehot0(u_serial.rest_q) || !$onehot0(u_serial.look_q) || !$onehot0(u_serial.first_q);
    broken |= (u_serial.rest_q & u_serial.seen_q) != '0 || (u_serial.look_q & ~u_serial.seen_q) != '0;
    broken |= who_q > 4'd9;
    if (holds) broken |= u_serial.first_q == '0 || (!seen && u_serial.rest_q == '0);
    if (holds && waits_q) begin
      broken |= u_serial.stuck_q || (seen && !u_serial.moved_q && !looked_at);
      broken |= !looked_at && 32'(late_q) + 32'(left) > 19;
    end
    broken |= u_serial.occupied_q && (u_serial.look_q & u_serial.head_valid_q) == '0;
    broken &= Relations && up_q;
  end

  assign bad_late_o = broken || (holds && waits_q && !looked_at && 32'(late_q) == Most);
  assign bad_empty_o = broken || (up_q && u_serial.occupied_q &&
                                  (u_serial.look_q & u_serial.head_valid_q) == '0);
  assign seen_late_o = holds && waits_q && looked_at && 32'(late_q) >= 6;
  assign seen_stuck_o = holds && u_serial.stuck_q;

endmodule
