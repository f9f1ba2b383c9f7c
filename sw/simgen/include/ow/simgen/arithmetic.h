// SPDX-License-Identifier: Apache-2.0
// Word-level operations in bits. A word is a list of bits, bit 0 first. Sums ripple: two tables for
// a bit is the least that there is, and depth costs nothing here.
#ifndef OW_SIMGEN_ARITHMETIC_H_
#define OW_SIMGEN_ARITHMETIC_H_

#include <cstddef>
#include <vector>

#include "ow/simgen/logic.h"

namespace ow::simgen {

using Word = std::vector<Bit>;

// The word with `width` bits: cut, or with its sign or zeros above.
Word extend(const Word& a, size_t width, bool is_signed);

Word add(Logic* logic, const Word& a, const Word& b, Bit carry);  // as wide as a; so is b
Word subtract(Logic* logic, const Word& a, const Word& b);        // likewise
Word multiply(Logic* logic, const Word& a, const Word& b);        // likewise, modulo 2^width
Word negate(Logic* logic, const Word& a);
Bit equal(Logic* logic, const Word& a, const Word& b);  // of the same width
// a < b, of the same width, with signs or without.
Bit less(Logic* logic, const Word& a, const Word& b, bool is_signed);
Bit and_of(Logic* logic, const Word& a);
Bit or_of(Logic* logic, const Word& a);
Bit xor_of(Logic* logic, const Word& a);
// `width` bits of `a` from bit `by` on; `fill` beyond its end.
Word shift_right(Logic* logic, const Word& a, const Word& by, size_t width, Bit fill);
// As wide as a.
Word shift_left(Logic* logic, const Word& a, const Word& by);
// The word of `width` bits number `select` of `a`, which has as many as select can name.
Word pick(Logic* logic, const Word& a, const Word& select, size_t width);

}  // namespace ow::simgen

#endif  // OW_SIMGEN_ARITHMETIC_H_
