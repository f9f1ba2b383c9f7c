// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/edge_time.h"

#include <algorithm>

#include "ow/base/error.h"
#include "ow/device/sim_control.h"

namespace ow::jobs {
void add_waits(const EdgeWaits& from, EdgeWaits* to) {
  for (size_t k = 0; k < to->size(); ++k) (*to)[k] += from[k];
}

EdgeWaits EdgeReport::waits() const {
  EdgeWaits sum{};
  for (const EdgePhase& phase : phases) add_waits(phase.waits, &sum);
  return sum;
}

EdgeWaits EdgeReport::late() const {
  EdgeWaits sum{};
  for (const EdgePhase& phase : phases) add_waits(phase.late, &sum);
  return sum;
}

EdgeTime::EdgeTime(Device& device, int colour, const TimeModel& model)
    : device_(device), model_(model) {
  if (!modelled()) {  // an earlier job may have had one
    for (int r = 0; device.sim() != nullptr && r < device.shape().rows; ++r) {
      device.sim()->set_link(Side::West, r, colour, std::nullopt);
    }
    return;
  }
  if (device.sim() == nullptr) {
    throw BadInput("key 'time': " + device.description() +
                   " is no simulated device: what is around it takes the time that it takes");
  }
  EdgeLinkOptions options;
  options.store_period = model.store.period(kWaveletBits);
  options.edge_period = model.edge.period(kWaveletBits);
  options.depth = model.edge_depth;
  for (int r = 0; r < device.shape().rows; ++r) {
    device.sim()->set_link(Side::West, r, colour, options);
  }
}

void EdgeTime::open(uint64_t samples_ready, uint64_t weights_ready) {
  if (!modelled()) return;
  const uint64_t now = device_.cycle();
  std::vector<EdgeHold> holds = {{samples_ready, EdgeWait::Samples},
                                 {weights_ready, EdgeWait::Optimizer}};
  if (weights_ready < samples_ready) std::swap(holds[0], holds[1]);
  uint64_t from = std::max(now, holds.back().until);
  from += model_.store.latency;
  holds.push_back({from, EdgeWait::Store});
  from += model_.edge.latency;
  holds.push_back({from, EdgeWait::Edge});
  opened_at_ = now;
  opens_at_ = from;
  for (int r = 0; r < device_.shape().rows; ++r) {
    device_.sim()->link(Side::West, r).open(now, holds);
  }
}

void EdgeTime::begin_phase(int row) {
  if (modelled()) device_.sim()->link(Side::West, row).begin_phase();
}

uint64_t EdgeTime::longest_wait(uint64_t wavelets) const {
  if (!modelled()) return 0;
  const Flow store{model_.store.rate, 0}, edge{model_.edge.rate, 0};
  const uint64_t bits = wavelets * kWaveletBits;
  return opens_at_ - opened_at_ + store.cycles(bits) + edge.cycles(bits);
}

EdgeReport EdgeTime::report() const {
  EdgeReport report;
  if (!modelled()) return report;
  for (int r = 0; r < device_.shape().rows; ++r) {
    const std::vector<EdgePhase>& phases = device_.sim()->link(Side::West, r).phases();
    if (report.phases.size() < phases.size()) report.phases.resize(phases.size());
    for (size_t k = 0; k < phases.size(); ++k) {
      EdgePhase& most = report.phases[k];
      if (r == 0 || total(phases[k].waits) > total(most.waits)) most = phases[k];
    }
  }
  return report;
}

}  // namespace ow::jobs
