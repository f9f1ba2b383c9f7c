rtl/tile/checks/ow_reduce_checks.sv
