// SPDX-License-Identifier: Apache-2.0
// The router of a tile: five ports (north, east, south, west, ramp), NumColours data colours on
// static routes, and the control plane (ow_router_ctl). docs/fabric.md is the specification.
//
// Data: one buffer of 4 wavelets a colour (a colour has one input port). What arrives at an empty
// buffer takes part in the arbitration of the outputs in the same cycle; the head of a colour goes
// to each output of its route as soon as that output takes it (`owed` holds the copies to be sent),
// and leaves when none is owed. Each output grants one colour a cycle, round robin.
// Latency: a wavelet that is on a link input in cycle t is in the output register in cycle t + 1.
// Throughput: 1 wavelet a cycle and port, also of a single colour; credit loop 3 cycles.
// Errors: a wavelet of an enabled colour at another port than the route's input is dropped, and the
// colour stops and is shown in RT_MISROUTE until its route is written. Wavelets of a colour without
// a route wait; they are taken from one port, which the route then has to name. A route with no
// output discards what arrives. Colours from NumColours to 23 do not exist: dropped.
// Routes: written at any time, in effect in the next cycle; the colour should be quiet (nothing
// buffered, no credit on its way back), else the wavelets that it holds follow the new route and
// the copies already sent are sent again.
//
// Per-colour state is kept as vectors of one bit a colour (counts as bit planes), and the wavelets
// in one indexed memory: work for all colours at once, and none when nothing is there. Link inputs
// are read inside the clocked block only: no combinational logic hangs on the ports of a tile.
//
//   NumColours    data colours, 2 to 24
//   link_*_i/_o   the four links; outputs are registers, 0 when nothing is sent
//   inj_*         wavelets from the ramp: inj_i may be valid only for a colour whose bit of
//                 inj_space_o (a register) is high in the same cycle
//   ej_*          wavelets to the ramp: ej_o is a register; ej_ready_i (a bit a colour) says that
//                 the ramp can take one more besides the one in ej_o; ej_owed_o (a register): colours
//                 whose head still has to go to the ramp
//   req_*, rsp_*  control plane: requests for the tile, its responses; valid/ready
//   cfg_*         write of one route; all routes for reading back
//   stat_*        RT_* words (docs/memory-map.md): stat_addr_i is the word offset, stat_o the word
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
  input  logic [4:0]              cfg_colour_i,
  input  route_t                  cfg_route_i,
  output route_t [NumColours-1:0] cfg_route_o,
  input  logic [5:0]              stat_addr_i,
  output logic [31:0]             stat_o,
  output logic                    idle_o
);

  `OW_ASSERT_INIT(colours_in_range, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)

  localparam int unsigned IdxW = $clog2(NumColours);
  typedef logic [NumColours-1:0] colours_t;

  // State of the data plane. It belongs to the one clocked block below, which assigns it with
  // blocking assignments: in simulation they cost nothing in cycles in which nothing moves. Each is
  // a register all the same. What other blocks see of it is registered apart, further down; only
  // the status words and the routes, for reading back, are read directly.
  // Per colour: wavelets buffered (bit planes) and read pointer (bit planes); route enabled;
  // stopped by a misroute.
  colours_t cnt0_q, cnt1_q, cnt2_q, rp0_q, rp1_q, en_q, mis_q;
  colours_t in_q [NUM_PORTS];     // the colour's input is this port
  colours_t out_q [NUM_PORTS];    // the colour's route has this output
  colours_t owed_q [NUM_PORTS];   // the head still has to go to this output
  colours_t above_q [NUM_PORTS];  // round robin: colours above the last one granted
  colours_t cabove_q [4];         // the same for the credits that a link returns
  colours_t cr0_q [4], cr1_q [4], cr2_q [4];  // credits left towards each neighbour, bit planes
  colours_t ow0_q, ow1_q, ow2_q;  // credits owed to the neighbour at the colour's input
  logic [32:0] mem_q [NumColours*4];
  link_t link_n_q, link_e_q, link_s_q, link_w_q;
  wavelet_t ej_q;
  route_t [NumColours-1:0] route_q;  // as written, for reading back

  // What the rest of the router sees of it: outputs that data could use now, copies owed to the
  // ramp, colours with space, and whether a head has nowhere left to go or credits are owed.
  logic [3:0] busy_q;
  colours_t ramp_q, space_q;
  logic pending_q;

  assign link_n_o = link_n_q;
  assign link_e_o = link_e_q;
  assign link_s_o = link_s_q;
  assign link_w_o = link_w_q;
  assign ej_o = ej_q;
  assign ej_owed_o = ramp_q;
  assign inj_space_o = space_q;

  function automatic logic [4:0] index(input colours_t onehot);
    logic [23:0] v;
    v = 24'(onehot);
    return {(v & 24'hFF0000) != '0, (v & 24'h00FF00) != '0, (v & 24'hF0F0F0) != '0,
            (v & 24'hCCCCCC) != '0, (v & 24'hAAAAAA) != '0};
  endfunction

  // The lowest candidate above the last grant, or the lowest of all.
  function automatic colours_t pick(input colours_t cand, input colours_t above);
    colours_t s;
    s = cand & above;
    if (s == '0) s = cand;
    return s & (~s + colours_t'(1));
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
                  (link_n_q | link_e_q | link_s_q | link_w_q) == '0;

  // --------------------------------------------------------------------------------- data plane --
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : step
    automatic wavelet_t win [NUM_PORTS];   // what arrives
    automatic colours_t at [NUM_PORTS];    // its colour, one-hot; 0: nothing (or control plane)
    automatic colours_t cin [NUM_PORTS];   // credits that arrive, one-hot
    automatic wavelet_t wout [NUM_PORTS];
    automatic link_t lout [NUM_PORTS];
    automatic logic any_in, any_credit;
    automatic colours_t occ, owing;

    if (rst_i) begin
      cnt0_q = '0;
      cnt1_q = '0;
      cnt2_q = '0;
      rp0_q = '0;
      rp1_q = '0;
      en_q = '0;
      mis_q = '0;
      route_q = '0;
      ow0_q = '0;
      ow1_q = '0;
      ow2_q = '0;
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        in_q[p] = '0;
        out_q[p] = '0;
        owed_q[p] = '0;
        above_q[p] = '0;
      end
      for (int unsigned p = 0; p < 4; p++) begin
        cabove_q[p] = '0;
        cr0_q[p] = '0;
        cr1_q[p] = '0;
        cr2_q[p] = '1;
      end
      busy_q <= '0;
      ramp_q <= '0;
      space_q <= '1;
      pending_q <= 1'b0;
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

      wout[PORT_N] = ctl_n;
      wout[PORT_E] = ctl_e;
      wout[PORT_S] = ctl_s;
      wout[PORT_W] = ctl_w;
      wout[PORT_R] = '0;
      for (int unsigned p = 0; p < 4; p++) begin
        lout[p].credit = ctl_cret[p] ? {1'b1, ctl_cret_rsp[p] ? COLOUR_RSP : COLOUR_REQ} : '0;
      end

      if (any_in || can_move) begin : work
        automatic colours_t arrived, fresh, left, done, popped, passed, push, more, ret;
        automatic colours_t rest [NUM_PORTS];
        automatic colours_t grant [NUM_PORTS];

        occ = cnt0_q | cnt1_q | cnt2_q;
        owing = ow0_q | ow1_q | ow2_q;

        // Arrivals: only at the input of the route, or, without a route, all at one port.
        arrived = '0;
        if (any_in) begin
          for (int unsigned p = 0; p < NUM_PORTS; p++) begin
            if (at[p] != '0) begin
              if ((at[p] & in_q[p]) != '0) begin
                arrived |= at[p];
              end else if ((at[p] & (en_q | occ | arrived)) == '0) begin
                for (int unsigned j = 0; j < NUM_PORTS; j++) begin
                  in_q[j][win[p].colour[IdxW-1:0]] = j == p;
                end
                arrived |= at[p];
              end else begin
                mis_q[win[p].colour[IdxW-1:0]] = 1'b1;
                at[p] = '0;
              end
            end
          end
        end
        fresh = arrived & ~occ & en_q & ~mis_q;

        // Outputs.
        left = '0;
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin : output_port
          automatic colours_t cand;
          rest[p] = owed_q[p] | (fresh & out_q[p]);
          grant[p] = '0;
          if (rest[p] != '0) begin
            if (p < 4) begin
              cand = rest[p] & (cr0_q[p[1:0]] | cr1_q[p[1:0]] | cr2_q[p[1:0]]) & ~mis_q;
              if (ctl_take[p[1:0]]) cand = '0;
            end else begin
              cand = rest[p] & ej_ready_i & ~mis_q;
            end
            if (cand != '0) begin : send
              automatic colours_t one;
              automatic logic [4:0] idx;
              one = pick(cand, above_q[p]);
              idx = index(one);
              grant[p] = one;
              above_q[p] = ~(one | (one - colours_t'(1)));
              wout[p].valid = 1'b1;
              wout[p].colour = idx;
              if ((one & fresh) != '0) begin
                for (int unsigned i = 0; i < NUM_PORTS; i++) begin
                  if ((at[i] & one) != '0) begin
                    {wout[p].ctrl, wout[p].data} = {win[i].ctrl, win[i].data};
                  end
                end
              end else begin
                {wout[p].ctrl, wout[p].data} =
                    mem_q[{idx[IdxW-1:0], (rp1_q & one) != '0, (rp0_q & one) != '0}];
              end
              rest[p] &= ~one;
            end
          end
          left |= rest[p];
        end

        // Heads that leave, buffers, and the copies that the next heads owe.
        done = ((occ & en_q) | fresh) & ~left & ~mis_q;
        popped = done & occ;
        passed = done & fresh;
        push = arrived & ~passed;
        more = popped & (cnt1_q | cnt2_q | push);
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin
          owed_q[p] = rest[p] | (more & out_q[p]);
        end
        if ((push | popped) != '0) begin : counts
          automatic colours_t up, dn;
          for (int unsigned p = 0; p < NUM_PORTS; p++) begin
            if ((at[p] & push) != '0) begin : store
              automatic logic [1:0] wp;
              wp = {(rp1_q & at[p]) != '0, (rp0_q & at[p]) != '0}
                   + {(cnt1_q & at[p]) != '0, (cnt0_q & at[p]) != '0};
              mem_q[{win[p].colour[IdxW-1:0], wp}] <= {win[p].ctrl, win[p].data};
            end
          end
          up = push & ~popped;
          dn = popped & ~push;
          cnt2_q = cnt2_q ^ ((up & cnt0_q & cnt1_q) | (dn & ~cnt0_q & ~cnt1_q));
          cnt1_q = cnt1_q ^ ((up & cnt0_q) | (dn & ~cnt0_q));
          cnt0_q = cnt0_q ^ (up | dn);
          rp1_q = rp1_q ^ (popped & rp0_q);
          rp0_q = rp0_q ^ popped;
        end

        // Credits: slots that are free again go back to the colour's input, one a cycle and link.
        if ((done | owing) != '0) begin : returns
          automatic colours_t up, dn;
          ret = done & in_q[PORT_R];
          for (int unsigned p = 0; p < 4; p++) begin : link_port
            automatic colours_t cand, one;
            cand = (done | owing) & in_q[p];
            if (cand != '0 && !ctl_cret[p]) begin
              one = pick(cand, cabove_q[p]);
              cabove_q[p] = ~(one | (one - colours_t'(1)));
              lout[p].credit = {1'b1, index(one)};
              ret |= one;
            end
          end
          up = done & ~ret;
          dn = ret & ~done;
          ow2_q = ow2_q ^ ((up & ow0_q & ow1_q) | (dn & ~ow0_q & ~ow1_q));
          ow1_q = ow1_q ^ ((up & ow0_q) | (dn & ~ow0_q));
          ow0_q = ow0_q ^ (up | dn);
        end
        for (int unsigned p = 0; p < 4; p++) begin
          cin[p] ^= grant[p];  // both at once: no change
          if (cin[p] != '0) begin : credits
            automatic colours_t up, dn;
            up = cin[p] & ~grant[p];
            dn = cin[p] & grant[p];
            cr2_q[p] = cr2_q[p] ^ ((up & cr0_q[p] & cr1_q[p]) | (dn & ~cr0_q[p] & ~cr1_q[p]));
            cr1_q[p] = cr1_q[p] ^ ((up & cr0_q[p]) | (dn & ~cr0_q[p]));
            cr0_q[p] = cr0_q[p] ^ (up | dn);
          end
        end
      end else begin
        for (int unsigned p = 0; p < 4; p++) begin
          if (cin[p] != '0) begin
            cr2_q[p] = cr2_q[p] ^ (cin[p] & cr0_q[p] & cr1_q[p]);
            cr1_q[p] = cr1_q[p] ^ (cin[p] & cr0_q[p]);
            cr0_q[p] = cr0_q[p] ^ cin[p];
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

      // A new route. Wavelets that wait must have come in where it says.
      if (cfg_we_i && (colours_t'(1) << cfg_colour_i) != '0) begin : configure
        automatic logic [IdxW-1:0] idx;
        automatic logic held, wrong;
        idx = cfg_colour_i[IdxW-1:0];
        held = cnt0_q[idx] || cnt1_q[idx] || cnt2_q[idx];
        wrong = 1'b0;
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin
          if (held && in_q[p][idx] && cfg_route_i.in_port != 3'(p)) wrong = cfg_route_i.enable;
          in_q[p][idx] = cfg_route_i.in_port == 3'(p);
          out_q[p][idx] = cfg_route_i.out_mask[p];
          owed_q[p][idx] = held && cfg_route_i.enable && cfg_route_i.out_mask[p];
        end
        route_q[idx] = cfg_route_i;
        en_q[idx] = cfg_route_i.enable;
        mis_q[idx] = wrong;
      end

      if (any_in || can_move || any_credit || cfg_we_i) begin
        for (int unsigned p = 0; p < 4; p++) begin
          busy_q[p] <= (owed_q[p] & (cr0_q[p] | cr1_q[p] | cr2_q[p]) & ~mis_q) != '0;
        end
        ramp_q <= owed_q[PORT_R] & ~mis_q;
        space_q <= ~cnt2_q;
        pending_q <= ((cnt0_q | cnt1_q | cnt2_q) & en_q & ~mis_q &
                      ~(owed_q[PORT_N] | owed_q[PORT_E] | owed_q[PORT_S] | owed_q[PORT_W] |
                        owed_q[PORT_R])) != '0 || (ow0_q | ow1_q | ow2_q) != '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // --------------------------------------------------------------------------- reading it back --
  colours_t occ_now;
  assign occ_now = cnt0_q | cnt1_q | cnt2_q;
  assign cfg_route_o = route_q;

  // Four bits a colour, eight colours a word.
  function automatic logic [31:0] credit_word(input colours_t c2, input colours_t c1,
                                              input colours_t c0, input logic [1:0] part);
    logic [7:0] r2, r1, r0;
    logic [31:0] w;
    r2 = 8'(32'(c2) >> {part, 3'b0});
    r1 = 8'(32'(c1) >> {part, 3'b0});
    r0 = 8'(32'(c0) >> {part, 3'b0});
    for (int unsigned i = 0; i < 8; i++) w[4*i+:4] = {1'b0, r2[i], r1[i], r0[i]};
    return w;
  endfunction

  always_comb begin
    stat_o = '0;
    if (stat_addr_i == 6'd0) begin
      stat_o = 32'(occ_now);
    end else if (stat_addr_i == 6'd1) begin
      stat_o = 32'(mis_q);
    end else if (stat_addr_i == 6'd2) begin
      stat_o = 32'(ctl_occ);
    end else begin
      case (stat_addr_i[5:2])
        4'd1: stat_o = credit_word(cr2_q[0], cr1_q[0], cr0_q[0], stat_addr_i[1:0]);
        4'd2: stat_o = credit_word(cr2_q[1], cr1_q[1], cr0_q[1], stat_addr_i[1:0]);
        4'd3: stat_o = credit_word(cr2_q[2], cr1_q[2], cr0_q[2], stat_addr_i[1:0]);
        4'd4: stat_o = credit_word(cr2_q[3], cr1_q[3], cr0_q[3], stat_addr_i[1:0]);
        default: stat_o = '0;
      endcase
    end
  end

  // Counts of 5 and more mean that a neighbour sent without a credit, or returned one too many, or
  // that a count fell below 0.
  `OW_ASSERT(buffer_in_range, (cnt2_q & (cnt1_q | cnt0_q)) == '0, "a colour's buffer overran")
  `OW_ASSERT(owing_in_range, (ow2_q & (ow1_q | ow0_q)) == '0, "owed credits out of range")
  `OW_ASSERT(inject_with_space, !inj_i.valid || ((colours_t'(1) << inj_i.colour) & inj_space_o)
             != '0, "the ramp injected without space")
  `OW_ASSERT(control_colour_inject, !inj_i.valid || inj_i.colour < COLOUR_REQ,
             "the ramp injected on a control colour")
  `OW_ASSERT(owed_is_held, (ramp_q & ~occ_now) == '0, "a copy is owed of nothing")
  for (genvar p = 0; p < 4; p++) begin : gen_check
    colours_t c2, c1, c0;
    assign c2 = cr2_q[p];
    assign c1 = cr1_q[p];
    assign c0 = cr0_q[p];
    `OW_ASSERT(credit_in_range, (c2 & (c1 | c0)) == '0, "credits of a data colour out of range")
  end

endmodule
