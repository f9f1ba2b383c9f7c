// SPDX-License-Identifier: Apache-2.0
// How logits become a token (N119). Logits are fp32 encodings, [vocabulary].
#ifndef OW_GOLDEN_SAMPLING_H_
#define OW_GOLDEN_SAMPLING_H_

#include <cstdint>
#include <vector>

namespace ow::golden {

// The token of the greatest logit, the lowest one of equals. A NaN is no candidate.
int greedy_token(const std::vector<uint32_t>& logits);

struct Sampling {
  double temperature = 1;  // above 0
  int top_k = 0;           // only so many of the most probable tokens; 0: all
  double top_p = 1;        // only the most probable ones whose probabilities reach this; above 0
  uint64_t seed = 0;
  uint64_t answer = 0;  // number of the answer among those of one prompt and seed
};

// A random token. `position` is the one that it will stand at. With a NaN, or an infinity as the
// greatest logit, it is the greedy token.
int sampled_token(const std::vector<uint32_t>& logits, const Sampling& sampling, int position);

}  // namespace ow::golden

#endif  // OW_GOLDEN_SAMPLING_H_
