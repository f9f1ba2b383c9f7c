// SPDX-License-Identifier: Apache-2.0
// The control plane's router for parts where area counts (ow_router, Small). Networks, words, rules
// and ports are those of ow_ctl_router. That one looks at all flows in every cycle; this one looks
// at one flow per cycle, so it has the logic for headers, locks and copies once instead of ten
// times.
//
// A flow is a network and an input port. Its words wait in a memory of its link, two per network;
// the tile's own flows have a register each. Flows that hold something are looked at in turn, each
// once per round. The head of the next turn is read while this one is carried out. Each output that
// the head still owes a copy, and that can take it, gets it. The head leaves when no copy is owed.
// When a whole round has moved nothing and nothing has improved, the turn stays where it is.
// Bound: a flow that holds a word is looked at within 20 cycles after the word has come or
// something has improved.
// The state of a packet (its outputs, the outputs that it holds, the copies of its head that are
// sent) is in a memory of one word per flow.
// At a link data go first, but the control plane gets one of four slots that both want: a word that
// finds data at its link goes all the same if no word of the control plane has gone there for three
// cycles. It takes the slot of the next cycle, from registers.
// Latency: a word on a link in cycle t is read in t + 1 if no other flow holds anything, looked at
// in t + 2, and on the next link in t + 4. Its credit is on the way back in t + 4. Throughput: 1
// word per cycle in all; 1 in two cycles to the tile, so nothing here waits for the tile's ready; 2
// in 7 cycles of one flow, whose credits can be spent again then.
// Errors: as in ow_ctl_router.
//
//   ports  as in ow_ctl_router

`include "ow_assert.svh"

module ow_ctl_serial
  import ow_pkg::*;
  import ow_onehot_pkg::lowest, ow_onehot_pkg::index;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  link_t       link_n_i,
  input  link_t       link_e_i,
  input  link_t       link_s_i,
  input  link_t       link_w_i,
  input  logic [3:0]  yield_i,
  input  logic [3:0]  waits_i,
  output logic [3:0]  hold_o,
  output logic [3:0]  return_o,
  output link_t       link_n_o,
  output link_t       link_e_o,
  output link_t       link_s_o,
  output link_t       link_w_o,
  output ramp_t       req_o,
  output logic        req_brief_o,
  output logic        req_valid_o,
  input  logic        req_ready_i,
  input  ramp_t       rsp_i,
  input  logic        rsp_valid_i,
  output logic        rsp_ready_o,
  input  logic [31:0] ask_i,
  input  logic        ask_valid_i,
  output logic        ask_ready_o,
  output logic [8:0]  held_o,
  output logic        move_o
);

  localparam int unsigned NumFlows = 10;  // requests by input, responses by input
  localparam int unsigned RampReq = 4;    // the flows of the tile's own requests and responses
  localparam int unsigned RampRsp = 9;
  typedef logic [NumFlows-1:0] flows_t;
  typedef logic [NUM_PORTS-1:0] ports_t;
  // Flows whose packets begin with an X header: inputs east, west and ramp of both networks.
  localparam flows_t StartsWithX = 10'b11010_11010;
  // Outputs by input: nothing goes back where it came from, nothing turns from Y to X, no response
  // ends at a tile.
  localparam logic [9:0][4:0] Ways = {5'b01111, 5'b00111, 5'b00001, 5'b01101, 5'b00100,
                                      5'b11111, 5'b10111, 5'b10001, 5'b11101, 5'b10100};

  // Per flow: it holds a word; a second one; the place of the first one; the first one begins a
  // packet.
  flows_t head_valid_q, tail_valid_q, place_q, begins_q;
  // State of a packet from its second word on. y: its head is the Y header after an X header.
  // turns: it turns into the column here. mask: outputs that it holds or will take. holds: outputs
  // that it holds. sent: copies of the head that are sent.
  typedef struct packed {
    logic   y;
    logic   turns;
    ports_t mask;
    ports_t holds;
    ports_t sent;
  } packet_t;
  ports_t [1:0] busy_q;       // outputs that a packet of this network holds
  logic [3:0][1:0] since_q;   // by link: slots since the last one of the control plane; 3: or more
  flows_t look_q;             // the flow that is looked at, one-hot (or none)
  logic rsp_look_q;           // it is a flow of responses
  logic [3:0] number_q;       // its number
  logic occupied_q;           // its word is in head_q
  ramp_t head_q;
  flows_t seen_q;             // flows looked at in this round
  logic moved_q;              // something has improved in this round
  logic stuck_q;              // nothing moved in the last cycle, and nothing will before an input
                              // changes
  logic [31:0] ask_q;         // heads of the tile's own flows
  ramp_t rsp_q, req_q;
  logic [3:0] go_q;           // links that get their word in this cycle
  ramp_t go_word_q;
  logic go_rsp_q, go_x_q, go_y_q, go_brief_q;
  logic req_valid_q, req_brief_q;

  // ----------------------------------------------------------------------------------- arrivals --
  flows_t came;
  logic [7:0] given;  // credits that come: requests, responses, by link
  link_t link [4];
  always_comb begin : arrivals
    link[0] = link_n_i;
    link[1] = link_e_i;
    link[2] = link_s_i;
    link[3] = link_w_i;
    came = '0;
    given = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      if (link[p].wavelet.valid && link[p].wavelet.colour[4:1] == COLOUR_REQ[4:1]) begin
        came[p] = !link[p].wavelet.colour[0];
        came[5+p] = link[p].wavelet.colour[0];
      end
      if (link[p].credit.valid && link[p].credit.colour[4:1] == COLOUR_REQ[4:1]) begin
        given[p] = !link[p].credit.colour[0];
        given[4+p] = link[p].credit.colour[0];
      end
    end
    came[RampReq] = ask_valid_i && ask_ready_o;
    came[RampRsp] = rsp_valid_i && rsp_ready_o;
  end

  assign rsp_ready_o = !head_valid_q[RampRsp];
  assign ask_ready_o = !head_valid_q[RampReq];
  assign req_o = req_q;
  assign req_valid_o = req_valid_q;
  assign req_brief_o = req_brief_q;
  assign held_o = head_valid_q[8:0];
  assign move_o = !stuck_q || (req_valid_q && req_ready_i) || (rsp_valid_i && rsp_ready_o) ||
                  (ask_valid_i && ask_ready_o);

  // -------------------------------------------------------------------------------- the head of --
  logic is_rsp, begins, starts_x;
  assign is_rsp = rsp_look_q;
  assign begins = (look_q & begins_q) != '0;
  assign starts_x = (look_q & StartsWithX) != '0;

  // The head of the next turn is read while this one is carried out.
  flows_t next;
  logic next_rsp;
  ports_t next_at;
  logic [3:0] next_number;
  assign next_rsp = next[9:5] != '0;
  assign next_at = next[9:5] | next[4:0];
  assign next_number = 4'(index(32'(next)));

  ramp_t queue [4], head_d;
  for (genvar p = 0; p < 4; p++) begin : gen_link
    logic net;
    assign net = link[p].wavelet.colour[0];
    ow_ram_1r1w #(.Width($bits(ramp_t)), .Depth(4)) u_words (
      .clk_i, .rst_i, .we_i(came[p] || came[5+p]),
      .waddr_i({net, net ? place_q[5+p] ^ head_valid_q[5+p] : place_q[p] ^ head_valid_q[p]}),
      .wdata_i({link[p].wavelet.ctrl, link[p].wavelet.data}), .re_i(next_at[p]),
      .raddr_i({next_rsp, next_rsp ? place_q[5+p] : place_q[p]}), .rdata_o(queue[p])
    );
  end
  always_comb begin : choose_head
    head_d = (rsp_q & {33{next[RampRsp]}}) | ({1'b1, ask_q} & {33{next[RampReq]}});
    for (int unsigned p = 0; p < 4; p++) head_d |= queue[p] & {33{next_at[p]}};
  end

  packet_t packet, packet_d, kept, kept_q;
  logic state_we, work;
  ow_ram_1r1w #(.Width($bits(packet_t)), .Depth(NumFlows)) u_packets (
    .clk_i, .rst_i, .we_i(state_we), .waddr_i(number_q), .wdata_i(packet_d), .re_i(next != '0),
    .raddr_i(next_number), .rdata_o(kept)
  );
  assign packet = begins ? packet_t'{turns: !starts_x, default: '0} : kept_q;
  always_ff @(posedge clk_i) begin : read
    if (work) head_q <= head_d;
    if (work) kept_q <= state_we && next == look_q ? packet_d : kept;
  end

  // ------------------------------------------------------------------------------ where it goes --
  // The input decides what a head means (ow_ctl_router).
  logic is_x, is_y, is_brief, here;
  ports_t outs, left, could, take, ways;
  logic [3:0] credits;
  always_comb begin : heads
    /* verilator lint_off UNUSEDSIGNAL */ // bits for the endpoint
    automatic packet_header_t header;
    automatic packet_brief_t short;
    /* verilator lint_on UNUSEDSIGNAL */
    automatic logic go, near0, far0, to_edge;
    header = head_q.data;
    short = head_q.data;
    near0 = header.near_hops == '0;
    far0 = header.far_hops == '0;
    to_edge = header.to_edge && is_rsp;
    go = to_edge || !far0;
    here = !to_edge && near0;
    is_x = begins && starts_x;
    is_y = begins ? !starts_x : packet.y;
    is_brief = begins && head_q.ctrl && !is_rsp;
    outs = packet.mask;
    if (begins && head_q.ctrl) begin
      // A request of one word goes along X first, then along Y. Its hops have the same bits as
      // those of headers.
      outs = '0;
      if (is_x && !near0) begin
        outs[PORT_W] = short.west;
        outs[PORT_E] = !short.west;
      end else if (!far0) begin
        outs[PORT_N] = short.north;
        outs[PORT_S] = !short.north;
      end else begin
        outs[PORT_R] = 1'b1;
      end
      outs &= {NUM_PORTS{!is_rsp}};
    end else if (is_x) begin
      outs[PORT_E] = go && !header.negative;
      outs[PORT_W] = go && header.negative;
    end else if (is_y && packet.turns && !head_q.ctrl) begin
      outs[PORT_S] = go && !header.negative;
      outs[PORT_N] = go && header.negative;
    end
    ways = '0;
    for (int unsigned k = 0; k < NumFlows; k++) ways |= Ways[k] & {NUM_PORTS{look_q[k]}};
    outs &= ways;
    left = outs & ~packet.sent & {NUM_PORTS{occupied_q}};
  end

  // ------------------------------------------------------------------------------------ outputs --
  ports_t locks, free;
  logic pop, tail;
  assign locks = busy_q[is_rsp] & ~packet.holds;
  assign could = left & ~locks & {!req_valid_q, credits};
  assign take = could & free;
  assign pop = occupied_q && (left & ~take) == '0;
  assign tail = head_q.ctrl;
  always_comb begin : slots
    free[PORT_R] = 1'b1;
    for (int unsigned o = 0; o < 4; o++) free[o] = !yield_i[o] || since_q[o] == 2'd3;
  end
  assign hold_o = go_q;

  // A count of hops minus one, not below 0.
  function automatic logic [11:0] less_one(input logic [11:0] n);
    return n - 12'(n != '0);
  endfunction

  // A word for a link is sent in the next cycle. A header counts down the hops of the dimension
  // that it moves along. The copy of a Y header that goes on along X stays as it is.
  ramp_t along_x, along_y;
  always_comb begin : forward
    automatic packet_header_t moved_x, moved_y;
    automatic logic [11:0] far, near;
    {moved_x, moved_y} = {2{go_word_q.data}};
    far = less_one(moved_x.far_hops);
    near = less_one(moved_x.near_hops);
    if (go_x_q) moved_x.near_hops = near;
    if (go_x_q && !go_brief_q) moved_x.far_hops = far;
    if (go_y_q && !go_brief_q) moved_y.near_hops = near;
    if (go_y_q || go_brief_q) moved_y.far_hops = far;
    along_x = '{ctrl: go_word_q.ctrl, data: moved_x};
    along_y = '{ctrl: go_word_q.ctrl, data: moved_y};
  end

  // ------------------------------------------------------------------------------- what is next --
  always_comb begin : follow
    packet_d = packet;
    packet_d.holds |= take;
    packet_d.sent |= take;
    if (pop) begin
      packet_d.y = is_x;
      packet_d.turns = is_x ? here : packet.turns;
      packet_d.mask = outs;
      if (is_y && packet.turns && here) packet_d.mask[PORT_R] = ways[PORT_R];
      packet_d.sent = '0;
    end
    state_we = pop || take != '0;
  end

  // The next turn is chosen before this one ends. The first flow that holds a word, and the first
  // one that is left in this round, are found a cycle ahead. If its last word leaves meanwhile,
  // there is nothing to look at.
  flows_t first_q, rest_q, holds, rest;
  logic round;  // a round begins
  assign round = rest_q == '0 && moved_q;
  assign next = rest_q != '0 ? rest_q : moved_q && first_q != '0 ? first_q : look_q;
  assign holds = head_valid_q | came;
  assign rest = holds & ~(round ? next : seen_q | next);

  logic [7:0] freed_q;  // slots that were freed in the last cycle; their credits return now
  logic better, due, owed, waiting;
  assign waiting = since_q != '1 || (could[3:0] & ~take[3:0]) != '0;
  assign better = pop || take != '0 || given != '0 || came != '0 || waiting ||
                  (req_valid_q && req_ready_i);
  assign work = move_o || came != '0 || given != '0;
  always_ff @(posedge clk_i) begin : step
    if (rst_i) begin
      head_valid_q <= '0;
      tail_valid_q <= '0;
      place_q <= '0;
      begins_q <= '1;
      busy_q <= '0;
      since_q <= '1;
      look_q <= '0;
      rsp_look_q <= 1'b0;
      number_q <= '0;
      occupied_q <= 1'b0;
      freed_q <= '0;
      seen_q <= '0;
      first_q <= '0;
      rest_q <= '0;
      moved_q <= 1'b0;
      stuck_q <= 1'b1;
      req_valid_q <= 1'b0;
      go_q <= '0;
    end else if (work) begin
      go_q <= take[3:0];
      look_q <= next;
      rsp_look_q <= next_rsp;
      number_q <= next_number;
      // The word after one that leaves is read in the next cycle.
      occupied_q <= (next & head_valid_q) != '0 && !(next == look_q && pop);
      freed_q <= {look_q[8:5], look_q[3:0]} & {8{pop}};
      seen_q <= round ? next : seen_q | next;
      first_q <= flows_t'(lowest(32'(holds)));
      rest_q <= flows_t'(lowest(32'(rest)));
      moved_q <= better || (moved_q && !round);
      stuck_q <= !better && !moved_q && !due && next == look_q;
      for (int unsigned k = 0; k < NumFlows; k++) begin
        head_valid_q[k] <= came[k] || (head_valid_q[k] && (tail_valid_q[k] || !(look_q[k] && pop)));
        tail_valid_q[k] <= (tail_valid_q[k] || (came[k] && head_valid_q[k])) && !(look_q[k] && pop);
        if (look_q[k] && pop) place_q[k] <= !place_q[k];
        if (look_q[k] && pop) begins_q[k] <= tail;
      end
      for (int unsigned o = 0; o < NUM_PORTS; o++) if (take[o]) busy_q[is_rsp][o] <= !tail;
      for (int unsigned o = 0; o < 4; o++) begin
        if (take[o]) since_q[o] <= '0;
        else if (since_q[o] != 2'd3) since_q[o] <= since_q[o] + 2'd1;
      end
      req_valid_q <= take[PORT_R] || (req_valid_q && !req_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin : words
    if (take[PORT_R]) {req_brief_q, req_q} <= {is_brief, head_q};
    if (work) go_word_q <= head_q;
    if (work) {go_rsp_q, go_x_q, go_y_q, go_brief_q} <= {is_rsp, is_x, is_y, is_brief};
    if (came[RampReq]) ask_q <= ask_i;
    if (came[RampRsp]) rsp_q <= rsp_i;
  end

  // ------------------------------------------------------------------------------------ credits --
  logic [7:0] some, spent, all, surplus;
  logic [CTL_CREDITS-1:0][7:0] level;
  assign spent = {take[3:0] & {4{is_rsp}}, take[3:0] & {4{!is_rsp}}};
  assign credits = is_rsp ? some[7:4] : some[3:0];
  ow_credit #(.Channels(8), .Slots(CTL_CREDITS), .Later(1'b1)) u_credits (
    .clk_i, .rst_i, .set_i('0), .set_full_i('0), .give_i(given), .spend_i(spent), .drain_i('0),
    .some_o(some), .all_o(all), .surplus_o(surplus), .level_o(level)
  );
  logic unused;
  assign unused = &{1'b0, all, surplus, level, owed};
  logic [3:0] return_response;
  ow_ctl_returns u_returns (
    .clk_i, .rst_i, .freed_i(freed_q), .waits_i,
    .return_o, .response_o(return_response), .due_o(due), .owed_o(owed)
  );

  link_t leaves [4];
  always_comb begin : links
    for (int unsigned p = 0; p < 4; p++) begin
      leaves[p] = '0;
      if (go_q[p]) begin
        leaves[p].wavelet = {1'b1, go_rsp_q ? COLOUR_RSP : COLOUR_REQ,
                             3'(p) inside {PORT_N, PORT_S} ? along_y : along_x};
      end
      if (return_o[p]) leaves[p].credit = {1'b1, return_response[p] ? COLOUR_RSP : COLOUR_REQ};
    end
  end
  assign link_n_o = leaves[0];
  assign link_e_o = leaves[1];
  assign link_s_o = leaves[2];
  assign link_w_o = leaves[3];

  `OW_ASSERT(one_looked_at, $onehot0(look_q), "two flows are looked at")
  `OW_ASSERT(tail_behind_head, (tail_valid_q & ~head_valid_q) == '0, "a second word without a first")
  `OW_ASSERT(no_overrun, (came & tail_valid_q) == '0, "a buffer of a flow overran")
  `OW_ASSERT(own_lock, !occupied_q || (packet.holds & ~packet.sent & ~busy_q[is_rsp]) == '0,
             "a packet holds an output that is free")
  `OW_ASSERT(first_word_once, !begins || pop || take == '0, "a first word has gone and is still here")
  `OW_ASSERT(req_stable, !$past(req_valid_q && !req_ready_i) || $past(rst_i) ||
             (req_valid_q && req_q == $past(req_q)), "a request changed before it was taken")

endmodule
