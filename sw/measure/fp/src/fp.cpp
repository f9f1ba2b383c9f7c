// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/fp.h"

#include "ow/base/error.h"
#include "ow/golden/formats.h"

namespace ow::fp {
namespace {

uint16_t h(uint32_t x) { return static_cast<uint16_t>(x); }

bool is_float(DpFmt f) { return f == DpFmt::kF16 || f == DpFmt::kBf16 || f == DpFmt::kF32; }

uint32_t mask_of(DpFmt f) { return bits_of(f) == 32 ? ~0u : (1u << bits_of(f)) - 1; }

int32_t signed_of(uint32_t x, DpFmt f) {
  const int shift = 32 - bits_of(f);
  return static_cast<int32_t>(x << shift) >> shift;
}

const char* name_of(DpFmt f) {
  switch (f) {
    case DpFmt::kF16:
      return "f16";
    case DpFmt::kBf16:
      return "bf16";
    case DpFmt::kF32:
      return "f32";
    case DpFmt::kI16:
      return "i16";
    case DpFmt::kI32:
      return "i32";
    default:
      return "i8";
  }
}

// Binary32 of a number, exact.
uint32_t to_f32(uint32_t x, DpFmt f) {
  if (f == DpFmt::kF16) return golden::f16_to_f32(h(x));
  if (f == DpFmt::kBf16) return golden::bf16_to_f32(h(x));
  return golden::is_nan32(x) ? golden::kNan32 : x;
}

uint32_t convert(uint32_t x, DpFmt src, DpFmt dst) {
  if (is_float(src)) {
    const uint32_t v = to_f32(x, src);
    if (dst == DpFmt::kF16) return golden::f32_to_f16(v);
    if (dst == DpFmt::kBf16) return golden::f32_to_bf16(v);
    if (dst == DpFmt::kF32) return v;
    return static_cast<uint32_t>(golden::f32_to_int(v, bits_of(dst))) & mask_of(dst);
  }
  const int32_t v = signed_of(x, src);
  if (dst == DpFmt::kF16) return golden::int_to_f16(v);
  if (dst == DpFmt::kBf16) return golden::int_to_bf16(v);
  if (dst == DpFmt::kF32) return golden::int_to_f32(v);
  return static_cast<uint32_t>(golden::saturate_int(v, bits_of(dst))) & mask_of(dst);
}

uint32_t f16_op(DpOp op, uint16_t a, uint16_t b, uint16_t c) {
  switch (op) {
    case DpOp::kAdd:
      return golden::f16_add(a, b);
    case DpOp::kSub:
      return golden::f16_sub(a, b);
    case DpOp::kMul:
      return golden::f16_mul(a, b);
    case DpOp::kFma:
      return golden::f16_fma(a, b, c);
    case DpOp::kMax:
      return golden::f16_max(a, b);
    default:
      return golden::f16_min(a, b);
  }
}

uint32_t bf16_op(DpOp op, uint16_t a, uint16_t b, uint16_t c) {
  switch (op) {
    case DpOp::kAdd:
      return golden::bf16_add(a, b);
    case DpOp::kSub:
      return golden::bf16_sub(a, b);
    case DpOp::kMul:
      return golden::bf16_mul(a, b);
    case DpOp::kFma:
      return golden::bf16_fma(a, b, c);
    case DpOp::kMax:
      return golden::bf16_max(a, b);
    default:
      return golden::bf16_min(a, b);
  }
}

uint32_t f32_op(DpOp op, uint32_t a, uint32_t b, uint32_t c) {
  switch (op) {
    case DpOp::kAdd:
      return golden::f32_add(a, b);
    case DpOp::kSub:
      return golden::f32_sub(a, b);
    case DpOp::kMul:
      return golden::f32_mul(a, b);
    case DpOp::kFma:
      return golden::f32_fma(a, b, c);
    case DpOp::kMax:
      return golden::f32_max(a, b);
    default:
      return golden::f32_min(a, b);
  }
}

uint32_t int_op(DpOp op, uint32_t a, uint32_t b, uint32_t c, DpFmt f) {
  const uint32_t shift = b & static_cast<uint32_t>(bits_of(f) - 1);
  const int32_t x = signed_of(a, f);
  const int32_t y = signed_of(b, f);
  switch (op) {
    case DpOp::kAdd:
      return a + b;
    case DpOp::kSub:
      return a - b;
    case DpOp::kMul:
      return a * b;
    case DpOp::kFma:
      return a * b + c;
    case DpOp::kMax:
      return x > y ? a : b;
    case DpOp::kMin:
      return x < y ? a : b;
    case DpOp::kAnd:
      return a & b;
    case DpOp::kOr:
      return a | b;
    case DpOp::kXor:
      return a ^ b;
    case DpOp::kSll:
      return a << shift;
    case DpOp::kSrl:
      return (a & mask_of(f)) >> shift;
    case DpOp::kGate:
      return y > 0 ? a : 0;
    default:
      return static_cast<uint32_t>(x >> shift);
  }
}

bool relation(DpOp op, uint32_t a, uint32_t b, DpFmt f) {
  double x, y;  // every format's values are exact in a double
  if (is_float(f)) {
    x = static_cast<double>(golden::bits_to_float(to_f32(a, f)));
    y = static_cast<double>(golden::bits_to_float(to_f32(b, f)));
  } else {
    x = signed_of(a, f);
    y = signed_of(b, f);
  }
  switch (op) {
    case DpOp::kCmpEq:
      return x == y;
    case DpOp::kCmpNe:
      return x != y;
    case DpOp::kCmpLt:
      return x < y;
    default:
      return x <= y;
  }
}

std::vector<Op> make_ops() {
  constexpr DpFmt kFloats[] = {DpFmt::kF16, DpFmt::kBf16, DpFmt::kF32};
  constexpr DpFmt kInts[] = {DpFmt::kI16, DpFmt::kI32};
  constexpr DpFmt kAll[] = {DpFmt::kF16, DpFmt::kBf16, DpFmt::kF32,
                            DpFmt::kI8,  DpFmt::kI16,  DpFmt::kI32};
  struct Named {
    const char* name;
    DpOp op;
    int operands;
  };
  constexpr Named kArithmetic[] = {{"add", DpOp::kAdd, 2},  {"sub", DpOp::kSub, 2},
                                   {"mul", DpOp::kMul, 2},  {"mulAdd", DpOp::kFma, 3},
                                   {"max", DpOp::kMax, 2},  {"min", DpOp::kMin, 2},
                                   {"eq", DpOp::kCmpEq, 2}, {"ne", DpOp::kCmpNe, 2},
                                   {"lt", DpOp::kCmpLt, 2}, {"le", DpOp::kCmpLe, 2}};
  constexpr Named kLogic[] = {{"and", DpOp::kAnd, 2},  {"or", DpOp::kOr, 2},
                              {"xor", DpOp::kXor, 2},  {"sll", DpOp::kSll, 2},
                              {"srl", DpOp::kSrl, 2},  {"sra", DpOp::kSra, 2},
                              {"gate", DpOp::kGate, 2}};
  std::vector<Op> ops;
  const auto add = [&ops](const Named& n, DpFmt f) {
    ops.push_back({std::string(name_of(f)) + "_" + n.name, n.operands, n.op, f, f});
  };
  for (DpFmt f : kFloats) {
    for (const Named& n : kArithmetic) add(n, f);
  }
  for (DpFmt f : kInts) {
    for (const Named& n : kArithmetic) add(n, f);
    for (const Named& n : kLogic) add(n, f);
  }
  ops.push_back({"f16_f32_mulAdd", 3, DpOp::kFma, DpFmt::kF16, DpFmt::kF32});
  ops.push_back({"bf16_f32_mulAdd", 3, DpOp::kFma, DpFmt::kBf16, DpFmt::kF32});
  for (DpFmt from : kAll) {
    for (DpFmt to : kAll) {
      if (from == to) continue;
      ops.push_back({std::string(name_of(from)) + "_to_" + name_of(to), 1, DpOp::kCvt, from, to});
    }
    ops.push_back({std::string("mov_") + name_of(from), 1, DpOp::kMov, from, from});
  }
  return ops;
}

}  // namespace

uint32_t golden_result(DpOp op, DpFmt src, DpFmt dst, const Operands& v) {
  if (op == DpOp::kMov) return v.a & mask_of(src);
  if (op == DpOp::kCvt) return convert(v.a, src, dst);
  if (op >= DpOp::kCmpEq && op <= DpOp::kCmpLe) return relation(op, v.a, v.b, src) ? one(src) : 0;
  if (!is_float(src)) return int_op(op, v.a, v.b, v.c, src) & mask_of(dst);
  if (src == DpFmt::kF32) return f32_op(op, v.a, v.b, v.c);
  if (dst == DpFmt::kF32) {
    return src == DpFmt::kF16 ? golden::mixed_fma(h(v.a), h(v.b), v.c)
                              : golden::mixedb_fma(h(v.a), h(v.b), v.c);
  }
  return src == DpFmt::kF16 ? f16_op(op, h(v.a), h(v.b), h(v.c))
                            : bf16_op(op, h(v.a), h(v.b), h(v.c));
}

const std::vector<Op>& all_ops() {
  static const std::vector<Op> ops = make_ops();
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

uint32_t one(DpFmt fmt) {
  switch (fmt) {
    case DpFmt::kF16:
      return 0x3C00;
    case DpFmt::kBf16:
      return 0x3F80;
    case DpFmt::kF32:
      return 0x3F800000;
    default:
      return 1;
  }
}

bool is_nan(uint32_t x, DpFmt fmt) {
  switch (fmt) {
    case DpFmt::kF16:
      return golden::is_nan16(h(x));
    case DpFmt::kBf16:
      return golden::is_nan_b16(h(x));
    case DpFmt::kF32:
      return golden::is_nan32(x);
    default:
      return false;
  }
}

const std::vector<uint32_t>& corners(DpFmt fmt) {
  const auto both = [](int bits, const std::vector<uint32_t>& magnitudes) {
    std::vector<uint32_t> all;
    for (uint32_t m : magnitudes) {
      all.push_back(m);
      all.push_back(m | 1u << (bits - 1));
    }
    return all;
  };
  static const std::vector<uint32_t> kF32 =
      both(32, {0x00000000, 0x00000001, 0x00000003, 0x003FFFFF, 0x00400000, 0x007FFFFF,
                0x00800000, 0x00800001, 0x33000000, 0x33000001, 0x337FFFFF, 0x33800000,
                0x387FC000, 0x387FE000, 0x38800000, 0x3F7FFFFF, 0x3F800000, 0x3F800001,
                0x3F801000, 0x3F803000, 0x3F008000, 0x4F000000, 0x42FF0000, 0x42FF8000,
                0x477FE000, 0x477FEFFF, 0x477FF000, 0x47800000, 0x4EFFFFFF, 0x7F000000,
                0x7F7F8000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF});
  static const std::vector<uint32_t> kF16 =
      both(16, {0x0000, 0x0001, 0x0002, 0x0003, 0x01FF, 0x0200, 0x03FE, 0x03FF, 0x0400, 0x0401,
                0x07FF, 0x1000, 0x13FF, 0x1400, 0x3800, 0x3BFF, 0x3C00, 0x3C01, 0x3FFF, 0x4000,
                0x5BFF, 0x5C00, 0x77FF, 0x7800, 0x7BFE, 0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x7FFF});
  static const std::vector<uint32_t> kBf16 = both(
      16, {0x0000, 0x0001, 0x0002, 0x003F, 0x0040, 0x007F, 0x0080, 0x0081, 0x00FF, 0x0100, 0x1F80,
           0x2000, 0x3380, 0x3E80, 0x3F00, 0x3F7F, 0x3F80, 0x3F81, 0x3FFF, 0x4000, 0x42FE, 0x4300,
           0x4780, 0x4F00, 0x7F00, 0x7F7E, 0x7F7F, 0x7F80, 0x7F81, 0x7FC0, 0x7FFF});
  static const std::vector<uint32_t> kI32 =
      both(32, {0,          1,          2,          3,         15,        16,        31,
                127,        128,        255,        256,       2047,      2048,      2049,
                4095,       4098,       32767,      32768,     65504,     65519,     65520,
                65535,      65536,      0xFFFFFF,   0x1000000, 0x1000001, 0x1000003, 0x7FFFFF80,
                0x7FFFFFBF, 0x7FFFFFC0, 0x7FFFFFFE, 0x7FFFFFFF});
  static const std::vector<uint32_t> kI16 =
      both(16, {0, 1, 2, 3, 7, 15, 16, 17, 127, 128, 255, 256, 257, 511, 2047, 2049, 0x4000, 0x7FFE,
                0x7FFF});
  static const std::vector<uint32_t> kI8 = both(8, {0, 1, 2, 3, 15, 63, 64, 126, 127});
  switch (fmt) {
    case DpFmt::kF16:
      return kF16;
    case DpFmt::kBf16:
      return kBf16;
    case DpFmt::kF32:
      return kF32;
    case DpFmt::kI16:
      return kI16;
    case DpFmt::kI32:
      return kI32;
    default:
      return kI8;
  }
}

uint32_t Generator::number(DpFmt fmt) {
  const uint64_t r = rng_.next();
  auto x = static_cast<uint32_t>(r) & mask_of(fmt);
  const uint64_t s = r >> 40;
  if ((r >> 32) % 8 == 0) return corners(fmt)[s % corners(fmt).size()];
  if (!is_float(fmt)) {
    // Integers of every length.
    if ((r >> 32) % 4 != 1) return x;
    return static_cast<uint32_t>(signed_of(x, fmt) >> (s % static_cast<uint64_t>(bits_of(fmt)))) &
           mask_of(fmt);
  }
  const int fraction_bits = fmt == DpFmt::kF32 ? 23 : fmt == DpFmt::kF16 ? 10 : 7;
  const uint32_t bias = fmt == DpFmt::kF16 ? 15 : 127;
  const uint32_t keep = mask_of(fmt) & ~((2 * bias + 1) << fraction_bits);  // sign and fraction
  switch ((r >> 32) % 8) {
    case 1:  // few bits set in the fraction
      x &= ~((1u << fraction_bits) - 1);
      x |= (1u << fraction_bits) - (1u << (s % static_cast<uint64_t>(fraction_bits + 1)));
      return x;
    case 2:  // exponents near that of 1
      return (x & keep) | static_cast<uint32_t>(bias - 8 + s % 16) << fraction_bits;
    case 3:  // subnormals; binary32 in the range of binary16
      if (fmt != DpFmt::kF32) return x & keep;
      return (x & keep) | static_cast<uint32_t>(100 + s % 60) << fraction_bits;
    case 4:  // the ends of the range
      return (x & keep) | static_cast<uint32_t>(s % 2 != 0 ? s % 3 : 2 * bias - s % 3)
                              << fraction_bits;
    case 5:  // around the square root of the ends
      return (x & keep) | static_cast<uint32_t>((s % 2 != 0 ? bias / 2 : bias + bias / 2) + s % 8)
                              << fraction_bits;
    default:
      return x;
  }
}

Operands Generator::next() {
  Operands v;
  v.a = number(op_.src);
  if (op_.operands > 1) v.b = number(op_.src);
  if (op_.operands > 2) v.c = number(op_.dst);
  const uint64_t r = rng_.next();
  if (op_.operands == 2 && (r & 3) == 0) {
    // b near a: same exponent or close to it, either sign.
    const int shift = static_cast<int>((r >> 8) % static_cast<uint64_t>(op_.bits(0) - 1));
    const uint32_t noise = static_cast<uint32_t>(r >> 32) & ((1u << shift) - 1);
    v.b = v.a ^ noise ^ (static_cast<uint32_t>((r >> 20) & 1) << (op_.bits(0) - 1));
  } else if (op_.operands == 3 && (r & 3) == 0) {
    // c near -(a * b).
    uint32_t p = golden_result(DpOp::kFma, op_.src, op_.dst, {v.a, v.b, 0});
    const int shift = static_cast<int>((r >> 8) % static_cast<uint64_t>(op_.bits(2) - 3));
    p ^= static_cast<uint32_t>(r >> 32) & ((1u << shift) - 1);
    p ^= static_cast<uint32_t>((r >> 20) & 3) == 0 ? 0 : 1u << (op_.bits(2) - 1);
    v.c = p;
  }
  return v;
}

}  // namespace ow::fp
