// SPDX-License-Identifier: Apache-2.0
// Credits of a router's data colours: those in hand towards each neighbour, and those of the
// neighbours (which of them returns on each link in this cycle, and which are kept).
// docs/fabric.md, credits.
//
// In hand: a wavelet costs one, a fence both. An arriving credit can be spent at once.
// To the neighbours, credits that have waited return first, round robin. If no credit waits for a
// link, a slot that is freed in this cycle returns at once: the slot of the wavelet that comes on
// the link now, or, if none comes that could leave at once, the slot of one held head. This held
// head is chosen before it is known which heads leave. All other freed slots wait; each returns
// within as many slots as there are colours. A fence has taken both credits of its colour; they
// return from the next cycle on, to the input that is selected then.
// Latency 0: credit_o goes to a register.
// Errors: a credit too many, and counts out of range, are reported by assertions.
//
//   NumColours     data colours, 2 to 24
//   link_*_i       the links, for the credits that arrive
//   grant_i        [p]: the colour that sends on link p, one-hot
//   fence_i        heads that are fences
//   in_i           [p]: colours whose input is port p
//   on_i           colours with a route that are neither torn down nor stopped: their credits
//                  return
//   may_i          held heads that may leave in this cycle and are no fences
//   fresh_i        [p]: the colour of the fresh head at port p, one-hot; at_once_i [p]: there is
//                  one
//   passes_i       [p]: it leaves in this cycle and is no fence; late in the cycle
//   freed_held_i   colours whose held head leaves and is no fence
//   leave_i        colours of which a fence leaves
//   wrong_i        [p]: colours of wavelets at port p that is not their input; wrong_fence_i: it is
//                  a fence
//   work_i         something besides credits may change in this cycle; busy_i: a head may leave
//   set_i          colours whose credits are set; without_i: links that start with none in hand;
//                  keep_i: links whose credits are kept here
//   taken_i        links on which a credit of the control plane returns
//   give_o         [p]: the colour of the credit that arrives on link p, one-hot
//   some_o, all_o  [p]: colours with one credit of link p in hand, with both, before this cycle
//   credit_o       [p]: the credit that returns on link p
//   waits_o        links that credits wait for

`include "ow_assert.svh"

module ow_router_credits
  import ow_pkg::*;
  import ow_onehot_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  /* verilator lint_off UNUSEDSIGNAL */ // all but credits, and colours of what comes
  input  link_t                 link_n_i,
  input  link_t                 link_e_i,
  input  link_t                 link_s_i,
  input  link_t                 link_w_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NumColours-1:0] fence_i,
  /* verilator lint_off UNUSEDSIGNAL */ // the bits of the ramp
  input  logic [NumColours-1:0] grant_i [NUM_PORTS],
  input  logic [NumColours-1:0] in_i [NUM_PORTS],
  input  logic [NumColours-1:0] fresh_i [NUM_PORTS],
  input  logic [NUM_PORTS-1:0]  at_once_i,
  input  logic [NUM_PORTS-1:0]  passes_i,
  input  logic [NumColours-1:0] wrong_i [NUM_PORTS],
  input  logic [NUM_PORTS-1:0]  wrong_fence_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NumColours-1:0] on_i,
  input  logic [NumColours-1:0] may_i,
  input  logic [NumColours-1:0] freed_held_i,
  input  logic [NumColours-1:0] leave_i,
  input  logic                  work_i,
  input  logic                  busy_i,
  input  logic [NumColours-1:0] set_i,
  input  logic [3:0]            without_i,
  input  logic [3:0]            keep_i,
  input  logic [3:0]            taken_i,
  output logic [NumColours-1:0] give_o [4],
  output logic [NumColours-1:0] some_o [4],
  output logic [NumColours-1:0] all_o [4],
  output credit_t               credit_o [4],
  output logic [3:0]            waits_o
);

  typedef logic [NumColours-1:0] colours_t;

  // ------------------------------------------------------------------------------------ in hand --
  colours_t cr1_q [4], cr2_q [4], cr1_d [4], cr2_d [4];  // at least one, and two
  colours_t give [4];
  credit_t come [4];
  always_comb begin : credits
    come[0] = link_n_i.credit;
    come[1] = link_e_i.credit;
    come[2] = link_s_i.credit;
    come[3] = link_w_i.credit;
    for (int unsigned p = 0; p < 4; p++) begin
      give[p] = '0;
      if (come[p].valid) give[p] = colours_t'(decode(1'b1, come[p].colour));
    end
  end
  assign give_o = give;
  assign some_o = cr1_q;
  assign all_o = cr2_q;

  logic spends;  // credits in hand may change
  assign spends = work_i || come[0].valid || come[1].valid || come[2].valid || come[3].valid;
  always_comb begin : in_hand
    automatic colours_t has1, has2;
    {has1, has2} = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      cr1_d[p] = cr1_q[p];
      cr2_d[p] = cr2_q[p];
    end
    if (spends) begin
      for (int unsigned p = 0; p < 4; p++) begin
        has2 = cr2_q[p] | (cr1_q[p] & give[p]);
        has1 = cr1_q[p] | give[p];
        cr1_d[p] = has1 & ~(grant_i[p] & (fence_i | ~has2));
        cr2_d[p] = has2 & ~grant_i[p];
        cr1_d[p] = (cr1_d[p] & ~set_i) | (set_i & {NumColours{!without_i[p]}});
        cr2_d[p] = (cr2_d[p] & ~set_i) | (set_i & {NumColours{!without_i[p]}});
        if (rst_i) {cr1_d[p], cr2_d[p]} = '1;
      end
    end
  end

  // -------------------------------------------------------------------------- of the neighbours --
  // Per neighbour, at least one and two credits: owed to it if it is at the colour's input,
  // otherwise kept for it. turn_q: the last colour whose credit had waited (round robin).
  colours_t one_q [4], two_q [4];
  logic [4:0] turn_q [4];
  colours_t one_d [4], two_d [4];

  colours_t due [4], first [4];
  always_comb begin : owing
    for (int unsigned p = 0; p < 4; p++) begin
      due[p] = one_q[p] & in_i[p] & on_i;
      waits_o[p] = due[p] != '0;
    end
  end

  // The colour of an arriving wavelet is known by its port, so only `passes_i` has to come late.
  logic [3:0] fresh_turn;  // the slot that may return at once is that of what comes
  logic [4:0] number [4];
  logic [4:0] come_colour [4];
  assign come_colour[0] = link_n_i.wavelet.colour;
  assign come_colour[1] = link_e_i.wavelet.colour;
  assign come_colour[2] = link_s_i.wavelet.colour;
  assign come_colour[3] = link_w_i.wavelet.colour;
  always_comb begin : choose
    automatic colours_t cand;
    automatic logic goes;
    {cand, goes} = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      first[p] = '0;
      number[p] = '0;
      credit_o[p] = '0;
      fresh_turn[p] = at_once_i[p] && !waits_o[p];
      if (waits_o[p] || busy_i) begin
        cand = waits_o[p] ? due[p] : may_i & in_i[p];
        first[p] = colours_t'(pick(32'(cand), above(turn_q[p])));
        number[p] = index(32'(first[p]));
        goes = fresh_turn[p] ? passes_i[p] : waits_o[p] || (first[p] & freed_held_i) != '0;
        if (goes && !taken_i[p]) begin
          credit_o[p] = '{valid: 1'b1, colour: fresh_turn[p] ? come_colour[p] : number[p]};
        end
      end
    end
  end

  logic work;
  assign work = work_i || waits_o != '0;
  // What is left at the end of the cycle, first as if nothing that has just come left. Whether it
  // leaves, and whether a fence leaves, is applied last.
  always_comb begin : next
    automatic colours_t has1, has2, freed, back, stays, same, more1, more2;
    {has1, has2, freed, back, stays, same, more1, more2} = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      one_d[p] = one_q[p];
      two_d[p] = two_q[p];
    end
    if (work) begin
      same = rst_i ? '0 : ~set_i;
      for (int unsigned p = 0; p < 4; p++) begin
        has1 = one_q[p] | wrong_i[p];
        has2 = two_q[p] | (wrong_i[p] & (one_q[p] | {NumColours{wrong_fence_i[p]}}));
        freed = freed_held_i & in_i[p];
        // What returns, unless the control plane takes the slot.
        back = waits_o[p] ? first[p] : freed & first[p] & {NumColours{!at_once_i[p]}};
        stays = {NumColours{taken_i[p]}};
        one_d[p] = (has1 & (freed | ~back | stays)) | has2 | (freed & (~back | stays));
        two_d[p] = (has2 & (freed | ~back | stays)) | (has1 & freed & (~back | stays));
        one_d[p] = (one_d[p] & same) | (set_i & {NumColours{keep_i[p] && !rst_i}});
        two_d[p] = (two_d[p] & same) | (set_i & {NumColours{keep_i[p] && !rst_i}});
        // The slot of the arriving wavelet returns at once if no credit waits and the slot is free;
        // otherwise it is one more. Only then may there be one or two before it.
        more1 = fresh_i[p] & same & {NumColours{waits_o[p] || taken_i[p]}};
        more2 = fresh_i[p] & same & (has2 | (has1 & (~first[p] | stays)));
        one_d[p] |= (more1 & {NumColours{passes_i[p]}}) | (leave_i & in_i[p] & same);
        two_d[p] |= (more2 & {NumColours{passes_i[p]}}) | (leave_i & in_i[p] & same);
      end
    end
  end

  always_ff @(posedge clk_i) begin : registers
    if (spends) begin
      cr1_q <= cr1_d;
      cr2_q <= cr2_d;
    end
    if (work) begin
      one_q <= one_d;
      two_q <= two_d;
    end
    for (int unsigned p = 0; p < 4; p++) begin
      if (rst_i) turn_q[p] <= 5'(NumColours - 1);
      else if (waits_o[p] && !taken_i[p]) turn_q[p] <= number[p];
    end
  end

  for (genvar p = 0; p < 4; p++) begin : gen_check
    `OW_ASSERT(no_surplus, (cr2_q[p] & give[p]) == '0, "a credit came back that was not spent")
    `OW_ASSERT(credit_in_range, (cr2_q[p] & ~cr1_q[p]) == '0,
               "credits of a data colour out of range")
    `OW_ASSERT(back_in_range, (two_q[p] & ~one_q[p]) == '0,
               "kept credits of a data colour out of range")
  end

endmodule
