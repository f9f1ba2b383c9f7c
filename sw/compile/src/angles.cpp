// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/angles.h"

#include "ow/tensor/half.h"
#include "rotary_turns.h"

namespace ow::jobs {
namespace {

// The sine of t turns of 2^-32, each operation rounded to fp32.
float sine_of(uint32_t t) {
  constexpr float kSeries[] = {0x1.921faap+1f, -0x1.0356b6p+1f, 0x1.0c2cf4p-1f, -0x1.30fc4ep-4f,
                               0x1.877734p-8f};
  const float y = static_cast<float>(static_cast<int32_t>(t)) * 0x1p-31f;
  const float z = y * y;
  float q = kSeries[4];
  for (int k = 3; k >= 0; --k) {
    const float product = q * z;
    q = product + kSeries[k];
  }
  const float rest = y - static_cast<float>(y * z);
  return rest * q;
}

}  // namespace

Angles::Angles(const LanguageShape& shape, HalfType type)
    : turns_(rotary_turns(shape)), type_(type) {}

Angles::Pair Angles::at(int position, size_t pair) const {
  const uint32_t t = static_cast<uint32_t>(position) * turns_[pair];
  const auto rounded = [this](float x) { return to_half(type_, static_cast<double>(x)); };
  return {rounded(sine_of(t + (1u << 30))), rounded(sine_of(t))};
}

}  // namespace ow::jobs
