// SPDX-License-Identifier: Apache-2.0
// Programs that go wrong: recursion that is too deep, a call of a null function, stores where the
// program itself lies.
#include "openwafer/tile/export.h"

OW_EXPORT(u32, result);

static volatile uint32_t never;

static __attribute__((noinline)) uint32_t sum(uint32_t n) {
  volatile uint32_t here[8];
  here[n % 8] = n;
  if (n == 0 || never) return 0;
  return sum(n - 1) + here[n % 8];
}

OW_LAUNCH(deep, u32 n) { result = sum(n); }

static void (*volatile hook)(void);
OW_LAUNCH(call_hook) { hook(); }
OW_LAUNCH(jump, u32 to) { ((void (*)(void))to)(); }

OW_LAUNCH(store_word, u32 at) { *(volatile uint32_t*)at = 0x55; }
OW_LAUNCH(store_byte, u32 at) { *(volatile uint8_t*)at = 0x55; }
