// SPDX-License-Identifier: Apache-2.0
// A tile that adds up numbers and obeys control wavelets. Each data wavelet adds a number. The
// identity in bits 31:26 of a control wavelet is an order.
//
// Operands: the stream `number`. Result: the stream `answer`. There is no launch: tasks run for
// arriving wavelets.
#include "openwafer/tile/export.h"
#include "openwafer/tile/print.h"

enum { REPORT = 1, CLEAR = 2 };  // identities

OW_FLOW(number, answer);

static uint32_t sum, count;

static void add(uint32_t value) {
  sum += value;
  ++count;
}

static void obey(uint32_t word) {
  switch (OW_IDENTITY_OF(word)) {
    case REPORT:
      ow_push(answer.out, sum);  // one wavelet into a queue of eight that the host drains
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
  ow_task_register(OW_TASK_DATA(number.in), add);
  ow_task_register(OW_TASK_CONTROL(number.in), obey);
}
