// SPDX-License-Identifier: Apache-2.0
// The tile's side of a link's sender: a small buffer a colour that ends the neighbouring router's
// credit protocol, the credits for the buffer at the far end, and the choice of what is sent next.
//
// ow_link_queues holds them and chooses. The router gets its credit in the cycle after the wavelet
// has left for the lanes; for a command wavelet it gets none, because the credits of the router
// beyond the link come through as grants (docs/links.md). Grants use the cycles in which no other
// credit goes to the router; after three without one the next wavelet waits for a cycle, so that no
// colour can hold up the switch of another.
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

  localparam int unsigned N = NumColours + 2;
  localparam int unsigned Slots = 2;  // at least the credits of a colour, a power of 2
  localparam int unsigned CreditW = $clog2(FarDepth + 1);
  localparam int unsigned IdxW = $clog2(N);
  localparam int unsigned AddrW = IdxW + $clog2(Slots);
  typedef logic [N-1:0] colours_t;
  typedef logic [IdxW-1:0] idx_t;

  `OW_ASSERT_INIT(slots_for_credits, LINK_CREDITS <= Slots && CTL_CREDITS <= Slots)

  logic [CreditW-1:0] far_q [N];  // free entries at the far end
  logic [3:0] grants_q [N];       // credits on their way to the router
  colours_t can_q, granted_q;     // far and grants are not 0
  credit_t credit_q;
  logic [1:0] waited_q;  // cycles that grants have waited for
  logic grant_turn;
  assign grant_turn = waited_q == 2'd3;

  // What leaves.
  logic arrives, pop, command, held;
  idx_t idx;
  logic [32:0] word;
  assign arrives = tile_i.valid && tile_i.colour <= COLOUR_RSP &&
                   (tile_i.colour >= COLOUR_REQ || tile_i.colour < 5'(NumColours));
  logic [32:0] mem_q [N*Slots];
  logic [AddrW-1:0] read_at, write_at;
  logic bypass, write;
  // Which queue it was, one-hot, and how full it is matter to the receiver's side only.
  /* verilator lint_off PINCONNECTEMPTY */
  ow_link_queues #(.NumColours(NumColours), .Depth(Slots)) u_queues (
    .clk_i, .rst_i,
    .arrive_i(arrives), .arrive_idx_i(idx_t'(to_queue(tile_i.colour, 5'(NumColours)))),
    .arrive_command_i(is_command(tile_i.colour, tile_i.ctrl, tile_i.data)),
    .open_i(open_i && !grant_turn), .can_i(can_q), .pop_o(pop), .one_o(), .idx_o(idx), .command_o(command),
    .bypass_o(bypass), .read_at_o(read_at), .go_i(pop), .write_o(write), .write_at_o(write_at),
    .level_o(), .held_o(held)
  );
  /* verilator lint_on PINCONNECTEMPTY */
  assign word = bypass ? {tile_i.ctrl, tile_i.data} : mem_q[read_at];
  always_ff @(posedge clk_i) if (write) mem_q[write_at] <= {tile_i.ctrl, tile_i.data};
  assign word_o = pop ? word_t'{colour: to_colour(5'(idx), 5'(NumColours)) + 5'd1, ctrl: word[32],
                                data: word[31:0]}
                      : '0;

  assign credit_o = credit_q;
  assign busy_o = held || granted_q != '0 || credit_q.valid;

  idx_t back_idx, grant_idx;
  logic [3:0] back_count;
  colours_t grant_one;
  assign back_idx = idx_t'(to_queue(back_i.colour - 5'd1, 5'(NumColours)));
  assign back_count = {1'b0, back_i.count} + 4'd1;
  assign grant_one = granted_q & (~granted_q + colours_t'(1));
  assign grant_idx = idx_t'(index32(32'(grant_one)));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned i = 0; i < N; i++) begin
        far_q[i] <= CreditW'(FarDepth);
        grants_q[i] <= '0;
      end
      can_q <= '1;
      granted_q <= '0;
      credit_q <= '0;
      waited_q <= '0;
    end else begin
      credit_q <= '0;
      if (pop) begin
        if (!command) begin
          credit_q <= '{valid: 1'b1, colour: to_colour(5'(idx), 5'(NumColours))};
        end
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
      waited_q <= granted_q != '0 && pop && !command ? waited_q + 2'd1 : '0;
      if (granted_q != '0 && (!pop || command)) begin
        credit_q <= '{valid: 1'b1, colour: to_colour(5'(grant_idx), 5'(NumColours))};
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

  logic invented;
  assign invented = back_valid_i && !back_i.grant &&
      32'(far_q[back_idx]) + 32'(back_count) > FarDepth + 32'(pop && back_idx == idx);
  `OW_ASSERT(grants_go, !grant_turn || !pop, "a grant was passed over for too long")
  `OW_ASSERT(far_credits_in_range, !invented, "more credits came back than were spent")

endmodule
