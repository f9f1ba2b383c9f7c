/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a forward pass; one stores outside memory. */
#include "job.h"

OW_PHASE(pass, struct ow_pass, p) {
  const uint32_t word = p->y;
  *(volatile uint32_t*)0x10000 = word; /* line 7 */
}
