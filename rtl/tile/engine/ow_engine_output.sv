// SPDX-License-Identifier: Apache-2.0
// Vectors of the tensor engine on their way to the output queues: a result from a register, or a
// move straight from stage M when nothing is ahead of it.
//
//   Lanes, NumThreads, QueueDepth, PackSlots   as of ow_engine
//   Queues       queues that anything is sent to (ow_pack)
//   alloc_*      places for vectors that are planned (ow_pack)
//   m_i, m_a_i   the beat in stage M and its elements; fire_i: it goes
//   early_o      it leaves from stage M, in this cycle or in the next, and has no other result
//   r_valid_i, r_i, r_data_i   a result; late_valid_i: one of a reduction
//   sends_i      results for an output are under way
//   outq_level_i ...   output queues of the ramp; done_*_o: a thread whose last wavelet is pushed
//   idle_o       nothing is on its way
module ow_engine_output
  import ow_pkg::ramp_t;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = ow_pkg::FULL_LANES,
  parameter int unsigned NumThreads = ow_pkg::FULL_NUM_THREADS,
  parameter int unsigned QueueDepth = ow_pkg::FULL_QUEUE_DEPTH,
  parameter int unsigned Queues = ow_pkg::NUM_QUEUES,
  parameter int unsigned PackSlots = ow_pkg::FULL_PACK_SLOTS,
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  output logic [7:0]             alloc_ready_o,
  output logic [7:0]             alloc_more_o,
  input  logic                   alloc_valid_i,
  input  logic [2:0]             alloc_q_i,
  /* verilator lint_off UNUSEDSIGNAL */ // what concerns the output
  input  beat_t                  m_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [Lanes-1:0][31:0] m_a_i,
  input  logic                   fire_i,
  output logic                   early_o,
  input  logic                   r_valid_i,
  input  res_t                   r_i,
  input  logic [Lanes-1:0][31:0] r_data_i,
  input  logic                   late_valid_i,
  input  logic                   sends_i,
  input  logic [7:0][3:0]        outq_level_i,
  output logic                   push_o,
  output logic [2:0]             q_o,
  output ramp_t                  data_o,
  output logic                   done_valid_o,
  output logic [ThreadW-1:0]     done_thread_o,
  output logic                   idle_o
);

  logic                   o_valid_q;
  /* verilator lint_off UNUSEDSIGNAL */ // what concerns the output
  res_t                   o_q, pk;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Lanes-1:0][31:0] o_data_q;
  logic                   may_early, move, early_out, early_hold, pk_idle;

  // Moves leave from stage M when nothing is ahead of them. A move that skips zeros leaves a cycle
  // later, after a cycle that finds its zeros. The packer makes a place before the beat fires.
  assign move = m_i.data && m_i.raw && m_i.r.out;
  assign may_early = move && !sends_i && !late_valid_i;
  assign early_out = fire_i && may_early && !m_i.r.skip && !o_valid_q;
  assign early_hold = fire_i && may_early && m_i.r.skip;
  assign early_o = early_out || early_hold;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      o_valid_q <= 1'b0;
    end else if (r_valid_i && r_i.out) begin
      o_valid_q <= 1'b1;
      o_q <= r_i;
      o_data_q <= r_data_i;
    end else if (early_hold) begin
      o_valid_q <= 1'b1;
      o_q <= m_i.r;
      o_data_q <= m_a_i;
    end else if (o_valid_q) begin
      o_valid_q <= 1'b0;
    end
  end

  assign pk = o_valid_q ? o_q : m_i.r;

  ow_pack #(.Lanes(Lanes), .NumThreads(NumThreads), .QueueDepth(QueueDepth),
            .Queues(Queues), .Slots(PackSlots)) u_pack (
    .clk_i, .rst_i,
    .alloc_ready_o, .alloc_more_o, .alloc_valid_i, .alloc_q_i,
    .vec_may_i(o_valid_q || (move && !m_i.r.skip)), .vec_valid_i(o_valid_q || early_out),
    .vec_q_i(pk.out_q), .vec_thread_i(ThreadW'(pk.thread)),
    .vec_w32_i(pk.sz == 2'd2), .vec_tag_i(pk.tag), .vec_skip_i(pk.skip),
    .vec_float_i(pk.flt), .vec_mask_i(o_q.mask[Lanes-1:0]), .vec_data_i(o_data_q),
    .raw_i(!o_valid_q), .raw_mask_i(m_i.r.mask[Lanes-1:0]), .raw_data_i(m_a_i),
    .vec_idx_i(pk.idx), .vec_last_i(pk.out_end), .vec_drop_i(pk.cut),
    .vec_close_i(pk.out_end && pk.out_close), .vec_row_end_i(pk.row_end),
    .vec_stream_end_i(pk.stream_end),
    .outq_level_i, .push_o, .q_o, .data_o, .done_valid_o, .done_thread_o, .idle_o(pk_idle)
  );

  assign idle_o = !o_valid_q && pk_idle;

endmodule
