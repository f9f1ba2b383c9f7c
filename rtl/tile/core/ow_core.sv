// SPDX-License-Identifier: Apache-2.0
// The scalar core of a tile: RV32IM_Zicsr_Zifencei in machine mode, and the tensor extension's
// instructions (docs/isa.md). It is a pipeline of an instruction per cycle (ow_core_pipeline) or,
// for area, a core of several cycles per instruction (ow_core_serial). A program sees only the
// difference in cycles.
//
// Memory: dmem_* (aligned words with byte enables) and ifetch_* are granted in the cycle of the
// request and answered in the next one. Registers: mmio_* is granted in any cycle and answers reads
// in any later cycle. Requests are stable until they are granted.
//
// Errors: traps go to mtvec. With mtvec = 0 they stop the core: stopped_o is high, cause_o and
// tval_o say why, and pc_o is the address of the instruction. A reset of the core (core_rst_i)
// clears that and all CSRs; the general registers keep their values. Run control: an instruction
// executes only while run_i is high. One that takes several cycles, or is in memory access,
// finishes whatever run_i does. While the core does not run its fetch buffer is discarded, so
// memory can be rewritten without a fence.i.
//
//   SramBytes           size of the memory (a multiple of 64). Accesses at or above it trap, except
//                       32-bit ones to the 2 kB of tile registers
//   Dsrs                descriptors of the engine; access to one beyond is an illegal instruction
//   Small               ow_core_serial
//   *_limit_i           addresses below which an arithmetic instruction must not set the stack
//                       pointer (x2), and a store must not write to memory; 0: none
//   run_i               it may execute. step_i: one instruction at a time is decoded. core_rst_i: a
//                       pulse; pc becomes boot_pc_i
//   issue_o             an instruction completes or traps in this cycle (combinational). To step,
//                       hold step_i and drop run_i in the cycle after it
//   pc_o .. wait_tensor_o  status: where it is, whether and why it stopped, whether it sleeps in
//                       ow.next or wfi, whether a tensor instruction waits
//   next_*              the picked task: entry address and argument. next_pop_o takes it;
//                       next_wait_o: the core is in ow.next
//   tensor_*            an instruction for the engine, valid/ready. tensor_here_o: tensor_o is an
//                       instruction, offered or not; from registers
//   tensor_ready_i      a register of the engine, high only in the cycle after it launched what was
//                       offered. That instruction then completes, even if the core has just been
//                       stopped
//   tensor_quick_i      if it is offered in this cycle it is launched and completes in it
//   tensor_sync_done_i  thread 0 is complete
//   tensor_hold_i       what the engine wrote is not all in memory yet, so fence.i waits. Loads and
//                       stores of such lines wait at the memory
//   dsr_*               descriptor registers. A write waits for dsr_ready_i, which counts
//                       only while dsr_we_o is high. A write of word 7, which there is not, asks
//                       whether the descriptor may be written. After that only a write of word 1
//                       is refused until the core launches an instruction. A read (dsr_re_o) waits
//                       for dsr_rvalid_i, which comes with dsr_rdata_i
//   cycle_i             the wafer's cycle count
//   retire_o            the instruction in write-back, for scoreboards
//   idle_o              nothing can change here before one of the inputs does

module ow_core
  import ow_pkg::*;
#(
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter int unsigned Dsrs = NUM_DSRS,
  parameter bit Small = 1'b0
) (
  input  logic         clk_i,
  input  logic         rst_i,

  input  logic         run_i,
  input  logic         step_i,
  input  logic         core_rst_i,
  input  logic [31:0]  boot_pc_i,
  input  logic [23:0]  stack_limit_i,
  input  logic [23:0]  text_limit_i,
  output logic         issue_o,

  output logic [31:0]  pc_o,
  output logic         stopped_o,
  output logic         stop_ebreak_o,
  output logic [4:0]   cause_o,
  output logic [31:0]  tval_o,
  output logic         asleep_o,
  output logic         wait_tensor_o,

  output logic         ifetch_req_o,
  output logic [23:0]  ifetch_addr_o,
  input  logic         ifetch_gnt_i,
  input  logic         ifetch_rvalid_i,
  input  logic [63:0]  ifetch_rdata_i,

  output logic         dmem_req_o,
  output logic         dmem_we_o,
  output logic [3:0]   dmem_be_o,
  output logic [23:0]  dmem_addr_o,
  output logic [31:0]  dmem_wdata_o,
  input  logic         dmem_gnt_i,
  input  logic         dmem_rvalid_i,
  input  logic [31:0]  dmem_rdata_i,

  output logic         mmio_req_o,
  output logic         mmio_we_o,
  output logic [15:0]  mmio_addr_o,
  output logic [31:0]  mmio_wdata_o,
  input  logic         mmio_gnt_i,
  input  logic         mmio_rvalid_i,
  input  logic [31:0]  mmio_rdata_i,

  input  logic         next_ready_i,
  input  logic [31:0]  next_entry_i,
  input  logic [31:0]  next_arg_i,
  output logic         next_pop_o,
  output logic         next_wait_o,

  output logic         tensor_here_o,
  output logic         tensor_valid_o,
  output tensor_insn_t tensor_o,
  input  logic         tensor_ready_i,
  input  logic         tensor_quick_i,
  input  logic         tensor_sync_done_i,
  input  logic         tensor_hold_i,

  output logic         dsr_we_o,
  output logic         dsr_re_o,
  output logic [4:0]   dsr_idx_o,
  output logic [2:0]   dsr_word_o,
  output logic [31:0]  dsr_wdata_o,
  input  logic         dsr_ready_i,
  input  logic         dsr_rvalid_i,
  input  logic [31:0]  dsr_rdata_i,

  input  logic [47:0]  cycle_i,
  output retire_t      retire_o,
  output logic         idle_o
);

  if (Small) begin : gen_serial
    ow_core_serial #(.SramBytes(SramBytes), .Dsrs(Dsrs)) u_serial (
      .clk_i, .rst_i, .run_i, .core_rst_i, .boot_pc_i, .stack_limit_i, .text_limit_i, .issue_o,
      .pc_o, .stopped_o, .stop_ebreak_o, .cause_o, .tval_o, .asleep_o, .wait_tensor_o,
      .dmem_req_o, .dmem_we_o, .dmem_be_o, .dmem_addr_o, .dmem_wdata_o, .dmem_gnt_i,
      .dmem_rvalid_i, .dmem_rdata_i, .mmio_req_o, .mmio_we_o, .mmio_addr_o, .mmio_wdata_o,
      .mmio_gnt_i, .mmio_rvalid_i, .mmio_rdata_i, .next_ready_i, .next_entry_i, .next_arg_i,
      .next_pop_o, .next_wait_o, .tensor_here_o, .tensor_valid_o, .tensor_o, .tensor_ready_i,
      .tensor_quick_i, .tensor_sync_done_i, .tensor_hold_i, .dsr_we_o, .dsr_re_o, .dsr_idx_o,
      .dsr_word_o, .dsr_wdata_o, .dsr_ready_i, .dsr_rvalid_i, .dsr_rdata_i, .cycle_i, .retire_o,
      .idle_o
    );
    // Instructions come through dmem. It decodes one at a time anyway, so step_i has no use.
    assign {ifetch_req_o, ifetch_addr_o} = '0;
    logic unused;
    assign unused = ^{step_i, ifetch_gnt_i, ifetch_rvalid_i, ifetch_rdata_i};
  end else begin : gen_pipeline
    ow_core_pipeline #(.SramBytes(SramBytes), .Dsrs(Dsrs)) u_pipeline (
      .clk_i, .rst_i, .run_i, .step_i, .core_rst_i, .boot_pc_i, .stack_limit_i, .text_limit_i,
      .issue_o, .pc_o, .stopped_o, .stop_ebreak_o, .cause_o, .tval_o, .asleep_o, .wait_tensor_o,
      .ifetch_req_o, .ifetch_addr_o, .ifetch_gnt_i, .ifetch_rvalid_i, .ifetch_rdata_i,
      .dmem_req_o, .dmem_we_o, .dmem_be_o, .dmem_addr_o, .dmem_wdata_o, .dmem_gnt_i,
      .dmem_rvalid_i, .dmem_rdata_i, .mmio_req_o, .mmio_we_o, .mmio_addr_o, .mmio_wdata_o,
      .mmio_gnt_i, .mmio_rvalid_i, .mmio_rdata_i, .next_ready_i, .next_entry_i, .next_arg_i,
      .next_pop_o, .next_wait_o, .tensor_here_o, .tensor_valid_o, .tensor_o, .tensor_ready_i,
      .tensor_quick_i, .tensor_sync_done_i, .tensor_hold_i, .dsr_we_o, .dsr_re_o, .dsr_idx_o,
      .dsr_word_o, .dsr_wdata_o, .dsr_ready_i, .dsr_rvalid_i, .dsr_rdata_i, .cycle_i, .retire_o,
      .idle_o
    );
  end

endmodule
