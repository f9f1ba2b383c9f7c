// SPDX-License-Identifier: Apache-2.0
// Random numbers of the engine's tests.
//
// OW_SEED=<n> in the environment repeats a random test with another seed; OW_ROUNDS=<n> its length,
// which is a quarter every day and all of it at night (draws.h).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

#include "draws.h"

namespace ow_engine {

inline uint32_t seed() {
  const char* s = std::getenv("OW_SEED");
  return s != nullptr ? static_cast<uint32_t>(std::strtoul(s, nullptr, 0)) : 1;
}
inline int rounds(int n) {
  const char* s = std::getenv("OW_ROUNDS");
  return s != nullptr ? std::atoi(s) : ow::draws(n);
}

// Mostly ordinary numbers, some special ones.
inline uint16_t random_f16(std::mt19937* rng) {
  switch ((*rng)() % 16) {
    case 0:
      return (*rng)();
    case 1:
      return (*rng)() & 0x83FF;  // subnormal or zero
    case 2:
      return 0x8000 * ((*rng)() & 1);
    default:
      return ((*rng)() & 0x83FF) | ((*rng)() % 12 + 9) << 10;
  }
}
inline uint32_t random_f32(std::mt19937* rng) {
  if ((*rng)() % 8 == 0) return (*rng)();
  return ((*rng)() & 0x807FFFFF) | ((*rng)() % 24 + 115) << 23;
}

}  // namespace ow_engine
