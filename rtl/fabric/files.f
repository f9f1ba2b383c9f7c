rtl/fabric/ow_router.sv
rtl/fabric/ow_ramp.sv
rtl/fabric/ow_ctrl_ep.sv
