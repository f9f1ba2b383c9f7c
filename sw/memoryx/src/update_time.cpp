// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/update_time.h"

#include <algorithm>

namespace ow::memoryx {
namespace {

uint64_t whole_cycles(uint64_t time) { return (time + kTimeUnit - 1) / kTimeUnit; }

}  // namespace

bool updates_wait(const TrainingJob& job) {
  return job.optimizer.max_norm > 0 || job.loss_scale.dynamic;
}

UpdateTime::UpdateTime(const Flow& optimizer, int rows, size_t layers)
    : period_(optimizer.period(1)),
      latency_(optimizer.latency),
      layers_(layers),
      rows_(static_cast<size_t>(rows)) {
  begin();
}

void UpdateTime::begin() {
  for (Row& row : rows_) {
    row = {};
    row.layers.resize(layers_);
  }
  last_ = 0;
}

void UpdateTime::leave(int row, size_t layer, uint64_t count, uint64_t from, uint64_t to, Of of) {
  if (count == 0) return;
  Row& at = rows_[static_cast<size_t>(row)];
  // The gradients come one after another. The end is the later of the last one's update and that of
  // all in sequence.
  at.at = std::max(std::max(at.at, from * kTimeUnit) + count * period_, to * kTimeUnit + period_);
  LayerUpdate& part = of == Of::Biases ? at.biases : at.layers[layer];
  part.count += count;
  part.came = to;
  part.end = at.at;
  last_ = std::max(last_, to);
}

WeightTimes UpdateTime::times(bool wait) const {
  WeightTimes times;
  times.layers.resize(layers_);
  times.update = alone();
  const auto later = [&](const LayerUpdate& part, uint64_t end, ReadyTime* of) {
    of->came = std::max(of->came, wait ? last_ : part.came);
    of->ready = std::max(of->ready, whole_cycles(end) + latency_);
  };
  for (const Row& row : rows_) {
    uint64_t at = last_ * kTimeUnit + row.biases.count * period_;
    later(row.biases, wait ? at : row.biases.end, &times.biases);
    for (size_t k = 0; k < layers_; ++k) {
      at += row.layers[k].count * period_;
      later(row.layers[k], wait ? at : row.layers[k].end, &times.layers[k]);
    }
  }
  return times;
}

uint64_t UpdateTime::alone() const {
  uint64_t most = 0;
  for (const Row& row : rows_) {
    uint64_t count = row.biases.count;
    for (const LayerUpdate& part : row.layers) count += part.count;
    most = std::max(most, count);
  }
  return whole_cycles(most * period_) + latency_;
}

}  // namespace ow::memoryx
