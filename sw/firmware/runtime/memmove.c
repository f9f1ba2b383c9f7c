// SPDX-License-Identifier: Apache-2.0
#include "openwafer/tile/memory.h"

#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) any_word;

// Memory that does not overlap, or whose copy lies in front of it, is copied forwards, as by
// memcpy.
void* memmove(void* to, const void* from, size_t bytes) {
  uint8_t* const first = to;
  const uint8_t* const source = from;
  if ((uintptr_t)first - (uintptr_t)source >= bytes) return memcpy(to, from, bytes);
  uint8_t* at = first + bytes;
  const uint8_t* copied = source + bytes;
  if ((((uintptr_t)at ^ (uintptr_t)copied) & 3) == 0) {
    while (at != first && ((uintptr_t)at & 3) != 0) *--at = *--copied;
    while (at - first >= 4) {
      at -= 4;
      copied -= 4;
      *(any_word*)(void*)at = *(const any_word*)(const void*)copied;
    }
  }
  while (at != first) *--at = *--copied;
  return to;
}
