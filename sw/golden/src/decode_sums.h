// SPDX-License-Identifier: Apache-2.0
// The sums of a decoding step (N116, N117), on many outputs at once: each output has its own order,
// so vectors change no bit.
#ifndef OW_GOLDEN_SRC_DECODE_SUMS_H_
#define OW_GOLDEN_SRC_DECODE_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/tensor/half.h"

namespace ow::golden {

constexpr size_t kSumBlock = 32;     // outputs of a matrix
constexpr size_t kCacheBlock = 16;   // positions of keys, features of values
constexpr size_t kScorePlaces = 96;  // of a row, whose e^score are one sum (N117)

// The inputs of a sum: parts, each summed by itself from +0 in the order of its inputs, then
// joined: A = the first part, A = part + A.
using SumOrder = std::vector<std::vector<size_t>>;

// Numbers 0 .. inputs - 1 dealt in turn to `parts` parts: i to part i mod parts.
SumOrder dealt(size_t inputs, size_t parts);
// The same in consecutive parts of one size.
SumOrder cut(size_t inputs, size_t parts);
SumOrder reversed(SumOrder order);

// The values of encodings.
std::vector<float> values_of(HalfType type, const std::vector<uint16_t>& x);
float value_of(HalfType type, uint16_t x);

// y = W x for a matrix that stays, by mixed fmas.
class ResidentMatrix {
 public:
  // `weights`: [outputs][inputs of `order`]; InternalError for another size.
  ResidentMatrix(HalfType type, const std::vector<uint16_t>& weights, size_t outputs,
                 const SumOrder& order);
  // fp32 encodings.
  std::vector<uint32_t> times(const std::vector<uint16_t>& x) const;
  // Rounded once to the type, after the sum with `bias` in fp32 unless that is empty.
  std::vector<uint16_t> rounded_times(const std::vector<uint16_t>& x,
                                      const std::vector<uint16_t>& bias) const;

 private:
  HalfType type_;
  size_t outputs_;
  std::vector<size_t> inputs_;  // in the order of the sums
  std::vector<size_t> ends_;    // of the parts, in inputs_
  std::vector<float> weights_;  // [output / kSumBlock][number in inputs_][output % kSumBlock]
};

// N6 over numbers that may be infinite or NaN, but never of a type that is not fp32.
float sum_by_n6(const std::vector<float>& x);
float squares_by_n6(bool fused, const std::vector<float>& x);

// scores[t] = sum over k of keys[k * kCacheBlock + t] * query[k], from +0; `features` k's.
void score_block(bool fused, const float* keys, const float* query, size_t features, float* scores);

// sums[k] = row[k] * factor + sums[k], for `blocks` blocks of kCacheBlock.
void add_row(bool fused, const float* row, float factor, size_t blocks, float* sums);

}  // namespace ow::golden

#endif  // OW_GOLDEN_SRC_DECODE_SUMS_H_
