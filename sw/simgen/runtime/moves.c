/* SPDX-License-Identifier: Apache-2.0
 *
 * What connects instances: vectors that are copied, and that move from lane to lane.
 */
#include "ow_wide.h"
#include "ow_wide_model.h"

typedef V AnyV __attribute__((aligned(8), may_alias)); /* at any word */

/* Lane k of the result is lane k - part of a vector, of which the word before is read too. */
static V moved(const uint64_t* at, int part) {
  return SHL(*(const AnyV*)at, part) | SHR(*(const AnyV*)(at - 1), 64 - part);
}

int OW_NAME(ow_wide_move)(const struct ow_wide_move* moves, size_t move_count, size_t count,
                          void* list, const size_t* places) {
  V all = ZERO;
  for (size_t k = 0; k < count && move_count == 0; ++k) ((V*)list)[places[k]] = ZERO;
  for (size_t m = 0; m < move_count; ++m) {
    const int part = moves[m].by & 63;
    const uint64_t* const from = (const uint64_t*)moves[m].from - (moves[m].by - part) / 64;
    const V lanes = *(const AnyV*)moves[m].lanes;
    for (size_t k = 0; k < count; ++k) {
      V* const to = (V*)list + places[k];
      const V value = moved(from + k * (OW_WIDE / 64), part) & lanes;
      all |= value;
      *to = m == 0 ? value : (V)(value | *to);
    }
  }
  return ANY(all, ONES);
}

void OW_NAME(ow_wide_copy)(const void* list, const size_t* places, size_t count, void* to) {
  for (size_t k = 0; k < count; ++k) ((AnyV*)to)[k] = ((const V*)list)[places[k]];
}
