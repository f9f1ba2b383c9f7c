// SPDX-License-Identifier: Apache-2.0
// Names of another file, which the linker numbers together with those of names_kernel.c.
#include "openwafer/tile/export.h"

OW_DSR(J, K, L, M, N, O, P, Q);
