// SPDX-License-Identifier: Apache-2.0
// Rows of the accumulator cache that an axpyw fills and the reducer empties. They are a ring. It
// starts at slot 0 when all rows that were closed before have been freed.
//
//   start_i, slots_i   a launch, rows of its ring (0 counts as 1, at most 16)
//   close_i, free_i    the row is closed; the reducer gives one back
//   product_i          a weight has been added to the row
//   ok_o         the row may be written
//   first_o      nothing is in it yet
//   wraps_o      the next one is slot 0
//   settled_o    nothing changes by itself
module ow_serial_rows (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       start_i,
  input  logic [4:0] slots_i,
  input  logic       close_i,
  input  logic       free_i,
  input  logic       product_i,
  output logic       ok_o,
  output logic       first_o,
  output logic       wraps_o,
  output logic       settled_o
);

  logic       waits_q;   // for the rows of the one before
  logic       first_q;
  logic [4:0] used_q, slots_q, slot_q;

  assign ok_o = waits_q ? used_q == '0 : used_q < slots_q;
  assign first_o = first_q;
  assign wraps_o = slot_q + 5'd1 == slots_q;
  assign settled_o = !(waits_q && used_q == '0);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      waits_q <= 1'b0;
      used_q <= '0;
    end else begin
      if (close_i != free_i) used_q <= close_i ? used_q + 5'd1 : used_q - 5'd1;
      if (start_i) waits_q <= 1'b1;
      else if (used_q == '0) waits_q <= 1'b0;
    end
    if (start_i) begin
      slots_q <= slots_i == '0 ? 5'd1 : slots_i;
      slot_q <= '0;
    end else if (close_i) begin
      slot_q <= wraps_o ? '0 : slot_q + 5'd1;
    end
    if (start_i || close_i) first_q <= 1'b1;
    else if (product_i) first_q <= 1'b0;
  end

endmodule
