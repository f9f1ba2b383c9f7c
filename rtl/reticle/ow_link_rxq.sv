// SPDX-License-Identifier: Apache-2.0
// The tile's side of a link's receiver: a buffer of Depth wavelets per colour, the credits of the
// router beyond it, and the credits that return over the link.
//
// A sender learns only a round trip later that a colour is blocked, and what it has sent by then
// needs a place. So each colour has entries for a round trip, and no colour can take entries of
// another (docs/links.md).
// ow_link_queues holds and chooses. A wavelet may leave in the cycle in which it arrives if no held
// wavelet can. A credit of the router may be spent in the cycle in which it comes if no colour has
// an earlier credit. A command wavelet waits until the router has returned all credits of its
// colour. When a switch turns to this port, the router returns more credits than it can owe this
// link. These are passed on to the router at the far end as grants.
// Credits for the far end go round robin. Grants go before them where they may, in rounds, all of a
// colour at once. Before the grants of a colour, those of each other colour go at most twice.
// Latency 1 (tile_o is what registers and the memory's output hold), 2 without Bypass; throughput 1
// wavelet per cycle.
// Errors: an assertion reports an overrun.
//
//   NumColours  data colours, 2 to 24
//   Depth       entries per colour, a power of 2, at least the credit round trip of the link for
//               full rate
//   Bypass      an arriving wavelet may leave, and a credit be spent, in the same cycle
//   word_i      what arrives if valid_i, which may come late in the cycle
//   credit_i    credit from the router; tile_o is the wavelet to it
//   ask_i       credits for the far end are wanted now; many_i: up to 8 of a colour, or grants;
//               otherwise a single credit. next_many_i: many_i of the next cycle
//   credits_o   these credits, 0 if there are none; also without ask_i, the ones that would be
//               given
//   busy_o      something is held, or credits wait to return

`include "ow_assert.svh"

module ow_link_rxq
  import ow_pkg::*;
  import ow_onehot_pkg::*;
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter int unsigned Depth = 16,
  parameter bit Bypass = 1'b1
) (
  input  logic     clk_i,
  input  logic     rst_i,
  input  logic     valid_i,
  input  word_t    word_i,
  output wavelet_t tile_o,
  input  credit_t  credit_i,
  input  logic     ask_i,
  input  logic     many_i,
  input  logic     next_many_i,
  output credits_t credits_o,
  output logic     busy_o
);

  `OW_ASSERT_INIT(colours_in_range, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)
  `OW_ASSERT_INIT(same_credits, LINK_CREDITS == CTL_CREDITS)

  localparam int unsigned N = NumColours + 2;
  localparam int unsigned CountW = $clog2(Depth) + 1;
  localparam int unsigned IdxW = $clog2(N);
  localparam int unsigned AddrW = IdxW + $clog2(Depth);
  typedef logic [N-1:0] colours_t;
  typedef logic [IdxW-1:0] idx_t;
  typedef logic [CountW-1:0] count_t;

  // ------------------------------------------------------------------- credits of the router -----
  // A credit for a colour of which all are here is not one that the router owes this link.
  colours_t credit_one, surplus, given, spent, can, all;  // given: it comes, and is kept
  colours_t [LINK_CREDITS-1:0] level;                     // at the start of the cycle
  logic credit;
  assign credit = credit_i.valid && credit_i.colour <= COLOUR_RSP &&
                  (credit_i.colour >= COLOUR_REQ || credit_i.colour < 5'(NumColours));
  assign credit_one = credit ? colours_t'(1) << to_queue(credit_i.colour, 5'(NumColours)) : '0;
  assign surplus = credit_one & level[LINK_CREDITS-1];
  assign given = credit_one & ~level[LINK_CREDITS-1];
  colours_t too_many;
  ow_credit #(.Channels(N), .Slots(LINK_CREDITS)) u_router (
    .clk_i, .rst_i, .set_i('0), .set_full_i('0), .give_i(given), .spend_i(spent), .drain_i('0),
    .some_o(can), .all_o(all), .surplus_o(too_many), .level_o(level)
  );

  // ------------------------------------------------------------------------------- to the tile ---
  // A command wavelet goes only with all credits of its colour in hand, and spends none: what the
  // router returns for it is surplus.
  colours_t held, fence, one, arrive_one, sent_one, leaves_one;
  logic any, go, stored_command, arrives_command, may_pass, passes;
  logic [4:0] colour;
  idx_t arrive_idx;
  logic [AddrW-1:0] read_at, write_at;
  assign colour = word_i.colour - 5'd1;
  assign arrive_idx = idx_t'(to_queue(colour, 5'(NumColours)));
  assign arrive_one = word_i.colour != '0 ? colours_t'(1) << arrive_idx : '0;
  assign arrives_command = is_command(colour, word_i.ctrl, word_i.data);
  assign may_pass = Bypass && !any && (arrive_one & ~held & (arrives_command ? all : can)) != '0;
  assign passes = valid_i && may_pass;
  assign go = any;
  assign sent_one = any ? one : arrive_one;  // if one is sent
  assign leaves_one = any || passes ? sent_one : '0;
  assign spent = (any ? stored_command : arrives_command) ? '0 : leaves_one;

  ow_link_queues #(.NumColours(NumColours), .Depth(Depth)) u_queues (
    .clk_i, .rst_i,
    .arrive_idx_i(arrive_idx), .arrive_command_i(arrives_command), .keep_i(valid_i && !passes),
    .write_at_o(write_at),
    .first_i((level[0] & ~fence) | level[LINK_CREDITS-1]),
    .then_i(Bypass ? given & (~fence | all) : '0),
    .held_o(held), .fence_o(fence), .any_o(any), .one_o(one), .command_o(stored_command),
    .read_at_o(read_at), .go_i(go)
  );

  logic [32:0] stored;
  ow_link_ram #(.Words(N * Depth), .Width(33)) u_ram (
    .clk_i, .we_i(valid_i && !passes), .waddr_i(write_at), .wdata_i({word_i.ctrl, word_i.data}),
    .re_i(go), .raddr_i(read_at), .rdata_o(stored)
  );

  // What leaves comes from the memory, or from a register if it has only arrived.
  logic sent_q, passed_q;
  logic [4:0] colour_q;
  logic [32:0] fresh_q;
  always_ff @(posedge clk_i) begin
    sent_q <= (go || passes) && !rst_i;
    if (go || may_pass) begin
      colour_q <= colour_of(32'(sent_one), 5'(NumColours));
      passed_q <= may_pass;
    end
    if (may_pass) fresh_q <= {word_i.ctrl, word_i.data};
  end
  logic [32:0] leaves;
  assign leaves = passed_q ? fresh_q : stored;
  assign tile_o = sent_q ? wavelet_t'{valid: 1'b1, colour: colour_q, ctrl: leaves[32],
                                      data: leaves[31:0]}
                         : '0;

  // ------------------------------------------------------------------------- to the far end ------
  // Entries that are free again, and credits of the router to pass on. The next colour is chosen a
  // cycle ahead; how many go is seen when they go.
  count_t back_q [N];         // entries freed and not yet reported to the far end
  grants_t grants_q [N];
  colours_t owed_q, granted_q, above_q;
  colours_t round_q;          // colours with grants whose turn in this round is still to come
  colours_t give_one_q;       // the colour whose credits go next
  logic give_grant_q;         // they are grants

  logic give, give_back;
  count_t number, there;      // how many go, of how many
  always_comb begin : report
    there = '0;
    for (int unsigned c = 0; c < N; c++) begin
      if (give_one_q[c]) there |= give_grant_q ? count_t'(grants_q[c]) : back_q[c];
    end
    number = !many_i ? count_t'(1) : 32'(there) > 8 ? count_t'(8) : there;
    credits_o = '0;
    if (give_one_q != '0) begin
      credits_o = '{grant: give_grant_q, count: 3'(number - count_t'(1)),
                    colour: colour_of(32'(give_one_q), 5'(NumColours)) + 5'd1};
    end
    give = ask_i && give_one_q != '0;
    give_back = give && !give_grant_q;
  end

  count_t left;
  colours_t others, above_now, choice;
  logic choose_grants;
  always_comb begin : choose
    left = there - number;
    above_now = give_back ? ~(give_one_q | (give_one_q - colours_t'(1))) : above_q;
    others = owed_q & ~(give_back ? give_one_q : '0);
    // Grants go in first halves only.
    choose_grants = next_many_i && (granted_q != '0 || surplus != '0);
    if (choose_grants && granted_q != '0) choice = colours_t'(lowest(32'(round_q)));
    else if (choose_grants) choice = surplus;
    else if (others != '0) choice = colours_t'(pick(32'(others), 32'(above_now)));
    else if (give_back && left != '0) choice = give_one_q;
    else choice = leaves_one;
  end

  colours_t passed_now, granted_d, round_rest;
  assign passed_now = give && give_grant_q ? give_one_q : '0;
  assign granted_d = (granted_q & ~passed_now) | surplus;
  assign round_rest = round_q & ~passed_now;

  for (genvar c = 0; c < N; c++) begin : gen_back
    logic given_now;
    count_t rest;
    grants_t grants;
    assign given_now = give_one_q[c] && give_back;
    assign rest = given_now ? left : back_q[c];
    assign grants = passed_now[c] ? '0 : grants_q[c];  // all of them go at once
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        back_q[c] <= '0;
        owed_q[c] <= 1'b0;
      end else if (given_now || leaves_one[c]) begin
        back_q[c] <= rest + count_t'(leaves_one[c]);
        owed_q[c] <= rest != '0 || leaves_one[c];
      end
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) grants_q[c] <= '0;
      else if (passed_now[c] || surplus[c]) grants_q[c] <= grants + grants_t'(surplus[c]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      above_q <= '0;
      granted_q <= '0;
      round_q <= '0;
      give_one_q <= '0;
      give_grant_q <= 1'b0;
    end else begin
      above_q <= above_now;
      granted_q <= granted_d;
      round_q <= round_rest != '0 ? round_rest : granted_d;
      give_one_q <= choice;
      give_grant_q <= choose_grants;
    end
  end

  assign busy_o = held != '0 || owed_q != '0 || granted_q != '0 || sent_q;

  `OW_ASSERT(no_collision, !(valid_i && !passes && go && write_at == read_at),
             "an entry is written while it is read")
  `OW_ASSERT(chosen_is_there, give_one_q == '0 || there != '0, "credits go that are not there")
  logic overfull;
  always_comb begin
    overfull = 1'b0;
    for (int unsigned c = 0; c < N; c++) overfull |= surplus[c] && 32'(grants_q[c]) == MAX_GRANTS;
  end
  `OW_ASSERT(grants_in_range, !overfull, "more grants than a router has credits")
  logic unused;
  assign unused = &{1'b0, too_many};  // u_router never sees a surplus

endmodule
