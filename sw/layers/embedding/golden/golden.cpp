// SPDX-License-Identifier: Apache-2.0
// Rows of tables, looked up by token and position, and the gradients of these rows (N108).
#include "ow/golden/formats.h"
#include "ow/golden/kind.h"
#include "ow/golden/tile_ops.h"

namespace ow::golden {
namespace {

// The rows of a slot that has a token; InternalError for one outside the tables.
struct Rows {
  Rows(const LayerPass& pass, size_t slot)
      : width(pass.parameters[0]->columns), token(width * row_of(pass, 0, token_of(pass, slot))) {
    if (pass.parameters.size() > 1) {
      position = width * row_of(pass, 1, pass.tokens->position_of(slot));
    }
  }
  static int token_of(const LayerPass& pass, size_t slot) { return pass.tokens->ids[slot]; }
  static size_t row_of(const LayerPass& pass, size_t parameter, int row) {
    require(row >= 0 && static_cast<size_t>(row) < pass.parameters[parameter]->rows,
            "a token or a position outside its table");
    return static_cast<size_t>(row);
  }
  size_t width;
  size_t token;         // first element of its row
  size_t position = 0;  // likewise, if positions are learned
};

uint32_t element(const Parameter& p, size_t at) { return float_to_bits(p.value[at]); }

Activations forward(const LayerPass& pass) {
  require(pass.tokens != nullptr, "a lookup without tokens");
  const Parameter& table = *pass.parameters[0];
  const auto width = static_cast<int>(table.columns);
  Activations y = Activations::zero(width, static_cast<int>(pass.tokens->ids.size()));
  for (int s = 0; s < y.samples; ++s) {
    if (Rows::token_of(pass, static_cast<size_t>(s)) == kNoToken) continue;
    const Rows rows(pass, static_cast<size_t>(s));
    for (int f = 0; f < width; ++f) {
      uint32_t x = element(table, rows.token + static_cast<size_t>(f));
      if (pass.parameters.size() > 1) {
        x = f32_add(x, element(*pass.parameters[1], rows.position + static_cast<size_t>(f)));
      }
      y.at(f, s) = narrow(pass.numerics.type, x);
    }
  }
  return y;
}

Backward backward(const LayerPass& pass, const Activations& delta) {
  Backward back;
  back.deltas.resize(1);
  for (const Parameter* p : pass.parameters) back.gradients.emplace_back(p->value.size(), 0.0f);
  const auto add = [](float* sum, uint32_t d) {
    *sum = bits_to_float(f32_add(float_to_bits(*sum), d));
  };
  for (int s = 0; s < delta.samples; ++s) {
    if (Rows::token_of(pass, static_cast<size_t>(s)) == kNoToken) continue;
    const Rows rows(pass, static_cast<size_t>(s));
    for (int f = 0; f < delta.features; ++f) {
      const uint32_t d = widen(pass.numerics.type, delta.at(f, s));
      add(&back.gradients[0][rows.token + static_cast<size_t>(f)], d);
      if (back.gradients.size() > 1) {
        add(&back.gradients[1][rows.position + static_cast<size_t>(f)], d);
      }
    }
  }
  return back;
}

}  // namespace

const LayerKind& embedding_layer_kinds() {
  static const LayerKind kind{"embedding", forward, backward};
  return kind;
}

}  // namespace ow::golden
