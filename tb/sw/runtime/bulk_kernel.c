// SPDX-License-Identifier: Apache-2.0
// An array that takes most of a tile.
#include "openwafer/tile/export.h"

OW_EXPORT(u32, bulk, 8192);
OW_EXPORT(u32, more, 1024);

OW_LAUNCH(trap) { *(volatile uint32_t*)0x40000000 = 1; }
