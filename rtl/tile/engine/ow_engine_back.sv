// SPDX-License-Identifier: Apache-2.0
// The tensor engine from stage I2 on: executes the beats that ow_engine_front has planned. Lines
// are read ahead (ow_engine_operands). The oldest beat leaves the queue when its lines are there
// (ow_engine_beats) and goes through the datapath (ow_engine_execute). Its result goes to the write
// buffer (ow_engine_writes), the accumulator cache or the packer (ow_engine_output).
//
//   Lanes ... Operations   as of ow_engine
//   rd_i ...     operands of the beat in stage I1, index 0 a, 1 b, 2 dst (ow_engine_plan): whether
//                they are in SRAM if the beat has data; line; whether the next line is read too;
//                bytes. be_i: bytes of dst's line that it writes
//   hazard_o     some of these bytes have a pending write; hazard_slot_o: a write buffer slot that
//                has one. room_o: their lines have places; src_*: ow_engine_issue
//   beat_i       the beat, without write slot and lines; thread_i: its thread; out_q_i: its output
//                queue
//   issue_*_i, early_wr_i, slot_i, claim_i   what is issued of it (ow_engine_issue). word_i: each
//                word of a move to memory that goes straight into the write buffer
//   launch_i, launch_hot_i, kill_i   a thread is launched; which; threads with an index outside
//                memory
//   beats_*_o    the queue of beats has no free place, has one
//   direct_o     nothing that writes memory is under way; late_o, late_soon_o: results of reductions
//   fault_o ...  an index is outside memory
//   head_o ...   slots that are written; end_*_o ends of instructions (ow_engine_threads)
//   idle_o       nothing changes at this edge
`include "ow_assert.svh"

module ow_engine_back
  import ow_pkg::*;
  import ow_datapath_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter int unsigned SramBanks = FULL_SRAM_BANKS,
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  parameter int unsigned QueueDepth = FULL_QUEUE_DEPTH,
  parameter logic [31:0] Features = FULL_FEATURES,
  parameter logic [31:0] Operations = FULL_OPERATIONS,
  parameter int unsigned LineSlots = FULL_LINE_SLOTS,
  parameter int unsigned WriteSlots = FULL_WRITE_SLOTS,
  parameter int unsigned PackSlots = FULL_PACK_SLOTS,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned LineW = 8 * VecBytes,
  localparam int unsigned OffW = $clog2(VecBytes),
  localparam int unsigned TagW = 24 - OffW,
  localparam int unsigned RowW = 20 - $clog2(SramBanks),
  localparam int unsigned ThreadW = $clog2(NumThreads)
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  // Plan.
  input  logic [2:0]                 rd_i,
  input  logic [2:0][TagW-1:0]       line_i,
  input  logic [2:0]                 two_i,
  input  logic [2:0][2*VecBytes-1:0] need_i,
  input  logic [VecBytes-1:0]        be_i,
  output logic                       hazard_o,
  output wslot_t                     hazard_slot_o,
  output logic                       room_o,
  input  logic [3:0]                 src_row_i,
  input  logic [7:0]                 src_words_i,
  output logic                       src_meets_o,
  input  beat_t                      beat_i,
  input  logic [3:0]                 thread_i,
  input  logic [2:0]                 out_q_i,
  input  logic                       issue_data_i,
  input  logic                       issue_pipe_i,
  input  logic                       early_wr_i,
  input  logic                       slot_i,
  input  logic                       claim_i,
  input  logic [31:0]                word_i,
  input  logic                       launch_i,
  input  logic [NumThreads-1:0]      launch_hot_i,
  input  logic [NumThreads-1:0]      kill_i,
  // Resources.
  output logic                       beats_full_o,
  output logic                       beats_one_o,
  output logic                       wq_full_o,
  output logic                       wq_one_o,
  output logic [7:0]                 out_ready_o,
  output logic [7:0]                 out_more_o,
  output logic                       direct_o,
  output logic                       late_o,
  output logic [3:0]                 late_soon_o,
  // Events.
  output logic                       fault_o,
  output logic [3:0]                 fault_thread_o,
  output logic [23:0]                fault_addr_o,
  output logic                       head_o,
  output wslot_t                     head_slot_o,
  output logic                       first_o,
  output wslot_t                     first_slot_o,
  output logic                       end_mem_o,
  output logic [3:0]                 end_mem_thread_o,
  output logic                       end_beat_o,
  output logic [3:0]                 end_beat_thread_o,
  output logic                       end_late_o,
  output logic [3:0]                 end_late_thread_o,
  output logic                       end_out_o,
  output logic [ThreadW-1:0]         end_out_thread_o,
  output logic                       row_closed_o,
  output logic                       row_closed_written_o,
  // Memory.
  output logic                       rd0_req_o,
  output logic [23:0]                rd0_addr_o,
  input  logic                       rd0_gnt_i,
  input  logic                       rd0_rvalid_i,
  input  logic [LineW-1:0]           rd0_rdata_i,
  output logic                       rd1_req_o,
  output logic [23:0]                rd1_addr_o,
  input  logic                       rd1_gnt_i,
  input  logic                       rd1_rvalid_i,
  input  logic [LineW-1:0]           rd1_rdata_i,
  output logic                       wr_req_o,
  output logic                       wr_gives_o,
  output logic [23:0]                wr_addr_o,
  output logic [VecBytes-1:0]        wr_be_o,
  output logic [LineW-1:0]           wr_wdata_o,
  input  logic                       wr_gnt_i,
  output logic                       hold_o,
  input  logic                       host_waits_i,
  /* verilator lint_off UNUSEDSIGNAL */ // lines
  input  logic [1:0][23:0]           look_addr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [1:0]                 hold_look_o,
  output logic [SramBanks-1:0]           gth_req_o,
  output logic [SramBanks-1:0]           gth_we_o,
  output logic [SramBanks-1:0][RowW-1:0] gth_row_o,
  output logic [SramBanks-1:0][7:0]      gth_be_o,
  output logic [SramBanks-1:0][63:0]     gth_wdata_o,
  input  logic [SramBanks-1:0]           gth_gnt_i,
  input  logic [SramBanks-1:0][63:0]     gth_rdata_i,
  // Output queues, reducer, random generator.
  input  logic [7:0][3:0]            outq_level_i,
  output logic                       push_o,
  output logic [2:0]                 push_q_o,
  output ramp_t                      push_data_o,
  input  logic [3:0]                 acc_raddr_i,
  output logic [32*Lanes-1:0]        acc_rdata_o,
  input  logic                       prng_we_i,
  input  logic [1:0]                 prng_sel_i,
  input  logic [31:0]                prng_wdata_i,
  output logic [31:0]                prng_rdata_o,
  output logic                       idle_o
);

  localparam features_reg_t Tile = Features;
  localparam dp_has_t Has = dp_has(Tile, Operations);

  // ------------------------------------------------------------------------------- operands --
  logic                       m_valid, m_ready, m_wait, fire, early;
  beat_t                      m;
  logic [1:0]                 m_own, m_lends;
  res_t                       m_r;
  logic [Lanes-1:0][31:0]     m_a, m_b;
  logic [LineW-1:0]           m_d_line;
  logic [32*Lanes-1:0]        acc_row;
  logic                       g_valid, g_ready, g_fire;
  logic [SramBanks-1:0]       gth_ask;
  beat_t                      g;
  logic [Lanes-1:0][15:0]     g_idx;
  logic [Lanes-1:0][31:0]     g_data, gathered;
  logic [2:0][VecBytes-1:0]   pend;
  logic [2:0]                 hit;
  /* verilator lint_off UNUSEDSIGNAL */ // the addend has one line
  logic [2:0][1:0]            fresh;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                       operands_idle, flight_idle, writes_any, output_idle;

  // A line in memory has a shorter number. A line outside is a fault (ow_engine_plan), and no beat
  // that reads or writes it is issued. So the comparisons may ignore the upper bits.
  localparam int unsigned NumW = $clog2(SramBytes) - OffW;
  logic [2:0][NumW-1:0] line;
  assign line = {NumW'(line_i[2]), NumW'(line_i[1]), NumW'(line_i[0])};

  ow_engine_operands #(.Lanes(Lanes), .SramBytes(SramBytes), .SramBanks(SramBanks),
                       .LineSlots(LineSlots), .Gather(Tile.gather),
                       .Int8(Tile.int8)) u_operands (
    .clk_i, .rst_i,
    .plan_i(rd_i), .line_i(line),
    .need_i({need_i[2][VecBytes-1:0], need_i[1][VecBytes-1:0], need_i[0][VecBytes-1:0]}),
    .two_i, .pend_i(pend),
    .hit_o(hit), .fresh_o(fresh), .room_o, .commit_i(issue_data_i),
    .wr_i(slot_i), .wr_line_i(line[2]), .wr_be_i(be_i), .forget_i(launch_i),
    .rd0_req_o, .rd0_addr_o, .rd0_gnt_i, .rd0_rvalid_i, .rd0_rdata_i,
    .rd1_req_o, .rd1_addr_o, .rd1_gnt_i, .rd1_rvalid_i, .rd1_rdata_i,
    .m_valid_i(m_valid), .m_i(m), .m_own_i(m_own), .m_lends_i(m_lends),
    .ready_o(m_ready), .fire_i(fire), .acc_row_i(acc_row),
    .g_valid_i(g_valid), .g_i(g), .g_ready_o(g_ready), .g_fire_i(g_fire),
    .g_idx_o(g_idx), .g_data_o(g_data), .gathered_i(gathered),
    .a_o(m_a), .b_o(m_b), .d_line_o(m_d_line), .idle_o(operands_idle)
  );

  // ---------------------------------------------------------------------- queue of beats, M --
  beat_t  beat;
  wslot_t slot;
  logic   src_queued, src_under_way;

  always_comb begin
    beat = beat_i;
    if (beat_i.data) begin
      {beat.a.hit, beat.a.fresh} = {hit[0], fresh[0]};
      {beat.b.hit, beat.b.fresh} = {hit[1], fresh[1]};
      beat.d_hit = hit[2];
    end
    beat.r.slot_en = slot_i;
    beat.r.slot = slot;
  end

  ow_engine_beats #(.Lanes(Lanes), .SramBytes(SramBytes), .SramBanks(SramBanks),
                    .NumThreads(NumThreads), .Gather(Tile.gather)) u_beats (
    .clk_i, .rst_i,
    .push_i(issue_pipe_i), .beat_i(beat), .full_o(beats_full_o), .one_o(beats_one_o),
    .src_row_i, .src_words_i, .src_meets_o(src_queued),
    .launch_hot_i, .hold_i(hold_o), .kill_i, .fault_o, .fault_addr_o,
    .m_valid_o(m_valid), .m_o(m), .m_own_o(m_own), .m_lends_o(m_lends), .res_o(m_r),
    .ready_i(m_ready), .wait_i(m_wait), .fire_o(fire),
    .g_valid_o(g_valid), .g_o(g), .g_ready_i(g_ready), .g_fire_o(g_fire),
    .g_idx_i(g_idx), .g_data_i(g_data), .gathered_o(gathered),
    .gth_ask_o(gth_ask), .gth_req_o, .gth_we_o, .gth_row_o, .gth_be_o, .gth_wdata_o, .gth_gnt_i,
    .gth_rdata_i
  );
  assign fault_thread_o = m.r.thread;
  assign src_meets_o = src_queued || src_under_way;

  // ------------------------------------------------------------------------------- datapath --
  logic                   r_valid;
  res_t                   r;
  logic [Lanes-1:0][31:0] r_data;
  logic                   sends, writes, lates;  // results under way
  logic                   told;
  wslot_t                 told_slot;
  logic [1:0]             tell;

  ow_engine_execute #(.Lanes(Lanes), .Has(Has), .Nonlinear(Tile.nonlinear)) u_execute (
    .clk_i, .rst_i,
    .m_valid_i(m_valid), .m_i(m), .res_i(m_r), .m_a_i(m_a), .m_b_i(m_b), .d_line_i(m_d_line),
    .wait_o(m_wait), .fire_i(fire), .early_i(early), .acc_row_o(acc_row),
    .r_valid_o(r_valid), .r_o(r), .r_data_o(r_data), .late_valid_o(late_o),
    .ended_o(end_beat_o), .ended_thread_o(end_beat_thread_o), .tell_i(tell), .told_o(told),
    .told_slot_o(told_slot), .late_ended_o(end_late_o), .late_ended_thread_o(end_late_thread_o),
    .src_row_i, .src_words_i, .src_under_way_o(src_under_way),
    .sends_o(sends), .writes_o(writes), .late_o(lates), .late_soon_o,
    .acc_raddr_i, .acc_rdata_o, .prng_we_i, .prng_sel_i, .prng_wdata_i, .prng_rdata_o,
    .idle_o(flight_idle)
  );

  assign direct_o = !m_valid && !writes && !lates;
  assign row_closed_o = r_valid && r.close;
  assign row_closed_written_o = r.written;

  // --------------------------------------------------------------------------------- results --
  logic [LineW-1:0] r_line;
  logic             r_fill;
  assign r_fill = r_valid && r.slot_en;
  always_comb begin
    r_line = '0;
    if (direct_o) begin
      r_line = {LineW / 32{word_i}};
    end else if (r_fill) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        unique case (r.sz)
          2'd2: if (l < Lanes / 2) r_line[32*(l % (Lanes/2)) +: 32] = r_data[l];
          2'd1: r_line[16*l +: 16] = r_data[l][15:0];
          default: begin
            r_line[8*l +: 8] = r_data[l][7:0];
            r_line[8*(l+Lanes) +: 8] = r_data[l][7:0];
          end
        endcase
      end
    end
  end

  ow_engine_writes #(.Lanes(Lanes), .SramBytes(SramBytes), .SramBanks(SramBanks),
                     .Slots(WriteSlots)) u_writes (
    .clk_i, .rst_i,
    .full_o(wq_full_o), .one_o(wq_one_o), .any_o(writes_any),
    .alloc_i(slot_i), .alloc_line_i(line[2]), .alloc_be_i(be_i),
    .alloc_some_i(beat_i.data),
    .alloc_last_i(beat_i.r.last), .alloc_thread_i(thread_i), .alloc_fill_i(early_wr_i),
    .alloc_slot_o(slot),
    .rd_i, .rd_hit_i(hit), .rd_line_i(line), .rd_two_i(two_i), .rd_need_i(need_i),
    .hazard_o, .hazard_slot_o, .pend_o(pend),
    .fill_i(r_fill), .fill_slot_i(r.slot), .fill_data_i(r_line), .fill_kill_i(r_fill && r.kill),
    .rd0_req_i(rd0_req_o), .rd0_addr_i(rd0_addr_o), .rd1_req_i(rd1_req_o),
    .rd1_addr_i(rd1_addr_o), .gth_req_i(gth_ask),
    .wr_req_o, .wr_gives_o, .wr_addr_o, .wr_be_o, .wr_wdata_o, .wr_gnt_i,
    .head_o, .head_slot_o, .first_o, .first_slot_o,
    .done_o(end_mem_o), .done_thread_o(end_mem_thread_o),
    .told_i(told), .told_slot_i(told_slot), .hold_o, .host_waits_i, .tell_o(tell),
    .look_i({NumW'(look_addr_i[1] >> OffW), NumW'(look_addr_i[0] >> OffW)}), .hold_look_o
  );

  ow_engine_output #(.Lanes(Lanes), .NumThreads(NumThreads), .QueueDepth(QueueDepth),
                     .Queues(32'(Tile.queues)), .PackSlots(PackSlots)) u_output (
    .clk_i, .rst_i,
    .alloc_ready_o(out_ready_o), .alloc_more_o(out_more_o),
    .alloc_valid_i(claim_i), .alloc_q_i(out_q_i),
    .m_i(m), .m_a_i(m_a), .fire_i(fire), .early_o(early),
    .r_valid_i(r_valid), .r_i(r), .r_data_i(r_data), .late_valid_i(late_o), .sends_i(sends),
    .outq_level_i, .push_o, .q_o(push_q_o), .data_o(push_data_o),
    .done_valid_o(end_out_o), .done_thread_o(end_out_thread_o), .idle_o(output_idle)
  );

  for (genvar k = 0; k < 3; k++) begin : gen_in_memory
    `OW_ASSERT(line_in_memory, !(issue_data_i && rd_i[k]) ||
               32'(line_i[k]) + 32'(two_i[k]) < SramBytes / VecBytes,
               "a beat of data that reads outside memory")
  end

  assign idle_o = !m_valid && operands_idle && flight_idle && !writes_any && output_idle;

endmodule
