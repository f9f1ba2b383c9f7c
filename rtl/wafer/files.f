rtl/wafer/ow_grid.sv
