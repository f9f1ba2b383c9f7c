// SPDX-License-Identifier: Apache-2.0
#include "openwafer/tile/memory.h"

#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) any_word;

void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  uint8_t* at = to;
  const uint8_t* source = from;
  uint8_t* const end = at + bytes;
  if ((((uintptr_t)at ^ (uintptr_t)source) & 3) == 0) {
    for (; at != end && ((uintptr_t)at & 3) != 0; ++at, ++source) *at = *source;
    for (; end - at >= 4; at += 4, source += 4)
      *(any_word*)(void*)at = *(const any_word*)(const void*)source;
  }
  for (; at != end; ++at, ++source) *at = *source;
  return to;
}
