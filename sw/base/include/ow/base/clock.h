// SPDX-License-Identifier: Apache-2.0
// Time of the host.
#ifndef OW_BASE_CLOCK_H_
#define OW_BASE_CLOCK_H_

#include <chrono>

namespace ow {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace ow

#endif  // OW_BASE_CLOCK_H_
