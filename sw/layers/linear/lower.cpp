// SPDX-License-Identifier: Apache-2.0
// y = W x + b: a streamed matrix, and a bias in the tiles that own the outputs.
#include "ow/compile/lowering.h"
#include "ow/firmware/stream_layer.h"

namespace ow::jobs {
namespace {

LayerShape shape(const Op& op, int inputs) {
  LayerShape shape;
  shape.inputs = inputs;
  shape.outputs = static_cast<int>(op.attributes.at("outputs"));
  shape.bias = op.attributes.at("bias") != 0;
  shape.name = op.name;
  return shape;
}

uint32_t flags(const LayerShape& shape) { return shape.bias ? OW_SL_BIAS : 0; }

}  // namespace

const Lowering& linear_lowerings() {
  static const StreamedPart streamed{shape, flags};
  static const Lowering lowering{"linear", &streamed};
  return lowering;
}

}  // namespace ow::jobs
