// SPDX-License-Identifier: Apache-2.0
// Attention of the heads that a grid row has. Keys and values move along the grid row, tile by
// tile (docs/numerics.md, N111 and N112).
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "../attention/attention.h"
#include "ow/base/error.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/tensor/half.h"

namespace ow::jobs {
namespace {

uint32_t heads_of_row(const GraphLowering& l, const Op& op) {
  const auto heads = static_cast<uint32_t>(op.attributes.at("heads"));
  const auto rows = static_cast<uint32_t>(l.rows());
  if (heads % rows != 0) {
    throw BadInput(fmt::format("{}: {} heads on {} grid rows: must be a multiple of them", op.where,
                               heads, rows));
  }
  return heads / rows;
}

// What the tiles of a grid column must know of their tokens (OW_SLOTS_ ...).
std::vector<uint32_t> slots_of(const Tokens& tokens, int column, int samples, HalfType type) {
  std::vector<uint32_t> words;
  const uint32_t never = type == HalfType::Bfloat16 ? 0xFF80 : 0xFC00, same = 0x8000;
  for (int key = 0; key < kSlotGroup; ++key) {
    for (int query = 0; query < kSlotGroup; query += 2) {
      words.push_back((query < key ? never : same) | (query + 1 < key ? never : same) << 16);
    }
  }
  const int first = column * samples, next = first + samples;
  const auto all = static_cast<int>(tokens.ids.size());
  const auto start = [&](int slot) { return tokens.start_of(static_cast<size_t>(slot)); };
  const auto put = [&](int number) { words.push_back(static_cast<uint32_t>(number)); };
  const bool goes_on = next < all && start(next) < next;
  put(column - start(first) / samples);
  put(goes_on ? column + 1 - start(next) / samples : 0);
  put(goes_on ? start(next) - first : 0);
  for (int slot = first; slot < next; slot += kSlotGroup) put(start(slot) - first);
  return words;
}

// What both passes share.
struct Common {
  Common(GraphLowering& l, const Op& op)
      : value(op.value),
        q(l.value(op.input_values[0])),
        k(l.value(op.input_values[1])),
        v(l.value(op.input_values[2])),
        heads(heads_of_row(l, op)),
        size(l.features(op.value) / static_cast<uint32_t>(op.attributes.at("heads"))),
        scale(to_half(l.job().type, 1 / std::sqrt(static_cast<double>(size)))) {
    const int samples = l.job().samples;
    const HalfType type = l.job().type;
    const auto groups = static_cast<uint32_t>(samples / kSlotGroup);
    slots = l.feed("slots of tokens", OW_SLOTS_STARTS + groups,
                   [samples, type](const Tokens& tokens, int column) {
                     return slots_of(tokens, column, samples, type);
                   });
    l.chain("keys", Side::East);
  }
  ow_attention parameters(const GraphLowering& l) const {
    ow_attention p{};
    p.q = l.at(q);
    p.k = l.at(k);
    p.v = l.at(v);
    p.slots = l.at(slots);
    p.heads = heads;
    p.size = size;
    p.scale = scale;
    return p;
  }
  int value;
  Slot q, k, v, slots;
  uint32_t heads, size;
  uint16_t scale;
};

WorkCost cost(const GraphLowering& l) {
  return work(l.rows(), [](int /*row*/) { return 1000; });
}

std::string kept_name(const Op& op) { return "maxima and sums of " + op.name; }

void forward(GraphLowering& l, const Op& op) {
  const Common c(l, op);
  const Slot y = l.new_value(op.value);
  l.need_value(op.value);
  const Slot kept = l.keep(kept_name(op), uint64_t{c.heads} * 6 * l.samples());
  const Slot area =
      l.draft().buffer("work area of " + op.name, OW_ATTENTION_WORK(l.samples(), c.size));
  l.draft().add("attention", {c.q, c.k, c.v, c.slots, y, kept, area}, cost(l),
                [=, &l](int /*row*/) {
                  ow_attention p = c.parameters(l);
                  p.y = l.at(y);
                  p.kept = l.at(kept);
                  p.work = l.at(area);
                  return p;
                });
}

void backward(GraphLowering& l, const Op& op) {
  const Common c(l, op);
  const Slot y = l.value(op.value), kept = l.kept(kept_name(op));
  const Rows delta = l.delta(op.value);
  const Slot area =
      l.draft().buffer("work area of " + op.name, OW_ATTENTION_BACKWARD_WORK(l.samples(), c.size));
  // They may lie over the inputs, each of which is read before its deltas are written.
  Slot deltas[3];
  for (size_t n = 0; n < 3; ++n) {
    const int input = op.input_values[n];
    const bool over = l.alone(input) && !l.value_needed(input);
    deltas[n] =
        over ? l.value(input) : l.draft().buffer("deltas of " + op.inputs[n], l.bytes(input));
  }
  const Slot dq = deltas[0], dk = deltas[1], dv = deltas[2];
  l.draft().add("attention_deltas", {c.q, c.k, c.v, c.slots, y, kept, delta.slot, area, dq, dk, dv},
                cost(l), [=, &l](int row) {
                  ow_attention p = c.parameters(l);
                  p.y = l.at(y);
                  p.kept = l.at(kept);
                  p.work = l.at(area);
                  p.delta = l.at(delta, c.value, row);
                  p.dq = l.at(dq);
                  p.dk = l.at(dk);
                  p.dv = l.at(dv);
                  const float wide = from_half(l.job().type, c.scale);
                  std::memcpy(&p.wide_scale, &wide, sizeof wide);
                  return p;
                });
  for (size_t n = 0; n < 3; ++n) {
    if (l.wanted(op.input_values[n])) l.give_delta(op.input_values[n], {deltas[n], false});
  }
}

}  // namespace

const Lowering& attention_lowerings() {
  static const Lowering lowering{"attention", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
