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

uint64_t EdgeReport::held() const {
  uint64_t sum = 0;
  for (const EdgePhase& phase : phases) sum += phase.held;
  return sum;
}

EdgeTime::EdgeTime(Device& device, int colour, const TimeModel& model)
    : device_(device), model_(model), loader_free_(device.cycle()) {
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

// In the order of their ends.
std::vector<EdgeHold> EdgeTime::holds(size_t phase) const {
  if (phase >= weights_ready_.size()) return {};
  const uint64_t ready = weights_ready_[phase], sent = ready + model_.store.latency;
  return {{ready, EdgeWait::Optimizer},
          {sent, EdgeWait::Store},
          {sent + model_.edge.latency, EdgeWait::Edge}};
}

void EdgeTime::open(uint64_t sample_bits, const std::vector<uint64_t>& weights_ready) {
  if (!modelled()) return;
  const uint64_t now = device_.cycle(), latency = model_.edge.latency;
  const uint64_t loaded = loader_free_ + model_.samples.cycles(sample_bits);
  const EdgeHold entrance{loaded + latency, EdgeWait::Samples};
  // The next ones arrive when these have gone in, or later: a latency delays the first alone.
  loader_free_ = std::max(loaded, now - std::min(now, latency));
  weights_ready_ = weights_ready;
  opened_at_ = now;
  opens_at_ = std::max(now, entrance.until);
  for (const uint64_t ready : weights_ready) {
    opens_at_ = std::max(opens_at_, ready + model_.store.latency + latency);
  }
  for (int r = 0; r < device_.shape().rows; ++r) {
    device_.sim()->link(Side::West, r).open(now, entrance, holds(0));
  }
}

void EdgeTime::begin_phase(int row, size_t phase) {
  if (modelled()) device_.sim()->link(Side::West, row).begin_phase(holds(phase));
}

void EdgeTime::skip(uint64_t cycles) {
  if (!modelled()) return;
  loader_free_ += cycles;
  for (int r = 0; r < device_.shape().rows; ++r) device_.sim()->link(Side::West, r).skip(cycles);
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
