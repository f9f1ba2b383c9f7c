// SPDX-License-Identifier: Apache-2.0
#ifndef OW_API_SRC_PROBABILITIES_H_
#define OW_API_SRC_PROBABILITIES_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace ow::api {

struct Probabilities {
  double chosen = 0;
  std::vector<std::pair<int, double>> top;  // the greatest first, lower tokens first among equals
};

// Natural logarithms of the softmax of fp32 encodings. -9999, as others write minus infinity, for
// what is no number.
Probabilities log_probabilities(const std::vector<uint32_t>& logits, int token, int top);

}  // namespace ow::api

#endif  // OW_API_SRC_PROBABILITIES_H_
