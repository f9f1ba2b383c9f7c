// SPDX-License-Identifier: Apache-2.0
// Test top: ow_engine on ow_sram. The test writes descriptors and instructions, plays the ramp's
// queues and the reducer, and disturbs the memory through the core's ports.
`include "ow_assert.svh"

module ow_engine_tb
  import ow_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,
  parameter int unsigned SramBytes = 8192,
  parameter int unsigned SramBanks = FULL_SRAM_BANKS,
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  parameter int unsigned LineSlots = FULL_LINE_SLOTS,
  parameter int unsigned WriteSlots = FULL_WRITE_SLOTS,
  parameter int unsigned PackSlots = FULL_PACK_SLOTS,
  parameter bit Small = 1'b0,
  parameter logic [31:0] Features = FULL_FEATURES,
  parameter logic [31:0] Operations = FULL_OPERATIONS
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                tensor_valid_i,
  input  logic [6:0]          op_i,
  input  logic [2:0]          ty_i,
  input  logic [31:0]         ctl_i,
  input  logic [31:0]         scalar_i,
  output logic                tensor_ready_o,
  output logic                tensor_quick_o,
  output logic                sync_done_o,
  input  logic                dsr_we_i,
  input  logic                dsr_re_i,
  input  logic [4:0]          dsr_idx_i,
  input  logic [2:0]          dsr_word_i,
  input  logic [31:0]         dsr_wdata_i,
  output logic                dsr_ready_o,
  output logic                dsr_rvalid_o,
  output logic [31:0]         dsr_rdata_o,
  input  logic [7:0]          inq_valid_i,
  input  logic [7:0]          inq_ctrl_i,
  input  logic [7:0][31:0]    inq_data_i,
  input  logic [7:0]          inq_more_i,
  output logic [7:0]          inq_pop_o,
  output logic [7:0]          inq_owned_o,
  input  logic [31:0]         outq_level_i,
  output logic                push_o,
  output logic [2:0]          push_q_o,
  output logic                push_ctrl_o,
  output logic [31:0]         push_data_o,
  output logic                done_valid_o,
  output logic [1:0]          done_kind_o,
  output logic [4:0]          done_task_o,
  output logic                red_start_o,
  input  logic                red_busy_i,
  output logic                row_closed_o,
  output logic                row_written_o,
  input  logic                row_free_i,
  input  logic [3:0]          acc_raddr_i,
  output logic [32*Lanes-1:0] acc_rdata_o,
  input  logic                halt_i,
  input  logic                prng_we_i,
  input  logic [1:0]          prng_sel_i,
  input  logic [31:0]         prng_wdata_i,
  output logic [31:0]         prng_rdata_o,
  output logic                prng_busy_o,
  output logic [31:0]         fault_o,
  output logic [31:0]         fault_pc_o,
  output logic [23:0]         fault_addr_o,
  input  logic [3:0]          thread_sel_i,
  output logic [31:0]         thread_state_o,
  output logic                ev_beat_o,
  output logic                ev_weight_o,
  output counter_e            cause_o,
  output logic                idle_o,
  // The core's loads and fetches, and the control plane's port.
  input  logic                lsu_req_i,
  input  logic [23:0]         lsu_addr_i,
  output logic                lsu_gnt_o,
  output logic [31:0]         lsu_rdata_o,
  input  logic                fetch_req_i,
  input  logic [23:0]         fetch_addr_i,
  input  logic                ctl_req_i,
  input  logic                ctl_we_i,
  input  logic [23:0]         ctl_addr_i,
  input  logic [31:0]         ctl_wdata_i,
  output logic                ctl_gnt_o,
  output logic [31:0]         ctl_rdata_o
);

  localparam int unsigned VecBytes = 2 * Lanes;

  logic rd0_req, rd0_gnt, rd0_rvalid, rd1_req, rd1_gnt, rd1_rvalid, wr_req, wr_gives, wr_gnt;
  logic [23:0] rd0_addr, rd1_addr, wr_addr;
  logic [8*VecBytes-1:0] rd0_rdata, rd1_rdata, wr_wdata;
  logic [VecBytes-1:0] wr_be;
  ramp_t [7:0] heads;
  ramp_t push;

  always_comb begin
    for (int unsigned q = 0; q < 8; q++) begin
      heads[q].ctrl = inq_ctrl_i[q];
      heads[q].data = inq_data_i[q];
    end
  end
  assign push_ctrl_o = push.ctrl;
  assign push_data_o = push.data;

  // The reducer's adder, where it is the engine's, too.
  fp_ask_t fp_ask;
  logic fp_ready;
  logic [31:0] fp_result;
  if (Small) begin : gen_adder
    ow_fp_serial u_fp (
      .clk_i, .rst_i, .load_i(fp_ask.load), .keep_i(fp_ask.keep), .last_i(fp_ask.last),
      .wide_i(fp_ask.wide), .neg_i(fp_ask.neg), .term_i(fp_ask.term), .factor_i(fp_ask.factor),
      .narrow_i(fp_ask.narrow), .ready_o(fp_ready), .result_o(fp_result)
    );
  end else begin : gen_no_adder
    assign {fp_ready, fp_result} = '0;
  end

  // A small engine pushes in every second cycle.
  logic turn_q, turn;
  always_ff @(posedge clk_i) turn_q <= !turn_q && !rst_i;
  assign turn = !Small || turn_q;
  `OW_ASSERT(taken_awake, !(tensor_valid_i && tensor_ready_o && idle_o),
             "an instruction is taken by an engine that sleeps")
  `OW_ASSERT(in_turn, !push_o || turn, "the engine pushes in another one's turn")

  logic hold, active;
  logic [1:0] hold_look;
  logic [1:0] red_kind;
  logic [4:0] red_task;

  localparam int unsigned RowW = 20 - $clog2(SramBanks);
  logic [SramBanks-1:0] gth_req, gth_we, gth_gnt;
  logic [SramBanks-1:0][RowW-1:0] gth_row;
  logic [SramBanks-1:0][7:0] gth_be;
  logic [SramBanks-1:0][63:0] gth_wdata, gth_rdata;

  ow_engine #(.Lanes(Lanes), .SramBytes(SramBytes), .SramBanks(SramBanks), .NumThreads(NumThreads),
              .LineSlots(LineSlots), .WriteSlots(WriteSlots), .PackSlots(PackSlots),
              .Small(Small),
              .Features(Features), .Operations(Operations)) u_engine (
    .clk_i, .rst_i, .halt_i,
    .tensor_here_i(tensor_valid_i), .tensor_valid_i,
    .tensor_i({op_i, ty_i, ctl_i, scalar_i, 32'h100}), .tensor_ready_o, .tensor_quick_o,
    .tensor_sync_done_o(sync_done_o), .hold_o(hold), .host_waits_i(ctl_req_i && !ctl_gnt_o),
    .look_addr_i({24'd0, lsu_addr_i}),
    .hold_look_o(hold_look),
    .dsr_we_i, .dsr_re_i, .dsr_idx_i, .dsr_word_i, .dsr_wdata_i, .dsr_ready_o,
    .dsr_rvalid_o, .dsr_rdata_o,
    .rd0_req_o(rd0_req), .rd0_addr_o(rd0_addr), .rd0_gnt_i(rd0_gnt), .rd0_rvalid_i(rd0_rvalid),
    .rd0_rdata_i(rd0_rdata),
    .rd1_req_o(rd1_req), .rd1_addr_o(rd1_addr), .rd1_gnt_i(rd1_gnt), .rd1_rvalid_i(rd1_rvalid),
    .rd1_rdata_i(rd1_rdata),
    .wr_req_o(wr_req), .wr_gives_o(wr_gives), .wr_addr_o(wr_addr), .wr_be_o(wr_be), .wr_wdata_o(wr_wdata),
    .wr_gnt_i(wr_gnt),
    .gth_req_o(gth_req), .gth_we_o(gth_we), .gth_row_o(gth_row), .gth_be_o(gth_be),
    .gth_wdata_o(gth_wdata), .gth_gnt_i(gth_gnt), .gth_rdata_i(gth_rdata),
    .inq_valid_i, .inq_head_i(heads), .inq_more_i, .inq_pop_o, .inq_owned_o, .red_owned_i(8'd0),
    .fp_o(fp_ask), .fp_ready_i(fp_ready), .fp_result_i(fp_result), .outq_level_i, .eng_turn_i(turn),
    .eng_push_o(push_o), .eng_q_o(push_q_o), .eng_data_o(push),
    .done_valid_o, .done_kind_o, .done_task_o,
    .red_start_o, .red_start_kind_o(red_kind), .red_start_task_o(red_task), .red_busy_i,
    .row_closed_o, .row_closed_written_o(row_written_o), .row_free_i,
    .acc_raddr_i, .acc_rdata_o,
    .prng_we_i, .prng_sel_i, .prng_wdata_i, .prng_rdata_o, .prng_busy_o,
    .fault_o, .fault_pc_o, .fault_addr_o, .thread_sel_i, .thread_state_o, .ev_beat_o, .ev_weight_o,
    .cause_o, .active_o(active), .idle_o
  );

  logic red_gnt, red_rvalid, lsu_rvalid, fetch_gnt, fetch_rvalid, ctl_rvalid, sram_idle;
  logic [63:0] red_rdata, fetch_rdata;

  ow_sram #(.SramBytes(SramBytes), .SramBanks(SramBanks), .Lanes(Lanes)) u_sram (
    .clk_i, .rst_i,
    .wr_req_i(wr_req), .wr_gives_i(wr_gives), .wr_addr_i(wr_addr), .wr_be_i(wr_be), .wr_wdata_i(wr_wdata),
    .wr_gnt_o(wr_gnt),
    .rd0_req_i(rd0_req), .rd0_addr_i(rd0_addr), .rd0_gnt_o(rd0_gnt), .rd0_rvalid_o(rd0_rvalid),
    .rd0_rdata_o(rd0_rdata),
    .rd1_req_i(rd1_req), .rd1_addr_i(rd1_addr), .rd1_gnt_o(rd1_gnt), .rd1_rvalid_o(rd1_rvalid),
    .rd1_rdata_o(rd1_rdata),
    .red_req_i(1'b0), .red_we_i(1'b0), .red_be_i('0), .red_addr_i('0), .red_wdata_i('0),
    .red_gnt_o(red_gnt), .red_rvalid_o(red_rvalid), .red_rdata_o(red_rdata),
    .lsu_req_i(lsu_req_i && !hold_look[0]), .lsu_we_i(1'b0), .lsu_be_i('0), .lsu_addr_i, .lsu_wdata_i('0),
    .lsu_gnt_o, .lsu_rvalid_o(lsu_rvalid), .lsu_rdata_o,
    .fetch_req_i, .fetch_addr_i, .fetch_gnt_o(fetch_gnt), .fetch_rvalid_o(fetch_rvalid),
    .fetch_rdata_o(fetch_rdata),
    .ctl_req_i(ctl_req_i && !hold), .ctl_we_i, .ctl_addr_i, .ctl_wdata_i, .ctl_gnt_o, .ctl_rvalid_o(ctl_rvalid),
    .ctl_rdata_o,
    .gth_req_i(gth_req), .gth_we_i(gth_we), .gth_row_i(gth_row), .gth_be_i(gth_be),
    .gth_wdata_i(gth_wdata), .gth_gnt_o(gth_gnt), .gth_rdata_o(gth_rdata),
    .idle_o(sram_idle)
  );

  logic unused;
  assign unused = ^{red_gnt, red_rvalid, red_rdata, lsu_rvalid, fetch_gnt,
                    fetch_rvalid, fetch_rdata, ctl_rvalid, sram_idle, fp_ask, red_kind,
                    red_task, hold_look[1], active};

endmodule
