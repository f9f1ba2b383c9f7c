// SPDX-License-Identifier: Apache-2.0
// Softmax attention of each head (Vaswani et al., Attention Is All You Need, 2017): a token looks
// at itself and at the tokens before it in its sequence. The inputs are queries, keys and values.
// Feature k of head g is feature k * heads + g of each, and of the result.
#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/graph/kind.h"

namespace ow {
namespace {

constexpr int kMaxHeads = 65535;

int features(const Op& op, const std::vector<int>& inputs) {
  const auto heads = static_cast<int>(op.attributes.at("heads"));
  for (size_t n = 0; n < inputs.size(); ++n) {
    if (inputs[n] != inputs[0] || inputs[n] % heads != 0) {
      throw BadInput(
          fmt::format("{}: '{}' has {} features; queries, keys and values must have "
                      "equally many, a multiple of the {} heads",
                      op.where, op.inputs[n], inputs[n], heads));
    }
  }
  return inputs[0];
}

}  // namespace

const Kind& attention_kinds() {
  static const Kind kind{
      "attention", {{"heads", KindOption::Form::Whole, 1, kMaxHeads, std::nullopt}}, 3, features};
  return kind;
}

}  // namespace ow
