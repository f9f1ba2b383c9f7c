// SPDX-License-Identifier: Apache-2.0
// Random numbers of the engine's tests.
//
// OW_SEED=<n> in the environment repeats a random test with another seed; OW_ROUNDS=<n> its length,
// which is a quarter every day and all of it at night (draws.h).
#pragma once

#include <cstdint>
#include <cstdlib>

#include "draws.h"
#include "random_values.h"

namespace ow_engine {

inline uint32_t seed() {
  const char* s = std::getenv("OW_SEED");
  return s != nullptr ? static_cast<uint32_t>(std::strtoul(s, nullptr, 0)) : 1;
}
inline int rounds(int n) {
  const char* s = std::getenv("OW_ROUNDS");
  return s != nullptr ? std::atoi(s) : ow::draws(n);
}

}  // namespace ow_engine
