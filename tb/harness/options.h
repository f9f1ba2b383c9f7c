// SPDX-License-Identifier: Apache-2.0
// Options of random tests: variables of the environment, so that they also reach tests under CTest.
#ifndef OW_TB_OPTIONS_H_
#define OW_TB_OPTIONS_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace ow {

// OW_SEED=7, OW_SETS=20, ...: the number in the variable, or `usual`. Prints it, so that a run can
// be repeated.
inline uint64_t test_option(const char* name, uint64_t usual) {
  const char* text = std::getenv(name);
  const uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 0) : usual;
  std::printf("%s=%llu\n", name, static_cast<unsigned long long>(value));
  return value;
}

}  // namespace ow

#endif  // OW_TB_OPTIONS_H_
