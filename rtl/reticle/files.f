# Files of the reticle level, in compile order.
rtl/reticle/ow_reticle_pkg.sv
rtl/reticle/ow_reticle_mesh.sv
rtl/reticle/ow_chain_node.sv
rtl/reticle/ow_station.sv
rtl/reticle/ow_reticle.sv
