// SPDX-License-Identifier: Apache-2.0
// Random operands of the engine.
#pragma once

#include <cstdint>
#include <random>

namespace ow_engine {

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
