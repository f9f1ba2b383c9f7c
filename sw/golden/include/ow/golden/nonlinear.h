// SPDX-License-Identifier: Apache-2.0
// The non-linear functions of binary16 and bfloat16, correctly rounded (nearest even), from the
// mathematics: docs/numerics.md has the table of special values.
//
// A function is evaluated in the host's long double, whose result is taken as an interval of a
// relative width that covers the library's error many times over. If both ends of it round to the
// same number, that number is the correctly rounded one; if not, the rounding is not decided and
// ow::InternalError says for which input. No input of the two formats comes closer to a midpoint
// between two results than 2^-38 of its size, so a long double that is a mere double decides too.
//
// Pure functions, safe to call from any thread; some hundred nanoseconds a call.
#pragma once

#include <cstdint>

namespace ow::golden {

// In the order of the tensor operations.
enum class Nlf { kReciprocal, kReciprocalSqrt, kExp, kLog, kTanh, kSigmoid };
inline constexpr int kNlfCount = 6;

// fn(x), encodings in and out.
uint16_t nlf_f16(Nlf fn, uint16_t x);
uint16_t nlf_bf16(Nlf fn, uint16_t x);

// The value of a bfloat16 or binary16 number; NaN becomes a NaN.
long double nlf_value(bool bf16, uint16_t x);

// Distance of the exact fn(x) to the nearest midpoint between two results, relative to fn(x): how
// hard x is to round. 1 for special values.
long double nlf_margin(Nlf fn, bool bf16, uint16_t x);

// The fp32 forms: the sequences of tensor instructions of docs/numerics.md, step by step, each step
// with the rounding of its instruction. Encodings in and out.
//
// Normal numbers: |v| below 2^126 for f32_rcp, v from 2^-125 to 2^126 for f32_rsqrt.
uint32_t f32_rcp(uint32_t v);
uint32_t f32_rsqrt(uint32_t v);
// Any x that is not a NaN; clamped to [-87, 88].
uint32_t f32_exp(uint32_t x);
// The short way through binary16, for x from -17 to 11: a relative error of 2^-11 where the
// result is at least 2^-14, an absolute one of 2^-25 below.
uint32_t f32_exp_by_f16(uint32_t x);

}  // namespace ow::golden
