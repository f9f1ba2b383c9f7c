// SPDX-License-Identifier: Apache-2.0
// ow_core: the scalar core of a tile, RV32IM_Zicsr_Zifencei in machine mode plus the tensor
// extension's instructions (docs/isa.md).
//
// Three stages: the fetch buffer (ow_core_fetch), execute (decode, operands, ALU, branch, CSR,
// memory address), write-back (load data; also the only write port of the register file). Results
// forward from write-back to execute, load data included, so a load followed by its use costs
// nothing. In order; every trap is taken in the execute stage, so all of them are precise.
//
// Cycles: 1 for most instructions; taken branches and jumps 2; mul* 2, div* and rem* 34; loads
// and stores 1 plus the cycles that the memory refuses; register loads 2, register stores 1, both
// plus waiting; ow.dsrr and ow.dsrw 1; ow.next 2 once a task is ready (its x1 is written in the
// second); fence.i 2; a tensor instruction 1 once the engine takes it, on thread 0 until it is
// complete.
//
// Memory: dmem_* (aligned words with byte enables) and ifetch_* are granted in the cycle of the
// request and answered in the next one. Registers: mmio_* is granted in any cycle and answers
// reads in any later cycle. Requests are stable until they are granted.
//
// Traps go to mtvec; with mtvec = 0 they stop the core: stopped_o, cause_o, tval_o, and pc_o is
// the address of the instruction. A reset of the core (core_rst_i) clears that and all CSRs; the
// general registers keep their values. An instruction starts only while run_i is high; one that
// takes several cycles finishes whatever run_i does. While the core does not run the fetch buffer
// is thrown away, so memory can be rewritten then without a fence.i.
//
// SramBytes: size of the memory (a multiple of 64); accesses at or above it trap, except 32-bit
//   ones to the 2 kB of tile registers.
// *_limit_i: addresses below which an arithmetic instruction must not set the stack pointer (x2), and
//   a store must not write to memory; 0: none.
// Dsrs: descriptors of the engine; to write or read one beyond is an illegal instruction.
// run_i: may start an instruction. core_rst_i: pulse, pc = boot_pc_i. issue_o: an instruction
//   completes or traps in this cycle (combinational: to step, drop run_i in the cycle after it).
// pc_o .. wait_tensor_o: status: where it is, whether and why it stopped, whether it sleeps in
//   ow.next or wfi, whether a tensor instruction waits.
// next_*: the picked task: entry address and argument; next_pop_o takes it, next_wait_o says that
//   the core sits in ow.next.
// tensor_*: an instruction for the engine, valid/ready; tensor_sync_done_i: thread 0 is complete.
//           tensor_hold_i: what it wrote is not all in memory yet, so fence.i waits; loads and
//           stores of what is still to be written wait in front of the memory.
// dsr_*: descriptor registers; a write waits for dsr_ready_i, a read is combinational.
// cycle_i: the wafer's cycle count. retire_o: the instruction in write-back, for scoreboards.
// idle_o: nothing can change here before one of the inputs does.

`include "ow_assert.svh"

module ow_core
  import ow_pkg::*;
  import ow_core_pkg::*;
#(
  parameter int unsigned SramBytes = 49152,
  parameter int unsigned Dsrs = NUM_DSRS
) (
  input  logic         clk_i,
  input  logic         rst_i,

  input  logic         run_i,
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

  output logic         tensor_valid_o,
  output tensor_insn_t tensor_o,
  input  logic         tensor_ready_i,
  input  logic         tensor_sync_done_i,
  input  logic         tensor_hold_i,

  output logic         dsr_we_o,
  output logic [4:0]   dsr_idx_o,
  output logic [2:0]   dsr_word_o,
  output logic [31:0]  dsr_wdata_o,
  input  logic         dsr_ready_i,
  input  logic [31:0]  dsr_rdata_i,

  input  logic [47:0]  cycle_i,
  output retire_t      retire_o,
  output logic         idle_o
);

  `OW_ASSERT_INIT(SramBytesRange_A, SramBytes >= 64 && SramBytes % 64 == 0 && SramBytes <= 2**23)

  ex_e         ex_q, ex_d;
  logic [31:0] pc_q;
  logic        stopped_q, stop_ebreak_q;
  logic [4:0]  cause_q;
  logic [31:0] tval_q;

  // ------------------------------------------------------------------------------------- fetch --
  logic        active, pc_ok, have, line_valid, fetch_idle, line_pop, redirect, flush;
  logic        link_pend;  // x1 of an ow.next is being written
  logic [31:0] insn, target, fetch_target;
  logic [63:0] line;

  assign active = ((ex_q != EX_RUN) | (run_i & ~stopped_q)) & ~core_rst_i;
  assign pc_ok = pc_q < SramBytes;
  assign have = active & ~link_pend & (line_valid | ~pc_ok);
  assign flush = ~active;

  always_comb begin
    if (core_rst_i) fetch_target = {boot_pc_i[31:2], 2'd0};
    else if (redirect) fetch_target = target;
    else fetch_target = pc_q;
  end

  ow_core_fetch #(
    .SramBytes(SramBytes)
  ) u_fetch (
    .clk_i,
    .rst_i,
    .flush_i(flush),
    .redirect_i(redirect),
    .target_i(fetch_target),
    .line_valid_o(line_valid),
    .line_o(line),
    .pop_i(line_pop),
    .req_o(ifetch_req_o),
    .addr_o(ifetch_addr_o),
    .gnt_i(ifetch_gnt_i),
    .rvalid_i(ifetch_rvalid_i),
    .rdata_i(ifetch_rdata_i),
    .idle_o(fetch_idle)
  );

  always_comb begin
    insn = 32'd0;
    if (have && pc_ok) insn = pc_q[2] ? line[63:32] : line[31:0];
  end

  // ------------------------------------------------------------------- operands and write-back ---
  dec_t        dec;
  logic [31:0] rs1, rs2, alu_a, alu_b, alu_result;
  logic        taken, write_busy;
  write_t      write;

  ow_core_decode u_decode (
    .valid_i(have & pc_ok),
    .insn_i(insn),
    .dec_o(dec)
  );

  ow_core_write u_write (
    .clk_i,
    .rst_i(rst_i || core_rst_i),
    .issue_i(issue_o),
    .insn_i(write),
    .dmem_rvalid_i,
    .dmem_rdata_i,
    .read_i(have),
    .rs1_i(dec.rs1),
    .rs2_i(dec.rs2),
    .rs1_o(rs1),
    .rs2_o(rs2),
    .link_pend_o(link_pend),
    .busy_o(write_busy),
    .retire_o
  );

  always_comb begin
    alu_a = 32'd0;
    alu_b = 32'd0;
    if (have) begin
      unique case (dec.a_sel)
        A_PC: alu_a = pc_q;
        A_RS1: alu_a = rs1;
        default: alu_a = 32'd0;
      endcase
      alu_b = dec.b_imm ? dec.imm : rs2;
    end
  end

  ow_core_alu u_alu (
    .valid_i(have),
    .op_i(dec.alu_op),
    .a_i(alu_a),
    .b_i(alu_b),
    .result_o(alu_result),
    .funct3_i(dec.funct3),
    .rs1_i(rs1),
    .rs2_i(rs2),
    .taken_o(taken)
  );

  // -------------------------------------------------------------------------------------- CSRs --
  logic        csr_valid, csr_illegal, no_vector;
  logic [31:0] csr_rdata, mtvec, mepc;
  logic        done, trap;
  logic [4:0]  cause;
  logic [31:0] tval;

  assign csr_valid = dec.cls == CLS_CSR;

  ow_core_csr u_csr (
    .clk_i,
    .rst_i(rst_i | core_rst_i),
    .valid_i(csr_valid),
    .addr_i(dec.imm[11:0]),
    .kind_i(dec.funct3[1:0]),
    .operand_i(dec.funct3[2] ? {27'd0, dec.rs1} : rs1),
    .no_write_i(dec.funct3[1] && dec.rs1 == 5'd0),
    .rdata_o(csr_rdata),
    .illegal_o(csr_illegal),
    .commit_i(done),
    .retire_i(done),
    .trap_i(trap),
    .trap_pc_i(pc_q[31:2]),
    .trap_cause_i(cause),
    .trap_tval_i(tval),
    .mret_i(done && dec.cls == CLS_MRET),
    .mtvec_o(mtvec),
    .mepc_o(mepc),
    .no_vector_o(no_vector),
    .cycle_i
  );

  // -------------------------------------------------------------------- multiply and divide -----
  logic        md_start, md_done;
  logic [31:0] md_result;

  assign md_start = dec.cls == CLS_MULDIV && ex_q == EX_RUN;

  ow_core_muldiv u_muldiv (
    .clk_i,
    .rst_i,
    .clear_i(core_rst_i),
    .start_i(md_start),
    .funct3_i(dec.funct3),
    .a_i(rs1),
    .b_i(rs2),
    .done_o(md_done),
    .result_o(md_result)
  );

  // ---------------------------------------------------------------------------------- execute ---
  ow_core_execute #(
    .SramBytes(SramBytes),
    .Dsrs(Dsrs)
  ) u_execute (
    .have_i(have),
    .pc_ok_i(pc_ok),
    .pc_i(pc_q),
    .insn_i(insn),
    .dec_i(dec),
    .rs1_i(rs1),
    .rs2_i(rs2),
    .alu_result_i(alu_result),
    .taken_i(taken),
    .ex_i(ex_q),
    .stack_limit_i,
    .text_limit_i,
    .csr_illegal_i(csr_illegal),
    .csr_rdata_i(csr_rdata),
    .mtvec_i(mtvec),
    .mepc_i(mepc),
    .no_vector_i(no_vector),
    .md_done_i(md_done),
    .md_result_i(md_result),
    .dmem_req_o,
    .dmem_we_o,
    .dmem_be_o,
    .dmem_addr_o,
    .dmem_wdata_o,
    .dmem_gnt_i,
    .mmio_req_o,
    .mmio_we_o,
    .mmio_addr_o,
    .mmio_wdata_o,
    .mmio_gnt_i,
    .mmio_rvalid_i,
    .mmio_rdata_i,
    .next_ready_i,
    .next_entry_i,
    .next_arg_i,
    .next_pop_o,
    .next_wait_o,
    .tensor_valid_o,
    .tensor_o,
    .tensor_ready_i,
    .tensor_sync_done_i,
    .tensor_hold_i,
    .dsr_we_o,
    .dsr_idx_o,
    .dsr_word_o,
    .dsr_wdata_o,
    .dsr_ready_i,
    .dsr_rdata_i,
    .trap_o(trap),
    .cause_o(cause),
    .tval_o(tval),
    .redirect_o(redirect),
    .target_o(target),
    .done_o(done),
    .ex_d_o(ex_d),
    .write_o(write)
  );

  assign issue_o = done | trap;
  // The head line goes with its second instruction; a redirect throws the whole buffer away.
  assign line_pop = done & ~redirect & pc_q[2] & ~flush;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ex_q <= EX_RUN;
      pc_q <= 32'd0;
      stopped_q <= 1'b0;
      stop_ebreak_q <= 1'b0;
      cause_q <= 5'd0;
      tval_q <= 32'd0;
    end else if (core_rst_i) begin
      ex_q <= EX_RUN;
      pc_q <= {boot_pc_i[31:2], 2'd0};
      stopped_q <= 1'b0;
      stop_ebreak_q <= 1'b0;
      cause_q <= 5'd0;
      tval_q <= 32'd0;
    end else if (have) begin
      ex_q <= ex_d;
      if (redirect) pc_q <= target;
      else if (done) pc_q <= pc_q + 32'd4;
      if (trap && no_vector) begin
        stopped_q <= 1'b1;
        stop_ebreak_q <= cause == TRAP_BREAKPOINT;
        cause_q <= cause;
        tval_q <= tval;
      end
    end
  end

  // ----------------------------------------------------------------------------------- status ---
  assign pc_o = pc_q;
  assign stopped_o = stopped_q;
  assign stop_ebreak_o = stop_ebreak_q;
  assign cause_o = cause_q;
  assign tval_o = tval_q;
  assign asleep_o = (dec.cls == CLS_NEXT || dec.cls == CLS_WFI) & ~next_ready_i;
  assign wait_tensor_o = dec.cls == CLS_TENSOR || dec.cls == CLS_DSRW;

  logic waits;  // for an input, so nothing moves by itself
  always_comb begin
    waits = ~active;
    if (have) begin
      waits = asleep_o | (mmio_req_o & ~mmio_gnt_i) | (tensor_valid_o & ~tensor_ready_i) |
          (ex_q == EX_SYNC & ~tensor_sync_done_i) | (dsr_we_o & ~dsr_ready_i);
    end
  end
  assign idle_o = waits & fetch_idle & ~write_busy & ~core_rst_i;

  // Instructions are 4-byte aligned: the two low bits of addresses from outside do not matter.
  logic unused;
  assign unused = ^boot_pc_i[1:0];

  `OW_ASSERT(OneOutcome_A, !(done && trap), "an instruction either completes or traps")

endmodule
