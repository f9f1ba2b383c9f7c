// SPDX-License-Identifier: Apache-2.0
#include "ow/simgen/arithmetic.h"

#include <algorithm>

namespace ow::simgen {
namespace {

constexpr uint8_t kEqualSoFar = kTableA & static_cast<uint8_t>(~(kTableB ^ kTableC));
constexpr uint8_t kBorrow = 0x8E;  // most(~a, b, borrow)
constexpr uint8_t kAndNot = kTableA & static_cast<uint8_t>(~kTableB);

Bit fold(Logic* logic, const Word& a, uint8_t table, Bit first) {
  Bit result = first;
  for (const Bit bit : a) result = logic->make(table, result, bit);
  return result;
}

Word choose(Logic* logic, Bit select, const Word& one, const Word& zero) {
  Word result(one.size());
  for (size_t k = 0; k < one.size(); ++k) result[k] = logic->choose(select, one[k], zero[k]);
  return result;
}

}  // namespace

Word extend(const Word& a, size_t width, bool is_signed) {
  Word result = a;
  const Bit above = is_signed && !a.empty() ? a.back() : kFalse;
  result.resize(width, above);
  return result;
}

Word add(Logic* logic, const Word& a, const Word& b, Bit carry) {
  Word result(a.size());
  for (size_t k = 0; k < a.size(); ++k) {
    result[k] = logic->sum(a[k], b[k], carry);
    carry = logic->most(a[k], b[k], carry);
  }
  return result;
}

Word subtract(Logic* logic, const Word& a, const Word& b) {
  Word inverse(b.size());
  for (size_t k = 0; k < b.size(); ++k) inverse[k] = logic->inverse(b[k]);
  return add(logic, a, inverse, kTrue);
}

// A row of full adders for each bit of b.
Word multiply(Logic* logic, const Word& a, const Word& b) {
  Word result(a.size(), kFalse);
  for (size_t k = 0; k < b.size(); ++k) {
    if (b[k] == kFalse) continue;
    Bit carry = kFalse;
    for (size_t j = 0; j + k < a.size(); ++j) {
      const Bit product = logic->all(a[j], b[k]);
      const Bit before = result[j + k];
      result[j + k] = logic->sum(before, product, carry);
      carry = logic->most(before, product, carry);
    }
  }
  return result;
}

Word negate(Logic* logic, const Word& a) { return subtract(logic, Word(a.size(), kFalse), a); }

Bit equal(Logic* logic, const Word& a, const Word& b) {
  Bit result = kTrue;
  for (size_t k = 0; k < a.size(); ++k) result = logic->make(kEqualSoFar, result, a[k], b[k]);
  return result;
}

Bit less(Logic* logic, const Word& a, const Word& b, bool is_signed) {
  Bit borrow = kFalse;
  for (size_t k = 0; k < a.size(); ++k) {
    const bool sign = is_signed && k + 1 == a.size();
    borrow =
        sign ? logic->make(kBorrow, b[k], a[k], borrow) : logic->make(kBorrow, a[k], b[k], borrow);
  }
  return borrow;
}

Bit and_of(Logic* logic, const Word& a) { return fold(logic, a, kTableA & kTableB, kTrue); }
Bit or_of(Logic* logic, const Word& a) { return fold(logic, a, kTableA | kTableB, kFalse); }
Bit xor_of(Logic* logic, const Word& a) { return fold(logic, a, kTableA ^ kTableB, kFalse); }

// From the highest bit of the distance on, so that only bits that may still be used are moved.
Word shift_right(Logic* logic, const Word& a, const Word& by, size_t width, Bit fill) {
  Word now = a;
  Bit beyond = kFalse;  // of bits of the distance that alone lead past the end
  for (size_t k = by.size(); k-- > 0;) {
    const bool far = k >= 32 || size_t{1} << k >= a.size();
    if (far) {
      beyond = logic->any(beyond, by[k]);
      continue;
    }
    const size_t step = size_t{1} << k;
    const size_t needed = std::min(a.size(), width + step - 1);
    Word next(std::min(needed, now.size()));
    for (size_t j = 0; j < next.size(); ++j) {
      next[j] = logic->choose(by[k], j + step < now.size() ? now[j + step] : fill, now[j]);
    }
    // Bits above were cut off only if nothing needs them.
    now = std::move(next);
  }
  now.resize(width, fill);
  for (Bit& bit : now) bit = logic->choose(beyond, fill, bit);
  return now;
}

Word shift_left(Logic* logic, const Word& a, const Word& by) {
  Word now = a;
  for (size_t k = 0; k < by.size(); ++k) {
    const bool far = k >= 32 || size_t{1} << k >= a.size();
    const size_t step = far ? a.size() : size_t{1} << k;
    for (size_t j = a.size(); j-- > 0;) {
      now[j] = j >= step ? logic->choose(by[k], now[j - step], now[j])
                         : logic->make(kAndNot, now[j], by[k]);
    }
  }
  return now;
}

Word pick(Logic* logic, const Word& a, const Word& select, size_t width) {
  Word now = a;
  for (size_t k = 0; k < select.size(); ++k) {
    Word next;
    for (size_t at = 0; at + 2 * width <= now.size(); at += 2 * width) {
      const auto first = now.begin() + static_cast<std::ptrdiff_t>(at);
      const auto middle = first + static_cast<std::ptrdiff_t>(width);
      const Word zero(first, middle), one(middle, middle + static_cast<std::ptrdiff_t>(width));
      const Word both = choose(logic, select[k], one, zero);
      next.insert(next.end(), both.begin(), both.end());
    }
    now = std::move(next);
  }
  return now;
}

}  // namespace ow::simgen
