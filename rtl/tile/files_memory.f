rtl/common/ow_isa_pkg.sv
rtl/tile/memory/ow_sram_bank.sv
rtl/tile/memory/ow_sram.sv
rtl/tile/memory/ow_gather.sv
