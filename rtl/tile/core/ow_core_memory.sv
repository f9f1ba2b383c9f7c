// SPDX-License-Identifier: Apache-2.0
// Memory access: one instruction at a time asks memory or a tile register, from registers. It goes
// on to write-back when the access is granted (a read of a register: when it is answered). All
// other instructions stay for one cycle.
//
// There are no errors: the execute stage has checked the address. rst_i, of the tile or the core:
// the instruction here is forgotten, and nothing is asked for in that cycle.
module ow_core_memory
  import ow_core_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        valid_i,     // insn_i comes; only while wait_o is low
  input  result_t     insn_i,
  output logic        valid_o,     // insn_o is here
  output result_t     insn_o,      // as it goes on
  output logic        wait_o,      // it stays
  output logic        asks_o,      // for memory or registers; from registers
  output logic        regs_o,      // for registers; the same
  output logic        loads_o,     // its result comes from there; the same
  output logic        dsr_o,       // it is a word of a descriptor; the same
  output logic        blocked_o,   // until a register is granted

  output logic        dmem_req_o,
  output logic        dmem_we_o,
  output logic [3:0]  dmem_be_o,
  output logic [23:0] dmem_addr_o,
  output logic [31:0] dmem_wdata_o,
  input  logic        dmem_gnt_i,
  output logic        mmio_req_o,
  output logic        mmio_we_o,
  output logic [15:0] mmio_addr_o,
  output logic [31:0] mmio_wdata_o,
  input  logic        mmio_gnt_i,
  input  logic        mmio_rvalid_i,
  input  logic [31:0] mmio_rdata_i
);

  logic    valid_q, granted_q;  // a read of a register has been granted
  result_t insn_q;

  assign asks_o = valid_q && (insn_q.load || insn_q.store);
  assign regs_o = asks_o && insn_q.regs;
  assign loads_o = valid_q && insn_q.load;
  assign dsr_o = valid_q && insn_q.dsr;

  assign dmem_req_o = asks_o && !insn_q.regs && !rst_i;
  assign dmem_we_o = insn_q.store;
  assign dmem_be_o = (insn_q.funct3[1] ? 4'b1111 : insn_q.funct3[0] ? 4'b0011 : 4'b0001) <<
      insn_q.addr[1:0];
  assign dmem_addr_o = {insn_q.addr[23:2], 2'd0};  // bytes are named by the enables
  assign dmem_wdata_o = insn_q.wdata;

  assign mmio_req_o = regs_o && !granted_q && !rst_i;
  assign mmio_we_o = insn_q.store;
  assign mmio_addr_o = {4'd0, insn_q.addr[11:0]};
  assign mmio_wdata_o = insn_q.wdata;

  always_comb begin
    wait_o = 1'b0;
    if (regs_o) wait_o = insn_q.store ? !mmio_gnt_i : !(granted_q && mmio_rvalid_i);
    else if (asks_o) wait_o = !dmem_gnt_i;
  end
  assign blocked_o = mmio_req_o && !mmio_gnt_i;

  assign valid_o = valid_q;
  always_comb begin
    insn_o = insn_q;
    if (insn_q.regs) begin
      insn_o.data = mmio_rdata_i;
      insn_o.load = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      granted_q <= 1'b0;
    end else begin
      if (!wait_o) valid_q <= valid_i;
      granted_q <= wait_o && (granted_q || mmio_gnt_i);
    end
    if (!wait_o && valid_i) insn_q <= insn_i;
  end
endmodule
