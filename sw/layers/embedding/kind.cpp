// SPDX-License-Identifier: Apache-2.0
// The row of a table that belongs to a token, plus that of its position if positions are learned.
#include "ow/graph/kind.h"

namespace ow {
namespace {

constexpr int kMaxWidth = 65535;
constexpr int kMaxRows = 1 << 24;

size_t whole(const Op& op, const char* key) { return static_cast<size_t>(op.attributes.at(key)); }

int features(const Op& op, const std::vector<int>& /*inputs*/) {
  return static_cast<int>(whole(op, "width"));
}

std::vector<ParameterShape> parameters(const Op& op, const std::vector<int>& /*inputs*/) {
  const size_t width = whole(op, "width");
  std::vector<ParameterShape> all{
      {"weight", Parameter::Form::Table, whole(op, "vocabulary"), width}};
  if (whole(op, "positions") > 0) {
    all.push_back({"positions", Parameter::Form::Table, whole(op, "positions"), width});
  }
  return all;
}

}  // namespace

const Kind& embedding_kinds() {
  using Form = KindOption::Form;
  static const Kind kind{"embedding",
                         {{"vocabulary", Form::Whole, 1, kMaxRows, std::nullopt},
                          {"width", Form::Whole, 1, kMaxWidth, std::nullopt},
                          {"positions", Form::Whole, 0, kMaxRows, 0.0}},
                         1,
                         features,
                         parameters,
                         std::nullopt,
                         Value::Element::Token};
  return kind;
}

}  // namespace ow
