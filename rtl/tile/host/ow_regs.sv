// SPDX-License-Identifier: Apache-2.0
// The tile's register space (docs/memory-map.md). It decodes accesses, holds run control and
// identity, has the counters (ow_counters) and selects what is read. Registers that belong to a
// block live in that block.
//
// Protocol: core and control plane have a request/grant port each, and alternate when both ask. A
// request enters a register in one cycle; in the next it is granted and reads or writes. Read data
// comes in the cycle after the grant. A PUSH to a full output queue is not granted: it is tried
// again when the control plane has had its turn. Throughput: one access per cycle, one of each
// master every second cycle. Bounds: an access of the control plane is granted by the third cycle.
// The same holds for an access of the core that need not wait. An access that waits is tried at
// least every second cycle, from the second cycle on. In a small tile a PUSH may go in one cycle of
// four (push_turn_i); a PUSH with room keeps its place until then, so the bound is the sixth cycle
// for both masters.
//
// The control plane must never wait for firmware. So PUSH is the core's alone: a PUSH of the
// control plane is granted and has no effect. Reserved offsets read 0 and ignore writes.
//
// Errors: the first error of core, engine, reducer, ramp or a register access stops the tile
// (ow_error). halt_o is high from the cycle after the report until a reset of the core
// (CORE_CTRL.reset). Router, ramp transport and control plane go on. ebreak ends a program and is
// no error. Two accesses are errors and have no effect: the core starts the memory self-test, or
// the state of the random generator is written while an instruction uses it.

`include "ow_assert.svh"

module ow_regs
  import ow_pkg::*;
#(
  // The values of CONFIG, FEATURES and OPERATIONS; they decide which registers exist.
  parameter int unsigned Lanes = FULL_LANES,
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter int unsigned SramBanks = FULL_SRAM_BANKS,
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter int unsigned NumThreads = FULL_NUM_THREADS,
  parameter logic [31:0] Features = FULL_FEATURES,
  parameter logic [31:0] Operations = FULL_OPERATIONS
) (
  input  logic        clk_i,
  input  logic        rst_i,
  // The reticle's cycle count. It is read only at clock edges that have another reason to happen.
  input  logic [47:0] cycle_i,

  // Master 0: the control plane. Master 1: the core. rvalid comes in the cycle after a granted
  // read.
  input  logic        ctl_req_i,
  input  logic        ctl_we_i,
  input  logic [15:0] ctl_addr_i,
  input  logic [31:0] ctl_wdata_i,
  output logic        ctl_gnt_o,
  output logic        ctl_rvalid_o,
  input  logic        core_req_i,
  input  logic        core_we_i,
  input  logic [15:0] core_addr_i,
  input  logic [31:0] core_wdata_i,
  output logic        core_gnt_o,
  output logic        core_rvalid_o,
  output logic [31:0] rdata_o,

  // The offset of the access, for the registers that belong to other blocks, and its write data.
  output logic [15:0] addr_o,
  output logic [31:0] wdata_o,

  // Routes, switches, filters and status of the router.
  output logic        rt_we_o,
  input  logic [31:0] rt_rdata_i,
  // A request of one word of the core; its access waits until the router takes it.
  output logic        ask_valid_o,
  input  logic        ask_ready_i,

  // Ramp: bindings, levels, pushes of the core.
  output logic                               bind_we_o,
  output logic [3:0]                         bind_addr_o,
  output logic [5:0]                         bind_data_o,
  input  logic [NUM_QUEUES-1:0][5:0] inq_bind_i,
  input  logic [NUM_QUEUES-1:0][5:0] outq_bind_i,
  input  logic [NUM_QUEUES-1:0][3:0] inq_level_i,
  input  logic [NUM_QUEUES-1:0][3:0] outq_level_i,
  input  logic [NUM_QUEUES-1:0]      outq_ready_i,
  input  logic                               push_turn_i,  // a push may go in this cycle
  output logic                               push_o,
  output logic [2:0]                         push_q_o,
  output ramp_t                      push_data_o,

  // Tasks and reducer.
  output logic        task_we_o,
  output logic        task_re_o,    // a register of the tasks is read
  input  logic [31:0] task_rdata_i,
  output logic        red_we_o,
  input  logic [31:0] red_rdata_i,

  // Run control and state of the core and the engine.
  output logic                        run_o,
  output logic                        step_o,       // for one instruction
  output logic                        core_rst_o,   // one cycle
  output logic                        unit_rst_o,   // that cycle and the next: engine, reducer
  output logic                        ramp_clear_o, // empties the ramp's queues
  output logic                        halt_o,       // stopped by an error
  output logic [31:0]                 boot_pc_o,
  output logic [23:0]                 stack_limit_o,  // 0 after a reset of the core, too
  output logic [23:0]                 text_limit_o,
  input  logic [31:0]                 pc_i,
  input  logic                        stopped_i,
  input  logic                        stop_ebreak_i,
  input  logic [4:0]                  cause_i,
  input  logic [31:0]                 tval_i,
  input  logic                        asleep_i,
  input  logic                        wait_tensor_i,
  input  logic                        issue_i,   // an instruction completes or traps: ends a step
  input  logic                        retire_i,
  input  logic [31:0]                 engine_fault_i,  // as ENGINE_FAULT has it
  input  logic [31:0]                 engine_fault_pc_i,
  input  logic [23:0]                 engine_fault_addr_i,
  input  logic                        red_fault_i,
  input  logic [4:0]                  red_fault_cause_i,
  input  logic [31:0]                 red_fault_pc_i,
  input  logic [23:0]                 red_fault_addr_i,
  input  logic                        ramp_err_i,
  input  logic [4:0]                  ramp_err_cause_i,
  input  logic [4:0]                  ramp_err_unit_i,  // colour or queue
  output logic [3:0]                  thread_sel_o,
  input  logic [31:0]                 thread_state_i,  // THREAD word of thread_sel_o

  // State of the random generator: word prng_sel_o is written; prng_rdata_i is that word.
  output logic        prng_we_o,
  output logic [1:0]  prng_sel_o,
  input  logic [31:0] prng_rdata_i,
  input  logic        prng_busy_i,  // an instruction that rounds by it runs

  // Memory self-test: start, and its word mbist_sel_o. It does not start while the engine has an
  // instruction or the reducer a drain (unit_busy_i), nor for the core: that is an error of the tile.
  input  logic        unit_busy_i,
  output logic        mbist_start_o,
  output logic [1:0]  mbist_sel_o,
  input  logic [31:0] mbist_rdata_i,

  // Events to count (each one per cycle), and causes to time.
  input  logic        ev_beat_i,
  input  logic [1:0]  ev_red_elem_i,
  input  logic        ev_in_i,
  input  logic        ev_out_i,
  input  logic        ev_weight_i,
  input  counter_e    eng_cause_i,  // CTR_BEATS: busy; a stall, or no work: the time counts there
  input  logic        red_wait_i,

  // No register changes at this clock edge.
  output logic        idle_o
);

  `OW_ASSERT_INIT(LanesRange, Lanes == 2 || Lanes == 4 || Lanes == 8)
  `OW_ASSERT_INIT(ThreadsRange, NumThreads >= 2 && NumThreads <= 16)

  localparam features_reg_t Tile = Features;

  // -------------------------------------------------------------------------------- arbitration --
  logic last_core_q;  // the core had the last contended turn
  logic ctl_asks, core_asks;  // asks, and is not looked at already
  logic take_core, taken, stays;
  // The access that is looked at.
  logic req_q, sel_core, we;
  logic [15:0] addr;
  logic [31:0] wdata;
  logic push_q, ask_q, router_q;  // a PUSH of the core, a REQUEST; it belongs to the router
  logic push_hit, push_room, push_goes, ask_hit, wait_for;

  assign ctl_asks = ctl_req_i && !(req_q && !sel_core);
  assign core_asks = core_req_i && !(req_q && sel_core);
  assign take_core = core_asks && (!ctl_asks || !last_core_q);
  assign stays = req_q && wait_for && core_req_i && (!ctl_asks || (push_hit && push_room));
  assign taken = (core_asks || ctl_asks) && !stays;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      req_q <= 1'b0;
      last_core_q <= 1'b0;
    end else begin
      // A core that is reset asks for nothing more; the access that is looked at is still carried
      // out.
      req_q <= taken || stays;
      if (core_asks && ctl_asks) last_core_q <= take_core;
    end
    if (taken) begin
      sel_core <= take_core;
      we <= take_core ? core_we_i : ctl_we_i;
      addr <= take_core ? core_addr_i : ctl_addr_i;
      wdata <= take_core ? core_wdata_i : ctl_wdata_i;
      push_q <= take_core && core_we_i && (is_reg_push(core_addr_i) || is_reg_push_ctrl(core_addr_i));
      ask_q <= take_core && core_we_i && core_addr_i == REG_REQUEST;
      router_q <= is_router_reg(take_core ? core_addr_i : ctl_addr_i);
    end
  end

  assign push_hit = req_q && push_q;
  assign push_room = outq_ready_i[reg_push_index(addr)];
  assign push_goes = push_room && push_turn_i;
  assign ask_hit = req_q && ask_q && core_req_i;
  assign ask_valid_o = ask_hit;
  assign wait_for = (push_hit && !push_goes) || (ask_hit && !ask_ready_i);
  assign core_gnt_o = req_q && sel_core && core_req_i && !wait_for;
  assign ctl_gnt_o = req_q && !sel_core;

  // A PUSH or a REQUEST that waits is neither read nor written here, so these need no condition.
  logic wr, rd;
  assign wr = req_q && we;
  assign rd = req_q && !we;
  assign task_re_o = rd && is_tasks_reg(addr);

  // ------------------------------------------------------------------------------------- writes --
  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  core_ctrl_reg_t ctrl;
  inq_reg_t inq;
  outq_reg_t outq;
  mbist_wr_t mbist;
  stack_limit_reg_t stack_limit;
  text_limit_reg_t text_limit;
  row_reg_t row;
  col_reg_t col;
  /* verilator lint_on UNUSEDSIGNAL */
  logic core_ctrl_we, to_outq;
  assign ctrl = wdata;
  assign inq = wdata;
  assign outq = wdata;
  assign mbist = wdata;
  assign stack_limit = wdata;
  assign text_limit = wdata;
  assign row = wdata;
  assign col = wdata;
  assign addr_o = addr;
  assign wdata_o = wdata;
  assign to_outq = is_reg_outq(addr);
  assign bind_addr_o = {to_outq, to_outq ? reg_outq_index(addr) : reg_inq_index(addr)};
  assign bind_data_o = to_outq ? {outq.enable, outq.colour} : {inq.enable, inq.colour};
  // push_goes already contains every reason to wait.
  assign push_o = push_hit && push_goes;
  assign push_q_o = is_reg_push(addr) ? reg_push_index(addr) : reg_push_ctrl_index(addr);
  assign push_data_o = '{ctrl: is_reg_push_ctrl(addr), data: wdata};
  assign thread_sel_o = reg_thread_index(addr);
  assign prng_sel_o = reg_prng_index(addr);
  always_comb begin
    case (addr)
      REG_MBIST: mbist_sel_o = 2'd0;
      REG_MBIST_ROW: mbist_sel_o = 2'd1;
      REG_MBIST_BITS: mbist_sel_o = 2'd2;
      default: mbist_sel_o = 2'd3;
    endcase
  end
  always_comb begin
    rt_we_o = wr && router_q;
    bind_we_o = 1'b0;
    task_we_o = 1'b0;
    red_we_o = 1'b0;
    prng_we_o = 1'b0;
    mbist_start_o = 1'b0;
    core_ctrl_we = 1'b0;
    if (wr) begin
      bind_we_o = is_reg_inq(addr) || to_outq;
      task_we_o = is_tasks_reg(addr);
      red_we_o = is_reducer_reg(addr);
      prng_we_o = is_reg_prng(addr) && !prng_busy_i;
      mbist_start_o = addr == REG_MBIST && mbist.start && !sel_core && !unit_busy_i;
      core_ctrl_we = addr == REG_CORE_CTRL;
    end
  end

  logic run_q, step_q, core_rst_q, unit_rst_q, ramp_clear_q, core_resets;
  assign core_resets = core_ctrl_we && ctrl.reset;
  // The reset of engine and reducer: with the core's, in the cycle after it, and after the tile's.
  always_ff @(posedge clk_i) unit_rst_q <= rst_i || core_resets || core_rst_q;
  logic [31:0] boot_pc_q;
  logic [15:0] row_q, col_q;
  logic [23:0] stack_limit_q, text_limit_q;

  assign run_o = run_q;
  assign step_o = step_q;
  assign core_rst_o = core_rst_q;
  assign unit_rst_o = unit_rst_q;
  assign ramp_clear_o = ramp_clear_q;
  assign boot_pc_o = boot_pc_q;
  assign stack_limit_o = stack_limit_q;
  assign text_limit_o = text_limit_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      run_q <= 1'b0;
      step_q <= 1'b0;
      core_rst_q <= 1'b0;
      ramp_clear_q <= 1'b0;
      boot_pc_q <= '0;
      stack_limit_q <= '0;
      text_limit_q <= '0;
      row_q <= '0;
      col_q <= '0;
    end else begin
      core_rst_q <= core_resets;
      ramp_clear_q <= core_ctrl_we && ctrl.clear_queues;
      // A step ends with the first instruction that completes or traps.
      if (step_q && issue_i) begin
        step_q <= 1'b0;
        run_q <= 1'b0;
      end
      if (core_ctrl_we) begin
        run_q <= ctrl.run || ctrl.step;
        step_q <= ctrl.step;
      end
      if (wr && addr == REG_CORE_PC) boot_pc_q <= wdata;
      if (core_rst_q) begin
        stack_limit_q <= '0;
        text_limit_q <= '0;
      end
      if (wr && addr == REG_STACK_LIMIT) stack_limit_q <= stack_limit.address;
      if (wr && addr == REG_TEXT_LIMIT) text_limit_q <= text_limit.address;
      if (wr && addr == REG_ROW) row_q <= row.number;
      if (wr && addr == REG_COL) col_q <= col.number;
    end
  end

  // ------------------------------------------------------------------------------------- errors --
  logic misuse, error_pending;
  regs_cause_e misuse_cause;
  logic [31:0] error_word, error_addr, error_pc;

  always_comb begin
    misuse = 1'b0;
    misuse_cause = REGS_SELFTEST;
    if (wr && is_reg_prng(addr)) begin
      misuse = prng_busy_i;
      misuse_cause = REGS_PRNG_BUSY;
    end else if (wr && addr == REG_MBIST) begin
      misuse = mbist.start && (sel_core || unit_busy_i);
    end
  end

  ow_error u_error (
    .clk_i, .rst_i, .clear_i(unit_rst_o), .pc_i, .bind_i(bind_we_o), .access_addr_i(addr),
    .core_i(stopped_i && !stop_ebreak_i), .core_cause_i(cause_i), .core_addr_i(tval_i),
    .engine_i(engine_fault_i), .engine_pc_i(engine_fault_pc_i),
    .engine_addr_i(engine_fault_addr_i),
    .red_i(red_fault_i), .red_cause_i(red_fault_cause_i), .red_pc_i(red_fault_pc_i),
    .red_addr_i(red_fault_addr_i),
    .ramp_i(ramp_err_i), .ramp_cause_i(ramp_err_cause_i), .ramp_unit_i(ramp_err_unit_i),
    .regs_i(misuse), .regs_cause_i(misuse_cause),
    .halt_o, .error_o(error_word), .addr_o(error_addr), .pc_o(error_pc),
    .pending_o(error_pending)
  );

  // ----------------------------------------------------------------------------------- counters --
  logic        cnt_rd, cnt_high;
  logic [47:0] counter;
  logic        counters_idle;
  logic [15:0] ctl_high_q, core_high_q;  // latched by each master's read of a low word

  assign cnt_high = is_reg_counter_high(addr);
  assign cnt_rd = rd && (is_reg_counter(addr) || cnt_high);

  ow_counters #(.All(Tile.counters)) u_counters (
    .clk_i, .rst_i, .cycle_i,
    .ev_beat_i, .ev_red_elem_i, .ev_retire_i(retire_i), .ev_in_i, .ev_out_i, .ev_weight_i,
    .eng_cause_i, .asleep_i, .red_wait_i,
    .read_i(cnt_rd), .index_i(reg_counter_index(addr)), .value_o(counter),
    .idle_o(counters_idle)
  );

  // -------------------------------------------------------------------------------------- reads --
  logic ctl_rvalid_q, core_rvalid_q;
  logic [31:0] rdata_q;
  assign ctl_rvalid_o = ctl_rvalid_q;
  assign core_rvalid_o = core_rvalid_q;
  assign rdata_o = rdata_q;

  // Levels of the queues, as INQ_LEVEL and OUTQ_LEVEL have them.
  inq_level_reg_t inq_level;
  outq_level_reg_t outq_level;
  always_comb begin
    inq_level = '0;
    outq_level = '0;
    for (int q = 0; q < NUM_QUEUES; q++) begin
      inq_level.level[q] = inq_level_i[q];
      outq_level.level[q] = outq_level_i[q];
    end
  end

  logic [31:0] rdata_d;
  always_comb begin
    rdata_d = '0;
    if (rd) begin
      unique case (1'b1)
        is_router_reg(addr): rdata_d = rt_rdata_i;
        is_tasks_reg(addr): rdata_d = task_rdata_i;
        is_reducer_reg(addr): rdata_d = red_rdata_i;
        is_prng_reg(addr): rdata_d = prng_rdata_i;
        is_mbist_reg(addr): rdata_d = mbist_rdata_i;
        is_engine_reg(addr): rdata_d = thread_state_i;
        is_reg_inq(addr): begin
          rdata_d = inq_reg_t'{enable: inq_bind_i[reg_inq_index(addr)][5],
                               colour: inq_bind_i[reg_inq_index(addr)][4:0], default: '0};
        end
        is_reg_outq(addr): begin
          rdata_d = outq_reg_t'{enable: outq_bind_i[reg_outq_index(addr)][5],
                                colour: outq_bind_i[reg_outq_index(addr)][4:0], default: '0};
        end
        default: begin
          case (addr)
            REG_INQ_LEVEL: rdata_d = inq_level;
            REG_OUTQ_LEVEL: rdata_d = outq_level;
            REG_CORE_CTRL: rdata_d = core_ctrl_reg_t'{run: run_q, step: step_q, default: '0};
            REG_CORE_PC: rdata_d = pc_i;
            REG_CORE_STATUS: begin
              rdata_d = core_status_reg_t'{running: run_q && !stopped_i && !halt_o,
                                           stopped: stopped_i, asleep: asleep_i,
                                           waits_tensor: wait_tensor_i, ebreak: stop_ebreak_i,
                                           cause: cause_i, default: '0};
            end
            REG_CORE_TVAL: rdata_d = tval_i;
            REG_ENGINE_FAULT: rdata_d = engine_fault_i;
            REG_ERROR: rdata_d = error_word;
            REG_ERROR_ADDR: rdata_d = error_addr;
            REG_ERROR_PC: rdata_d = error_pc;
            REG_STACK_LIMIT: begin
              rdata_d = stack_limit_reg_t'{address: stack_limit_q, default: '0};
            end
            REG_TEXT_LIMIT: rdata_d = text_limit_reg_t'{address: text_limit_q, default: '0};
            REG_ROW: rdata_d = row_reg_t'{number: row_q, default: '0};
            REG_COL: rdata_d = col_reg_t'{number: col_q, default: '0};
            REG_CONFIG: begin
              rdata_d = config_reg_t'{lanes: 4'(Lanes), threads: 4'(NumThreads - 1),
                                      colours: 5'(NumColours), limits: 1'b1,
                                      banks: 2'($clog2(SramBanks)),
                                      sram: 16'(SramBytes / CONFIG_SRAM_UNIT), default: '0};
            end
            REG_FEATURES: rdata_d = Features;
            REG_OPERATIONS: rdata_d = Operations;
            default: rdata_d = '0;
          endcase
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ctl_rvalid_q <= 1'b0;
      core_rvalid_q <= 1'b0;
      rdata_q <= '0;
      ctl_high_q <= '0;
      core_high_q <= '0;
    end else begin
      ctl_rvalid_q <= rd && !sel_core;
      core_rvalid_q <= rd && sel_core && core_req_i;
      if (cnt_rd && !cnt_high) begin
        rdata_q <= counter[31:0];
        if (sel_core) core_high_q <= counter[47:32];
        else ctl_high_q <= counter[47:32];
      end else if (cnt_rd) rdata_q <= {16'b0, sel_core ? core_high_q : ctl_high_q};
      else if (rd) rdata_q <= rdata_d;
    end
  end

  // A push that waits for its queue changes nothing until the ramp does. One that waits for its
  // turn goes without an input changing.
  assign idle_o = !taken && (!req_q || (stays && !(push_hit && push_room))) &&
                  !ctl_rvalid_q && !core_rvalid_q && !unit_rst_o && !ramp_clear_q && !error_pending && counters_idle &&
                  !(step_q && issue_i);

endmodule
