rtl/fabric/ow_route_check.sv
rtl/fabric/ow_inject_check.sv
rtl/fabric/ow_fabric_checks.sv
