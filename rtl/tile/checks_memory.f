rtl/tile/checks/ow_memory_checks.sv
