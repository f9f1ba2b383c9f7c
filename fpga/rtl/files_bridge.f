# The host bridge, in compile order; rtl/common/files.f comes first.
rtl/reticle/ow_link_pkg.sv
fpga/rtl/ow_host_pkg.sv
fpga/rtl/ow_uart.sv
fpga/rtl/ow_host_rx.sv
fpga/rtl/ow_host_tx.sv
fpga/rtl/ow_host_link.sv
fpga/rtl/ow_bridge_port.sv
fpga/rtl/ow_bridge_queues.sv
fpga/rtl/ow_bridge_chain.sv
fpga/rtl/ow_bridge_parse.sv
fpga/rtl/ow_bridge_gather.sv
fpga/rtl/ow_bridge.sv
