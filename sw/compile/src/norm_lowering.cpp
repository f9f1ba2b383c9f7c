// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/norm_lowering.h"

#include <cstring>

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

// Two parts; between them the sums over the features are joined.
WorkCost cost(const GraphLowering& l, const Op& op, const NormCost& of, uint64_t beats) {
  WorkCost cost;
  for (size_t part = 0; part < 2; ++part) {
    cost.parts.emplace_back();
    const uint64_t most = of.numbers[part] / l.samples();
    for (int r = 0; r < l.rows(); ++r) {
      const uint64_t owned = l.dealt(op.value).of(r);
      const uint64_t times = (owned + most - 1) / most;
      cost.parts.back().push_back(of.all[part] + times * of.time[part] +
                                  owned * beats * of.beat[part]);
    }
  }
  cost.words = op.parameters.size() * uint64_t{l.samples()};
  cost.join = 20 + 4 * beats;
  return cost;
}

ow_norm common_of(const GraphLowering& l, const Op& op, int r) {
  ow_norm p{};
  p.owned = l.dealt(op.value).of(r);
  p.share = bits(1.0 / l.features(op.value));
  p.epsilon = bits(op.attributes.at("epsilon"));
  return p;
}

}  // namespace

void norm_forward(GraphLowering& l, const Op& op, const NormKernels& kernels) {
  const Slot x = l.value(op.input_values[0]), y = l.new_value(op.value);
  const Slot gain = l.vector(op.parameters[0]);
  const Slot bias = op.parameters.size() > 1 ? l.vector(op.parameters[1]) : gain;
  const Slot normal = l.keep(normal_name(op), l.bytes(op.value));
  const Slot scale = l.keep("scales of " + op.name, row_bytes(l));
  const Slot work = l.draft().buffer("work area of " + op.name, OW_NORM_WORK(l.samples()));
  const uint64_t beats = l.beats(l.samples());
  const WorkCost cycles = cost(l, op, kernels.forward_cost, beats);
  l.draft().add(kernels.forward, {x, y, gain, bias, normal, scale, work}, cycles,
                [=, &l, &op](int r) {
                  ow_norm p = common_of(l, op, r);
                  p.x = l.at(x);
                  p.normal = l.at(normal);
                  p.y = l.at(y);
                  p.gain = l.at(gain);
                  p.bias = l.at(bias);
                  p.scale = l.at(scale);
                  p.work = l.at(work);
                  return p;
                });
}

namespace {

void gradients(GraphLowering& l, const Op& op) {
  const Slot normal = l.kept(normal_name(op));
  const Rows delta = l.delta(op.value);
  const uint64_t bytes = 4 * uint64_t{l.dealt(op.value).of(0)};
  const Slot dots = l.draft().buffer("dots of " + op.name, bytes);
  const Slot sums = l.draft().buffer("sums of " + op.name, bytes);
  WorkCost leaves = work(l.rows(), [](int) { return 95; });
  for (int r = 0; r < l.rows(); ++r) leaves.leaves.push_back(l.dealt(op.value).of(r));
  l.draft().add("norm_gains", {normal, delta.slot, dots}, leaves, [=, &l, &op](int r) {
    ow_norm p = common_of(l, op, r);
    p.x = l.at(normal);
    p.y = l.at(delta, op.value, r);
    p.work = l.at(dots);
    return p;
  });
  // Both go on while the next phase begins; dots stay until then.
  if (op.parameters.size() > 1) {
    l.draft().add("biases", {delta.slot, dots, sums}, leaves, [=, &l, &op](int r) {
      const uint32_t rows = l.dealt(op.value).of(r);
      return ow_biases{l.at(delta, op.value, r), rows, l.at(sums), rows > 0 ? rows : 1};
    });
  }
  const WorkCost settled = work(l.rows(), [](int) { return 39; });
  l.draft().add("settle", {delta.slot, dots, sums}, settled, [](int) { return ow_settle{0}; });
  for (const size_t p : op.parameters) l.step_stream({p, memoryx::Pass::Gradient});
}

}  // namespace

void norm_backward(GraphLowering& l, const Op& op, const NormKernels& kernels) {
  gradients(l, op);
  const int input = op.input_values[0];
  if (!l.wanted(input)) return;
  const Slot normal = l.kept(normal_name(op)), scale = l.kept("scales of " + op.name);
  const Slot gain = l.vector(op.parameters[0]);
  const Rows delta = l.delta(op.value);
  const Slot dx = l.draft().buffer("deltas of " + op.inputs[0], l.bytes(input));
  const Slot work = l.draft().buffer("work area of " + op.name, OW_NORM_WORK(l.samples()));
  const uint64_t beats = l.beats(l.samples());
  const WorkCost cycles = cost(l, op, kernels.deltas_cost, beats);
  l.draft().add(kernels.deltas, {normal, scale, gain, delta.slot, dx, work}, cycles,
                [=, &l, &op](int r) {
                  ow_norm p = common_of(l, op, r);
                  p.x = l.at(normal);
                  p.normal = l.at(dx);
                  p.y = l.at(delta, op.value, r);
                  p.gain = l.at(gain);
                  p.scale = l.at(scale);
                  p.work = l.at(work);
                  return p;
                });
  l.give_delta(input, {dx, false});
}

}  // namespace ow::jobs
