# SPDX-License-Identifier: Apache-2.0
# Arty A7-100T. Pins: Digilent's public master file (github.com/Digilent/digilent-xdc,
# Arty-A7-100-Master.xdc).
set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 3.3 [current_design]

set_property -dict {PACKAGE_PIN E3 IOSTANDARD LVCMOS33} [get_ports clk_100mhz_i]
create_clock -name oscillator -period 10.0 [get_ports clk_100mhz_i]
set_property -dict {PACKAGE_PIN C2 IOSTANDARD LVCMOS33} [get_ports reset_ni]
set_false_path -from [get_ports reset_ni]

# The tool derives the clocks after the PLL and their phase. A path has 15 ns from the falling edge
# of clk_a to clk_b and 15 ns back. There are no exceptions between them.

set_property -dict {PACKAGE_PIN D10 IOSTANDARD LVCMOS33} [get_ports uart_rxd_o]
set_property -dict {PACKAGE_PIN A9 IOSTANDARD LVCMOS33} [get_ports uart_txd_i]
set_false_path -from [get_ports uart_txd_i]

set_property -dict {PACKAGE_PIN H5 IOSTANDARD LVCMOS33} [get_ports {led_o[0]}]
set_property -dict {PACKAGE_PIN J5 IOSTANDARD LVCMOS33} [get_ports {led_o[1]}]
set_property -dict {PACKAGE_PIN T9 IOSTANDARD LVCMOS33} [get_ports {led_o[2]}]
set_property -dict {PACKAGE_PIN T10 IOSTANDARD LVCMOS33} [get_ports {led_o[3]}]
set_property -dict {PACKAGE_PIN G6 IOSTANDARD LVCMOS33} [get_ports {led_rgb_o[0]}]
set_property -dict {PACKAGE_PIN G3 IOSTANDARD LVCMOS33} [get_ports {led_rgb_o[1]}]
