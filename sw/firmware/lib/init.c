// SPDX-License-Identifier: Apache-2.0
#include "k.h"

// Called before ow_main of every program that uses the library.
void ow_kernels_start(void);
__attribute__((constructor)) void ow_kernels_start(void) {
  for (uint32_t dsr = OW_K_DSR_FIRST; dsr < K_NONE; ++dsr) {
    ow_dsrw(dsr, 3, 0);
    ow_dsrw(dsr, 4, 0);
    ow_dsrw(dsr, 5, 0);
  }
  for (uint32_t dsr = K_ACC_A; dsr <= K_ROW_B; ++dsr) {
    ow_dsrw(dsr, 0, K_MEM(OW_F32));
    ow_dsrw(dsr, 1, OW_ACC_ADDR(0));
  }
  for (uint32_t dsr = K_IDX_A; dsr <= K_IDX_B; ++dsr) {
    ow_dsrw(dsr, 0, K_MEM(OW_I16) | OW_SAVE_ADDRESS);
    ow_dsrw(dsr, 2, K_DIM(1, 2));
  }
  ow_dsrw(K_KEEP_V, 0, K_MEM(OW_F16));
}
