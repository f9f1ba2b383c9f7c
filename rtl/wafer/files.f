rtl/wafer/ow_grid.sv
rtl/wafer/ow_crossing.sv
rtl/wafer/ow_wafer.sv
