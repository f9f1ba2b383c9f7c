// SPDX-License-Identifier: Apache-2.0
#include "loss.h"

void widen(uint32_t dst, uint32_t addr) {
  set_row(Z, half_type(), addr, samples);
  OW_HALF_DO(ow_cvt, ctl(dst, Z, OW_NONE));
}

void narrow(uint32_t addr, uint32_t from) {
  set_row(Z, half_type(), addr, samples);
  ow_cvt(OW_F32, ctl(Z, from, OW_NONE));
}
