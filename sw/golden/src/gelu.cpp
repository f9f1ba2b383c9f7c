// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/gelu.h"

namespace ow::golden {
namespace {

constexpr double kC1 = 1.5957691216057308;
constexpr double kC3 = 0.044715 * kC1;

// x^2, not above 64: from |x| = 8 on sigmoid(u) is 1 or nearly 0, and u stays finite.
uint16_t square(const Halves& h, uint16_t x) { return h.min(h.mul(x, x), h.round(64)); }

uint16_t gate(const Halves& h, uint16_t x, uint16_t squared) {
  const uint16_t p = h.fma(squared, h.round(kC3), h.round(kC1));
  return h.sigmoid(h.mul(x, p));
}

}  // namespace

uint16_t gelu(const Halves& h, uint16_t x) { return h.mul(x, gate(h, x, square(h, x))); }

// delta (g + y (1 - g) du/dx), with du/dx = c1 + 3 c3 x^2.
uint16_t gelu_delta(const Halves& h, uint16_t x, uint16_t delta) {
  const uint16_t s = square(h, x), g = gate(h, x, s), y = h.mul(x, g);
  const uint16_t slope = h.fma(s, h.round(3 * kC3), h.round(kC1));
  const uint16_t rest = h.fma(y, Halves::negative(g), y);
  return h.mul(delta, h.fma(rest, slope, g));
}

}  // namespace ow::golden
