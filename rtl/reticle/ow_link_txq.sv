// SPDX-License-Identifier: Apache-2.0
// The tile's side of a link's sender: a small buffer a colour that ends the neighbouring router's
// credit protocol, the credits for the buffer at the far end, and the choice of what is sent next.
//
// Colours are served round robin; the control plane's two go first at least once in four when they
// wait. A wavelet may leave in the cycle in which it arrives. The router gets its credit in the
// cycle after the wavelet has left for the lanes; for a command wavelet it gets none, because the
// credits of the router beyond the link come through as grants (docs/links.md).
// Latency 0, throughput 1 wavelet a cycle. Errors: wavelets of colours that do not exist are
// dropped, as a router drops them; overruns are reported by assertions.
//
//   NumColours  data colours, 2 to 24
//   FarDepth    entries of each colour's buffer at the far end
//   tile_i      wavelet from the router; credit_o (a register) goes back to it
//   open_i      a wavelet may go now; word_o is it, 0 if there is none
//   back_*      credits from the far end: colour, count - 1, grant (for the router)
//   busy_o      something is held

`include "ow_assert.svh"

module ow_link_txq
  import ow_pkg::*;
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = 24,
  parameter int unsigned FarDepth = 16
) (
  input  logic     clk_i,
  input  logic     rst_i,
  input  wavelet_t tile_i,
  output credit_t  credit_o,
  input  logic     open_i,
  output word_t    word_o,
  input  logic     back_valid_i,
  input  credits_t back_i,
  output logic     busy_o
);

  `OW_ASSERT_INIT(colours_in_range, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)
  `OW_ASSERT_INIT(slots_for_credits, LINK_CREDITS <= 4 && CTL_CREDITS <= 4)

  localparam int unsigned N = NumColours + 2;
  localparam int unsigned Slots = 4;  // at least the credits of a colour, a power of 2
  localparam int unsigned CreditW = $clog2(FarDepth + 1);
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

  logic [32:0] mem_q [N*Slots];
  logic [2:0] count_q [N];
  logic [1:0] read_q [N];
  logic [CreditW-1:0] far_q [N];      // free entries at the far end
  logic [3:0] grants_q [N];           // credits on their way to the router
  colours_t held_q, can_q, granted_q; // count, far and grants are not 0
  colours_t above_q;
  logic ctl_above_q;                  // the response network's turn
  logic [1:0] share_q;                // data wavelets since the last one of the control plane
  credit_t credit_q;

  assign credit_o = credit_q;
  assign busy_o = held_q != '0 || granted_q != '0 || credit_q.valid;

  // What leaves.
  logic arrives, pop, bypass, command;
  idx_t in_idx, idx;
  colours_t cand, one;
  logic [32:0] word;
  always_comb begin
    arrives = tile_i.valid && (tile_i.colour >= COLOUR_REQ || tile_i.colour < 5'(NumColours)) &&
              tile_i.colour <= COLOUR_RSP;
    in_idx = to_index(tile_i.colour);
    cand = '0;
    if (open_i) begin
      cand = held_q;
      if (arrives) cand |= colours_t'(1) << in_idx;
      cand &= can_q;
    end
    pop = cand != '0;
    one = '0;
    idx = '0;
    bypass = 1'b0;
    word = '0;
    command = 1'b0;
    word_o = '0;
    if (pop) begin
      if ((cand & Control) != '0 && (share_q == '1 || (cand & ~Control) == '0)) begin
        one = cand & Control;
        if (one == Control) one = colours_t'(1) << (ctl_above_q ? NumColours + 1 : NumColours);
      end else begin
        one = pick(cand & ~Control, above_q);
      end
      idx = idx_t'(index32(32'(one)));
      bypass = (one & held_q) == '0;
      word = bypass ? {tile_i.ctrl, tile_i.data} : mem_q[32'(idx) * Slots + 32'(read_q[idx])];
      command = word[32] && word[25:2] != '0 && (one & Control) == '0;
      word_o = {to_colour(idx) + 5'd1, word};
    end
  end

  idx_t back_idx, grant_idx;
  logic [3:0] back_count;
  colours_t grant_one;
  logic [1:0] write_at;
  assign write_at = read_q[in_idx] + count_q[in_idx][1:0];
  assign back_idx = to_index(back_i.colour - 5'd1);
  assign back_count = {1'b0, back_i.count} + 4'd1;
  assign grant_one = granted_q & (~granted_q + colours_t'(1));
  assign grant_idx = idx_t'(index32(32'(grant_one)));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned i = 0; i < N; i++) begin
        count_q[i] <= '0;
        read_q[i] <= '0;
        far_q[i] <= CreditW'(FarDepth);
        grants_q[i] <= '0;
      end
      held_q <= '0;
      can_q <= '1;
      granted_q <= '0;
      above_q <= '0;
      ctl_above_q <= 1'b0;
      share_q <= '0;
      credit_q <= '0;
    end else begin
      credit_q <= '0;
      if (arrives && !bypass) begin
        mem_q[32'(in_idx) * Slots + 32'(write_at)] <= {tile_i.ctrl, tile_i.data};
        held_q[in_idx] <= 1'b1;
        if (!(pop && idx == in_idx)) count_q[in_idx] <= count_q[in_idx] + 3'd1;
      end
      if (pop) begin
        if (!bypass) begin
          read_q[idx] <= read_q[idx] + 2'd1;
          if (!(arrives && idx == in_idx)) begin
            count_q[idx] <= count_q[idx] - 3'd1;
            if (count_q[idx] == 3'd1) held_q[idx] <= 1'b0;
          end
        end
        if ((one & Control) != '0) begin
          share_q <= '0;
          ctl_above_q <= idx == idx_t'(NumColours);
        end else begin
          if (share_q != '1) share_q <= share_q + 2'd1;
          above_q <= ~(one | (one - colours_t'(1)));
        end
        if (!command) credit_q <= {1'b1, to_colour(idx)};
        if (!(back_valid_i && !back_i.grant && back_idx == idx)) begin
          far_q[idx] <= far_q[idx] - CreditW'(1);
          if (far_q[idx] == CreditW'(1)) can_q[idx] <= 1'b0;
        end
      end
      if (back_valid_i && !back_i.grant) begin
        far_q[back_idx] <= far_q[back_idx] + CreditW'(back_count) -
                           CreditW'(pop && back_idx == idx);
        can_q[back_idx] <= 1'b1;
      end
      // Grants go to the router when no credit of this buffer does.
      if (granted_q != '0 && (!pop || command)) begin
        credit_q <= {1'b1, to_colour(grant_idx)};
        grants_q[grant_idx] <= grants_q[grant_idx] - 4'd1;
        if (grants_q[grant_idx] == 4'd1) granted_q[grant_idx] <= 1'b0;
      end
      if (back_valid_i && back_i.grant) begin
        grants_q[back_idx] <= grants_q[back_idx] + back_count -
            4'(granted_q != '0 && (!pop || command) && grant_idx == back_idx);
        granted_q[back_idx] <= 1'b1;
      end
    end
  end

  logic overrun, invented;
  assign overrun = arrives && !bypass && count_q[in_idx] == 3'(Slots) && !(pop && idx == in_idx);
  assign invented = back_valid_i && !back_i.grant &&
      32'(far_q[back_idx]) + 32'(back_count) > FarDepth + 32'(pop && back_idx == idx);
  `OW_ASSERT(no_overrun, !overrun, "the router sent without a credit")
  `OW_ASSERT(far_credits_in_range, !invented, "more credits came back than were spent")

endmodule
