// SPDX-License-Identifier: Apache-2.0
// The ULX3S (Lattice ECP5, LFE5U-85F): its pins, and the two clocks of ow_fpga_top from the 25 MHz
// oscillator. constraints/ulx3s.lpf says where the pins are and how long the paths between the
// clocks may be. The USB adapter's own names are kept: it receives at ftdi_rxd_o.
//
//   Divider        divides 600 MHz to the clocks: a multiple of 4 from 4 to 168
//   Baud           at most a quarter of the clocks. The defaults of both are those of board.yaml
//   Rows, Cols     tiles of each of the two reticles; Tiles 0: the grid without them (ow_fpga_grid)
//   clk_25mhz_i    the oscillator
//   btn_reset_i    FIRE1, high while pressed
//   ftdi_*         UART, of the adapter: its receiver, its transmitter
//   led_o          0 to 5 as ow_fpga_top; 6: the PLL has locked; 7: reset
//   wifi_gpio0_o   high, or the ESP32 on the board may take the FPGA over
`include "ow_assert.svh"

module ow_ulx3s #(
  parameter int unsigned Divider = 12,
  parameter int unsigned Baud = 3_000_000,
  parameter int unsigned Rows = 2,
  parameter int unsigned Cols = 1,
  parameter bit Tiles = 1'b1
) (
  input  logic       clk_25mhz_i,
  input  logic       btn_reset_i,
  output logic       ftdi_rxd_o,
  input  logic       ftdi_txd_i,
  output logic [7:0] led_o,
  output logic       wifi_gpio0_o
);

  // CPHASE of the second clock has seven bits.
  `OW_ASSERT_INIT(divider, Divider % 4 == 0 && Divider >= 4 && Divider <= 168)

  localparam int unsigned ClockHz = 600_000_000 / Divider;

  // 25 MHz x 24 = 600 MHz. 600 MHz / 12 = 50 MHz is compared with twice the oscillator. A step of
  // CPHASE is a period of the 600 MHz, so Divider / 4 of them are a quarter of a period.
  localparam int unsigned Feedback = 12;
  localparam int unsigned Phase = Divider / 2 - 1;
  logic clk_50, clk_a, clk_b, locked, rst;
  (* FREQUENCY_PIN_CLKI = "25", FREQUENCY_PIN_CLKOP = "50", ICP_CURRENT = "12", LPF_RESISTOR = "8" *)
  EHXPLLL #(
    .CLKI_DIV(1), .CLKFB_DIV(2), .FEEDBK_PATH("CLKOP"),
    .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(Feedback), .CLKOP_CPHASE(Feedback / 2 - 1),
    .CLKOP_FPHASE(0),
    .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(Divider), .CLKOS_CPHASE(Phase), .CLKOS_FPHASE(0),
    .CLKOS2_ENABLE("ENABLED"), .CLKOS2_DIV(Divider), .CLKOS2_CPHASE(Phase + Divider / 4),
    .CLKOS2_FPHASE(0), .CLKOS3_ENABLE("DISABLED"),
    .OUTDIVIDER_MUXA("DIVA"), .OUTDIVIDER_MUXB("DIVB"),
    .OUTDIVIDER_MUXC("DIVC"), .OUTDIVIDER_MUXD("DIVD"),
    .PLLRST_ENA("DISABLED"), .STDBY_ENABLE("DISABLED"), .INTFB_WAKE("DISABLED"),
    .DPHASE_SOURCE("DISABLED")
  ) u_pll (
    .CLKI(clk_25mhz_i), .CLKFB(clk_50), .CLKOP(clk_50), .CLKOS(clk_a), .CLKOS2(clk_b), .LOCK(locked),
    .RST(1'b0), .STDBY(1'b0), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0), .ENCLKOS(1'b0),
    .ENCLKOS2(1'b0), .ENCLKOS3(1'b0),
    .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1)
  );

  ow_fpga_reset u_reset (.clk_i(clk_a), .good_i(locked && !btn_reset_i), .rst_o(rst));

  ow_fpga_top #(
    .ClockHz(ClockHz), .Baud(Baud), .Rows(Rows), .Cols(Cols), .Tiles(Tiles)
  ) u_top (
    .clk_a_i(clk_a), .clk_b_i(clk_b), .rst_i(rst),
    .uart_rx_i(ftdi_txd_i), .uart_tx_o(ftdi_rxd_o), .led_o(led_o[5:0])
  );
  assign led_o[7:6] = {rst, locked};
  assign wifi_gpio0_o = 1'b1;

endmodule
