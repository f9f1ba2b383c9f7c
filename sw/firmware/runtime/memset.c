// SPDX-License-Identifier: Apache-2.0
#include "openwafer/tile/memory.h"

#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) any_word;

void* memset(void* to, int byte, size_t bytes) {
  uint8_t* at = to;
  uint8_t* const end = at + bytes;
  for (; at != end && ((uintptr_t)at & 3) != 0; ++at) *at = (uint8_t)byte;
  const uint32_t word = (uint8_t)byte * 0x01010101u;
  for (; end - at >= 4; at += 4) *(any_word*)(void*)at = word;
  for (; at != end; ++at) *at = (uint8_t)byte;
  return to;
}
