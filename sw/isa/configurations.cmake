# SPDX-License-Identifier: Apache-2.0
# Written by ow_isa_gen from sw/isa/*.yaml; `cmake --build build --target isa` writes it anew.
# Parameters of ow_tile in the configurations, for ow_verilate.
set(OW_FULL_PARAMS Lanes=8 SramBytes=49152 NumColours=24 NumThreads=13 QueueDepth=8)
set(OW_FULL_LANES 8)
set(OW_FULL_SRAM_BYTES 49152)
set(OW_FULL_NUM_COLOURS 24)
set(OW_FULL_NUM_THREADS 13)
set(OW_FULL_QUEUE_DEPTH 8)
set(OW_MINI_PARAMS Lanes=2 SramBytes=8192 NumColours=4 NumThreads=3 QueueDepth=8)
set(OW_MINI_LANES 2)
set(OW_MINI_SRAM_BYTES 8192)
set(OW_MINI_NUM_COLOURS 4)
set(OW_MINI_NUM_THREADS 3)
set(OW_MINI_QUEUE_DEPTH 8)
