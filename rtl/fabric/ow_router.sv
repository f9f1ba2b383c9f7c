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
// flow is a network and an input port; it has a buffer of two wavelets. The head of a flow owes a
// copy to each output of its packet; `csent` remembers the copies that are away, and the head
// leaves when none is owed. An output that has taken the first wavelet of a packet stays with it
// (`clock`) to the tail. What a head means follows from the input: packets on an east or west link
// or from the ramp begin with an X header, packets on a north or south link with a Y header; a
// request of one wavelet is its own header. Latency 1 cycle a hop, 1 wavelet a cycle. When the data
// plane wants an output too, one slot in four is the control plane's (a count of the slots that
// were waited for); requests and responses take turns when both want an output. A packet that ends
// early (tail in a header) or that has no way on is swallowed to its tail, as is a response that is
// addressed to a tile.
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
//                 the ramp can take one more besides the one in ej_o; ej_owed_o (a register): colours
//                 whose head still has to go to the ramp
//   req_*, rsp_*  control plane: requests for the tile (from a register), its responses;
//                 valid/ready
//   ask_*         a request of one wavelet from the tile (valid/ready)
//   cfg_*         write of a ROUTE, SWITCH or FILTER register (docs/memory-map.md), by the word
//                 offset in the tile's registers
//   stat_*        the word at that offset: ROUTE, SWITCH, FILTER or RT_*
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
  input  logic [9:0]              cfg_addr_i,
  input  logic [31:0]             cfg_wdata_i,
  input  logic [9:0]              stat_addr_i,
  output logic [31:0]             stat_o,
  output logic                    torn_o,
  output logic                    idle_o
);

  `OW_ASSERT_INIT(colours_in_range, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)

  localparam int unsigned IdxW = $clog2(NumColours);
  typedef logic [NumColours-1:0] colours_t;
  localparam colours_t All = '1;

  // State of the data plane. It belongs to the one clocked block below, which assigns it with
  // blocking assignments: in simulation they cost nothing in cycles in which nothing moves. Each is
  // a register all the same. What other blocks see of it is registered apart, further down; only
  // the status words are read directly.
  // Buffers: head and tail of each colour, whether they hold a wavelet (a tail never without a
  // head), their control bits, and whether the last wavelet held is a fence.
  colours_t hv_q, tv_q, hc_q, tc_q, fence_q;
`ifdef SYNTHESIS
  logic [NumColours-1:0][31:0] head_q, tail_q;
`else
  logic [31:0] head_q [NumColours];
  logic [31:0] tail_q [NumColours];
`endif
  // Configuration: enabled, obeys commands, pop mode, ring; the last position and the current one;
  // torn down; stopped by a misroute; the four positions {input, outputs}.
  colours_t en_q, obey_q, mode0_q, mode1_q, ring_q, last0_q, last1_q, pos0_q, pos1_q, torn_q, mis_q;
  colours_t op0_q, op1_q;  // the command of the fence that is held
  logic [NumColours-1:0][7:0] base_q, alt1_q, alt2_q, alt3_q;
  // Of the current position: the colour's input is this port, it has this output.
  colours_t in_q [NUM_PORTS];
  colours_t out_q [NUM_PORTS];
  colours_t owed_q [NUM_PORTS];    // the head still has to go to this output
  logic [4:0] above_q [NUM_PORTS]; // round robin: the first colour after the last one granted
  logic [4:0] cabove_q [4];        // the same for the credits that a link returns
  colours_t cr0_q [4], cr1_q [4];  // credits in hand towards each neighbour, bit planes
  colours_t ow0_q, ow1_q;          // credits owed to the neighbour at the colour's input
  colours_t home0_q [4], home1_q [4];  // credits that neither the neighbour holds nor we owe it
  link_t link_n_q, link_e_q, link_s_q, link_w_q;
  wavelet_t ej_q;

  // Filters: the colours that have one; a head that a filter or a command looked at and let pass.
  localparam int unsigned NumFilters = 6;
  localparam logic [1:0] FilterSparse = 2'd1;
  localparam logic [1:0] FilterRange = 2'd2;
  typedef struct packed {
    logic       filter_ctrl;  // [10] control wavelets may be dropped
    logic       count_ctrl;   // [9]
    logic       count_data;   // [8]
    logic [1:0] kind;         // [7:6] 0 counter, 1 sparse counter, 2 index range
    logic       enable;       // [5]
    logic [4:0] colour;       // [4:0]
  } filter_t;
  filter_t filter_q [NumFilters];
  logic [15:0] low_q [NumFilters];    // limit1, or the least index
  logic [15:0] high_q [NumFilters];   // max_counter, limit2, or the greatest index
  logic [15:0] count_q [NumFilters];
  colours_t filtered_q, looked_q;

  // What the rest of the router sees of it: outputs that data could use now, copies owed to the
  // ramp, colours with space, and whether something can go on without the ramp or a link.
  logic [3:0] busy_q;
  colours_t ramp_q, space_q;
  logic pending_q, torn_event_q;
  logic overrun_q;  // for an assertion

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

  // The lowest candidate from `above` on, or the lowest of all.
  function automatic colours_t pick(input colours_t cand, input logic [4:0] above);
    colours_t s;
    s = cand & (All << above);
    if (s == '0) s = cand;
`ifdef SYNTHESIS
    begin : ripple
      automatic logic taken;
      taken = 1'b0;
      for (int unsigned c = 0; c < NumColours; c++) begin
        pick[c] = s[c] && !taken;
        taken |= s[c];
      end
    end
`else
    return s & (~s + colours_t'(1));
`endif
  endfunction

  // The list of commands in a control wavelet (docs/fabric.md): slot 0 in bits 4:2, slot 7 in bits
  // 25:23. What is taken out of the front goes to the end.
  function automatic logic [31:0] shifted(input logic [31:0] d);
    return {d[31:26], d[4:2], d[25:5], d[1:0]};
  endfunction

  // ------------------------------------------------------------------------------ control plane --
  localparam int unsigned NumFlows = 10;
  localparam int unsigned RampReq = 4;  // the flows of the tile's own requests and responses
  localparam int unsigned RampRsp = 9;
  // Flows whose packets begin with an X header: inputs east, west and ramp of both networks.
  localparam logic [9:0] StartsWithX = 10'b11010_11010;
  localparam logic [9:0] IsRsp = 10'b11111_00000;
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
  ramp_t req_q;
  logic req_valid_q;
  logic cstuck_q;  // nothing moved in the control plane, and nothing will before an input changes

  assign req_o = req_q;
  assign req_valid_o = req_valid_q;
  assign rsp_ready_o = !ctv_q[RampRsp];
  assign ask_ready_o = !ctv_q[RampReq];

  logic ctl_move;
  assign ctl_move = (!cstuck_q && (chv_q != '0 || (cow0_q | cow1_q) != '0)) ||
                    (req_valid_q && req_ready_i) || (rsp_valid_i && rsp_ready_o) ||
                    (ask_valid_i && ask_ready_o);

  function automatic logic [11:0] less_one(input logic [11:0] n);
    return n - 12'(n != '0);
  endfunction

  logic can_move;
  assign can_move = busy_q != '0 || pending_q || (ramp_q & ej_ready_i) != '0;
  assign idle_o = !ctl_move && !can_move && !ej_q.valid && !inj_i.valid && !cfg_we_i &&
                  !torn_event_q && (link_n_q | link_e_q | link_s_q | link_w_q) == '0;

  // --------------------------------------------------------------------------------- data plane --
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : step
    automatic link_t lin [NUM_PORTS];
    automatic wavelet_t win [NUM_PORTS];   // what arrives
    automatic colours_t at [NUM_PORTS];    // its colour, one-hot; 0: nothing (or control plane)
    automatic colours_t cin [4];           // credits that arrive, one-hot
    automatic wavelet_t wout [NUM_PORTS];
    automatic link_t lout [NUM_PORTS];
    automatic logic any_in, any_credit, torn_now;
    automatic colours_t cfg_one, fenced, reload;
    automatic logic [3:0] ctl_take, ctl_cret;  // links that the control plane uses; its credits

    if (rst_i) begin
      hv_q = '0;
      tv_q = '0;
      hc_q = '0;
      tc_q = '0;
      fence_q = '0;
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
      op0_q = '0;
      op1_q = '0;
      ow0_q = '0;
      ow1_q = '0;
      filtered_q = '0;
      looked_q = '0;
      for (int unsigned c = 0; c < NumColours; c++) base_q[c] = '0;
      for (int unsigned f = 0; f < NumFilters; f++) filter_q[f] = '0;
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        in_q[p] = '0;
        out_q[p] = '0;
        owed_q[p] = '0;
        above_q[p] = '0;
      end
      for (int unsigned p = 0; p < 4; p++) begin
        cabove_q[p] = '0;
        cr0_q[p] = '0;
        cr1_q[p] = '1;
        home0_q[p] = '0;
        home1_q[p] = '0;
      end
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
      req_q <= '0;
      req_valid_q <= 1'b0;
      cstuck_q <= 1'b1;
      busy_q <= '0;
      ramp_q <= '0;
      space_q <= '1;
      pending_q <= 1'b0;
      torn_event_q <= 1'b0;
      overrun_q <= 1'b0;
      link_n_q <= '0;
      link_e_q <= '0;
      link_s_q <= '0;
      link_w_q <= '0;
      ej_q <= '0;
    end else if (!`OW_WORTH((link_n_i | link_e_i | link_s_i | link_w_i) != '0 || inj_i.valid ||
                            can_move || ctl_move || cfg_we_i)) begin
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
        at[p] = win[p].valid ? colours_t'(1) << win[p].colour : '0;
      end
      for (int unsigned p = 0; p < 4; p++) begin
        cin[p] = lin[p].credit.valid ? colours_t'(1) << lin[p].credit.colour : '0;
      end
      any_credit = (cin[0] | cin[1] | cin[2] | cin[3]) != '0;
      any_in = (at[0] | at[1] | at[2] | at[3] | at[4]) != '0;
      if (`OW_WORTH(any_credit)) begin
        for (int unsigned p = 0; p < 4; p++) begin
          cr1_q[p] ^= cr0_q[p] & cin[p];
          cr0_q[p] ^= cin[p];
        end
      end

      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        wout[p] = '0;
        lout[p] = '0;
      end
      ctl_take = '0;
      ctl_cret = '0;

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
              if (k == RampReq) last[k] = {1'b1, ask_i};
              else if (k == RampRsp) last[k] = rsp_i;
              else last[k] = {win[k%5].ctrl, win[k%5].data};
              word[k] = chv_q[k] ? chead_q[k] : last[k];
              near0 = word[k][11:0] == '0;
              far0 = word[k][23:12] == '0;
              go = (word[k][30] && IsRsp[k]) || !far0;
              here[k] = !(word[k][30] && IsRsp[k]) && near0;
              outs[k] = cmask_q[k];
              if ((in_x_q[k] || (in_y_q[k] && !StartsWithX[k])) && word[k][32]) begin
                // A packet of one wavelet: a request, first along X, then along Y.
                outs[k] = '0;
                if (!IsRsp[k]) begin
                  brief[k] = 1'b1;
                  if (in_x_q[k] && !near0) outs[k] = word[k][31] ? 5'b01000 : 5'b00010;
                  else if (!far0) outs[k] = word[k][30] ? 5'b00001 : 5'b00100;
                  else outs[k] = 5'b10000;
                end
              end else if (in_x_q[k]) begin
                outs[k][PORT_E] = go && !word[k][31];
                outs[k][PORT_W] = go && word[k][31];
              end else if (in_y_q[k] && turn_q[k]) begin
                outs[k][PORT_S] = go && !word[k][31] && !word[k][32];
                outs[k][PORT_N] = go && word[k][31] && !word[k][32];
              end
              // Nothing goes back where it came from, nothing turns from Y to X.
              if (k % 5 != RampReq) outs[k][k%5] = 1'b0;
              if (!StartsWithX[k]) begin
                outs[k][PORT_E] = 1'b0;
                outs[k][PORT_W] = 1'b0;
              end
              owed = outs[k] & ~csent_q[k];
              for (int unsigned o = 0; o < NUM_PORTS; o++) want[o][k] = owed[o] && occ[k];
            end
          end
          // One flow for each output.
          for (int unsigned o = 0; o < NUM_PORTS; o++) begin
            if (`OW_WORTH(want[o] != '0)) begin : output_port
              automatic logic [4:0] reqs, rsps, cand, high, one;
              automatic logic rsp, free;
              automatic logic [32:0] w;
              automatic logic is_x, is_y, is_brief;
              reqs = (clock_q[o] == '0) ? want[o][4:0] : want[o][4:0] & clock_q[o];
              rsps = (clock_q[5+o] == '0) ? want[o][9:5] : want[o][9:5] & clock_q[5+o];
              if (o < 4) begin
                if (!(ccr0_q[o[2:0]] || ccr1_q[o[2:0]])) reqs = '0;
                if (!(ccr0_q[3'd4+o[2:0]] || ccr1_q[3'd4+o[2:0]])) rsps = '0;
                free = !busy_q[o[1:0]] || (share0_q[o[1:0]] && share1_q[o[1:0]]);
              end else begin
                free = !req_valid_q || req_ready_i;
              end
              if ((reqs | rsps) != '0) begin
                if (free) begin
                  rsp = rsps != '0 && (reqs == '0 || calt_q[o]);
                  cand = rsp ? rsps : reqs;
                  high = cand & (rsp ? ccabove_q[5+o] : ccabove_q[o]);
                  if (high == '0) high = cand;
                  one = high & (~high + 5'd1);
                  w = '0;
                  is_x = 1'b0;
                  is_y = 1'b0;
                  is_brief = 1'b0;
                  for (int unsigned i = 0; i < NUM_PORTS; i++) begin
                    if (one[i] && !rsp) begin
                      w |= word[i];
                      is_x |= in_x_q[i];
                      is_y |= in_y_q[i];
                      is_brief |= brief[i];
                      copied[i][o] = 1'b1;
                    end
                    if (one[i] && rsp) begin
                      w |= word[5+i];
                      is_x |= in_x_q[5+i];
                      is_y |= in_y_q[5+i];
                      copied[5+i][o] = 1'b1;
                    end
                  end
                  calt_q[o] = !rsp;
                  // A header counts down the hops of the dimension that it moves along. The copy of
                  // a Y header that goes on along X stays as it is.
                  if (o == 32'(PORT_N) || o == 32'(PORT_S)) begin
                    if (is_y || is_brief) w[23:12] = less_one(w[23:12]);
                    if (is_y && !is_brief) w[11:0] = less_one(w[11:0]);
                  end else if (o < 4) begin
                    if (is_x) w[11:0] = less_one(w[11:0]);
                    if (is_x && !is_brief) w[23:12] = less_one(w[23:12]);
                  end
                  if (rsp) begin
                    clock_q[5+o] = w[32] ? '0 : one;
                    ccabove_q[5+o] = ~(one | (one - 5'd1));
                  end else begin
                    clock_q[o] = w[32] ? '0 : one;
                    ccabove_q[o] = ~(one | (one - 5'd1));
                  end
                  if (o < 4) begin
                    ctl_take[o[1:0]] = 1'b1;
                    wout[o] = {1'b1, rsp ? COLOUR_RSP : COLOUR_REQ, w};
                    if (rsp) begin
                      ccr1_q[3'd4+o[2:0]] &= ccr0_q[3'd4+o[2:0]];
                      ccr0_q[3'd4+o[2:0]] = !ccr0_q[3'd4+o[2:0]];
                    end else begin
                      ccr1_q[o[2:0]] &= ccr0_q[o[2:0]];
                      ccr0_q[o[2:0]] = !ccr0_q[o[2:0]];
                    end
                    share0_q[o[1:0]] = 1'b0;
                    share1_q[o[1:0]] = 1'b0;
                  end else begin
                    req_q <= w;
                    asked = 1'b1;
                  end
                  stuck = 1'b0;
                end else if (o < 4) begin
                  share1_q[o[1:0]] ^= share0_q[o[1:0]];
                  share0_q[o[1:0]] = !share0_q[o[1:0]];
                  stuck = 1'b0;
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
                if (in_x_q[k]) turn_q[k] = here[k];
                if (in_y_q[k] && turn_q[k] && here[k] && !IsRsp[k]) cmask_q[k][PORT_R] = 1'b1;
                in_y_q[k] = in_x_q[k];
                in_x_q[k] = 1'b0;
              end
            end
            // A wavelet that comes and leaves at once was never here.
            if (pop[k] && ctv_q[k]) chead_q[k] = ctail_q[k];
            if (came[k] && (chv_q[k] || !pop[k])) begin
              if (chv_q[k] && !(pop[k] && !ctv_q[k])) ctail_q[k] = last[k];
              else chead_q[k] = last[k];
            end
          end
          if (pop != '0) stuck = 1'b0;
          begin : levels
            automatic flows_t stored, to_tail;
            stored = came & (chv_q | ~pop);
            to_tail = stored & chv_q & ~(pop & ~ctv_q);
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
          automatic logic [3:0] rsps;
          rsps = due[7:4] & (~due[3:0] | cralt_q);
          ctl_cret = due[7:4] | due[3:0];
          cret = {rsps, ctl_cret & ~rsps};
          cralt_q = (cralt_q & ~ctl_cret) | (ctl_cret & ~rsps);
          for (int unsigned p = 0; p < 4; p++) begin
            if (ctl_cret[p]) lout[p].credit = {1'b1, rsps[p] ? COLOUR_RSP : COLOUR_REQ};
          end
          up = freed & ~cret;
          dn = cret & ~freed;
          cow1_q ^= (up & cow0_q) | (dn & ~cow0_q);
          cow0_q ^= up | dn;
          if (due != '0) stuck = 1'b0;
        end
        cstuck_q <= stuck;
      end
      fenced = '0;

      if (`OW_WORTH(any_in || can_move || (any_credit && hv_q != '0))) begin : work
        automatic colours_t arrived, ctrl_in, fence_in, run, fresh, ctrl, fences, left, done;
        automatic colours_t popped, push, to_head, to_tail, more, up, dn;
        automatic colours_t rest [NUM_PORTS];
        automatic colours_t grant [NUM_PORTS];
`ifdef SYNTHESIS
        automatic logic [NUM_PORTS-1:0] fresh_at;
`endif

        // Arrivals: only at the input of the route, or, without a route, all at one port.
        arrived = '0;
        ctrl_in = '0;
        fence_in = '0;
        if (`OW_WORTH(any_in)) begin
          for (int unsigned p = 0; p < NUM_PORTS; p++) begin
            if (`OW_WORTH(at[p] != '0)) begin : arrival
              automatic logic fence;
              automatic colours_t claim, wrong;
              fence = win[p].ctrl && win[p].data[25:2] != '0;
              claim = at[p] & ~(in_q[p] | en_q | hv_q | arrived);
              wrong = at[p] & ~(in_q[p] | claim);
              at[p] &= ~wrong;
              arrived |= at[p];
              if (`OW_WORTH((claim | wrong) != '0)) begin
                for (int unsigned j = 0; j < NUM_PORTS; j++) begin
                  in_q[j] = (in_q[j] & ~claim) | (j == p ? claim : '0);
                end
                mis_q |= wrong;
                if (p < 4) begin
                  home1_q[p[1:0]] = fence ? home1_q[p[1:0]] | wrong
                                          : home1_q[p[1:0]] ^ (home0_q[p[1:0]] & wrong);
                  home0_q[p[1:0]] ^= fence ? '0 : wrong;
                end
              end
              if (`OW_WORTH(win[p].ctrl)) begin
                ctrl_in |= at[p] & {NumColours{win[p].ctrl}};
                if (`OW_WORTH(fence)) begin
                  fence_in |= at[p] & {NumColours{fence}};
                  op1_q = (op1_q & ~at[p]) | (at[p] & {NumColours{win[p].data[3]}});
                  op0_q = (op0_q & ~at[p]) | (at[p] & {NumColours{win[p].data[2]}});
                end
              end
            end
          end
        end
        run = en_q & ~torn_q & ~mis_q;
        fresh = arrived & ~hv_q & run;
`ifdef SYNTHESIS
        for (int unsigned i = 0; i < NUM_PORTS; i++) fresh_at[i] = (at[i] & fresh) != '0;
`endif
        ctrl = (hv_q & hc_q) | (fresh & ctrl_in);
        fences = (hv_q & ~tv_q & fence_q) | (fresh & fence_in);

        // Outputs.
        left = '0;
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin : output_port
          automatic colours_t cand, look;
          rest[p] = owed_q[p] | (fresh & out_q[p]);
          grant[p] = '0;
          if (`OW_WORTH(rest[p] != '0)) begin
            look = '0;
            if (p < 4) begin
              cand = rest[p] & (cr1_q[p[1:0]] | (cr0_q[p[1:0]] & ~fences)) & ~mis_q;
              if (ctl_take[p[1:0]]) cand = '0;
            end else begin
              // What a filter or a command may keep from the ramp is looked at, whether the ramp
              // has room or not.
              look = rest[p] & (filtered_q | (obey_q & ctrl)) & ~looked_q;
              cand = ((rest[p] & ej_ready_i) | look) & ~mis_q;
            end
            if (`OW_WORTH(cand != '0)) begin : send
              automatic colours_t one;
              automatic logic [4:0] idx;
              automatic logic [31:0] data;
              automatic logic is_ctrl, away;
              one = pick(cand, above_q[p]);
              idx = index(one);
              grant[p] = one;
              away = cand != '0;
              if (away) above_q[p] = idx + 5'd1;
`ifdef SYNTHESIS
              data = '0;
              for (int unsigned c = 0; c < NumColours; c++) begin
                data |= (one[c] && !fresh[c]) ? head_q[c] : '0;
              end
              for (int unsigned i = 0; i < NUM_PORTS; i++) begin
                data |= (fresh_at[i] && win[i].colour == idx) ? win[i].data : '0;
              end
`else
              data = head_q[idx[IdxW-1:0]];
              if ((one & fresh) != '0) begin
                for (int unsigned i = 0; i < NUM_PORTS; i++) begin
                  if ((at[i] & one) != '0) data = win[i].data;
                end
              end
`endif
              is_ctrl = (one & ctrl) != '0;
              if (p == 32'(PORT_R) && (one & look) != '0) begin : inspect
                automatic logic drop;
                drop = is_ctrl && (one & obey_q) != '0 && data[4];
                if ((one & filtered_q) != '0) begin : filter
                  automatic filter_t how;
                  automatic logic [15:0] low, high, count, value;
                  automatic logic hit, beyond, counts, may;
                  how = '0;
                  low = '0;
                  high = '0;
                  count = '0;
                  for (int unsigned f = 0; f < NumFilters; f++) begin
                    if (filter_q[f].enable && filter_q[f].colour == idx) begin
                      how |= filter_q[f];
                      low |= low_q[f];
                      high |= high_q[f];
                      count |= count_q[f];
                    end
                  end
                  value = (how.kind == FilterRange) ? data[31:16] : count;
                  hit = value == low;
                  beyond = value > high;
                  may = !is_ctrl || how.filter_ctrl;
                  counts = is_ctrl ? how.count_ctrl : how.count_data;
                  case (how.kind)
                    FilterRange: if (!is_ctrl && (value < low || beyond)) drop = 1'b1;
                    FilterSparse: if (may && !hit) drop = 1'b1;
                    default: if (may && beyond) drop = 1'b1;
                  endcase
                  // Each wavelet is looked at, and counted, once.
                  if (counts && how.kind != FilterRange) begin
                    count = hit ? 16'd0 : count + 16'd1;
                    for (int unsigned f = 0; f < NumFilters; f++) begin
                      if (filter_q[f].enable && filter_q[f].colour == idx) begin
                        count_q[f] = count;
                        if (how.kind == FilterSparse && hit) low_q[f] = high;
                      end
                    end
                  end
                end
                looked_q |= one;
                if (!drop && (one & ej_ready_i) == '0) grant[p] = '0;
                if (drop || (one & ej_ready_i) == '0) away = 1'b0;
              end
              // A command that this router takes out of the list.
              if (is_ctrl && (one & obey_q & (mode0_q | mode1_q)) != '0) begin : take_out
                automatic logic moves, adv;
                adv = data[3:2] == 2'd1;
                moves = (one & ((pos0_q ^ last0_q) | (pos1_q ^ last1_q) |
                                (ring_q & (last0_q | last1_q)))) != '0;
                if ((one & mode1_q) == '0 || (adv && moves) ||
                    ((one & mode0_q) != '0 && data[3:2] == 2'd0)) data = shifted(data);
              end
              // An output that the control plane has taken has no candidate here.
              if (away) wout[p] |= {1'b1, idx, is_ctrl, data};
              rest[p] &= ~grant[p];
            end
          end
          left |= rest[p];
        end

        // Heads that leave, buffers, and the copies that the next heads owe.
        done = ((hv_q & run) | fresh) & ~left;
        popped = done & hv_q;
        push = arrived & ~(done & fresh);
        more = popped & (tv_q | push);
        fenced = done & fences;
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin
          owed_q[p] = rest[p] | (more & out_q[p]);
        end
        looked_q &= ~done;
        if (`OW_WORTH((push | popped) != '0)) begin : buffers
          automatic colours_t shift;
          shift = popped & tv_q;
          to_head = push & (~hv_q | (popped & ~tv_q));
          to_tail = push & ~to_head;
          overrun_q <= (to_tail & tv_q & ~popped) != '0;
`ifdef SYNTHESIS
          for (int unsigned c = 0; c < NumColours; c++) begin : store
            automatic logic [31:0] data;
            data = '0;
            for (int unsigned p = 0; p < NUM_PORTS; p++) data |= at[p][c] ? win[p].data : '0;
            if (shift[c] || to_head[c]) begin
              head_q[c] = (shift[c] ? tail_q[c] : '0) | (to_head[c] ? data : '0);
            end
            if (to_tail[c]) tail_q[c] = data;
          end
`else
          if (shift != '0) begin
            for (int unsigned c = 0; c < NumColours; c++) if (shift[c]) head_q[c] = tail_q[c];
          end
          if (push != '0) begin
            for (int unsigned p = 0; p < NUM_PORTS; p++) begin
              if ((at[p] & to_head) != '0) head_q[win[p].colour[IdxW-1:0]] = win[p].data;
              if ((at[p] & to_tail) != '0) tail_q[win[p].colour[IdxW-1:0]] = win[p].data;
            end
          end
`endif
          hc_q = (hc_q & ~(shift | to_head)) | (shift & tc_q) | (to_head & ctrl_in);
          tc_q = (tc_q & ~to_tail) | (to_tail & ctrl_in);
          fence_q = (fence_q & ~push) | (push & fence_in);
          hv_q = (hv_q & ~popped) | shift | to_head;
          tv_q = (tv_q & ~popped) | to_tail;
        end

        // Credits: slots that are free again go back to the colour's input, one a cycle and link.
        // A fence brings back none here: `reload` below answers it.
        up = done & ~fenced;
        if (`OW_WORTH((up | ow0_q | ow1_q) != '0)) begin : returns
          automatic colours_t ret;
          ret = up & in_q[PORT_R];
          for (int unsigned p = 0; p < 4; p++) begin : link_port
            automatic colours_t cand, one;
            automatic logic [4:0] idx;
            cand = (up | ow0_q | ow1_q) & in_q[p];
            if (ctl_cret[p]) cand = '0;
            if (`OW_WORTH(cand != '0)) begin
              one = pick(cand, cabove_q[p]);
              idx = index(one);
              if (cand != '0) cabove_q[p] = idx + 5'd1;
              lout[p].credit |= {cand != '0, idx};
              ret |= one;
            end
          end
          dn = ret & ~up;
          up = up & ~ret;
          ow1_q ^= (up & ow0_q) | (dn & ~ow0_q);
          ow0_q ^= up | dn;
        end
        for (int unsigned p = 0; p < 4; p++) begin
          if (`OW_WORTH(grant[p] != '0)) begin
            dn = grant[p] & ~fences;
            cr1_q[p] &= ~grant[p];
            cr0_q[p] ^= dn;
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

      // Registers that are written, and fences that have left: commands, credits for the input
      // that is selected now.
      cfg_one = '0;
      if (cfg_we_i && cfg_addr_i[9:6] == '0) cfg_one = colours_t'(1) << cfg_addr_i[4:0];
      reload = cfg_one | fenced;
      torn_now = 1'b0;
      if (`OW_WORTH(reload != '0)) begin : reloads
        for (int unsigned c = 0; c < NumColours; c++) begin
          if (reload[c]) begin : colour
            automatic logic [1:0] pos, home;
            automatic logic [7:0] way;
            automatic logic wrong;
            // Credits owed to the input as it was are kept for it.
            home = {ow1_q[c], ow0_q[c]};
            ow1_q[c] = 1'b0;
            ow0_q[c] = 1'b0;
            for (int unsigned p = 0; p < 4; p++) begin
              if (in_q[p][c]) begin
                home1_q[p][c] |= fenced[c] || home[1] || (home0_q[p][c] && home[0]);
                home0_q[p][c] = !fenced[c] && (home0_q[p][c] ^ home[0]);
              end
            end
            if (fenced[c] && obey_q[c]) begin
              case ({op1_q[c], op0_q[c]})
                2'd1: begin
                  if ({last1_q[c], last0_q[c]} != {pos1_q[c], pos0_q[c]})
                    {pos1_q[c], pos0_q[c]} += 2'd1;
                  else if (ring_q[c]) {pos1_q[c], pos0_q[c]} = 2'd0;
                end
                2'd2: {pos1_q[c], pos0_q[c]} = 2'd0;
                2'd3: begin
                  torn_q[c] = 1'b1;
                  torn_now = 1'b1;
                end
                default: ;
              endcase
            end
            if (cfg_one[c] && !cfg_addr_i[5]) begin
              base_q[c] = cfg_wdata_i[7:0];
              en_q[c] = cfg_wdata_i[8];
              obey_q[c] = cfg_wdata_i[9];
              {mode1_q[c], mode0_q[c]} = cfg_wdata_i[11:10];
              ring_q[c] = cfg_wdata_i[12];
              mis_q[c] = 1'b0;
              if (cfg_wdata_i[21]) begin
                for (int unsigned p = 0; p < 4; p++) begin
                  {cr1_q[p][c], cr0_q[p][c]} = cfg_wdata_i[13+p] ? 2'd0 : 2'd2;
                  {home1_q[p][c], home0_q[p][c]} = cfg_wdata_i[17+p] ? 2'd2 : 2'd0;
                end
              end
            end
            if (cfg_one[c] && cfg_addr_i[5]) begin
              {alt3_q[c], alt2_q[c], alt1_q[c]} = cfg_wdata_i[23:0];
              {last1_q[c], last0_q[c]} = cfg_wdata_i[25:24];
              {pos1_q[c], pos0_q[c]} = cfg_wdata_i[30:29];
              torn_q[c] = cfg_wdata_i[31];
            end
            pos = {pos1_q[c], pos0_q[c]};
            way = pos[1] ? (pos[0] ? alt3_q[c] : alt2_q[c]) : (pos[0] ? alt1_q[c] : base_q[c]);
            // Wavelets that wait must have come in where the new route says.
            wrong = 1'b0;
            for (int unsigned p = 0; p < NUM_PORTS; p++) begin
              if (hv_q[c] && in_q[p][c] && way[7:5] != 3'(p)) wrong = en_q[c];
              in_q[p][c] = way[7:5] == 3'(p);
              out_q[p][c] = way[p];
              owed_q[p][c] = hv_q[c] && en_q[c] && !torn_q[c] && way[p];
            end
            if (wrong) mis_q[c] = 1'b1;
            looked_q[c] = 1'b0;
            if (en_q[c] && !torn_q[c]) begin
              for (int unsigned p = 0; p < 4; p++) begin
                if (in_q[p][c]) begin
                  {ow1_q[c], ow0_q[c]} = {home1_q[p][c], home0_q[p][c]};
                  {home1_q[p][c], home0_q[p][c]} = 2'd0;
                end
              end
            end
          end
        end
      end
      torn_event_q <= torn_now;

      if (cfg_we_i && cfg_addr_i[9:6] == 4'h8) begin : filters
        filtered_q = '0;
        for (int unsigned f = 0; f < NumFilters; f++) begin
          if (cfg_addr_i[5:2] == 4'(f)) begin
            case (cfg_addr_i[1:0])
              2'd0: filter_q[f] = cfg_wdata_i[10:0];
              2'd1: {high_q[f], low_q[f]} = cfg_wdata_i;
              2'd2: count_q[f] = cfg_wdata_i[15:0];
              default: ;
            endcase
          end
          if (filter_q[f].enable) filtered_q |= colours_t'(1) << filter_q[f].colour;
        end
      end

      if (`OW_WORTH(any_in || can_move || any_credit || cfg_we_i)) begin : shown
        automatic colours_t held, look;
        held = hv_q & ~tv_q & fence_q;
        look = owed_q[PORT_R] & (filtered_q | (obey_q & hv_q & hc_q)) & ~looked_q & ~mis_q;
        for (int unsigned p = 0; p < 4; p++) begin
          busy_q[p] <= (owed_q[p] & (cr1_q[p] | (cr0_q[p] & ~held)) & ~mis_q) != '0;
        end
        ramp_q <= owed_q[PORT_R] & ~mis_q & ~look;
        space_q <= ~(tv_q | (hv_q & fence_q) | torn_q | ((last0_q | last1_q) & ~in_q[PORT_R]));
        pending_q <= (hv_q & en_q & ~torn_q & ~mis_q &
                      ~(owed_q[PORT_N] | owed_q[PORT_E] | owed_q[PORT_S] | owed_q[PORT_W] |
                        owed_q[PORT_R])) != '0 || (ow0_q | ow1_q | look) != '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---------------------------------------------------------------------------- reading it back --
  // Four bits a colour, eight colours a word.
  function automatic logic [31:0] credit_word(input colours_t c1, input colours_t c0,
                                              input logic [1:0] part);
    logic [7:0] r1, r0;
    logic [31:0] w;
    r1 = 8'(32'(c1) >> {part, 3'b0});
    r0 = 8'(32'(c0) >> {part, 3'b0});
    for (int unsigned i = 0; i < 8; i++) w[4*i+:4] = {2'b0, r1[i], r0[i]};
    return w;
  endfunction

  always_comb begin : read_back
    automatic logic [IdxW-1:0] c;
    stat_o = '0;
    c = stat_addr_i[IdxW-1:0];
    case (stat_addr_i[9:6])
      4'h0: begin
        if (stat_addr_i[4:0] < 5'(NumColours)) begin
          if (stat_addr_i[5]) begin
            stat_o = {torn_q[c], pos1_q[c], pos0_q[c], 3'b0, last1_q[c], last0_q[c], 24'b0};
          end else begin
            stat_o = {19'b0, ring_q[c], mode1_q[c], mode0_q[c], obey_q[c], en_q[c], base_q[c]};
          end
        end
      end
      4'h7: begin
        case (stat_addr_i[5:2])
          4'd0: begin
            case (stat_addr_i[1:0])
              2'd0: stat_o = 32'(hv_q);
              2'd1: stat_o = 32'(mis_q);
              2'd2: stat_o = 32'(chv_q);
              default: stat_o = 32'(torn_q);
            endcase
          end
          4'd1: stat_o = credit_word(cr1_q[0], cr0_q[0], stat_addr_i[1:0]);
          4'd2: stat_o = credit_word(cr1_q[1], cr0_q[1], stat_addr_i[1:0]);
          4'd3: stat_o = credit_word(cr1_q[2], cr0_q[2], stat_addr_i[1:0]);
          4'd4: stat_o = credit_word(cr1_q[3], cr0_q[3], stat_addr_i[1:0]);
          default: ;
        endcase
      end
      4'h8: begin
        for (int unsigned f = 0; f < NumFilters; f++) begin
          if (stat_addr_i[5:2] == 4'(f)) begin
            if (stat_addr_i[1:0] == 2'd0) stat_o = {21'b0, filter_q[f]};
            if (stat_addr_i[1:0] == 2'd2) stat_o = {16'b0, count_q[f]};
          end
        end
      end
      default: ;
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
  // Three credits mean that a neighbour returned one too many; an arrival at a full buffer, that it
  // sent without one.
  `OW_ASSERT(tail_behind_head, (tv_q & ~hv_q) == '0, "a tail without a head")
  `OW_ASSERT(owing_in_range, (ow1_q & ow0_q) == '0, "owed credits out of range")
  `OW_ASSERT(inject_with_space, !inj_i.valid || ((colours_t'(1) << inj_i.colour) & inj_space_o)
             != '0, "the ramp injected without space")
  `OW_ASSERT(control_colour_inject, !inj_i.valid || inj_i.colour < COLOUR_REQ,
             "the ramp injected on a control colour")
  `OW_ASSERT(owed_is_held, (ramp_q & ~hv_q) == '0, "a copy is owed of nothing")
  `OW_ASSERT(no_overrun, !overrun_q, "a colour's buffer overran")
  for (genvar p = 0; p < 4; p++) begin : gen_check
    colours_t c1, c0, h1, h0;
    assign c1 = cr1_q[p];
    assign c0 = cr0_q[p];
    assign h1 = home1_q[p];
    assign h0 = home0_q[p];
    `OW_ASSERT(credit_in_range, (c1 & c0) == '0, "credits of a data colour out of range")
    `OW_ASSERT(home_in_range, (h1 & h0) == '0, "kept credits of a data colour out of range")
  end

endmodule

`undef OW_WORTH
