rtl/tile/ow_nlf_pkg.sv
rtl/tile/ow_nlf.sv
rtl/tile/ow_engine_pkg.sv
rtl/tile/ow_engine_decode.sv
rtl/tile/ow_acc.sv
rtl/tile/ow_pack.sv
rtl/tile/ow_gather.sv
rtl/tile/ow_engine.sv
