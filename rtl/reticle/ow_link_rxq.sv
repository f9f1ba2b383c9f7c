// SPDX-License-Identifier: Apache-2.0
// The tile's side of a link's receiver: a buffer of Depth wavelets a colour, the credits of the
// router beyond it, and the credits that go back over the link.
//
// What a blocked colour has sent must lie somewhere, and it learns that it is blocked only a round
// trip later: so each colour has a round trip's worth of entries of its own, and no colour can ever
// take one from another (docs/links.md).
// Colours are served round robin, the control plane's two at least once in four when they wait; a
// wavelet may leave in the cycle in which it arrives, and a credit of the router may be spent in
// the cycle in which it comes. A command wavelet waits until the router has returned all credits
// of its colour. The router's credits beyond those that it can owe this link (they come when a
// switch turns to this port) are passed on to the router at the far end as grants.
// Latency 1 (tile_o is a register), throughput 1 wavelet a cycle. Errors: an overrun is reported
// by an assertion.
//
//   NumColours      data colours, 2 to 24
//   Depth           entries a colour, a power of 2, at least the credit round trip of the link
//   word_i          what arrives, 0 if nothing
//   credit_i        credit from the router; tile_o is the wavelet to it
//   ask_i           credits for the far end are wanted now; many_i: up to 8 of a colour, and grants
//                   may be among them; else a single one
//   credits_o       those credits, 0 if there are none (always those that would be given)
//   busy_o          something is held, or credits wait to go back

`include "ow_assert.svh"

module ow_link_rxq
  import ow_pkg::*;
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = 24,
  parameter int unsigned Depth = 16
) (
  input  logic     clk_i,
  input  logic     rst_i,
  input  word_t    word_i,
  output wavelet_t tile_o,
  input  credit_t  credit_i,
  input  logic     ask_i,
  input  logic     many_i,
  output credits_t credits_o,
  output logic     busy_o
);

  `OW_ASSERT_INIT(colours_in_range, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)
  `OW_ASSERT_INIT(depth_power_of_2, Depth >= 2 && 2 ** $clog2(Depth) == Depth)

  localparam int unsigned N = NumColours + 2;
  localparam int unsigned PtrW = $clog2(Depth);
  localparam int unsigned CountW = PtrW + 1;
  localparam int unsigned IdxW = $clog2(N);
  typedef logic [N-1:0] colours_t;
  typedef logic [IdxW-1:0] idx_t;
  localparam colours_t Control = colours_t'(3) << NumColours;

  function automatic idx_t to_index(input logic [4:0] colour);
    return colour >= COLOUR_REQ ? idx_t'(NumColours) + idx_t'(colour[0]) : idx_t'(colour);
  endfunction
  function automatic logic [4:0] to_colour(input idx_t i);
    return i >= idx_t'(NumColours) ? COLOUR_REQ + (5'(i) - 5'(NumColours)) : 5'(i);
  endfunction
  function automatic colours_t pick(input colours_t cand, input colours_t above);
    colours_t s;
    s = cand & above;
    if (s == '0) s = cand;
    return s & (~s + colours_t'(1));
  endfunction
  function automatic logic [2:0] all_credits(input idx_t i);
    return i >= idx_t'(NumColours) ? 3'(CTL_CREDITS) : 3'(LINK_CREDITS);
  endfunction

  logic [32:0] mem_q [N*Depth];
  logic [CountW-1:0] count_q [N];
  logic [PtrW-1:0] read_q [N];
  logic [2:0] router_q [N];        // credits of the router
  logic [CountW-1:0] back_q [N];   // entries freed and not yet reported to the far end
  logic [3:0] grants_q [N];        // credits of the router to pass on
  colours_t held_q, can_q, full_q, wait_q, owed_q, granted_q;
  colours_t above_q, back_above_q;
  logic ctl_above_q;
  logic [1:0] share_q;
  wavelet_t tile_q;

  assign tile_o = tile_q;
  assign busy_o = held_q != '0 || owed_q != '0 || granted_q != '0 || tile_q.valid;

  // ------------------------------------------------------------------------------- to the tile --
  logic arrives, pop, bypass, command, credit, surplus;
  idx_t in_idx, idx, credit_idx;
  colours_t cand, one, credit_one;
  logic [32:0] word;
  always_comb begin
    arrives = word_i.colour != '0;
    in_idx = to_index(word_i.colour - 5'd1);
    credit = credit_i.valid &&
             (credit_i.colour >= COLOUR_REQ || credit_i.colour < 5'(NumColours));
    credit_idx = to_index(credit_i.colour);
    credit_one = credit ? colours_t'(1) << credit_idx : '0;
    cand = held_q;
    if (arrives) cand |= colours_t'(1) << in_idx;
    cand &= (can_q | credit_one) & ~wait_q;
    one = '0;
    idx = '0;
    bypass = 1'b0;
    word = '0;
    command = 1'b0;
    pop = cand != '0;
    if (pop) begin
      if ((cand & Control) != '0 && (share_q == '1 || (cand & ~Control) == '0)) begin
        one = cand & Control;
        if (one == Control) one = colours_t'(1) << (ctl_above_q ? NumColours + 1 : NumColours);
      end else begin
        one = pick(cand & ~Control, above_q);
      end
      idx = idx_t'(index32(32'(one)));
      bypass = (one & held_q) == '0;
      word = bypass ? {word_i.ctrl, word_i.data} : mem_q[32'(idx) * Depth + 32'(read_q[idx])];
      command = word[32] && word[25:2] != '0 && (one & Control) == '0;
    end
  end

  logic [PtrW-1:0] write_at;
  assign write_at = read_q[in_idx] + PtrW'(count_q[in_idx]);
  logic go;  // a command wavelet goes only with all credits of its colour at hand
  assign go = pop && (!command || (one & full_q) != '0 ||
                      ((one & credit_one) != '0 && router_q[idx] == all_credits(idx) - 3'd1));
  // A command wavelet leaves the count as it was: what the router returns for it is surplus.
  logic spend;
  assign spend = go && !command;
  assign surplus = credit && (full_q & credit_one) != '0 && !(spend && idx == credit_idx);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned i = 0; i < N; i++) begin
        count_q[i] <= '0;
        read_q[i] <= '0;
        router_q[i] <= all_credits(idx_t'(i));
      end
      held_q <= '0;
      can_q <= '1;
      full_q <= '1;
      wait_q <= '0;
      above_q <= '0;
      ctl_above_q <= 1'b0;
      share_q <= '0;
      tile_q <= '0;
    end else begin
      tile_q <= '0;
      if (arrives && !(go && bypass)) begin
        mem_q[32'(in_idx) * Depth + 32'(write_at)] <= {word_i.ctrl, word_i.data};
        held_q[in_idx] <= 1'b1;
        if (!(go && idx == in_idx)) count_q[in_idx] <= count_q[in_idx] + CountW'(1);
      end
      if (go) begin
        tile_q <= {1'b1, to_colour(idx), word};
        if (!bypass) begin
          read_q[idx] <= read_q[idx] + PtrW'(1);
          if (!(arrives && idx == in_idx)) begin
            count_q[idx] <= count_q[idx] - CountW'(1);
            if (count_q[idx] == CountW'(1)) held_q[idx] <= 1'b0;
          end
        end
        if ((one & Control) != '0) begin
          share_q <= '0;
          ctl_above_q <= idx == idx_t'(NumColours);
        end else begin
          if (share_q != '1) share_q <= share_q + 2'd1;
          above_q <= ~(one | (one - colours_t'(1)));
        end
      end
      // The router's credits.
      if (pop && !go) wait_q[idx] <= 1'b1;
      if (credit && !surplus && !(spend && idx == credit_idx)) begin
        router_q[credit_idx] <= router_q[credit_idx] + 3'd1;
        can_q[credit_idx] <= 1'b1;
        if (router_q[credit_idx] + 3'd1 == all_credits(credit_idx)) begin
          full_q[credit_idx] <= 1'b1;
          wait_q[credit_idx] <= 1'b0;
        end
      end
      if (spend && !(credit && idx == credit_idx)) begin
        router_q[idx] <= router_q[idx] - 3'd1;
        full_q[idx] <= 1'b0;
        can_q[idx] <= router_q[idx] != 3'd1;
      end
    end
  end

  // ------------------------------------------------------------------------- to the far end ------
  logic give, give_grant;
  idx_t give_idx;
  colours_t give_one;
  logic [3:0] number;
  always_comb begin
    give_grant = many_i && granted_q != '0;
    give_one = '0;
    give_idx = '0;
    number = '0;
    credits_o = '0;
    if (give_grant) begin
      give_one = granted_q & (~granted_q + colours_t'(1));
      give_idx = idx_t'(index32(32'(give_one)));
      number = grants_q[give_idx] > 4'd8 ? 4'd8 : grants_q[give_idx];
    end else if (owed_q != '0) begin
      give_one = pick(owed_q, back_above_q);
      give_idx = idx_t'(index32(32'(give_one)));
      number = back_q[give_idx] > CountW'(8) ? 4'd8 : 4'(back_q[give_idx]);
      if (!many_i) number = 4'd1;
    end
    if (give_one != '0) begin
      credits_o = {give_grant, 3'(number - 4'd1), to_colour(give_idx) + 5'd1};
    end
    give = ask_i && give_one != '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned i = 0; i < N; i++) begin
        back_q[i] <= '0;
        grants_q[i] <= '0;
      end
      owed_q <= '0;
      granted_q <= '0;
      back_above_q <= '0;
    end else begin
      if (give && !give_grant) begin
        back_above_q <= ~(give_one | (give_one - colours_t'(1)));
        back_q[give_idx] <= back_q[give_idx] - CountW'(number);
        if (back_q[give_idx] == CountW'(number)) owed_q[give_idx] <= 1'b0;
      end
      if (go) begin
        back_q[idx] <= back_q[idx] + CountW'(1) -
                       ((give && !give_grant && give_idx == idx) ? CountW'(number) : '0);
        owed_q[idx] <= 1'b1;
      end
      if (give && give_grant) begin
        grants_q[give_idx] <= grants_q[give_idx] - number;
        if (grants_q[give_idx] == number) granted_q[give_idx] <= 1'b0;
      end
      if (surplus) begin
        grants_q[credit_idx] <= grants_q[credit_idx] + 4'd1 -
                                ((give && give_grant && give_idx == credit_idx) ? number : '0);
        granted_q[credit_idx] <= 1'b1;
      end
    end
  end

  logic overrun, invented;
  assign overrun = arrives && count_q[in_idx] == CountW'(Depth) && !(go && idx == in_idx);
  assign invented = 32'(back_q[idx]) + 32'(count_q[idx]) > Depth;
  `OW_ASSERT(no_overrun, !overrun, "the far end sent without a credit")
  `OW_ASSERT(no_credit_invented, !invented, "more credits than entries")

endmodule
