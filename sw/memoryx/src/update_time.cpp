// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/update_time.h"

#include <algorithm>
#include <utility>

namespace ow::memoryx {
namespace {

uint64_t whole_cycles(uint64_t time) { return (time + kTimeUnit - 1) / kTimeUnit; }

}  // namespace

bool updates_wait(const TrainingJob& job) {
  return job.optimizer.max_norm > 0 || job.loss_scale.dynamic;
}

UpdateTime::UpdateTime(const Flow& optimizer, int rows, std::vector<size_t> streamed)
    : period_(optimizer.period(1)),
      latency_(optimizer.latency),
      streamed_(std::move(streamed)),
      rows_(static_cast<size_t>(rows)) {
  for (size_t k = 0; k < streamed_.size(); ++k) {
    if (streamed_[k] >= place_.size()) place_.resize(streamed_[k] + 1, streamed_.size());
    place_[streamed_[k]] = k;
  }
  begin();
}

void UpdateTime::begin() {
  for (Row& row : rows_) {
    row = {};
    row.streamed.resize(streamed_.size());
  }
  last_ = 0;
}

void UpdateTime::leave(int row, size_t parameter, uint64_t count, uint64_t from, uint64_t to) {
  if (count == 0) return;
  Row& at = rows_[static_cast<size_t>(row)];
  // The gradients come one after another. The end is the later of the last one's update and that of
  // all in sequence.
  at.at = std::max(std::max(at.at, from * kTimeUnit) + count * period_, to * kTimeUnit + period_);
  const size_t place = parameter < place_.size() ? place_[parameter] : streamed_.size();
  Update& part = place < streamed_.size() ? at.streamed[place] : at.resident;
  part.count += count;
  part.came = to;
  part.end = at.at;
  last_ = std::max(last_, to);
}

WeightTimes UpdateTime::times(bool wait) const {
  WeightTimes times;
  times.streamed.resize(place_.size());
  times.update = alone();
  const auto later = [&](const Update& part, uint64_t end, ReadyTime* of) {
    of->came = std::max(of->came, wait ? last_ : part.came);
    of->ready = std::max(of->ready, whole_cycles(end) + latency_);
  };
  for (const Row& row : rows_) {
    uint64_t at = last_ * kTimeUnit + row.resident.count * period_;
    later(row.resident, wait ? at : row.resident.end, &times.resident);
    for (size_t k = 0; k < streamed_.size(); ++k) {
      at += row.streamed[k].count * period_;
      later(row.streamed[k], wait ? at : row.streamed[k].end, &times.streamed[streamed_[k]]);
    }
  }
  return times;
}

uint64_t UpdateTime::alone() const {
  uint64_t most = 0;
  for (const Row& row : rows_) {
    uint64_t count = row.resident.count;
    for (const Update& part : row.streamed) count += part.count;
    most = std::max(most, count);
  }
  return whole_cycles(most * period_) + latency_;
}

}  // namespace ow::memoryx
