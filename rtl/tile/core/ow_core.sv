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
// run_i: may start an instruction. core_rst_i: pulse, pc = boot_pc_i. issue_o: an instruction
//   completes or traps in this cycle (combinational: to step, drop run_i in the cycle after it).
// pc_o .. wait_tensor_o: status: where it is, whether and why it stopped, whether it sleeps in
//   ow.next or wfi, whether a tensor instruction waits.
// next_*: the picked task: entry address and argument; next_pop_o takes it, next_wait_o says that
//   the core sits in ow.next.
// tensor_*: an instruction for the engine, valid/ready; tensor_sync_done_i: thread 0 is complete.
//           tensor_hold_i: what it wrote is not all in memory yet, so fence.i waits; loads and
//           stores wait in front of the memory.
// dsr_*: descriptor registers; a write waits for dsr_ready_i, a read is combinational.
// cycle_i: the wafer's cycle count. retire_o: the instruction in write-back, for scoreboards.
// idle_o: nothing can change here before one of the inputs does.

`include "ow_assert.svh"

module ow_core
  import ow_pkg::*;
  import ow_core_pkg::*;
#(
  parameter int unsigned SramBytes = 49152
) (
  input  logic         clk_i,
  input  logic         rst_i,

  input  logic         run_i,
  input  logic         core_rst_i,
  input  logic [31:0]  boot_pc_i,
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

  localparam logic [4:0] LINK_REG = 5'd1;  // x1: return address of a task
  localparam logic [4:0] ARG_REG = 5'd10;  // x10: its argument

  // What a multi-cycle instruction in the execute stage waits for.
  typedef enum logic [1:0] {
    EX_RUN    = 2'd0,
    EX_MULDIV = 2'd1,
    EX_MMIO   = 2'd2,  // a register read has been granted
    EX_SYNC   = 2'd3   // the engine has taken an instruction for thread 0
  } ex_e;

  ex_e         ex_q, ex_d;
  logic [31:0] pc_q;
  logic        stopped_q, stop_ebreak_q;
  logic [4:0]  cause_q;
  logic [31:0] tval_q;

  // Write-back stage.
  logic        wb_valid_q;    // an instruction is here (it retired or trapped)
  logic        wb_trap_q;
  logic        wb_we_q;       // writes wb_rd_q
  logic        wb_load_q;     // the value comes from memory in this cycle
  logic [2:0]  wb_funct3_q;
  logic [4:0]  wb_rd_q;
  logic [31:0] wb_data_q;
  logic        wb_store_q;
  logic [31:0] wb_addr_q;
  logic [31:0] wb_wdata_q;
  logic [31:0] wb_pc_q, wb_insn_q;
  logic        link_pend_q;   // ow.next has been dispatched: x1 is still to be written
  logic [31:0] link_q;

  logic [31:0] regs_q [32];

  // ------------------------------------------------------------------------------------- fetch --
  logic        active, pc_ok, have, line_valid, fetch_idle, line_pop, redirect, flush;
  logic [31:0] insn, target, fetch_target;
  logic [63:0] line;

  assign active = ((ex_q != EX_RUN) | (run_i & ~stopped_q)) & ~core_rst_i;
  assign pc_ok = pc_q < SramBytes;
  assign have = active & ~link_pend_q & (line_valid | ~pc_ok);
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

  // --------------------------------------------------------------------------------- operands ---
  dec_t        dec;
  logic [31:0] wb_result;
  logic [31:0] rs1, rs2, alu_a, alu_b, alu_result;
  logic        taken;

  ow_core_decode u_decode (
    .valid_i(have & pc_ok),
    .insn_i(insn),
    .dec_o(dec)
  );

  // What write-back writes: a load picks its bytes here.
  logic [31:0] load_word;
  always_comb begin
    wb_result = wb_data_q;
    load_word = 32'd0;
    if (wb_load_q) begin
      load_word = dmem_rdata_i >> {wb_addr_q[1:0], 3'd0};
      unique case (wb_funct3_q)
        3'd0: wb_result = {{24{load_word[7]}}, load_word[7:0]};
        3'd1: wb_result = {{16{load_word[15]}}, load_word[15:0]};
        3'd4: wb_result = {24'd0, load_word[7:0]};
        3'd5: wb_result = {16'd0, load_word[15:0]};
        default: wb_result = load_word;
      endcase
    end
  end

  always_comb begin
    rs1 = 32'd0;
    rs2 = 32'd0;
    alu_a = 32'd0;
    alu_b = 32'd0;
    if (have) begin
      if (dec.rs1 != 5'd0) begin
        rs1 = wb_we_q && wb_rd_q == dec.rs1 ? wb_result : regs_q[dec.rs1];
      end
      if (dec.rs2 != 5'd0) begin
        rs2 = wb_we_q && wb_rd_q == dec.rs2 ? wb_result : regs_q[dec.rs2];
      end
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
  // Requests, traps and redirects: nothing here depends on a grant of this cycle.
  logic         misaligned, in_sram, in_regs;
  tensor_ctl_t  tensor_ctl;
  assign tensor_ctl = rs1;

  always_comb begin
    trap = 1'b0;
    cause = 5'd0;
    tval = 32'd0;
    redirect = 1'b0;
    target = 32'd0;
    misaligned = 1'b0;
    in_sram = 1'b0;
    in_regs = 1'b0;
    dmem_req_o = 1'b0;
    dmem_we_o = 1'b0;
    dmem_be_o = 4'd0;
    dmem_addr_o = 24'd0;
    dmem_wdata_o = 32'd0;
    mmio_req_o = 1'b0;
    mmio_we_o = 1'b0;
    mmio_addr_o = 16'd0;
    mmio_wdata_o = 32'd0;
    next_pop_o = 1'b0;
    next_wait_o = 1'b0;
    tensor_valid_o = 1'b0;
    tensor_o = '0;
    dsr_we_o = 1'b0;
    dsr_idx_o = 5'd0;
    dsr_word_o = 3'd0;
    dsr_wdata_o = 32'd0;
    if (have) begin
      unique case (dec.cls)
        CLS_ILLEGAL: begin
          trap = 1'b1;
          cause = pc_ok ? TRAP_ILLEGAL : TRAP_FETCH_FAULT;
          tval = pc_ok ? insn : pc_q;
        end
        CLS_BRANCH, CLS_JAL, CLS_JALR: begin
          target = {alu_result[31:1], 1'b0};  // bit 0 is only ever set by jalr, which clears it
          redirect = taken || dec.cls != CLS_BRANCH;
          if (redirect && target[1]) begin
            trap = 1'b1;
            cause = TRAP_FETCH_MISALIGNED;
            tval = target;
          end
        end
        CLS_LOAD, CLS_STORE: begin
          misaligned = (dec.funct3[0] & alu_result[0]) |
              (dec.funct3[1] & (alu_result[1:0] != 2'd0));
          in_sram = alu_result < SramBytes;
          in_regs = alu_result[31:12] == TILE_REGS[31:12] && dec.funct3[1] &&
              alu_result[11:0] < 12'(TILE_REGS_BYTES);
          if (misaligned || !(in_sram || in_regs)) begin
            trap = 1'b1;
            tval = alu_result;
            if (dec.cls == CLS_LOAD) cause = misaligned ? TRAP_LOAD_MISALIGNED : TRAP_LOAD_FAULT;
            else cause = misaligned ? TRAP_STORE_MISALIGNED : TRAP_STORE_FAULT;
          end else if (in_sram) begin
            dmem_req_o = 1'b1;
            dmem_we_o = dec.cls == CLS_STORE;
            dmem_addr_o = {alu_result[23:2], 2'd0};  // bytes are named by the enables
            dmem_be_o = (dec.funct3[1] ? 4'b1111 : dec.funct3[0] ? 4'b0011 : 4'b0001) <<
                alu_result[1:0];
            dmem_wdata_o = rs2 << {alu_result[1:0], 3'd0};
          end else begin
            mmio_req_o = ex_q == EX_RUN;
            mmio_we_o = dec.cls == CLS_STORE;
            mmio_addr_o = {4'd0, alu_result[11:0]};
            mmio_wdata_o = rs2;
          end
        end
        CLS_CSR: begin
          trap = csr_illegal;
          cause = TRAP_ILLEGAL;
          tval = insn;
        end
        CLS_FENCEI: begin
          redirect = ~tensor_hold_i;
          target = pc_q + 32'd4;
        end
        CLS_ECALL: begin
          trap = 1'b1;
          cause = TRAP_ECALL_M;
        end
        CLS_EBREAK: begin
          trap = 1'b1;
          cause = TRAP_BREAKPOINT;
          tval = pc_q;
        end
        CLS_MRET: begin
          redirect = 1'b1;
          target = mepc;
        end
        CLS_NEXT: begin
          next_wait_o = 1'b1;
          next_pop_o = next_ready_i;
          redirect = next_ready_i;
          target = {next_entry_i[31:2], 2'd0};
        end
        CLS_DSRW: begin
          dsr_we_o = 1'b1;
          dsr_idx_o = rs1[4:0];
          dsr_word_o = insn[27:25];
          dsr_wdata_o = rs2;
        end
        CLS_DSRR: begin
          dsr_idx_o = rs1[4:0];
          dsr_word_o = insn[27:25];
        end
        CLS_TENSOR: begin
          tensor_valid_o = ex_q == EX_RUN;
          tensor_o.op = insn[31:25];
          tensor_o.ty = dec.funct3;
          tensor_o.ctl = tensor_ctl;
          tensor_o.scalar = rs2;
          tensor_o.pc = pc_q;
        end
        default: ;
      endcase
      if (trap) begin
        redirect = ~no_vector;
        target = mtvec;
      end
    end
  end

  // Completion: uses the grants.
  logic        rd_we;
  logic [4:0]  rd;
  logic [31:0] rd_data;

  always_comb begin
    done = 1'b0;
    ex_d = ex_q;
    rd_we = dec.rd_we;
    rd = dec.rd;
    rd_data = alu_result;
    if (have && !trap) begin
      unique case (dec.cls)
        CLS_ALU, CLS_BRANCH, CLS_FENCE, CLS_MRET: done = 1'b1;
        CLS_FENCEI: done = ~tensor_hold_i;
        CLS_JAL, CLS_JALR: begin
          done = 1'b1;
          rd_data = pc_q + 32'd4;
        end
        CLS_CSR: begin
          done = 1'b1;
          rd_data = csr_rdata;
        end
        CLS_LOAD: begin
          rd_data = mmio_rdata_i;
          if (in_sram) begin
            done = dmem_gnt_i;
          end else if (ex_q == EX_RUN) begin
            if (mmio_gnt_i) ex_d = EX_MMIO;
          end else if (mmio_rvalid_i) begin
            done = 1'b1;
            ex_d = EX_RUN;
          end
        end
        CLS_STORE: done = in_sram ? dmem_gnt_i : mmio_gnt_i;
        CLS_MULDIV: begin
          rd_data = md_result;
          done = md_done;
          ex_d = md_done ? EX_RUN : EX_MULDIV;
        end
        CLS_WFI: done = next_ready_i;
        CLS_NEXT: begin
          done = next_ready_i;
          rd_we = 1'b1;
          rd = ARG_REG;
          rd_data = next_arg_i;
        end
        CLS_DSRW: done = dsr_ready_i;
        CLS_DSRR: begin
          done = 1'b1;
          rd_data = dsr_rdata_i;
        end
        CLS_TENSOR: begin
          if (ex_q == EX_RUN) begin
            if (tensor_ready_i) begin
              if (tensor_ctl.thread != 4'd0 || tensor_sync_done_i) done = 1'b1;
              else ex_d = EX_SYNC;
            end
          end else if (tensor_sync_done_i) begin
            done = 1'b1;
            ex_d = EX_RUN;
          end
        end
        default: ;
      endcase
    end
  end

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

  // ------------------------------------------------------------------------------- write-back ---
  always_ff @(posedge clk_i) begin
    if (rst_i || core_rst_i) begin
      wb_valid_q <= 1'b0;
      wb_trap_q <= 1'b0;
      wb_we_q <= 1'b0;
      wb_load_q <= 1'b0;
      wb_store_q <= 1'b0;
      link_pend_q <= 1'b0;
    end else begin
      wb_valid_q <= issue_o;
      wb_we_q <= (done & rd_we) | link_pend_q;
      wb_load_q <= done & dmem_req_o & ~dmem_we_o;
      if (issue_o) begin
        wb_trap_q <= trap;
        wb_pc_q <= pc_q;
        wb_insn_q <= insn;
        wb_rd_q <= rd;
        wb_data_q <= rd_data;
        wb_funct3_q <= dec.funct3;
        wb_addr_q <= alu_result;
        wb_store_q <= done && dec.cls == CLS_STORE;
        wb_wdata_q <= rs2;
        if (next_pop_o) link_pend_q <= 1'b1;
      end
      if (link_pend_q) begin
        link_pend_q <= 1'b0;
        wb_rd_q <= LINK_REG;
        wb_data_q <= link_q;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (next_pop_o) link_q <= pc_q;
    if (wb_we_q) regs_q[wb_rd_q] <= wb_result;
  end

  always_comb begin
    retire_o = '0;
    if (wb_valid_q) begin
      retire_o.valid = 1'b1;
      retire_o.trap = wb_trap_q;
      retire_o.pc = wb_pc_q;
      retire_o.insn = wb_insn_q;
      retire_o.rd_we = wb_we_q;
      if (wb_we_q) begin
        retire_o.rd = wb_rd_q;
        retire_o.rd_data = wb_result;
      end
      retire_o.mem_we = wb_store_q;
      if (wb_store_q) begin
        retire_o.mem_addr = wb_addr_q;
        unique case (wb_funct3_q[1:0])
          2'd0: retire_o.mem_wdata = {24'd0, wb_wdata_q[7:0]};
          2'd1: retire_o.mem_wdata = {16'd0, wb_wdata_q[15:0]};
          default: retire_o.mem_wdata = wb_wdata_q;
        endcase
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
  assign idle_o = waits & fetch_idle & ~wb_valid_q & ~wb_we_q & ~link_pend_q & ~core_rst_i;

  // Instructions are 4-byte aligned: the two low bits of addresses from outside do not matter.
  logic unused;
  assign unused = ^{boot_pc_i[1:0], next_entry_i[1:0]};

  `OW_ASSERT(LoadAnswer_A, dmem_rvalid_i == wb_load_q, "a load's data comes with write-back")
  `OW_ASSERT(NoWriteX0_A, !(wb_we_q && wb_rd_q == 5'd0), "x0 is never written")
  `OW_ASSERT(OneOutcome_A, !(done && trap), "an instruction either completes or traps")
  `OW_ASSERT(LinkSlotFree_A, !(link_pend_q && issue_o), "nothing issues while x1 is written")

endmodule
