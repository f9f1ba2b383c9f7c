rtl/tile/ow_datapath_pkg.sv
rtl/tile/ow_fp_pkg.sv
rtl/tile/ow_lane.sv
rtl/tile/ow_fp_add.sv
rtl/tile/ow_sram_bank.sv
rtl/tile/ow_sram.sv
rtl/tile/ow_reduce.sv
