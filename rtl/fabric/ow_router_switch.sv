// SPDX-License-Identifier: Apache-2.0
// The data plane's switch: which of the wavelets that arrive are taken, which heads go to which
// outputs in this cycle, and the credits in both directions.
//
// A wavelet is taken at the input of its colour's route. Without a route it is taken from one port:
// the one that the colour's wavelets come from already or, if none does, the first one that one
// comes from (a claim; of several in one cycle, the lowest port). All others are dropped: their
// colour stops until its ROUTE is written, and their credits are kept for their port.
// A wavelet that arrives at an empty buffer is the head of its colour in the same cycle. A head
// goes to each output of its route as soon as that output takes it; the copies that are away are
// remembered (sent_q), and the head leaves when none is owed. Each output grants one colour a
// cycle, round robin; a turn that the ramp does not take is used up.
// Credits: a head goes to a link with one credit in hand, a fence with both. A slot that is freed
// goes back to the colour's input in the same cycle if it is its turn; a fence has taken both
// credits, and they go back from the next cycle on, to the input that is selected then.
// Latency 0: link_*_o and to_ramp_o go to registers, so what arrives in cycle t can be on a link in
// cycle t + 1.
// Errors: a credit for a colour that has both, and a wavelet at a full buffer, break the protocol;
// assertions report them.
//
// Vectors of one bit a colour throughout. Conditions around work that is 0 without them let a
// simulator pass over it.
//
//   NumColours     data colours, 2 to 24
//   link_*_i       the links; inj_i: from the ramp
//   in_i, out_i    [p]: colours whose input, one of whose outputs is port p
//   enable_i, torn_i   colours that have a route; that are torn down
//   take_out_i     colours whose command this router takes out of the list (of control wavelets)
//   route_i, switch_i   ROUTE, SWITCH of this colour is written, one-hot
//   was_on_i, route_on_i   the colour that is written has a route before and after it
//   from_i, to_i   its input port before and after it
//   set_credits_i, without_credits_i, keep_credits_i   these fields of the ROUTE that is written
//   ctl_take_i     links that the control plane sends on; ctl_return_i: its credits go back on
//   ej_ready_i     colours of which the ramp can take a wavelet
//   look_i         heads for the ramp that are looked at first; drop_i: the one looked at goes
//   data_i         [o]: data of the head of one_o[o]
//   take_o, one_o  [p]: the colour taken at port p; whose turn it is at output p; one-hot
//   number_o       the number of one_o at the ramp
//   link_*_o, to_ramp_o   what leaves, and the credits that go back
//   wants_o, waits_o      links that data want; that data credits wait for
//   held_o, full_o   colours that hold a head; a tail, too
//   push_o, shift_o  colours whose word is stored; whose head takes what comes next
//   ctrl_o, op_o     heads that are control wavelets; [1], [0]: bits of their operation
//   held_ctrl_o      the first of the held heads alone
//   done_o, leave_o  colours whose head leaves; those of them whose head is a fence
//   misrouted_o      colours that are stopped
//   ramp_owed_o      held heads that owe the ramp a copy
//   space_o          colours that can take another wavelet, whatever goes
//   can_move_o       something can go on without the ramp or a link
//   credits_o, all_credits_o   [p]: colours with one credit of link p in hand; with both

`include "ow_assert.svh"

module ow_router_switch
  import ow_pkg::*;
  import ow_onehot_pkg::*;
#(
  parameter int unsigned NumColours = 24
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
  input  logic [NumColours-1:0] take_out_i,
  input  logic [NumColours-1:0] route_i,
  input  logic [NumColours-1:0] switch_i,
  input  logic                  was_on_i,
  input  logic                  route_on_i,
  input  logic [2:0]            from_i,
  input  logic [2:0]            to_i,
  input  logic                  set_credits_i,
  input  logic [3:0]            without_credits_i,
  input  logic [3:0]            keep_credits_i,
  input  logic [3:0]            ctl_take_i,
  input  logic [3:0]            ctl_return_i,
  input  logic [NumColours-1:0] ej_ready_i,
  input  logic [NumColours-1:0] look_i,
  input  logic                  drop_i,
  input  logic [31:0]           data_i [NUM_PORTS],
  output logic [NumColours-1:0] take_o [NUM_PORTS],
  output logic [NumColours-1:0] one_o [NUM_PORTS],
  output logic [4:0]            number_o,
  output link_t                 link_n_o,
  output link_t                 link_e_o,
  output link_t                 link_s_o,
  output link_t                 link_w_o,
  output wavelet_t              to_ramp_o,
  output logic [3:0]            wants_o,
  output logic [3:0]            waits_o,
  output logic [NumColours-1:0] held_o,
  output logic [NumColours-1:0] full_o,
  output logic [NumColours-1:0] push_o,
  output logic [NumColours-1:0] shift_o,
  output logic [NumColours-1:0] ctrl_o,
  output logic [NumColours-1:0] op_o [2],
  output logic [NumColours-1:0] done_o,
  output logic [NumColours-1:0] leave_o,
  output logic [NumColours-1:0] misrouted_o,
  output logic [NumColours-1:0] ramp_owed_o,
  output logic [NumColours-1:0] held_ctrl_o,
  output logic [NumColours-1:0] space_o,
  output logic                  can_move_o,
  output logic [NumColours-1:0] credits_o [4],
  output logic [NumColours-1:0] all_credits_o [4]
);

  typedef logic [NumColours-1:0] colours_t;

  // Buffers: head and tail of each colour, a tail never without a head; control bit and operation
  // of both (data are elsewhere); whether the last one is a fence.
  colours_t head_valid_q, tail_valid_q, fence_q;
  colours_t head_ctrl_q, tail_ctrl_q, head_op1_q, tail_op1_q, head_op0_q, tail_op0_q;
  colours_t misrouted_q;
  // By port: the head has gone to this output. Of a colour without a route: its wavelets come from
  // here.
  colours_t sent_q [NUM_PORTS];
  logic [4:0] turn_q [NUM_PORTS];     // the last colour granted
  logic [4:0] return_turn_q [4];      // the last one whose credit went back
  // Credits, at least one and two: in hand towards each neighbour; of each neighbour, here (owed to
  // it if it is at the colour's input, else kept for it).
  colours_t cr1_q [4], cr2_q [4], bk1_q [4], bk2_q [4];

  // The lowest candidate above the last one granted, or the lowest of all.
  function automatic colours_t turn(input colours_t cand, input logic [4:0] last);
    automatic colours_t high;
    high = cand & colours_t'(above(last));
    return high != '0 ? colours_t'(lowest(32'(high))) : colours_t'(lowest(32'(cand)));
  endfunction

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

  // ----------------------------------------------------------------------------------- arrivals --
  colours_t claim [NUM_PORTS], wrong [NUM_PORTS], give [4];
  colours_t arrived, new_ctrl, new_fence, new_op1, new_op0;
  /* verilator lint_off UNUSEDSIGNAL */ // the ramp's
  logic [NUM_PORTS-1:0] wrong_fence;
  /* verilator lint_on UNUSEDSIGNAL */

  always_comb begin : arrivals
    automatic colours_t at, open, from;
    automatic logic [1:0] op;
    {at, from, op} = '0;
    {arrived, new_ctrl, new_fence, new_op1, new_op0, wrong_fence} = '0;
    open = ~(enable_i | sent_q[PORT_N] | sent_q[PORT_E] | sent_q[PORT_S] | sent_q[PORT_W] |
             sent_q[PORT_R]);
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      take_o[p] = '0;
      claim[p] = '0;
      wrong[p] = '0;
      if (arrive[p].valid) begin
        at = colours_t'(decode(1'b1, arrive[p].colour));
        from = (enable_i & in_i[p]) | (~enable_i & sent_q[p]) | open;
        claim[p] = at & open;
        take_o[p] = at & from;
        wrong[p] = at & ~from;
        open &= ~at;
        op = command_op(arrive[p].data);
        arrived |= take_o[p];
        new_op1 |= take_o[p] & {NumColours{op[1]}};
        new_op0 |= take_o[p] & {NumColours{op[0]}};
        if (arrive[p].ctrl) begin
          new_ctrl |= take_o[p];
          if (has_commands(arrive[p].data)) begin
            new_fence |= take_o[p];
            wrong_fence[p] = 1'b1;
          end
        end
      end
    end
  end

  always_comb begin : credits
    for (int unsigned p = 0; p < 4; p++) begin
      give[p] = '0;
      if (link[p].credit.valid) give[p] = colours_t'(decode(1'b1, link[p].credit.colour));
    end
  end

  // -------------------------------------------------------------------------------------- heads --
  colours_t run, running, fresh, head, fence;
  assign run = enable_i & ~(torn_i | misrouted_q);
  assign running = head_valid_q & run;
  assign fresh = arrived & ~head_valid_q & run;
  assign head = running | fresh;
  assign fence = (head_valid_q & ~tail_valid_q & fence_q) | (fresh & new_fence);
  assign held_ctrl_o = head_valid_q & head_ctrl_q;
  assign ctrl_o = held_ctrl_o | (fresh & new_ctrl);
  assign op_o[1] = (head_valid_q & head_op1_q) | (fresh & new_op1);
  assign op_o[0] = (head_valid_q & head_op0_q) | (fresh & new_op0);

  // ------------------------------------------------------------------------------------ outputs --
  colours_t rest [NUM_PORTS], grant [NUM_PORTS];
  logic [4:0] number [NUM_PORTS];
  logic refuse;

  // Heads that a link (with its credits, those that come included) or the ramp could take.
  colours_t ready [NUM_PORTS];
  always_comb begin : can_take
    for (int unsigned p = 0; p < 4; p++) begin
      ready[p] = cr2_q[p] | (cr1_q[p] & (give[p] | ~fence)) | (give[p] & ~fence);
    end
    ready[PORT_R] = ej_ready_i | look_i;
  end

  always_comb begin : choose
    automatic colours_t offer;
    automatic logic [NUM_PORTS-1:0] some;
    offer = '0;
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      rest[p] = head & out_i[p] & ~sent_q[p];
      one_o[p] = '0;
      number[p] = '0;
      some[p] = 1'b0;
      if (rest[p] != '0) begin
        offer = rest[p] & ready[p];
        some[p] = offer != '0;
        if (some[p]) begin
          one_o[p] = turn(offer, turn_q[p]);
          number[p] = index(32'(one_o[p]));
        end
      end
    end
    number_o = number[PORT_R];
    wants_o = some[3:0];
  end

  assign refuse = (one_o[PORT_R] & look_i) != '0 && !drop_i && (one_o[PORT_R] & ej_ready_i) == '0;

  wavelet_t leaves [NUM_PORTS];
  colours_t left;
  logic [NUM_PORTS-1:0] stop_output;
  assign stop_output = {refuse, ctl_take_i};
  always_comb begin : send
    left = '0;
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      grant[p] = '0;
      leaves[p] = '0;
      if (rest[p] != '0) begin
        if (one_o[p] != '0 && !stop_output[p]) begin
          grant[p] = one_o[p];
          if (p < 4 || !drop_i) begin
            leaves[p] = '{valid: 1'b1, colour: number[p], ctrl: (one_o[p] & ctrl_o) != '0,
                          data: data_i[p]};
            if ((one_o[p] & take_out_i) != '0) leaves[p].data = next_command(data_i[p]);
          end
        end
        left |= rest[p] & ~grant[p];
      end
    end
  end
  assign to_ramp_o = leaves[PORT_R];

  // -------------------------------------------------------------------------------------- leave --
  colours_t popped, to_tail, freed;
  assign done_o = head & ~left;
  assign leave_o = done_o & fence;
  assign freed = done_o & ~leave_o;
  assign popped = done_o & head_valid_q;
  assign push_o = arrived & ~(done_o & fresh);
  assign shift_o = popped | ~head_valid_q;  // the head takes what comes next
  assign to_tail = push_o & head_valid_q & (~popped | tail_valid_q);
  assign held_o = head_valid_q;
  assign full_o = tail_valid_q;

  // Credits that go back.
  colours_t due [4], back [4];
  always_comb begin : owing
    waits_o = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      due[p] = '0;
      if (bk1_q[p] != '0) begin
        due[p] = bk1_q[p] & in_i[p] & enable_i & ~torn_i;
        waits_o[p] = due[p] != '0;
      end
    end
  end

  logic [4:0] back_number [4];
  credit_t credit [4];
  always_comb begin : returns
    automatic colours_t cand;
    cand = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      back[p] = '0;
      back_number[p] = '0;
      credit[p] = '0;
      if ((due[p] | freed) != '0) begin
        cand = due[p] | (freed & in_i[p]);
        if (cand != '0 && !ctl_return_i[p]) begin
          back[p] = turn(cand, return_turn_q[p]);
          back_number[p] = index(32'(back[p]));
          credit[p] = '{valid: 1'b1, colour: back_number[p]};
        end
      end
    end
  end
  assign link_n_o = {credit[0], leaves[0]};
  assign link_e_o = {credit[1], leaves[1]};
  assign link_s_o = {credit[2], leaves[2]};
  assign link_w_o = {credit[3], leaves[3]};

  // A write of a route: what waits follows it if it came in where the new route says, or stops; if
  // the route ends it keeps the port at which it came in.
  colours_t stop, clear, keep;
  always_comb begin : follow
    automatic colours_t next;
    automatic logic elsewhere;
    {stop, clear, keep, next} = '0;
    elsewhere = 1'b0;
    if ((route_i | switch_i) != '0) begin
      next = (head_valid_q & ~popped) | tail_valid_q | push_o;
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        if (((route_i | switch_i) & (sent_q[p] | claim[p])) != '0 && to_i != 3'(p)) begin
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
  logic moves;  // something below changes
  colours_t wrongs;
  assign wrongs = wrong[0] | wrong[1] | wrong[2] | wrong[3] | wrong[4];
  assign moves = rst_i || (arrived | wrongs | done_o | route_i | switch_i) != '0;

  always_ff @(posedge clk_i) begin : levels
    if (rst_i) begin
      head_valid_q <= '0;
      tail_valid_q <= '0;
      fence_q <= '0;
      misrouted_q <= '0;
    end else if (moves) begin
      head_valid_q <= (head_valid_q & ~popped) | tail_valid_q | push_o;
      tail_valid_q <= (tail_valid_q & ~popped) | to_tail;
      fence_q <= (fence_q & ~push_o) | (push_o & new_fence);
      misrouted_q <= ((misrouted_q | wrongs) & ~route_i) | stop;
    end
  end

  always_ff @(posedge clk_i) begin : kinds
    if ((push_o | popped) != '0) begin
      head_ctrl_q <= (head_ctrl_q & ~shift_o) |
                     (shift_o & ((tail_valid_q & tail_ctrl_q) | (~tail_valid_q & new_ctrl)));
      head_op1_q <= (head_op1_q & ~shift_o) |
                    (shift_o & ((tail_valid_q & tail_op1_q) | (~tail_valid_q & new_op1)));
      head_op0_q <= (head_op0_q & ~shift_o) |
                    (shift_o & ((tail_valid_q & tail_op0_q) | (~tail_valid_q & new_op0)));
      tail_ctrl_q <= (tail_ctrl_q & ~push_o) | new_ctrl;
      tail_op1_q <= (tail_op1_q & ~push_o) | new_op1;
      tail_op0_q <= (tail_op0_q & ~push_o) | new_op0;
    end
  end

  always_ff @(posedge clk_i) begin : copies
    automatic colours_t next [NUM_PORTS];
    automatic logic [4:0] next_turn [NUM_PORTS];
    if (moves || (grant[0] | grant[1] | grant[2] | grant[3] | one_o[4]) != '0) begin
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        next[p] = ((sent_q[p] | claim[p] | grant[p]) & ~(done_o | clear | keep)) | (keep & in_i[p]);
        next_turn[p] = (p < 4 ? grant[p] : one_o[p]) != '0 ? number[p] : turn_q[p];
        if (rst_i) next[p] = '0;
        if (rst_i) next_turn[p] = '1;
      end
      sent_q <= next;
      turn_q <= next_turn;
    end
  end

  always_ff @(posedge clk_i) begin : hand
    automatic colours_t next1 [4], next2 [4], has1, has2, set;
    set = route_i & {NumColours{set_credits_i}};
    if (rst_i || (give[0] | give[1] | give[2] | give[3] | set |
                  grant[0] | grant[1] | grant[2] | grant[3]) != '0) begin
      for (int unsigned p = 0; p < 4; p++) begin
        has2 = cr2_q[p] | (cr1_q[p] & give[p]);
        has1 = cr1_q[p] | give[p];
        next1[p] = has1 & ~(grant[p] & (fence | ~has2));
        next2[p] = has2 & ~grant[p];
        next1[p] = (next1[p] & ~set) | (set & {NumColours{!without_credits_i[p]}});
        next2[p] = (next2[p] & ~set) | (set & {NumColours{!without_credits_i[p]}});
        if (rst_i) {next1[p], next2[p]} = '1;
      end
      cr1_q <= next1;
      cr2_q <= next2;
    end
  end

  always_ff @(posedge clk_i) begin : here
    automatic colours_t next1 [4], next2 [4], has1, has2, more, less, set;
    automatic logic [4:0] next_turn [4];
    set = route_i & {NumColours{set_credits_i}};
    if (moves || (back[0] | back[1] | back[2] | back[3]) != '0) begin
      for (int unsigned p = 0; p < 4; p++) begin
        has1 = bk1_q[p] | wrong[p];
        has2 = bk2_q[p] | (wrong[p] & (bk1_q[p] | {NumColours{wrong_fence[p]}}));
        more = freed & in_i[p] & ~back[p];
        less = back[p] & ~freed;
        next1[p] = (has1 & ~less) | has2 | more | (leave_o & in_i[p]);
        next2[p] = (has2 & ~less) | (has1 & more) | (leave_o & in_i[p]);
        next1[p] = (next1[p] & ~set) | (set & {NumColours{keep_credits_i[p]}});
        next2[p] = (next2[p] & ~set) | (set & {NumColours{keep_credits_i[p]}});
        next_turn[p] = back[p] != '0 ? back_number[p] : return_turn_q[p];
        if (rst_i) {next1[p], next2[p]} = '0;
        if (rst_i) next_turn[p] = '1;
      end
      bk1_q <= next1;
      bk2_q <= next2;
      return_turn_q <= next_turn;
    end
  end
  assign credits_o = cr1_q;
  assign all_credits_o = cr2_q;
  assign misrouted_o = misrouted_q;

  // --------------------------------------------------------------------------------------- idle --
  // Of what is held alone: copies that could go to a link, heads that owe none, credits that are
  // due.
  always_comb begin : idle
    automatic colours_t owed, any, alone;
    {owed, any} = '0;
    alone = ~tail_valid_q & fence_q;
    can_move_o = waits_o != '0;
    ramp_owed_o = '0;
    if (running != '0) begin
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        owed = running & out_i[p] & ~sent_q[p];
        any |= owed;
        if (p < 4 && (owed & (cr2_q[p%4] | (cr1_q[p%4] & ~alone))) != '0) can_move_o = 1'b1;
      end
      ramp_owed_o = owed;
      if (any != running) can_move_o = 1'b1;
    end
    space_o = ~(tail_valid_q | (head_valid_q & fence_q) | torn_i);
  end

  `OW_ASSERT(tail_behind_head, (tail_valid_q & ~head_valid_q) == '0, "a tail without a head")
  `OW_ASSERT(no_overrun, (to_tail & tail_valid_q & ~popped) == '0, "a colour's buffer overran")
  for (genvar p = 0; p < 4; p++) begin : gen_check
    `OW_ASSERT(no_surplus, (cr2_q[p] & give[p]) == '0, "a credit came back that was not spent")
    `OW_ASSERT(credit_in_range, (cr2_q[p] & ~cr1_q[p]) == '0,
               "credits of a data colour out of range")
    `OW_ASSERT(back_in_range, (bk2_q[p] & ~bk1_q[p]) == '0,
               "kept credits of a data colour out of range")
  end

endmodule
