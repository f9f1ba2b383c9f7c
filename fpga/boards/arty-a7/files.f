# The board alone, in compile order; fpga/rtl/files.f comes first.
fpga/boards/arty-a7/cells.sv
fpga/boards/arty-a7/ow_arty_a7.sv
