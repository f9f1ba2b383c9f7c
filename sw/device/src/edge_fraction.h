// SPDX-License-Identifier: Apache-2.0
// Times of the host's links, in fractions of a cycle.
#ifndef OW_DEVICE_SRC_EDGE_FRACTION_H_
#define OW_DEVICE_SRC_EDGE_FRACTION_H_

#include <cstdint>

namespace ow {

constexpr int kFraction = 16;  // bits of a cycle's fraction

// The first whole cycle that is not before `time`.
constexpr uint64_t whole_cycles(uint64_t time) {
  return (time + (uint64_t{1} << kFraction) - 1) >> kFraction;
}

}  // namespace ow

#endif  // OW_DEVICE_SRC_EDGE_FRACTION_H_
