// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/half.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace ow {
namespace {

struct Format {
  int fraction;    // bits after the leading one
  int least;       // exponent of the least normal number
  uint16_t inf;    // encoding of infinity: all above it are NaNs
  uint16_t quiet;  // the canonical NaN
};

constexpr Format format(HalfType type) {
  return type == HalfType::Binary16 ? Format{10, -14, 0x7C00, 0x7E00}
                                    : Format{7, -126, 0x7F80, 0x7FC0};
}

}  // namespace

const char* half_name(HalfType type) {
  return type == HalfType::Binary16 ? "binary16" : "bfloat16";
}

uint16_t to_half(HalfType type, double x) {
  const Format f = format(type);
  constexpr int kFraction = 52, kBias = 1023;
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const auto sign = static_cast<uint16_t>(bits >> 63 << 15);
  const auto field = static_cast<int>(bits >> kFraction & 0x7FF);
  const uint64_t fraction = bits & ((uint64_t{1} << kFraction) - 1);
  if (field == 0x7FF) return fraction != 0 ? f.quiet : static_cast<uint16_t>(sign | f.inf);
  // A subnormal double is far below the least number here: without its leading one it is that, too.
  const uint64_t digits = fraction | uint64_t{1} << kFraction;
  const int exponent = std::max(field - kBias, f.least);
  // So many digits are below the last place.
  const int below = kFraction - f.fraction + exponent - (field - kBias);
  if (below > kFraction + 1) return sign;  // less than half of the last place
  const uint64_t rest = digits & ((uint64_t{1} << below) - 1), half = uint64_t{1} << (below - 1);
  uint64_t units = digits >> below;
  if (rest > half || (rest == half && units % 2 != 0)) ++units;
  // The leading one of a normal number adds one to the exponent field. The field begins at 0 for
  // subnormals and at 1 for the least normal exponent. A carry out of the rounding also adds one.
  const uint64_t code = (static_cast<uint64_t>(exponent - f.least) << f.fraction) + units;
  return static_cast<uint16_t>(sign | std::min(code, static_cast<uint64_t>(f.inf)));
}

float from_half(HalfType type, uint16_t bits) {
  const Format f = format(type);
  const uint32_t size = bits & 0x7FFFu, sign = (bits & 0x8000u) << 16;
  if (size > f.inf) return std::numeric_limits<float>::quiet_NaN();
  constexpr int kFraction = 23, kBias = 127;
  uint32_t word = size << (kFraction - f.fraction);
  if (size == f.inf) {
    word = 0x7F800000u;
  } else if (f.least > 1 - kBias) {
    if (size >> f.fraction == 0) {
      // Subnormal: a small number of units of the last place.
      const float value = static_cast<float>(size) * 0x1p-24f;
      std::memcpy(&word, &value, sizeof word);
    } else {
      word += static_cast<uint32_t>(kBias + f.least - 1) << kFraction;
    }
  }
  word |= sign;
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

}  // namespace ow
