// SPDX-License-Identifier: Apache-2.0
// The ring of programs that do not say how large it is.
#include "openwafer/tile/print.h"

OW_PRINT_RECORDS(16);
