// SPDX-License-Identifier: Apache-2.0
// The tile's operations, element by element and as reductions, bit for bit (docs/isa.md,
// docs/numerics.md). Elements are passed as their encodings in the low bits of a uint32_t.
//
// Computed from the definition: operands become integers times a power of two, results are exact
// and rounded once by one function. No part is shared with the RTL or with formats.h. The tests
// compare the two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/isa/isa.h"

namespace ow::golden {

// As in instructions and descriptors (docs/isa.md); only operations with elements as operands.
using Type = isa::TensorType;
using Op = isa::TensorOp;

const char* type_name(Type type);
const char* op_name(Op op);
int type_bytes(Type type);    // bytes of an element; not for Mixed and MixedB
Type source_type(Type type);  // F16 for Mixed, BF16 for MixedB, else the type itself
Type result_type(Type type);  // F32 for Mixed and MixedB, else the type itself

// dst = op(a, b, c); c is the addend of Fma. Not for casts, reductions and the indexed operations.
uint32_t apply(Op op, Type type, uint32_t a, uint32_t b = 0, uint32_t c = 0);

// The cast. Float to integer: nearest even, saturating, NaN to 0; integer to integer: saturating.
uint32_t convert(Type from, Type to, uint32_t a);

// fp32 to a 16-bit float with stochastic rounding; `random` is the generator's 16 bits.
uint32_t convert_stochastic(Type to, uint32_t a, uint16_t random);

// The partial results of a reduction: element i goes to partial result i mod kPartials.
inline constexpr size_t kPartials = 16;

// The fixed tree over them: the upper half is joined to the lower half, element by element, until
// one is left. Overwrites p.
template <typename T, typename Join>
T join_partials(T* p, const Join& join) {
  for (size_t half = kPartials / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) p[i] = join(p[i], p[i + half]);
  }
  return p[0];
}

// Dot, Sum, RMax and RMin over n elements: kPartials partial results, the fixed tree, one rounding
// to the result's type. b is for Dot only.
uint32_t reduce(Op op, Type type, Type result, const uint32_t* a, const uint32_t* b, size_t n);

// The tile's generator, xoshiro128+ (N42).
class Xoshiro128Plus {
 public:
  Xoshiro128Plus(uint32_t s0, uint32_t s1, uint32_t s2, uint32_t s3) : s_{s0, s1, s2, s3} {}
  uint32_t next();
  // s0 to s3, from which it goes on.
  std::array<uint32_t, 4> state() const { return s_; }

 private:
  std::array<uint32_t, 4> s_;
};

}  // namespace ow::golden
