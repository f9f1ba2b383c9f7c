// SPDX-License-Identifier: Apache-2.0
// The router of a tile: five ports (north, east, south, west, ramp), NumColours data colours with
// up to four switch positions each, six filters in front of the ramp, and the control plane.
// docs/fabric.md is the specification.
//
// Data: a buffer of two wavelets a colour (at any time a colour has one input port). What arrives
// at an empty buffer takes part in the arbitration of the outputs in the same cycle; the head of a
// colour goes to each output of its route as soon as that output takes it (`owed` holds the copies
// to be sent), and leaves when none is owed. Each output grants one colour a cycle, round robin.
// A credit can be spent in the cycle in which it arrives, so two of them sustain full rate.
// Latency: a wavelet that is on a link input in cycle t is in the output register in cycle t + 1.
// Throughput: 1 wavelet a cycle and port, also of a single colour; credit loop 2 cycles.
//
// Switches: a control wavelet on a colour that obeys commands leaves on the position that it found,
// and its command is carried out when its last copy has left. A wavelet with a command field other
// than 0 is a fence: it is sent only with all credits of its colour in hand and takes them all, and
// they come back, from the input that is then selected, when it has left this router. So nothing of
// its colour is behind it on the link when the switch moves, and an input that is not selected
// holds no credits.
//
// Control plane: two packet-switched networks, requests (colour 24) and responses (colour 25). A
// flow is a network and an input port; it has a buffer of two wavelets (from the ramp, one). The
// head of a flow owes a copy to each output of its packet; `csent` remembers the copies that are
// away, and the head leaves when none is owed. An output that has taken the first wavelet of a
// packet stays with it (`clock`) to the tail. Its credits go before those of data, but of four slots
// that data credits wait for they get one. What a head means follows from the input: packets on
// an east or west link or from the ramp begin with an X header, packets on a north or south link
// with a Y header; a request of one wavelet is its own header. Latency 1 cycle a hop, 1 wavelet a
// cycle. When the data plane wants an output too, one slot in four is the control plane's (a count
// of the slots that were waited for); requests and responses take turns when both want an output. A
// packet that ends early (tail in a header) or that has no way on is swallowed to its tail, as is a
// response that is addressed to a tile.
//
// Errors: a wavelet at another port than the selected input is dropped and the colour stops and is
// shown in RT_MISROUTE until its route is written; the credit of the wavelet is kept for its port
// and goes back there when a route or a position selects that port. Wavelets of a colour without a
// route wait; they are taken from one port, which the route then has to name. A route with no
// output discards what arrives. Colours from NumColours to 23 do not exist: dropped.
// Routes: written at any time, in effect in the next cycle; the colour should be quiet (nothing
// buffered, no credit on its way back), else the wavelets that it holds follow the new route and
// the copies already sent are sent again.
//
// Per-colour state is kept as vectors of one bit a colour (counts as bit planes): work for all
// colours at once, and none when nothing is there. Link inputs are read inside the clocked block
// only: no combinational logic hangs on the ports of a tile. Where a simulator wants an index and
// synthesis a one-hot select, both are written (SYNTHESIS; the formal proofs check that one).
//
//   NumColours    data colours, 2 to 24
//   link_*_i/_o   the four links; outputs are registers, 0 when nothing is sent
//   inj_*         wavelets from the ramp: inj_i may be valid only for a colour whose bit of
//                 inj_space_o (a register) is high in the same cycle
//   ej_*          wavelets to the ramp: ej_o is a register; ej_ready_i (a bit a colour) says that
//                 the ramp can take one more besides the one in ej_o; ej_owed_o: colours
//                 whose head still has to go to the ramp
//   req_*, rsp_*  control plane: requests for the tile (from a register), its responses;
//                 valid/ready
//   ask_*         a request of one wavelet from the tile (valid/ready)
//   cfg_*         write of a ROUTE, SWITCH or FILTER register (docs/memory-map.md), by the word
//                 offset in the tile's registers
//   cfg_*         a write of a register of the router; the offset counts without a write, too
//   stat_o        the word at the offset cfg_addr_i: ROUTE, SWITCH, FILTER or RT_*
//   torn_o        a colour was torn down in the cycle before
//   idle_o        no state can change before one of link_*_i, inj_i, ej_ready_i, req_ready_i,
//                 rsp_valid_i, ask_valid_i or cfg_we_i does

`include "ow_assert.svh"

// A condition that only saves a simulator work: what it guards changes nothing when it is false.
// Gates would pay for it with a multiplexer a bit.
`ifdef SYNTHESIS
`define OW_WORTH(condition) 1'b1
`else
`define OW_WORTH(condition) (condition)
`endif

module ow_router
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = 24
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  input  link_t                   link_n_i,
  input  link_t                   link_e_i,
  input  link_t                   link_s_i,
  input  link_t                   link_w_i,
  output link_t                   link_n_o,
  output link_t                   link_e_o,
  output link_t                   link_s_o,
  output link_t                   link_w_o,
  output logic [NumColours-1:0]   inj_space_o,
  input  wavelet_t                inj_i,
  input  logic [NumColours-1:0]   ej_ready_i,
  output wavelet_t                ej_o,
  output logic [NumColours-1:0]   ej_owed_o,
  output ramp_t                   req_o,
  output logic                    req_valid_o,
  input  logic                    req_ready_i,
  input  ramp_t                   rsp_i,
  input  logic                    rsp_valid_i,
  output logic                    rsp_ready_o,
  input  logic [31:0]             ask_i,
  input  logic                    ask_valid_i,
  output logic                    ask_ready_o,
  input  logic                    cfg_we_i,
  input  logic [15:0]             cfg_addr_i,
  input  logic [31:0]             cfg_wdata_i,
  output logic [31:0]             stat_o,
  output logic                    torn_o,
  output logic                    idle_o
);

  `OW_ASSERT_INIT(colours_in_range, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)

  typedef logic [NumColours-1:0] colours_t;
`ifndef SYNTHESIS
  localparam int unsigned IdxW = $clog2(NumColours);
  localparam colours_t Above = ~colours_t'(1);  // all but the first
`endif

  // State of the data plane. It belongs to the one clocked block below, which assigns it with
  // blocking assignments: in simulation they cost nothing in cycles in which nothing moves. Each is
  // a register all the same. What other blocks see of it is registered apart, further down; only
  // the status words are read directly.
  // Buffers: head and tail of each colour, whether they hold a wavelet (a tail never without a
  // head), their control bits, and whether the last wavelet held is a fence.
  colours_t hv_q, tv_q, fence_q;
`ifdef SYNTHESIS
  logic [NumColours-1:0][32:0] head_q, tail_q;  // {control bit, data}
`else
  logic [31:0] head_q [NumColours];
  logic [31:0] tail_q [NumColours];
  colours_t hc_q, tc_q;
`endif
  // Configuration: enabled, obeys commands, pop mode, ring; the last position and the current one;
  // torn down; stopped by a misroute; the four positions {input, outputs}.
  colours_t en_q, obey_q, mode0_q, mode1_q, ring_q, last0_q, last1_q, pos0_q, pos1_q, torn_q, mis_q;
  logic [NumColours-1:0][7:0] base_q, alt1_q, alt2_q, alt3_q;
  // Of the current position: the colour's input is this port, it has this output. Registers in
  // simulation, a choice among the positions in synthesis.
  colours_t in_q [NUM_PORTS];
  colours_t out_q [NUM_PORTS];
  // The head has gone to this output. Of a colour without a route: its wavelets come from here.
  colours_t sent_q [NUM_PORTS];
  logic [4:0] granted_q [NUM_PORTS];  // round robin: the last colour granted
  logic [4:0] cgranted_q [4];         // the same for the credits that a link returns
  // Credits, at least one and two: in hand towards each neighbour; of each neighbour, here (owed to
  // it if it is at the colour's input, else kept for it).
  colours_t cr1_q [4], cr2_q [4];
  colours_t bk1_q [4], bk2_q [4];
  link_t link_n_q, link_e_q, link_s_q, link_w_q;
  wavelet_t ej_q;

  // Filters: the colours that have one; a head that a filter or a command looked at and let pass.
  localparam int unsigned NumFilters = NUM_FILTERS;
  typedef struct packed {
    logic       filter_ctrl;  // control wavelets may be dropped
    logic       count_ctrl;
    logic       count_data;
    logic [1:0] kind;         // filter_kind_e
    logic       enable;
    logic [4:0] colour;
  } filter_t;
  filter_t filter_q [NumFilters];
  logic [15:0] low_q [NumFilters];    // limit1, or the least index
  logic [15:0] high_q [NumFilters];   // max_counter, limit2, or the greatest index
  logic [15:0] count_q [NumFilters];
  colours_t filtered_q, looked_q;

  // The register that cfg_addr_i names, and what is written to it.
  logic cfg_route, cfg_switch, cfg_filter, cfg_limits, cfg_count;
  logic [4:0] cfg_colour;
  logic [2:0] cfg_index;  // of the filter
  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  route_reg_t cfg_r;
  switch_reg_t cfg_s;
  filter_reg_t cfg_f;
  filter_limits_reg_t cfg_l;
  filter_count_reg_t cfg_n;
  /* verilator lint_on UNUSEDSIGNAL */
  assign cfg_route = is_reg_route(cfg_addr_i);
  assign cfg_switch = is_reg_switch(cfg_addr_i);
  assign cfg_filter = is_reg_filter(cfg_addr_i);
  assign cfg_limits = is_reg_filter_limits(cfg_addr_i);
  assign cfg_count = is_reg_filter_count(cfg_addr_i);
  assign cfg_colour = cfg_switch ? reg_switch_index(cfg_addr_i) : reg_route_index(cfg_addr_i);
  assign cfg_index = cfg_filter ? reg_filter_index(cfg_addr_i)
                   : cfg_limits ? reg_filter_limits_index(cfg_addr_i)
                                : reg_filter_count_index(cfg_addr_i);
  assign cfg_r = cfg_wdata_i;
  assign cfg_s = cfg_wdata_i;
  assign cfg_f = cfg_wdata_i;
  assign cfg_l = cfg_wdata_i;
  assign cfg_n = cfg_wdata_i;

  // A position as the router keeps it.
  function automatic logic [7:0] kept(input position_t position);
    return {position.in_port, position.out_mask};
  endfunction
  function automatic position_t shown(input logic [7:0] position);
    return '{in_port: position[7:5], out_mask: position[4:0]};
  endfunction
  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  function automatic filter_t kept_filter(input filter_reg_t f);
    return '{filter_ctrl: f.filter_ctrl, count_ctrl: f.count_ctrl, count_data: f.count_data,
             kind: f.kind, enable: f.enable, colour: f.colour};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
  function automatic logic [31:0] shown_filter(input filter_t f);
    return filter_reg_t'{filter_ctrl: f.filter_ctrl, count_ctrl: f.count_ctrl,
                         count_data: f.count_data, kind: f.kind, enable: f.enable,
                         colour: f.colour, default: '0};
  endfunction

  // What the rest of the router sees of it: copies owed to the ramp, colours with space, and
  // whether something can go on without the ramp or a link.
  colours_t ramp_q, space_q;
  logic torn_event_q;
  logic surplus_q;  // for an assertion
`ifdef SYNTHESIS
  logic moved_q;  // something moved in the last cycle: something may move in this one
`else
  logic [3:0] busy_q;
  logic pending_q;
`endif
`ifndef SYNTHESIS
  logic overrun_q;  // for an assertion
`endif

  assign link_n_o = link_n_q;
  assign link_e_o = link_e_q;
  assign link_s_o = link_s_q;
  assign link_w_o = link_w_q;
  assign ej_o = ej_q;
  assign ej_owed_o = ramp_q;
  assign inj_space_o = space_q;
  assign torn_o = torn_event_q;

  function automatic logic [4:0] index(input colours_t onehot);
    logic [23:0] v;
    v = 24'(onehot);
    return {(v & 24'hFF0000) != '0, (v & 24'h00FF00) != '0, (v & 24'hF0F0F0) != '0,
            (v & 24'hCCCCCC) != '0, (v & 24'hAAAAAA) != '0};
  endfunction

  // The lowest candidate above the last one granted, or the lowest of all; nothing if stop. The
  // top bit says whether there is one.
  function automatic logic [NumColours:0] pick(input colours_t cand, input logic [4:0] last,
                                               input logic stop);
    colours_t s;
`ifdef SYNTHESIS
    logic [7:0] low;
    logic [2:0] same, over;
    logic again, taken;
    for (int unsigned i = 0; i < 8; i++) low[i] = last[2:0] < 3'(i);
    for (int unsigned i = 0; i < 3; i++) begin
      same[i] = last[4:3] == 2'(i);
      over[i] = last[4:3] < 2'(i);
    end
    for (int unsigned c = 0; c < NumColours; c++) begin
      s[c] = over[c/8] || (same[c/8] && low[c%8]);
    end
    again = (cand & s) == '0;
    s = cand & (s | {NumColours{again}});
    taken = stop;
    for (int unsigned c = 0; c < NumColours; c++) begin
      pick[c] = s[c] && !taken;
      taken |= s[c];
    end
    pick[NumColours] = taken && !stop;
`else
    s = cand & (Above << last);
    if (s == '0) s = cand;
    if (stop) s = '0;
    return {s != '0, s & (~s + colours_t'(1))};
`endif
  endfunction

  function automatic logic below(input logic [15:0] a, input logic [15:0] b);
`ifdef SYNTHESIS
    below = 1'b0;
    for (int unsigned i = 0; i < 16; i++) below = (!a[i] && b[i]) || ((!a[i] || b[i]) && below);
`else
    return a < b;
`endif
  endfunction

  function automatic logic [15:0] plus_one(input logic [15:0] n);
`ifdef SYNTHESIS
    logic carry;
    carry = 1'b1;
    for (int unsigned i = 0; i < 16; i++) begin
      plus_one[i] = n[i] ^ carry;
      carry = carry && n[i];
    end
`else
    return n + 16'd1;
`endif
  endfunction

  function automatic colours_t decode(input logic valid, input logic [4:0] colour);
`ifdef SYNTHESIS
    logic [7:0] low;
    logic [2:0] high;
    for (int unsigned i = 0; i < 8; i++) low[i] = colour[2:0] == 3'(i);
    for (int unsigned i = 0; i < 3; i++) high[i] = valid && colour[4:3] == 2'(i);
    for (int unsigned c = 0; c < NumColours; c++) decode[c] = high[c/8] && low[c%8];
`else
    return valid ? colours_t'(1) << colour : '0;
`endif
  endfunction

  // ------------------------------------------------------------------------------ control plane --
  localparam int unsigned NumFlows = 10;
  localparam int unsigned RampReq = 4;  // the flows of the tile's own requests and responses
  localparam int unsigned RampRsp = 9;
  // Flows whose packets begin with an X header: inputs east, west and ramp of both networks.
  localparam logic [9:0] StartsWithX = 10'b11010_11010;
  localparam logic [9:0] IsRsp = 10'b11111_00000;
  // The ramp's flows have no tail: it sees within the cycle whether the head is free.
  localparam logic [9:0] HasTail = 10'b01111_01111;
  // Outputs by input: nothing goes back where it came from, nothing turns from Y to X, a response
  // does not end at a tile.
  localparam logic [9:0][4:0] Ways = {5'b01111, 5'b00111, 5'b00001, 5'b01101, 5'b00100,
                                      5'b11111, 5'b10111, 5'b10001, 5'b11101, 5'b10100};
  typedef logic [NumFlows-1:0] flows_t;

  // Per flow: head and tail of the buffer; what the head is, and whether the packet turns into the
  // column here.
  flows_t chv_q, ctv_q, in_x_q, in_y_q, turn_q;
`ifdef SYNTHESIS
  logic [NumFlows-1:0][32:0] chead_q, ctail_q;
`else
  logic [32:0] chead_q [NumFlows];
  logic [32:0] ctail_q [NumFlows];
`endif
  logic [4:0] cmask_q [NumFlows];  // outputs that the packet holds or will take
  logic [4:0] csent_q [NumFlows];  // copies of the head that are away
  // Per network and output (index 5 * network + output): the input that holds the output (one-hot,
  // 0: free) and the inputs above the last one granted.
  logic [9:0][4:0] clock_q;
  logic [4:0] ccabove_q [10];
  logic [4:0] calt_q;        // per output: responses are next when both want it
  logic [3:0] share0_q, share1_q;  // per output: slots waited for, two bit planes
  // Per network and link (index 4 * network + port): credits of the neighbour, and credits owed to
  // it, bit planes; per port: responses are next when both are owed.
  logic [7:0] ccr0_q, ccr1_q, cow0_q, cow1_q;
  logic [3:0] cralt_q;
  // Per link: credit slots that the control plane took while data credits were owed, two bit planes.
  logic [3:0] crwait0_q, crwait1_q;
  ramp_t req_q;
  logic req_valid_q;
  logic cstuck_q;  // nothing moved in the control plane, and nothing will before an input changes

  assign req_o = req_q;
  assign req_valid_o = req_valid_q;
  assign rsp_ready_o = !chv_q[RampRsp];
  assign ask_ready_o = !chv_q[RampReq];

  logic ctl_move;
  assign ctl_move = (!cstuck_q && (chv_q != '0 || (cow0_q | cow1_q) != '0)) ||
                    (req_valid_q && req_ready_i) || (rsp_valid_i && rsp_ready_o) ||
                    (ask_valid_i && ask_ready_o);

  // The same for the control plane: among the inputs of an output, those above the last one first.
  function automatic logic [4:0] pick_input(input logic [4:0] cand, input logic [4:0] above);
    logic [4:0] s;
    s = cand & above;
    if (s == '0) s = cand;
`ifdef SYNTHESIS
    begin : ripple
      automatic logic taken;
      taken = 1'b0;
      for (int unsigned i = 0; i < 5; i++) begin
        pick_input[i] = s[i] && !taken;
        taken |= s[i];
      end
    end
`else
    return s & (~s + 5'd1);
`endif
  endfunction

  function automatic logic [4:0] above(input logic [3:0] one);
    return {|one, |one[2:0], |one[1:0], one[0], 1'b0};
  endfunction

  // A count of hops less one, not below 0.
  function automatic logic [11:0] less_one(input logic [11:0] n, input logic on);
`ifdef SYNTHESIS
    logic borrow;
    borrow = on && n != '0;
    for (int unsigned i = 0; i < 12; i++) begin
      less_one[i] = n[i] ^ borrow;
      borrow = borrow && !n[i];
    end
`else
    return n - 12'(on && n != '0);
`endif
  endfunction

  logic can_move;
`ifdef SYNTHESIS
  assign can_move = moved_q || (ramp_q & ej_ready_i) != '0;
`else
  assign can_move = busy_q != '0 || pending_q || (ramp_q & ej_ready_i) != '0;
`endif
  assign idle_o = !ctl_move && !can_move && !ej_q.valid && !inj_i.valid && !cfg_we_i &&
                  !torn_event_q && (link_n_q | link_e_q | link_s_q | link_w_q) == '0;

`ifdef SYNTHESIS
  colours_t selected;  // the colour that cfg_addr_i names
  assign selected = decode(1'b1, cfg_colour);

  // What simulation keeps in registers follows from the state.
  logic [NumColours-1:0][7:0] way;       // the current position
  route_reg_t route_word;   // of the colour that cfg_addr_i names
  switch_reg_t switch_word;
  always_comb begin : words
    automatic logic [12:0] r;
    automatic logic [4:0] w;
    r = '0;
    w = '0;
    for (int unsigned c = 0; c < NumColours; c++) begin
      r |= {ring_q[c], mode1_q[c], mode0_q[c], obey_q[c], en_q[c], way[c]} & {13{selected[c]}};
      w |= {torn_q[c], pos1_q[c], pos0_q[c], last1_q[c], last0_q[c]} & {5{selected[c]}};
    end
    route_word = '{ring: r[12], pop_mode: r[11:10], obey: r[9], enable: r[8],
                   position: shown(r[7:0]), default: '0};
    switch_word = '{torn: w[4], current: w[3:2], last: w[1:0], default: '0};
  end

  always_comb begin : derived
    automatic colours_t rest_r, look;
    filtered_q = '0;
    for (int unsigned f = 0; f < NumFilters; f++) begin
      filtered_q |= decode(filter_q[f].enable, filter_q[f].colour);
    end
    for (int unsigned c = 0; c < NumColours; c++) begin
      way[c] = (base_q[c] & {8{!pos1_q[c] && !pos0_q[c]}}) |
               (alt1_q[c] & {8{!pos1_q[c] && pos0_q[c]}}) |
               (alt2_q[c] & {8{pos1_q[c] && !pos0_q[c]}}) |
               (alt3_q[c] & {8{pos1_q[c] && pos0_q[c]}});
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        in_q[p][c] = way[c][7:5] == 3'(p);
        out_q[p][c] = way[c][p];
      end
    end
    rest_r = hv_q & en_q & ~torn_q & ~mis_q & out_q[PORT_R] & ~sent_q[PORT_R];
    look = filtered_q;
    for (int unsigned c = 0; c < NumColours; c++) if (obey_q[c] && head_q[c][32]) look[c] = 1'b1;
    look &= rest_r & ~looked_q;
    ramp_q = rest_r & ~look;
    space_q = ~(tv_q | (hv_q & fence_q) | torn_q | ((last0_q | last1_q) & ~in_q[PORT_R]));
  end
`endif

  // --------------------------------------------------------------------------------- data plane --
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : step
    automatic link_t lin [NUM_PORTS];
    automatic wavelet_t win [NUM_PORTS];   // what arrives
    automatic colours_t at [NUM_PORTS];    // its colour, one-hot; 0: nothing (or control plane)
    automatic colours_t cin [4];           // credits that arrive, one-hot
    automatic wavelet_t wout [NUM_PORTS];
    automatic link_t lout [NUM_PORTS];
    automatic colours_t cfg_one, fenced;
    automatic colours_t arrived, ctrl_in, fence_in, run, fresh, ctrl, fences, look;
    automatic colours_t rest [NUM_PORTS];
    automatic colours_t offer [NUM_PORTS];  // copies that could go now
    automatic logic [3:0] wants;  // outputs that data could use
    automatic logic [NumFilters-1:0] steps, swaps;  // filters that count; that take limit2
    automatic logic [15:0] next_count, next_low;
    automatic logic [3:0] ctl_take, ctl_cret;  // links that the control plane uses; its credits
`ifdef SYNTHESIS
    automatic logic [NumColours-1:0][32:0] come;  // what arrives, by colour
    automatic colours_t wrongs, is_nop, is_adv, is_rst, is_teardown, take_outs;
    automatic logic [1:0] op;
    automatic logic moved;
`else
    automatic logic any_in, any_credit, active;
`endif

    if (!`OW_WORTH((link_n_i | link_e_i | link_s_i | link_w_i) != '0 || inj_i.valid || can_move ||
                   ctl_move || cfg_we_i)) begin
      link_n_q <= '0;
      link_e_q <= '0;
      link_s_q <= '0;
      link_w_q <= '0;
      ej_q <= '0;
      torn_event_q <= 1'b0;
    end else begin
      lin[PORT_N] = link_n_i;
      lin[PORT_E] = link_e_i;
      lin[PORT_S] = link_s_i;
      lin[PORT_W] = link_w_i;
      lin[PORT_R] = '0;
      for (int unsigned p = 0; p < 4; p++) win[p] = lin[p].wavelet;
      win[PORT_R] = inj_i;
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        at[p] = decode(win[p].valid, win[p].colour);
      end
      for (int unsigned p = 0; p < 4; p++) begin
        cin[p] = decode(lin[p].credit.valid, lin[p].credit.colour);
      end
`ifndef SYNTHESIS
      any_credit = (cin[0] | cin[1] | cin[2] | cin[3]) != '0;
      any_in = (at[0] | at[1] | at[2] | at[3] | at[4]) != '0;
`endif
      surplus_q <= ((cr2_q[0] & cin[0]) | (cr2_q[1] & cin[1]) | (cr2_q[2] & cin[2]) |
                    (cr2_q[3] & cin[3])) != '0;
      if (`OW_WORTH(any_credit)) begin
        for (int unsigned p = 0; p < 4; p++) begin
          cr2_q[p] |= cr1_q[p] & cin[p];
          cr1_q[p] |= cin[p];
        end
      end

      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        wout[p] = '0;
        lout[p] = '0;
      end
      ctl_take = '0;
      ctl_cret = '0;

      fenced = '0;
      steps = '0;
      swaps = '0;
      next_count = '0;
      next_low = '0;

`ifdef SYNTHESIS
      moved = rst_i || ctl_move || cfg_we_i || inj_i.valid ||
              (link_n_i | link_e_i | link_s_i | link_w_i) != '0;
`else
      active = any_in || can_move || (any_credit && hv_q != '0);
`endif
      wants = '0;
      if (`OW_WORTH(active)) begin : candidates
        automatic colours_t open;

        // Arrivals: only at the input of the route, or, without a route, all at one port.
        arrived = '0;
        ctrl_in = '0;
        fence_in = '0;
`ifdef SYNTHESIS
        wrongs = '0;
`endif
        if (`OW_WORTH(any_in)) begin
          open = ~(en_q | sent_q[PORT_N] | sent_q[PORT_E] | sent_q[PORT_S] | sent_q[PORT_W] |
                   sent_q[PORT_R]);
          for (int unsigned p = 0; p < NUM_PORTS; p++) begin
            if (`OW_WORTH(at[p] != '0)) begin : arrival
              automatic logic fence;
              automatic colours_t take, claim, wrong;
              fence = win[p].ctrl && has_commands(win[p].data);
              take = at[p] & ((en_q & in_q[p]) | (~en_q & sent_q[p]));
              claim = at[p] & open & ~arrived;
              take |= claim;
              wrong = at[p] & ~take;
              at[p] = take;
              arrived |= take;
              if (`OW_WORTH((claim | wrong) != '0)) begin
                sent_q[p] |= claim;
`ifdef SYNTHESIS
                wrongs |= wrong;
`endif
                mis_q |= wrong;
                if (p < 4) begin
                  bk2_q[p[1:0]] |= wrong & (bk1_q[p[1:0]] | {NumColours{fence}});
                  bk1_q[p[1:0]] |= wrong;
                end
              end
              if (`OW_WORTH(win[p].ctrl)) begin
                ctrl_in |= at[p] & {NumColours{win[p].ctrl}};
                fence_in |= at[p] & {NumColours{fence}};
              end
            end
          end
        end
        run = en_q & ~torn_q & ~mis_q;
        fresh = arrived & ~hv_q & run;
        fences = (hv_q & ~tv_q & fence_q) | (fresh & fence_in);
`ifdef SYNTHESIS
        for (int unsigned c = 0; c < NumColours; c++) begin
          come[c] = '0;
          for (int unsigned p = 0; p < NUM_PORTS; p++) begin
            come[c] |= {win[p].ctrl, win[p].data} & {33{at[p][c]}};
          end
          ctrl[c] = hv_q[c] ? head_q[c][32] : come[c][32];
          op = command_op(hv_q[c] ? head_q[c][31:0] : come[c][31:0]);
          is_nop[c] = op == SWITCH_NOP;
          is_adv[c] = op == SWITCH_ADV;
          is_rst[c] = op == SWITCH_RST;
          is_teardown[c] = op == SWITCH_TEARDOWN;
        end
        // Commands that this router takes out of the list.
        take_outs = ctrl & obey_q &
                    ((mode0_q & ~mode1_q) | (mode0_q & is_nop) |
                     (mode1_q & is_adv & ((pos0_q ^ last0_q) | (pos1_q ^ last1_q) |
                                          (ring_q & (last0_q | last1_q)))));
`else
        ctrl = (hv_q & hc_q) | (fresh & ctrl_in);
`endif

        // Copies that are owed.
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin
          rest[p] = ((hv_q & run) | fresh) & out_q[p] & ~sent_q[p];
        end
        for (int unsigned p = 0; p < 4; p++) begin
          offer[p] = rest[p] & (cr2_q[p] | (cr1_q[p] & ~fences));
          wants[p] = offer[p] != '0;
        end
        // What a filter or a command may keep from the ramp is looked at, whether the ramp has room
        // or not.
        look = rest[PORT_R] & (filtered_q | (obey_q & ctrl)) & ~looked_q;
        offer[PORT_R] = (rest[PORT_R] & ej_ready_i) | look;
      end

      if (`OW_WORTH(ctl_move || (link_n_i | link_e_i | link_s_i | link_w_i) != '0)) begin : control
        automatic logic [7:0] cr_in, freed, due, cret, up, dn;
        automatic flows_t came, occ, pop;
        automatic logic [32:0] word [NumFlows];
        automatic logic stuck, asked;

        // Credits that arrive can be spent at once.
        cr_in = '0;
        for (int unsigned p = 0; p < 4; p++) begin
          if (lin[p].credit.valid && lin[p].credit.colour[4:1] == COLOUR_REQ[4:1]) begin
            if (lin[p].credit.colour[0]) cr_in[3'(p+4)] = 1'b1;
            else cr_in[3'(p)] = 1'b1;
          end
        end
        ccr1_q ^= ccr0_q & cr_in;
        ccr0_q ^= cr_in;
        stuck = cr_in == '0;

        // What arrives. A wavelet that finds its flow empty takes part in this cycle.
        came = '0;
        for (int unsigned p = 0; p < 4; p++) begin
          if (win[p].valid && win[p].colour[4:1] == COLOUR_REQ[4:1]) begin
            if (win[p].colour[0]) came[4'(p+5)] = 1'b1;
            else came[4'(p)] = 1'b1;
          end
        end
        came[RampReq] = ask_valid_i && ask_ready_o;
        came[RampRsp] = rsp_valid_i && rsp_ready_o;
        occ = chv_q | came;
        if (came != '0) stuck = 1'b0;
        pop = '0;
        asked = 1'b0;

        if (`OW_WORTH(occ != '0)) begin : busy
          automatic logic [4:0] outs [NumFlows];
          automatic logic [4:0] copied [NumFlows];
          automatic logic [32:0] last [NumFlows];  // what arrives
          automatic flows_t here, brief;
          automatic flows_t want [NUM_PORTS];
          for (int unsigned o = 0; o < NUM_PORTS; o++) want[o] = '0;
          here = '0;
          brief = '0;
          // What each head is and where it still has to go.
          for (int unsigned k = 0; k < NumFlows; k++) begin
            word[k] = '0;
            outs[k] = '0;
            last[k] = '0;
            copied[k] = '0;
            if (`OW_WORTH(occ[k])) begin : flow
              automatic logic [4:0] owed;
              automatic logic go, near0, far0;
              /* verilator lint_off UNUSEDSIGNAL */ // what the endpoint reads
              automatic packet_header_t header;
              automatic packet_brief_t short;
              /* verilator lint_on UNUSEDSIGNAL */
              if (k == RampReq) last[k] = {1'b1, ask_i};
              else if (k == RampRsp) last[k] = {rsp_i.ctrl, rsp_i.data};
              else last[k] = {win[k%5].ctrl, win[k%5].data};
              word[k] = chv_q[k] ? chead_q[k] : last[k];
              header = word[k][31:0];
              short = word[k][31:0];
              near0 = header.near_hops == '0;
              far0 = header.far_hops == '0;
              go = (header.to_edge && IsRsp[k]) || !far0;
              here[k] = !(header.to_edge && IsRsp[k]) && near0;
              outs[k] = cmask_q[k];
              if ((in_x_q[k] || (in_y_q[k] && !StartsWithX[k])) && word[k][32]) begin
                // A packet of one wavelet: a request, first along X, then along Y. Its hops lie
                // where those of headers do.
                outs[k] = '0;
                if (!IsRsp[k]) begin
                  brief[k] = 1'b1;
                  if (in_x_q[k] && !near0) outs[k] = short.west ? 5'b01000 : 5'b00010;
                  else if (!far0) outs[k] = short.north ? 5'b00001 : 5'b00100;
                  else outs[k] = 5'b10000;
                end
              end else if (in_x_q[k]) begin
                outs[k][PORT_E] = go && !header.negative;
                outs[k][PORT_W] = go && header.negative;
              end else if (in_y_q[k] && turn_q[k]) begin
                outs[k][PORT_S] = go && !header.negative && !word[k][32];
                outs[k][PORT_N] = go && header.negative && !word[k][32];
              end
              outs[k] &= Ways[k];
              owed = outs[k] & ~csent_q[k];
              for (int unsigned o = 0; o < NUM_PORTS; o++) want[o][k] = owed[o] && occ[k];
            end
          end
          // One flow for each output.
          for (int unsigned o = 0; o < NUM_PORTS; o++) begin
            if (`OW_WORTH(want[o] != '0)) begin : output_port
              automatic logic [4:0] reqs, rsps, cand, one;
              automatic logic rsp, free;
              automatic logic [32:0] w;
              automatic logic is_x, is_y, is_brief;
              reqs = (clock_q[o] == '0) ? want[o][4:0] : want[o][4:0] & clock_q[o];
              rsps = (clock_q[5+o] == '0) ? want[o][9:5] : want[o][9:5] & clock_q[5+o];
              if (o < 4) begin
                if (!(ccr0_q[o[2:0]] || ccr1_q[o[2:0]])) reqs = '0;
                if (!(ccr0_q[3'd4+o[2:0]] || ccr1_q[3'd4+o[2:0]])) rsps = '0;
                free = !wants[o[1:0]] || (share0_q[o[1:0]] && share1_q[o[1:0]]);
              end else begin
                free = !req_valid_q || req_ready_i;
              end
              if (`OW_WORTH((reqs | rsps) != '0)) begin : grant
                automatic logic some;
                automatic packet_header_t moved_on;
                some = (reqs | rsps) != '0;
                rsp = rsps != '0 && (reqs == '0 || calt_q[o]);
                cand = (rsp ? rsps : reqs) & {5{free}};
                one = pick_input(cand, rsp ? ccabove_q[5+o] : ccabove_q[o]);
                w = '0;
                is_x = 1'b0;
                is_y = 1'b0;
                is_brief = 1'b0;
                for (int unsigned i = 0; i < NUM_PORTS; i++) begin
                  copied[i][o] = one[i] && !rsp;
                  copied[5+i][o] = one[i] && rsp;
                  w |= (word[i] & {33{one[i] && !rsp}}) | (word[5+i] & {33{one[i] && rsp}});
                  is_x |= (in_x_q[i] && one[i] && !rsp) || (in_x_q[5+i] && one[i] && rsp);
                  is_y |= (in_y_q[i] && one[i] && !rsp) || (in_y_q[5+i] && one[i] && rsp);
                  is_brief |= brief[i] && one[i] && !rsp;
                end
                // A header counts down the hops of the dimension that it moves along. The copy of a
                // Y header that goes on along X stays as it is.
                moved_on = w[31:0];
                if (o == 32'(PORT_N) || o == 32'(PORT_S)) begin
                  moved_on.far_hops = less_one(moved_on.far_hops, is_y || is_brief);
                  moved_on.near_hops = less_one(moved_on.near_hops, is_y && !is_brief);
                end else if (o < 4) begin
                  moved_on.near_hops = less_one(moved_on.near_hops, is_x);
                  moved_on.far_hops = less_one(moved_on.far_hops, is_x && !is_brief);
                end
                w[31:0] = moved_on;
                if (some && free) begin
                  calt_q[o] = !rsp;
                  if (rsp) begin
                    clock_q[5+o] = one & {5{!w[32]}};
                    ccabove_q[5+o] = above(one[3:0]);
                  end else begin
                    clock_q[o] = one & {5{!w[32]}};
                    ccabove_q[o] = above(one[3:0]);
                  end
                  stuck = 1'b0;
                end
                if (o < 4) begin
                  ctl_take[o[1:0]] = some && free;
                  wout[o] = '{valid: some && free,
                              colour: {5{some && free}} & (rsp ? COLOUR_RSP : COLOUR_REQ),
                              ctrl: w[32], data: w[31:0]};
                  if (some && free) begin
                    if (rsp) begin
                      ccr1_q[3'd4+o[2:0]] &= ccr0_q[3'd4+o[2:0]];
                      ccr0_q[3'd4+o[2:0]] = !ccr0_q[3'd4+o[2:0]];
                    end else begin
                      ccr1_q[o[2:0]] &= ccr0_q[o[2:0]];
                      ccr0_q[o[2:0]] = !ccr0_q[o[2:0]];
                    end
                    share0_q[o[1:0]] = 1'b0;
                    share1_q[o[1:0]] = 1'b0;
                  end else if (some) begin
                    share1_q[o[1:0]] ^= share0_q[o[1:0]];
                    share0_q[o[1:0]] = !share0_q[o[1:0]];
                    stuck = 1'b0;
                  end
                end else if (some && free) begin
                  req_q <= '{ctrl: w[32], data: w[31:0]};
                  asked = 1'b1;
                end
              end
            end
          end
          // Heads that leave, and what the next ones are.
          for (int unsigned k = 0; k < NumFlows; k++) begin
            if (`OW_WORTH(occ[k])) begin
              pop[k] = occ[k] && (outs[k] & ~csent_q[k] & ~copied[k]) == '0;
              csent_q[k] = pop[k] ? '0 : csent_q[k] | copied[k];
              if (pop[k] && word[k][32]) begin
                in_x_q[k] = StartsWithX[k];
                in_y_q[k] = !StartsWithX[k];
                turn_q[k] = !StartsWithX[k];
                cmask_q[k] = '0;
              end else if (pop[k]) begin
                cmask_q[k] = outs[k];
                if (StartsWithX[k] && in_x_q[k]) turn_q[k] = here[k];
                if (in_y_q[k] && turn_q[k] && here[k]) cmask_q[k][PORT_R] = Ways[k][PORT_R];
                in_y_q[k] = StartsWithX[k] && in_x_q[k];
                in_x_q[k] = 1'b0;
              end
            end
            // A wavelet that comes and leaves at once was never here.
`ifdef SYNTHESIS
            if (HasTail[k] && ctv_q[k]) last[k] = ctail_q[k];
            if (!chv_q[k] || pop[k]) chead_q[k] = last[k];
            ctail_q[k] = last[k];
`else
            if (pop[k] && ctv_q[k]) chead_q[k] = ctail_q[k];
            if (came[k] && (chv_q[k] || !pop[k])) begin
              if (chv_q[k] && !(pop[k] && !ctv_q[k])) ctail_q[k] = last[k];
              else chead_q[k] = last[k];
            end
`endif
          end
          if (pop != '0) stuck = 1'b0;
          begin : levels
            automatic flows_t stored, to_tail;
            stored = came & (chv_q | ~pop);
            to_tail = stored & chv_q & ~(pop & ~ctv_q) & HasTail;
            chv_q = (chv_q & ~(pop & ~ctv_q)) | stored;
            ctv_q = (ctv_q & ~pop) | to_tail;
          end
        end
        if (asked) req_valid_q <= 1'b1;
        else if (req_ready_i) req_valid_q <= 1'b0;

        // Credits: at once for a slot that is freed now, else one that is owed.
        freed = {pop[8:5], pop[3:0]};
        due = freed | cow0_q | cow1_q;
        if (`OW_WORTH(due != '0)) begin : returns
          automatic logic [3:0] rsps, waits;
          // Of four slots for which data credits wait one is theirs: no packet holds them up for
          // its length.
          for (int unsigned p = 0; p < 4; p++) begin
            waits[p] = (bk1_q[p] & in_q[p] & en_q & ~torn_q) != '0;
          end
          ctl_cret = (due[7:4] | due[3:0]) & ~(waits & crwait0_q & crwait1_q);
          crwait1_q = (crwait1_q ^ crwait0_q) & waits & ctl_cret;
          crwait0_q = ~crwait0_q & waits & ctl_cret;
          rsps = due[7:4] & (~due[3:0] | cralt_q) & ctl_cret;
          cret = {rsps, ctl_cret & ~rsps};
          cralt_q = (cralt_q & ~ctl_cret) | (ctl_cret & ~rsps);
          for (int unsigned p = 0; p < 4; p++) begin
            if (ctl_cret[p]) begin
              lout[p].credit = '{valid: 1'b1, colour: rsps[p] ? COLOUR_RSP : COLOUR_REQ};
            end
          end
          up = freed & ~cret;
          dn = cret & ~freed;
          cow1_q ^= (up & cow0_q) | (dn & ~cow0_q);
          cow0_q ^= up | dn;
          if (due != '0) stuck = 1'b0;
        end
        cstuck_q <= stuck;
      end
      if (`OW_WORTH(active)) begin : work
        automatic colours_t left, done, popped, push, to_tail, up;
        automatic colours_t grant [NUM_PORTS];

        // Outputs.
        left = '0;
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin : output_port
          grant[p] = '0;
          if (`OW_WORTH(rest[p] != '0)) begin
            if (`OW_WORTH(offer[p] != '0)) begin : send
              automatic colours_t one;
              automatic logic [4:0] idx;
              automatic logic [31:0] data;
              automatic logic is_ctrl, away;
              {away, one} = pick(offer[p], granted_q[p], rst_i || (p < 4 && ctl_take[p[1:0]]));
              idx = index(one);
              grant[p] = one;
              if (away) granted_q[p] = idx;
`ifdef SYNTHESIS
              moved |= away;
`endif
`ifdef SYNTHESIS
              {is_ctrl, data} = '0;
              for (int unsigned c = 0; c < NumColours; c++) begin
                {is_ctrl, data} |= head_q[c] & {33{one[c] && hv_q[c]}};
              end
              for (int unsigned i = 0; i < NUM_PORTS; i++) begin
                {is_ctrl, data} |= {win[i].ctrl, win[i].data} &
                  {33{away && (one & hv_q) == '0 && win[i].valid && win[i].colour == idx}};
              end
`else
              data = head_q[idx[IdxW-1:0]];
              if ((one & fresh) != '0) begin
                for (int unsigned i = 0; i < NUM_PORTS; i++) begin
                  if ((at[i] & one) != '0) data = win[i].data;
                end
              end
              is_ctrl = (one & ctrl) != '0;
`endif
              if (p == 32'(PORT_R) && `OW_WORTH((one & look) != '0)) begin : inspect
                automatic logic drop, room;
                drop = is_ctrl && (one & obey_q) != '0 && command_noce(data);
                if (`OW_WORTH((one & filtered_q) != '0)) begin : filter
                  automatic filter_t how;
                  automatic logic [NumFilters-1:0] match;
                  automatic logic [15:0] low, count, value;
                  automatic logic hit, beyond, counts, may;
                  how = '0;
                  low = '0;
                  next_low = '0;
                  count = '0;
                  for (int unsigned f = 0; f < NumFilters; f++) begin
                    match[f] = filter_q[f].enable && filter_q[f].colour == idx;
                    if (`OW_WORTH(match[f])) begin
                      how |= filter_q[f] & {11{match[f]}};
                      low |= low_q[f] & {16{match[f]}};
                      next_low |= high_q[f] & {16{match[f]}};
                      count |= count_q[f] & {16{match[f]}};
                    end
                  end
                  value = (how.kind == FILTER_RANGE) ? data[31:16] : count;
                  hit = value == low;
                  beyond = below(next_low, value);
                  may = !is_ctrl || how.filter_ctrl;
                  case (how.kind)
                    FILTER_RANGE: if (!is_ctrl && (below(value, low) || beyond)) drop = 1'b1;
                    FILTER_SPARSE: if (may && !hit) drop = 1'b1;
                    default: if (may && beyond) drop = 1'b1;
                  endcase
                  // Each wavelet is looked at, and counted, once.
                  counts = (is_ctrl ? how.count_ctrl : how.count_data) &&
                           how.kind != FILTER_RANGE && (one & look) != '0;
                  next_count = plus_one(count) & {16{!hit}};
                  steps = match & {NumFilters{counts}};
                  swaps = steps & {NumFilters{how.kind == FILTER_SPARSE && hit}};
                end
                looked_q |= one;
                if ((one & look) == '0) drop = 1'b0;
                room = (one & ej_ready_i) != '0;
                grant[p] &= {NumColours{drop || room}};
                away = away && !drop && room;
              end
              // A command that this router takes out of the list.
`ifdef SYNTHESIS
              if ((one & take_outs) != '0) data = next_command(data);
`else
              if (is_ctrl && (one & obey_q & (mode0_q | mode1_q)) != '0) begin : take_out
                automatic logic moves;
                automatic logic [1:0] op;
                op = command_op(data);
                moves = (one & ((pos0_q ^ last0_q) | (pos1_q ^ last1_q) |
                                (ring_q & (last0_q | last1_q)))) != '0;
                if ((one & mode1_q) == '0 || (op == SWITCH_ADV && moves) ||
                    ((one & mode0_q) != '0 && op == SWITCH_NOP)) data = next_command(data);
              end
`endif
              // An output that the control plane has taken has no candidate here.
              if (p < 32'(PORT_R)) begin
                if (`OW_WORTH(away)) begin
                  wout[p] |= wavelet_t'{valid: away, colour: idx, ctrl: is_ctrl, data: data};
                end
              end else if (away) begin
                wout[p] = '{valid: 1'b1, colour: idx, ctrl: is_ctrl, data: data};
              end
              rest[p] &= ~grant[p];
            end
          end
          left |= rest[p];
        end

        // Heads that leave, buffers, and the copies that the next heads owe.
        done = ((hv_q & run) | fresh) & ~left;
        popped = done & hv_q;
        push = arrived & ~(done & fresh);
        fenced = done & fences;
`ifdef SYNTHESIS
        moved |= done != '0;
`endif
        for (int unsigned p = 0; p < NUM_PORTS; p++) sent_q[p] = (sent_q[p] | grant[p]) & ~done;
        looked_q &= ~done;
`ifdef SYNTHESIS
        for (int unsigned c = 0; c < NumColours; c++) begin : store
          automatic logic [32:0] next;
          next = (tail_q[c] & {33{tv_q[c]}}) | come[c];
          tail_q[c] = next;
          head_q[c] = (head_q[c] & {33{hv_q[c] && !popped[c]}}) |
                      (next & {33{!(hv_q[c] && !popped[c])}});
        end
        to_tail = push & hv_q & ~popped;
        fence_q = (fence_q & ~push) | (push & fence_in);
        hv_q = (hv_q & ~popped) | tv_q | push;
        tv_q = (tv_q & ~popped) | to_tail;
`else
        if ((push | popped) != '0) begin : buffers
          automatic colours_t shift, to_head;
          shift = popped & tv_q;
          to_head = push & (~hv_q | (popped & ~tv_q));
          to_tail = push & ~to_head;
          overrun_q <= (to_tail & tv_q & ~popped) != '0;
          if (shift != '0) begin
            for (int unsigned c = 0; c < NumColours; c++) if (shift[c]) head_q[c] = tail_q[c];
          end
          if (push != '0) begin
            for (int unsigned p = 0; p < NUM_PORTS; p++) begin
              if ((at[p] & to_head) != '0) head_q[win[p].colour[IdxW-1:0]] = win[p].data;
              if ((at[p] & to_tail) != '0) tail_q[win[p].colour[IdxW-1:0]] = win[p].data;
            end
          end
          hc_q = (hc_q & ~(shift | to_head)) | (shift & tc_q) | (to_head & ctrl_in);
          tc_q = (tc_q & ~to_tail) | (to_tail & ctrl_in);
          fence_q = (fence_q & ~push) | (push & fence_in);
          hv_q = (hv_q & ~popped) | shift | to_head;
          tv_q = (tv_q & ~popped) | to_tail;
        end
`endif

        // Credits: slots that are free again go back to the colour's input, one a cycle and link.
        // A fence has taken all of them; they go back from the next cycle on, to the input that is
        // selected then.
        up = done & ~fenced;
        begin : returns
          automatic colours_t own1, own2, have, ret, more, less;
          own1 = '0;
          for (int unsigned p = 0; p < 4; p++) begin
            own1 |= in_q[p] & bk1_q[p];
          end
          have = up | (own1 & en_q & ~torn_q);
          if (`OW_WORTH((have | fenced) != '0)) begin
            ret = in_q[PORT_R];
            for (int unsigned p = 0; p < 4; p++) begin : link_port
              automatic colours_t cand, one;
              automatic logic some;
              automatic logic [4:0] idx;
              cand = have & in_q[p];
              if (`OW_WORTH(cand != '0)) begin
                {some, one} = pick(cand, cgranted_q[p], ctl_cret[p] || rst_i);
                idx = index(one);
                if (some) cgranted_q[p] = idx;
`ifdef SYNTHESIS
                moved |= some;
`endif
                lout[p].credit |= credit_t'{valid: some, colour: idx};
                ret |= one;
              end
            end
            more = up & ~ret;
            less = ret & ~up;
            if (`OW_WORTH((more | less | fenced) != '0)) begin
              own2 = '0;
              for (int unsigned p = 0; p < 4; p++) own2 |= in_q[p] & bk2_q[p];
              for (int unsigned p = 0; p < 4; p++) begin
                bk2_q[p] = (bk2_q[p] & ~in_q[p]) |
                           (in_q[p] & ((own2 & ~less) | (own1 & more) | fenced));
                bk1_q[p] = (bk1_q[p] & ~in_q[p]) |
                           (in_q[p] & ((own1 & ~less) | own2 | more | fenced));
              end
            end
          end
        end
        for (int unsigned p = 0; p < 4; p++) begin
          if (`OW_WORTH(grant[p] != '0)) begin
            cr1_q[p] &= ~(grant[p] & (fences | ~cr2_q[p]));
            cr2_q[p] &= ~grant[p];
          end
        end
      end

      lout[PORT_N].wavelet = wout[PORT_N];
      lout[PORT_E].wavelet = wout[PORT_E];
      lout[PORT_S].wavelet = wout[PORT_S];
      lout[PORT_W].wavelet = wout[PORT_W];
      link_n_q <= lout[PORT_N];
      link_e_q <= lout[PORT_E];
      link_s_q <= lout[PORT_S];
      link_w_q <= lout[PORT_W];
      ej_q <= wout[PORT_R];

      // Registers that are written, and fences that have left: the position may change.
      cfg_one = '0;
`ifdef SYNTHESIS
      moved_q <= moved;
`endif
      if (cfg_we_i && (cfg_route || cfg_switch)) cfg_one = decode(1'b1, cfg_colour);
`ifndef SYNTHESIS
      torn_event_q <= 1'b0;
      if ((cfg_one | fenced) != '0) begin : reloads
        for (int unsigned c = 0; c < NumColours; c++) begin
          if (cfg_one[c] || fenced[c]) begin : colour
            automatic logic [1:0] op;
            automatic logic [7:0] way;
            automatic logic wrong, was_en;
            automatic logic [NUM_PORTS-1:0] was_in;
            was_en = en_q[c];
            for (int unsigned p = 0; p < NUM_PORTS; p++) was_in[p] = in_q[p][c];
            if (fenced[c] && obey_q[c]) begin
              op = command_op(head_q[c]);
              for (int unsigned p = 0; p < NUM_PORTS; p++) begin
                if (at[p][c]) op = command_op(win[p].data);
              end
              case (op)
                SWITCH_ADV: begin
                  if ({last1_q[c], last0_q[c]} != {pos1_q[c], pos0_q[c]})
                    {pos1_q[c], pos0_q[c]} += 2'd1;
                  else if (ring_q[c]) {pos1_q[c], pos0_q[c]} = 2'd0;
                end
                SWITCH_RST: {pos1_q[c], pos0_q[c]} = 2'd0;
                SWITCH_TEARDOWN: begin
                  torn_q[c] = 1'b1;
                  torn_event_q <= 1'b1;
                end
                default: ;
              endcase
            end
            if (cfg_one[c] && cfg_route) begin
              base_q[c] = kept(cfg_r.position);
              en_q[c] = cfg_r.enable;
              obey_q[c] = cfg_r.obey;
              {mode1_q[c], mode0_q[c]} = cfg_r.pop_mode;
              ring_q[c] = cfg_r.ring;
              mis_q[c] = 1'b0;
              if (cfg_r.set_credits) begin
                for (int unsigned p = 0; p < 4; p++) begin
                  {cr2_q[p][c], cr1_q[p][c]} = {2{!cfg_r.without_credits[p]}};
                  {bk2_q[p][c], bk1_q[p][c]} = {2{cfg_r.keep_credits[p]}};
                end
              end
            end
            if (cfg_one[c] && cfg_switch) begin
              {alt3_q[c], alt2_q[c], alt1_q[c]} = {kept(cfg_s.position3), kept(cfg_s.position2),
                                                   kept(cfg_s.position1)};
              {last1_q[c], last0_q[c]} = cfg_s.last;
              {pos1_q[c], pos0_q[c]} = cfg_s.current;
              torn_q[c] = cfg_s.torn;
            end
            way = pos1_q[c] ? (pos0_q[c] ? alt3_q[c] : alt2_q[c])
                            : (pos0_q[c] ? alt1_q[c] : base_q[c]);
            // Wavelets that wait must have come in where the new route says.
            wrong = 1'b0;
            for (int unsigned p = 0; p < NUM_PORTS; p++) begin
              if (cfg_one[c] && hv_q[c] && (was_en ? in_q[p][c] : sent_q[p][c]) &&
                  way[7:5] != 3'(p)) wrong = en_q[c];
              in_q[p][c] = way[7:5] == 3'(p);
              out_q[p][c] = way[p];
              // Without a route wavelets that wait keep the port at which they came in.
              if (cfg_one[c] && cfg_route && !en_q[c]) begin
                sent_q[p][c] = hv_q[c] && (was_en ? was_in[p] : sent_q[p][c]);
              end else if (cfg_one[c] && en_q[c]) begin
                sent_q[p][c] = 1'b0;
              end
            end
            if (wrong) mis_q[c] = 1'b1;
            if (cfg_one[c]) looked_q[c] = 1'b0;
          end
        end
      end
`else
      begin : reloads
        automatic colours_t route, switch, keep_route, keep_switch, keep_credits, moves, adv, clear;
        automatic colours_t last_one, setup, restart, full, hold;
        automatic logic held, wrong;
        automatic logic [2:0] first, from, to;
        automatic logic [NUM_PORTS-1:0] claimed;
        route = cfg_one & {NumColours{cfg_route && !rst_i}};
        switch = cfg_one & {NumColours{cfg_switch && !rst_i}};
        setup = route & {NumColours{cfg_r.set_credits}};
        keep_route = ~(route | {NumColours{rst_i}});
        keep_switch = ~(switch | {NumColours{rst_i}});
        keep_credits = ~(setup | {NumColours{rst_i}});

        hold = route & {NumColours{!cfg_r.enable}} & hv_q;

        // Wavelets that wait must have come in where the new route says.
        held = (selected & hv_q) != '0;
        first = '0;
        from = route_word.position.in_port;
        for (int unsigned c = 0; c < NumColours; c++) first |= base_q[c][7:5] & {3{selected[c]}};
        for (int unsigned p = 0; p < NUM_PORTS; p++) claimed[p] = (selected & sent_q[p]) != '0;
        if (cfg_switch) begin
          case (cfg_s.current)
            2'd0: to = first;
            2'd1: to = cfg_s.position1.in_port;
            2'd2: to = cfg_s.position2.in_port;
            default: to = cfg_s.position3.in_port;
          endcase
        end else begin
          to = switch_word.current == 2'd0 ? cfg_r.position.in_port : from;
        end
        wrong = 1'b0;
        if (route_word.enable) begin
          wrong = from != to;
        end else begin
          for (int unsigned p = 0; p < NUM_PORTS; p++) if (claimed[p] && to != 3'(p)) wrong = 1'b1;
        end
        wrong = wrong && held && (cfg_switch ? route_word.enable : cfg_r.enable);
        mis_q = ((mis_q | wrongs) & keep_route) | (cfg_one & {NumColours{wrong && !rst_i}});

        moves = fenced & obey_q;
        torn_event_q <= (moves & is_teardown) != '0 && !rst_i;
        torn_q = ((torn_q | (moves & is_teardown)) & keep_switch) |
                 (switch & {NumColours{cfg_s.torn}});
        last_one = ~((pos0_q ^ last0_q) | (pos1_q ^ last1_q));
        adv = moves & is_adv & ~last_one;
        clear = moves & ((is_adv & last_one & ring_q) | is_rst);
        pos1_q = ((pos1_q ^ (pos0_q & adv)) & ~clear & keep_switch) |
                 (switch & {NumColours{cfg_s.current[1]}});
        pos0_q = ((pos0_q ^ adv) & ~clear & keep_switch) |
                 (switch & {NumColours{cfg_s.current[0]}});
        last1_q = (last1_q & keep_switch) | (switch & {NumColours{cfg_s.last[1]}});
        last0_q = (last0_q & keep_switch) | (switch & {NumColours{cfg_s.last[0]}});
        for (int unsigned c = 0; c < NumColours; c++) begin
          alt1_q[c] = (alt1_q[c] & {8{keep_switch[c]}}) |
                      (kept(cfg_s.position1) & {8{switch[c]}});
          alt2_q[c] = (alt2_q[c] & {8{keep_switch[c]}}) |
                      (kept(cfg_s.position2) & {8{switch[c]}});
          alt3_q[c] = (alt3_q[c] & {8{keep_switch[c]}}) |
                      (kept(cfg_s.position3) & {8{switch[c]}});
          base_q[c] = (base_q[c] & {8{keep_route[c]}}) |
                      (kept(cfg_r.position) & {8{route[c]}});
        end

        // Without a route wavelets that wait keep the port at which they came in.
        restart = ((switch & en_q) | route) & ~hold |
                  {NumColours{rst_i}};
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin
          sent_q[p] = (sent_q[p] & ~restart & ~(hold & en_q)) | (hold & en_q & in_q[p]);
        end
        looked_q &= ~(cfg_one | {NumColours{rst_i}});
        hv_q &= ~{NumColours{rst_i}};
        tv_q &= ~{NumColours{rst_i}};
        en_q = (en_q & keep_route) | (route & {NumColours{cfg_r.enable}});
        obey_q = (obey_q & keep_route) | (route & {NumColours{cfg_r.obey}});
        mode0_q = (mode0_q & keep_route) | (route & {NumColours{cfg_r.pop_mode[0]}});
        mode1_q = (mode1_q & keep_route) | (route & {NumColours{cfg_r.pop_mode[1]}});
        ring_q = (ring_q & keep_route) | (route & {NumColours{cfg_r.ring}});
        for (int unsigned p = 0; p < 4; p++) begin
          full = ~(keep_credits | {NumColours{cfg_r.without_credits[p] && !rst_i}});
          cr1_q[p] = (cr1_q[p] & keep_credits) | full;
          cr2_q[p] = (cr2_q[p] & keep_credits) | full;
          bk1_q[p] = (bk1_q[p] & keep_credits) | (setup & {NumColours{cfg_r.keep_credits[p]}});
          bk2_q[p] = (bk2_q[p] & keep_credits) | (setup & {NumColours{cfg_r.keep_credits[p]}});
        end
      end
`endif

`ifdef SYNTHESIS
      for (int unsigned f = 0; f < NumFilters; f++) begin : filters
        automatic logic [2:0] write;
        write = {cfg_count, cfg_limits, cfg_filter} & {3{cfg_we_i && cfg_index == 3'(f)}};
        filter_q[f] = (filter_q[f] & {11{!write[0] && !rst_i}}) |
                      (kept_filter(cfg_f) & {11{write[0] && !rst_i}});
        high_q[f] = ((high_q[f] & {16{!write[1]}}) | (cfg_l.high & {16{write[1]}})) &
                    {16{!rst_i}};
        low_q[f] = ((low_q[f] & {16{!write[1] && !swaps[f]}}) |
                    (next_low & {16{swaps[f] && !write[1]}}) |
                    (cfg_l.low & {16{write[1]}})) & {16{!rst_i}};
        count_q[f] = ((count_q[f] & {16{!write[2] && !steps[f]}}) |
                      (next_count & {16{steps[f] && !write[2]}}) |
                      (cfg_n.count & {16{write[2]}})) & {16{!rst_i}};
      end
`else
      if (steps != '0) begin
        for (int unsigned f = 0; f < NumFilters; f++) begin
          if (steps[f]) count_q[f] = next_count;
          if (swaps[f]) low_q[f] = next_low;
        end
      end
      if (cfg_we_i && (cfg_filter || cfg_limits || cfg_count)) begin : filters
        if (cfg_filter) filter_q[cfg_index] = kept_filter(cfg_f);
        if (cfg_limits) {high_q[cfg_index], low_q[cfg_index]} = {cfg_l.high, cfg_l.low};
        if (cfg_count) count_q[cfg_index] = cfg_n.count;
        filtered_q = '0;
        for (int unsigned f = 0; f < NumFilters; f++) begin
          if (filter_q[f].enable) filtered_q |= colours_t'(1) << filter_q[f].colour;
        end
      end
`endif

`ifndef SYNTHESIS
      if (any_in || can_move || any_credit || cfg_we_i) begin : shown
        automatic colours_t held, owed;
        run = hv_q & en_q & ~torn_q & ~mis_q;
        held = ~tv_q & fence_q;
        for (int unsigned p = 0; p < NUM_PORTS; p++) rest[p] = run & out_q[p] & ~sent_q[p];
        look = rest[PORT_R] & (filtered_q | (obey_q & hc_q)) & ~looked_q;
        owed = '0;
        for (int unsigned p = 0; p < 4; p++) begin
          busy_q[p] <= (rest[p] & (cr2_q[p] | (cr1_q[p] & ~held))) != '0;
          owed |= bk1_q[p] & in_q[p];
        end
        ramp_q <= rest[PORT_R] & ~look;
        space_q <= ~(tv_q | (hv_q & fence_q) | torn_q | ((last0_q | last1_q) & ~in_q[PORT_R]));
        pending_q <= ((run & ~(rest[PORT_N] | rest[PORT_E] | rest[PORT_S] | rest[PORT_W] |
                               rest[PORT_R])) | (owed & en_q & ~torn_q) | look) != '0;
      end
`endif
    end

    if (rst_i) begin
`ifndef SYNTHESIS
      // In synthesis these are cleared where they are written.
      hv_q = '0;
      tv_q = '0;
      hc_q = '0;
      tc_q = '0;
      en_q = '0;
      obey_q = '0;
      mode0_q = '0;
      mode1_q = '0;
      ring_q = '0;
      last0_q = '0;
      last1_q = '0;
      pos0_q = '0;
      pos1_q = '0;
      torn_q = '0;
      mis_q = '0;
      looked_q = '0;
      for (int unsigned c = 0; c < NumColours; c++) begin
        base_q[c] = '0;
        alt1_q[c] = '0;
        alt2_q[c] = '0;
        alt3_q[c] = '0;
      end
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        in_q[p] = '0;
        out_q[p] = '0;
        sent_q[p] = '0;
      end
      in_q[PORT_N] = '1;
      for (int unsigned p = 0; p < 4; p++) begin
        cr1_q[p] = '1;
        cr2_q[p] = '1;
        bk1_q[p] = '0;
        bk2_q[p] = '0;
      end
      fence_q = '0;
      for (int unsigned f = 0; f < NumFilters; f++) begin
        filter_q[f] = '0;
        low_q[f] = '0;
        high_q[f] = '0;
        count_q[f] = '0;
      end
      filtered_q = '0;
      busy_q <= '0;
      ramp_q <= '0;
      space_q <= '1;
      pending_q <= 1'b0;
      overrun_q <= 1'b0;
      torn_event_q <= 1'b0;
      link_n_q <= '0;
      link_e_q <= '0;
      link_s_q <= '0;
      link_w_q <= '0;
      ej_q <= '0;
`endif
      for (int unsigned p = 0; p < NUM_PORTS; p++) granted_q[p] = '1;
      for (int unsigned p = 0; p < 4; p++) cgranted_q[p] = '1;
      chv_q = '0;
      ctv_q = '0;
      in_x_q = StartsWithX;
      in_y_q = ~StartsWithX;
      turn_q = ~StartsWithX;
      for (int unsigned k = 0; k < NumFlows; k++) begin
        cmask_q[k] = '0;
        csent_q[k] = '0;
        clock_q[k] = '0;
        ccabove_q[k] = '0;
      end
      calt_q = '0;
      share0_q = '0;
      share1_q = '0;
      ccr0_q = '0;
      ccr1_q = '1;
      cow0_q = '0;
      cow1_q = '0;
      cralt_q = '0;
      crwait0_q = '0;
      crwait1_q = '0;
      surplus_q <= 1'b0;
      req_q <= '0;
      req_valid_q <= 1'b0;
      cstuck_q <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---------------------------------------------------------------------------- reading it back --
  always_comb begin : read_back
`ifndef SYNTHESIS
    automatic logic [IdxW-1:0] c;
    automatic route_reg_t route;
    automatic switch_reg_t switch;
`endif
    automatic rt_credits_reg_t credits;
    automatic rt_control_reg_t control;
    automatic filter_count_reg_t count;
`ifndef SYNTHESIS
    c = cfg_colour[IdxW-1:0];
    switch = '{torn: torn_q[c], current: {pos1_q[c], pos0_q[c]}, last: {last1_q[c], last0_q[c]},
               default: '0};
    route = '{ring: ring_q[c], pop_mode: {mode1_q[c], mode0_q[c]}, obey: obey_q[c],
              enable: en_q[c], position: shown(pos1_q[c] ? (pos0_q[c] ? alt3_q[c] : alt2_q[c])
                                                         : (pos0_q[c] ? alt1_q[c] : base_q[c])),
              default: '0};
`endif
    // Credits: eight colours a word, four words a port.
    credits = '0;
    for (int unsigned k = 0; k < NumColours; k++) begin
      for (int unsigned p = 0; p < 4; p++) begin
        if (reg_rt_credits_index(cfg_addr_i) == 4'(4 * p + k / 8)) begin
          credits.credits[k%8] = {2'b0, cr2_q[p][k], cr1_q[p][k] && !cr2_q[p][k]};
        end
      end
    end
    control = '{requests: chv_q[4:0], responses: chv_q[8:5], default: '0};
    count = '{count: count_q[cfg_index], default: '0};
    stat_o = '0;
    unique case (1'b1)
`ifdef SYNTHESIS
      cfg_route: stat_o = route_word;
      cfg_switch: stat_o = switch_word;
`else
      cfg_route: if (cfg_colour < 5'(NumColours)) stat_o = route;
      cfg_switch: if (cfg_colour < 5'(NumColours)) stat_o = switch;
`endif
      cfg_filter: stat_o = shown_filter(filter_q[cfg_index]);
      cfg_count: stat_o = count;
      is_reg_rt_credits(cfg_addr_i): stat_o = credits;
      default: begin
        case (cfg_addr_i)
          REG_RT_OCCUPIED: stat_o = 32'(hv_q);
          REG_RT_MISROUTE: stat_o = 32'(mis_q);
          REG_RT_CONTROL: stat_o = control;
          REG_RT_TORN: stat_o = 32'(torn_q);
          default: ;
        endcase
      end
    endcase
  end

  `OW_ASSERT(ctl_credit_in_range, (ccr1_q & ccr0_q) == '0, "control credits out of range")
  `OW_ASSERT(ctl_owed_in_range, (cow1_q & cow0_q) == '0, "owed control credits out of range")
  `OW_ASSERT(one_phase, (in_x_q & in_y_q) == '0, "a head is an X and a Y header at once")
  `OW_ASSERT(req_stable, !$past(req_valid_q && !req_ready_i) || $past(rst_i) ||
             (req_valid_q && req_q == $past(req_q)), "a request changed before it was taken")
  for (genvar o = 0; o < 10; o++) begin : gen_lock
    `OW_ASSERT(lock_onehot, $onehot0(clock_q[o]), "two packets hold one output")
  end
  // A credit for a colour that has all is one that a neighbour returned twice; an arrival at a full
  // buffer was sent without one.
  `OW_ASSERT(tail_behind_head, (tv_q & ~hv_q) == '0, "a tail without a head")
  `OW_ASSERT(inject_with_space, !inj_i.valid || ((colours_t'(1) << inj_i.colour) & inj_space_o)
             != '0, "the ramp injected without space")
  `OW_ASSERT(control_colour_inject, !inj_i.valid || inj_i.colour < COLOUR_REQ,
             "the ramp injected on a control colour")
  `OW_ASSERT(owed_is_held, (ramp_q & ~hv_q) == '0, "a copy is owed of nothing")
  `OW_ASSERT(no_surplus, !surplus_q, "a credit came back that was not spent")
`ifndef SYNTHESIS
  `OW_ASSERT(no_overrun, !overrun_q, "a colour's buffer overran")
`endif
  for (genvar p = 0; p < 4; p++) begin : gen_check
    colours_t c1, c2, b1, b2;
    assign c1 = cr1_q[p];
    assign c2 = cr2_q[p];
    assign b1 = bk1_q[p];
    assign b2 = bk2_q[p];
    `OW_ASSERT(credit_in_range, (c2 & ~c1) == '0, "credits of a data colour out of range")
    `OW_ASSERT(back_in_range, (b2 & ~b1) == '0, "kept credits of a data colour out of range")
  end

endmodule

`undef OW_WORTH
