// SPDX-License-Identifier: Apache-2.0
#include "openwafer/tile/memory.h"

#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) any_word;

int memcmp(const void* a, const void* b, size_t bytes) {
  const uint8_t* left = a;
  const uint8_t* right = b;
  const uint8_t* const end = left + bytes;
  if ((((uintptr_t)left ^ (uintptr_t)right) & 3) == 0) {
    for (; left != end && ((uintptr_t)left & 3) != 0; ++left, ++right) {
      if (*left != *right) return *left - *right;
    }
    // Words that differ are compared byte by byte below.
    for (; end - left >= 4; left += 4, right += 4) {
      if (*(const any_word*)(const void*)left != *(const any_word*)(const void*)right) break;
    }
  }
  for (; left != end; ++left, ++right) {
    if (*left != *right) return *left - *right;
  }
  return 0;
}
