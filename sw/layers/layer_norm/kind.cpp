// SPDX-License-Identifier: Apache-2.0
// (x - mean) / sqrt(variance + epsilon), times a gain, plus a bias. Mean and variance are over the
// features of a sample.
#include "ow/graph/kind.h"

namespace ow {
namespace {

std::vector<ParameterShape> parameters(const Op& /*op*/, const std::vector<int>& inputs) {
  const auto features = static_cast<size_t>(inputs[0]);
  return {{"gain", Parameter::Form::Vector, features, 1, 1},
          {"bias", Parameter::Form::Vector, features, 1, 0}};
}

}  // namespace

const Kind& layer_norm_kinds() {
  static const Kind kind{"layer_norm",
                         {{"epsilon", KindOption::Form::Real, 1e-12, 1, 1e-5}},
                         1,
                         same_features,
                         parameters};
  return kind;
}

}  // namespace ow
