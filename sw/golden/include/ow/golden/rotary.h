// SPDX-License-Identifier: Apache-2.0
// Rotary embedding of positions (Su et al., RoFormer, 2021), by N110.
#ifndef OW_GOLDEN_ROTARY_H_
#define OW_GOLDEN_ROTARY_H_

#include <cstdint>
#include <vector>

#include "ow/graph/language_model.h"

namespace ow::golden {

// The frequencies of the head_size / 2 pairs of features, in radians a position.
std::vector<double> rotary_frequencies(const LanguageShape& shape);

// The same in turns of 2^-32.
std::vector<uint32_t> rotary_turns(const LanguageShape& shape);

// The angles' cosines and sines, rounded to the model's type.
struct Rotation {
  std::vector<uint16_t> cos, sin;  // [head_size / 2]
};
Rotation rotation_at(HalfType type, const std::vector<uint32_t>& turns, int position);

// Turns a head of 2 * cos.size() features: feature m together with feature m + cos.size().
void rotate_head(HalfType type, const Rotation& rotation, uint16_t* head);

}  // namespace ow::golden

#endif  // OW_GOLDEN_ROTARY_H_
