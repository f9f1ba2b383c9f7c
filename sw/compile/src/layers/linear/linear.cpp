// SPDX-License-Identifier: Apache-2.0
// y = W x + b: a streamed matrix, and a bias in the tiles that own the outputs.
#include "../kinds.h"
#include "ow/firmware/stream_layer.h"

namespace ow::jobs {
namespace {

constexpr int kMaxWidth = 65535;

int features(const GraphLayer& layer, const std::vector<int>& /*inputs*/) {
  return static_cast<int>(layer.options.at("outputs"));
}

LayerShape shape(const GraphLayer& layer, int inputs) {
  LayerShape shape;
  shape.inputs = inputs;
  shape.outputs = static_cast<int>(layer.options.at("outputs"));
  shape.bias = layer.options.at("bias") != 0;
  shape.name = layer.name;
  return shape;
}

uint32_t flags(const LayerShape& shape) { return shape.bias ? OW_SL_BIAS : 0; }

}  // namespace

const LayerKind& linear_kind() {
  using Form = LayerOption::Form;
  static const StreamedPart streamed{shape, flags};
  static const LayerKind kind{
      "linear",
      {{"outputs", Form::Whole, 1, kMaxWidth, std::nullopt}, {"bias", Form::Flag, 0, 1, 1.0}},
      1,
      features,
      &streamed};
  return kind;
}

}  // namespace ow::jobs
