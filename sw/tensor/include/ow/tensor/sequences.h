// SPDX-License-Identifier: Apache-2.0
// Sequences of tokens as samples of equally many slots.
#ifndef OW_TENSOR_SEQUENCES_H_
#define OW_TENSOR_SEQUENCES_H_

#include <optional>
#include <vector>

namespace ow {

// Stands for a token where there is none: in an empty slot, and as the class of a sample whose
// target is ignored.
inline constexpr int kNoToken = -1;

// A sequence begins at a multiple of so many slots.
inline constexpr int kSlotGroup = 8;

// All samples, one after the other: a number per slot.
struct Sequences {
  std::vector<int> ids;      // kNoToken: an empty slot
  std::vector<int> targets;  // the next token of the document, or kNoToken
  std::vector<int> starts;   // the slot of its sample at which the slot's sequence begins
};

// Samples of `length` slots, a multiple of kSlotGroup. Without `end` the tokens are cut into
// sequences of `length`, one a sample; what is left over is dropped. With `end` this token is the
// last of each document. A document of more than `length` + 1 tokens is cut into sequences, which
// no token looks back over. Then the longest sequences come first, and each goes into the first
// sample that has room for it. So they cost no slots but those up to the next multiple of
// kSlotGroup.
Sequences pack_sequences(const std::vector<int>& ids, std::optional<int> end, int length);

}  // namespace ow

#endif  // OW_TENSOR_SEQUENCES_H_
