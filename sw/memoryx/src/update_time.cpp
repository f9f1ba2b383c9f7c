// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/update_time.h"

#include <algorithm>
#include <numeric>

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
    row.at = 0;
    row.count.assign(layers_, 0);
    row.end.assign(layers_, 0);
  }
  last_ = 0;
}

void UpdateTime::leave(int row, size_t layer, uint64_t count, uint64_t from, uint64_t to) {
  if (count == 0) return;
  Row& at = rows_[static_cast<size_t>(row)];
  // Of gradients that leave one behind the other: no later than the last one and its own update.
  at.at = std::max(std::max(at.at, from * kTimeUnit) + count * period_, to * kTimeUnit + period_);
  at.count[layer] += count;
  at.end[layer] = at.at;
  last_ = std::max(last_, to);
}

std::vector<uint64_t> UpdateTime::ready(bool wait) const {
  std::vector<uint64_t> ready(layers_, wait ? last_ : 0);
  for (const Row& row : rows_) {
    uint64_t at = last_ * kTimeUnit;
    for (size_t k = 0; k < layers_; ++k) {
      at += row.count[k] * period_;
      ready[k] = std::max(ready[k], whole_cycles(wait ? at : row.end[k]));
    }
  }
  for (uint64_t& cycle : ready) cycle += latency_;
  return ready;
}

uint64_t UpdateTime::alone() const {
  uint64_t most = 0;
  for (const Row& row : rows_) {
    most = std::max(most, std::accumulate(row.count.begin(), row.count.end(), uint64_t{0}));
  }
  return whole_cycles(most * period_) + latency_;
}

}  // namespace ow::memoryx
