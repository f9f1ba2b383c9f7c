// SPDX-License-Identifier: Apache-2.0
// The first fault of the serial tensor engine, kept until a reset and reported as by ow_engine.
//
//   failed_i     an instruction is at fault, at this edge: its thread, the cause, its address in
//                the program, and that of the element
module ow_serial_fault
  import ow_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_i,
  input  logic          failed_i,
  input  logic [3:0]    thread_i,
  input  engine_cause_e cause_i,
  input  logic [31:0]   pc_i,
  input  logic [23:0]   addr_i,
  output logic [31:0]   fault_o,
  output logic [31:0]   fault_pc_o,
  output logic [23:0]   fault_addr_o
);

  engine_fault_reg_t fault_q;
  logic [31:0]       pc_q;
  logic [23:0]       addr_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fault_q <= '0;
      pc_q <= '0;
      addr_q <= '0;
    end else if (failed_i && !fault_q.fault) begin
      fault_q <= '{fault: 1'b1, thread: thread_i, cause: cause_i, default: '0};
      pc_q <= pc_i;
      addr_q <= addr_i;
    end
  end
  assign {fault_o, fault_pc_o, fault_addr_o} = {fault_q, pc_q, addr_q};

endmodule
