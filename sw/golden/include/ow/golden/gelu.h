// SPDX-License-Identifier: Apache-2.0
// gelu(x) = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), which is x sigmoid(u) with
// u = x (c1 + c3 x^2), c1 = 2 sqrt(2 / pi), c3 = 0.044715 c1 (Hendrycks and Gimpel, Gaussian Error
// Linear Units, 2016). Steps and their roundings: N113.
#ifndef OW_GOLDEN_GELU_H_
#define OW_GOLDEN_GELU_H_

#include <cstdint>

#include "ow/golden/halves.h"

namespace ow::golden {

uint16_t gelu(const Halves& h, uint16_t x);
// The delta of x by that of gelu(x).
uint16_t gelu_delta(const Halves& h, uint16_t x, uint16_t delta);

}  // namespace ow::golden

#endif  // OW_GOLDEN_GELU_H_
