# The design for FPGAs, in compile order; the lists of rtl/ come first, without rtl/wafer.
-f fpga/rtl/files_bridge.f
fpga/rtl/ow_fpga_hop.sv
fpga/rtl/ow_fpga_reset.sv
fpga/rtl/ow_fpga_grid.sv
fpga/rtl/ow_fpga_top.sv
