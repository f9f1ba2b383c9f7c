// SPDX-License-Identifier: Apache-2.0
// The functions of string.h that GCC calls by itself, for `uint8_t seen[100] = {0};` or a copy of a
// structure. The kernel library has them; a program gets those that it calls.
//
// They handle whole words where both addresses have the same place in a word, else bytes. For large
// arrays use tensor instructions (ow_mov).
#ifndef OPENWAFER_TILE_MEMORY_H_
#define OPENWAFER_TILE_MEMORY_H_

#include <stddef.h>

void* memset(void* to, int byte, size_t bytes);
void* memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);

#endif  // OPENWAFER_TILE_MEMORY_H_
