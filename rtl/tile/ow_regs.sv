// SPDX-License-Identifier: Apache-2.0
//
// The tile's register space (docs/memory-map.md): one access a cycle from the core or from the
// control plane, which alternate when both ask. A request is granted in its cycle unless the other
// master has the turn, or unless it is a PUSH to a full output queue; read data comes the cycle
// after the grant. Registers that belong to a block live in that block; this module decodes, holds
// the run control, the identity and the counters, and multiplexes what is read.
//
// The control plane must never wait for firmware, so PUSH is the core's alone: a PUSH from the
// control plane is granted and has no effect. Reserved offsets read 0 and ignore writes.
//
// The first error of the core, the engine, the reducer or the ramp stops the tile: halt_o goes high
// in the cycle after it was reported and stays until a reset of the core (CORE_CTRL[2]), and the
// ERROR registers keep what happened first. An error that is still reported then stops it again. In
// one cycle the core comes before the engine, the reducer and the ramp. The router, the ramp's
// transport and the control plane go on. ebreak ends a program: it is no error.
//
// Counters are exact although an idle tile is not clocked: events are counted as they happen, and
// durations are differences of cycle_i taken when their cause changes.

`include "ow_assert.svh"

module ow_regs #(
  // For the CONFIG register: SIMD lanes, bytes of SRAM, data colours, threads.
  parameter int unsigned Lanes = 8,
  parameter int unsigned SramBytes = 49152,
  parameter int unsigned NumColours = 24,
  parameter int unsigned NumThreads = 13
) (
  input  logic        clk_i,
  input  logic        rst_i,
  // The reticle's cycle count; read only at clock edges that have another reason to happen.
  input  logic [47:0] cycle_i,

  // Master 0: the control plane. Master 1: the core. rvalid comes the cycle after a granted read.
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

  // Routes, switches, filters and status of the router, by word offset.
  output logic        rt_we_o,
  output logic [9:0]  rt_addr_o,
  input  logic [31:0] rt_rdata_i,
  // A request of one word of the core; its access waits until the router takes it.
  output logic        ask_valid_o,
  input  logic        ask_ready_i,

  // Ramp: bindings, levels, pushes of the core.
  output logic                               bind_we_o,
  output logic [3:0]                         bind_addr_o,
  output logic [5:0]                         bind_data_o,
  input  logic [ow_pkg::NUM_QUEUES-1:0][5:0] inq_bind_i,
  input  logic [ow_pkg::NUM_QUEUES-1:0][5:0] outq_bind_i,
  input  logic [ow_pkg::NUM_QUEUES-1:0][3:0] inq_level_i,
  input  logic [ow_pkg::NUM_QUEUES-1:0][3:0] outq_level_i,
  input  logic [ow_pkg::NUM_QUEUES-1:0]      outq_ready_i,
  output logic                               push_o,
  output logic [2:0]                         push_q_o,
  output ow_pkg::ramp_t                      push_data_o,

  // Tasks (word offset from 0x200) and reducer (word offset from 0x300); the write data of both.
  output logic        task_we_o,
  output logic [5:0]  task_addr_o,
  input  logic [31:0] task_rdata_i,
  output logic        red_we_o,
  output logic [3:0]  red_addr_o,
  input  logic [31:0] red_rdata_i,
  output logic [31:0] wdata_o,

  // Run control and state of the core and the engine.
  output logic                        run_o,
  output logic                        core_rst_o,   // one cycle
  output logic                        unit_rst_o,   // that cycle and the next: engine, reducer
  output logic                        ramp_clear_o, // empties the ramp's queues
  output logic                        halt_o,       // stopped by an error
  output logic [31:0]                 boot_pc_o,
  input  logic [31:0]                 pc_i,
  input  logic                        stopped_i,
  input  logic                        stop_ebreak_i,
  input  logic [4:0]                  cause_i,
  input  logic [31:0]                 tval_i,
  input  logic                        asleep_i,
  input  logic                        wait_tensor_i,
  input  logic                        issue_i,   // an instruction completes or traps: ends a step
  input  logic                        retire_i,
  input  logic [31:0]                 engine_fault_i,  // [31] fault, [7:4] thread, [3:0] cause
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

  // State of the random generator: word prng_sel_o is written, and is prng_rdata_i.
  output logic        prng_we_o,
  output logic [1:0]  prng_sel_o,
  input  logic [31:0] prng_rdata_i,

  // Memory self-test: start, and its word mbist_sel_o.
  output logic        mbist_start_o,
  output logic [1:0]  mbist_sel_o,
  input  logic [31:0] mbist_rdata_i,

  // Events to count (one a cycle each) and causes to time.
  input  logic        ev_beat_i,
  input  logic [1:0]  ev_red_elem_i,
  input  logic        ev_in_i,
  input  logic        ev_out_i,
  input  logic        ev_weight_i,
  input  logic [2:0]  eng_cause_i,  // 0 busy, 1..4 stalls as in docs/memory-map.md, 5 no work
  input  logic        red_wait_i,

  // No register changes at this clock edge.
  output logic        idle_o
);

  `OW_ASSERT_INIT(LanesRange, Lanes == 2 || Lanes == 4 || Lanes == 8)
  `OW_ASSERT_INIT(ThreadsRange, NumThreads >= 2 && NumThreads <= 16)

  localparam int unsigned NumCounters = 13;

  // -------------------------------------------------------------------------------- arbitration --
  logic last_core_q;  // the core had the last contended turn
  logic sel_core;
  logic req, we;
  logic [15:0] addr;
  logic [31:0] wdata;
  logic push_hit, push_full, ask_hit, wait_for;

  assign sel_core = core_req_i && (!ctl_req_i || !last_core_q);
  assign req = core_req_i || ctl_req_i;
  assign we = sel_core ? core_we_i : ctl_we_i;
  assign addr = sel_core ? core_addr_i : ctl_addr_i;
  assign wdata = sel_core ? core_wdata_i : ctl_wdata_i;

  assign push_hit = sel_core && we && (addr[15:6] == ow_pkg::REG_RAMP_PUSH[15:6]);
  assign push_full = push_hit && !outq_ready_i[addr[5:3]];
  assign ask_hit = sel_core && we && addr == ow_pkg::REG_REQUEST;
  assign ask_valid_o = ask_hit;
  assign wait_for = push_full || (ask_hit && !ask_ready_i);
  assign core_gnt_o = sel_core && !wait_for;
  assign ctl_gnt_o = ctl_req_i && !sel_core;

  logic access, wr, rd;
  assign access = req && !wait_for;
  assign wr = access && we;
  assign rd = access && !we;

  // -------------------------------------------------------------------------------------- writes --
  logic core_ctrl_we;
  assign wdata_o = wdata;
  assign rt_addr_o = addr[11:2];
  assign bind_addr_o = {addr[6], addr[4:2]};
  assign bind_data_o = wdata[5:0];
  assign push_o = push_hit && !push_full;
  assign push_q_o = addr[5:3];
  assign push_data_o = '{ctrl: addr[2], data: wdata};
  assign task_addr_o = addr[7:2];
  assign red_addr_o = addr[5:2];
  assign thread_sel_o = addr[5:2];
  assign prng_sel_o = addr[3:2];
  assign mbist_sel_o = addr[3:2];
  always_comb begin
    rt_we_o = 1'b0;
    bind_we_o = 1'b0;
    task_we_o = 1'b0;
    red_we_o = 1'b0;
    prng_we_o = 1'b0;
    mbist_start_o = 1'b0;
    core_ctrl_we = 1'b0;
    if (wr) begin
      rt_we_o = addr[15:8] == ow_pkg::REG_ROUTE[15:8] || addr[15:8] == ow_pkg::REG_FILTER[15:8];
      bind_we_o = addr[15:5] == ow_pkg::REG_INQ[15:5] || addr[15:5] == ow_pkg::REG_OUTQ[15:5];
      task_we_o = addr[15:8] == ow_pkg::REG_TASK_ENTRY[15:8];
      red_we_o = addr[15:6] == ow_pkg::REG_RED[15:6];
      prng_we_o = addr[15:4] == ow_pkg::REG_PRNG[15:4];
      mbist_start_o = addr[15:2] == ow_pkg::REG_MBIST[15:2] && wdata[0];
      core_ctrl_we = addr == ow_pkg::REG_CORE;
    end
  end

  logic run_q, step_q, core_rst_q, unit_rst_q, ramp_clear_q;
  logic [31:0] boot_pc_q;
  logic [15:0] row_q, col_q;

  assign run_o = run_q;
  assign core_rst_o = core_rst_q;
  assign unit_rst_o = core_rst_q || unit_rst_q;
  assign ramp_clear_o = ramp_clear_q;
  assign boot_pc_o = boot_pc_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      last_core_q <= 1'b0;
      run_q <= 1'b0;
      step_q <= 1'b0;
      core_rst_q <= 1'b0;
      unit_rst_q <= 1'b0;
      ramp_clear_q <= 1'b0;
      boot_pc_q <= '0;
      row_q <= '0;
      col_q <= '0;
    end else begin
      if (core_req_i && ctl_req_i) last_core_q <= sel_core;
      core_rst_q <= core_ctrl_we && wdata[2];
      unit_rst_q <= core_rst_q;
      ramp_clear_q <= core_ctrl_we && wdata[3];
      // A step ends with the first instruction that completes or traps.
      if (step_q && issue_i) begin
        step_q <= 1'b0;
        run_q <= 1'b0;
      end
      if (core_ctrl_we) begin
        run_q <= wdata[0] || wdata[1];
        step_q <= wdata[1];
      end
      if (wr && addr == ow_pkg::REG_CORE + 16'h4) boot_pc_q <= wdata;
      if (wr && addr == ow_pkg::REG_SCRATCH) row_q <= wdata[15:0];
      if (wr && addr == ow_pkg::REG_SCRATCH + 16'h4) col_q <= wdata[15:0];
    end
  end

  // --------------------------------------------------------------------------------------- errors --
  logic err_q;
  ow_pkg::error_source_e err_source_q;
  logic [4:0] err_unit_q, err_cause_q;
  logic [31:0] err_addr_q, err_pc_q;
  logic core_err, any_err;

  assign core_err = stopped_i && !stop_ebreak_i;
  assign any_err = core_err || engine_fault_i[31] || red_fault_i || ramp_err_i;
  assign halt_o = err_q;

  always_ff @(posedge clk_i) begin
    if (rst_i || unit_rst_o) begin
      err_q <= 1'b0;
      err_source_q <= ow_pkg::ERR_CORE;
      err_unit_q <= '0;
      err_cause_q <= '0;
      err_addr_q <= '0;
      err_pc_q <= '0;
    end else if (any_err && !err_q) begin
      err_q <= 1'b1;
      err_pc_q <= pc_i;
      if (core_err) begin
        err_source_q <= ow_pkg::ERR_CORE;
        err_unit_q <= '0;
        err_cause_q <= cause_i;
        err_addr_q <= tval_i;
      end else if (engine_fault_i[31]) begin
        err_source_q <= ow_pkg::ERR_ENGINE;
        err_unit_q <= {1'b0, engine_fault_i[7:4]};
        err_cause_q <= {1'b0, engine_fault_i[3:0]};
        err_addr_q <= {8'd0, engine_fault_addr_i};
        err_pc_q <= engine_fault_pc_i;
      end else if (red_fault_i) begin
        err_source_q <= ow_pkg::ERR_REDUCER;
        err_unit_q <= '0;
        err_cause_q <= red_fault_cause_i;
        err_addr_q <= {8'd0, red_fault_addr_i};
        err_pc_q <= red_fault_pc_i;
      end else begin
        err_source_q <= ow_pkg::ERR_RAMP;
        err_unit_q <= ramp_err_unit_i;
        err_cause_q <= ramp_err_cause_i;
        err_addr_q <= '0;
      end
    end
  end

  // ------------------------------------------------------------------------------------ counters --
  logic [47:0] cnt_q [NumCounters];
  logic [2:0]  eng_cause_q;
  logic [47:0] eng_since_q;
  logic        asleep_q, red_wait_q;
  logic [47:0] asleep_since_q, red_since_q;
  logic [15:0] ctl_high_q, core_high_q;  // latched by each master's read of a low word

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int k = 0; k < NumCounters; k++) cnt_q[k] <= '0;
      eng_cause_q <= 3'd5;
      eng_since_q <= cycle_i;
      asleep_q <= 1'b0;
      asleep_since_q <= cycle_i;
      red_wait_q <= 1'b0;
      red_since_q <= cycle_i;
    end else begin
      if (ev_beat_i) cnt_q[0] <= cnt_q[0] + 48'd1;
      if (eng_cause_i != eng_cause_q) begin
        eng_cause_q <= eng_cause_i;
        eng_since_q <= cycle_i;
        if (eng_cause_q != 3'd0) begin
          cnt_q[{1'b0, eng_cause_q}] <= cnt_q[{1'b0, eng_cause_q}] + cycle_i - eng_since_q;
        end
      end
      if (ev_red_elem_i != 2'd0) cnt_q[6] <= cnt_q[6] + {46'd0, ev_red_elem_i};
      if (retire_i) cnt_q[7] <= cnt_q[7] + 48'd1;
      if (asleep_i != asleep_q) begin
        asleep_q <= asleep_i;
        asleep_since_q <= cycle_i;
        if (asleep_q) cnt_q[8] <= cnt_q[8] + cycle_i - asleep_since_q;
      end
      if (ev_in_i) cnt_q[9] <= cnt_q[9] + 48'd1;
      if (ev_out_i) cnt_q[10] <= cnt_q[10] + 48'd1;
      if (ev_weight_i) cnt_q[11] <= cnt_q[11] + 48'd1;
      if (red_wait_i != red_wait_q) begin
        red_wait_q <= red_wait_i;
        red_since_q <= cycle_i;
        if (red_wait_q) cnt_q[12] <= cnt_q[12] + cycle_i - red_since_q;
      end
    end
  end

  // --------------------------------------------------------------------------------------- reads --
  // cycle_i is an input of the tile, so it is used inside clocked processes only.
  logic ctl_rvalid_q, core_rvalid_q;
  logic [31:0] rdata_q;
  assign ctl_rvalid_o = ctl_rvalid_q;
  assign core_rvalid_o = core_rvalid_q;
  assign rdata_o = rdata_q;

  logic [31:0] rdata_d;
  always_comb begin
    rdata_d = '0;
    if (rd && addr[15:11] == 5'd0) begin
      unique case (addr[10:8])
        3'h0: rdata_d = rt_rdata_i;
        3'h1: begin
          if (addr[7]) begin
            for (int q = 0; q < ow_pkg::NUM_QUEUES; q++) begin
              if (addr[6:2] == 5'd0) rdata_d[4*q +: 4] = inq_level_i[q];
              if (addr[6:2] == 5'd1) rdata_d[4*q +: 4] = outq_level_i[q];
            end
          end else if (!addr[5]) begin
            rdata_d = {26'b0, addr[6] ? outq_bind_i[addr[4:2]] : inq_bind_i[addr[4:2]]};
          end
        end
        3'h2: rdata_d = task_rdata_i;
        3'h3: if (addr[7:6] == 2'd0) rdata_d = red_rdata_i;
        3'h5: begin
          case (addr[7:2])
            6'h00: rdata_d = {30'b0, step_q, run_q};
            6'h01: rdata_d = pc_i;
            6'h02: rdata_d = {19'b0, cause_i, 3'b0, stop_ebreak_i, wait_tensor_i, asleep_i,
                              stopped_i, run_q && !stopped_i && !err_q};
            6'h03: rdata_d = tval_i;
            6'h04: rdata_d = engine_fault_i;
            6'h05: rdata_d = {err_q, 13'd0, err_source_q, 3'd0, err_unit_q, 3'd0, err_cause_q};
            6'h06: rdata_d = err_addr_q;
            6'h07: rdata_d = err_pc_q;
            default: rdata_d = '0;
          endcase
        end
        3'h6: if (addr[7:6] == 2'd0) rdata_d = thread_state_i;
        3'h7: begin
          case (addr[7:2])
            6'h20: rdata_d = {16'b0, row_q};
            6'h21: rdata_d = {16'b0, col_q};
            6'h22: rdata_d = {16'(SramBytes / 64), 3'b0, 5'(NumColours), 4'(NumThreads - 1),
                              4'(Lanes)};
            6'h24, 6'h25, 6'h26, 6'h27: rdata_d = prng_rdata_i;
            6'h30, 6'h31, 6'h32, 6'h33: rdata_d = mbist_rdata_i;
            default: rdata_d = addr[7] ? '0 : rt_rdata_i;
          endcase
        end
        default: rdata_d = '0;
      endcase
    end else if (rd && addr[15:8] == ow_pkg::REG_FILTER[15:8]) begin
      rdata_d = rt_rdata_i;
    end
  end

  logic cnt_rd;
  assign cnt_rd = rd && (addr[15:8] == ow_pkg::REG_COUNTERS[15:8]);

  // A counter with the time that its cause has been going on.
  function automatic logic [47:0] counter_now(input logic [4:0] k, input logic [47:0] now);
    logic [47:0] v;
    v = '0;
    if (k < 5'(NumCounters)) begin
      v = cnt_q[k[3:0]];
      if (k != 5'd0 && k == {2'b0, eng_cause_q}) v = v + now - eng_since_q;
      if (k == 5'd8 && asleep_q) v = v + now - asleep_since_q;
      if (k == 5'd12 && red_wait_q) v = v + now - red_since_q;
    end
    return v;
  endfunction

  always_ff @(posedge clk_i) begin
    automatic logic [47:0] counter;
    counter = cnt_rd ? counter_now(addr[7:3], cycle_i) : '0;
    if (rst_i) begin
      ctl_rvalid_q <= 1'b0;
      core_rvalid_q <= 1'b0;
      rdata_q <= '0;
      ctl_high_q <= '0;
      core_high_q <= '0;
    end else begin
      ctl_rvalid_q <= rd && !sel_core;
      core_rvalid_q <= rd && sel_core;
      if (cnt_rd && !addr[2]) begin
        rdata_q <= counter[31:0];
        if (sel_core) core_high_q <= counter[47:32];
        else ctl_high_q <= counter[47:32];
      end else if (cnt_rd) rdata_q <= {16'b0, sel_core ? core_high_q : ctl_high_q};
      else if (rd) rdata_q <= rdata_d;
    end
  end

  // A push that waits for its queue changes nothing until the ramp does.
  assign idle_o = !access && !ctl_rvalid_q && !core_rvalid_q && !unit_rst_o && !ramp_clear_q &&
                  !(any_err && !err_q) && !ev_beat_i && ev_red_elem_i == 2'd0 && !retire_i && !ev_in_i && !ev_out_i && !ev_weight_i &&
                  (eng_cause_i == eng_cause_q) && (asleep_i == asleep_q) &&
                  (red_wait_i == red_wait_q) && !(step_q && issue_i);

  `OW_ASSERT(OneMaster, !(core_gnt_o && ctl_gnt_o), "two masters granted")

endmodule
