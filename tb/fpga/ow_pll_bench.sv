// SPDX-License-Identifier: Apache-2.0
// Two PLLs with other settings than the board's. In megahertz:
//   a  12 in; VCO 576; 48, 96 at 0 degrees, 24 that is 6 1/2 periods of the VCO late
//   b  100 in, of which every fifth edge counts; VCO 600; 60, none, 20 that is 20 3/8 periods late
// A test can do to the first one what must be refused.
module ow_pll_bench (
  input  logic       a_i,
  input  logic       b_i,
  input  logic       cut_i,    // its feedback is not connected
  input  logic       reset_i,
  output logic [2:0] a_o,
  output logic [2:0] b_o,
  output logic [1:0] lock_o
);

  EHXPLLL #(
    .CLKI_DIV(1), .CLKFB_DIV(4), .CLKOP_DIV(12), .CLKOP_CPHASE(11),
    .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(6), .CLKOS_CPHASE(5),
    .CLKOS2_ENABLE("ENABLED"), .CLKOS2_DIV(24), .CLKOS2_CPHASE(17), .CLKOS2_FPHASE(4)
  ) u_a (
    .CLKI(a_i), .CLKFB(a_o[0] && !cut_i), .CLKOP(a_o[0]), .CLKOS(a_o[1]), .CLKOS2(a_o[2]),
    .LOCK(lock_o[0]), .RST(reset_i), .STDBY(1'b0), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0),
    .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0),
    .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1)
  );
  EHXPLLL #(
    .CLKI_DIV(5), .CLKFB_DIV(3), .CLKOP_DIV(10), .CLKOP_CPHASE(4), .CLKOP_FPHASE(2),
    .CLKOS2_ENABLE("ENABLED"), .CLKOS2_DIV(30), .CLKOS2_CPHASE(24), .CLKOS2_FPHASE(5)
  ) u_b (
    .CLKI(b_i), .CLKFB(b_o[0]), .CLKOP(b_o[0]), .CLKOS(b_o[1]), .CLKOS2(b_o[2]),
    .LOCK(lock_o[1]), .RST(1'b0), .STDBY(1'b0), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0),
    .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0),
    .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1)
  );

endmodule
