rtl/reticle/ow_reset_check.sv
rtl/reticle/ow_fuse_check.sv
rtl/reticle/ow_reticle_checks.sv
