// SPDX-License-Identifier: Apache-2.0
#include "k.h"
#include "openwafer/tile/export.h"

OW_CLAIM(kernel_library, OW_K_DSR_FIRST, OW_NONE, OW_K_THREAD_A, OW_K_THREAD_B + 1);

// Called before ow_main of every program that uses the library.
void ow_kernels_start(void);
__attribute__((constructor)) void ow_kernels_start(void) {
  for (uint32_t dsr = OW_K_DSR_FIRST; dsr < OW_NONE; ++dsr) {
    ow_dsrw(dsr, OW_DSR_DIM1, 0);
    ow_dsrw(dsr, OW_DSR_DIM2, 0);
    ow_dsrw(dsr, OW_DSR_DIM3, 0);
  }
  for (uint32_t dsr = K_ACC_A; dsr <= K_ROW_B; ++dsr) {
    ow_dsrw(dsr, OW_DSR_KIND, K_MEM(OW_F32));
    ow_dsrw(dsr, OW_DSR_ADDRESS, OW_ACC_ADDR(0));
  }
  for (uint32_t dsr = K_IDX_A; dsr <= K_IDX_B; ++dsr) {
    ow_dsrw(dsr, OW_DSR_KIND, K_MEM(OW_I16) | OW_SAVE_ADDRESS);
    ow_dsrw(dsr, OW_DSR_DIM0, K_DIM(1, 2));
  }
  ow_dsrw(K_KEEP_V, OW_DSR_KIND, K_MEM(OW_F16));
}
