// SPDX-License-Identifier: Apache-2.0
//
// One tile: RISC-V core, tensor engine, reducer, SRAM, ramp queues, control-plane endpoint, router.
// A simulation Verilates this block once and instantiates it as often as the grid needs. So its
// ports are only the four edges, the reset, the cycle count and what a scoreboard watches.
// Everything else is reached through the control plane (docs/memory-map.md).
//
// Every output to a link is a register, and a hop costs one cycle. With InputRegs the same machine
// is cut on the other side of those registers: inputs go to registers and nothing else, and outputs
// are the next values of the neighbours' registers. A simulator that copies the outputs to the
// neighbours after each edge sees the same words in the same cycles. No logic depends on a port
// then, so each part is evaluated once per cycle. The registers in the tile are those of the cycle
// before.
//
// idle_o: no state of the tile changes before a link input is not zero. It is low in the cycle in
// which something arrives, and otherwise follows the state by one cycle (an AND of the blocks'
// registers). So a clock enable of "not idle_o, or a link input is not zero" loses nothing.
//
// The default parameters are those of the configuration `full` (sw/isa/machine.yaml).

`include "ow_assert.svh"

module ow_tile
  import ow_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,                 // 16-bit SIMD lanes: 2, 4, 8
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,        // a multiple of 64, up to 2 MB
  parameter int unsigned SramBanks = FULL_SRAM_BANKS,        // 2, 4 or 8; with 8 lanes 4 at least
  parameter int unsigned NumColours = FULL_NUM_COLOURS,      // data colours: 2 to 24
  parameter int unsigned NumThreads = FULL_NUM_THREADS,      // task thread, microthreads: 2 to 13
  parameter int unsigned QueueDepth = FULL_QUEUE_DEPTH,      // wavelets in each ramp queue: 4 or 8
  parameter int unsigned LineSlots = FULL_LINE_SLOTS,        // lines an operand reads ahead: 4 or 8
  parameter int unsigned WriteSlots = FULL_WRITE_SLOTS,      // lines of the write buffer: 4 to 24
  parameter int unsigned PackSlots = FULL_PACK_SLOTS,        // vectors to output queues: 9 to 64
  parameter int unsigned ReduceAdders = FULL_REDUCE_ADDERS,  // adders of the reducer: 1 or 3
  parameter int unsigned SmallRouter = FULL_SMALL_ROUTER,    // 1: half the area (ow_router)
  parameter int unsigned SmallTile = FULL_SMALL_TILE,        // 1: the rest for area, not the clock
  parameter bit          ClockGates = 1'b0,                  // 1: a unit that sleeps has no clock
  // What there is, as the registers of these names tell it (docs/memory-map.md).
  parameter logic [31:0] Features = FULL_FEATURES,
  parameter logic [31:0] Operations = FULL_OPERATIONS,
  parameter bit          InputRegs = 1'b0                    // registers at inputs, not outputs
) (
  input  logic            clk_i,
  input  logic            rst_i,     // synchronous; registered in the tile
  input  logic            scan_en_i, // test of the chip: no unit's clock is stopped
  input  logic [47:0]     cycle_i,   // the reticle's cycle count; time is not tile state
  input  ow_pkg::link_t   link_n_i,
  input  ow_pkg::link_t   link_e_i,
  input  ow_pkg::link_t   link_s_i,
  input  ow_pkg::link_t   link_w_i,
  output ow_pkg::link_t   link_n_o,
  output ow_pkg::link_t   link_e_o,
  output ow_pkg::link_t   link_s_o,
  output ow_pkg::link_t   link_w_o,
  input  logic            test_i,            // the station beside the tile has the endpoint
  input  logic            test_req_valid_i,  // ow_test_port says how these work
  input  ow_pkg::ramp_t   test_req_i,
  output logic            test_req_ready_o,
  output logic            test_rsp_valid_o,
  output ow_pkg::ramp_t   test_rsp_o,
  input  logic            test_rsp_ready_i,
  output logic            idle_o,
  output ow_pkg::retire_t retire_o   // the retired instruction, for a scoreboard
);

  `OW_ASSERT_INIT(SramRange, SramBytes >= 1024 && SramBytes <= 2097152 && SramBytes % 64 == 0)
  `OW_ASSERT_INIT(ColourRange, NumColours >= 2 && NumColours <= MAX_DATA_COLOURS)

  localparam features_reg_t Tile = Features;
  localparam operations_reg_t Engine = Operations;
  localparam int unsigned Queues = 32'(Tile.queues);
  // The ranges of what a tile may have.
  `OW_ASSERT_INIT(FifosRange, Tile.fifos <= 3'(NUM_FIFOS))
  `OW_ASSERT_INIT(FiltersRange, Tile.filters <= 3'(NUM_FILTERS))
  `OW_ASSERT_INIT(PositionsRange, Tile.positions >= 3'd1 && Tile.positions <= 3'(NUM_POSITIONS))
  `OW_ASSERT_INIT(SmallRange, SmallRouter <= 1 && SmallTile <= 1 && (SmallTile == 0 || ReduceAdders == 1))
  `OW_ASSERT_INIT(DotwRows, !Tile.dotw_rows || Engine.reductions)
  `OW_ASSERT_INIT(TasksAll, Tile.tasks == 5'(NUM_TASKS - 1))

  localparam int unsigned VecBytes = 2 * Lanes;
  localparam int unsigned RowW = 20 - $clog2(SramBanks);  // of a row's number at the banks

  // The units' clocks and reset (ow_tile_clocks).
  logic router_clk, links_clk, test_clk, ramp_clk, host_clk, memory_clk, core_clk, engine_clk, reduce_clk;
  logic resets, rst_q, comes;
  assign comes = {link_n_i.wavelet.valid, link_n_i.credit.valid, link_e_i.wavelet.valid,
                  link_e_i.credit.valid, link_s_i.wavelet.valid, link_s_i.credit.valid,
                  link_w_i.wavelet.valid, link_w_i.credit.valid} != '0;

  // What the tile sees of its inputs; reset, links and the test port have registers of their own.
  logic [47:0] cycle;
  if (InputRegs) begin : gen_inputs
    logic [47:0] cycle_q;
    always_ff @(posedge clk_i) cycle_q <= cycle_i;
    assign cycle = cycle_q;
  end else begin : gen_outputs
    assign cycle = cycle_i;
  end

  // ------------------------------------------------------------------------------------- router --
  wavelet_t inj, ej;
  logic [NumColours-1:0] inj_space, ej_ready, ej_owed;
  ramp_t req_w, rsp_w;
  logic req_valid, req_brief, req_ready, rsp_valid, rsp_ready;
  logic rt_we, torn, ask_valid, ask_ready;
  logic [15:0] reg_addr;
  logic [31:0] rt_rdata, reg_wdata;
  logic router_idle, hears;

  ow_router #(
    .NumColours(NumColours), .NumFilters(32'(Tile.filters)), .NumPositions(32'(Tile.positions)),
    .Small(SmallRouter != 0), .Spaced(SmallTile != 0), .InputRegs(InputRegs)
  ) u_router (
    .clk_i(router_clk), .link_clk_i(links_clk), .rst_i(rst_q),
    .link_n_i, .link_e_i, .link_s_i, .link_w_i, .link_n_o, .link_e_o, .link_s_o, .link_w_o,
    .inj_i(inj), .inj_space_o(inj_space), .ej_ready_i(ej_ready), .ej_o(ej), .ej_owed_o(ej_owed),
    .req_o(req_w), .req_brief_o(req_brief), .req_valid_o(req_valid), .req_ready_i(req_ready),
    .rsp_i(rsp_w), .rsp_valid_i(rsp_valid), .rsp_ready_o(rsp_ready),
    .ask_i(reg_wdata), .ask_valid_i(ask_valid), .ask_ready_o(ask_ready),
    .cfg_we_i(rt_we), .cfg_addr_i(reg_addr), .cfg_wdata_i(reg_wdata),
    .stat_o(rt_rdata), .torn_o(torn), .hears_o(hears), .idle_o(router_idle)
  );

  // --------------------------------------------------------------------------------------- ramp --
  logic bind_we;
  logic [3:0] bind_addr;
  logic [5:0] bind_data;
  logic [NUM_QUEUES-1:0][5:0] inq_bind, outq_bind;
  logic [NUM_QUEUES-1:0] inq_valid, inq_pop, outq_ready;
  ramp_t [NUM_QUEUES-1:0] inq_head;
  logic [NUM_QUEUES-1:0][3:0] inq_level, outq_level;
  logic eng_push, red_push, core_push;
  logic [2:0] eng_push_q, red_push_q, core_push_q;
  ramp_t eng_push_data, red_push_data, core_push_data;
  logic ev_in, ev_out, ramp_idle;
  logic [NUM_QUEUES-1:0] eng_pop, red_pop, task_pop;

  // Run control: the tile stopped by an error; the resets of its compute part.
  logic halt, core_rst, unit_rst, ramp_clear;
  logic ramp_err, take_err;
  logic [4:0] ramp_err_cause, ramp_err_unit;
  logic [NUM_QUEUES-1:0] two_takers, two_takers_q;  // reported a cycle later
  logic [NUM_QUEUES-1:0] eng_owned, red_owned;  // queues that an instruction or a drain reads

  logic eng_turn, red_turn, core_turn;  // which of them may push
  assign inq_pop = eng_pop | red_pop | task_pop;
  assign two_takers = (eng_pop & red_pop) | (eng_pop & task_pop) | (red_pop & task_pop);
  assign take_err = two_takers_q != '0;

  // If this and an error of the ramp itself come in one cycle, this one is older. ERROR keeps the
  // first (ow_error), so the other one's cause is not reported, like that of any later error.
  always_ff @(posedge ramp_clk) begin
    if (rst_q) two_takers_q <= '0;
    else two_takers_q <= two_takers;
  end

  ow_ramp #(.NumColours(NumColours), .Queues(Queues), .QueueDepth(QueueDepth),
            .Small(SmallTile != 0)) u_ramp (
    .clk_i(ramp_clk), .rst_i(rst_q), .cycle_i(cycle[1:0]),
    .eng_turn_o(eng_turn), .red_turn_o(red_turn), .core_turn_o(core_turn),
    .ej_i(ej), .ej_ready_o(ej_ready), .ej_owed_i(ej_owed), .inj_o(inj), .inj_space_i(inj_space),
    .cfg_we_i(bind_we), .cfg_addr_i(bind_addr), .cfg_data_i(bind_data),
    .clear_i(ramp_clear), .inq_owned_i(eng_owned | red_owned),
    .inq_bind_o(inq_bind), .outq_bind_o(outq_bind),
    .inq_valid_o(inq_valid), .inq_head_o(inq_head), .inq_pop_i(inq_pop), .outq_ready_o(outq_ready),
    .eng_push_i(eng_push), .eng_q_i(eng_push_q), .eng_data_i(eng_push_data),
    .red_push_i(red_push), .red_q_i(red_push_q), .red_data_i(red_push_data),
    .core_push_i(core_push), .core_q_i(core_push_q), .core_data_i(core_push_data),
    .inq_level_o(inq_level), .outq_level_o(outq_level),
    .err_valid_o(ramp_err), .err_cause_o(ramp_err_cause), .err_unit_o(ramp_err_unit),
    .ctr_in_o(ev_in), .ctr_out_o(ev_out), .idle_o(ramp_idle)
  );

  // ----------------------------------------------------------------------- control-plane access --
  logic ctl_mem_req, ctl_mem_we, ctl_mem_gnt, ctl_mem_rvalid;
  logic [23:0] ctl_mem_addr;
  logic [31:0] ctl_mem_wdata, ctl_mem_rdata;
  logic ctl_reg_req, ctl_reg_we, ctl_reg_gnt, ctl_reg_rvalid;
  logic [15:0] ctl_reg_addr;
  logic [31:0] ctl_reg_wdata, reg_rdata;
  logic ep_idle;
  logic ep_req_valid, ep_req_brief, ep_req_ready, ep_rsp_valid, ep_rsp_ready, test_idle, test_off;
  ramp_t ep_req, ep_rsp;

  ow_test_port #(.InputRegs(InputRegs)) u_test_port (
    .clk_i(test_clk), .rst_i(rst_q), .test_i, .test_req_valid_i, .test_req_i, .test_req_ready_o,
    .test_rsp_valid_o, .test_rsp_o, .test_rsp_ready_i,
    .rt_req_valid_i(req_valid), .rt_req_i(req_w), .rt_req_brief_i(req_brief),
    .rt_req_ready_o(req_ready), .rt_rsp_valid_o(rsp_valid), .rt_rsp_o(rsp_w),
    .rt_rsp_ready_i(rsp_ready), .ep_req_valid_o(ep_req_valid), .ep_req_o(ep_req),
    .ep_req_brief_o(ep_req_brief), .ep_req_ready_i(ep_req_ready),
    .ep_rsp_valid_i(ep_rsp_valid), .ep_rsp_i(ep_rsp), .ep_rsp_ready_o(ep_rsp_ready),
    .idle_o(test_idle), .off_o(test_off)
  );

  ow_ctrl_ep #(.SramBytes(SramBytes), .Small(SmallTile != 0)) u_ctrl_ep (
    .clk_i(host_clk), .rst_i(rst_q), .req_valid_i(ep_req_valid), .req_i(ep_req),
    .req_brief_i(ep_req_brief), .req_ready_o(ep_req_ready),
    .rsp_valid_o(ep_rsp_valid), .rsp_o(ep_rsp), .rsp_ready_i(ep_rsp_ready),
    .mem_req_o(ctl_mem_req), .mem_we_o(ctl_mem_we), .mem_addr_o(ctl_mem_addr),
    .mem_wdata_o(ctl_mem_wdata), .mem_gnt_i(ctl_mem_gnt), .mem_rvalid_i(ctl_mem_rvalid),
    .mem_rdata_i(ctl_mem_rdata), .reg_req_o(ctl_reg_req), .reg_we_o(ctl_reg_we),
    .reg_addr_o(ctl_reg_addr), .reg_wdata_o(ctl_reg_wdata), .reg_gnt_i(ctl_reg_gnt),
    .reg_rvalid_i(ctl_reg_rvalid), .reg_rdata_i(reg_rdata), .idle_o(ep_idle)
  );

  // --------------------------------------------------------------------------------------- SRAM --
  logic if_req, if_gnt, if_rvalid;
  logic [23:0] if_addr;
  logic [63:0] if_rdata;
  logic dm_req, dm_we, dm_gnt, dm_rvalid;
  logic [3:0] dm_be;
  logic [23:0] dm_addr;
  logic [31:0] dm_wdata, dm_rdata;
  logic red_req, red_we, red_gnt, red_rvalid;
  logic [7:0] red_be;
  logic [23:0] red_addr;
  logic [63:0] red_wdata, red_rdata;
  logic rd0_req, rd0_gnt, rd0_rvalid, rd1_req, rd1_gnt, rd1_rvalid, wr_req, wr_gives, wr_gnt;
  logic [23:0] rd0_addr, rd1_addr, wr_addr;
  logic [8*VecBytes-1:0] rd0_rdata, rd1_rdata, wr_wdata;
  logic [VecBytes-1:0] wr_be;
  logic sram_idle;

  logic [SramBanks-1:0] gth_req, gth_we, gth_gnt, bank_req, bank_we, bank_gnt;
  logic [SramBanks-1:0][RowW-1:0] gth_row, bank_row;
  logic [SramBanks-1:0][7:0] gth_be, bank_be;
  logic [SramBanks-1:0][63:0] gth_wdata, bank_wdata, gth_rdata;
  logic mbist_start, mbist_busy;
  logic [1:0] mbist_sel;
  logic [31:0] mbist_rdata;

  ow_mbist_port #(.SramBytes(SramBytes), .SramBanks(SramBanks),
                  .Present(Tile.selftest)) u_mbist_port (
    .clk_i(memory_clk), .rst_i(rst_q),
    .start_i(mbist_start), .busy_o(mbist_busy), .sel_i(mbist_sel), .rdata_o(mbist_rdata),
    .gth_req_i(gth_req), .gth_we_i(gth_we), .gth_row_i(gth_row), .gth_be_i(gth_be),
    .gth_wdata_i(gth_wdata), .gth_gnt_o(gth_gnt),
    .bank_req_o(bank_req), .bank_we_o(bank_we), .bank_row_o(bank_row), .bank_be_o(bank_be),
    .bank_wdata_o(bank_wdata), .bank_gnt_i(bank_gnt), .bank_rdata_i(gth_rdata)
  );

  // The engine's last line is still to come, so no block may look for it.
  logic       tensor_hold;
  logic [1:0] tensor_hold_look;

  ow_sram #(.SramBytes(SramBytes), .SramBanks(SramBanks), .Lanes(Lanes), .Small(SmallTile != 0)) u_sram (
    .clk_i(memory_clk), .rst_i(rst_q), .ctl_req_i(ctl_mem_req && !tensor_hold && !mbist_busy),
    .ctl_we_i(ctl_mem_we), .ctl_addr_i(ctl_mem_addr), .ctl_wdata_i(ctl_mem_wdata),
    .ctl_gnt_o(ctl_mem_gnt), .ctl_rvalid_o(ctl_mem_rvalid), .ctl_rdata_o(ctl_mem_rdata),
    .lsu_req_i(dm_req && !tensor_hold_look[0]), .lsu_we_i(dm_we), .lsu_be_i(dm_be),
    .lsu_addr_i(dm_addr), .lsu_wdata_i(dm_wdata), .lsu_gnt_o(dm_gnt), .lsu_rvalid_o(dm_rvalid),
    .lsu_rdata_o(dm_rdata), .fetch_req_i(if_req), .fetch_addr_i(if_addr), .fetch_gnt_o(if_gnt),
    .fetch_rvalid_o(if_rvalid), .fetch_rdata_o(if_rdata),
    .red_req_i(red_req && !tensor_hold_look[1]), .red_we_i(red_we), .red_be_i(red_be),
    .red_addr_i(red_addr), .red_wdata_i(red_wdata), .red_gnt_o(red_gnt), .red_rvalid_o(red_rvalid),
    .red_rdata_o(red_rdata), .rd0_req_i(rd0_req), .rd0_addr_i(rd0_addr), .rd0_gnt_o(rd0_gnt),
    .rd0_rvalid_o(rd0_rvalid), .rd0_rdata_o(rd0_rdata), .rd1_req_i(rd1_req), .rd1_addr_i(rd1_addr),
    .rd1_gnt_o(rd1_gnt), .rd1_rvalid_o(rd1_rvalid), .rd1_rdata_o(rd1_rdata), .wr_req_i(wr_req),
    .wr_gives_i(wr_gives), .wr_addr_i(wr_addr), .wr_be_i(wr_be), .wr_wdata_i(wr_wdata),
    .wr_gnt_o(wr_gnt), .gth_req_i(bank_req), .gth_we_i(bank_we), .gth_row_i(bank_row),
    .gth_be_i(bank_be), .gth_wdata_i(bank_wdata), .gth_gnt_o(bank_gnt), .gth_rdata_o(gth_rdata),
    .idle_o(sram_idle)
  );

  // --------------------------------------------------------------------------------------- core --
  logic run, core_step, core_issue, stopped, stop_ebreak, core_asleep, wait_tensor, core_idle;
  logic [31:0] boot_pc, pc, tval;
  logic [23:0] stack_limit, text_limit;
  logic [4:0] cause;
  logic mm_req, mm_we, mm_gnt, mm_rvalid;
  logic [15:0] mm_addr;
  logic [31:0] mm_wdata;
  logic next_ready, next_pop, next_wait;
  logic [31:0] next_entry, next_arg;
  logic tensor_here, tensor_valid, tensor_ready, tensor_quick, tensor_sync_done;
  tensor_insn_t tensor;
  logic dsr_we, dsr_re, dsr_ready, dsr_rvalid;
  logic [4:0] dsr_idx;
  logic [2:0] dsr_word;
  logic [31:0] dsr_wdata, dsr_rdata;
  retire_t retire;

  assign retire_o = retire;

  ow_core #(.SramBytes(SramBytes), .Dsrs(32'(Tile.dsrs) + 1), .Small(SmallTile != 0)) u_core (
    .clk_i(core_clk), .rst_i(rst_q),
    .run_i(run && !halt), .step_i(core_step), .core_rst_i(core_rst), .boot_pc_i(boot_pc), .issue_o(core_issue),
    .stack_limit_i(stack_limit), .text_limit_i(text_limit),
    .pc_o(pc), .stopped_o(stopped), .stop_ebreak_o(stop_ebreak), .cause_o(cause), .tval_o(tval),
    .asleep_o(core_asleep), .wait_tensor_o(wait_tensor),
    .ifetch_req_o(if_req), .ifetch_addr_o(if_addr), .ifetch_gnt_i(if_gnt),
    .ifetch_rvalid_i(if_rvalid), .ifetch_rdata_i(if_rdata),
    .dmem_req_o(dm_req), .dmem_we_o(dm_we), .dmem_be_o(dm_be), .dmem_addr_o(dm_addr),
    .dmem_wdata_o(dm_wdata), .dmem_gnt_i(dm_gnt), .dmem_rvalid_i(dm_rvalid),
    .dmem_rdata_i(dm_rdata),
    .mmio_req_o(mm_req), .mmio_we_o(mm_we), .mmio_addr_o(mm_addr), .mmio_wdata_o(mm_wdata),
    .mmio_gnt_i(mm_gnt), .mmio_rvalid_i(mm_rvalid), .mmio_rdata_i(reg_rdata),
    .next_ready_i(next_ready), .next_entry_i(next_entry), .next_arg_i(next_arg),
    .next_pop_o(next_pop), .next_wait_o(next_wait),
    .tensor_here_o(tensor_here), .tensor_valid_o(tensor_valid), .tensor_o(tensor),
    .tensor_ready_i(tensor_ready), .tensor_quick_i(tensor_quick),
    .tensor_sync_done_i(tensor_sync_done), .tensor_hold_i(tensor_hold),
    .dsr_we_o(dsr_we), .dsr_re_o(dsr_re), .dsr_idx_o(dsr_idx), .dsr_word_o(dsr_word),
    .dsr_wdata_o(dsr_wdata), .dsr_ready_i(dsr_ready), .dsr_rvalid_i(dsr_rvalid), .dsr_rdata_i(dsr_rdata),
    .cycle_i(cycle), .retire_o(retire), .idle_o(core_idle)
  );

  // -------------------------------------------------------------------------------------- tasks --
  logic task_we, task_re;
  logic [31:0] task_rdata, task_late, regs_rdata;
  assign reg_rdata = regs_rdata | task_late;
  logic eng_done, red_done;
  logic [1:0] eng_done_kind, red_done_kind;
  logic [4:0] eng_done_task, red_done_task;
  logic tasks_idle;

  ow_tasks #(.Small(SmallTile != 0)) u_tasks (
    .clk_i(core_clk), .rst_i(rst_q), .core_rst_i(core_rst), .cfg_we_i(task_we), .cfg_re_i(task_re),
    .cfg_addr_i(reg_addr), .cfg_wdata_i(reg_wdata), .cfg_rdata_o(task_rdata), .cfg_late_o(task_late),
    .inq_valid_i(inq_valid), .inq_head_i(inq_head), .inq_owned_i(eng_owned | red_owned),
    .inq_pop_o(task_pop), .eng_done_valid_i(eng_done), .eng_done_kind_i(eng_done_kind),
    .eng_done_task_i(eng_done_task), .red_done_valid_i(red_done), .red_done_kind_i(red_done_kind),
    .red_done_task_i(red_done_task), .torn_i(torn),
    .next_ready_o(next_ready), .next_entry_o(next_entry), .next_arg_o(next_arg),
    .next_pop_i(next_pop), .next_wait_i(next_wait), .idle_o(tasks_idle)
  );

  // --------------------------------------------------------------------- tensor engine, reducer --
  logic red_start, red_busy;
  logic [1:0] red_start_kind;
  logic [4:0] red_start_task;
  logic row_closed, row_closed_written, row_free;
  logic [3:0] acc_raddr;
  logic [32*Lanes-1:0] acc_rdata;
  logic red_we_reg;
  logic [31:0] red_reg_rdata;
  logic [31:0] engine_fault, engine_fault_pc, prng_rdata;
  logic [23:0] engine_fault_addr;
  logic prng_we, prng_busy;
  logic [1:0] prng_sel;
  logic [3:0] thread_sel;
  logic [31:0] thread_state;
  counter_e eng_cause;
  logic       ev_beat, ev_weight, red_wait;
  logic [1:0] ev_red_elem;
  logic engine_active, engine_idle, red_idle;
  fp_ask_t fp_ask;
  logic red_fault, fp_ready;
  logic [4:0] red_fault_cause;
  logic [23:0] red_fault_addr;
  logic [31:0] fp_result, drain_pc_q;  // of the last drain that the engine took
  always_ff @(posedge engine_clk) begin
    if (red_start) drain_pc_q <= tensor.pc;
  end

  // Where a queue number is the unit of an error: the lowest queue.
  function automatic logic [4:0] queue_of(input logic [NUM_QUEUES-1:0] queues);
    logic [4:0] n;
    n = '0;
    for (int unsigned q = NUM_QUEUES; q > 0; q--) begin
      if (queues[q-1]) n = 5'(q - 1);
    end
    return n;
  endfunction

  logic [NUM_QUEUES-1:0] inq_more;
  always_comb begin
    for (int unsigned q = 0; q < NUM_QUEUES; q++) inq_more[q] = inq_level[q] > 4'd1;
  end

  ow_engine #(.Lanes(Lanes), .SramBytes(SramBytes), .SramBanks(SramBanks), .NumThreads(NumThreads),
              .QueueDepth(QueueDepth), .LineSlots(LineSlots), .WriteSlots(WriteSlots), .PackSlots(PackSlots),
              .Small(SmallTile != 0), .Features(Features), .Operations(Operations)) u_engine (
    .clk_i(engine_clk), .rst_i(unit_rst), .halt_i(halt),
    .tensor_here_i(tensor_here), .tensor_valid_i(tensor_valid), .tensor_i(tensor),
    .tensor_ready_o(tensor_ready), .tensor_quick_o(tensor_quick),
    .tensor_sync_done_o(tensor_sync_done), .hold_o(tensor_hold),
    .host_waits_i(ctl_mem_req && !ctl_mem_gnt),
    .look_addr_i({red_addr, dm_addr}), .hold_look_o(tensor_hold_look),
    .dsr_we_i(dsr_we), .dsr_re_i(dsr_re), .dsr_idx_i(dsr_idx), .dsr_word_i(dsr_word),
    .dsr_wdata_i(dsr_wdata), .dsr_ready_o(dsr_ready), .dsr_rvalid_o(dsr_rvalid), .dsr_rdata_o(dsr_rdata),
    .rd0_req_o(rd0_req), .rd0_addr_o(rd0_addr), .rd0_gnt_i(rd0_gnt), .rd0_rvalid_i(rd0_rvalid),
    .rd0_rdata_i(rd0_rdata),
    .rd1_req_o(rd1_req), .rd1_addr_o(rd1_addr), .rd1_gnt_i(rd1_gnt), .rd1_rvalid_i(rd1_rvalid),
    .rd1_rdata_i(rd1_rdata),
    .wr_req_o(wr_req), .wr_gives_o(wr_gives), .wr_addr_o(wr_addr), .wr_be_o(wr_be),
    .wr_wdata_o(wr_wdata), .wr_gnt_i(wr_gnt),
    .gth_req_o(gth_req), .gth_we_o(gth_we), .gth_row_o(gth_row), .gth_be_o(gth_be),
    .gth_wdata_o(gth_wdata), .gth_gnt_i(gth_gnt), .gth_rdata_i(gth_rdata),
    .inq_valid_i(inq_valid), .inq_head_i(inq_head), .inq_more_i(inq_more), .inq_pop_o(eng_pop),
    .inq_owned_o(eng_owned), .red_owned_i(red_owned),
    .outq_level_i(outq_level), .eng_turn_i(eng_turn), .eng_push_o(eng_push), .eng_q_o(eng_push_q),
    .eng_data_o(eng_push_data),
    .done_valid_o(eng_done), .done_kind_o(eng_done_kind), .done_task_o(eng_done_task),
    .red_start_o(red_start), .red_start_kind_o(red_start_kind),
    .red_start_task_o(red_start_task), .red_busy_i(red_busy),
    .row_closed_o(row_closed), .row_closed_written_o(row_closed_written), .row_free_i(row_free),
    .acc_raddr_i(acc_raddr), .acc_rdata_o(acc_rdata), .fp_o(fp_ask),
    .prng_we_i(prng_we), .prng_sel_i(prng_sel), .prng_wdata_i(reg_wdata),
    .prng_rdata_o(prng_rdata), .prng_busy_o(prng_busy),
    .fault_o(engine_fault), .fault_pc_o(engine_fault_pc), .fault_addr_o(engine_fault_addr),
    .thread_sel_i(thread_sel), .thread_state_o(thread_state),
    .fp_ready_i(fp_ready), .fp_result_i(fp_result), .ev_beat_o(ev_beat), .ev_weight_o(ev_weight),
    .cause_o(eng_cause), .active_o(engine_active), .idle_o(engine_idle)
  );

  ow_reduce #(.Lanes(Lanes), .SramBytes(SramBytes), .Queues(Queues), .Adders(ReduceAdders),
              .Bf16(Engine.bfloat16)) u_reduce (
    .clk_i(reduce_clk), .rst_i(unit_rst), .halt_i(halt),
    .fault_o(red_fault), .fault_cause_o(red_fault_cause), .fault_addr_o(red_fault_addr),
    .reg_we_i(red_we_reg), .reg_addr_i(reg_addr), .reg_wdata_i(reg_wdata),
    .reg_rdata_o(red_reg_rdata),
    .start_i(red_start), .start_kind_i(red_start_kind), .start_task_i(red_start_task),
    .busy_o(red_busy),
    .row_closed_i(row_closed), .row_closed_written_i(row_closed_written), .row_free_o(row_free),
    .acc_raddr_o(acc_raddr), .acc_rdata_i(acc_rdata), .eng_fp_i(fp_ask),
    .inq_valid_i(inq_valid), .inq_head_i(inq_head), .inq_pop_o(red_pop),
    .inq_owned_o(red_owned), .eng_ready_o(fp_ready), .eng_result_o(fp_result),
    .outq_ready_i(outq_ready), .red_turn_i(red_turn), .red_push_o(red_push), .red_q_o(red_push_q),
    .red_data_o(red_push_data),
    .mem_req_o(red_req), .mem_we_o(red_we), .mem_be_o(red_be), .mem_addr_o(red_addr),
    .mem_wdata_o(red_wdata), .mem_gnt_i(red_gnt), .mem_rvalid_i(red_rvalid),
    .mem_rdata_i(red_rdata),
    .done_valid_o(red_done), .done_kind_o(red_done_kind), .done_task_o(red_done_task),
    .ev_elem_o(ev_red_elem), .wait_o(red_wait), .idle_o(red_idle)
  );

  // ---------------------------------------------------------------------------------- registers --
  logic regs_idle;

  ow_regs #(.Lanes(Lanes), .SramBytes(SramBytes), .SramBanks(SramBanks), .NumColours(NumColours),
            .NumThreads(NumThreads), .Features(Features), .Operations(Operations)) u_regs (
    .clk_i(host_clk), .rst_i(rst_q), .cycle_i(cycle),
    .ctl_req_i(ctl_reg_req), .ctl_we_i(ctl_reg_we), .ctl_addr_i(ctl_reg_addr),
    .ctl_wdata_i(ctl_reg_wdata), .ctl_gnt_o(ctl_reg_gnt), .ctl_rvalid_o(ctl_reg_rvalid),
    .core_req_i(mm_req), .core_we_i(mm_we), .core_addr_i(mm_addr), .core_wdata_i(mm_wdata),
    .core_gnt_o(mm_gnt), .core_rvalid_o(mm_rvalid),
    .rdata_o(regs_rdata),
    .ask_valid_o(ask_valid), .ask_ready_i(ask_ready),
    .addr_o(reg_addr), .rt_we_o(rt_we), .rt_rdata_i(rt_rdata),
    .bind_we_o(bind_we), .bind_addr_o(bind_addr), .bind_data_o(bind_data),
    .inq_bind_i(inq_bind), .outq_bind_i(outq_bind),
    .inq_level_i(inq_level), .outq_level_i(outq_level), .outq_ready_i(outq_ready),
    .push_turn_i(core_turn), .push_o(core_push), .push_q_o(core_push_q), .push_data_o(core_push_data),
    .task_we_o(task_we), .task_re_o(task_re), .task_rdata_i(task_rdata),
    .red_we_o(red_we_reg), .red_rdata_i(red_reg_rdata),
    .wdata_o(reg_wdata),
    .run_o(run), .step_o(core_step), .core_rst_o(core_rst), .unit_rst_o(unit_rst), .ramp_clear_o(ramp_clear),
    .halt_o(halt), .boot_pc_o(boot_pc), .stack_limit_o(stack_limit), .text_limit_o(text_limit),
    .pc_i(pc), .stopped_i(stopped), .stop_ebreak_i(stop_ebreak), .cause_i(cause), .tval_i(tval),
    .asleep_i(core_asleep), .wait_tensor_i(wait_tensor), .issue_i(core_issue),
    .retire_i(retire.valid && !retire.trap),
    .engine_fault_i(engine_fault), .engine_fault_pc_i(engine_fault_pc),
    .engine_fault_addr_i(engine_fault_addr),
    .red_fault_i(red_fault), .red_fault_cause_i(red_fault_cause), .red_fault_pc_i(drain_pc_q),
    .red_fault_addr_i(red_fault_addr),
    .ramp_err_i(ramp_err || take_err),
    .ramp_err_cause_i(take_err ? RAMP_TWO_TAKERS : ramp_err_cause),
    .ramp_err_unit_i(take_err ? queue_of(two_takers_q) : ramp_err_unit),
    .prng_we_o(prng_we), .prng_sel_o(prng_sel), .prng_rdata_i(prng_rdata),
    .prng_busy_i(prng_busy),
    .unit_busy_i(engine_active || red_busy), .mbist_start_o(mbist_start), .mbist_sel_o(mbist_sel), .mbist_rdata_i(mbist_rdata),
    .thread_sel_o(thread_sel), .thread_state_i(thread_state),
    .ev_beat_i(ev_beat), .ev_red_elem_i(ev_red_elem), .ev_in_i(ev_in), .ev_out_i(ev_out),
    .ev_weight_i(ev_weight), .eng_cause_i(eng_cause), .red_wait_i(red_wait),
    .idle_o(regs_idle)
  );

  // --------------------------------------------------------------------------------------- idle --
  // Each block says whether its state stays as it is at this edge, given the inputs that it sees
  // now. When all do and nothing arrives, the next state is this state, so the next cycle is idle.
  logic [12:0] idles;
  assign idles = {!resets, router_idle, ramp_idle, ep_idle, test_idle, sram_idle, core_idle, tasks_idle,
                 engine_idle, red_idle, regs_idle, !mbist_busy, !hears && !take_err};
  if (InputRegs) begin : gen_idle_next
    assign idle_o = &idles;
  end else begin : gen_idle
    // Some of them arrive late in the cycle, so they are registered before the AND.
    logic [12:0] idles_q;
    always_ff @(posedge clk_i) idles_q <= idles;
    assign idle_o = &idles_q;
  end

  ow_tile_clocks #(.Gate(ClockGates), .InputRegs(InputRegs)) u_clocks (
    .clk_i, .rst_i, .scan_en_i, .rst_o(rst_q), .resets_o(resets),
    .links_idle_i(!hears && !comes), .test_idle_i(!test_i && test_off), .router_idle_i(router_idle && !hears),
    .ramp_idle_i(ramp_idle && inq_pop == '0 && !take_err), .host_idle_i(ep_idle && regs_idle),
    .memory_idle_i(sram_idle && !mbist_busy && !mbist_start), .core_idle_i(core_idle && tasks_idle),
    .engine_idle_i(engine_idle), .reduce_idle_i(red_idle),
    .links_clk_o(links_clk), .test_clk_o(test_clk), .router_clk_o(router_clk), .ramp_clk_o(ramp_clk),
    .host_clk_o(host_clk), .memory_clk_o(memory_clk), .core_clk_o(core_clk),
    .engine_clk_o(engine_clk), .reduce_clk_o(reduce_clk)
  );

  `OW_ASSERT(popper_awake, inq_pop == '0 || !(engine_idle && red_idle && tasks_idle && core_idle),
             "an input queue is popped by a unit that is idle")

endmodule
