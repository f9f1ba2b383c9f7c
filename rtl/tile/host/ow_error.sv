// SPDX-License-Identifier: Apache-2.0
// Why the tile is stopped (docs/memory-map.md, ERROR). It keeps the first error that core, engine,
// reducer, ramp or registers report, until clear_i. If several report in one cycle, the first in
// this order counts: core, engine, reducer, ramp, registers. halt_o is high from the cycle after
// the report. An error that is still reported after clear_i stops the tile again.
//
//   clear_i        forgets the error; reports in such a cycle are not taken
//   pc_i           where the core is; at a register access, that instruction
//   bind_i         a queue is bound in this cycle, by an access to the register at access_addr_i;
//                  the ramp says in the next cycle whether that is an error
//   access_addr_i  offset of the register that is accessed in this cycle
//   core_*, engine_*, red_*, ramp_*  errors while they last, or for one cycle
//   regs_*         a register access that is an error, in its cycle
//   error_o ..     the registers ERROR, ERROR_ADDR, ERROR_PC
//   pending_o      a report is taken at this edge
module ow_error
  import ow_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        clear_i,
  input  logic [31:0] pc_i,
  input  logic        bind_i,
  input  logic [15:0] access_addr_i,

  input  logic        core_i,
  input  logic [4:0]  core_cause_i,
  input  logic [31:0] core_addr_i,
  input  logic [31:0] engine_i,  // as ENGINE_FAULT has it
  input  logic [31:0] engine_pc_i,
  input  logic [23:0] engine_addr_i,
  input  logic        red_i,
  input  logic [4:0]  red_cause_i,
  input  logic [31:0] red_pc_i,
  input  logic [23:0] red_addr_i,
  input  logic        ramp_i,
  input  logic [4:0]  ramp_cause_i,
  input  logic [4:0]  ramp_unit_i,
  input  logic        regs_i,
  input  regs_cause_e regs_cause_i,

  output logic        halt_o,
  output logic [31:0] error_o,
  output logic [31:0] addr_o,
  output logic [31:0] pc_o,
  output logic        pending_o
);

  logic halt_q;
  error_source_e source_q;
  logic [4:0] unit_q, cause_q;
  logic [31:0] addr_q, pc_q;
  logic [15:0] bind_addr_q;  // of the last binding, and where the core was
  logic [31:0] bind_pc_q;
  logic any;

  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  engine_fault_reg_t engine;
  /* verilator lint_on UNUSEDSIGNAL */
  assign engine = engine_i;
  assign any = core_i || engine.fault || red_i || ramp_i || regs_i;
  assign pending_o = any && !halt_q;
  assign halt_o = halt_q;
  assign error_o = error_reg_t'{stopped: halt_q, source: source_q, unit: unit_q, cause: cause_q,
                                default: '0};
  assign addr_o = addr_q;
  assign pc_o = pc_q;

  function automatic logic [31:0] register(input logic [15:0] offset);
    return {TILE_REGS[31:16], TILE_REGS[15:0] | offset};
  endfunction

  always_ff @(posedge clk_i) begin
    if (bind_i) begin
      bind_addr_q <= access_addr_i;
      bind_pc_q <= pc_i;
    end
    if (rst_i || clear_i) begin
      halt_q <= 1'b0;
      source_q <= ERR_CORE;
      unit_q <= '0;
      cause_q <= '0;
      addr_q <= '0;
      pc_q <= '0;
    end else if (pending_o) begin
      halt_q <= 1'b1;
      unit_q <= '0;
      addr_q <= '0;
      pc_q <= pc_i;
      if (core_i) begin
        source_q <= ERR_CORE;
        cause_q <= core_cause_i;
        addr_q <= core_addr_i;
      end else if (engine.fault) begin
        source_q <= ERR_ENGINE;
        unit_q <= {1'b0, engine.thread};
        cause_q <= {1'b0, engine.cause};
        addr_q <= {8'd0, engine_addr_i};
        pc_q <= engine_pc_i;
      end else if (red_i) begin
        source_q <= ERR_REDUCER;
        cause_q <= red_cause_i;
        addr_q <= {8'd0, red_addr_i};
        pc_q <= red_pc_i;
      end else if (ramp_i) begin
        source_q <= ERR_RAMP;
        unit_q <= ramp_unit_i;
        cause_q <= ramp_cause_i;
        if (ramp_cause_i == RAMP_TWO_QUEUES) begin
          addr_q <= register(bind_addr_q);
          pc_q <= bind_pc_q;
        end
      end else begin
        source_q <= ERR_REGS;
        cause_q <= regs_cause_i;
        addr_q <= register(access_addr_i);
      end
    end
  end

endmodule
