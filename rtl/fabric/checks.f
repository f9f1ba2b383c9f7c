rtl/fabric/ow_fabric_checks.sv
