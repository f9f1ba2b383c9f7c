// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/norm.h"

#include "ow/golden/formats.h"
#include "ow/golden/gradients.h"
#include "ow/golden/halves.h"

namespace ow::golden {
namespace {

uint32_t bits(double x) { return float_to_bits(static_cast<float>(x)); }
uint32_t negative(uint32_t x) { return x ^ 0x80000000u; }

// The sum over the features of a sample: in each grid row ascending from +0, then row by row.
template <typename Add>
uint32_t column_sum(int features, int rows, const Add& add) {
  uint32_t sum = 0;
  for (int r = 0; r < rows; ++r) {
    uint32_t own = 0;
    for (int f = r; f < features; f += rows) own = add(f, own);
    sum = r == 0 ? own : f32_add(own, sum);
  }
  return sum;
}

// The statistics of the samples and the normalised values.
struct Normal {
  std::vector<uint32_t> mean, scale;  // of each sample
  Activations x;                      // (x - mean) * scale, rounded once more
};

Normal normalise(const LayerPass& pass, NormForm form) {
  const Numerics& n = pass.numerics;
  const Halves h{n.type};
  const Activations& x = *pass.inputs[0];
  const uint32_t one = h.round(1), share = bits(1.0 / x.features);
  const uint32_t epsilon = bits(pass.op.attributes.at("epsilon"));
  Normal normal;
  normal.x = x;
  for (int s = 0; s < x.samples; ++s) {
    const uint32_t squares = f32_mul(
        column_sum(x.features, n.rows,
                   [&](int f, uint32_t sum) { return h.mixed(x.at(f, s), x.at(f, s), sum); }),
        share);
    uint32_t mean = 0, variance = squares;
    if (form == NormForm::Centred) {
      mean = f32_mul(column_sum(x.features, n.rows,
                                [&](int f, uint32_t sum) {
                                  return h.mixed(x.at(f, s), static_cast<uint16_t>(one), sum);
                                }),
                     share);
      variance = f32_max(f32_fma(negative(mean), mean, squares), 0);
    }
    const uint32_t scale = f32_rsqrt(f32_add(variance, epsilon), 1);
    for (int f = 0; f < x.features; ++f) {
      const uint32_t off = form == NormForm::Centred ? f32_sub(widen(n.type, x.at(f, s)), mean)
                                                     : widen(n.type, x.at(f, s));
      normal.x.at(f, s) = narrow(n.type, f32_mul(off, scale));
    }
    normal.mean.push_back(mean);
    normal.scale.push_back(scale);
  }
  return normal;
}

// The parameters, rounded to the network's type.
uint16_t rounded(const LayerPass& pass, size_t parameter, int feature) {
  const float value = pass.parameters[parameter]->value[static_cast<size_t>(feature)];
  return narrow(pass.numerics.type, float_to_bits(value));
}

}  // namespace

Activations norm_forward(const LayerPass& pass, NormForm form) {
  const Halves h{pass.numerics.type};
  Activations y = normalise(pass, form).x;
  for (int f = 0; f < y.features; ++f) {
    const uint16_t gain = rounded(pass, 0, f);
    for (int s = 0; s < y.samples; ++s) {
      y.at(f, s) = form == NormForm::Centred ? h.fma(y.at(f, s), gain, rounded(pass, 1, f))
                                             : h.mul(y.at(f, s), gain);
    }
  }
  return y;
}

Backward norm_backward(const LayerPass& pass, const Activations& delta, NormForm form) {
  const Numerics& n = pass.numerics;
  const Halves h{n.type};
  const bool centred = form == NormForm::Centred;
  const Normal normal = normalise(pass, form);
  const Activations& x = normal.x;
  Backward back;
  back.gradients.resize(pass.parameters.size());
  const SampleRow row(n);
  const std::vector<float> deltas = values_of(n.type, delta), values = values_of(n.type, x);
  for (size_t f = 0; f < static_cast<size_t>(x.features); ++f) {
    float gain = 0;
    gradients_of_row(n.type, &deltas[f * row.width()], &values[f * row.width()], 1, row, nullptr,
                     &gain);
    back.gradients[0].push_back(gain);
    if (centred) back.gradients[1].push_back(sum_of_row(&deltas[f * row.width()], row));
  }
  back.deltas.resize(1);
  if (!pass.wanted[0]) return back;
  Activations t = delta;  // of the normalised values
  for (int f = 0; f < t.features; ++f) {
    const uint16_t gain = rounded(pass, 0, f);
    for (int s = 0; s < t.samples; ++s) t.at(f, s) = h.mul(t.at(f, s), gain);
  }
  const uint32_t share = bits(1.0 / x.features);
  back.deltas[0] = t;
  for (int s = 0; s < t.samples; ++s) {
    const uint32_t along = f32_mul(
        column_sum(t.features, n.rows,
                   [&](int f, uint32_t sum) { return h.mixed(t.at(f, s), x.at(f, s), sum); }),
        share);
    const uint32_t mean = centred
                              ? f32_mul(column_sum(t.features, n.rows,
                                                   [&](int f, uint32_t sum) {
                                                     return h.mixed(t.at(f, s), h.round(1), sum);
                                                   }),
                                        share)
                              : 0;
    for (int f = 0; f < t.features; ++f) {
      uint32_t off = widen(n.type, t.at(f, s));
      if (centred) off = f32_sub(off, mean);
      off = f32_fma(negative(widen(n.type, x.at(f, s))), along, off);
      back.deltas[0].at(f, s) = narrow(n.type, f32_mul(off, normal.scale[static_cast<size_t>(s)]));
    }
  }
  return back;
}

}  // namespace ow::golden
