// SPDX-License-Identifier: Apache-2.0
// Which bytes of which lines an operand of the beat in stage I1 covers, and whether it may. The
// plan has two instances for the sources and one for the destination. Combinational.
//
// Elements that are aligned to their size do not cross lines, so a beat crosses at most one line
// border. The memory ends with a line, so only the line is compared with its end.
//
//   Lanes, SramBytes   as of ow_engine
//   kind_i, sz_i, addr_i   where the operand begins
//   one_i          it has one element for the whole beat
//   some_i         elements of the beat, a thermometer; most_i: log2 of how many it may have
//   fault_o, fault_addr_o   FAULT_NONE, or what is wrong with it: the address, and the first bad
//                  byte
//   line_o, off_o  the line where it begins, and the byte in it
//   two_o          it reaches into the next line
//   need_o         bytes of the two lines that it may have, if the beat were as long as it may be
module ow_engine_reach
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = ow_pkg::FULL_LANES,
  parameter int unsigned SramBytes = ow_pkg::FULL_SRAM_BYTES,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned OffW = $clog2(VecBytes),
  localparam int unsigned TagW = 24 - OffW
) (
  input  src_e                  kind_i,
  input  logic [1:0]            sz_i,
  input  logic [23:0]           addr_i,
  input  logic                  one_i,
  /* verilator lint_off UNUSEDSIGNAL */ // elements of small beats
  input  logic [15:0]           some_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [2:0]            most_i,
  output logic [3:0]            fault_o,
  output logic [23:0]           fault_addr_o,
  output logic [TagW-1:0]       line_o,
  output logic [OffW-1:0]       off_o,
  output logic                  two_o,
  output logic [2*VecBytes-1:0] need_o
);

  localparam logic [TagW-1:0] LastLine = TagW'(SramBytes / VecBytes - 1);

  logic [VecBytes-1:0] beyond;  // element k reaches into the next line
  logic [4:0]          bytes;

  always_comb begin
    line_o = addr_i[23:OffW];
    off_o = addr_i[OffW-1:0];
    beyond = '0;
    for (int unsigned k = 0; k < VecBytes; k++) begin
      beyond[k] = 32'(off_o) + ((k + 1) << sz_i) > VecBytes;
    end
    two_o = !one_i && (some_i[VecBytes-1:0] & beyond) != '0;
    bytes = 5'd1 << ({1'b0, one_i ? 3'd0 : most_i} + {2'd0, sz_i});
    need_o = (2*VecBytes)'(~(32'hFFFF_FFFF << bytes)) << off_o;
  end

  always_comb begin
    fault_o = FAULT_NONE;
    fault_addr_o = addr_i;
    if (kind_i == SRC_MEM) begin
      if ((sz_i != 2'd0 && addr_i[0]) || (sz_i == 2'd2 && addr_i[1])) begin
        fault_o = FAULT_DSR;
      end else if (line_o > LastLine) begin
        fault_o = FAULT_ADDR;
      end else if (line_o == LastLine && two_o) begin
        fault_o = FAULT_ADDR;
        fault_addr_o = 24'(SramBytes);
      end
    end else if (kind_i == SRC_ACC) begin
      if (addr_i[1:0] != 2'd0) fault_o = FAULT_DSR;
      else if (!addr_i[23] || addr_i[22:0] >= 23'(64 * Lanes)) fault_o = FAULT_ADDR;
    end
  end

endmodule
