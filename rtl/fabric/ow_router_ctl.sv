// SPDX-License-Identifier: Apache-2.0
// The control plane of a router: requests (colour 24) and responses (colour 25), worm-hole
// switched, first along the row, then along the column (docs/fabric.md has headers and rules).
//
// Structure: ten flows, k = 5 * network + input port (network 0 requests, 1 responses; there is no
// request from the ramp), each with a buffer of 4 wavelets. The head of a flow owes a copy to each
// output of its packet; `sent` remembers the copies that are away, and the head leaves when none is
// owed. An output that has taken the first wavelet of a packet stays with it (`lock`) to the tail.
// What a head means follows from the input: packets on an east or west link or from the ramp begin
// with an X header, packets on a north or south link with a Y header.
//
// Latency: 2 cycles a hop (a wavelet is always stored first). Throughput: 1 wavelet a cycle along a
// path: the credit loop is 4 cycles long and there are 4 credits.
// Share: when the data plane wants an output too, one slot in four is ours (a count of the slots
// that were waited for); requests and responses take turns when both want an output.
// Errors: a packet that ends early (tail in a header) or that has no way on is swallowed to its
// tail; a response addressed to a tile is swallowed there.
//
// Everything that leaves by a combinational path depends on registers (and req_ready_i) alone; link
// inputs are read in the clocked block only, so that no logic hangs on the ports of a tile.
//
//   link_*_i       the four links in
//   data_busy_i    data could use the output in this cycle (from registers), N E S W
//   take_o         the control plane uses the output in this cycle; word_*_o is what it sends
//   cret_valid_o   a credit goes back on the link in this cycle, for responses if cret_rsp_o
//   req_*          requests for the tile, valid/ready, from a register
//   rsp_*          responses of the tile, valid/ready
//   occupied_o     the flows that hold wavelets
//   idle_o         nothing can change before an input does

`include "ow_assert.svh"

module ow_router_ctl
  import ow_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_i,
  input  link_t      link_n_i,
  input  link_t      link_e_i,
  input  link_t      link_s_i,
  input  link_t      link_w_i,
  input  logic [3:0] data_busy_i,
  output logic [3:0] take_o,
  output wavelet_t   word_n_o,
  output wavelet_t   word_e_o,
  output wavelet_t   word_s_o,
  output wavelet_t   word_w_o,
  output logic [3:0] cret_valid_o,
  output logic [3:0] cret_rsp_o,
  output ramp_t      req_o,
  output logic       req_valid_o,
  input  logic       req_ready_i,
  input  ramp_t      rsp_i,
  input  logic       rsp_valid_i,
  output logic       rsp_ready_o,
  output logic [9:0] occupied_o,
  output logic       idle_o
);

  localparam int unsigned NumFlows = 10;
  localparam int unsigned RampRsp = 9;  // the flow of the tile's own responses
  // Flows whose packets begin with an X header: inputs east, west and ramp of both networks.
  localparam logic [9:0] StartsWithX = 10'b11010_11010;
  localparam logic [9:0] IsRsp = 10'b11111_00000;

  // Per flow, one bit a flow: the count of stored wavelets (three bit planes), the read pointer
  // (two), what the head is, and whether the packet turns into the column here.
  logic [9:0] cnt0_q, cnt1_q, cnt2_q, rp0_q, rp1_q;
  logic [9:0] in_x_q, in_y_q, turn_q;
  logic [9:0][4:0] mask_q;  // outputs that the packet holds or will take
  logic [9:0][4:0] sent_q;  // copies of the head that are away
  logic [32:0] mem_q [NumFlows*4];
  // Per network and output (index 5 * network + output): the input that holds the output (one-hot,
  // 0: free) and the inputs above the last one granted.
  logic [9:0][4:0] lock_q, above_q;
  logic [4:0] alt_q;        // per output: responses are next when both want it
  logic [3:0] share0_q, share1_q;  // per output: slots waited for, two bit planes
  // Per network and link (index 4 * network + port): credits of the neighbour, and credits owed to
  // it, bit planes; per port: responses are next when both are owed.
  logic [7:0] cr0_q, cr1_q, cr2_q, ow0_q, ow1_q, ow2_q;
  logic [3:0] calt_q;
  ramp_t req_q;
  logic req_valid_q;

  logic [9:0] occ;
  logic [7:0] cr_any, owing;
  assign occ = cnt0_q | cnt1_q | cnt2_q;
  assign cr_any = cr0_q | cr1_q | cr2_q;
  assign owing = ow0_q | ow1_q | ow2_q;

  function automatic logic [31:0] next_header(input logic [31:0] h);
    return {h[31:24], h[23:12] - 12'(h[23:12] != '0), h[11:0] - 12'(h[11:0] != '0)};
  endfunction

  function automatic logic [2:0] index5(input logic [4:0] onehot);
    return {(onehot & 5'h10) != '0, (onehot & 5'h0C) != '0, (onehot & 5'h0A) != '0};
  endfunction

  logic [9:0] pop, tail, here;
  logic [9:0][4:0] outs, copied;
  logic [4:0] grant, grant_rsp, grant_tail;
  logic [4:0][4:0] grant_in;
  logic [3:0] waiting;
  logic [32:0] ramp_word;

  always_comb begin : arbitrate
    pop = '0;
    tail = '0;
    here = '0;
    outs = '0;
    copied = '0;
    grant = '0;
    grant_rsp = '0;
    grant_tail = '0;
    grant_in = '0;
    waiting = '0;
    ramp_word = '0;
    word_n_o = '0;
    word_e_o = '0;
    word_s_o = '0;
    word_w_o = '0;
    if (occ != '0) begin : busy
      automatic logic [32:0] head [NumFlows];
      automatic logic [4:0][9:0] want;
      want = '0;
      // What each head is and where it still has to go.
      for (int unsigned k = 0; k < NumFlows; k++) begin
        head[k] = '0;
        if (occ[k]) begin : flow
          automatic logic [4:0] owed;
          automatic logic go;
          head[k] = mem_q[{4'(k), rp1_q[k], rp0_q[k]}];
          tail[k] = head[k][32];
          go = (head[k][30] && IsRsp[k]) || head[k][23:12] != '0;
          here[k] = !(head[k][30] && IsRsp[k]) && head[k][11:0] == '0;
          outs[k] = mask_q[k];
          if (in_x_q[k]) begin
            outs[k][PORT_E] = go && !head[k][31];
            outs[k][PORT_W] = go && head[k][31];
          end else if (in_y_q[k] && turn_q[k]) begin
            outs[k][PORT_S] = go && !head[k][31];
            outs[k][PORT_N] = go && head[k][31];
          end
          owed = outs[k] & ~sent_q[k];
          for (int unsigned o = 0; o < NUM_PORTS; o++) want[o][k] = owed[o];
        end
      end
      // One flow for each output.
      for (int unsigned o = 0; o < NUM_PORTS; o++) begin
        if (want[o] != '0) begin : output_port
          automatic logic [4:0] reqs, rsps, cand, high, one;
          automatic logic rsp, free;
          automatic logic [3:0] k;
          automatic logic [32:0] w;
          reqs = (lock_q[o] == '0) ? want[o][4:0] : want[o][4:0] & lock_q[o];
          rsps = (lock_q[5+o] == '0) ? want[o][9:5] : want[o][9:5] & lock_q[5+o];
          if (o < 4) begin
            if (!cr_any[o[2:0]]) reqs = '0;
            if (!cr_any[3'd4+o[2:0]]) rsps = '0;
            free = !data_busy_i[o[1:0]] || (share0_q[o[1:0]] && share1_q[o[1:0]]);
          end else begin
            free = !req_valid_q || req_ready_i;
          end
          if ((reqs | rsps) != '0) begin
            if (free) begin
              rsp = rsps != '0 && (reqs == '0 || alt_q[o]);
              cand = rsp ? rsps : reqs;
              high = cand & (rsp ? above_q[5+o] : above_q[o]);
              if (high == '0) high = cand;
              one = high & (~high + 5'd1);
              k = (rsp ? 4'd5 : 4'd0) + 4'(index5(one));
              w = head[k];
              grant[o] = 1'b1;
              grant_rsp[o] = rsp;
              grant_in[o] = one;
              grant_tail[o] = w[32];
              copied[k][o] = 1'b1;
              // A header that goes on along its own dimension counts down; in the X phase nothing
              // else is sent, in the Y phase the trunk keeps the Y header as it is.
              if (in_x_q[k] || (in_y_q[k] && (o == 32'(PORT_N) || o == 32'(PORT_S)))) begin
                w[31:0] = next_header(w[31:0]);
              end
              case (o)
                32'(PORT_N): word_n_o = {1'b1, rsp ? COLOUR_RSP : COLOUR_REQ, w};
                32'(PORT_E): word_e_o = {1'b1, rsp ? COLOUR_RSP : COLOUR_REQ, w};
                32'(PORT_S): word_s_o = {1'b1, rsp ? COLOUR_RSP : COLOUR_REQ, w};
                32'(PORT_W): word_w_o = {1'b1, rsp ? COLOUR_RSP : COLOUR_REQ, w};
                default: ramp_word = w;
              endcase
            end else if (o < 4) begin
              waiting[o[1:0]] = 1'b1;
            end
          end
        end
      end
      for (int unsigned k = 0; k < NumFlows; k++) begin
        pop[k] = occ[k] && (outs[k] & ~sent_q[k] & ~copied[k]) == '0;
      end
    end
  end

  // Credits: at once for a slot that is freed now, else one that is owed.
  logic [7:0] freed, cret;
  assign freed = {pop[8:5], pop[3:0]};
  always_comb begin
    cret_valid_o = '0;
    cret_rsp_o = '0;
    cret = '0;
    if ((freed | owing) != '0) begin
      cret_rsp_o = (freed[7:4] | owing[7:4]) & (~(freed[3:0] | owing[3:0]) | calt_q);
      cret_valid_o = freed[7:4] | owing[7:4] | freed[3:0] | owing[3:0];
      cret = {cret_rsp_o, cret_valid_o & ~cret_rsp_o};
    end
  end

  assign take_o = grant[3:0];
  assign req_o = req_q;
  assign req_valid_o = req_valid_q;
  assign rsp_ready_o = !cnt2_q[RampRsp];
  assign occupied_o = occ;
  assign idle_o = (grant | 5'(waiting)) == '0 && pop == '0 && owing == '0 &&
                  !(req_valid_q && req_ready_i) && !(rsp_valid_i && rsp_ready_o);

  always_ff @(posedge clk_i) begin : step
    automatic logic [9:0] push;
    automatic logic [7:0] cr_in, cr_use;
    automatic wavelet_t in [NUM_PORTS];
    if (rst_i) begin
      cnt0_q <= '0;
      cnt1_q <= '0;
      cnt2_q <= '0;
      rp0_q <= '0;
      rp1_q <= '0;
      in_x_q <= StartsWithX;
      in_y_q <= ~StartsWithX;
      turn_q <= ~StartsWithX;
      mask_q <= '0;
      sent_q <= '0;
      lock_q <= '0;
      above_q <= '0;
      alt_q <= '0;
      share0_q <= '0;
      share1_q <= '0;
      cr0_q <= '0;
      cr1_q <= '0;
      cr2_q <= '1;
      ow0_q <= '0;
      ow1_q <= '0;
      ow2_q <= '0;
      calt_q <= '0;
      req_q <= '0;
      req_valid_q <= 1'b0;
    end else if ((link_n_i | link_e_i | link_s_i | link_w_i) != '0 || rsp_valid_i || occ != '0 ||
                 owing != '0 || req_valid_q) begin
      // What arrives. A wavelet is stored behind the ones that its flow holds.
      push = '0;
      in[PORT_N] = link_n_i.wavelet;
      in[PORT_E] = link_e_i.wavelet;
      in[PORT_S] = link_s_i.wavelet;
      in[PORT_W] = link_w_i.wavelet;
      in[PORT_R] = {rsp_valid_i && rsp_ready_o, COLOUR_RSP, rsp_i};
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        if (in[p].valid && in[p].colour[4:1] == COLOUR_REQ[4:1]) begin : store
          automatic logic [3:0] k;
          automatic logic [1:0] wp;
          k = in[p].colour[0] ? 4'(p + 5) : 4'(p);
          wp = {rp1_q[k], rp0_q[k]} + {cnt1_q[k], cnt0_q[k]};
          push[k] = 1'b1;
          mem_q[{k, wp}] <= {in[p].ctrl, in[p].data};
        end
      end
      if ((push | pop) != '0) begin : counts
        automatic logic [9:0] up, dn;
        up = push & ~pop;
        dn = pop & ~push;
        cnt0_q <= cnt0_q ^ (up | dn);
        cnt1_q <= cnt1_q ^ ((up & cnt0_q) | (dn & ~cnt0_q));
        cnt2_q <= cnt2_q ^ ((up & cnt0_q & cnt1_q) | (dn & ~cnt0_q & ~cnt1_q));
        rp0_q <= rp0_q ^ pop;
        rp1_q <= rp1_q ^ (pop & rp0_q);
      end

      // What moves.
      if (occ != '0) begin
        for (int unsigned k = 0; k < NumFlows; k++) begin
          if (pop[k]) begin
            sent_q[k] <= '0;
            if (tail[k]) begin
              in_x_q[k] <= StartsWithX[k];
              in_y_q[k] <= !StartsWithX[k];
              turn_q[k] <= !StartsWithX[k];
              mask_q[k] <= '0;
            end else begin
              in_x_q[k] <= 1'b0;
              in_y_q[k] <= in_x_q[k];
              mask_q[k] <= outs[k];
              if (in_x_q[k]) turn_q[k] <= here[k];
              if (in_y_q[k] && turn_q[k] && here[k] && !IsRsp[k]) mask_q[k][PORT_R] <= 1'b1;
            end
          end else if (occ[k]) begin
            sent_q[k] <= sent_q[k] | copied[k];
          end
        end
        for (int unsigned o = 0; o < NUM_PORTS; o++) begin
          if (grant[o]) begin
            alt_q[o] <= !grant_rsp[o];
            if (grant_rsp[o]) begin
              lock_q[5+o] <= grant_tail[o] ? '0 : grant_in[o];
              above_q[5+o] <= ~(grant_in[o] | (grant_in[o] - 5'd1));
            end else begin
              lock_q[o] <= grant_tail[o] ? '0 : grant_in[o];
              above_q[o] <= ~(grant_in[o] | (grant_in[o] - 5'd1));
            end
          end
        end
        share0_q <= (share0_q ^ waiting) & ~grant[3:0];
        share1_q <= (share1_q ^ (waiting & share0_q)) & ~grant[3:0];
      end
      if (grant[PORT_R]) begin
        req_q <= ramp_word;
        req_valid_q <= 1'b1;
      end else if (req_ready_i) begin
        req_valid_q <= 1'b0;
      end

      // Credits.
      cr_in = '0;
      if (link_n_i.credit.valid && link_n_i.credit.colour[4:1] == COLOUR_REQ[4:1]) begin
        if (link_n_i.credit.colour[0]) cr_in[4] = 1'b1;
        else cr_in[0] = 1'b1;
      end
      if (link_e_i.credit.valid && link_e_i.credit.colour[4:1] == COLOUR_REQ[4:1]) begin
        if (link_e_i.credit.colour[0]) cr_in[5] = 1'b1;
        else cr_in[1] = 1'b1;
      end
      if (link_s_i.credit.valid && link_s_i.credit.colour[4:1] == COLOUR_REQ[4:1]) begin
        if (link_s_i.credit.colour[0]) cr_in[6] = 1'b1;
        else cr_in[2] = 1'b1;
      end
      if (link_w_i.credit.valid && link_w_i.credit.colour[4:1] == COLOUR_REQ[4:1]) begin
        if (link_w_i.credit.colour[0]) cr_in[7] = 1'b1;
        else cr_in[3] = 1'b1;
      end
      cr_use = {grant[3:0] & grant_rsp[3:0], grant[3:0] & ~grant_rsp[3:0]};
      if ((cr_in | cr_use) != '0) begin : credits
        automatic logic [7:0] up, dn;
        up = cr_in & ~cr_use;
        dn = cr_use & ~cr_in;
        cr0_q <= cr0_q ^ (up | dn);
        cr1_q <= cr1_q ^ ((up & cr0_q) | (dn & ~cr0_q));
        cr2_q <= cr2_q ^ ((up & cr0_q & cr1_q) | (dn & ~cr0_q & ~cr1_q));
      end
      if (cret != '0) begin : returns
        automatic logic [7:0] up, dn;
        up = freed & ~cret;
        dn = cret & ~freed;
        ow0_q <= ow0_q ^ (up | dn);
        ow1_q <= ow1_q ^ ((up & ow0_q) | (dn & ~ow0_q));
        ow2_q <= ow2_q ^ ((up & ow0_q & ow1_q) | (dn & ~ow0_q & ~ow1_q));
        calt_q <= (calt_q & ~cret_valid_o) | (cret_valid_o & ~cret_rsp_o);
      end
    end
  end

  `OW_ASSERT(buffer_in_range, (cnt2_q & (cnt1_q | cnt0_q)) == '0, "a control buffer overran")
  `OW_ASSERT(credit_in_range, (cr2_q & (cr1_q | cr0_q)) == '0, "control credits out of range")
  `OW_ASSERT(owed_in_range, (ow2_q & (ow1_q | ow0_q)) == '0, "owed control credits out of range")
  `OW_ASSERT(no_request_from_ramp, !occ[4], "a request came in at the ramp")
  `OW_ASSERT(one_phase, (in_x_q & in_y_q) == '0, "a head is an X and a Y header at once")
  `OW_ASSERT(req_stable, !$past(req_valid_q && !req_ready_i) || $past(rst_i) ||
             (req_valid_q && req_q == $past(req_q)), "a request changed before it was taken")
  for (genvar o = 0; o < 10; o++) begin : gen_check
    `OW_ASSERT(lock_onehot, $onehot0(lock_q[o]), "two packets hold one output")
  end

endmodule
