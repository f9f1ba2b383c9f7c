// SPDX-License-Identifier: Apache-2.0
// Write-back: one register per cycle, the general registers with their only write port, and the
// operands that decode reads. A word of a descriptor goes to the engine instead. A load picks its bytes here, in the cycle in which memory answers.
// The result here, and results on their way, replace the registers that they will be written to.
// Decode itself waits for loads that are still on their way. rst_i is of the tile or of the core;
// the general registers keep their values.
module ow_core_write
  import ow_pkg::*;
  import ow_core_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        valid_i,  // insn_i comes
  input  result_t     insn_i,
  input  logic        dmem_rvalid_i,
  input  logic [31:0] dmem_rdata_i,

  // Results on their way, the younger one first: register and value.
  input  logic [1:0]       on_way_i,
  input  logic [1:0][4:0]  way_rd_i,
  input  logic [1:0][31:0] way_data_i,

  // Operands of the instruction that is decoded; 0 for x0 and while read_i is low.
  input  logic        read_i,
  input  logic [4:0]  rs1_i,
  input  logic [4:0]  rs2_i,
  output logic [31:0] rs1_o,
  output logic [31:0] rs2_o,
  output logic [31:0] rs1_old_o,  // rs1 without the younger of those on their way

  output logic        dsr_o,     // a word of a descriptor is here; from registers, as its place is
  output logic [4:0]  dsr_idx_o,
  output logic [2:0]  dsr_word_o,

  output logic        busy_o,    // something is here
  output retire_t     retire_o
);
`include "ow_assert.svh"

  logic        valid_q;  // an instruction or a register is here
  /* verilator lint_off UNUSEDSIGNAL */ // memory access has the registers' answer in data
  result_t     insn_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] regs_q [32];
  logic [31:0] load_word;
  logic [31:0] result;
  logic        writes;

  assign writes = valid_q && insn_q.rd_we;

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

  // The source of an operand is selected while the registers are read.
  logic [1:0][4:0]  rs;
  logic [1:0][31:0] operand, old;
  assign rs = {rs2_i, rs1_i};

  always_comb begin
    logic [2:0] from;  // the younger on its way, the older, write-back
    operand = '0;
    old = '0;
    from = '0;
    if (read_i) begin
      for (int unsigned i = 0; i < 2; i++) begin
        from[0] = on_way_i[0] && way_rd_i[0] == rs[i];
        from[1] = on_way_i[1] && way_rd_i[1] == rs[i] && !from[0];
        from[2] = writes && insn_q.rd == rs[i] && from[1:0] == '0;
        old[i] = ({32{from == '0 && rs[i] != 5'd0}} & regs_q[rs[i]]) |
            ({32{from[1]}} & way_data_i[1]) | ({32{from[2]}} & result);
        operand[i] = old[i] | ({32{from[0]}} & way_data_i[0]);
      end
    end
  end
  assign {rs2_o, rs1_o} = operand;
  assign rs1_old_o = old[0];

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else valid_q <= valid_i;
    if (valid_i) insn_q <= insn_i;
    if (writes) regs_q[insn_q.rd] <= result;
  end

  always_comb begin
    retire_o = '0;
    if (valid_q && insn_q.retire) begin
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
        retire_o.mem_wdata = insn_q.wdata >> {insn_q.addr[1:0], 3'd0};
        unique case (insn_q.funct3[1:0])
          2'd0: retire_o.mem_wdata[31:8] = 24'd0;
          2'd1: retire_o.mem_wdata[31:16] = 16'd0;
          default: ;
        endcase
      end
    end
  end

  assign dsr_o = valid_q && insn_q.dsr && !rst_i;
  assign dsr_idx_o = insn_q.wdata[4:0];
  assign dsr_word_o = insn_q.word;
  assign busy_o = valid_q;

  `OW_ASSERT(LoadAnswer_A, dmem_rvalid_i == (valid_q && insn_q.load),
             "a load's data comes with write-back")
  `OW_ASSERT(NoWriteX0_A, !(writes && insn_q.rd == 5'd0), "x0 is never written")
endmodule
