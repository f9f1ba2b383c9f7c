// SPDX-License-Identifier: Apache-2.0
// The data plane's switch: which of the arriving wavelets are taken, and which heads go to which
// outputs in this cycle (docs/fabric.md, F4 to F8).
//
// A wavelet is taken at the input of its colour's route. Without a route it is taken from one port:
// the port that the colour's wavelets come from already or, if there are none, the first port that
// one comes from (a claim; of several in one cycle, the lowest port). All others are dropped, and
// so are wavelets at the full buffer of a stopped colour. Their colour stops until its ROUTE is
// written, and their credits are kept for their port.
// A wavelet that arrives at an empty buffer is the head of its colour in the same cycle: a fresh
// head. A head that could not leave is held. A head goes to each output of its route as soon as
// this output takes it. The copies that it still owes are registers (owe_q). The head leaves when
// none is left.
// Each output grants one colour per cycle: (1) of the held heads that need no credit of this cycle,
// round robin; (2) if there is none, the held head whose credit arrives now; (3) if there is none,
// a fresh head, the lowest port first. A head that is passed over takes part in the round robin of
// the next cycle, so none waits for more than NumColours slots.
// Credits: a head goes to a link with one credit in hand, a fence with both. A freed slot returns
// to the colour's input in the same cycle if it is its turn. A fence has taken both credits; they
// return from the next cycle on, to the input that is selected then.
// Latency 0: link_*_o and to_ramp_o go to registers.
// Small: there are no fresh heads; an arriving wavelet is held from the next cycle on, and an
// arriving credit is spent from then on. One colour is chosen for all outputs, a cycle ahead, round
// robin among those that could then go somewhere if the control plane left them the slot. If the
// chosen colour cannot go after all (its wavelet has just gone, a route is written, the ramp has no
// room), nothing goes.
// Errors: a credit for a colour that has both, and a wavelet at a full buffer, break the protocol.
// Assertions report them.
//
//   NumColours        data colours, 2 to 24
//   Small             as above
//   link_*_i          the links; inj_i: from the ramp
//   in_i, out_i       [p]: colours whose input is port p; that have output p
//   enable_i, torn_i  colours that have a route; that are torn down
//   take_held_i       held heads whose command this router takes out of the list
//   take_fresh_i      [p]: the same for the fresh head at port p
//   drop_held_i       held heads that are kept from the ramp; drop_fresh_i [p]: the same for the
//                     fresh head at p
//   route_i, switch_i  ROUTE, SWITCH of this colour is written, one-hot
//   was_on_i, route_on_i  the colour that is written has a route before and after the write
//   from_i, to_i      its input port before and after the write; to_out_i: its outputs after it
//   set_credits_i, without_credits_i, keep_credits_i  these fields of the ROUTE that is written
//   hold_i            links whose slot belongs to the control plane
//   ctl_return_i      links on which a credit of the control plane returns
//   ej_ready_i        colours of which the ramp can take a wavelet
//   data_i            [o]: data of the head of one_o[o]; held_ctrl_i: held heads that are control
//                     wavelets
//   at_o              [p]: the colour of what comes at port p, one-hot; take_o [p]: the same if it
//                     is taken
//   one_o             [o]: the held head that goes to output o, one-hot. Small: the chosen colour,
//                     whether or not it goes there or still holds a head
//   work_o            something besides credits may change in this cycle; early in the cycle
//   link_*_o, to_ramp_o  what leaves, and the credits that return. A head that is kept from the
//                     ramp is not valid in to_ramp_o
//   ramp_valid_o, ramp_number_o, ramp_ctrl_o  there is a head at the ramp's turn, its colour, its
//                     control bit. It may be kept from the ramp
//   wants_o, waits_o  links that data want (Small: that any colour could go to, so the control
//                     plane does not wait for the choice); links that data credits wait for
//   held_o, full_o    colours that hold a head; a tail too
//   push_o, shift_o   colours whose word is stored; whose head takes what comes next
//   leave_o           colours of which a fence leaves
//   misrouted_o       colours that are stopped
//   ramp_owed_o       held heads that owe the ramp a copy
//   space_o           colours that can take another wavelet, whatever leaves
//   can_move_o        something can go on without the ramp or a link
//   credits_o, all_credits_o  [p]: colours with one credit of link p in hand; with both

`include "ow_assert.svh"

module ow_router_switch
  import ow_pkg::*;
  import ow_onehot_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter bit Small = 1'b0
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  link_t                 link_n_i,
  input  link_t                 link_e_i,
  input  link_t                 link_s_i,
  input  link_t                 link_w_i,
  input  wavelet_t              inj_i,
  input  logic [NumColours-1:0] in_i [NUM_PORTS],
  input  logic [NumColours-1:0] out_i [NUM_PORTS],
  input  logic [NumColours-1:0] enable_i,
  input  logic [NumColours-1:0] torn_i,
  input  logic [NumColours-1:0] take_held_i,
  input  logic [NUM_PORTS-1:0]  take_fresh_i,
  input  logic [NumColours-1:0] drop_held_i,
  input  logic [NUM_PORTS-1:0]  drop_fresh_i,
  input  logic [NumColours-1:0] route_i,
  input  logic [NumColours-1:0] switch_i,
  input  logic                  was_on_i,
  input  logic                  route_on_i,
  input  logic [2:0]            from_i,
  input  logic [2:0]            to_i,
  input  logic [NUM_PORTS-1:0]  to_out_i,
  input  logic                  set_credits_i,
  input  logic [3:0]            without_credits_i,
  input  logic [3:0]            keep_credits_i,
  input  logic [3:0]            hold_i,
  input  logic [3:0]            ctl_return_i,
  input  logic [NumColours-1:0] ej_ready_i,
  input  logic [31:0]           data_i [NUM_PORTS],
  input  logic [NumColours-1:0] held_ctrl_i,
  output logic [NumColours-1:0] take_o [NUM_PORTS],
  output logic [NumColours-1:0] at_o [NUM_PORTS],
  output logic [NumColours-1:0] one_o [NUM_PORTS],
  output logic                  work_o,
  output link_t                 link_n_o,
  output link_t                 link_e_o,
  output link_t                 link_s_o,
  output link_t                 link_w_o,
  output wavelet_t              to_ramp_o,
  output logic                  ramp_valid_o,
  output logic [4:0]            ramp_number_o,
  output logic                  ramp_ctrl_o,
  output logic [3:0]            wants_o,
  output logic [3:0]            waits_o,
  output logic [NumColours-1:0] held_o,
  output logic [NumColours-1:0] full_o,
  output logic [NumColours-1:0] push_o,
  output logic [NumColours-1:0] shift_o,
  output logic [NumColours-1:0] leave_o,
  output logic [NumColours-1:0] misrouted_o,
  output logic [NumColours-1:0] ramp_owed_o,
  output logic [NumColours-1:0] space_o,
  output logic                  can_move_o,
  output logic [NumColours-1:0] credits_o [4],
  output logic [NumColours-1:0] all_credits_o [4]
);

  typedef logic [NumColours-1:0] colours_t;
  typedef logic [NUM_PORTS-1:0] ports_t;

  // Buffers: each colour has a head and a tail, and never a tail without a head. fence_q: the last
  // one is a fence.
  colours_t head_valid_q, tail_valid_q, fence_q, misrouted_q;
  colours_t alone_q;  // Small: heads that are fences
  colours_t head_valid_d, tail_valid_d, fence_d, misrouted_d;
  // By port: the head owes this output a copy. For a colour without a route: its wavelets come from
  // here.
  colours_t owe_q [NUM_PORTS], owe_d [NUM_PORTS];
  logic [4:0] turn_q [NUM_PORTS];  // round robin: the last colour granted
  colours_t give [4], cr1 [4], cr2 [4];  // credits by link: arriving; one, two in hand

  link_t link [4];
  wavelet_t arrive [NUM_PORTS];
  always_comb begin : ports
    link[0] = link_n_i;
    link[1] = link_e_i;
    link[2] = link_s_i;
    link[3] = link_w_i;
    for (int unsigned p = 0; p < 4; p++) arrive[p] = link[p].wavelet;
    arrive[PORT_R] = inj_i;
  end

  // Early in the cycle: something comes; something may change.
  logic comes, work;
  assign comes = arrive[0].valid || arrive[1].valid || arrive[2].valid || arrive[3].valid ||
                 arrive[4].valid;
  assign work = rst_i || comes || (head_valid_q | route_i | switch_i) != '0;
  assign work_o = work;

  // ----------------------------------------------------------------------------------- arrivals --
  colours_t run, shut, at [NUM_PORTS], claim [NUM_PORTS], wrong [NUM_PORTS], fresh [NUM_PORTS];
  colours_t arrived, new_fence;
  ports_t fence_in, at_once;  // [p]: what comes is a fence; is a head at once
  assign run = enable_i & ~(torn_i | misrouted_q);
  // A stopped colour may hold wavelets of another port, whose sender has credits of its own. So a
  // wavelet for its full buffer breaks no rule, and is dropped.
  assign shut = misrouted_q & tail_valid_q & enable_i;

  always_comb begin : arrivals
    automatic colours_t open, from;
    {from, arrived, new_fence, fence_in, at_once} = '0;
    open = ~(enable_i | owe_q[PORT_N] | owe_q[PORT_E] | owe_q[PORT_S] | owe_q[PORT_W] |
             owe_q[PORT_R]);
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      at[p] = '0;
      take_o[p] = '0;
      claim[p] = '0;
      wrong[p] = '0;
      fresh[p] = '0;
      if (arrive[p].valid) begin
        at[p] = colours_t'(decode(1'b1, arrive[p].colour));
        from = (enable_i & in_i[p] & ~shut) | (~enable_i & owe_q[p]) | open;
        claim[p] = at[p] & open;
        take_o[p] = at[p] & from;
        wrong[p] = at[p] & ~from;
        if (!Small) fresh[p] = at[p] & (in_i[p] & run & ~head_valid_q);
        at_once[p] = fresh[p] != '0;
        open &= ~at[p];
        arrived |= take_o[p];
        fence_in[p] = arrive[p].ctrl && has_commands(arrive[p].data);
        if (fence_in[p]) new_fence |= take_o[p];
      end
    end
  end

  // -------------------------------------------------------------------------------------- heads --
  // Held heads depend on registers only, except for a credit that arrives now. Fresh heads: at most
  // one per port.
  colours_t running, alone;
  assign running = head_valid_q & run;
  assign alone = Small ? alone_q : head_valid_q & ~tail_valid_q & fence_q;  // the head is a fence
  assign held_o = head_valid_q;
  assign full_o = tail_valid_q;
  assign at_o = at;

  ports_t go;  // outputs whose slot data may use
  assign go = {1'b1, ~hold_i};

  // ------------------------------------------------------------------------ outputs, held heads --
  colours_t rest [NUM_PORTS], one [NUM_PORTS], sends [NUM_PORTS], may;
  ports_t sure, some;  // sure: a head needs no credit of this cycle; some: that, or one whose
                       // credit arrives
  logic [3:0] could;   // Small: of all colours, not only of the chosen one
  colours_t chosen_q, chosen_d;  // Small: the chosen colour; that of the next cycle
  always_comb begin : choose_held
    automatic colours_t offer, late;
    {offer, late, may, sure, some, could} = '0;
    for (int unsigned o = 0; o < NUM_PORTS; o++) begin
      rest[o] = run & owe_q[o];
      late = '0;
      if (o < 4) begin
        offer = rest[o] & (cr2[o%4] | (cr1[o%4] & ~alone));
        if (!Small) late = rest[o] & give[o%4] & (cr1[o%4] | ~alone);
      end else begin
        offer = rest[o] & (ej_ready_i | drop_held_i);
      end
      may |= (offer | late) & ~alone;
      sure[o] = offer != '0;
      some[o] = (offer | late) != '0;
      one[o] = late;
      if (Small) one[o] = offer;
      else if (sure[o]) one[o] = colours_t'(pick(32'(offer), above(turn_q[o])));
    end
    could = some[3:0];
    if (Small) begin
      may &= chosen_q;
      for (int unsigned o = 0; o < NUM_PORTS; o++) one[o] &= chosen_q;
      for (int unsigned o = 0; o < NUM_PORTS; o++) some[o] = one[o] != '0;
    end
    for (int unsigned o = 0; o < NUM_PORTS; o++) sends[o] = go[o] ? one[o] : '0;
  end

  // ----------------------------------------------------------------------- outputs, fresh heads --
  // An arriving wavelet is looked up by its colour in vectors of registers. In parallel it is found
  // out whether it is a fresh head, and whether a credit of its colour arrives.
  // owes [p]: outputs of what comes at p. turn [o]: the port chosen for output o. passes [o]: the
  // port whose wavelet goes out at once.
  ports_t [NUM_PORTS-1:0] owes, turn, passes;
  ports_t wants;
  always_comb begin : choose_fresh
    automatic ports_t [NUM_PORTS-1:0] cand;
    automatic logic any, any1, any2, same;
    {owes, turn, cand} = '0;
    {any, any1, any2, same} = '0;
    wants = some;
    if (comes) begin
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        if (at_once[p]) begin
          for (int unsigned o = 0; o < NUM_PORTS; o++) begin
            any = (at[p] & out_i[o]) != '0;
            owes[p][o] = any;
            if (o < 4) begin
              any1 = (at[p] & (out_i[o] & cr1[o%4])) != '0;
              any2 = (at[p] & (out_i[o] & cr2[o%4])) != '0;
              same = link[o%4].credit == {1'b1, arrive[p].colour};
              cand[o][p] = any2 || (any1 && same) || (!fence_in[p] && (any1 || (any && same)));
            end else begin
              cand[o][p] = (at[p] & (out_i[o] & ej_ready_i)) != '0 || (any && drop_fresh_i[p]);
            end
          end
        end
      end
      for (int unsigned o = 0; o < NUM_PORTS; o++) begin
        if (!some[o]) turn[o] = ports_t'(lowest(32'(cand[o])));
        wants[o] |= cand[o] != '0;
      end
    end
    for (int unsigned o = 0; o < NUM_PORTS; o++) passes[o] = go[o] ? turn[o] : '0;
  end
  assign wants_o = Small ? could : wants[3:0];

  // ------------------------------------------------------------------------------ what goes out --
  // Small: the read does not wait for whose slot it is.
  always_comb begin
    for (int unsigned o = 0; o < NUM_PORTS; o++) one_o[o] = Small ? chosen_q : sends[o];
  end

  logic [4:0] number [NUM_PORTS];
  logic ramp_drops;
  wavelet_t leaves [NUM_PORTS];
  always_comb begin : send
    automatic logic [31:0] word [NUM_PORTS];  // of what comes
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      word[p] = take_fresh_i[p] ? next_command(arrive[p].data) : arrive[p].data;
    end
    for (int unsigned o = 0; o < NUM_PORTS; o++) begin
      leaves[o] = '0;
      number[o] = '0;
      if (sends[o] != '0) begin
        leaves[o].ctrl = (sends[o] & held_ctrl_i) != '0;
        leaves[o].data = (sends[o] & take_held_i) != '0 ? next_command(data_i[o]) : data_i[o];
        number[o] = index(32'(sends[o]));
      end
      if (comes) begin
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin
          leaves[o].ctrl |= arrive[p].ctrl && passes[o][p];
          leaves[o].data |= word[p] & {32{passes[o][p]}};
          number[o] |= arrive[p].colour & {5{passes[o][p]}};
        end
      end
      leaves[o].colour = number[o];
      leaves[o].valid = wants[o] && go[o];
    end
    ramp_drops = (sends[PORT_R] & drop_held_i) != '0 || (turn[PORT_R] & drop_fresh_i) != '0;
    ramp_valid_o = wants[PORT_R];
    ramp_number_o = number[PORT_R];
    ramp_ctrl_o = leaves[PORT_R].ctrl;
    if (ramp_drops) leaves[PORT_R].valid = 1'b0;
  end
  assign to_ramp_o = leaves[PORT_R];

  // -------------------------------------------------------------------------------------- leave --
  // A head leaves when all its copies are sent.
  colours_t done, done_held, leave, freed_held, grant [NUM_PORTS];
  ports_t passed;  // the wavelet that came at p has left
  always_comb begin : leaving
    automatic colours_t left;
    {left, passed} = '0;
    for (int unsigned o = 0; o < NUM_PORTS; o++) begin
      grant[o] = sends[o];
      left |= rest[o] & ~grant[o];
    end
    done_held = running & ~left;
    done = done_held;
    if (comes) begin
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        if (at_once[p]) begin
          passed[p] = 1'b1;
          for (int unsigned o = 0; o < NUM_PORTS; o++) begin
            if (owes[p][o] && !passes[o][p]) passed[p] = 1'b0;
            if (passes[o][p]) grant[o] |= fresh[p];
          end
          if (passed[p]) done |= fresh[p];
        end
      end
    end
    leave = (done_held & alone) | (done & ~head_valid_q & new_fence);
  end
  assign leave_o = leave;
  assign freed_held = done_held & ~alone;

  colours_t popped, to_tail;
  assign popped = done_held;
  assign push_o = arrived & ~(done & ~head_valid_q);
  assign shift_o = popped | ~head_valid_q;  // the head takes what comes next
  assign to_tail = push_o & head_valid_q & ~popped;

  // ------------------------------------------------------------------------------------ credits --
  credit_t credit [4];
  colours_t set;
  assign set = route_i & {NumColours{set_credits_i}};
  ow_router_credits #(.NumColours(NumColours)) u_credits (
    .clk_i, .rst_i, .link_n_i, .link_e_i, .link_s_i, .link_w_i, .grant_i(grant),
    .fence_i(alone | (~head_valid_q & new_fence)), .in_i, .on_i(run), .may_i(may),
    .fresh_i(fresh), .at_once_i(at_once), .passes_i(passed & ~fence_in),
    .freed_held_i(freed_held), .leave_i(leave), .wrong_i(wrong), .wrong_fence_i(fence_in),
    .work_i(work), .busy_i(Small || comes || some != '0), .set_i(set),
    .without_i(without_credits_i), .keep_i(keep_credits_i), .taken_i(ctl_return_i),
    .give_o(give), .some_o(cr1), .all_o(cr2), .credit_o(credit), .waits_o
  );
  assign credits_o = cr1;
  assign all_credits_o = cr2;
  assign link_n_o = {credit[0], leaves[0]};
  assign link_e_o = {credit[1], leaves[1]};
  assign link_s_o = {credit[2], leaves[2]};
  assign link_w_o = {credit[3], leaves[3]};

  // A write of a route. A waiting wavelet follows the new route if it came in where this route
  // says; otherwise the colour stops. If the route ends, the wavelet keeps the port at which it
  // came in.
  colours_t stop, clear, keep, next;
  always_comb begin : follow
    automatic logic elsewhere;
    {stop, clear, keep, next} = '0;
    elsewhere = 1'b0;
    if ((route_i | switch_i) != '0) begin
      next = (head_valid_q & ~popped) | tail_valid_q | push_o;
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        if (((route_i | switch_i) & (owe_q[p] | claim[p])) != '0 && to_i != 3'(p)) begin
          elsewhere = 1'b1;
        end
      end
      if (was_on_i) elsewhere = from_i != to_i;
      stop = (route_i | switch_i) & next & {NumColours{elsewhere && route_on_i}};
      keep = route_i & next & {NumColours{!route_on_i}} & enable_i;
      clear = ((switch_i & enable_i) | route_i) & ~(route_i & next & {NumColours{!route_on_i}});
    end
  end

  // ---------------------------------------------------------------------------------- registers --
  always_comb begin : next_state
    automatic colours_t wrongs, starts, follows;
    wrongs = wrong[0] | wrong[1] | wrong[2] | wrong[3] | wrong[4];
    head_valid_d = (head_valid_q & ~popped) | tail_valid_q | push_o;
    tail_valid_d = (tail_valid_q & ~popped) | to_tail;
    fence_d = (fence_q & ~push_o) | (push_o & new_fence);
    misrouted_d = ((misrouted_q | wrongs) & ~route_i) | stop;
    starts = enable_i & arrived & ~head_valid_q;
    follows = popped & (tail_valid_q | arrived);
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      owe_d[p] = ((owe_q[p] | claim[p] | (starts & out_i[p])) & ~grant[p]) | (follows & out_i[p]);
      owe_d[p] = (owe_d[p] & ~(clear | keep)) | (keep & in_i[p]);
      if (to_out_i[p]) owe_d[p] |= clear & next;
    end
  end

  // Small: the colour of the next cycle, among those that could go then if this cycle's colour did
  // not go. This cycle's colour is last in the round robin; if it is chosen again, nothing of it
  // may be left.
  logic [4:0] chosen;
  assign chosen = index(32'(chosen_q));
  always_comb begin : choose_next
    automatic colours_t soon, heads, with_credit;
    {soon, heads, with_credit} = '0;
    chosen_d = '0;
    if (Small) begin
      for (int unsigned p = 0; p < NUM_PORTS; p++) heads |= at[p] & in_i[p];
      heads &= run & ~head_valid_q;
      for (int unsigned o = 0; o < 4; o++) begin
        with_credit = cr1[o] | give[o];
        soon |= rest[o] & (cr2[o] | (cr1[o] & give[o]) | (with_credit & ~alone));
        soon |= heads & out_i[o] & with_credit;
      end
      soon |= (rest[PORT_R] & (ej_ready_i | drop_held_i)) | (heads & out_i[PORT_R] & ej_ready_i);
      chosen_d = colours_t'((some & go) != '0 ? pick(32'(soon), above(chosen))
                                              : pick(32'(soon), above(turn_q[0])));
    end
  end
  always_ff @(posedge clk_i) chosen_q <= rst_i ? '0 : chosen_d;

  always_ff @(posedge clk_i) begin : levels
    if (rst_i) begin
      head_valid_q <= '0;
      tail_valid_q <= '0;
      fence_q <= '0;
      alone_q <= '0;
      misrouted_q <= '0;
      for (int unsigned p = 0; p < NUM_PORTS; p++) owe_q[p] <= '0;
      for (int unsigned p = 0; p < NUM_PORTS; p++) turn_q[p] <= 5'(NumColours - 1);
    end else if (work) begin
      head_valid_q <= head_valid_d;
      tail_valid_q <= tail_valid_d;
      fence_q <= fence_d;
      alone_q <= Small ? head_valid_d & ~tail_valid_d & fence_d : '0;
      misrouted_q <= misrouted_d;
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        owe_q[p] <= owe_d[p];
        if (!Small && sure[p] && go[p]) turn_q[p] <= number[p];
      end
      if (Small && (some & go) != '0) turn_q[0] <= chosen;
    end
  end

  assign misrouted_o = misrouted_q;

  // --------------------------------------------------------------------------------------- idle --
  // What can move without any input: copies that could go to a link, heads that owe nothing,
  // credits that are due.
  always_comb begin : idle
    automatic colours_t any;
    any = '0;
    can_move_o = waits_o != '0 || chosen_q != '0;
    ramp_owed_o = '0;
    if (running != '0) begin
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        any |= rest[p];
        if (p < 4 && (rest[p] & (cr2[p%4] | (cr1[p%4] & ~alone))) != '0) can_move_o = 1'b1;
      end
      ramp_owed_o = rest[PORT_R];
      if (any != running) can_move_o = 1'b1;
    end
    space_o = ~(tail_valid_q | (head_valid_q & fence_q) | torn_i);
  end

  `OW_ASSERT(tail_behind_head, (tail_valid_q & ~head_valid_q) == '0, "a tail without a head")
  `OW_ASSERT(no_overrun, (arrived & tail_valid_q) == '0, "a colour's buffer overran")
  colours_t early;  // copies of no head
  assign early = run & ~head_valid_q & (owe_q[0] | owe_q[1] | owe_q[2] | owe_q[3] | owe_q[4]);
  `OW_ASSERT(copies_of_a_head, early == '0, "a copy is owed of nothing")

endmodule
