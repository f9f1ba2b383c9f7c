// SPDX-License-Identifier: Apache-2.0
// Ordinary C that GCC turns into calls of memset, memcpy, memmove and memcmp, and these by name.
#include "openwafer/tile/memory.h"
#include "openwafer/tile/export.h"

OW_EXPORT(u8, area, 64);
OW_EXPORT(u32, result);

struct record {
  uint32_t words[40];
};
static struct record one = {{1, 2, 3}}, two;

// Distinct values in 0 to 99.
OW_LAUNCH(distinct, u32 seed) {
  uint8_t seen[100] = {0};
  uint32_t count = 0;
  for (uint32_t i = 0; i < 50; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const uint32_t value = (seed >> 8) % 100;
    count += seen[value] == 0;
    seen[value] = 1;
  }
  result = count;
}

OW_LAUNCH(structures, u32 value) {
  one.words[39] = value;
  two = one;
  result = two.words[39] + two.words[1] + (uint32_t)(memcmp(&one, &two, sizeof one) == 0);
}

// Loops that GCC knows for memset and memcpy.
OW_LAUNCH(loops, u32 n) {
  for (uint32_t i = 0; i < n; ++i) area[i] = 0;
  for (uint32_t i = 0; i < n; ++i) area[32 + i] = area[i];
  result = n;
}

// One function by its number, at two places of `area`.
OW_LAUNCH(call, u32 function, u32 to, u32 from, u32 bytes) {
  result = 0;
  if (function == 0) result = memset(area + to, (int)from, bytes) == area + to;
  if (function == 1) result = memcpy(area + to, area + from, bytes) == area + to;
  if (function == 2) result = memmove(area + to, area + from, bytes) == area + to;
  if (function == 3) result = (uint32_t)memcmp(area + to, area + from, bytes);
}
