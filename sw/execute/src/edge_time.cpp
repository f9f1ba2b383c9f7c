// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/edge_time.h"

#include <algorithm>
#include <utility>

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

EdgeTime::EdgeTime(Device& device, const std::vector<StreamPort>& in,
                   const std::vector<StreamPort>& out, const TimeModel& model)
    : device_(device), exits_(!out.empty()), model_(model), loader_free_(device.cycle()) {
  std::optional<EdgeLinkOptions> link;
  std::optional<EdgeExitOptions> exit;
  if (modelled()) {
    if (device.sim() == nullptr) {
      throw BadInput("key 'time': " + device.description() +
                     " is no simulated device: what is around it takes the time that it takes");
    }
    link.emplace();
    link->store_period = model.store.period(kWaveletBits);
    link->edge_period = model.edge.period(kWaveletBits);
    link->depth = model.edge_depth;
    // From MemoryX on.
    for (auto stage = model.broadcast.rbegin(); stage != model.broadcast.rend(); ++stage) {
      link->stage_periods.push_back(stage->period(kWaveletBits));
    }
    exit.emplace();
    exit->edge_period = model.exit.period(kWaveletBits);
    exit->depth = model.exit_depth;
    for (const Flow& stage : model.reduce) {
      exit->stage_periods.push_back(stage.period(kWaveletBits));
    }
  }
  // Also without a model, because an earlier job may have set one.
  if (device.sim() == nullptr) return;
  for (const StreamPort& port : in) {
    device.sim()->set_link(port.side, port.index, port.colour, link);
  }
  for (const StreamPort& port : out) {
    device.sim()->set_exit(port.side, port.index, port.colour, exit);
  }
}

// Sorted by their ends. Weights that no gradient has led to did not wait for the way out.
std::vector<EdgeHold> EdgeTime::holds(const EdgeReady& ready) const {
  uint64_t staged = ready.ready + model_.store.latency;
  std::vector<EdgeHold> holds = {
      {ready.left, EdgeWait::Exit},
      {std::min(ready.left + model_.exit.latency, ready.came), EdgeWait::Latency},
      {ready.came, EdgeWait::Reduce},
      {ready.ready, EdgeWait::Optimizer},
      {staged, EdgeWait::Latency}};
  for (const Flow& stage : model_.broadcast) staged += stage.latency;
  holds.push_back({staged, EdgeWait::Broadcast});
  holds.push_back({staged + model_.edge.latency, EdgeWait::Latency});
  return holds;
}

std::vector<EdgeHold> EdgeTime::holds(size_t phase) const {
  if (phase >= stream_.weights.size() || !stream_.weights[phase]) return {};
  return holds(*stream_.weights[phase]);
}

std::vector<EdgeHold> EdgeTime::entrance(int row, const EdgeHold& samples) {
  std::vector<EdgeHold> entrance = {samples,
                                    {samples.until + model_.edge.latency, EdgeWait::Latency}};
  const auto r = static_cast<size_t>(row);
  if (r < stream_.biases.size()) {
    std::vector<EdgeHold> biases = holds(stream_.biases_ready);
    const uint64_t from = biases.back().until;
    const uint64_t there = device_.sim()->link(Side::West, row).cross(from, stream_.biases[r]);
    biases.push_back({there, EdgeWait::Edge});
    biases_there_ = std::max(biases_there_, there);
    entrance.insert(entrance.end(), biases.begin(), biases.end());
  }
  std::stable_sort(entrance.begin(), entrance.end(),
                   [](const EdgeHold& a, const EdgeHold& b) { return a.until < b.until; });
  return entrance;
}

void EdgeTime::open(EdgeStream stream) {
  if (!modelled()) return;
  stream_ = std::move(stream);
  const uint64_t now = device_.cycle(), latency = model_.edge.latency;
  const uint64_t loaded = loader_free_ + model_.samples.cycles(stream_.sample_bits);
  // The next samples arrive when these have gone in, or later: a latency delays only the first.
  loader_free_ = std::max(loaded, now - std::min(now, latency));
  opened_at_ = now;
  opens_at_ = std::max(now, loaded + latency);
  for (const std::optional<EdgeReady>& part : stream_.weights) {
    if (part) opens_at_ = std::max(opens_at_, part->ready + model_.way_in());
  }
  biases_there_ = 0;
  for (int r = 0; r < device_.shape().rows; ++r) {
    std::vector<EdgeHold> before = entrance(r, {loaded, EdgeWait::Samples});
    device_.sim()->link(Side::West, r).open(now, std::move(before), holds(size_t{0}));
    if (exits_) device_.sim()->exit(Side::West, r).open(stream_.reduces);
  }
  opens_at_ = std::max(opens_at_, biases_there_);
}

// Nothing is launched yet and the tiles are idle, so only time passes.
void EdgeTime::await_biases(const std::function<void()>& progress) {
  if (!modelled()) return;
  for (uint64_t now = device_.cycle(); now < biases_there_; ++now) {
    for (int r = 0; r < device_.shape().rows; ++r) device_.sim()->link(Side::West, r).starve(now);
    device_.sim()->step();
    if (progress && now % 4096 == 0) progress();
  }
}

size_t EdgeTime::phase_of(size_t step) const {
  return stream_.phases.empty() ? step : stream_.phases.at(step);
}

void EdgeTime::begin_step(int row, size_t from, size_t to) {
  if (!modelled() || phase_of(from) == phase_of(to)) return;
  device_.sim()->link(Side::West, row).begin_phase(holds(phase_of(to)));
}

void EdgeTime::skip(uint64_t cycles) {
  if (!modelled()) return;
  loader_free_ += cycles;
  for (int r = 0; r < device_.shape().rows; ++r) {
    device_.sim()->link(Side::West, r).skip(cycles);
    if (exits_) device_.sim()->exit(Side::West, r).skip(cycles);
  }
}

uint64_t EdgeTime::longest_wait(uint64_t wavelets) const {
  if (!modelled()) return 0;
  const uint64_t ticks = wavelets * (model_.period_in() + model_.period_out(true));
  return opens_at_ - opened_at_ + ticks / kTimeUnit + 1;
}

uint64_t EdgeTime::longest_stay() const {
  return static_cast<uint64_t>(kLinkCredits + 1) * model_.period_out(true) / kTimeUnit + 1;
}

const std::vector<uint64_t>* EdgeTime::left(int row) const {
  if (!modelled() || !exits_) return nullptr;
  return &device_.sim()->exit(Side::West, row).left();
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
