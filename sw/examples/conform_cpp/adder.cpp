// SPDX-License-Identifier: Apache-2.0
// A device under the conformance kit, whole: an adder of binary16 in integer arithmetic, as
// hardware would do it. Opened with "truncates" it forgets to round, and the kit says which rule
// that breaks.
//
//   ow conform run device.yaml --device library:build/lib/libexample_conform_adder.so
//   ow conform run device.yaml --device library:build/lib/libexample_conform_adder.so,truncates
#include <openwafer/conform.h>

#include <cstring>
#include <utility>

namespace {

bool truncates = false;

constexpr uint32_t kInfinity = 0x7C00, kNan = 0x7E00, kSign = 0x8000;

// Magnitude and sign of a finite number, in units of 2^-24, as fraction << shift.
struct Number {
  uint32_t fraction;
  int shift;
};

Number number(uint32_t x) {
  const int exponent = static_cast<int>(x >> 10 & 31);
  const uint32_t fraction = x & 0x3FF;
  return exponent == 0 ? Number{fraction, 0} : Number{fraction | 0x400, exponent - 1};
}

// A magnitude of `value` units of 2^-24, rounded to nearest even.
uint32_t round(uint64_t value) {
  int shift = 0;
  while (value >> shift >= 0x800) ++shift;
  uint64_t kept = value >> shift;
  const uint64_t rest = value - (kept << shift), half = shift == 0 ? 1 : uint64_t{1} << (shift - 1);
  if (!truncates && (rest > half || (rest == half && (kept & 1) != 0))) ++kept;
  if (kept == 0x800) {
    kept = 0x400;
    ++shift;
  }
  // Below 0x400 the number is subnormal and its exponent field 0.
  const uint64_t exponent = kept < 0x400 ? 0 : static_cast<uint64_t>(shift) + 1;
  if (exponent >= 31) return kInfinity;
  return static_cast<uint32_t>(exponent << 10 | (kept & 0x3FF));
}

uint32_t add(uint32_t a, uint32_t b) {
  const uint32_t size_a = a & 0x7FFF, size_b = b & 0x7FFF;
  if (size_a > kInfinity || size_b > kInfinity) return kNan;
  if (size_a == kInfinity || size_b == kInfinity) {
    if (size_a == size_b && a != b) return kNan;
    return size_a == kInfinity ? a : b;
  }
  if (size_a < size_b) std::swap(a, b);
  const Number x = number(a), y = number(b);
  const uint64_t big = static_cast<uint64_t>(x.fraction) << x.shift,
                 small = static_cast<uint64_t>(y.fraction) << y.shift;
  const bool same = ((a ^ b) & kSign) == 0;
  const uint64_t sum = same ? big + small : big - small;
  if (sum == 0) return same ? a & kSign : 0;
  return (a & kSign) | round(sum);
}

int call(void*, const char* op, const char* type, const char*, size_t count,
         const uint32_t* operands, uint32_t* results) {
  const bool subtracts = std::strcmp(op, "sub") == 0;
  if (std::strcmp(type, "f16") != 0 || (!subtracts && std::strcmp(op, "add") != 0)) return 1;
  for (size_t i = 0; i < count; ++i) {
    results[i] = add(operands[i], operands[count + i] ^ (subtracts ? kSign : 0));
  }
  return 0;
}

}  // namespace

const ow_conform_device* ow_conform_open(const char* arguments) {
  static ow_conform_device device = {};
  truncates = std::strcmp(arguments, "truncates") == 0;
  device.interface = OW_CONFORM_INTERFACE;
  device.call = call;
  return &device;
}
