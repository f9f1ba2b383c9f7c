rtl/tile/checks/ow_memory_checks.sv
rtl/tile/checks/ow_live_check.sv
rtl/tile/checks/ow_order_check.sv
rtl/tile/checks/ow_engine_checks.sv
