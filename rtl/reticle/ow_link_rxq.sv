// SPDX-License-Identifier: Apache-2.0
// The tile's side of a link's receiver: a buffer of Depth wavelets a colour, the credits of the
// router beyond it, and the credits that go back over the link.
//
// What a blocked colour has sent must lie somewhere, and it learns that it is blocked only a round
// trip later: so each colour has a round trip's worth of entries of its own, and no colour can ever
// take one from another (docs/links.md).
// ow_link_queues holds them and chooses; a wavelet may leave in the cycle in which it arrives, and
// a credit of the router may be spent in the cycle in which it comes. A command wavelet waits until
// the router has returned all credits of its colour. The router's credits beyond those that it can
// owe this link (they come when a switch turns to this port) are passed on to the router at the far
// end as grants.
// Latency 1 (tile_o is what registers and the memory's output hold), throughput 1 wavelet a cycle.
// Errors: an overrun is reported by an assertion.
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

  localparam int unsigned N = NumColours + 2;
  localparam int unsigned CountW = $clog2(Depth) + 1;
  localparam int unsigned IdxW = $clog2(N);
  localparam int unsigned AddrW = IdxW + $clog2(Depth);
  typedef logic [N-1:0] colours_t;
  typedef logic [IdxW-1:0] idx_t;

  function automatic logic [2:0] all_credits(input idx_t i);
    return i >= idx_t'(NumColours) ? 3'(CTL_CREDITS) : 3'(LINK_CREDITS);
  endfunction

  logic [2:0] router_q [N];        // credits of the router
  logic [CountW-1:0] back_q [N];   // entries freed and not yet reported to the far end
  logic [3:0] grants_q [N];        // credits of the router to pass on
  colours_t can_q, full_q, wait_q, owed_q, granted_q;
  colours_t back_above_q;

  // ------------------------------------------------------------------------------- to the tile --
  logic pop, command, credit, surplus, held;
  idx_t idx, credit_idx;
  colours_t one, credit_one;
  logic [CountW-1:0] level;
  assign credit = credit_i.valid &&
                  (credit_i.colour >= COLOUR_REQ || credit_i.colour < 5'(NumColours));
  assign credit_idx = idx_t'(to_queue(credit_i.colour, 5'(NumColours)));
  assign credit_one = credit ? colours_t'(1) << credit_idx : '0;

  logic go;  // a command wavelet goes only with all credits of its colour at hand
  assign go = pop && (!command || (one & full_q) != '0 ||
                      ((one & credit_one) != '0 && router_q[idx] == all_credits(idx) - 3'd1));
  logic [AddrW-1:0] read_at, write_at;
  logic bypass, write;
  logic [4:0] colour;
  assign colour = word_i.colour - 5'd1;
  ow_link_queues #(.NumColours(NumColours), .Depth(Depth)) u_queues (
    .clk_i, .rst_i,
    .arrive_i(word_i.colour != '0), .arrive_idx_i(idx_t'(to_queue(colour, 5'(NumColours)))),
    .arrive_command_i(is_command(colour, word_i.ctrl, word_i.data)),
    .open_i(1'b1), .can_i((can_q | credit_one) & ~wait_q), .pop_o(pop), .one_o(one), .idx_o(idx),
    .command_o(command), .bypass_o(bypass), .read_at_o(read_at), .go_i(go), .write_o(write),
    .write_at_o(write_at), .level_o(level), .held_o(held)
  );

  logic [32:0] stored;
  ow_link_ram #(.Words(N * Depth), .Width(33)) u_ram (
    .clk_i, .we_i(write), .waddr_i(write_at), .wdata_i({word_i.ctrl, word_i.data}),
    .re_i(go && !bypass), .raddr_i(read_at), .rdata_o(stored)
  );

  // What leaves comes out of the memory, or out of a register if it has only arrived.
  logic sent_q, bypass_q;
  logic [4:0] colour_q;
  logic [32:0] fresh_q;
  always_ff @(posedge clk_i) begin
    sent_q <= go && !rst_i;
    if (go) begin
      colour_q <= to_colour(5'(idx), 5'(NumColours));
      bypass_q <= bypass;
      if (bypass) fresh_q <= {word_i.ctrl, word_i.data};
    end
  end
  logic [32:0] leaves;
  assign leaves = bypass_q ? fresh_q : stored;
  assign tile_o = sent_q ? wavelet_t'{valid: 1'b1, colour: colour_q, ctrl: leaves[32],
                                      data: leaves[31:0]}
                         : '0;
  assign busy_o = held || owed_q != '0 || granted_q != '0 || sent_q;

  // A command wavelet leaves the count as it was: what the router returns for it is surplus.
  logic spend;
  assign spend = go && !command;
  assign surplus = credit && (full_q & credit_one) != '0 && !(spend && idx == credit_idx);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned i = 0; i < N; i++) router_q[i] <= all_credits(idx_t'(i));
      can_q <= '1;
      full_q <= '1;
      wait_q <= '0;
    end else begin
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
      give_one = colours_t'(pick(32'(owed_q), 32'(back_above_q)));
      give_idx = idx_t'(index32(32'(give_one)));
      number = back_q[give_idx] > CountW'(8) ? 4'd8 : 4'(back_q[give_idx]);
      if (!many_i) number = 4'd1;
    end
    if (give_one != '0) begin
      credits_o = '{grant: give_grant, count: 3'(number - 4'd1),
                    colour: to_colour(5'(give_idx), 5'(NumColours)) + 5'd1};
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

  `OW_ASSERT(no_collision, !(write && go && !bypass && write_at == read_at),
             "an entry is written while it is read")
  logic invented;
  assign invented = 32'(back_q[idx]) + 32'(level) > Depth;
  `OW_ASSERT(no_credit_invented, !invented, "more credits than entries")

endmodule
