// SPDX-License-Identifier: Apache-2.0
#include "ow/fp.h"

#include "ow/error.h"
#include "ow/golden/formats.h"

namespace ow::fp {
namespace {

uint16_t h(uint32_t x) { return static_cast<uint16_t>(x); }

}  // namespace

const std::vector<Op>& all_ops() {
  using O = const Operands&;
  static const std::vector<Op> ops = {
      {"f16_add", 2, DpOp::kAdd, DpFmt::kF16, DpFmt::kF16,
       [](O v) -> uint32_t { return golden::f16_add(h(v.a), h(v.b)); }},
      {"f16_sub", 2, DpOp::kSub, DpFmt::kF16, DpFmt::kF16,
       [](O v) -> uint32_t { return golden::f16_sub(h(v.a), h(v.b)); }},
      {"f16_mul", 2, DpOp::kMul, DpFmt::kF16, DpFmt::kF16,
       [](O v) -> uint32_t { return golden::f16_mul(h(v.a), h(v.b)); }},
      {"f16_mulAdd", 3, DpOp::kFma, DpFmt::kF16, DpFmt::kF16,
       [](O v) -> uint32_t { return golden::f16_fma(h(v.a), h(v.b), h(v.c)); }},
      {"f16_max", 2, DpOp::kMax, DpFmt::kF16, DpFmt::kF16,
       [](O v) -> uint32_t { return golden::f16_max(h(v.a), h(v.b)); }},
      {"f16_min", 2, DpOp::kMin, DpFmt::kF16, DpFmt::kF16,
       [](O v) -> uint32_t { return golden::f16_min(h(v.a), h(v.b)); }},
      {"f32_add", 2, DpOp::kAdd, DpFmt::kF32, DpFmt::kF32,
       [](O v) -> uint32_t { return golden::f32_add(v.a, v.b); }},
      {"f32_sub", 2, DpOp::kSub, DpFmt::kF32, DpFmt::kF32,
       [](O v) -> uint32_t { return golden::f32_sub(v.a, v.b); }},
      {"f32_max", 2, DpOp::kMax, DpFmt::kF32, DpFmt::kF32,
       [](O v) -> uint32_t { return golden::f32_max(v.a, v.b); }},
      {"f32_min", 2, DpOp::kMin, DpFmt::kF32, DpFmt::kF32,
       [](O v) -> uint32_t { return golden::f32_min(v.a, v.b); }},
      {"f16_to_f32", 1, DpOp::kCvt, DpFmt::kF16, DpFmt::kF32,
       [](O v) -> uint32_t { return golden::f16_to_f32(h(v.a)); }},
      {"f32_to_f16", 1, DpOp::kCvt, DpFmt::kF32, DpFmt::kF16,
       [](O v) -> uint32_t { return golden::f32_to_f16(v.a); }},
      {"f16_f32_mulAdd", 3, DpOp::kFma, DpFmt::kF16, DpFmt::kF32,
       [](O v) -> uint32_t { return golden::mixed_fma(h(v.a), h(v.b), v.c); }},
  };
  return ops;
}

const Op& find_op(const std::string& name) {
  std::string names;
  for (const Op& op : all_ops()) {
    if (name == op.name) return op;
    names += std::string(names.empty() ? "" : ", ") + op.name;
  }
  throw BadInput("no operation '" + name + "': one of " + names);
}

bool is_nan(uint32_t x, int bits) {
  return bits == 32 ? golden::is_nan32(x) : golden::is_nan16(h(x));
}

std::vector<uint32_t> corners(int bits) {
  std::vector<uint32_t> magnitudes;
  if (bits == 32) {
    magnitudes = {0x00000000, 0x00000001, 0x00000003, 0x003FFFFF, 0x00400000, 0x007FFFFF,
                  0x00800000, 0x00800001, 0x33000000, 0x33000001, 0x337FFFFF, 0x33800000,
                  0x387FC000, 0x387FE000, 0x38800000, 0x3F7FFFFF, 0x3F800000, 0x3F800001,
                  0x3F801000, 0x3F803000, 0x477FE000, 0x477FEFFF, 0x477FF000, 0x47800000,
                  0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF};
  } else {
    magnitudes = {0x0000, 0x0001, 0x0002, 0x0003, 0x01FF, 0x0200, 0x03FE, 0x03FF, 0x0400, 0x0401,
                  0x07FF, 0x1000, 0x13FF, 0x1400, 0x3800, 0x3BFF, 0x3C00, 0x3C01, 0x3FFF, 0x4000,
                  0x5BFF, 0x5C00, 0x77FF, 0x7800, 0x7BFE, 0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x7FFF};
  }
  std::vector<uint32_t> all;
  for (uint32_t m : magnitudes) {
    all.push_back(m);
    all.push_back(m | 1u << (bits - 1));
  }
  return all;
}

uint32_t Generator::number(int bits) {
  const uint64_t r = rng_();
  const uint32_t mask = bits == 32 ? 0xFFFFFFFFu : 0xFFFFu;
  const int fraction_bits = bits == 32 ? 23 : 10;
  uint32_t x = static_cast<uint32_t>(r) & mask;
  switch ((r >> 32) % 8) {
    case 0: {
      const std::vector<uint32_t> all = corners(bits);
      return all[(r >> 40) % all.size()];
    }
    case 1:  // few bits set in the fraction
      x &= ~((1u << fraction_bits) - 1);
      x |= (1u << fraction_bits) - (1u << ((r >> 40) % (fraction_bits + 1)));
      return x;
    case 2:  // exponents near that of 1
      if (bits == 32) return (x & 0x807FFFFF) | (0x70 + ((r >> 40) & 0x1F)) << 23;
      return (x & 0x83FF) | (0x0B + ((r >> 40) & 7)) << 10;
    case 3:  // binary32 in the range of binary16, subnormals
      if (bits == 32) return (x & 0x807FFFFF) | (100 + (r >> 40) % 46) << 23;
      return x & 0x83FF;
    default:
      return x;
  }
}

Operands Generator::next() {
  Operands v;
  v.a = number(op_.bits(0));
  if (op_.operands > 1) v.b = number(op_.bits(0));
  if (op_.operands > 2) v.c = number(op_.bits(2));
  const uint64_t r = rng_();
  if (op_.operands == 2 && (r & 3) == 0) {
    // b near a: same exponent or close to it, either sign.
    const int shift = static_cast<int>((r >> 8) % (op_.bits(0) - 1));
    const uint32_t noise = static_cast<uint32_t>(r >> 32) & ((1u << shift) - 1);
    v.b = v.a ^ noise ^ (static_cast<uint32_t>((r >> 20) & 1) << (op_.bits(0) - 1));
  } else if (op_.operands == 3 && (r & 3) == 0) {
    // c near -(a * b).
    const uint16_t a = h(v.a);
    const uint16_t b = h(v.b);
    uint32_t p = op_.bits(2) == 32 ? golden::mixed_fma(a, b, 0) : golden::f16_mul(a, b);
    const int shift = static_cast<int>((r >> 8) % (op_.bits(2) - 3));
    p ^= static_cast<uint32_t>(r >> 32) & ((1u << shift) - 1);
    p ^= static_cast<uint32_t>((r >> 20) & 3) == 0 ? 0 : 1u << (op_.bits(2) - 1);
    v.c = p;
  }
  return v;
}

}  // namespace ow::fp
