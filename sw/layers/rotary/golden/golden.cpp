// SPDX-License-Identifier: Apache-2.0
// Rotary embedding of positions (N110, N130).
#include "ow/golden/halves.h"
#include "ow/golden/kind.h"
#include "ow/golden/rotary.h"

namespace ow::golden {
namespace {

LanguageShape shape_of(const LayerPass& pass, int features) {
  const auto number = [&](const char* key) { return pass.op.attributes.at(key); };
  LanguageShape shape;
  shape.heads = static_cast<int>(number("heads"));
  shape.head_size = features / shape.heads;
  shape.positions = static_cast<int>(number("positions"));
  shape.theta = number("theta");
  if (number("factor") > 1) {
    shape.scaling = RotaryScaling{number("factor"), number("low_frequency_factor"),
                                  number("high_frequency_factor"),
                                  static_cast<int>(number("original_positions"))};
  }
  return shape;
}

// Turns every head of every slot by its position, or back.
Activations turned(const LayerPass& pass, Activations x, bool back) {
  require(pass.tokens != nullptr, "a rotation without tokens");
  const HalfType type = pass.numerics.type;
  const LanguageShape shape = shape_of(pass, x.features);
  const std::vector<uint32_t> turns = rotary_turns(shape);
  std::vector<Rotation> table;  // of the positions in use
  std::vector<uint16_t> head(static_cast<size_t>(shape.head_size));
  for (int s = 0; s < x.samples; ++s) {
    const int position = pass.tokens->position_of(static_cast<size_t>(s));
    require(position < shape.positions, "a sequence longer than the rotation's positions");
    while (static_cast<int>(table.size()) <= position) {
      table.push_back(rotation_at(type, turns, static_cast<int>(table.size())));
      if (!back) continue;
      for (uint16_t& sin : table.back().sin) sin = Halves::negative(sin);
    }
    for (int g = 0; g < shape.heads; ++g) {
      for (int k = 0; k < shape.head_size; ++k) {
        head[static_cast<size_t>(k)] = x.at(k * shape.heads + g, s);
      }
      rotate_head(type, table[static_cast<size_t>(position)], head.data());
      for (int k = 0; k < shape.head_size; ++k) {
        x.at(k * shape.heads + g, s) = head[static_cast<size_t>(k)];
      }
    }
  }
  return x;
}

Activations forward(const LayerPass& pass) { return turned(pass, *pass.inputs[0], false); }
Backward backward(const LayerPass& pass, const Activations& delta) {
  return {{turned(pass, delta, true)}, {}};
}

}  // namespace

const LayerKind& rotary_layer_kinds() {
  static const LayerKind kind{"rotary", forward, backward};
  return kind;
}

}  // namespace ow::golden
