// SPDX-License-Identifier: Apache-2.0
#include "k.h"

void ow_kernels_init(void) {
  for (uint32_t dsr = OW_K_DSR_FIRST; dsr < K_NONE; ++dsr) {
    ow_dsrw(dsr, 3, 0);
    ow_dsrw(dsr, 4, 0);
    ow_dsrw(dsr, 5, 0);
  }
}
