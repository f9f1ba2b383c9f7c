// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/network.h"

#include <Eigen/Core>
#include <cmath>
#include <string>

#include "ow/base/error.h"
#include "ow/golden/formats.h"
#include "ow/golden/kind.h"
#include "ow/isa/isa.h"

namespace ow::golden {
namespace {

// A row of samples is contiguous. Rows are only combined element by element, so every element has
// one order of additions, whatever the length of the host's vectors.
using Samples = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

float value_of(HalfType type, uint16_t x) {
  return type == HalfType::Binary16 ? f16_to_float(x) : bf16_to_float(x);
}

// row += weight * feature, with one rounding per element. The product of two binary16 numbers is
// exact in a float. That of two bfloat16 numbers may be below its range, so the host's fused
// operation rounds sum and product together.
template <typename Row, typename Feature>
void accumulate(HalfType type, float weight, const Feature& feature, Row row) {
  if (type == HalfType::Binary16) {
    row += weight * feature;
    return;
  }
  for (Eigen::Index s = 0; s < row.size(); ++s) row(s) = std::fma(weight, feature(s), row(s));
}

// A function of an output after its rounding.
using Element = uint16_t (*)(HalfType, uint16_t);
uint16_t as_it_is(HalfType /*type*/, uint16_t x) { return x; }

Element element_of(const std::string& activation) {
  if (activation == kNoActivation) return as_it_is;
  const Element element = layer_kind(activation).element;
  if (element == nullptr) throw InternalError("golden layer: '" + activation + "' behind it");
  return element;
}

void check(const Layer& layer, const Activations& x, int grid_rows) {
  const auto inputs = static_cast<size_t>(layer.inputs);
  const auto outputs = static_cast<size_t>(layer.outputs);
  if (grid_rows < 1 || x.features != layer.inputs ||
      layer.bias_values.size() != (layer.bias ? outputs : 0) ||
      layer.weights.size() != outputs * inputs) {
    throw InternalError("golden layer of " + std::to_string(layer.inputs) + " inputs and " +
                        std::to_string(layer.outputs) + " outputs does not fit its operands");
  }
}

Samples values_of(HalfType type, const Activations& x) {
  Samples wide(x.features, x.samples);
  for (int f = 0; f < x.features; ++f) {
    for (int s = 0; s < x.samples; ++s) wide(f, s) = value_of(type, x.at(f, s));
  }
  return wide;
}

// The partial sum of output j in each grid row: from +0, ascending index, one rounding per product.
void sum_rows(HalfType type, const Layer& layer, const Samples& x, int j, bool dense,
              Samples* partial) {
  partial->setZero();
  const auto rows = static_cast<int>(partial->rows());
  for (int i = 0; i < layer.inputs; ++i) {
    const uint16_t weight = layer.weight(j, i);
    if (!dense && half_is_zero(weight)) continue;
    accumulate(type, value_of(type, weight), x.row(i), partial->row(i % rows));
  }
}

}  // namespace

Activations run_layer(HalfType type, const Layer& layer, const Activations& x, int grid_rows,
                      bool dense) {
  check(layer, x, grid_rows);
  const Element element = element_of(layer.activation);
  const Samples wide = values_of(type, x);
  // Sums are kept as host floats: each addition below is one binary32 addition, and every NaN is
  // made canonical by the rounding to 16 bits at the end.
  Samples partial(grid_rows, x.samples);
  Samples total(1, x.samples);
  Activations y = Activations::zero(layer.outputs, x.samples);
  for (int j = 0; j < layer.outputs; ++j) {
    sum_rows(type, layer, wide, j, dense, &partial);
    const int owner = j % grid_rows;
    total.row(0) = partial.row(owner);
    if (grid_rows > 1) {
      // Round the column, from the row below the owner on.
      Samples others = partial.row((owner + 1) % grid_rows);
      for (int k = 2; k < grid_rows; ++k) {
        others.row(0) = partial.row((owner + k) % grid_rows) + others.row(0);
      }
      total.row(0) += others.row(0);
    }
    if (layer.bias) total.row(0) += layer.bias_values[static_cast<size_t>(j)];
    for (int s = 0; s < x.samples; ++s) {
      y.at(j, s) = element(type, narrow(type, float_to_f32(total(0, s))));
    }
  }
  return y;
}

std::vector<uint32_t> partial_sums(HalfType type, const Layer& layer, const Activations& x,
                                   int grid_rows, bool dense) {
  check(layer, x, grid_rows);
  const Samples wide = values_of(type, x);
  Samples partial(grid_rows, x.samples);
  const auto outputs = static_cast<size_t>(layer.outputs), samples = static_cast<size_t>(x.samples);
  std::vector<uint32_t> sums(static_cast<size_t>(grid_rows) * outputs * samples);
  for (size_t j = 0; j < outputs; ++j) {
    sum_rows(type, layer, wide, static_cast<int>(j), dense, &partial);
    for (size_t r = 0; r < static_cast<size_t>(grid_rows); ++r) {
      for (size_t s = 0; s < samples; ++s) {
        sums[(r * outputs + j) * samples + s] =
            float_to_f32(partial(static_cast<int>(r), static_cast<int>(s)));
      }
    }
  }
  return sums;
}

std::vector<StreamWavelet> weight_stream(const Layer& layer, int row, int grid_rows) {
  if (grid_rows < 1 || row < 0 || row >= grid_rows)
    throw InternalError("golden stream: no such row");
  std::vector<StreamWavelet> stream;
  for (int owner = 0; owner < grid_rows; ++owner) {
    for (int j = owner; j < layer.outputs; j += grid_rows) {
      for (int i = row; i < layer.inputs; i += grid_rows) {
        const uint16_t weight = layer.weight(j, i);
        if (half_is_zero(weight)) continue;
        stream.push_back({false, static_cast<uint32_t>(i / grid_rows) << 16 | weight});
      }
      stream.push_back({true, isa::Control::RowEnd::kMask});
    }
  }
  if (!stream.empty()) stream.back().data |= isa::Control::StreamEnd::kMask;
  return stream;
}

std::vector<Activations> run_layers(const Network& network, const Activations& x,
                                    const std::vector<int>& sum_rows, bool dense) {
  if (sum_rows.size() != network.layers.size()) {
    throw InternalError("golden network: an order of sums a layer");
  }
  std::vector<Activations> result;
  for (size_t k = 0; k < network.layers.size(); ++k) {
    result.push_back(run_layer(network.type, network.layers[k], result.empty() ? x : result.back(),
                               sum_rows[k], dense));
  }
  return result;
}

std::vector<Activations> run_network(const Network& network, const Activations& x, int grid_rows,
                                     bool dense) {
  return run_layers(network, x, std::vector<int>(network.layers.size(), grid_rows), dense);
}

}  // namespace ow::golden
