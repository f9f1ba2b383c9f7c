// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features: sums go round the column. Normalised values and scales stay
// until the deltas are computed.
#include "../layer_norm/layer_norm.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/firmware/job.h"

namespace ow::jobs {
namespace {

uint32_t bits(double x) {
  const auto value = static_cast<float>(x);
  uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

uint64_t row_bytes(const GraphLowering& l) { return 4 * uint64_t{l.samples()}; }

std::string normal_name(const Op& op) { return "normalised values of " + op.name; }

// Two parts, each of so many cycles and so many a feature; between them the sums over the features
// are joined. Rounding of gains takes more or fewer cycles by their values.
WorkCost cost(const GraphLowering& l, int value, const uint64_t (&all)[2],
              const uint64_t (&feature)[2]) {
  WorkCost cost;
  for (size_t part = 0; part < 2; ++part) {
    cost.parts.emplace_back();
    for (int r = 0; r < l.rows(); ++r) {
      cost.parts.back().push_back(all[part] + l.dealt(value).of(r) * feature[part]);
    }
  }
  cost.words = 2 * uint64_t{l.samples()};
  cost.join = 20 + 4 * l.beats(l.samples());
  return cost;
}

ow_norm common(const GraphLowering& l, const Op& op, int r) {
  ow_norm p{};
  p.owned = l.dealt(op.value).of(r);
  p.share = bits(1.0 / l.features(op.value));
  p.epsilon = bits(op.attributes.at("epsilon"));
  return p;
}

void forward(GraphLowering& l, const Op& op) {
  const Slot x = l.value(op.input_values[0]), y = l.new_value(op.value);
  const Slot gain = l.vector(op.parameters[0]), bias = l.vector(op.parameters[1]);
  const Slot normal = l.keep(normal_name(op), l.bytes(op.value));
  const Slot scale = l.keep("scales of " + op.name, OW_NORM_KEPT_ROWS * row_bytes(l));
  const Slot work = l.draft().buffer("work area of " + op.name, OW_NORM_ROWS * row_bytes(l));
  const uint64_t beats = l.beats(l.samples());
  const WorkCost cycles = cost(l, op.value, {350, 680}, {2 * beats, 188 + 26 * beats});
  l.draft().add("layer_norm", {x, y, gain, bias, normal, scale, work}, cycles, [=, &l, &op](int r) {
    ow_norm p = common(l, op, r);
    p.x = l.at(x);
    p.normal = l.at(normal);
    p.y = l.at(y);
    p.gain = l.at(gain);
    p.bias = l.at(bias);
    p.kept = l.at(scale);
    p.work = l.at(work);
    return p;
  });
}

void gradients(GraphLowering& l, const Op& op) {
  const Slot normal = l.kept(normal_name(op));
  const Rows delta = l.delta(op.value);
  const uint64_t bytes = 4 * uint64_t{l.dealt(op.value).of(0)};
  const Slot dots = l.draft().buffer("dots of " + op.name, bytes);
  const Slot sums = l.draft().buffer("sums of " + op.name, bytes);
  WorkCost leaves = work(l.rows(), [](int) { return 95; });
  for (int r = 0; r < l.rows(); ++r) leaves.leaves.push_back(l.dealt(op.value).of(r));
  l.draft().add("layer_norm_gains", {normal, delta.slot, dots}, leaves, [=, &l, &op](int r) {
    ow_norm p = common(l, op, r);
    p.x = l.at(normal);
    p.y = l.at(delta, op.value, r);
    p.work = l.at(dots);
    return p;
  });
  // Both go on while the next phase begins; dots stay until then.
  l.draft().add("biases", {delta.slot, dots, sums}, leaves, [=, &l, &op](int r) {
    const uint32_t rows = l.dealt(op.value).of(r);
    return ow_biases{l.at(delta, op.value, r), rows, l.at(sums), rows > 0 ? rows : 1};
  });
  const WorkCost settled = work(l.rows(), [](int) { return 39; });
  l.draft().add("settle", {delta.slot, dots, sums}, settled, [](int) { return ow_settle{0}; });
  l.step_stream({op.parameters[0], memoryx::Pass::Gradient});
  l.step_stream({op.parameters[1], memoryx::Pass::Gradient});
}

void backward(GraphLowering& l, const Op& op) {
  gradients(l, op);
  const int input = op.input_values[0];
  if (!l.wanted(input)) return;
  const Slot normal = l.kept(normal_name(op)), scale = l.kept("scales of " + op.name);
  const Slot gain = l.vector(op.parameters[0]);
  const Rows delta = l.delta(op.value);
  const Slot dx = l.draft().buffer("deltas of " + op.inputs[0], l.bytes(input));
  const Slot work = l.draft().buffer("work area of " + op.name, OW_NORM_ROWS * row_bytes(l));
  const uint64_t beats = l.beats(l.samples());
  const WorkCost cycles = cost(l, op.value, {330, 250}, {110, 120 + 30 * beats});
  l.draft().add("layer_norm_deltas", {normal, scale, gain, delta.slot, dx, work}, cycles,
                [=, &l, &op](int r) {
                  ow_norm p = common(l, op, r);
                  p.x = l.at(normal);
                  p.normal = l.at(dx);
                  p.y = l.at(delta, op.value, r);
                  p.gain = l.at(gain);
                  p.kept = l.at(scale);
                  p.work = l.at(work);
                  return p;
                });
  l.give_delta(input, {dx, false});
}

}  // namespace

const Lowering& layer_norm_lowerings() {
  static const Lowering lowering{"layer_norm", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
