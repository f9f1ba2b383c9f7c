// SPDX-License-Identifier: Apache-2.0
// Properties of ow_fifo against a count and one marked element, with any sequence of push and pop,
// including pushes when it is full and pops when it is empty. An input chooses the push that is
// marked, so the properties hold for every element.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module fifo_props #(
  parameter int unsigned Width = 2,
  parameter int unsigned Depth = 4,
  localparam int unsigned LevelW = $clog2(Depth + 1)
) (
  input  logic             clk_i,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  input  logic             pop_i,
  input  logic             mark_i,
  output logic             bad_full_o,
  output logic             bad_empty_o,
  output logic             bad_level_o,
  output logic             bad_data_o,   // the head is not the marked element when it is its turn
  output logic             seen_full_o,
  output logic             seen_dropped_o,
  output logic             seen_behind_others_o,  // the marked one left a queue that was full
  output logic             seen_both_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic full, empty;
  logic [Width-1:0] head;
  logic [LevelW-1:0] level;

  ow_fifo #(.Width(Width), .Depth(Depth)) u_fifo (
    .clk_i,
    .rst_i  (!up_q),
    .push_i,
    .data_i,
    .full_o (full),
    .pop_i,
    .data_o (head),
    .empty_o(empty),
    .level_o(level)
  );

  logic [LevelW-1:0] count_q, ahead_q;
  logic [Width-1:0] word_q;
  logic held_q, marked_q, last_q;
  logic in, out;
  assign in = push_i && count_q != LevelW'(Depth);
  assign out = pop_i && count_q != '0;

  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      count_q <= '0;
      ahead_q <= '0;
      word_q <= '0;
      held_q <= 1'b0;
      marked_q <= 1'b0;
      last_q <= 1'b0;
    end else begin
      count_q <= count_q + LevelW'(in) - LevelW'(out);
      if (mark_i && in && !marked_q) begin
        marked_q <= 1'b1;
        held_q <= 1'b1;
        word_q <= data_i;
        ahead_q <= count_q - LevelW'(out);
        last_q <= count_q == LevelW'(Depth - 1) && !out;
      end else if (held_q && out) begin
        if (ahead_q == '0) held_q <= 1'b0;
        ahead_q <= ahead_q - LevelW'(ahead_q != '0);
      end
    end
  end

  assign bad_full_o = up_q && full != (count_q == LevelW'(Depth));
  assign bad_empty_o = up_q && empty != (count_q == '0);
  assign bad_level_o = up_q && level != count_q;
  assign bad_data_o = up_q && held_q && ahead_q == '0 && head != word_q;
  assign seen_full_o = up_q && full;
  assign seen_dropped_o = up_q && full && push_i && held_q && word_q != data_i;
  assign seen_behind_others_o = up_q && marked_q && !held_q && last_q;
  // With one slot a push in the cycle of the pop is dropped.
  assign seen_both_o = up_q && out && held_q && (Depth == 1 ? push_i : in);

endmodule
