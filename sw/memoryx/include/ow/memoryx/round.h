// SPDX-License-Identifier: Apache-2.0
// Rounds many weights at once, with the bits of ow::to_half, in loops that the compiler vectorises.
#ifndef OW_MEMORYX_ROUND_H_
#define OW_MEMORYX_ROUND_H_

#include <cstddef>
#include <cstdint>

#include "ow/tensor/half.h"

namespace ow::memoryx {

// out[i] is in[i], rounded once to nearest even. NaN becomes the canonical NaN.
void round_half(HalfType type, const float* in, size_t n, uint16_t* out);

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_ROUND_H_
