// SPDX-License-Identifier: Apache-2.0
// An array that takes most of a tile, for measurements of copies (`ow bench library`).
#include "openwafer/tile/export.h"

OW_EXPORT(u32, block, 8192);
