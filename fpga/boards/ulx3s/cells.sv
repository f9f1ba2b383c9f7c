// SPDX-License-Identifier: Apache-2.0
// Ports and parameters of the ECP5 cells that the board's file instantiates. Synthesis and lint
// take them as black boxes. Names are the vendor's.
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNDRIVEN */

module EHXPLLL #(
  parameter int CLKI_DIV = 1,
  parameter int CLKFB_DIV = 1,
  parameter string FEEDBK_PATH = "CLKOP",
  parameter string CLKOP_ENABLE = "ENABLED",
  parameter int CLKOP_DIV = 8,
  parameter int CLKOP_CPHASE = 0,
  parameter int CLKOP_FPHASE = 0,
  parameter string CLKOS_ENABLE = "DISABLED",
  parameter int CLKOS_DIV = 8,
  parameter int CLKOS_CPHASE = 0,
  parameter int CLKOS_FPHASE = 0,
  parameter string CLKOS2_ENABLE = "DISABLED",
  parameter int CLKOS2_DIV = 8,
  parameter int CLKOS2_CPHASE = 0,
  parameter int CLKOS2_FPHASE = 0,
  parameter string CLKOS3_ENABLE = "DISABLED",
  parameter string OUTDIVIDER_MUXA = "DIVA",
  parameter string OUTDIVIDER_MUXB = "DIVB",
  parameter string OUTDIVIDER_MUXC = "DIVC",
  parameter string OUTDIVIDER_MUXD = "DIVD",
  parameter string PLLRST_ENA = "DISABLED",
  parameter string STDBY_ENABLE = "DISABLED",
  parameter string INTFB_WAKE = "DISABLED",
  parameter string DPHASE_SOURCE = "DISABLED"
) (
  input  logic CLKI,
  input  logic CLKFB,
  output logic CLKOP,
  output logic CLKOS,
  output logic CLKOS2,
  output logic LOCK,
  input  logic RST,
  input  logic STDBY,
  input  logic PLLWAKESYNC,
  input  logic ENCLKOP,
  input  logic ENCLKOS,
  input  logic ENCLKOS2,
  input  logic ENCLKOS3,
  input  logic PHASESEL0,
  input  logic PHASESEL1,
  input  logic PHASEDIR,
  input  logic PHASESTEP,
  input  logic PHASELOADREG
);
endmodule
