// SPDX-License-Identifier: Apache-2.0
#include "openwafer/tile/print.h"

extern uint32_t ow_print_ring[];

void ow_print_record(const char* format, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e,
                     uint32_t f) {
  volatile uint32_t* const ring = ow_print_ring;
  const uint32_t written = ring[0];
  ring[1] = written + 1;  // first: the record in this place is no longer whole
  volatile uint32_t* const record = &ring[2 + 8 * (written % ow_print_records)];
  record[0] = (uint32_t)(uintptr_t)format;
  record[1] = ow_cycles();
  record[2] = a;
  record[3] = b;
  record[4] = c;
  record[5] = d;
  record[6] = e;
  record[7] = f;
  ring[0] = written + 1;  // last: what the host counts is complete
}
