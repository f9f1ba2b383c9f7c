// SPDX-License-Identifier: Apache-2.0
// The seeds of random tests. Without OW_SEED in the environment a test draws the same each time;
// OW_SEED=N makes it draw from N. Put "OW_SEED=" and the seed into what a failure prints.
#ifndef OW_TB_HARNESS_SEED_H_
#define OW_TB_HARNESS_SEED_H_

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace ow {

// The seed of a test that draws once.
inline uint64_t test_seed(uint64_t usual) {
  const char* text = std::getenv("OW_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : usual;
}

// Those of a test that draws several times: `usual`, or OW_SEED alone.
inline std::vector<uint64_t> test_seeds(std::vector<uint64_t> usual) {
  return std::getenv("OW_SEED") != nullptr ? std::vector<uint64_t>{test_seed(0)} : usual;
}

// The same for `count` seeds from `first` on.
inline std::vector<uint64_t> test_seeds(uint64_t first, int count) {
  std::vector<uint64_t> usual(static_cast<size_t>(count));
  std::iota(usual.begin(), usual.end(), first);
  return test_seeds(std::move(usual));
}

}  // namespace ow

#endif  // OW_TB_HARNESS_SEED_H_
