// SPDX-License-Identifier: Apache-2.0
// Numbers that the machine and the host exchange. The 16-bit floating-point types are IEEE 754
// binary16 and bfloat16. Conversions round once, to nearest even. Subnormals are kept. A NaN
// becomes the canonical NaN (docs/numerics.md).
#ifndef OPENWAFER_NUMBER_H_
#define OPENWAFER_NUMBER_H_

#include <cstdint>

namespace ow {

enum class HalfType { Binary16, Bfloat16 };

// "binary16", "bfloat16".
const char* half_name(HalfType type);

// The encoding of the value of the type that is nearest to x.
uint16_t to_half(HalfType type, double x);
// The exact value of an encoding.
float from_half(HalfType type, uint16_t bits);

// Whether it is a zero of either sign; holds for both types.
constexpr bool half_is_zero(uint16_t bits) { return (bits & 0x7FFFu) == 0; }
// Whether it is neither infinite nor a NaN.
constexpr bool half_is_finite(HalfType type, uint16_t bits) {
  return (bits & 0x7FFFu) < (type == HalfType::Binary16 ? 0x7C00u : 0x7F80u);
}

// Values that know their type, in the size that the machine stores.
template <HalfType kType>
class Half {
 public:
  Half() = default;
  explicit Half(double x) : bits_(to_half(kType, x)) {}
  static Half from_bits(uint16_t bits) {
    Half h;
    h.bits_ = bits;
    return h;
  }
  uint16_t bits() const { return bits_; }
  operator float() const { return from_half(kType, bits_); }

 private:
  uint16_t bits_ = 0;
};
using f16 = Half<HalfType::Binary16>;
using bf16 = Half<HalfType::Bfloat16>;
static_assert(sizeof(f16) == 2 && sizeof(bf16) == 2, "arrays of them are copied as they are");

// Element types of arrays that firmware exports (openwafer/tile/export.h). Floats and signed
// integers have the numbers of the ISA's types.
enum class ElementType : uint32_t {
  F16 = 0,
  Bf16 = 1,
  F32 = 2,
  I16 = 4,
  I32 = 5,
  I8 = 6,
  U16 = 12,
  U32 = 13,
  U8 = 14
};
uint32_t element_bytes(ElementType type);
const char* element_name(ElementType type);  // "f16", ...

// The element type of a C++ type. Other types cannot be copied.
template <typename T>
struct ElementOf;
template <>
struct ElementOf<f16> {
  static constexpr ElementType kType = ElementType::F16;
};
template <>
struct ElementOf<bf16> {
  static constexpr ElementType kType = ElementType::Bf16;
};
template <>
struct ElementOf<float> {
  static constexpr ElementType kType = ElementType::F32;
};
template <>
struct ElementOf<int16_t> {
  static constexpr ElementType kType = ElementType::I16;
};
template <>
struct ElementOf<int32_t> {
  static constexpr ElementType kType = ElementType::I32;
};
template <>
struct ElementOf<int8_t> {
  static constexpr ElementType kType = ElementType::I8;
};
template <>
struct ElementOf<uint16_t> {
  static constexpr ElementType kType = ElementType::U16;
};
template <>
struct ElementOf<uint32_t> {
  static constexpr ElementType kType = ElementType::U32;
};
template <>
struct ElementOf<uint8_t> {
  static constexpr ElementType kType = ElementType::U8;
};

}  // namespace ow

#endif  // OPENWAFER_NUMBER_H_
