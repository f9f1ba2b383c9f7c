// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/half.h"

#include <algorithm>
#include <cmath>
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
  if (std::isnan(x)) return f.quiet;
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double size = std::fabs(x);
  if (std::isinf(size)) return static_cast<uint16_t>(sign | f.inf);
  int exponent = f.least;
  if (size > 0) exponent = std::max(std::ilogb(size), f.least);
  // In units of the last place the number has at most fraction + 1 bits before its point. So the
  // scaling is exact, and nearbyint (to nearest even, the default mode) is the only rounding.
  const double units = std::nearbyint(std::ldexp(size, f.fraction - exponent));
  // The leading one of a normal number adds one to the exponent field. The field begins at 0 for
  // subnormals and at 1 for the least normal exponent. A carry out of the rounding also adds one.
  const double code = std::ldexp(exponent - f.least, f.fraction) + units;
  if (code >= f.inf) return static_cast<uint16_t>(sign | f.inf);
  return static_cast<uint16_t>(sign | static_cast<uint16_t>(code));
}

float from_half(HalfType type, uint16_t bits) {
  const Format f = format(type);
  const uint16_t size = bits & 0x7FFFu;
  const float sign = (bits & 0x8000u) != 0 ? -1.0f : 1.0f;
  if (size > f.inf) return std::numeric_limits<float>::quiet_NaN();
  if (size == f.inf) return sign * std::numeric_limits<float>::infinity();
  const int field = size >> f.fraction;
  const int fraction = size & ((1 << f.fraction) - 1);
  const int units = field == 0 ? fraction : fraction | 1 << f.fraction;
  const int exponent = field == 0 ? f.least : f.least + field - 1;
  return std::copysign(std::ldexp(static_cast<float>(units), exponent - f.fraction), sign);
}

}  // namespace ow
