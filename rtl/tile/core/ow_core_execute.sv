// SPDX-License-Identifier: Apache-2.0
// What the instruction in the execute stage does: its access, trap, redirect and result, and
// whether it is complete. Combinational. ex_i says what an instruction of several cycles waits for;
// ex_d_o is its next value.
//
// Requests to others depend on registers only. Their answers decide only completion (done_o,
// ex_d_o) and the redirect of instructions that wait for them. While have_i is low nothing is
// requested and nothing completes. What goes with a request (tensor_o, dsr_idx_o ..) does not
// depend on whether it is made, so a lookup by it need not wait.
//
// An instruction whose effect depends on memory (to the engine, a task, fence.i) waits until memory
// access is empty (clear_i). hold_i: nothing can go on there in this cycle.
module ow_core_execute
  import ow_pkg::*;
  import ow_core_pkg::*;
#(
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter int unsigned Dsrs = NUM_DSRS   // a descriptor beyond is an illegal instruction
) (
  input  logic         have_i,   // an instruction is here
  /* verilator lint_off UNUSEDSIGNAL */ // what the operands and the ALU needed of it
  input  execute_t     x_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0]  alu_result_i,
  input  logic [31:0]  alu_sum_i,
  input  logic         alu_low_i,    // alu_result_i is less than stack_limit_i, or below 0
  input  logic         taken_i,
  input  ex_e          ex_i,
  input  logic         clear_i,
  input  logic         hold_i,
  input  logic [23:0]  stack_limit_i,
  input  logic [23:0]  text_limit_i,

  input  logic         csr_illegal_i,
  input  logic [31:0]  csr_rdata_i,
  input  logic [31:0]  mtvec_i,
  input  logic [31:0]  mepc_i,
  input  logic         no_vector_i,
  input  logic         md_ready_i,
  input  logic [31:0]  md_result_i,

  // As in ow_core.
  input  logic         next_ready_i,
  /* verilator lint_off UNUSEDSIGNAL */ // instructions are 4-byte aligned
  input  logic [31:0]  next_entry_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0]  next_arg_i,
  output logic         next_pop_o,
  output logic         next_wait_o,
  output logic         tensor_valid_o,
  output tensor_insn_t tensor_o,
  input  logic         tensor_ready_i,
  input  logic         tensor_quick_i,
  input  logic         tensor_sync_done_i,
  input  logic         tensor_hold_i,
  output logic         dsr_we_o,
  output logic         dsr_re_o,
  output logic [4:0]   dsr_idx_o,
  output logic [2:0]   dsr_word_o,   // of ow.dsrl none: it asks whether it may write
  output logic [31:0]  dsr_wdata_o,
  input  logic         dsr_ready_i,
  input  logic         dsr_rvalid_i,
  input  logic [31:0]  dsr_rdata_i,

  output logic         trap_o,
  output logic [4:0]   cause_o,
  output logic [31:0]  tval_o,
  output logic         redirect_o,  // may come again until the instruction goes on
  output logic [31:0]  target_o,
  output logic         done_o,   // complete, without a trap, and goes on
  output ex_e          ex_d_o,
  output result_t      result_o  // what goes on with done_o or trap_o
);
  localparam logic [4:0] STACK_REG = 5'd2;
  localparam logic [4:0] LINK_REG = 5'd1;  // x1: return address of a task
  localparam logic [4:0] ARG_REG = 5'd10;  // x10: argument of a task

  /* verilator lint_off UNUSEDSIGNAL */ // decode and memory access use the other fields
  dec_t        dec;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] insn, pc;
  assign dec = x_i.dec;
  assign insn = x_i.insn;
  assign pc = x_i.pc;

  // ----------------------------------------------------------------------------------- access ---
  logic        in_sram;
  logic        in_regs;
  logic        in_text;
  logic        misaligned;
  logic        bad_access;
  logic [4:0]  access_cause;
  logic [31:0] addr;
  /* verilator lint_off UNUSEDSIGNAL */ // its sign
  logic [32:0] below_text;  // the address of a store less the limit
  /* verilator lint_on UNUSEDSIGNAL */
  logic [32:0] base, offset, no_text;
  assign addr = alu_sum_i;
  assign base = {x_i.rs1[31], x_i.rs1};
  assign offset = {dec.imm[31], dec.imm};
  assign no_text = ~{9'd0, text_limit_i};
  assign below_text = (base ^ offset ^ no_text) +
                      ((((base & offset) | (base & no_text) | (offset & no_text)) << 1) | 33'd1);

  always_comb begin
    misaligned = 1'b0;
    in_sram = 1'b0;
    in_regs = 1'b0;
    in_text = 1'b0;
    bad_access = 1'b0;
    access_cause = 5'd0;
    if (have_i && dec.cls == CLS_DSRL) begin
      // All words, and computed beside their addresses: no word is loaded if one cannot be.
      misaligned = x_i.rs1[1:0] != 2'd0;
      bad_access = misaligned || x_i.rs1 >= 32'(SramBytes - 4 * 32'(LAST_WORD));
      access_cause = misaligned ? TRAP_LOAD_MISALIGNED : TRAP_LOAD_FAULT;
    end
    if (have_i && (dec.cls == CLS_LOAD || dec.cls == CLS_STORE)) begin
      misaligned = (dec.funct3[0] & addr[0]) | (dec.funct3[1] & (addr[1:0] != 2'd0));
      in_sram = addr < SramBytes;
      in_regs = addr[31:12] == TILE_REGS[31:12] && dec.funct3[1] &&
          addr[11:0] < 12'(TILE_REGS_BYTES);
      // Whether the address is below the limit is computed in parallel with the address, from its
      // terms.
      in_text = dec.cls == CLS_STORE && in_sram && below_text[32];
      bad_access = misaligned || in_text || !(in_sram || in_regs);
      if (in_text) access_cause = TRAP_TEXT;
      else if (dec.cls == CLS_LOAD) access_cause = misaligned ? TRAP_LOAD_MISALIGNED
                                                              : TRAP_LOAD_FAULT;
      else access_cause = misaligned ? TRAP_STORE_MISALIGNED : TRAP_STORE_FAULT;
    end
  end

  // ------------------------------------------------------------------------------- the engine ---
  tensor_ctl_t tensor_ctl;
  logic        no_dsr;    // the descriptor is not there
  logic        dsr_asks;  // it is loaded when no thread uses it
  logic        last;      // its last word
  assign tensor_ctl = x_i.rs1;
  assign no_dsr = {1'b0, dsr_idx_o} > 6'(Dsrs - 1);
  assign dsr_asks = dec.cls == CLS_DSRL && ex_i == EX_RUN && !bad_access;
  assign last = dec.imm[4:2] == LAST_WORD;

  assign tensor_valid_o = have_i && dec.cls == CLS_TENSOR && ex_i == EX_RUN && clear_i;
  assign tensor_o = '{op: insn[31:25], ty: dec.funct3, ctl: tensor_ctl, scalar: x_i.rs2, pc: pc};
  assign dsr_we_o = have_i && (dec.cls == CLS_DSRW || dsr_asks) && !no_dsr && clear_i;
  assign dsr_re_o = have_i && dec.cls == CLS_DSRR && !no_dsr;
  assign dsr_idx_o = dec.cls == CLS_DSRL ? x_i.rs2[4:0] : x_i.rs1[4:0];
  assign dsr_word_o = dec.cls == CLS_DSRL ? NO_WORD : insn[27:25];
  assign dsr_wdata_o = x_i.rs2;

  // ----------------------------------------------------------------------- traps and redirects ---
  logic        stack_low;
  logic        jumps;   // to the ALU's sum
  logic [31:0] link;    // the address of the next instruction
  assign link = pc + 32'd4;

  always_comb begin
    trap_o = 1'b0;
    cause_o = 5'd0;
    tval_o = 32'd0;
    redirect_o = 1'b0;
    target_o = link;
    stack_low = 1'b0;
    jumps = 1'b0;
    next_pop_o = 1'b0;
    next_wait_o = 1'b0;
    if (have_i) begin
      unique case (dec.cls)
        CLS_ILLEGAL: begin
          trap_o = 1'b1;
          cause_o = x_i.pc_ok ? TRAP_ILLEGAL : TRAP_FETCH_FAULT;
          tval_o = x_i.pc_ok ? insn : pc;
        end
        CLS_ALU: begin
          // A sum that wrapped around below 0 is below the limit, too.
          stack_low = dec.rd == STACK_REG && stack_limit_i != '0 && alu_low_i;
          trap_o = stack_low;
          cause_o = TRAP_STACK;
          tval_o = alu_result_i;
        end
        CLS_BRANCH, CLS_JAL, CLS_JALR: begin
          jumps = taken_i || dec.cls != CLS_BRANCH;
          redirect_o = jumps != x_i.early;  // else fetch is already there
          if (jumps) target_o = {alu_sum_i[31:1], 1'b0};  // only jalr sets bit 0, and clears it
          trap_o = jumps && alu_sum_i[1];
          cause_o = TRAP_FETCH_MISALIGNED;
          tval_o = {alu_sum_i[31:1], 1'b0};
        end
        CLS_LOAD, CLS_STORE: begin
          trap_o = bad_access;
          cause_o = access_cause;
          tval_o = addr;
        end
        CLS_DSRL: begin
          trap_o = bad_access || no_dsr;
          cause_o = bad_access ? access_cause : TRAP_ILLEGAL;
          tval_o = bad_access ? x_i.rs1 : insn;
        end
        CLS_CSR: begin
          trap_o = csr_illegal_i;
          cause_o = TRAP_ILLEGAL;
          tval_o = insn;
        end
        CLS_DSRW, CLS_DSRR: begin
          trap_o = no_dsr;
          cause_o = TRAP_ILLEGAL;
          tval_o = insn;
        end
        CLS_FENCEI: redirect_o = clear_i && !tensor_hold_i;
        CLS_ECALL: begin
          trap_o = 1'b1;
          cause_o = TRAP_ECALL_M;
        end
        CLS_EBREAK: begin
          trap_o = 1'b1;
          cause_o = TRAP_BREAKPOINT;
          tval_o = pc;
        end
        CLS_MRET: begin
          redirect_o = 1'b1;
          target_o = mepc_i;
        end
        CLS_NEXT: begin
          next_wait_o = ex_i == EX_RUN && clear_i;
          next_pop_o = next_wait_o && next_ready_i;
          redirect_o = next_pop_o;
          target_o = {next_entry_i[31:2], 2'd0};
        end
        default: ;
      endcase
      if (trap_o) begin
        redirect_o = 1'b1;
        target_o = no_vector_i ? pc : mtvec_i;  // without a vector it stops here
      end
    end
  end

  // -------------------------------------------------------------------------------- completion ---
  logic        done;
  logic        retire;
  logic        rd_we;
  logic [4:0]  rd;
  logic [31:0] rd_data;

  always_comb begin
    done = 1'b0;
    ex_d_o = ex_i;
    rd_we = dec.rd_we;
    rd = dec.rd;
    rd_data = alu_result_i;
    if (have_i && !trap_o) begin
      unique case (dec.cls)
        CLS_ALU, CLS_BRANCH, CLS_FENCE, CLS_MRET, CLS_LOAD, CLS_STORE: done = 1'b1;
        CLS_FENCEI: done = redirect_o;
        CLS_JAL, CLS_JALR: begin
          done = 1'b1;
          rd_data = link;
        end
        CLS_CSR: begin
          done = 1'b1;
          rd_data = csr_rdata_i;
        end
        CLS_MULDIV: begin
          rd_data = md_result_i;
          done = md_ready_i;
          ex_d_o = md_ready_i && !hold_i ? EX_RUN : EX_MULDIV;
        end
        CLS_WFI: done = next_ready_i;
        CLS_NEXT: begin
          // ow.next writes x10 first and x1 in the next cycle.
          done = next_pop_o || ex_i == EX_MORE;
          ex_d_o = next_pop_o ? EX_MORE : EX_RUN;
          rd_we = 1'b1;
          rd = ex_i == EX_MORE ? LINK_REG : ARG_REG;
          rd_data = ex_i == EX_MORE ? pc : next_arg_i;
        end
        CLS_DSRW: done = dsr_we_o && dsr_ready_i;
        CLS_DSRL: begin
          // The loads of its words go on one after the other.
          done = ex_i == EX_MORE || (dsr_we_o && dsr_ready_i);
          if (done && !hold_i) ex_d_o = last ? EX_RUN : EX_MORE;
        end
        CLS_DSRR: begin
          done = dsr_rvalid_i;
          rd_data = dsr_rdata_i;
        end
        CLS_TENSOR: begin
          if (ex_i == EX_RUN) begin
            if (tensor_valid_o && tensor_quick_i) begin
              done = 1'b1;
            end else if (tensor_valid_o && tensor_ready_i) begin
              if (tensor_ctl.thread != 4'd0 || tensor_sync_done_i) done = 1'b1;
              else ex_d_o = EX_SYNC;
            end
          end else if (tensor_sync_done_i) begin
            done = 1'b1;
            ex_d_o = EX_RUN;
          end
        end
        default: ;
      endcase
    end
  end
  assign done_o = done && !hold_i;

  assign retire = dec.cls == CLS_DSRL ? last || trap_o : ex_i != EX_MORE;
  assign result_o = '{retire: retire, trap: trap_o, pc: pc, insn: insn,
                      rd_we: rd_we && !trap_o, rd: rd, data: rd_data,
                      load: (dec.cls == CLS_LOAD || dec.cls == CLS_DSRL) && !trap_o,
                      store: dec.cls == CLS_STORE && !trap_o,
                      regs: in_regs, dsr: dec.cls == CLS_DSRL && !trap_o, word: dec.imm[4:2],
                      funct3: dec.funct3, addr: addr,
                      wdata: x_i.rs2 << {addr[1:0], 3'd0}};
endmodule
