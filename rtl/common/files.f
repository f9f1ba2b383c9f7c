+incdir+rtl/common
rtl/common/ow_pkg.sv
rtl/common/ow_fifo.sv
