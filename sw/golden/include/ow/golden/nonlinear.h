// SPDX-License-Identifier: Apache-2.0
// The non-linear functions of binary16 and bfloat16, correctly rounded (nearest even), from the
// mathematics: docs/numerics.md has the table of special values.
//
// A function is evaluated in the host's long double. The result is taken as an interval that is
// many times wider than the library's error. If both ends of the interval round to the same number,
// that number is the correctly rounded one. If not, ow::InternalError names the input. No input of
// the two formats comes closer to a midpoint between two results than 2^-38 of its size. So a host
// whose long double is a double decides every input too.
//
// Pure functions, safe to call from any thread; some hundred nanoseconds per call.
#pragma once

#include <cstdint>

namespace ow::golden {

// In the order of the tensor operations.
enum class Nlf { kReciprocal, kReciprocalSqrt, kExp, kLog, kTanh, kSigmoid };
inline constexpr int kNlfCount = 6;

// fn(x), encodings in and out.
uint16_t nlf_f16(Nlf fn, uint16_t x);
uint16_t nlf_bf16(Nlf fn, uint16_t x);

// The value of a bfloat16 or binary16 number; a NaN stays a NaN.
long double nlf_value(bool bf16, uint16_t x);

// Distance of the exact fn(x) to the nearest midpoint between two results, relative to fn(x): how
// hard x is to round. 1 for special values.
long double nlf_margin(Nlf fn, bool bf16, uint16_t x);

// The fp32 forms: the sequences of tensor instructions of docs/numerics.md, step by step, each step
// with the rounding of its instruction. Encodings in and out.
//
// For normal numbers: |v| below 2^126 for f32_rcp, v from 2^-125 to 2^126 for f32_rsqrt. `steps` of
// Newton's method (N94, N95; one: N98).
uint32_t f32_rcp(uint32_t v, int steps = 2);
uint32_t f32_rsqrt(uint32_t v, int steps = 2);
// Any x that is not a NaN; clamped to [-87, 88].
uint32_t f32_exp(uint32_t x);
// The short form through binary16, for x from -17 to 11. The relative error is 2^-11 if the result
// is at least 2^-14; below that the absolute error is 2^-25.
uint32_t f32_exp_by_f16(uint32_t x);

}  // namespace ow::golden
