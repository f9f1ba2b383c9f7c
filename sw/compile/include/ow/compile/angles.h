// SPDX-License-Identifier: Apache-2.0
// The angles by which features of a position turn (docs/numerics.md, N110).
#ifndef OW_COMPILE_ANGLES_H_
#define OW_COMPILE_ANGLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/graph/language_model.h"

namespace ow::jobs {

class Angles {
 public:
  Angles(const LanguageShape& shape, HalfType type);
  struct Pair {
    uint16_t cos, sin;
  };
  Pair at(int position, size_t pair) const;

 private:
  std::vector<uint32_t> turns_;  // of each pair, a position
  HalfType type_;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_ANGLES_H_
