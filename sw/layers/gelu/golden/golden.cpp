// SPDX-License-Identifier: Apache-2.0
// gelu(x) = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), which is x sigmoid(u) with
// u = x (c1 + c3 x^2), c1 = 2 sqrt(2 / pi), c3 = 0.044715 c1 (Hendrycks and Gimpel, Gaussian Error
// Linear Units, 2016). Steps and their roundings: N113.
#include "ow/golden/halves.h"
#include "ow/golden/kind.h"

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

uint16_t element(HalfType type, uint16_t x) {
  const Halves h{type};
  return h.mul(x, gate(h, x, square(h, x)));
}

// delta (g + y (1 - g) du/dx), with du/dx = c1 + 3 c3 x^2.
uint16_t element_delta(const Halves& h, uint16_t x, uint16_t delta) {
  const uint16_t s = square(h, x), g = gate(h, x, s), y = h.mul(x, g);
  const uint16_t slope = h.fma(s, h.round(3 * kC3), h.round(kC1));
  const uint16_t rest = h.fma(y, Halves::negative(g), y);
  return h.mul(delta, h.fma(rest, slope, g));
}

Activations forward(const LayerPass& pass) {
  Activations y = *pass.inputs[0];
  for (uint16_t& v : y.values) v = element(pass.numerics.type, v);
  return y;
}

Backward backward(const LayerPass& pass, const Activations& delta) {
  const Halves h{pass.numerics.type};
  Backward back;
  back.deltas.push_back(delta);
  for (size_t i = 0; i < delta.values.size(); ++i) {
    back.deltas[0].values[i] = element_delta(h, pass.inputs[0]->values[i], delta.values[i]);
  }
  return back;
}

}  // namespace

const LayerKind& gelu_layer_kinds() {
  static const LayerKind kind{"gelu", forward, backward};
  return kind;
}

}  // namespace ow::golden
