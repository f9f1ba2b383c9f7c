// SPDX-License-Identifier: Apache-2.0
// The control plane's router: two packet-switched networks over the tile's links, requests (colour
// 24) and responses (colour 25), with buffers, credits and routing of their own (docs/fabric.md,
// control plane). ow_ctl_serial is the smaller form of it.
//
// A flow is a network and an input port. It has a buffer of two words (from the ramp, one). The
// head of a flow owes a copy to each output of its packet. sent_q remembers the copies that are
// sent, and the head leaves when none is owed. A word that finds its flow empty takes part in the
// same cycle.
// The input decides what a head means. Packets on an east or west link or from the ramp begin with
// an X header, packets on a north or south link with a Y header. A request of one word is its own
// header.
// Latency 1 cycle per hop. Throughput 1 word per cycle and output; the tile's own flows take a word
// in two cycles if it has to wait.
// Errors: a packet that ends early (tail in a header) or that has no way on is swallowed to its
// tail, and so is a response to a tile.
//
//   link_*_i  what comes on the links, data included
//   yield_i   links that data want to send on too
//   waits_i   links for which data credits are due
//   hold_o    links whose slot is taken, also if data want it (from registers)
//   return_o  links on which a credit returns
//   link_*_o  word and credit, for registers; 0 if nothing leaves
//   req_*     requests for the tile, from a register; valid/ready. brief: a request of one word
//   rsp_*     responses of the tile; valid/ready
//   ask_*     a request of one word of the tile; valid/ready
//   held_o    flows that hold a word: requests [4:0], responses from links [8:5], by input
//   move_o    something may change in this cycle even if nothing comes on a link

`include "ow_assert.svh"

module ow_ctl_router
  import ow_pkg::*;
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

  localparam int unsigned NumFlows = 10;
  localparam int unsigned RampReq = 4;  // the flows of the tile's own requests and responses
  localparam int unsigned RampRsp = 9;
  typedef logic [NumFlows-1:0] flows_t;
  // Flows whose packets begin with an X header: inputs east, west and ramp of both networks.
  localparam flows_t StartsWithX = 10'b11010_11010;
  localparam flows_t IsRsp = 10'b11111_00000;
  // The flows of the ramp have no tail: ready tells the ramp in the same cycle whether the head is
  // free.
  localparam flows_t HasTail = 10'b01111_01111;
  // Outputs by input: nothing goes back where it came from, nothing turns from Y to X, no response
  // ends at a tile.
  localparam logic [9:0][4:0] Ways = {5'b01111, 5'b00111, 5'b00001, 5'b01101, 5'b00100,
                                      5'b11111, 5'b10111, 5'b10001, 5'b11101, 5'b10100};

  // Per flow: head and tail of the buffer; what the head is (an X header, a Y header); the packet
  // turns into the column here; outputs that the packet holds or will take; copies of the head that
  // are sent.
  flows_t head_valid_q, tail_valid_q, in_x_q, in_y_q, turn_q;
  logic [NumFlows-1:0][4:0] mask_q, sent_q;
  logic [32:0] head [NumFlows];  // the register of the head
  ramp_t req_q;
  logic req_valid_q, req_brief_q;
  logic stuck_q;  // nothing moved in the last cycle, and nothing will before an input changes

  // ----------------------------------------------------------------------------------- arrivals --
  flows_t came, occupied, pop;
  logic [7:0] given;  // credits that come: requests, responses, by link
  logic owed, due;

  // A word or credit of the control plane has one of two colours.
  localparam logic [4:0] Ours = {1'b1, COLOUR_REQ[4:1]};
  link_t link [4];
  always_comb begin : arrivals
    /* verilator lint_off UNUSEDSIGNAL */ // all but the colours
    automatic link_t any;
    /* verilator lint_on UNUSEDSIGNAL */
    link[0] = link_n_i;
    link[1] = link_e_i;
    link[2] = link_s_i;
    link[3] = link_w_i;
    came = '0;
    given = '0;
    any = link_n_i | link_e_i | link_s_i | link_w_i;
    if ((any.wavelet.colour[4:1] & COLOUR_REQ[4:1]) == COLOUR_REQ[4:1] ||
        (any.credit.colour[4:1] & COLOUR_REQ[4:1]) == COLOUR_REQ[4:1]) begin
      for (int unsigned p = 0; p < 4; p++) begin
        if ({link[p].wavelet.valid, link[p].wavelet.colour[4:1]} == Ours) begin
          came[p] = !link[p].wavelet.colour[0];
          came[5+p] = link[p].wavelet.colour[0];
        end
        if ({link[p].credit.valid, link[p].credit.colour[4:1]} == Ours) begin
          given[p] = !link[p].credit.colour[0];
          given[4+p] = link[p].credit.colour[0];
        end
      end
    end
    if (ask_valid_i) came[RampReq] = ask_ready_o;
    if (rsp_valid_i) came[RampRsp] = rsp_ready_o;
  end
  assign occupied = head_valid_q | came;

  function automatic logic [32:0] arriving(input int unsigned k);
    return k == RampRsp ? rsp_i
         : k == RampReq ? {1'b1, ask_i} : {link[k%5%4].wavelet.ctrl, link[k%5%4].wavelet.data};
  endfunction
  function automatic logic [32:0] word_of(input int unsigned k);
    return head_valid_q[k] ? head[k] : arriving(k);
  endfunction

  assign rsp_ready_o = !head_valid_q[RampRsp];
  assign ask_ready_o = !head_valid_q[RampReq];
  assign req_o = req_q;
  assign req_valid_o = req_valid_q;
  assign req_brief_o = req_brief_q;
  assign held_o = head_valid_q[8:0];
  assign move_o = (!stuck_q && (head_valid_q != '0 || owed)) || (req_valid_q && req_ready_i) ||
                  (rsp_valid_i && rsp_ready_o) || (ask_valid_i && ask_ready_o);

  // -------------------------------------------------------------------------------------- heads --
  // What each head is, and where it still has to go.
  logic [NumFlows-1:0][4:0] outs;  // outputs of its packet
  flows_t here, brief;  // here: the packet turns or ends here; brief: a request of one word
  flows_t tails;        // the last word of its packet
  flows_t [NUM_PORTS-1:0] want;    // by output: flows that owe it a copy

  always_comb begin : heads
    /* verilator lint_off UNUSEDSIGNAL */ // bits for the endpoint
    automatic packet_header_t header;
    automatic packet_brief_t short;
    /* verilator lint_on UNUSEDSIGNAL */
    automatic logic [32:0] word;
    automatic logic [4:0] way, left;
    automatic logic go, near0, far0;
    {header, short, word, way, left} = '0;
    {go, near0, far0} = '0;
    tails = '0;
    outs = '0;
    here = '0;
    brief = '0;
    want = '0;
    if (occupied != '0) begin
      for (int unsigned k = 0; k < NumFlows; k++) begin
        if (occupied[k]) begin
          word = word_of(k);
          tails[k] = word[32];
          header = word[31:0];
          short = word[31:0];
          near0 = header.near_hops == '0;
          far0 = header.far_hops == '0;
          go = (header.to_edge && IsRsp[k]) || !far0;
          here[k] = !(header.to_edge && IsRsp[k]) && near0;
          way = mask_q[k];
          if ((in_x_q[k] || (in_y_q[k] && !StartsWithX[k])) && word[32]) begin
            // A request of one word goes along X first, then along Y. Its hops have the same bits
            // as those of headers.
            way = '0;
            if (!IsRsp[k]) begin
              brief[k] = 1'b1;
              if (in_x_q[k] && !near0) way = short.west ? 5'b01000 : 5'b00010;
              else if (!far0) way = short.north ? 5'b00001 : 5'b00100;
              else way = 5'b10000;
            end
          end else if (in_x_q[k]) begin
            way[PORT_E] = go && !header.negative;
            way[PORT_W] = go && header.negative;
          end else if (in_y_q[k] && turn_q[k]) begin
            way[PORT_S] = go && !header.negative && !word[32];
            way[PORT_N] = go && header.negative && !word[32];
          end
          way &= Ways[k];
          outs[k] = way;
          left = way & ~sent_q[k];
          for (int unsigned o = 0; o < NUM_PORTS; o++) want[o][k] = left[o];
        end
      end
    end
  end

  // ------------------------------------------------------------------------------------ outputs --
  logic [NUM_PORTS-1:0][9:0] next;  // by output: the flow that goes next
  logic [32:0] word [NUM_PORTS];
  logic [NUM_PORTS-1:0] take, ends_here;
  /* verilator lint_off UNUSEDSIGNAL */ // the bit of the ramp
  logic [NUM_PORTS-1:0] response;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [3:0] waits;
  logic [7:0] credits;

  ow_ctl_outputs u_outputs (
    .clk_i, .rst_i, .want_i(want), .credit_i(credits), .yield_i,
    .ready_i(!req_valid_q || req_ready_i), .tail_i(ends_here),
    .next_o(next), .take_o(take), .response_o(response), .hold_o, .wait_o(waits)
  );

  // A count of hops minus one, not below 0: a bit changes if no lower one is set.
  function automatic logic [11:0] less_one(input logic [11:0] n, input logic on);
    logic [11:0] seen;  // this bit is set, or one below it
    seen = n;
    for (int unsigned i = 1; i < 12; i *= 2) seen |= seen << i;
    return n ^ (~(seen << 1) & {12{on && n != '0}});
  endfunction

  // A header counts down the hops of the dimension that it moves along. The copy of a Y header that
  // goes on along X stays as it is.
  always_comb begin : forward
    automatic packet_header_t moved;
    automatic logic tail, is_x, is_y, is_brief, along_x, along_y;
    {tail, moved, is_x, is_y, is_brief, along_x, along_y} = '0;
    ends_here = '0;
    for (int unsigned o = 0; o < NUM_PORTS; o++) word[o] = '0;
    if (next != '0) begin
      for (int unsigned o = 0; o < NUM_PORTS; o++) begin
        if (next[o] != '0) begin
          {tail, moved} = '0;
          for (int unsigned k = 0; k < NumFlows; k++) begin
            if (k < 5 || 3'(o) != PORT_R) {tail, moved} |= word_of(k) & {33{next[o][k]}};
          end
          along_y = 3'(o) == PORT_N || 3'(o) == PORT_S;
          along_x = 3'(o) == PORT_E || 3'(o) == PORT_W;
          is_x = along_x && (in_x_q & next[o]) != '0;
          is_y = along_y && (in_y_q & next[o]) != '0;
          is_brief = (brief & next[o]) != '0;
          moved.far_hops = less_one(moved.far_hops, is_y || (is_x && !is_brief) ||
                                                    (along_y && is_brief));
          moved.near_hops = less_one(moved.near_hops, is_x || (is_y && !is_brief));
          word[o] = {tail, moved};
          ends_here[o] = tail;
        end
      end
    end
  end

  // --------------------------------------------------------------------------------- next heads --
  flows_t turn, to_tail;
  logic [NumFlows-1:0][4:0] copied, mask;
  logic work, stuck;

  always_comb begin : leave
    pop = '0;
    copied = '0;
    mask = mask_q;
    turn = turn_q;
    if (occupied != '0) begin
      for (int unsigned k = 0; k < NumFlows; k++) begin
        if (occupied[k]) begin
          for (int unsigned o = 0; o < NUM_PORTS; o++) copied[k][o] = next[o][k] && take[o];
          pop[k] = (outs[k] & ~sent_q[k] & ~copied[k]) == '0;
          if (pop[k]) begin
            mask[k] = outs[k];
            if (in_y_q[k] && turn_q[k] && here[k]) mask[k][PORT_R] = Ways[k][PORT_R];
            if (StartsWithX[k] && in_x_q[k]) turn[k] = here[k];
          end
        end
      end
    end
    to_tail = came & head_valid_q & ~(pop & ~tail_valid_q) & HasTail;
  end
  assign stuck = given == '0 && came == '0 && take == '0 && waits == '0 && pop == '0 && !due;
  // Like move_o, but it does not depend on whether the tile takes the request.
  assign work = (!stuck_q && (head_valid_q != '0 || owed)) || req_valid_q || came != '0 ||
                given != '0;

  flows_t ends, goes;  // heads that leave: last words of their packets; others
  assign ends = pop & tails;
  assign goes = pop & ~ends;
  always_ff @(posedge clk_i) begin : flows
    if (rst_i) begin
      head_valid_q <= '0;
      tail_valid_q <= '0;
      in_x_q <= StartsWithX;
      in_y_q <= ~StartsWithX;
      turn_q <= ~StartsWithX;
      mask_q <= '0;
      sent_q <= '0;
      req_q <= '0;
      req_valid_q <= 1'b0;
      req_brief_q <= 1'b0;
      stuck_q <= 1'b1;
    end else if (work) begin
      head_valid_q <= (head_valid_q & ~(pop & ~tail_valid_q)) | (came & (head_valid_q | ~pop));
      tail_valid_q <= (tail_valid_q & ~pop) | to_tail;
      in_x_q <= (in_x_q & ~pop) | (ends & StartsWithX);
      in_y_q <= (in_y_q & ~pop) | (ends & ~StartsWithX) | (goes & in_x_q & StartsWithX);
      turn_q <= (turn & ~ends) | (ends & ~StartsWithX);
      for (int unsigned k = 0; k < NumFlows; k++) begin
        mask_q[k] <= mask[k] & {5{!ends[k]}};
        sent_q[k] <= (sent_q[k] | copied[k]) & {5{!pop[k]}};
      end
      if (take[PORT_R]) {req_brief_q, req_q} <= {(brief & next[PORT_R]) != '0, word[PORT_R]};
      req_valid_q <= take[PORT_R] || (req_valid_q && !req_ready_i);
      if (move_o || came != '0 || given != '0) stuck_q <= stuck;
    end
  end

  // A word that leaves in the cycle in which it comes is not stored.
  for (genvar k = 0; k < NumFlows; k++) begin : gen_flow
    logic [32:0] head_q;
    assign head[k] = head_q;
    if (HasTail[k]) begin : gen_two
      logic [32:0] tail_q;
      always_ff @(posedge clk_i) begin
        if (came[k] || pop[k]) begin
          if (came[k]) tail_q <= arriving(k);
          if (pop[k] || !head_valid_q[k]) head_q <= tail_valid_q[k] ? tail_q : arriving(k);
        end
      end
    end else begin : gen_one
      always_ff @(posedge clk_i) if (came[k]) head_q <= arriving(k);
    end
  end

  // ------------------------------------------------------------------------------------ credits --
  logic [7:0] spent, all, surplus;
  logic [CTL_CREDITS-1:0][7:0] level;
  assign spent = {take[3:0] & response[3:0], take[3:0] & ~response[3:0]};
  ow_credit #(.Channels(8), .Slots(CTL_CREDITS)) u_credits (
    .clk_i, .rst_i, .set_i('0), .set_full_i('0), .give_i(given), .spend_i(spent), .drain_i('0),
    .some_o(credits), .all_o(all), .surplus_o(surplus), .level_o(level)
  );
  logic unused;
  assign unused = &{1'b0, all, surplus, level};
  logic [3:0] return_response;
  ow_ctl_returns u_returns (
    .clk_i, .rst_i, .freed_i({pop[8:5], pop[3:0]}), .waits_i,
    .return_o, .response_o(return_response), .due_o(due), .owed_o(owed)
  );

  link_t leaves [4];
  always_comb begin : links
    for (int unsigned p = 0; p < 4; p++) leaves[p] = '0;
    if ((take[3:0] | return_o) != '0) begin
      for (int unsigned p = 0; p < 4; p++) begin
        if (take[p]) leaves[p].wavelet = {1'b1, response[p] ? COLOUR_RSP : COLOUR_REQ, word[p]};
        if (return_o[p]) leaves[p].credit = {1'b1, return_response[p] ? COLOUR_RSP : COLOUR_REQ};
      end
    end
  end
  assign link_n_o = leaves[0];
  assign link_e_o = leaves[1];
  assign link_s_o = leaves[2];
  assign link_w_o = leaves[3];

  `OW_ASSERT(one_phase, (in_x_q & in_y_q) == '0, "a head is an X and a Y header at once")
  `OW_ASSERT(no_overrun, (to_tail & tail_valid_q & ~pop) == '0, "a buffer of a flow overran")
  `OW_ASSERT(req_stable, !$past(req_valid_q && !req_ready_i) || $past(rst_i) ||
             (req_valid_q && req_q == $past(req_q)), "a request changed before it was taken")

endmodule
