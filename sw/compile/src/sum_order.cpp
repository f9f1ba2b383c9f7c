// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/sum_order.h"

#include <algorithm>

namespace ow::jobs {
namespace {

constexpr uint64_t kLeastBeats = 2;    // TileCosts::least_beats
constexpr uint64_t kRoundStart = 200;  // a round's descriptors and its first word

uint64_t over(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

uint64_t beats_of(const SumPass& pass) {
  return pass.weights * std::max(kLeastBeats, static_cast<uint64_t>(pass.samples) /
                                                  static_cast<uint64_t>(pass.lanes));
}

}  // namespace

uint64_t column_cycles(const SumPass& pass) {
  const auto rows = static_cast<uint64_t>(pass.rows), outputs = static_cast<uint64_t>(pass.outputs);
  const uint64_t received = static_cast<uint64_t>(pass.samples) + 1;
  return std::max(over(beats_of(pass), rows), over(pass.weights, rows) + received * outputs);
}

uint64_t whole_cycles(const SumPass& pass) {
  const auto rows = static_cast<uint64_t>(pass.rows), outputs = static_cast<uint64_t>(pass.outputs);
  const auto samples = static_cast<uint64_t>(pass.samples);
  const uint64_t own = over(outputs, rows);
  const uint64_t words = over(static_cast<uint64_t>(pass.inputs), rows) * samples / 2;
  const uint64_t gather = pass.gathered ? 0 : (rows - 1) * (words + words / 4 + kRoundStart);
  return std::max(over(beats_of(pass) * own, outputs), samples * own) + gather;
}

}  // namespace ow::jobs
