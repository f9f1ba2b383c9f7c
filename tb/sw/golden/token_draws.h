// SPDX-License-Identifier: Apache-2.0
// What tests of trainings on tokens draw.
#ifndef OW_TB_SW_GOLDEN_TOKEN_DRAWS_H_
#define OW_TB_SW_GOLDEN_TOKEN_DRAWS_H_

#include <algorithm>

#include "ow/base/rng.h"
#include "ow/golden/train.h"

namespace ow::golden {

// Sequences of random lengths up to `longest`, packed into the slots of a micro-batch. The target
// of a token is the next one of its sequence; that of the last, and of an empty slot, is ignored.
struct TokenBatch {
  TokenBatch(const TrainingJob& job, int vocabulary, int longest, Rng* rng) {
    const auto slots = static_cast<int>(job.micro_batch());
    int start = 0;
    while (start < slots) {
      const int most = std::min(longest, slots - start);
      const int length = 1 + static_cast<int>(rng->below(static_cast<uint64_t>(most)));
      const int end = start + (length + kSlotGroup - 1) / kSlotGroup * kSlotGroup;
      for (int s = start; s < end; ++s) {
        const bool there = s < start + length;
        const auto any = static_cast<int>(rng->below(static_cast<uint64_t>(vocabulary)));
        tokens.ids.push_back(there ? any : kNoToken);
        targets.classes.push_back(kNoToken);
        if (there && s > start) targets.classes[static_cast<size_t>(s) - 1] = any;
        if (s % kSlotGroup == 0) tokens.starts.push_back(start);
      }
      start = end;
    }
  }
  Tokens tokens;
  Targets targets;
};

}  // namespace ow::golden

#endif  // OW_TB_SW_GOLDEN_TOKEN_DRAWS_H_
