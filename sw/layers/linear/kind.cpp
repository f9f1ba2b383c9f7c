// SPDX-License-Identifier: Apache-2.0
// y = W x + b. With copies, each output stands there so often, one next to the other.
#include "ow/graph/kind.h"

namespace ow {
namespace {

constexpr int kMaxWidth = 65535;
constexpr int kMaxCopies = 256;

int features(const Op& op, const std::vector<int>& /*inputs*/) {
  return static_cast<int>(op.attributes.at("outputs") * op.attributes.at("copies"));
}

std::vector<ParameterShape> parameters(const Op& op, const std::vector<int>& inputs) {
  const auto outputs = static_cast<size_t>(op.attributes.at("outputs"));
  std::vector<ParameterShape> all{
      {"weight", Parameter::Form::Matrix, outputs, static_cast<size_t>(inputs[0])}};
  if (op.attributes.at("bias") != 0) {
    all.push_back({"bias", Parameter::Form::Vector, outputs, 1});
  }
  return all;
}

}  // namespace

const Kind& linear_kinds() {
  using Form = KindOption::Form;
  static const Kind kind{"linear",
                         {{"outputs", Form::Whole, 1, kMaxWidth, std::nullopt},
                          {"bias", Form::Flag, 0, 1, 1.0},
                          {"copies", Form::Whole, 1, kMaxCopies, 1.0}},
                         1,
                         features,
                         parameters};
  return kind;
}

}  // namespace ow
