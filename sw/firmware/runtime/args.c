// SPDX-License-Identifier: Apache-2.0
// The arguments of launches. In the program if a launch has any.
#include "openwafer/tile/export.h"

OW_EXPORT(u32, ow_args, 8);
