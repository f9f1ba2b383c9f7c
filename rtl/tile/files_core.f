rtl/tile/ow_core_pkg.sv
rtl/tile/ow_core_decode.sv
rtl/tile/ow_core_alu.sv
rtl/tile/ow_core_muldiv.sv
rtl/tile/ow_core_csr.sv
rtl/tile/ow_core_fetch.sv
rtl/tile/ow_core.sv
rtl/tile/ow_tasks.sv
