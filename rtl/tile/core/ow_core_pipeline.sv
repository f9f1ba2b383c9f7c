// SPDX-License-Identifier: Apache-2.0
// The scalar core as a pipeline, for a short cycle and an instruction per cycle.
//
// Five stages: fetch buffer (ow_core_fetch); decode, which reads the operands and sends the fetch
// on to the targets of jumps and of branches backwards; execute (ALU, branch, CSR, address); memory
// access (ow_core_memory); write-back (load data, the only write port of the register file).
// Results forward from execute, memory access and write-back to decode. Execution is in order.
// Every trap is taken in the execute stage, so all are precise. What a stage asks others for comes
// from registers; a grant only decides whether stages move.
//
// Cycles:
//   1              most instructions; ow.dsrr and ow.dsrw
//   6              ow.dsrl, plus the cycles that memory refuses; 8 before a tensor or DSR
//                  instruction
//   2              expected jumps and branches (backwards: taken); CSR accesses that write
//   3              unexpected jumps and branches, jalr with an offset; fence.i; ow.next once a task
//                  is ready
//   loads, stores  1, plus the cycles that memory refuses. An instruction that needs a load's data
//                  waits until it is 3 after the load
//   registers      stores 3, loads 5, both plus waiting
//   products       mul 4, mulh* 5, div* and rem* 34
//   tensor         1 or 2 (tensor_quick_i) once the engine can launch it, which it does in the
//                  first of them; on thread 0 until it is complete
// Tensor and DSR instructions, ow.next and fence.i wait for the access before them.
//
// ow.dsrl asks the engine once whether the descriptor is free. Only this core launches, so it stays
// free. Then six loads pass memory access one after the other, and write-back writes their words to
// the engine. A word that is refused there (another address is saved) is loaded again, and so are
// those after it.
//
// Ports are those of ow_core.

`include "ow_assert.svh"

module ow_core_pipeline
  import ow_pkg::*;
  import ow_core_pkg::*;
#(
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter int unsigned Dsrs = NUM_DSRS
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

  `OW_ASSERT_INIT(SramBytesRange_A, SramBytes >= 64 && SramBytes % 64 == 0 && SramBytes <= 2**23)

  // ------------------------------------------------------------------------------------- state ---
  // The address of the instruction in decode; the instruction in execute.
  logic [31:0] pc_q;
  logic        x_valid_q;
  execute_t    x_q;
  ex_e         ex_q, ex_d;
  logic        stopped_q, stop_ebreak_q;
  logic [4:0]  cause_q;
  logic [31:0] tval_q;

  // ------------------------------------------------------------------------------------- fetch --
  logic        halted;   // decodes nothing
  logic        redirect, x_redirect, line_valid, line_kept, fetch_idle, line_pop;
  logic [31:0] target, x_target;
  logic [63:0] line;

  assign halted = ~run_i | stopped_q | core_rst_i;

  ow_core_fetch #(.SramBytes(SramBytes)) u_fetch (
    .clk_i, .rst_i,
    .flush_i(halted),
    .redirect_i(redirect),
    .target_i(target),
    .rest_i(pc_q),
    .line_valid_o(line_valid),
    .line_kept_o(line_kept),
    .line_o(line),
    .pop_i(line_pop),
    .req_o(ifetch_req_o),
    .addr_o(ifetch_addr_o),
    .gnt_i(ifetch_gnt_i),
    .rvalid_i(ifetch_rvalid_i),
    .rdata_i(ifetch_rdata_i),
    .idle_o(fetch_idle)
  );

  // ------------------------------------------------------------------------------------ decode ---
  dec_t        dec;
  logic        pc_ok;
  logic [31:0] rs1, rs2, rs1_old;
  logic        d_have, d_known, d_wait, d_go, x_leaves;
  logic        x_reads;  // a CSR instruction that writes none
  logic [31:0] insn, d_target;
  logic        m_valid, m_wait, m_asks, m_regs, m_loads, m_dsr, m_blocked;
  result_t     x_result, m_result;
  logic        w_busy;

  assign d_have = ~halted & (~step_i | ~x_valid_q) & (line_valid | ~pc_ok);
  assign pc_ok = pc_q < SramBytes;

  always_comb begin
    insn = 32'd0;
    if (d_have && pc_ok) insn = pc_q[2] ? line[63:32] : line[31:0];
  end

  ow_core_decode u_decode (
    .valid_i(d_have & pc_ok),
    .insn_i(insn),
    .dec_o(dec)
  );

  // The target of the instruction, if it is known here: jumps, and branches backwards. An
  // instruction that has just come from memory waits until its line is in the buffer.
  always_comb begin
    d_known = 1'b0;
    d_target = 32'd0;
    if (d_have) begin
      d_target = pc_q + dec.imm;
      unique case (dec.cls)
        CLS_JAL: d_known = 1'b1;
        CLS_BRANCH: d_known = dec.imm[31];
        CLS_JALR: begin
          d_known = dec.imm == 32'd0;
          d_target = rs1_old;
        end
        default: ;
      endcase
    end
  end

  // The instruction needs a result that is not there yet: of a load in execute, or of the
  // instruction in memory access.
  logic need_x, need_m;
  assign need_x = (dec.use_1 && dec.rs1 == x_q.dec.rd) || (dec.use_2 && dec.rs2 == x_q.dec.rd);
  assign need_m = (dec.use_1 && dec.rs1 == m_result.rd) || (dec.use_2 && dec.rs2 == m_result.rd);

  always_comb begin
    d_wait = d_known & ~line_kept;
    if (x_valid_q && x_q.dec.rd_we && need_x) begin
      // A jump's target would come too late from the execute stage.
      if (x_q.dec.cls == CLS_LOAD || (d_known && dec.cls == CLS_JALR)) d_wait = 1'b1;
    end
    if (m_loads && m_result.rd_we && need_m) d_wait = 1'b1;
    // Words of a descriptor are still on their way to the engine.
    if ((x_valid_q && x_q.dec.cls == CLS_DSRL) || m_dsr) begin
      if (dec.cls inside {CLS_TENSOR, CLS_DSRW, CLS_DSRR, CLS_DSRL}) d_wait = 1'b1;
    end
    // A CSR write takes effect one cycle later.
    if (x_valid_q && x_q.dec.cls == CLS_CSR && !x_reads) d_wait = 1'b1;
  end

  assign d_go = d_have & ~d_wait & (~x_valid_q | x_leaves) & ~x_redirect;
  // The second instruction of the head line takes the line away. A redirect discards the whole
  // buffer.
  assign line_pop = d_go & pc_ok & pc_q[2];

  always_comb begin
    redirect = 1'b0;
    target = pc_q;
    if (core_rst_i) begin
      target = {boot_pc_i[31:2], 2'd0};
    end else if (x_redirect) begin
      redirect = 1'b1;
      target = x_target;
    end else if (d_known) begin
      redirect = d_go;
      if (d_go) target = {d_target[31:2], 2'd0};
    end
  end

  // ---------------------------------------------------------------------------------- execute ---
  logic        x_have, x_go, done, trap, withdrawn;
  logic [31:0] alu_a, alu_b, alu_result, alu_sum;
  logic        taken, alu_low;
  logic [4:0]  cause;
  logic [31:0] tval, e_target;
  logic        e_redirect;

  // The instruction after an access to a register waits for it, because the access may stop the
  // core.
  assign x_have = x_valid_q & ~m_regs & (run_i | ex_q != EX_RUN | tensor_ready_i) & ~core_rst_i;
  // An instruction that has not begun when the core stops is decoded again later.
  assign withdrawn = x_valid_q & ~run_i & ex_q == EX_RUN & ~tensor_ready_i;
  assign tensor_here_o = x_valid_q && x_q.dec.cls == CLS_TENSOR && ex_q == EX_RUN;

  always_comb begin
    alu_a = 32'd0;
    alu_b = 32'd0;
    if (x_have) begin
      unique case (x_q.dec.a_sel)
        A_PC: alu_a = x_q.pc;
        A_RS1: alu_a = x_q.rs1;
        default: alu_a = 32'd0;
      endcase
      alu_b = x_q.dec.b_imm ? x_q.dec.imm : x_q.rs2;
    end
  end

  ow_core_alu u_alu (
    .valid_i(x_have),
    .op_i(x_q.dec.alu_op),
    .a_i(alu_a),
    .b_i(alu_b),
    .result_o(alu_result),
    .sum_o(alu_sum),
    .limit_i(stack_limit_i), .low_o(alu_low),
    .branch_i(x_q.dec.cls == CLS_BRANCH),
    .funct3_i(x_q.dec.funct3),
    .rs1_i(x_q.rs1), .rs2_i(x_q.rs2),
    .taken_o(taken)
  );

  logic        csr_valid, csr_illegal, no_vector;
  logic [31:0] csr_rdata, mtvec, mepc;

  assign x_reads = x_q.dec.funct3[1] && x_q.dec.rs1 == 5'd0;
  assign csr_valid = x_have && x_q.dec.cls == CLS_CSR;

  ow_core_csr u_csr (
    .clk_i, .rst_i(rst_i | core_rst_i),
    .valid_i(csr_valid),
    .addr_i(x_q.dec.imm[11:0]),
    .kind_i(x_q.dec.funct3[1:0]),
    .operand_i(x_q.dec.funct3[2] ? {27'd0, x_q.dec.rs1} : x_q.rs1),
    .no_write_i(x_reads),
    .rdata_o(csr_rdata),
    .illegal_o(csr_illegal),
    .commit_i(done),
    .retire_i(done & x_result.retire),
    .trap_i(trap & x_go),
    .trap_pc_i(x_q.pc[31:2]),
    .trap_cause_i(cause),
    .trap_tval_i(tval),
    .mret_i(done && x_q.dec.cls == CLS_MRET),
    .mtvec_o(mtvec),
    .mepc_o(mepc),
    .no_vector_o(no_vector),
    .cycle_i
  );

  logic        md_mine, md_ready;
  logic [31:0] md_result;

  assign md_mine = x_have && x_q.dec.cls == CLS_MULDIV;

  ow_core_muldiv u_muldiv (
    .clk_i, .rst_i,
    .clear_i(core_rst_i),
    .here_i(x_valid_q && x_q.dec.cls == CLS_MULDIV),
    .start_i(md_mine && ex_q == EX_RUN),
    .done_i(md_mine && done),
    .funct3_i(x_q.dec.funct3),
    .a_i(x_q.rs1),
    .b_i(x_q.rs2),
    .ready_o(md_ready),
    .result_o(md_result)
  );

  logic        x_dsr_we, w_dsr;
  logic [4:0]  x_dsr_idx, w_dsr_idx;
  logic [2:0]  x_dsr_word, w_dsr_word;
  logic [31:0] x_dsr_wdata;

  ow_core_execute #(.SramBytes(SramBytes), .Dsrs(Dsrs)) u_execute (
    .have_i(x_have),
    .x_i(x_q),
    .alu_result_i(alu_result),
    .alu_sum_i(alu_sum),
    .alu_low_i(alu_low),
    .taken_i(taken),
    .ex_i(ex_q),
    .clear_i(~m_asks),
    .hold_i(m_wait),
    .stack_limit_i,
    .text_limit_i,
    .csr_illegal_i(csr_illegal),
    .csr_rdata_i(csr_rdata),
    .mtvec_i(mtvec),
    .mepc_i(mepc),
    .no_vector_i(no_vector),
    .md_ready_i(md_ready),
    .md_result_i(md_result),
    .next_ready_i, .next_entry_i, .next_arg_i, .next_pop_o, .next_wait_o,
    .tensor_valid_o, .tensor_o,
    .tensor_ready_i, .tensor_quick_i, .tensor_sync_done_i, .tensor_hold_i,
    .dsr_we_o(x_dsr_we), .dsr_re_o, .dsr_idx_o(x_dsr_idx), .dsr_word_o(x_dsr_word),
    .dsr_wdata_o(x_dsr_wdata),
    .dsr_ready_i, .dsr_rvalid_i, .dsr_rdata_i,
    .trap_o(trap),
    .cause_o(cause),
    .tval_o(tval),
    .redirect_o(e_redirect),
    .target_o(e_target),
    .done_o(done),
    .ex_d_o(ex_d),
    .result_o(x_result)
  );

  assign x_go = done | (trap & ~m_wait);
  assign x_leaves = x_go & ex_d == EX_RUN;
  assign x_redirect = e_redirect | withdrawn;
  assign x_target = withdrawn ? x_q.pc : e_target;
  assign issue_o = x_go & x_result.retire;

  // The port to the descriptors. None of the instructions that have it is in execute while
  // write-back has it, but an ow.dsrl that has asked.
  logic dsr_again;
  assign dsr_we_o = w_dsr | x_dsr_we;
  assign dsr_idx_o = w_dsr ? w_dsr_idx : x_dsr_idx;
  assign dsr_word_o = w_dsr ? w_dsr_word : x_dsr_word;
  assign dsr_wdata_o = w_dsr ? dmem_rdata_i : x_dsr_wdata;
  assign dsr_again = w_dsr & ~dsr_ready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i || core_rst_i) begin
      pc_q <= rst_i ? 32'd0 : {boot_pc_i[31:2], 2'd0};
      x_valid_q <= 1'b0;
      ex_q <= EX_RUN;
      stopped_q <= 1'b0;
      stop_ebreak_q <= 1'b0;
      cause_q <= 5'd0;
      tval_q <= 32'd0;
    end else begin
      if (redirect) pc_q <= target;
      else if (d_go) pc_q <= pc_q + 32'd4;
      if (d_go) x_valid_q <= 1'b1;
      else if (x_leaves || withdrawn) x_valid_q <= 1'b0;
      if (x_have) ex_q <= ex_d;
      if (x_go && trap && no_vector) begin
        stopped_q <= 1'b1;
        stop_ebreak_q <= cause == TRAP_BREAKPOINT;
        cause_q <= cause;
        tval_q <= tval;
      end
    end
    if (d_go) begin
      x_q <= '{pc_ok: pc_ok, early: d_known, pc: pc_q, insn: insn, dec: dec, rs1: rs1, rs2: rs2};
    end else if (dsr_again) begin
      x_q.dec.imm[4:2] <= w_dsr_word;
    end else if (x_go) begin
      x_q.dec.imm[4:2] <= x_q.dec.imm[4:2] + 3'd1;
    end
  end

  // ---------------------------------------------------------------- memory access, write-back ---
  ow_core_memory u_memory (
    .clk_i, .rst_i(rst_i | core_rst_i),
    .valid_i(x_go),
    .insn_i(x_result),
    .valid_o(m_valid),
    .insn_o(m_result),
    .wait_o(m_wait),
    .asks_o(m_asks),
    .regs_o(m_regs),
    .loads_o(m_loads),
    .dsr_o(m_dsr),
    .blocked_o(m_blocked),
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
    .mmio_rdata_i
  );

  ow_core_write u_write (
    .clk_i, .rst_i(rst_i | core_rst_i),
    .valid_i(m_valid & ~m_wait),
    .insn_i(m_result),
    .dmem_rvalid_i,
    .dmem_rdata_i,
    .on_way_i({m_valid & m_result.rd_we, x_valid_q & x_q.dec.rd_we}),
    .way_rd_i({m_result.rd, x_q.dec.rd}),
    .way_data_i({m_result.data, x_result.data}),
    .read_i(d_have),
    .rs1_i(dec.rs1),
    .rs2_i(dec.rs2),
    .rs1_o(rs1),
    .rs2_o(rs2),
    .rs1_old_o(rs1_old),
    .dsr_o(w_dsr), .dsr_idx_o(w_dsr_idx), .dsr_word_o(w_dsr_word),
    .busy_o(w_busy),
    .retire_o
  );

  // ----------------------------------------------------------------------------------- status ---
  assign pc_o = m_regs ? m_result.pc : x_valid_q ? x_q.pc : pc_q;
  assign stopped_o = stopped_q;
  assign stop_ebreak_o = stop_ebreak_q;
  assign cause_o = cause_q;
  assign tval_o = tval_q;
  assign asleep_o = x_have && ex_q == EX_RUN && ~next_ready_i &&
      (x_q.dec.cls == CLS_NEXT || x_q.dec.cls == CLS_WFI);
  assign wait_tensor_o = x_have && x_q.dec.cls inside {CLS_TENSOR, CLS_DSRW, CLS_DSRL};

  // Whether it waits for an input, so that nothing moves by itself. What is in execute stays and
  // redirects nothing, and decode stays with it. With an empty execute stage decode goes on soon.
  logic waits;
  always_comb begin
    waits = 1'b0;
    if (m_valid) waits = m_blocked & ~withdrawn;
    else if (x_have) begin
      waits = asleep_o | (tensor_valid_o & ~tensor_ready_i & ~tensor_quick_i) |
          (ex_q == EX_SYNC & ~tensor_sync_done_i) | (dsr_we_o & ~dsr_ready_i);
    end else waits = ~x_valid_q & halted;
  end
  assign idle_o = waits & ~(d_have & ~x_valid_q) & fetch_idle & ~w_busy & ~core_rst_i;

  // Instructions are 4-byte aligned: the two low bits of addresses from outside do not matter.
  logic unused;
  assign unused = ^{boot_pc_i[1:0], d_target[1:0]};

  `OW_ASSERT(OneOutcome_A, !(done && trap), "an instruction either completes or traps")
  `OW_ASSERT(IdleStays_A, !(idle_o && (d_go || x_go || redirect)), "an idle core does something")
  `OW_ASSERT(Launched_A, !tensor_ready_i || core_rst_i || (tensor_valid_o && x_leaves) ||
             (tensor_valid_o && ex_d == EX_SYNC),
             "what the engine has launched goes on, and only that")
  `OW_ASSERT(DsrPort_A, !w_dsr || !(x_dsr_we || dsr_re_o || tensor_here_o),
             "what needs the descriptors is in execute before one is loaded")
  `OW_ASSERT(DsrAgain_A, !dsr_again || (x_q.dec.cls == CLS_DSRL && ex_q == EX_MORE),
             "a word of a descriptor is refused after the instruction has gone on")
  `OW_ASSERT(Quick_A, !(tensor_valid_o && tensor_quick_i) || core_rst_i || (x_leaves && !tensor_ready_i),
             "what the engine launches at once leaves, and is not answered again")

endmodule
