rtl/tile/ow_datapath_pkg.sv
rtl/tile/ow_fp_pkg.sv
rtl/tile/ow_fp_add.sv
rtl/tile/ow_datapath_lane_pkg.sv
rtl/tile/ow_datapath_lane.sv
rtl/tile/ow_datapath_wide.sv
rtl/tile/ow_datapath_tree.sv
rtl/tile/ow_datapath.sv
