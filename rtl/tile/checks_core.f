rtl/tile/checks/ow_core_checks.sv
