// SPDX-License-Identifier: Apache-2.0
// Arguments of launches.
#ifndef OPENWAFER_ARGUMENT_H_
#define OPENWAFER_ARGUMENT_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "openwafer/number.h"

namespace ow {

// A value that Run::launch gives to a parameter of OW_LAUNCH. An integer of any C++ type fits an
// integer parameter that can hold it. A float, ow::f16 or ow::bf16 fits only its own type.
class Argument {
 public:
  template <typename T>
  explicit Argument(T value) {
    if constexpr (std::is_enum_v<T>) {
      *this = Argument(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>) negative_ = value < 0;
      bits_ = static_cast<uint64_t>(value);
    } else {
      static_assert(std::is_same_v<T, float> || std::is_same_v<T, f16> || std::is_same_v<T, bf16>,
                    "an argument of a launch is an integer, a float (2.0f), ow::f16 or ow::bf16");
      type_ = ElementOf<T>::kType;
      std::memcpy(&bits_, &value, sizeof(value));  // little-endian, as the tiles
    }
  }

  bool integer() const { return !type_; }
  // An integer in 64 bits (two's complement), or the bits of a floating-point number.
  uint64_t bits() const { return bits_; }
  bool negative() const { return negative_; }                // an integer below zero
  std::optional<ElementType> type() const { return type_; }  // of a floating-point number

 private:
  std::optional<ElementType> type_;
  bool negative_ = false;
  uint64_t bits_ = 0;
};

}  // namespace ow

#endif  // OPENWAFER_ARGUMENT_H_
