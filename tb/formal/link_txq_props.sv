// SPDX-License-Identifier: Apache-2.0
// Properties of the credits that ow_link_txq gives the router. Anything may arrive where there is
// room, and anything that was spent may come back. A frame takes a wavelet whenever it likes. An
// input of the first cycle chooses the queue that is watched.
//
// Grants that wait have one cycle of four, and no more than that is taken from wavelets. Before the
// first grant of a colour, at most two grants of each other colour go. Every credit was owed: for a
// wavelet that has left, unless it is a command, or for a grant. Nothing is owed at rest.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module link_txq_props
  import ow_pkg::*;
  import ow_link_pkg::*;
#(
  parameter int unsigned NumColours = 2,
  parameter bit Bypass = 1'b1,
  localparam int unsigned N = NumColours + 2,
  localparam int unsigned IdxW = $clog2(N)
) (
  input  logic            clk_i,
  input  logic [IdxW-1:0] who_i,
  input  wavelet_t        tile_i,
  input  logic            open_i,
  input  logic            back_valid_i,
  input  credits_t        back_i,
  output logic            bad_late_o,     // other grants went for too long
  output logic            bad_no_turn_o,  // wavelets went for too long
  output logic            bad_too_many_o, // wavelets wait for grants too often
  output logic            bad_credit_o,   // a credit that is not owed, or one that is never given
  output logic            seen_last_o,
  output logic            seen_turn_o
);

  localparam int unsigned FarDepth = 2;
  localparam int unsigned Most = 2 * (N - 1);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  function automatic logic exists(input logic [4:0] colour);
    return 32'(colour) < NumColours || colour == COLOUR_REQ || colour == COLOUR_RSP;
  endfunction

  logic [N-1:0][1:0] level_q;
  logic [N-1:0] command_q;  // the last one in the queue is a command
  logic [IdxW-1:0] at, back_at;
  wavelet_t wavelet;
  credit_t credit;
  logic back_valid, command, busy;
  logic [3:0] count;
  assign at = IdxW'(to_queue(tile_i.colour, 5'(NumColours)));
  assign back_at = IdxW'(to_queue(back_i.colour - 5'd1, 5'(NumColours)));
  assign command = is_command(tile_i.colour, tile_i.ctrl, tile_i.data);
  assign count = 4'(back_i.count) + 4'd1;
  always_comb begin
    wavelet = tile_i;
    wavelet.valid = up_q && tile_i.valid && exists(tile_i.colour) && 32'(level_q[at]) < LINK_CREDITS &&
                    !command_q[at];
    back_valid = up_q && back_valid_i && exists(back_i.colour - 5'd1) &&
                 (back_i.grant ? 32'(u_txq.grants_q[back_at]) + 32'(count) <= MAX_GRANTS
                               : 32'(u_txq.far_q[back_at]) + 32'(count) <= FarDepth);
  end
  ow_link_txq #(.NumColours(NumColours), .FarDepth(FarDepth), .Bypass(Bypass)) u_txq (
    .clk_i, .rst_i(!up_q), .tile_i(wavelet), .credit_o(credit), .open_i, .next_o(), .passing_o(), .pass_o(),
    .back_valid_i(back_valid), .back_i, .busy_o(busy)
  );

  // Signals inside the unit.
  logic [N-1:0] granted, given, leaves;
  logic turn;
  assign granted = u_txq.granted_q;
  assign given = u_txq.returns ? '0 : u_txq.grant_one;
  assign leaves = u_txq.leaves_one;
  assign turn = u_txq.grant_turn;

  logic [IdxW-1:0] who_q;
  logic [5:0] others_q;  // grants of others while this one waits
  logic [2:0] none_q;    // cycles without a grant while some wait
  logic [1:0] since_q;   // cycles since one was kept for a grant
  logic [3:0] owed_q;    // credits of the one that is watched
  logic arrives, got, credited;
  assign arrives = wavelet.valid && at == who_q && !command;
  assign got = back_valid && back_i.grant && back_at == who_q;
  assign credited = credit.valid && IdxW'(to_queue(credit.colour, 5'(NumColours))) == who_q;
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      who_q <= 32'(who_i) < N ? who_i : '0;
      level_q <= '0;
      command_q <= '0;
      others_q <= '0;
      none_q <= '0;
      since_q <= '1;
      owed_q <= '0;
    end else begin
      for (int unsigned c = 0; c < N; c++) begin
        level_q[c] <= level_q[c] + 2'(wavelet.valid && 32'(at) == c) - 2'(leaves[c]);
        if (leaves[c] && (level_q[c] == 2'd1 || level_q[c] == 2'd0)) command_q[c] <= 1'b0;
        if (wavelet.valid && 32'(at) == c && !(leaves[c] && level_q[c] == 2'd0)) command_q[c] <= command;
      end
      if (!granted[who_q] || given[who_q]) others_q <= '0;
      else if (given != '0) others_q <= others_q + 6'd1;
      none_q <= granted == '0 || given != '0 ? '0 : none_q + 3'(none_q != '1);
      since_q <= turn ? '0 : since_q + 2'(since_q != '1);
      owed_q <= owed_q + 4'(arrives) + (got ? count : '0) - 4'(credited);
    end
  end

  assign bad_late_o = up_q && granted[who_q] && given != '0 && !given[who_q] && 32'(others_q) == Most;
  assign bad_no_turn_o = up_q && none_q == 3'd4;
  assign bad_too_many_o = up_q && turn && since_q != '1;
  assign bad_credit_o = up_q && ((credited && owed_q == '0) || (!busy && owed_q != '0));
  assign seen_last_o = up_q && given[who_q] && 32'(others_q) == Most - 1;
  assign seen_turn_o = up_q && turn && given[who_q];

endmodule
