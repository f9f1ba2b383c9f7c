// SPDX-License-Identifier: Apache-2.0
// A tile that is told by control wavelets what to do with the numbers that it has got: each data
// wavelet adds a number; a control wavelet carries the identity of what is wanted in its bits
// 31:26.
//
// Operands: the stream `number`. Result: the stream `answer`. No launch: the tasks run for what
// arrives.
#include "openwafer/tile/export.h"
#include "openwafer/tile/print.h"

enum { REPORT = 1, CLEAR = 2 };  // identities

OW_EXPORT(u32, number_in);
OW_EXPORT(u32, answer_out);

static uint32_t sum, count;

static void add(uint32_t value) {
  sum += value;
  ++count;
}

static void obey(uint32_t word) {
  switch (OW_IDENTITY_OF(word)) {
    case REPORT:
      ow_push(answer_out, sum);  // one wavelet into a queue of eight that the host drains
      break;
    case CLEAR:
      sum = count = 0;
      break;
    default:
      ow_printf("unknown order %u after %u numbers", OW_IDENTITY_OF(word), count);
  }
}

void ow_main(void);
void ow_main(void) {
  ow_task_register(OW_TASK_DATA(number_in), add);
  ow_task_register(OW_TASK_CONTROL(number_in), obey);
}
