// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/kind.h"

#include "ow/base/error.h"
#include "ow/golden/formats.h"
#include "ow/golden/tile_ops.h"

namespace ow::golden {

const LayerKind& layer_kind(const std::string& name) {
  for (const LayerKind* kind : layer_kinds()) {
    if (kind->name == name) return *kind;
  }
  throw InternalError("golden: no kind of layer is called '" + name + "'");
}

uint16_t narrow(HalfType type, uint32_t x) {
  return type == HalfType::Binary16 ? f32_to_f16(x) : f32_to_bf16(x);
}

uint32_t widen(HalfType type, uint16_t x) {
  return type == HalfType::Binary16 ? f16_to_f32(x) : bf16_to_f32(x);
}

Activations sum_of(HalfType type, const Activations& a, const Activations& b) {
  require(a.features == b.features && a.samples == b.samples, "a sum of tensors of other sizes");
  Activations sum = a;
  for (size_t i = 0; i < sum.values.size(); ++i) {
    sum.values[i] = narrow(type, f32_add(widen(type, a.values[i]), widen(type, b.values[i])));
  }
  return sum;
}

void require(bool condition, const char* what) {
  if (!condition) throw InternalError(std::string("golden training: ") + what);
}

}  // namespace ow::golden
