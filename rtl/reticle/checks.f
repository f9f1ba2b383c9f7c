rtl/reticle/ow_reticle_checks.sv
