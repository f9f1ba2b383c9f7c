rtl/tile/core/ow_core_pkg.sv
rtl/tile/core/ow_core_decode.sv
rtl/tile/core/ow_core_alu.sv
rtl/tile/core/ow_core_muldiv.sv
rtl/tile/core/ow_core_csr.sv
rtl/tile/core/ow_core_fetch.sv
rtl/tile/core/ow_core.sv
rtl/tile/core/ow_tasks.sv
