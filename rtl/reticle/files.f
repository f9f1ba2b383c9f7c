# Files of the reticle level, in compile order.
rtl/reticle/ow_reticle_mesh.sv
rtl/reticle/ow_link_pkg.sv
rtl/reticle/ow_link_delay.sv
rtl/reticle/ow_link_spread.sv
rtl/reticle/ow_link_gather.sv
rtl/reticle/ow_link_send.sv
rtl/reticle/ow_link_recv.sv
rtl/reticle/ow_link_queues.sv
rtl/reticle/ow_link_ram.sv
rtl/reticle/ow_link_txq.sv
rtl/reticle/ow_link_rxq.sv
rtl/reticle/ow_link_train.sv
rtl/reticle/ow_link.sv
rtl/reticle/ow_chain_node.sv
rtl/reticle/ow_station.sv
rtl/reticle/ow_reticle.sv
