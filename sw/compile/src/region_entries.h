// SPDX-License-Identifier: Apache-2.0
// What the tiles of blocks and of the head have in common.
#ifndef OW_COMPILE_REGION_ENTRIES_H_
#define OW_COMPILE_REGION_ENTRIES_H_

#include <cstring>
#include <vector>

#include "region_tile.h"

namespace ow::jobs {

// The elements of `count` that are dealt to a part in turns; filled up with zeros (UINT32_MAX) to
// `length`, if it is not negative.
std::vector<uint32_t> dealt_list(int count, int parts, int part, int length);

// Commands and the residual. In column 0:
struct Residual {
  uint32_t inbox = 0, residual = 0;  // addresses of features
};
Residual residual_entries(RegionMemory& memory, const LanguageModel& model,
                          const LanguagePlan& plan, int row, int col);

// The group of norms that are in `steps`, without what each has of its own; the product in the step
// after a norm takes its result. Then a norm's own entries, from `x_entry` on: what is at `x`, and
// its gain. Where the result goes.
void norm_entries(RegionMemory& memory, const std::vector<RegionStep>& steps);
void norm_of(RegionMemory& memory, const LanguageModel& model, const LanguagePlan& plan, int row,
             uint32_t x, const std::vector<uint16_t>& gain, size_t x_entry);
void normal_entry(RegionMemory& memory, size_t entry);

}  // namespace ow::jobs

#endif  // OW_COMPILE_REGION_ENTRIES_H_
