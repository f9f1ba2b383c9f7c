// SPDX-License-Identifier: Apache-2.0
// x / sqrt(mean of x^2 + epsilon), times a gain. The mean is over the features of a sample.
#include "ow/graph/kind.h"

namespace ow {
namespace {

std::vector<ParameterShape> parameters(const Op& /*op*/, const std::vector<int>& inputs) {
  const auto features = static_cast<size_t>(inputs[0]);
  return {{"gain", Parameter::Form::Vector, features, 1, 1}};
}

}  // namespace

const Kind& rms_norm_kinds() {
  static const Kind kind{"rms_norm",
                         {{"epsilon", KindOption::Form::Real, 1e-12, 1, 1e-5}},
                         1,
                         same_features,
                         parameters};
  return kind;
}

}  // namespace ow
