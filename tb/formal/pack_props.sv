// SPDX-License-Identifier: Apache-2.0
// Properties of ow_pack's turns, with any vectors for which a place was claimed and any room in the
// queues. An input of the first cycle chooses the queue that is watched.
//
// A queue that in every cycle has a vector waiting, and room for it, is served after each other
// queue at most once. If any queue could be served in a cycle, one is.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module pack_props
  import ow_pkg::*;
#(
  parameter int unsigned Queues = 2,
  parameter int unsigned Slots = 4,
  localparam int unsigned Lanes = 2,
  localparam int unsigned Depth = 2
) (
  input  logic                   clk_i,
  input  logic [2:0]             who_i,
  input  logic                   alloc_i,
  input  logic [2:0]             alloc_q_i,
  input  logic                   vec_may_i,
  input  logic                   vec_i,
  input  logic [2:0]             vec_q_i,
  input  logic                   thread_i,
  input  logic                   w32_i,
  input  logic                   tag_i,
  input  logic [Lanes-1:0]       mask_i,
  input  logic                   last_i,
  input  logic                   drop_i,
  input  logic                   close_i,
  input  logic [7:0]             room_i,
  output logic                   bad_late_o,
  output logic                   bad_still_o,
  output logic                   seen_last_o,
  output logic                   seen_full_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [7:0] alloc_ready;
  logic [7:0][3:0] claims_q;  // of each queue: claimed, but not handed over yet
  logic alloc, may, valid;
  logic [7:0][3:0] level;
  assign alloc = up_q && alloc_i && 32'(alloc_q_i) < Queues && alloc_ready[alloc_q_i];
  assign may = up_q && vec_may_i && 32'(vec_q_i) < Queues;
  assign valid = may && vec_i && claims_q[vec_q_i] != '0;
  always_comb for (int unsigned q = 0; q < 8; q++) level[q] = room_i[q] ? '0 : 4'(Depth);

  ow_pack #(
    .Lanes(Lanes), .NumThreads(2), .QueueDepth(Depth), .Queues(Queues), .Slots(Slots)
  ) u_pack (
    .clk_i, .rst_i(!up_q), .alloc_ready_o(alloc_ready), .alloc_more_o(), .alloc_valid_i(alloc), .alloc_q_i,
    .vec_may_i(may), .vec_valid_i(valid), .vec_q_i, .vec_thread_i(thread_i), .vec_w32_i(w32_i),
    .vec_tag_i(tag_i), .vec_skip_i(1'b0), .vec_float_i(1'b0),
    .vec_mask_i(w32_i && mask_i[1] ? 2'b10 : mask_i), .vec_data_i('0), .vec_idx_i('0),
    .vec_last_i(last_i), .vec_drop_i(last_i && drop_i), .vec_close_i(last_i && close_i),
    .vec_row_end_i(1'b0), .vec_stream_end_i(1'b0), .raw_i(1'b0), .raw_mask_i('0), .raw_data_i('0),
    .outq_level_i(level), .push_o(), .q_o(), .data_o(), .done_valid_o(), .done_thread_o(), .idle_o()
  );

  // Signals inside the unit.
  logic [Queues-1:0] can;
  logic any;
  logic [2:0] served;
  assign can = u_pack.can;
  assign any = u_pack.any;
  assign served = 3'(u_pack.p);

  logic [2:0] who_q;
  logic [3:0] others_q;
  logic waits, other;
  assign waits = up_q && can[who_q];
  assign other = any && served != who_q;
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      who_q <= 32'(who_i) < Queues ? who_i : '0;
      others_q <= '0;
      claims_q <= '0;
    end else begin
      others_q <= waits && other ? others_q + 4'd1 : '0;
      for (int unsigned q = 0; q < 8; q++) begin
        claims_q[q] <= claims_q[q] + 4'(alloc && 32'(alloc_q_i) == q) - 4'(valid && 32'(vec_q_i) == q);
      end
    end
  end

  assign bad_late_o = waits && other && 32'(others_q) == Queues - 1;
  assign bad_still_o = up_q && (can != '0) && !(any && (can[served] || (valid && served == vec_q_i)));
  assign seen_last_o = waits && any && served == who_q && 32'(others_q) == Queues - 1;
  assign seen_full_o = up_q && (&u_pack.used_q);

endmodule
