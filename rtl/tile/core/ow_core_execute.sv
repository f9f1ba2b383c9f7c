// SPDX-License-Identifier: Apache-2.0
// What the instruction in the execute stage does: its accesses, trap, redirect, result, and whether
// it is complete. Combinational; ex_q, of which ex_d_o is the next value, is what one of several
// cycles waits for. Nothing but completion (done_o, ex_d_o, write_o) depends on a grant of this
// cycle. It asks for nothing and ends nothing while have_i is low.
module ow_core_execute
  import ow_pkg::*;
  import ow_core_pkg::*;
#(
  parameter int unsigned SramBytes = 49152,
  parameter int unsigned Dsrs = NUM_DSRS  // a descriptor beyond is an illegal instruction
) (
  input  logic         have_i,   // an instruction is here; without pc_ok_i, one that has no memory
  input  logic         pc_ok_i,
  input  logic [31:0]  pc_i,
  input  logic [31:0]  insn_i,
  /* verilator lint_off UNUSEDSIGNAL */ // what the operands and the ALU needed of it
  input  dec_t         dec_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0]  rs1_i,
  input  logic [31:0]  rs2_i,
  input  logic [31:0]  alu_result_i,
  input  logic         taken_i,
  input  ex_e          ex_i,
  input  logic [23:0]  stack_limit_i,
  input  logic [23:0]  text_limit_i,

  input  logic         csr_illegal_i,
  input  logic [31:0]  csr_rdata_i,
  input  logic [31:0]  mtvec_i,
  input  logic [31:0]  mepc_i,
  input  logic         no_vector_i,
  input  logic         md_done_i,
  input  logic [31:0]  md_result_i,

  // As in ow_core.
  output logic         dmem_req_o,
  output logic         dmem_we_o,
  output logic [3:0]   dmem_be_o,
  output logic [23:0]  dmem_addr_o,
  output logic [31:0]  dmem_wdata_o,
  input  logic         dmem_gnt_i,
  output logic         mmio_req_o,
  output logic         mmio_we_o,
  output logic [15:0]  mmio_addr_o,
  output logic [31:0]  mmio_wdata_o,
  input  logic         mmio_gnt_i,
  input  logic         mmio_rvalid_i,
  input  logic [31:0]  mmio_rdata_i,
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
  input  logic         tensor_sync_done_i,
  input  logic         tensor_hold_i,
  output logic         dsr_we_o,
  output logic [4:0]   dsr_idx_o,
  output logic [2:0]   dsr_word_o,
  output logic [31:0]  dsr_wdata_o,
  input  logic         dsr_ready_i,
  input  logic [31:0]  dsr_rdata_i,

  output logic         trap_o,
  output logic [4:0]   cause_o,
  output logic [31:0]  tval_o,
  output logic         redirect_o,
  output logic [31:0]  target_o,
  output logic         done_o,   // complete, without a trap
  output ex_e          ex_d_o,
  output write_t       write_o   // valid with done_o or trap_o
);
  localparam logic [4:0] STACK_REG = 5'd2;
  localparam logic [4:0] ARG_REG = 5'd10;  // x10: argument of a task

  // --------------------------------------------------------------------------------- accesses ---
  logic       in_sram;
  logic       in_regs;
  logic       in_text;
  logic       misaligned;
  logic       bad_access;
  logic [4:0] access_cause;
  /* verilator lint_off UNUSEDSIGNAL */ // its sign
  logic [32:0] below_text;  // the address of a store less the limit
  /* verilator lint_on UNUSEDSIGNAL */
  assign below_text = {rs1_i[31], rs1_i} + {dec_i.imm[31], dec_i.imm} - {9'd0, text_limit_i};

  always_comb begin
    misaligned = 1'b0;
    in_sram = 1'b0;
    in_regs = 1'b0;
    in_text = 1'b0;
    bad_access = 1'b0;
    access_cause = 5'd0;
    dmem_req_o = 1'b0;
    dmem_we_o = 1'b0;
    dmem_be_o = 4'd0;
    dmem_addr_o = 24'd0;
    dmem_wdata_o = 32'd0;
    mmio_req_o = 1'b0;
    mmio_we_o = 1'b0;
    mmio_addr_o = 16'd0;
    mmio_wdata_o = 32'd0;
    if (have_i && (dec_i.cls == CLS_LOAD || dec_i.cls == CLS_STORE)) begin
      misaligned = (dec_i.funct3[0] & alu_result_i[0]) |
          (dec_i.funct3[1] & (alu_result_i[1:0] != 2'd0));
      in_sram = alu_result_i < SramBytes;
      in_regs = alu_result_i[31:12] == TILE_REGS[31:12] && dec_i.funct3[1] &&
          alu_result_i[11:0] < 12'(TILE_REGS_BYTES);
      // Beside the adder and not behind it: what the sum falls short of the limit by.
      in_text = dec_i.cls == CLS_STORE && in_sram && below_text[32];
      bad_access = misaligned || in_text || !(in_sram || in_regs);
      if (bad_access) begin
        if (in_text) access_cause = TRAP_TEXT;
        else if (dec_i.cls == CLS_LOAD) access_cause = misaligned ? TRAP_LOAD_MISALIGNED
                                                                  : TRAP_LOAD_FAULT;
        else access_cause = misaligned ? TRAP_STORE_MISALIGNED : TRAP_STORE_FAULT;
      end else if (in_sram) begin
        dmem_req_o = 1'b1;
        dmem_we_o = dec_i.cls == CLS_STORE;
        dmem_addr_o = {alu_result_i[23:2], 2'd0};  // bytes are named by the enables
        dmem_be_o = (dec_i.funct3[1] ? 4'b1111 : dec_i.funct3[0] ? 4'b0011 : 4'b0001) <<
            alu_result_i[1:0];
        dmem_wdata_o = rs2_i << {alu_result_i[1:0], 3'd0};
      end else begin
        mmio_req_o = ex_i == EX_RUN;
        mmio_we_o = dec_i.cls == CLS_STORE;
        mmio_addr_o = {4'd0, alu_result_i[11:0]};
        mmio_wdata_o = rs2_i;
      end
    end
  end

  // ------------------------------------------------------------------------------- the engine ---
  tensor_ctl_t tensor_ctl;
  logic        no_dsr;  // the descriptor is not there
  assign tensor_ctl = rs1_i;
  assign no_dsr = {1'b0, rs1_i[4:0]} > 6'(Dsrs - 1);

  always_comb begin
    tensor_valid_o = 1'b0;
    tensor_o = '0;
    dsr_we_o = 1'b0;
    dsr_idx_o = 5'd0;
    dsr_word_o = 3'd0;
    dsr_wdata_o = 32'd0;
    if (have_i) begin
      unique case (dec_i.cls)
        CLS_DSRW: begin
          dsr_we_o = !no_dsr;
          dsr_idx_o = rs1_i[4:0];
          dsr_word_o = insn_i[27:25];
          dsr_wdata_o = rs2_i;
        end
        CLS_DSRR: begin
          dsr_idx_o = rs1_i[4:0];
          dsr_word_o = insn_i[27:25];
        end
        CLS_TENSOR: begin
          tensor_valid_o = ex_i == EX_RUN;
          tensor_o.op = insn_i[31:25];
          tensor_o.ty = dec_i.funct3;
          tensor_o.ctl = tensor_ctl;
          tensor_o.scalar = rs2_i;
          tensor_o.pc = pc_i;
        end
        default: ;
      endcase
    end
  end

  // ----------------------------------------------------------------------- traps and redirects ---
  logic stack_low;

  always_comb begin
    trap_o = 1'b0;
    cause_o = 5'd0;
    tval_o = 32'd0;
    redirect_o = 1'b0;
    target_o = 32'd0;
    stack_low = 1'b0;
    next_pop_o = 1'b0;
    next_wait_o = 1'b0;
    if (have_i) begin
      unique case (dec_i.cls)
        CLS_ILLEGAL: begin
          trap_o = 1'b1;
          cause_o = pc_ok_i ? TRAP_ILLEGAL : TRAP_FETCH_FAULT;
          tval_o = pc_ok_i ? insn_i : pc_i;
        end
        CLS_ALU: begin
          // One that has wrapped around below 0 is low, too.
          stack_low = dec_i.rd == STACK_REG && stack_limit_i != '0 &&
              (alu_result_i[31] || alu_result_i < {8'd0, stack_limit_i});
          trap_o = stack_low;
          cause_o = TRAP_STACK;
          tval_o = alu_result_i;
        end
        CLS_BRANCH, CLS_JAL, CLS_JALR: begin
          target_o = {alu_result_i[31:1], 1'b0};  // bit 0 is only set by jalr, which clears it
          redirect_o = taken_i || dec_i.cls != CLS_BRANCH;
          if (redirect_o && target_o[1]) begin
            trap_o = 1'b1;
            cause_o = TRAP_FETCH_MISALIGNED;
            tval_o = target_o;
          end
        end
        CLS_LOAD, CLS_STORE: begin
          trap_o = bad_access;
          cause_o = access_cause;
          tval_o = bad_access ? alu_result_i : 32'd0;
        end
        CLS_CSR: begin
          trap_o = csr_illegal_i;
          cause_o = TRAP_ILLEGAL;
          tval_o = insn_i;
        end
        CLS_DSRW, CLS_DSRR: begin
          trap_o = no_dsr;
          cause_o = TRAP_ILLEGAL;
          tval_o = insn_i;
        end
        CLS_FENCEI: begin
          redirect_o = ~tensor_hold_i;
          target_o = pc_i + 32'd4;
        end
        CLS_ECALL: begin
          trap_o = 1'b1;
          cause_o = TRAP_ECALL_M;
        end
        CLS_EBREAK: begin
          trap_o = 1'b1;
          cause_o = TRAP_BREAKPOINT;
          tval_o = pc_i;
        end
        CLS_MRET: begin
          redirect_o = 1'b1;
          target_o = mepc_i;
        end
        CLS_NEXT: begin
          next_wait_o = 1'b1;
          next_pop_o = next_ready_i;
          redirect_o = next_ready_i;
          target_o = {next_entry_i[31:2], 2'd0};
        end
        default: ;
      endcase
      if (trap_o) begin
        redirect_o = ~no_vector_i;
        target_o = mtvec_i;
      end
    end
  end

  // -------------------------------------------------------------------------------- completion ---
  logic        rd_we;
  logic [4:0]  rd;
  logic [31:0] rd_data;

  always_comb begin
    done_o = 1'b0;
    ex_d_o = ex_i;
    rd_we = dec_i.rd_we;
    rd = dec_i.rd;
    rd_data = alu_result_i;
    if (have_i && !trap_o) begin
      unique case (dec_i.cls)
        CLS_ALU, CLS_BRANCH, CLS_FENCE, CLS_MRET: done_o = 1'b1;
        CLS_FENCEI: done_o = ~tensor_hold_i;
        CLS_JAL, CLS_JALR: begin
          done_o = 1'b1;
          rd_data = pc_i + 32'd4;
        end
        CLS_CSR: begin
          done_o = 1'b1;
          rd_data = csr_rdata_i;
        end
        CLS_LOAD: begin
          rd_data = mmio_rdata_i;
          if (in_sram) begin
            done_o = dmem_gnt_i;
          end else if (ex_i == EX_RUN) begin
            if (mmio_gnt_i) ex_d_o = EX_MMIO;
          end else if (mmio_rvalid_i) begin
            done_o = 1'b1;
            ex_d_o = EX_RUN;
          end
        end
        CLS_STORE: done_o = in_sram ? dmem_gnt_i : mmio_gnt_i;
        CLS_MULDIV: begin
          rd_data = md_result_i;
          done_o = md_done_i;
          ex_d_o = md_done_i ? EX_RUN : EX_MULDIV;
        end
        CLS_WFI: done_o = next_ready_i;
        CLS_NEXT: begin
          done_o = next_ready_i;
          rd_we = 1'b1;
          rd = ARG_REG;
          rd_data = next_arg_i;
        end
        CLS_DSRW: done_o = dsr_ready_i && !no_dsr;
        CLS_DSRR: begin
          done_o = !no_dsr;
          rd_data = dsr_rdata_i;
        end
        CLS_TENSOR: begin
          if (ex_i == EX_RUN) begin
            if (tensor_ready_i) begin
              if (tensor_ctl.thread != 4'd0 || tensor_sync_done_i) done_o = 1'b1;
              else ex_d_o = EX_SYNC;
            end
          end else if (tensor_sync_done_i) begin
            done_o = 1'b1;
            ex_d_o = EX_RUN;
          end
        end
        default: ;
      endcase
    end
  end

  assign write_o = '{trap: trap_o, pc: pc_i, insn: insn_i, rd_we: done_o & rd_we, rd: rd,
                     data: rd_data, load: done_o & dmem_req_o & ~dmem_we_o,
                     store: done_o && dec_i.cls == CLS_STORE, funct3: dec_i.funct3,
                     addr: alu_result_i, wdata: rs2_i, link: next_pop_o};
endmodule
