// SPDX-License-Identifier: Apache-2.0
// How many draws a random test makes: every day a part, at night all of them.
#ifndef OW_TB_HARNESS_DRAWS_H_
#define OW_TB_HARNESS_DRAWS_H_

#include <algorithm>
#include <cstdlib>

namespace ow {

// All of them with OW_NIGHTLY in the environment, as nightly tests have it (cmake/OwTest.cmake);
// otherwise a quarter. The draws of every day are the first ones of the night.
inline int draws(int all) {
  return std::getenv("OW_NIGHTLY") != nullptr ? all : std::max(1, all / 4);
}

}  // namespace ow

#endif  // OW_TB_HARNESS_DRAWS_H_
