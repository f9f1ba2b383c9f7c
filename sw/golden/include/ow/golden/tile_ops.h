// SPDX-License-Identifier: Apache-2.0
// The tile's operations, element by element and as reductions, bit for bit (docs/isa.md,
// docs/numerics.md). Elements are passed as their encodings in the low bits of a uint32_t.
//
// Computed from the definition: operands become integers times a power of two, results are exact
// and rounded once by one function. No part is shared with the RTL, and none with formats.h,
// against which the tests hold it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ow::golden {

// Numbered as in the instruction's funct3 and in descriptors.
enum class Type : uint8_t {
  F16 = 0,
  BF16 = 1,
  F32 = 2,
  Mixed = 3,  // binary16 sources, fp32 addend and result
  I16 = 4,
  I32 = 5,
  I8 = 6,
  MixedB = 7  // bfloat16 sources
};

// Numbered as in the instruction's funct7.
enum class Op : uint8_t {
  Mov = 0,
  Add = 1,
  Sub = 2,
  Mul = 3,
  Fma = 4,
  Max = 5,
  Min = 6,
  Cvt = 7,
  And = 8,
  Or = 9,
  Xor = 10,
  Sll = 11,
  Srl = 12,
  Sra = 13,
  CmpEq = 20,
  CmpNe = 21,
  CmpLt = 22,
  CmpLe = 23,
  Dot = 24,
  Sum = 25,
  RMax = 26,
  RMin = 27,
  Gather = 28,
  Scatter = 29,
  Fmag = 30,
  Rcp = 32,
  Rsqrt = 33,
  Exp = 34,
  Log = 35,
  Tanh = 36,
  Sigmoid = 37
};

const char* type_name(Type type);
const char* op_name(Op op);
int type_bytes(Type type);    // of an element; not for Mixed and MixedB
Type source_type(Type type);  // F16 for Mixed, BF16 for MixedB, else the type itself
Type result_type(Type type);  // F32 for Mixed and MixedB, else the type itself

// dst = op(a, b, c); c is the addend of Fma. Not for casts, reductions and the indexed operations.
uint32_t apply(Op op, Type type, uint32_t a, uint32_t b = 0, uint32_t c = 0);

// The cast. Float to integer: nearest even, saturating, NaN to 0; integer to integer: saturating.
uint32_t convert(Type from, Type to, uint32_t a);

// fp32 to a 16-bit float with stochastic rounding; `random` is the generator's 16 bits.
uint32_t convert_stochastic(Type to, uint32_t a, uint16_t random);

// Dot, Sum, RMax and RMin over n elements: 8 partial results by element index modulo 8, the fixed
// tree, one rounding to the result's type. b is for Dot only.
uint32_t reduce(Op op, Type type, Type result, const uint32_t* a, const uint32_t* b, size_t n);

// xoshiro128+ as the tile has it.
class Xoshiro128Plus {
 public:
  Xoshiro128Plus(uint32_t s0, uint32_t s1, uint32_t s2, uint32_t s3) : s_{s0, s1, s2, s3} {}
  uint32_t next();

 private:
  uint32_t s_[4];
};

}  // namespace ow::golden
