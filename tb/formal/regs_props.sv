// SPDX-License-Identifier: Apache-2.0
// Properties of the two masters of ow_regs. They make any accesses, which stay until they are
// granted; accesses of the core also end with its reset. There may be any room for what the core
// pushes or asks. A push has a turn in one cycle of Turns, whichever that is.
//
// An access of the control plane is granted in the third cycle at the latest, or Turns - 1 cycles
// later if the core pushes. The same holds for an access of the core that has room. An access of
// the core without room is looked at in at least every second cycle, from its second cycle on, and
// granted when it need not wait. The two are never granted in the same cycle.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module regs_props
  import ow_pkg::*;
#(
  parameter int unsigned Turns = 1  // a power of 2; 4 in a small tile
) (
  input  logic        clk_i,
  input  logic        ctl_req_i,
  input  logic        ctl_we_i,
  input  logic [15:0] ctl_addr_i,
  input  logic [31:0] ctl_wdata_i,
  input  logic        core_req_i,
  input  logic        core_gone_i,  // the core is reset
  input  logic        core_we_i,
  input  logic [15:0] core_addr_i,
  input  logic [31:0] core_wdata_i,
  input  logic [7:0]  room_i,
  input  logic [1:0]  turn_i,  // position of the turns in the first cycle
  input  logic        ask_ready_i,
  output logic        bad_ctl_late_o,
  output logic        bad_core_late_o,   // an access that has room is granted too late
  output logic        bad_looked_at_o,   // not looked at in one of two cycles
  output logic        bad_both_o,        // both are granted, or one that does not ask
  output logic        seen_ctl_late_o,
  output logic        seen_core_late_o,
  output logic        seen_waits_o
);

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  typedef struct packed {
    logic        we;
    logic [15:0] addr;
    logic [31:0] wdata;
  } access_t;

  access_t ctl, core, ctl_q, core_q;
  logic ctl_req, core_req, ctl_gnt, core_gnt, ctl_stays_q, core_stays_q;
  assign ctl_req = up_q && (ctl_stays_q || ctl_req_i);
  assign core_req = up_q && (core_stays_q || core_req_i) && !core_gone_i;
  assign ctl = ctl_stays_q ? ctl_q : '{we: ctl_we_i, addr: ctl_addr_i, wdata: ctl_wdata_i};
  assign core = core_stays_q ? core_q : '{we: core_we_i, addr: core_addr_i, wdata: core_wdata_i};
  always_ff @(posedge clk_i) begin
    ctl_stays_q <= ctl_req && !ctl_gnt;
    core_stays_q <= core_req && !core_gnt;
    {ctl_q, core_q} <= {ctl, core};
  end

  localparam logic [2:0] Last = 3'(Turns + 1);  // the most cycles without a grant

  logic [1:0] cycle_q;
  logic       turn;
  always_ff @(posedge clk_i) cycle_q <= up_q ? cycle_q + 2'd1 : turn_i;
  assign turn = (cycle_q & 2'(Turns - 1)) == 2'd0;

  logic ask;
  ow_regs u_regs (
    .clk_i, .rst_i(!up_q), .cycle_i('0),
    .ctl_req_i(ctl_req), .ctl_we_i(ctl.we), .ctl_addr_i(ctl.addr), .ctl_wdata_i(ctl.wdata),
    .ctl_gnt_o(ctl_gnt), .ctl_rvalid_o(),
    .core_req_i(core_req), .core_we_i(core.we), .core_addr_i(core.addr), .core_wdata_i(core.wdata),
    .core_gnt_o(core_gnt), .core_rvalid_o(), .rdata_o(), .addr_o(), .wdata_o(),
    .rt_we_o(), .rt_rdata_i('0), .ask_valid_o(ask), .ask_ready_i,
    .bind_we_o(), .bind_addr_o(), .bind_data_o(), .inq_bind_i('0), .outq_bind_i('0),
    .inq_level_i('0), .outq_level_i('0), .outq_ready_i(room_i), .push_turn_i(turn),
    .push_o(), .push_q_o(), .push_data_o(),
    .task_we_o(), .task_re_o(), .task_rdata_i('0), .red_we_o(), .red_rdata_i('0),
    .run_o(), .step_o(), .core_rst_o(), .unit_rst_o(), .ramp_clear_o(), .halt_o(), .boot_pc_o(),
    .stack_limit_o(), .text_limit_o(), .pc_i('0), .stopped_i('0), .stop_ebreak_i('0), .cause_i('0),
    .tval_i('0), .asleep_i('0), .wait_tensor_i('0), .issue_i('0), .retire_i('0),
    .engine_fault_i('0), .engine_fault_pc_i('0), .engine_fault_addr_i('0),
    .red_fault_i('0), .red_fault_cause_i('0), .red_fault_pc_i('0), .red_fault_addr_i('0),
    .ramp_err_i('0), .ramp_err_cause_i('0), .ramp_err_unit_i('0),
    .thread_sel_o(), .thread_state_i('0), .prng_we_o(), .prng_sel_o(), .prng_rdata_i('0), .prng_busy_i('0),
    .unit_busy_i('0), .mbist_start_o(), .mbist_sel_o(), .mbist_rdata_i('0),
    .ev_beat_i('0), .ev_red_elem_i('0), .ev_in_i('0), .ev_out_i('0), .ev_weight_i('0),
    .eng_cause_i(CTR_BEATS), .red_wait_i('0), .idle_o()
  );

  // Everything that the core's access waits for is there, except the turn.
  logic push, room, may, looked_at;
  assign push = core.we && (is_reg_push(core.addr) || is_reg_push_ctrl(core.addr));
  assign room = push ? room_i[core.addr[5:3]]
                     : core.we && core.addr == REG_REQUEST ? ask_ready_i : 1'b1;
  assign may = room && (turn || !push);
  assign looked_at = u_regs.req_q && u_regs.sel_core;

  logic [2:0] ctl_late_q, core_late_q;
  logic asked_q, missed_q;
  always_ff @(posedge clk_i) begin
    ctl_late_q <= ctl_req && !ctl_gnt ? ctl_late_q + 3'(ctl_late_q != 3'd7) : '0;
    core_late_q <= core_req && !core_gnt && room ? core_late_q + 3'(core_late_q != 3'd7) : '0;
    asked_q <= core_req && !core_gnt;
    missed_q <= asked_q && core_req && !core_gnt && !looked_at;
  end

  assign bad_ctl_late_o = up_q && ctl_req && !ctl_gnt && ctl_late_q == Last;
  assign bad_core_late_o = up_q && core_req && room && !core_gnt && core_late_q == Last;
  assign bad_looked_at_o = up_q && core_req && asked_q &&
                           ((missed_q && !looked_at) || (looked_at && may && !core_gnt));
  assign bad_both_o = up_q &&
                      ((ctl_gnt && (core_gnt || !ctl_req)) || (core_gnt && (!core_req || !may)));
  assign seen_ctl_late_o = up_q && ctl_gnt && ctl_late_q == Last;
  assign seen_core_late_o = up_q && core_gnt && core_late_q == Last;
  assign seen_waits_o = core_req && looked_at && !may && ctl_req && !ask;

endmodule
