// SPDX-License-Identifier: Apache-2.0
// The router of a tile: five ports (north, east, south, west, ramp), NumColours data colours with
// up to four switch positions each, six filters in front of the ramp, and the control plane
// (ow_router_ctl). docs/fabric.md is the specification.
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
//   req_*, rsp_*  control plane: requests for the tile, its responses; valid/ready
//   cfg_*         write of a ROUTE, SWITCH or FILTER register (docs/memory-map.md), by the word
//                 offset in the tile's registers
//   stat_*        the word at that offset: ROUTE, SWITCH, FILTER or RT_*
//   torn_o        a colour was torn down in the cycle before
//   idle_o        no state can change before one of link_*_i, inj_i, ej_ready_i, req_ready_i,
//                 rsp_valid_i or cfg_we_i does

`include "ow_assert.svh"

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
    return s & (~s + colours_t'(1));
  endfunction

  // The list of commands in a control wavelet (docs/fabric.md): slot 0 in bits 4:2, slot 7 in bits
  // 25:23. What is taken out of the front goes to the end.
  function automatic logic [31:0] shifted(input logic [31:0] d);
    return {d[31:26], d[4:2], d[25:5], d[1:0]};
  endfunction

  // ------------------------------------------------------------------------------ control plane --
  logic [3:0] ctl_take, ctl_cret, ctl_cret_rsp;
  wavelet_t ctl_n, ctl_e, ctl_s, ctl_w;
  logic [9:0] ctl_occ;
  logic ctl_idle;

  ow_router_ctl u_ctl (
    .clk_i,
    .rst_i,
    .link_n_i,
    .link_e_i,
    .link_s_i,
    .link_w_i,
    .data_busy_i (busy_q),
    .take_o      (ctl_take),
    .word_n_o    (ctl_n),
    .word_e_o    (ctl_e),
    .word_s_o    (ctl_s),
    .word_w_o    (ctl_w),
    .cret_valid_o(ctl_cret),
    .cret_rsp_o  (ctl_cret_rsp),
    .req_o,
    .req_valid_o,
    .req_ready_i,
    .rsp_i,
    .rsp_valid_i,
    .rsp_ready_o,
    .occupied_o  (ctl_occ),
    .idle_o      (ctl_idle)
  );

  logic can_move;
  assign can_move = busy_q != '0 || pending_q || (ramp_q & ej_ready_i) != '0;
  assign idle_o = ctl_idle && !can_move && !ej_q.valid && !inj_i.valid && !cfg_we_i &&
                  !torn_event_q && (link_n_q | link_e_q | link_s_q | link_w_q) == '0;

  // --------------------------------------------------------------------------------- data plane --
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : step
    automatic wavelet_t win [NUM_PORTS];   // what arrives
    automatic colours_t at [NUM_PORTS];    // its colour, one-hot; 0: nothing (or control plane)
    automatic colours_t cin [NUM_PORTS];   // credits that arrive, one-hot
    automatic wavelet_t wout [NUM_PORTS];
    automatic link_t lout [NUM_PORTS];
    automatic logic any_in, any_credit, torn_now;
    automatic colours_t cfg_one, fenced, reload;

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
    end else if ((link_n_i | link_e_i | link_s_i | link_w_i) == '0 && !inj_i.valid && !can_move &&
                 ctl_take == '0 && ctl_cret == '0 && !cfg_we_i) begin
      link_n_q <= '0;
      link_e_q <= '0;
      link_s_q <= '0;
      link_w_q <= '0;
      ej_q <= '0;
      torn_event_q <= 1'b0;
    end else begin
      win[PORT_N] = link_n_i.wavelet;
      win[PORT_E] = link_e_i.wavelet;
      win[PORT_S] = link_s_i.wavelet;
      win[PORT_W] = link_w_i.wavelet;
      win[PORT_R] = inj_i;
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        at[p] = win[p].valid ? colours_t'(1) << win[p].colour : '0;
      end
      cin[PORT_N] = link_n_i.credit.valid ? colours_t'(1) << link_n_i.credit.colour : '0;
      cin[PORT_E] = link_e_i.credit.valid ? colours_t'(1) << link_e_i.credit.colour : '0;
      cin[PORT_S] = link_s_i.credit.valid ? colours_t'(1) << link_s_i.credit.colour : '0;
      cin[PORT_W] = link_w_i.credit.valid ? colours_t'(1) << link_w_i.credit.colour : '0;
      any_credit = (cin[0] | cin[1] | cin[2] | cin[3]) != '0;
      any_in = (at[0] | at[1] | at[2] | at[3] | at[4]) != '0;
      if (any_credit) begin
        for (int unsigned p = 0; p < 4; p++) begin
          cr1_q[p] ^= cr0_q[p] & cin[p];
          cr0_q[p] ^= cin[p];
        end
      end

      wout[PORT_N] = ctl_n;
      wout[PORT_E] = ctl_e;
      wout[PORT_S] = ctl_s;
      wout[PORT_W] = ctl_w;
      wout[PORT_R] = '0;
      for (int unsigned p = 0; p < 4; p++) begin
        lout[p].credit = ctl_cret[p] ? {1'b1, ctl_cret_rsp[p] ? COLOUR_RSP : COLOUR_REQ} : '0;
      end
      fenced = '0;

      if (any_in || can_move || (any_credit && hv_q != '0)) begin : work
        automatic colours_t arrived, ctrl_in, fence_in, run, fresh, ctrl, fences, left, done;
        automatic colours_t popped, push, to_head, to_tail, more, up, dn;
        automatic colours_t rest [NUM_PORTS];
        automatic colours_t grant [NUM_PORTS];

        // Arrivals: only at the input of the route, or, without a route, all at one port.
        arrived = '0;
        ctrl_in = '0;
        fence_in = '0;
        if (any_in) begin
          for (int unsigned p = 0; p < NUM_PORTS; p++) begin
            if (at[p] != '0) begin : arrival
              automatic logic fence;
              fence = win[p].ctrl && win[p].data[25:2] != '0;
              if ((at[p] & in_q[p]) != '0) begin
                arrived |= at[p];
              end else if ((at[p] & (en_q | hv_q | arrived)) == '0) begin
                for (int unsigned j = 0; j < NUM_PORTS; j++) begin
                  in_q[j] = (j == p) ? in_q[j] | at[p] : in_q[j] & ~at[p];
                end
                arrived |= at[p];
              end else begin
                mis_q |= at[p];
                if (p < 4) begin
                  if (fence) begin
                    home1_q[p[1:0]] |= at[p];
                  end else begin
                    home1_q[p[1:0]] ^= home0_q[p[1:0]] & at[p];
                    home0_q[p[1:0]] ^= at[p];
                  end
                end
                at[p] = '0;
              end
              if (win[p].ctrl) begin
                ctrl_in |= at[p];
                if (fence) begin
                  fence_in |= at[p];
                  op1_q = (op1_q & ~at[p]) | (win[p].data[3] ? at[p] : '0);
                  op0_q = (op0_q & ~at[p]) | (win[p].data[2] ? at[p] : '0);
                end
              end
            end
          end
        end
        run = en_q & ~torn_q & ~mis_q;
        fresh = arrived & ~hv_q & run;
        ctrl = (hv_q & hc_q) | (fresh & ctrl_in);
        fences = (hv_q & ~tv_q & fence_q) | (fresh & fence_in);

        // Outputs.
        left = '0;
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin : output_port
          automatic colours_t cand, look;
          rest[p] = owed_q[p] | (fresh & out_q[p]);
          grant[p] = '0;
          if (rest[p] != '0) begin
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
            if (cand != '0) begin : send
              automatic colours_t one;
              automatic logic [4:0] idx;
              automatic logic [31:0] data;
              one = pick(cand, above_q[p]);
              idx = index(one);
              grant[p] = one;
              above_q[p] = idx + 5'd1;
`ifdef SYNTHESIS
              data = '0;
              for (int unsigned c = 0; c < NumColours; c++) begin
                data |= (one[c] && !fresh[c]) ? head_q[c] : '0;
              end
              for (int unsigned i = 0; i < NUM_PORTS; i++) begin
                data |= ((at[i] & one & fresh) != '0) ? win[i].data : '0;
              end
`else
              data = head_q[idx[IdxW-1:0]];
              if ((one & fresh) != '0) begin
                for (int unsigned i = 0; i < NUM_PORTS; i++) begin
                  if ((at[i] & one) != '0) data = win[i].data;
                end
              end
`endif
              wout[p].valid = 1'b1;
              wout[p].colour = idx;
              wout[p].ctrl = (one & ctrl) != '0;
              if (p == 32'(PORT_R) && (one & look) != '0) begin : inspect
                automatic logic drop;
                drop = wout[p].ctrl && (one & obey_q) != '0 && data[4];
                if ((one & filtered_q) != '0) begin
                  for (int unsigned f = 0; f < NumFilters; f++) begin
                    if (filter_q[f].enable && filter_q[f].colour == idx) begin : filter
                      automatic logic hit, counts, may;
                      may = !wout[p].ctrl || filter_q[f].filter_ctrl;
                      counts = wout[p].ctrl ? filter_q[f].count_ctrl : filter_q[f].count_data;
                      if (filter_q[f].kind == FilterRange) begin
                        if (!wout[p].ctrl && (data[31:16] < low_q[f] || data[31:16] > high_q[f]))
                          drop = 1'b1;
                      end else begin
                        hit = count_q[f] == low_q[f];
                        if (filter_q[f].kind == FilterSparse) begin
                          if (may && !hit) drop = 1'b1;
                          if (counts && hit) low_q[f] = high_q[f];
                        end else if (may && count_q[f] > high_q[f]) begin
                          drop = 1'b1;
                        end
                        // Each wavelet is looked at, and counted, once.
                        if (counts) count_q[f] = hit ? 16'd0 : count_q[f] + 16'd1;
                      end
                    end
                  end
                end
                looked_q |= one;
                if (drop) wout[p] = '0;
                else if ((one & ej_ready_i) == '0) begin
                  wout[p] = '0;
                  grant[p] = '0;
                end
              end
              // A command that this router takes out of the list.
              if (wout[p].ctrl && (one & obey_q & (mode0_q | mode1_q)) != '0) begin : take_out
                automatic logic moves, adv;
                adv = data[3:2] == 2'd1;
                moves = (one & ((pos0_q ^ last0_q) | (pos1_q ^ last1_q) |
                                (ring_q & (last0_q | last1_q)))) != '0;
                if ((one & mode1_q) == '0 || (adv && moves) ||
                    ((one & mode0_q) != '0 && data[3:2] == 2'd0)) data = shifted(data);
              end
              if (wout[p].valid) wout[p].data = data;
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
        if ((push | popped) != '0) begin : buffers
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
        if ((up | ow0_q | ow1_q) != '0) begin : returns
          automatic colours_t ret;
          ret = up & in_q[PORT_R];
          for (int unsigned p = 0; p < 4; p++) begin : link_port
            automatic colours_t cand, one;
            automatic logic [4:0] idx;
            cand = (up | ow0_q | ow1_q) & in_q[p];
            if (cand != '0 && !ctl_cret[p]) begin
              one = pick(cand, cabove_q[p]);
              idx = index(one);
              cabove_q[p] = idx + 5'd1;
              lout[p].credit = {1'b1, idx};
              ret |= one;
            end
          end
          dn = ret & ~up;
          up = up & ~ret;
          ow1_q ^= (up & ow0_q) | (dn & ~ow0_q);
          ow0_q ^= up | dn;
        end
        for (int unsigned p = 0; p < 4; p++) begin
          if (grant[p] != '0) begin
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
      if (reload != '0) begin : reloads
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
              if (in_q[p][c]) {home1_q[p][c], home0_q[p][c]} += fenced[c] ? 2'd2 : home;
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

      if (any_in || can_move || any_credit || cfg_we_i) begin : shown
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
              2'd2: stat_o = 32'(ctl_occ);
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
