// SPDX-License-Identifier: Apache-2.0
// Angles of positions in two parts (N110), for the tiles that turn queries and keys.
#ifndef OW_COMPILE_ROTARY_TABLES_H_
#define OW_COMPILE_ROTARY_TABLES_H_

#include <cstdint>
#include <vector>

#include "ow/graph/language_model.h"

namespace ow::jobs {

// Entries of the fine tables, as a power of two.
uint32_t fine_bits(const LanguageShape& shape);

// fp32 rows of head_size / 2, as ow/firmware/region.h has them: -sin, cos, sin of each coarse angle
// of `positions`; sin, cos of each fine one.
struct RotaryTables {
  std::vector<uint32_t> coarse, fine;
};
RotaryTables rotary_tables(const LanguageShape& shape, int positions);

}  // namespace ow::jobs

#endif  // OW_COMPILE_ROTARY_TABLES_H_
