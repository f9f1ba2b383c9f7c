// SPDX-License-Identifier: Apache-2.0
// Rotary embedding of positions. The host writes the angles of the slots' positions with the
// samples; a delta turns back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../rotary/rotary.h"
#include "ow/base/error.h"
#include "ow/compile/angles.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"

namespace ow::jobs {
namespace {

LanguageShape shape_of(const GraphLowering& l, const Op& op) {
  const auto number = [&](const char* key) { return op.attributes.at(key); };
  LanguageShape shape;
  shape.heads = static_cast<int>(number("heads"));
  shape.head_size = static_cast<int>(l.features(op.value)) / shape.heads;
  shape.positions = static_cast<int>(number("positions"));
  shape.theta = number("theta");
  if (number("factor") > 1) {
    shape.scaling = RotaryScaling{number("factor"), number("low_frequency_factor"),
                                  number("high_frequency_factor"),
                                  static_cast<int>(number("original_positions"))};
  }
  if (l.job().sequence > shape.positions) {
    throw BadInput(fmt::format("{}: sequences of {} tokens, the limit is its {} positions",
                               op.where, l.job().sequence, shape.positions));
  }
  if (l.heads_of_row(op) == 0 && shape.head_size % 4 != 0) {
    throw BadInput(
        fmt::format("{}: two grid rows share a head of {} features: must be a multiple "
                    "of 4",
                    op.where, shape.head_size));
  }
  return shape;
}

// Which of a head's pairs a grid row has. Of two rows that share it, the first one has the even
// pairs.
struct RowPairs {
  RowPairs(const GraphLowering& l, const Op& op, int head_size)
      : heads(l.heads_of_row(op)), count(static_cast<uint32_t>(head_size) / (heads > 0 ? 2 : 4)) {}
  size_t pair(size_t n, int row, int rows) const {
    return heads > 0 ? n : 2 * n + (row < rows / 2 ? 0 : 1);
  }
  uint32_t heads;  // 0: a half
  uint32_t count;
};

// cos, sin: [pairs][samples] each.
std::vector<uint32_t> angles_of(const LanguageShape& shape, const std::vector<size_t>& of_row,
                                HalfType type, int samples, const Tokens& tokens, int column) {
  const size_t pairs = of_row.size();
  const auto n = static_cast<size_t>(samples);
  const Angles angles(shape, type);
  std::vector<uint32_t> words(pairs * n);
  const auto put = [&](size_t part, size_t pair, size_t slot, uint16_t value) {
    const size_t at = (part * pairs + pair) * n + slot;
    words[at / 2] |= uint32_t{value} << (at % 2 * 16);
  };
  for (size_t s = 0; s < n; ++s) {
    const int position = tokens.position_of(static_cast<size_t>(column) * n + s);
    if (position >= shape.positions) {
      throw InternalError("a sequence longer than the rotation's positions");
    }
    for (size_t m = 0; m < pairs; ++m) {
      const Angles::Pair of = angles.at(position, of_row[m]);
      put(0, m, s, of.cos);
      put(1, m, s, of.sin);
    }
  }
  return words;
}

Slot angles(GraphLowering& l, const Op& op) {
  const LanguageShape shape = shape_of(l, op);
  std::string name = "angles of ";
  for (const auto& [key, value] : op.attributes) name += fmt::format("{} {}, ", key, value);
  name += fmt::format("head size {}", shape.head_size);
  const RowPairs pairs(l, op, shape.head_size);
  const uint32_t words = pairs.count * l.samples();
  return l.feed(name, words,
                [=, type = l.job().type, samples = l.job().samples, rows = l.rows()](
                    const Tokens& tokens, int row, int column) {
                  std::vector<size_t> of_row(pairs.count);
                  for (size_t n = 0; n < of_row.size(); ++n) of_row[n] = pairs.pair(n, row, rows);
                  return angles_of(shape, of_row, type, samples, tokens, column);
                });
}

void turn(GraphLowering& l, const Op& op, const Rows& x, Slot y, bool back) {
  const Slot table = angles(l, op);
  const RowPairs pairs(l, op, shape_of(l, op).head_size);
  const uint32_t part = pairs.count * l.pitch();
  const WorkCost cost = work(l.rows(), [&](int r) {
    return 480 + 7 * l.beats(l.dealt(op.value).of(r) * uint64_t{l.samples()}) / 2;
  });
  l.draft().add("rotary", {x.slot, y, table}, cost, [=, &l, value = op.value](int row) {
    const uint32_t at = l.at(table);
    ow_rotary p{};
    p.x = l.at(x, value, row);
    p.y = l.at(y);
    p.cos = at;
    p.sin = at + part;
    p.less = back ? 1 : 0;
    p.heads = std::max(pairs.heads, 1u);
    p.pairs = pairs.count;
    return p;
  });
}

void forward(GraphLowering& l, const Op& op) {
  const Slot x = l.value(op.input_values[0]), y = l.new_value(op.value);
  turn(l, op, {x, false}, y, false);
}

void backward(GraphLowering& l, const Op& op) {
  const int input = op.input_values[0];
  if (!l.wanted(input)) return;
  const Slot dx = l.draft().buffer("deltas of " + op.inputs[0], l.bytes(input));
  turn(l, op, l.delta(op.value), dx, true);
  l.give_delta(input, {dx, false});
}

}  // namespace

const Lowering& rotary_lowerings() {
  static const Lowering lowering{"rotary", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
