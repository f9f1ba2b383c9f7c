// SPDX-License-Identifier: Apache-2.0
// What tests of decoding draw.
#ifndef OW_TB_SW_GOLDEN_DECODE_DRAWS_H_
#define OW_TB_SW_GOLDEN_DECODE_DRAWS_H_

#include <vector>

#include "ow/base/rng.h"

namespace ow::golden {

inline std::vector<int> random_tokens(int count, int vocabulary, Rng* rng) {
  std::vector<int> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(static_cast<int>(rng->below(static_cast<uint64_t>(vocabulary))));
  }
  return out;
}

inline int one_of(Rng* rng, const std::vector<int>& values) {
  return values[rng->below(values.size())];
}

}  // namespace ow::golden

#endif  // OW_TB_SW_GOLDEN_DECODE_DRAWS_H_
