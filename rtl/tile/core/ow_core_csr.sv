// SPDX-License-Identifier: Apache-2.0
// Control and status registers of the scalar core (machine mode, docs/isa.md).
//
// Reads are combinational and see the state before the instruction. A trap or an mret takes effect
// at the next clock edge. A write takes effect at the edge after that; no other instruction may
// read before it. Throughput: one CSR instruction per cycle, a write every second cycle. mcycle is
// the wafer's cycle count plus an offset that writes set, so it is right although a tile's clock is
// skipped. A written value is the count of the cycle after the instruction's. minstret counts
// retired instructions; the instruction that writes it does not add to the written value.
//
//   valid_i          a CSR instruction is in the execute stage. addr_i: its register; kind_i: the
//                    low bits of its funct3; operand_i: rs1 or the zero-extended immediate;
//                    no_write_i: set or clear with x0
//   rdata_o          the register. illegal_o: it does not exist, or is read-only and would be
//                    written
//   commit_i         the instruction completes in this cycle (never with illegal_o)
//   retire_i         some instruction completes without a trap in this cycle
//   trap_*           a trap is taken. mret_i: an mret completes
//   mtvec_o, mepc_o  where traps and mret go. no_vector_o: mtvec is 0, and a trap stops the core
//   cycle_i          the wafer's cycle count

`include "ow_assert.svh"

module ow_core_csr
  import ow_pkg::*;
  import ow_core_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        valid_i,
  input  logic [11:0] addr_i,
  input  logic [1:0]  kind_i,
  input  logic [31:0] operand_i,
  input  logic        no_write_i,
  output logic [31:0] rdata_o,
  output logic        illegal_o,
  input  logic        commit_i,

  input  logic        retire_i,
  input  logic        trap_i,
  input  logic [31:2] trap_pc_i,
  input  logic [4:0]  trap_cause_i,
  input  logic [31:0] trap_tval_i,
  input  logic        mret_i,
  output logic [31:0] mtvec_o,
  output logic [31:0] mepc_o,
  output logic        no_vector_o,

  input  logic [47:0] cycle_i
);

  logic        mie_q, mpie_q;
  logic [2:0]  ie_q;            // mie: bits 11, 7, 3 (no source is connected to them)
  logic [31:2] mtvec_q;
  logic [31:2] mepc_q;
  logic [31:0] mscratch_q;
  logic [5:0]  mcause_q;        // bit 31 and bits 4:0
  logic [31:0] mtval_q;
  logic [63:0] cycle_off_q;
  logic [63:0] instret_q;

  logic [63:0] cycle;
  logic        exists, read_only;
  logic [31:0] wdata;
  logic        write_q;         // wdata_q goes to waddr_q at this edge
  logic [11:0] waddr_q;
  logic [31:0] wdata_q;
  logic        writes;
  logic        counts;          // the instruction counts as retired
  // The written cycle count minus the wafer's, in halves.
  logic        carry, borrow;
  logic [31:0] off_low, off_high;
  logic [15:0] now_high;

  assign mtvec_o = {mtvec_q, 2'd0};
  assign mepc_o = {mepc_q, 2'd0};
  assign no_vector_o = mtvec_q == 30'd0;

  always_comb begin
    rdata_o = 32'd0;
    exists = 1'b0;
    cycle = 64'd0;
    wdata = 32'd0;
    read_only = 1'b0;
    if (valid_i) cycle = {16'd0, cycle_i} + cycle_off_q;
    if (valid_i) begin
      exists = 1'b1;
      read_only = addr_i[11:10] == 2'd3;
      unique case (addr_i)
        CSR_MSTATUS: rdata_o = {19'd0, 2'b11, 3'd0, mpie_q, 3'd0, mie_q, 3'd0};
        CSR_MISA: rdata_o = MISA_VALUE;
        CSR_MIE: rdata_o = {20'd0, ie_q[2], 3'd0, ie_q[1], 3'd0, ie_q[0], 3'd0};
        CSR_MTVEC: rdata_o = {mtvec_q, 2'd0};
        CSR_MSCRATCH: rdata_o = mscratch_q;
        CSR_MEPC: rdata_o = {mepc_q, 2'd0};
        CSR_MCAUSE: rdata_o = {mcause_q[5], 26'd0, mcause_q[4:0]};
        CSR_MTVAL: rdata_o = mtval_q;
        CSR_MIP: rdata_o = 32'd0;
        CSR_MCYCLE, CSR_CYCLE: rdata_o = cycle[31:0];
        CSR_MCYCLEH, CSR_CYCLEH: rdata_o = cycle[63:32];
        CSR_MINSTRET, CSR_INSTRET: rdata_o = instret_q[31:0];
        CSR_MINSTRETH, CSR_INSTRETH: rdata_o = instret_q[63:32];
        CSR_MVENDORID, CSR_MARCHID, CSR_MIMPID, CSR_MHARTID: rdata_o = 32'd0;
        default: exists = 1'b0;
      endcase
      unique case (kind_i)
        2'd2: wdata = rdata_o | operand_i;
        2'd3: wdata = rdata_o & ~operand_i;
        default: wdata = operand_i;
      endcase
    end
  end

  assign illegal_o = valid_i & (~exists | (read_only & ~no_write_i));

  assign writes = valid_i && commit_i && !no_write_i;
  assign counts = retire_i && !(writes && (addr_i == CSR_MINSTRET || addr_i == CSR_MINSTRETH));

  always_comb begin
    carry = 1'b0;
    borrow = 1'b0;
    off_low = 32'd0;
    off_high = 32'd0;
    now_high = 16'd0;
    if (write_q) begin
      carry = {1'b0, cycle_i[31:0]} + {1'b0, cycle_off_q[31:0]} > 33'h0_FFFF_FFFF;
      {borrow, off_low} = {1'b0, wdata_q} - {1'b0, cycle_i[31:0]};
      now_high = cycle_i[47:32];
      off_high = waddr_q == CSR_MCYCLEH ? wdata_q - {16'd0, now_high} - {31'd0, carry}
                                        : cycle_off_q[63:32] + {31'd0, carry} - {31'd0, borrow};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) write_q <= 1'b0;
    else write_q <= writes;
    if (writes) begin
      waddr_q <= addr_i;
      wdata_q <= wdata;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mie_q <= 1'b0;
      mpie_q <= 1'b0;
      ie_q <= 3'd0;
      mtvec_q <= 30'd0;
      mepc_q <= 30'd0;
      mscratch_q <= 32'd0;
      mcause_q <= 6'd0;
      mtval_q <= 32'd0;
      cycle_off_q <= 64'd0;
      instret_q <= 64'd0;
    end else begin
      if (counts) instret_q <= instret_q + 64'd1;
      if (trap_i) begin
        mepc_q <= trap_pc_i;
        mcause_q <= {1'b0, trap_cause_i};
        mtval_q <= trap_tval_i;
        mpie_q <= mie_q;
        mie_q <= 1'b0;
      end else if (mret_i) begin
        mie_q <= mpie_q;
        mpie_q <= 1'b1;
      end
      // A write never comes with a trap or an mret.
      if (write_q) begin
        unique case (waddr_q)
          CSR_MSTATUS: begin
            mie_q <= wdata_q[3];
            mpie_q <= wdata_q[7];
          end
          CSR_MIE: ie_q <= {wdata_q[11], wdata_q[7], wdata_q[3]};
          CSR_MTVEC: mtvec_q <= wdata_q[31:2];
          CSR_MSCRATCH: mscratch_q <= wdata_q;
          CSR_MEPC: mepc_q <= wdata_q[31:2];
          CSR_MCAUSE: mcause_q <= {wdata_q[31], wdata_q[4:0]};
          CSR_MTVAL: mtval_q <= wdata_q;
          CSR_MCYCLE: cycle_off_q <= {off_high, off_low};
          CSR_MCYCLEH: cycle_off_q[63:32] <= off_high;
          CSR_MINSTRET: instret_q[31:0] <= wdata_q;
          CSR_MINSTRETH: instret_q[63:32] <= wdata_q;
          default: ;
        endcase
      end
    end
  end

  `OW_ASSERT(WriteAlone_A, !write_q || !(valid_i || trap_i || mret_i),
             "nothing looks at a register that is still to be written")

endmodule
