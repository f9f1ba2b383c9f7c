// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: xoshiro256** 1.0 (Blackman and Vigna, 2018),
// with a state that SplitMix64 makes from the seed. The standard library's distributions differ
// between implementations, so they are not used.
#ifndef OW_BASE_RNG_H_
#define OW_BASE_RNG_H_

#include <cstdint>

namespace ow {

constexpr uint64_t kSplitMixStep = 0x9E3779B97F4A7C15ull;

// SplitMix64's output for the state x: a random number that depends on x only.
constexpr uint64_t mix64(uint64_t x) {
  x += kSplitMixStep;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

class Rng {
 public:
  explicit Rng(uint64_t seed) {
    for (uint64_t& word : state_) {
      word = mix64(seed);
      seed += kSplitMixStep;
    }
  }

  uint64_t next() {
    const uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1): a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // Uniform in 0 .. n - 1, n > 0. The bias of the multiplication is below n / 2^64.
  uint64_t below(uint64_t n) {
    const Wide product = static_cast<Wide>(next()) * n;
    return static_cast<uint64_t>(product >> 64);
  }

 private:
  __extension__ typedef unsigned __int128 Wide;
  static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  uint64_t state_[4];
};

}  // namespace ow

#endif  // OW_BASE_RNG_H_
