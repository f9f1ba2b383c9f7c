// SPDX-License-Identifier: Apache-2.0
// The ring of programs that do not set its size.
#include "openwafer/tile/print.h"

OW_PRINT_RECORDS(16);
