// SPDX-License-Identifier: Apache-2.0
// Ports and parameters of the 7 series cells that the board's file instantiates. Synthesis and lint
// take them as black boxes. Names are the vendor's.
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNDRIVEN */

module PLLE2_BASE #(
  parameter int CLKIN1_PERIOD = 0,
  parameter int DIVCLK_DIVIDE = 1,
  parameter int CLKFBOUT_MULT = 5,
  parameter int CLKFBOUT_PHASE = 0,
  parameter int CLKOUT0_DIVIDE = 1,
  parameter int CLKOUT0_PHASE = 0,
  parameter int CLKOUT1_DIVIDE = 1,
  parameter int CLKOUT1_PHASE = 0
) (
  input  logic CLKIN1,
  input  logic CLKFBIN,
  output logic CLKFBOUT,
  input  logic RST,
  input  logic PWRDWN,
  output logic CLKOUT0,
  output logic CLKOUT1,
  output logic LOCKED
);
endmodule

module BUFG (
  input  logic I,
  output logic O
);
endmodule
