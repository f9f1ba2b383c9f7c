// SPDX-License-Identifier: Apache-2.0
#include "ow/swarmx/weight_clock.h"

#include <algorithm>
#include <utility>

#include "ow/base/error.h"

namespace ow::swarmx {
namespace {

using Ticks = std::vector<uint64_t>;  // 1/65,536 cycles, one per number in order

// Passes the numbers through a stage with a period and a latency.
void pass(const Flow& flow, Ticks* ticks) {
  const uint64_t period = flow.period(kWaveletBits), late = flow.latency * kTimeUnit;
  uint64_t at = 0;
  for (uint64_t& tick : *ticks) {
    at = std::max(at, tick) + period;
    tick = at + late;
  }
}

void join(const Ticks& other, Ticks* ticks) {
  if (other.size() != ticks->size()) {
    throw ProtocolError("wafers have gradients of different parameters");
  }
  for (size_t i = 0; i < other.size(); ++i) (*ticks)[i] = std::max((*ticks)[i], other[i]);
}

}  // namespace

int stages_of(int wafers) {
  int stages = 0;
  for (int reached = 1; reached < wafers; reached *= 2) ++stages;
  return stages;
}

void RowGradients::add(size_t parameter, bool updated, uint64_t cycle) {
  const auto number = static_cast<uint32_t>(parameter);
  const uint32_t kept = updated ? 1 : 0;
  if (runs.empty() || runs.back().parameter != number || runs.back().updated != kept) {
    runs.push_back({number, kept, 0});
  }
  ++runs.back().count;
  cycles.push_back(cycle);
}

WeightClock::WeightClock(const TimeModel& model, int rows, const std::vector<size_t>& streamed)
    : model_(model), updates_(model.optimizer, rows, streamed), times_(updates_.times(false)) {}

// Cycles in which the sums of a grid row come to MemoryX.
std::vector<uint64_t> WeightClock::reduced(const std::vector<WaferGradients>& wafers,
                                           size_t row) const {
  std::vector<Ticks> nodes;
  for (const WaferGradients& wafer : wafers) {
    nodes.emplace_back();
    for (const uint64_t cycle : wafer.at(row).cycles) {
      nodes.back().push_back((cycle + model_.exit.latency) * kTimeUnit);
    }
  }
  // A wafer without a partner also goes through the stage.
  for (const Flow& stage : model_.reduce) {
    std::vector<Ticks> above;
    for (size_t k = 0; k < nodes.size(); k += 2) {
      above.push_back(std::move(nodes[k]));
      if (k + 1 < nodes.size()) join(nodes[k + 1], &above.back());
      pass(stage, &above.back());
    }
    nodes = std::move(above);
  }
  if (nodes.size() != 1) throw InternalError("more wafers than the stages join");
  for (uint64_t& tick : nodes.front()) tick = (tick + kTimeUnit - 1) / kTimeUnit;
  return std::move(nodes.front());
}

void WeightClock::gradients(const std::vector<WaferGradients>& wafers) {
  updates_.begin();
  for (size_t row = 0; row < wafers.front().size(); ++row) {
    const std::vector<uint64_t> cycles = reduced(wafers, row);
    size_t at = 0;
    for (const GradientRun& run : wafers.front()[row].runs) {
      if (run.count > cycles.size() - at) throw ProtocolError("gradients of unknown parameters");
      for (uint64_t n = 0; n < run.count; ++n, ++at) {
        if (run.updated == 0) continue;
        updates_.leave(static_cast<int>(row), run.parameter, 1, cycles[at], cycles[at]);
      }
    }
  }
  came_ = true;
}

const memoryx::WeightTimes& WeightClock::next(bool updated, bool wait) {
  times_.update = 0;
  if (!std::exchange(came_, false)) return times_;
  if (updated) {
    times_ = updates_.times(wait);
    return times_;
  }
  const auto hold = [this](memoryx::ReadyTime* of) {
    of->came = std::max(of->came, updates_.last());
    of->ready = std::max(of->ready, updates_.last());
  };
  for (memoryx::ReadyTime& parameter : times_.streamed) hold(&parameter);
  hold(&times_.resident);
  return times_;
}

}  // namespace ow::swarmx
