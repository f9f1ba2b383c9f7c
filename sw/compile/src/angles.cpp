// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/angles.h"

#include <cmath>
#include <cstring>

#include "ow/tensor/half.h"
#include "rotary_tables.h"

namespace ow::jobs {
namespace {

std::vector<float> floats(const std::vector<uint32_t>& words) {
  std::vector<float> all(words.size());
  std::memcpy(all.data(), words.data(), 4 * words.size());
  return all;
}

}  // namespace

Angles::Angles(const LanguageShape& shape, HalfType type)
    : pairs_(static_cast<size_t>(shape.head_size) / 2),
      fine_positions_(1 << fine_bits(shape)),
      type_(type) {
  const RotaryTables tables = rotary_tables(shape, shape.positions);
  coarse_ = floats(tables.coarse);
  fine_ = floats(tables.fine);
}

Angles::Pair Angles::at(int position, size_t pair) const {
  const auto coarse = static_cast<size_t>(position / fine_positions_);
  const auto fine = static_cast<size_t>(position % fine_positions_);
  const float cc = coarse_[(3 * coarse + 1) * pairs_ + pair];
  const float sc = coarse_[(3 * coarse + 2) * pairs_ + pair];
  const float sf = fine_[2 * fine * pairs_ + pair], cf = fine_[(2 * fine + 1) * pairs_ + pair];
  const float cos = std::fma(cc, cf, -(sc * sf)), sin = std::fma(sc, cf, cc * sf);
  return {to_half(type_, static_cast<double>(cos)), to_half(type_, static_cast<double>(sin))};
}

}  // namespace ow::jobs
