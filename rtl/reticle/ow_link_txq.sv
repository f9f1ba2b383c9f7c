// SPDX-License-Identifier: Apache-2.0
// The tile's side of a link's sender: a small buffer per colour that ends the credit protocol of
// the neighbouring router, the credits for the buffer at the far end, and the choice of what is
// sent next.
//
// ow_link_queues holds what waits. The next wavelet is chosen a cycle ahead and is in a register,
// so the choice is not in one cycle with the CRC of the frame. A wavelet that arrives when nothing
// that waits could go is sent in the same cycle, or follows what is being sent.
// The router gets its credit in the cycle after the wavelet has left its queue. For a command
// wavelet it gets none: the credits of the router beyond the link come through as grants
// (docs/links.md). Grants use the cycles in which no other credit goes to the router. After three
// cycles without one the next wavelet waits for a cycle, so no colour can hold up the switch of
// another. They go in rounds: one grant of each colour that has some when the round begins. So
// before the first grant of a colour each other colour sends at most two.
// Latency 0 (2 without Bypass, which needs only an ow_link_ram), throughput 1 wavelet per cycle.
// Errors: wavelets of colours that do not exist are dropped, as in a router. Assertions report
// overruns.
//
//   NumColours  data colours, 2 to 24
//   FarDepth    entries of each colour's buffer at the far end
//   Bypass      an arriving wavelet may be sent in the same cycle; without Bypass it waits in its
//               queue
//   tile_i      wavelet from the router; credit_o (a register) goes back to it
//   open_i      a wavelet may go now
//   next_o      what goes if it has been chosen before (a register), or 0. If it is 0:
//   passing_o   tile_i's wavelet, and pass_o: it goes
//   back_*      credits from the far end: colour, count - 1, grant (for the router)
//   busy_o      something is held

`include "ow_assert.svh"

module ow_link_txq
  import ow_pkg::*;
  import ow_onehot_pkg::lowest;
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter int unsigned FarDepth = 16,
  parameter bit Bypass = 1'b1
) (
  input  logic     clk_i,
  input  logic     rst_i,
  input  wavelet_t tile_i,
  output credit_t  credit_o,
  input  logic     open_i,
  output word_t    next_o,
  output word_t    passing_o,
  output logic     pass_o,
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
  typedef logic [CreditW-1:0] far_t;

  `OW_ASSERT_INIT(slots_for_credits, LINK_CREDITS <= Slots && CTL_CREDITS <= Slots)

  far_t far_q [N];           // free entries at the far end
  colours_t can_q;           // that is not 0
  grants_t grants_q [N];     // credits on their way to the router
  colours_t granted_q;       // that is not 0
  colours_t round_q;         // of those, whose turn is still to come in this round
  credit_t credit_q;
  logic [1:0] waited_q;      // cycles that grants have waited for
  word_t next;               // chosen to go, 0 if there is nothing
  logic grant_turn;
  assign grant_turn = waited_q == 2'd3;

  // ---------------------------------------------------------------------------- what leaves ------
  logic next_valid, room;  // the place of the chosen wavelet will be free
  assign next_valid = next.colour != '0;
  assign room = (!next_valid || open_i) && !grant_turn;

  logic arrives, arrives_command, may_pass, any, go, passes, keep, stored_command;
  idx_t arrive_idx;
  colours_t arrive_one, one, held;
  logic [AddrW-1:0] read_at, write_at;
  assign arrives = tile_i.valid && tile_i.colour <= COLOUR_RSP &&
                   (tile_i.colour >= COLOUR_REQ || tile_i.colour < 5'(NumColours));
  assign arrives_command = is_command(tile_i.colour, tile_i.ctrl, tile_i.data);
  assign arrive_idx = idx_t'(to_queue(tile_i.colour, 5'(NumColours)));
  assign arrive_one = arrives ? colours_t'(1) << arrive_idx : '0;
  assign may_pass = Bypass && (arrive_one & can_q & ~held) != '0;

  assign go = any && room;
  assign passes = may_pass && !any && room;  // it passes its queue, not only the chosen wavelet
  assign keep = arrives && !passes;
  assign pass_o = passes && open_i && !next_valid;

  // A command is special here only because no credit returns for it.
  /* verilator lint_off PINCONNECTEMPTY */
  ow_link_queues #(.NumColours(NumColours), .Depth(Slots)) u_queues (
    .clk_i, .rst_i,
    .arrive_idx_i(arrive_idx), .arrive_command_i(arrives_command), .keep_i(keep),
    .write_at_o(write_at), .first_i(can_q), .then_i('0), .held_o(held), .fence_o(), .any_o(any),
    .one_o(one), .command_o(stored_command), .read_at_o(read_at), .go_i(go)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  logic [4:0] colour;  // of what is chosen now
  assign colour = colour_of(32'(one), 5'(NumColours)) + 5'd1;
  assign passing_o = '{colour: tile_i.colour + 5'd1, ctrl: tile_i.ctrl, data: tile_i.data};
  assign next_o = next;

  if (Bypass) begin : gen_registers
    word_t next_q;
    logic [32:0] mem_q [N*Slots];
    logic [32:0] stored;
    assign stored = mem_q[read_at];
    assign next = next_q;
    always_ff @(posedge clk_i) if (keep) mem_q[write_at] <= {tile_i.ctrl, tile_i.data};
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        next_q <= '0;
      end else begin
        if (go) next_q <= '{colour: colour, ctrl: stored[32], data: stored[31:0]};
        else if (passes && !pass_o) next_q <= passing_o;
        else if (open_i && next_valid) next_q <= '0;
      end
    end
  end else begin : gen_memory
    logic [4:0] colour_q;
    logic [32:0] stored;
    ow_link_ram #(.Words(N * Slots), .Width(33)) u_ram (
      .clk_i, .we_i(keep), .waddr_i(write_at), .wdata_i({tile_i.ctrl, tile_i.data}),
      .re_i(go), .raddr_i(read_at), .rdata_o(stored)
    );
    assign next = colour_q == '0 ? '0 : '{colour: colour_q, ctrl: stored[32], data: stored[31:0]};
    always_ff @(posedge clk_i) begin
      if (rst_i) colour_q <= '0;
      else if (go) colour_q <= colour;
      else if (open_i) colour_q <= '0;
    end
  end

  // ---------------------------------------------------------------------- credits for the router -
  logic returns;  // a wavelet's credit goes to the router
  colours_t grant_one, leaves_one, return_one;
  assign returns = (go && !stored_command) || (passes && !arrives_command);
  assign leaves_one = go ? one : passes ? arrive_one : '0;
  assign grant_one = colours_t'(lowest(32'(round_q)));
  assign return_one = returns ? leaves_one : grant_one;

  idx_t back_idx;
  logic [3:0] back_count;
  colours_t back_one, got_one;  // credits come for a colour; grants come for it
  assign back_idx = idx_t'(to_queue(back_i.colour - 5'd1, 5'(NumColours)));
  assign back_count = {1'b0, back_i.count} + 4'd1;
  assign back_one = back_valid_i && !back_i.grant ? colours_t'(1) << back_idx : '0;
  assign got_one = back_valid_i && back_i.grant ? colours_t'(1) << back_idx : '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      credit_q <= '0;
      waited_q <= '0;
    end else begin
      credit_q <= '{valid: returns || granted_q != '0,
                    colour: colour_of(32'(return_one), 5'(NumColours))};
      waited_q <= granted_q != '0 && returns ? waited_q + 2'd1 : '0;
    end
  end
  assign credit_o = credit_q;

  // Grants go to the router when no credit of this buffer does.
  colours_t given, granted_d, round_rest;
  assign given = returns ? '0 : grant_one;
  assign round_rest = round_q & ~given;
  for (genvar c = 0; c < N; c++) begin : gen_grants
    grants_t left;
    assign left = grants_q[c] - grants_t'(given[c]);
    assign granted_d[c] = got_one[c] || (given[c] ? left != '0 : granted_q[c]);
    always_ff @(posedge clk_i) begin
      if (rst_i) grants_q[c] <= '0;
      else if (given[c] || got_one[c]) grants_q[c] <= left + (got_one[c] ? grants_t'(back_count) : '0);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      granted_q <= '0;
      round_q <= '0;
    end else begin
      granted_q <= granted_d;
      round_q <= round_rest != '0 ? round_rest : granted_d;
    end
  end

  // --------------------------------------------------------------------- credits for the far end -
  // The sum is computed before it is known that the frame was right.
  far_t sum;
  assign sum = far_q[back_idx] + far_t'(back_count) - far_t'(leaves_one[back_idx]);
  for (genvar c = 0; c < N; c++) begin : gen_far
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        far_q[c] <= far_t'(FarDepth);
        can_q[c] <= 1'b1;
      end else if (back_one[c]) begin
        far_q[c] <= sum;
        can_q[c] <= 1'b1;
      end else if (leaves_one[c]) begin
        far_q[c] <= far_q[c] - far_t'(1);
        can_q[c] <= far_q[c] != far_t'(1);
      end
    end
  end

  assign busy_o = held != '0 || next_valid || granted_q != '0 || credit_q.valid;

  logic invented, overfull;
  assign invented = back_one != '0 &&
      32'(far_q[back_idx]) + 32'(back_count) > FarDepth + 32'(leaves_one[back_idx]);
  assign overfull = got_one != '0 && 32'(grants_q[back_idx]) + 32'(back_count) > MAX_GRANTS;
  `OW_ASSERT(grants_go, !grant_turn || !returns, "a grant was passed over for too long")
  `OW_ASSERT(far_credits_in_range, !invented, "more credits came back than were spent")
  `OW_ASSERT(grants_in_range, !overfull, "more grants than a router has credits")

endmodule
