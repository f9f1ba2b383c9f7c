# The board alone, in compile order; fpga/rtl/files.f comes first.
fpga/boards/ulx3s/cells.sv
fpga/boards/ulx3s/ow_ulx3s.sv
