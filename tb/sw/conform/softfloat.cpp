// SPDX-License-Identifier: Apache-2.0
// Berkeley SoftFloat, on which TestFloat rests, as a device under the conformance kit: what both
// define must be the same. scripts/conform-softfloat builds it against a SoftFloat that is built.
//
// Three things are the implementation's choice in IEEE 754, and here those of the machine: the bits
// of a NaN, an invalid cast to an integer, and that a comparison's result is a number.
#include <openwafer/conform.h>

#include <cstring>
#include <string>

extern "C" {
#include "softfloat.h"
}

namespace {

constexpr uint32_t kNan16 = 0x7E00, kNan32 = 0x7FC00000, kNanB16 = 0x7FC0;

bool is_nan16(uint32_t x) { return (x & 0x7FFF) > 0x7C00; }
bool is_nan32(uint32_t x) { return (x & 0x7FFFFFFF) > 0x7F800000; }

float16_t half(uint32_t x) { return float16_t{static_cast<uint16_t>(x)}; }
float32_t single(uint32_t x) { return float32_t{x}; }
uint32_t out(float16_t x) { return is_nan16(x.v) ? kNan16 : x.v; }
uint32_t out(float32_t x) { return is_nan32(x.v) ? kNan32 : x.v; }

bool of_half(const std::string& op, uint32_t a, uint32_t b, uint32_t c, uint32_t* r) {
  const float16_t x = half(a), y = half(b);
  constexpr uint32_t kOne = 0x3C00;
  if (op == "add")
    *r = out(f16_add(x, y));
  else if (op == "sub")
    *r = out(f16_sub(x, y));
  else if (op == "mul")
    *r = out(f16_mul(x, y));
  else if (op == "fma")
    *r = out(f16_mulAdd(x, y, half(c)));
  else if (op == "cmpeq")
    *r = f16_eq(x, y) ? kOne : 0;
  else if (op == "cmpne")
    *r = f16_eq(x, y) ? 0 : kOne;
  else if (op == "cmplt")
    *r = f16_lt_quiet(x, y) ? kOne : 0;
  else if (op == "cmple")
    *r = f16_le_quiet(x, y) ? kOne : 0;
  else
    return false;
  return true;
}

bool of_single(const std::string& op, uint32_t a, uint32_t b, uint32_t c, uint32_t* r) {
  const float32_t x = single(a), y = single(b);
  constexpr uint32_t kOne = 0x3F800000;
  if (op == "add")
    *r = out(f32_add(x, y));
  else if (op == "sub")
    *r = out(f32_sub(x, y));
  else if (op == "mul")
    *r = out(f32_mul(x, y));
  else if (op == "fma")
    *r = out(f32_mulAdd(x, y, single(c)));
  else if (op == "cmpeq")
    *r = f32_eq(x, y) ? kOne : 0;
  else if (op == "cmpne")
    *r = f32_eq(x, y) ? 0 : kOne;
  else if (op == "cmplt")
    *r = f32_lt_quiet(x, y) ? kOne : 0;
  else if (op == "cmple")
    *r = f32_le_quiet(x, y) ? kOne : 0;
  else
    return false;
  return true;
}

// To i32: saturated, NaN to 0 (N36).
uint32_t integer(bool nan, bool negative, int_fast32_t value) {
  if (nan) return 0;
  if ((softfloat_exceptionFlags & softfloat_flag_invalid) != 0)
    return negative ? 0x80000000 : 0x7FFFFFFF;
  return static_cast<uint32_t>(value);
}

bool cast(const std::string& from, const std::string& to, uint32_t a, uint32_t* r) {
  softfloat_exceptionFlags = 0;
  if (from == "f16" && to == "f32")
    *r = out(f16_to_f32(half(a)));
  else if (from == "f32" && to == "f16")
    *r = out(f32_to_f16(single(a)));
  else if (from == "bf16" && to == "f32")
    *r = out(single(a << 16));
  else if (from == "f32" && to == "bf16")
    *r = is_nan32(a) ? kNanB16 : f32_to_bf16(single(a)).v;
  else if (from == "i32" && to == "f32")
    *r = out(i32_to_f32(static_cast<int32_t>(a)));
  else if (from == "i32" && to == "f16")
    *r = out(i32_to_f16(static_cast<int32_t>(a)));
  else if (from == "f32" && to == "i32")
    *r = integer(is_nan32(a), a >> 31 != 0, f32_to_i32(single(a), softfloat_round_near_even, true));
  else if (from == "f16" && to == "i32")
    *r = integer(is_nan16(a), (a >> 15 & 1) != 0,
                 f16_to_i32(half(a), softfloat_round_near_even, true));
  else
    return false;
  return true;
}

int call(void*, const char* op, const char* type, const char* result, size_t count,
         const uint32_t* operands, uint32_t* results) {
  const std::string what = op, from = type;
  softfloat_roundingMode = softfloat_round_near_even;
  softfloat_detectTininess = softfloat_tininess_afterRounding;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t a = operands[i];
    if (what == "cvt") {
      if (!cast(from, result, a, &results[i])) return 1;
      continue;
    }
    const uint32_t b = operands[count + i], c = what == "fma" ? operands[2 * count + i] : 0;
    const bool known = from == "f16"   ? of_half(what, a, b, c, &results[i])
                       : from == "f32" ? of_single(what, a, b, c, &results[i])
                                       : false;
    if (!known) return 1;
  }
  return 0;
}

}  // namespace

const ow_conform_device* ow_conform_open(const char*) {
  static ow_conform_device device = {};
  device.interface = OW_CONFORM_INTERFACE;
  device.call = call;
  return &device;
}
