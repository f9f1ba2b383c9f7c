// SPDX-License-Identifier: Apache-2.0
// Rotary embedding of positions: the halves of each head's features turn against each other by the
// position of the token (Su et al., RoFormer, 2021). Feature k of head g is feature
// k * heads + g of the value.
#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/graph/kind.h"

namespace ow {
namespace {

constexpr int kMaxHeads = 65535;
constexpr int kMaxPositions = 1 << 20;

int features(const Op& op, const std::vector<int>& inputs) {
  const auto heads = static_cast<int>(op.attributes.at("heads"));
  if (inputs[0] % (2 * heads) != 0) {
    throw BadInput(fmt::format("{}: '{}' has {} features, which are not {} heads of an even size",
                               op.where, op.inputs[0], inputs[0], heads));
  }
  return inputs[0];
}

}  // namespace

// `factor` above 1 slows the low frequencies down, as Llama 3.1 does.
const Kind& rotary_kinds() {
  using Form = KindOption::Form;
  static const Kind kind{"rotary",
                         {{"heads", Form::Whole, 1, kMaxHeads, std::nullopt},
                          {"positions", Form::Whole, 1, kMaxPositions, std::nullopt},
                          {"theta", Form::Real, 1, 1e12, 10000.0},
                          {"factor", Form::Real, 1, 1e6, 1.0},
                          {"low_frequency_factor", Form::Real, 1e-6, 1e6, 1.0},
                          {"high_frequency_factor", Form::Real, 1e-6, 1e6, 4.0},
                          {"original_positions", Form::Whole, 1, kMaxPositions, 8192.0}},
                         1,
                         features};
  return kind;
}

}  // namespace ow
