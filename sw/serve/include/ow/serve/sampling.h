// SPDX-License-Identifier: Apache-2.0
// How the host chooses a token from logits (N119).
#ifndef OW_SERVE_SAMPLING_H_
#define OW_SERVE_SAMPLING_H_

#include <cstdint>
#include <vector>

namespace ow::serve {

struct Sampling {
  double temperature = 0;  // 0: the greedy token, whatever the rest says
  int top_k = 0;           // only so many of the most probable tokens; 0: all
  double top_p = 1;        // only the most probable ones whose probabilities reach this
  uint64_t seed = 0;
  uint64_t answer = 0;  // number of the answer among those of one prompt and seed
};

// BadInput for numbers outside 0 <= temperature <= 100, top_k >= 0, 0 < top_p <= 1.
void check_sampling(const Sampling& sampling);

// The token for `position`, from logits as fp32 encodings. Depends on nothing else.
int choose_token(const std::vector<uint32_t>& logits, const Sampling& sampling, int position);

}  // namespace ow::serve

#endif  // OW_SERVE_SAMPLING_H_
