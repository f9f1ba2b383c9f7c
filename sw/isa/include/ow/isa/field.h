// SPDX-License-Identifier: Apache-2.0
// A field of a word, of those that isa.h names. Word is uint32_t or uint64_t.
#ifndef OW_ISA_FIELD_H_
#define OW_ISA_FIELD_H_

#include <cstdint>
#include <type_traits>

namespace ow::isa {

// `Width` bits from bit `Lsb` on. A field of one bit is a bool.
template <typename Word, int Lsb, int Width>
struct Field {
  using Value = std::conditional_t<Width == 1, bool, Word>;
  static constexpr int kLsb = Lsb;
  static constexpr int kWidth = Width;
  static constexpr Word kMax = static_cast<Word>(~uint64_t{0} >> (64 - Width));
  static constexpr Word kMask = static_cast<Word>(kMax << Lsb);  // in place

  // The field's value in a word.
  static constexpr Value get(uint64_t word) {
    return static_cast<Value>(static_cast<Word>(word >> Lsb) & kMax);
  }
  // The value in its place, all other bits 0. Bits that do not fit are cut off.
  template <typename T>
  static constexpr Word put(T value) {
    return static_cast<Word>((static_cast<Word>(value) & kMax) << Lsb);
  }
  // The word with this field set to the value.
  template <typename T>
  static constexpr Word set(Word word, T value) {
    return static_cast<Word>((word & ~kMask) | put(value));
  }
};

// The same in two's complement.
template <typename Word, int Lsb, int Width>
struct SignedField : Field<Word, Lsb, Width> {
  using Value = int32_t;
  static constexpr int32_t get(uint64_t word) {
    const auto raw = static_cast<int64_t>(Field<Word, Lsb, Width>::get(word));
    return static_cast<int32_t>(raw - ((raw >> (Width - 1)) << Width));
  }
};

// `Count` fields side by side.
template <typename Word, int Lsb, int Width, int Count>
struct FieldArray {
  static constexpr int kCount = Count;
  static constexpr int kLsb = Lsb;
  static constexpr int kWidth = Width;
  static constexpr Word kMax = static_cast<Word>(~uint64_t{0} >> (64 - Width));
  static constexpr Word kMask = static_cast<Word>((~uint64_t{0} >> (64 - Width * Count)) << Lsb);

  template <typename Index>
  static constexpr Word get(uint64_t word, Index i) {
    return static_cast<Word>(word >> (Lsb + Width * static_cast<int>(i))) & kMax;
  }
  template <typename Index, typename T>
  static constexpr Word put(Index i, T value) {
    return static_cast<Word>((static_cast<Word>(value) & kMax)
                             << (Lsb + Width * static_cast<int>(i)));
  }
};

}  // namespace ow::isa

#endif  // OW_ISA_FIELD_H_
