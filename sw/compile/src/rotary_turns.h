// SPDX-License-Identifier: Apache-2.0
// How far a pair of features turns from position to position (N110).
#ifndef OW_COMPILE_ROTARY_TURNS_H_
#define OW_COMPILE_ROTARY_TURNS_H_

#include <cstdint>
#include <vector>

#include "ow/graph/language_model.h"

namespace ow::jobs {

// Of each pair, in turns of 2^-32.
std::vector<uint32_t> rotary_turns(const LanguageShape& shape);

}  // namespace ow::jobs

#endif  // OW_COMPILE_ROTARY_TURNS_H_
