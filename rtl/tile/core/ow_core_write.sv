// SPDX-License-Identifier: Apache-2.0
// Write-back: one instruction a cycle, the general registers with their only write port, and what
// forwards from here to the execute stage. A load picks its bytes here, in the cycle in which memory
// answers. ow.next writes two registers: x1 comes in the cycle after its other result, while
// link_pend_o is high and nothing else may come.
// rst_i: of the tile or of the core; the general registers keep their values.
module ow_core_write
  import ow_pkg::*;
  import ow_core_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        issue_i,  // insn_i is valid
  input  write_t      insn_i,
  input  logic        dmem_rvalid_i,
  input  logic [31:0] dmem_rdata_i,

  // Operands of the instruction that executes; 0 for x0 and while read_i is low.
  input  logic        read_i,
  input  logic [4:0]  rs1_i,
  input  logic [4:0]  rs2_i,
  output logic [31:0] rs1_o,
  output logic [31:0] rs2_o,

  output logic        link_pend_o,
  output logic        busy_o,    // something is here
  output retire_t     retire_o
);
`include "ow_assert.svh"

  localparam logic [4:0] LINK_REG = 5'd1;  // x1: return address of a task

  logic        valid_q;  // an instruction is here
  write_t      insn_q;
  logic [31:0] regs_q [32];
  logic [31:0] load_word;
  logic [31:0] result;

  always_comb begin
    result = insn_q.data;
    load_word = 32'd0;
    if (insn_q.load) begin
      load_word = dmem_rdata_i >> {insn_q.addr[1:0], 3'd0};
      unique case (insn_q.funct3)
        3'd0: result = {{24{load_word[7]}}, load_word[7:0]};
        3'd1: result = {{16{load_word[15]}}, load_word[15:0]};
        3'd4: result = {24'd0, load_word[7:0]};
        3'd5: result = {16'd0, load_word[15:0]};
        default: result = load_word;
      endcase
    end
  end

  always_comb begin
    rs1_o = 32'd0;
    rs2_o = 32'd0;
    if (read_i) begin
      if (rs1_i != 5'd0) rs1_o = insn_q.rd_we && insn_q.rd == rs1_i ? result : regs_q[rs1_i];
      if (rs2_i != 5'd0) rs2_o = insn_q.rd_we && insn_q.rd == rs2_i ? result : regs_q[rs2_i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      insn_q.trap <= 1'b0;
      insn_q.rd_we <= 1'b0;
      insn_q.load <= 1'b0;
      insn_q.store <= 1'b0;
      insn_q.link <= 1'b0;
    end else begin
      valid_q <= issue_i;
      if (issue_i) begin
        insn_q <= insn_i;
      end else begin
        insn_q.rd_we <= insn_q.link;
        insn_q.load <= 1'b0;
        insn_q.link <= 1'b0;
        if (insn_q.link) begin
          insn_q.rd <= LINK_REG;
          insn_q.data <= insn_q.pc;
        end
      end
    end
    if (insn_q.rd_we) regs_q[insn_q.rd] <= result;
  end

  always_comb begin
    retire_o = '0;
    if (valid_q) begin
      retire_o.valid = 1'b1;
      retire_o.trap = insn_q.trap;
      retire_o.pc = insn_q.pc;
      retire_o.insn = insn_q.insn;
      retire_o.rd_we = insn_q.rd_we;
      if (insn_q.rd_we) begin
        retire_o.rd = insn_q.rd;
        retire_o.rd_data = result;
      end
      retire_o.mem_we = insn_q.store;
      if (insn_q.store) begin
        retire_o.mem_addr = insn_q.addr;
        unique case (insn_q.funct3[1:0])
          2'd0: retire_o.mem_wdata = {24'd0, insn_q.wdata[7:0]};
          2'd1: retire_o.mem_wdata = {16'd0, insn_q.wdata[15:0]};
          default: retire_o.mem_wdata = insn_q.wdata;
        endcase
      end
    end
  end

  assign link_pend_o = insn_q.link;
  assign busy_o = valid_q | insn_q.rd_we | insn_q.link;

  `OW_ASSERT(LoadAnswer_A, dmem_rvalid_i == insn_q.load, "a load's data comes with write-back")
  `OW_ASSERT(NoWriteX0_A, !(insn_q.rd_we && insn_q.rd == 5'd0), "x0 is never written")
  `OW_ASSERT(LinkSlotFree_A, !(insn_q.link && issue_i), "nothing issues while x1 is written")
endmodule
