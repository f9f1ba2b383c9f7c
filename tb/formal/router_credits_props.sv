// SPDX-License-Identifier: Apache-2.0
// Properties of the credits that ow_router_credits returns on its north link, with anything at its
// inputs: colours whose input moves or that are torn down, slots that are freed in any cycle,
// credits of the control plane. One colour is watched; an input of the first cycle chooses it.
//
// While a credit of the watched colour waits for the link, one credit goes back in each cycle that
// the control plane leaves free. The credit of the watched colour is among the first N of these,
// with N colours. Every credit that goes back meanwhile has waited, too.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module router_credits_props
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = 4
) (
  input  logic                       clk_i,
  input  logic [4:0]                 who_i,
  input  logic [4:0][NumColours-1:0] in_i,
  input  logic [4:0][NumColours-1:0] fresh_i,
  input  logic [4:0]                 at_once_i,
  input  logic [4:0]                 passes_i,
  input  logic [4:0][NumColours-1:0] wrong_i,
  input  logic [4:0]                 wrong_fence_i,
  input  logic [NumColours-1:0]      on_i,
  input  logic [NumColours-1:0]      may_i,
  input  logic [NumColours-1:0]      freed_i,
  input  logic [NumColours-1:0]      leave_i,
  input  logic                       work_i,
  input  logic                       busy_i,
  input  logic [NumColours-1:0]      set_i,
  input  logic [3:0]                 keep_i,
  input  logic [3:0]                 taken_i,
  input  logic [4:0]                 come_i,   // the colour of what comes
  output logic                       bad_idle_o,  // no credit goes back
  output logic                       bad_late_o,  // too many others go before
  output logic                       bad_other_o, // the credit of a colour that has not waited
  output logic                       seen_last_o,
  output logic                       seen_taken_o
);

  typedef logic [NumColours-1:0] colours_t;

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  link_t link;
  colours_t in [5], fresh [5], wrong [5], none [5];
  credit_t credit [4];
  always_comb begin
    link = '0;
    link.wavelet.colour = come_i;
    for (int unsigned p = 0; p < 5; p++) begin
      in[p] = in_i[p];
      fresh[p] = fresh_i[p];
      wrong[p] = wrong_i[p];
      none[p] = '0;
    end
  end
  ow_router_credits #(.NumColours(NumColours)) u_credits (
    .clk_i, .rst_i(!up_q), .link_n_i(link), .link_e_i('0), .link_s_i('0), .link_w_i('0),
    .fence_i('0), .grant_i(none), .in_i(in), .fresh_i(fresh), .at_once_i, .passes_i, .wrong_i(wrong),
    .wrong_fence_i, .on_i, .may_i, .freed_held_i(freed_i), .leave_i, .work_i(work_i || !up_q), .busy_i,
    .set_i, .without_i('0), .keep_i, .taken_i, .give_o(), .some_o(), .all_o(), .credit_o(credit), .waits_o()
  );

  colours_t due, who_q;  // who_q: one-hot
  logic [4:0] late_q;    // credits of others that have gone
  logic goes;            // a credit of the watched colour
  assign due = u_credits.one_q[0] & in_i[0] & on_i;
  assign goes = credit[0].valid && (who_q & (colours_t'(1) << credit[0].colour)) != '0;
  always_ff @(posedge clk_i) begin
    if (!up_q) who_q <= colours_t'(1) << (32'(who_i) < NumColours ? who_i : 5'd0);
    if (!up_q || (due & who_q) == '0 || goes) late_q <= '0;
    else late_q <= late_q + 5'(credit[0].valid);
  end

  logic waits;
  assign waits = up_q && (due & who_q) != '0;
  assign bad_idle_o = waits && credit[0].valid == taken_i[0];
  assign bad_late_o = waits && credit[0].valid && !goes && 32'(late_q) == NumColours - 1;
  assign bad_other_o = waits && credit[0].valid && (due & (colours_t'(1) << credit[0].colour)) == '0;
  assign seen_last_o = waits && goes && 32'(late_q) == NumColours - 1;
  assign seen_taken_o = waits && taken_i[0] && late_q != '0;

endmodule
