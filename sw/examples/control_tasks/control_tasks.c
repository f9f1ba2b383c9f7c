// SPDX-License-Identifier: Apache-2.0
// A tile that is told by control wavelets what to do with the numbers that it has got: each data
// wavelet adds a number; a control wavelet carries the identity of what is wanted in its bits
// 31:26.
//
// Operands: input queue 1. Result: on output queue 1. No launch: the tasks run for what arrives.
#include "openwafer/tile/export.h"
#include "openwafer/tile/print.h"

enum { QUEUE = 1 };
enum { REPORT = 1, CLEAR = 2 };  // identities

static uint32_t sum, count;

OW_DATA_TASK(QUEUE, number, value) {
  sum += value;
  ++count;
}

OW_CONTROL_TASK(QUEUE, order, word) {
  switch (OW_IDENTITY_OF(word)) {
    case REPORT:
      ow_push(QUEUE, sum);  // one wavelet into a queue of eight that the host drains
      break;
    case CLEAR:
      sum = count = 0;
      break;
    default:
      ow_printf("unknown order %u after %u numbers", OW_IDENTITY_OF(word), count);
  }
}
