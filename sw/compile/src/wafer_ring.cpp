// SPDX-License-Identifier: Apache-2.0
#include "wafer_ring.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/device/sim_control.h"

namespace ow::jobs {

WaferRing::WaferRing(const std::vector<Runtime>& machines, const std::vector<Run>& runs)
    : link_(wse_time().edge) {
  for (const Runtime& machine : machines)
    wafers_.push_back({machine, machine.cycle(), {}, {}, 0, {}});
  if (machines.size() == 1) return;
  link_.rate *= static_cast<uint64_t>(machines.front().grid().rows);
  for (size_t wafer = 0; wafer < wafers_.size(); ++wafer) connect(wafer, runs[wafer]);
}

void WaferRing::connect(size_t wafer, const Run& run) {
  Wafer& w = wafers_[wafer];
  SimControl* const sim = device_of(w.machine).sim();
  if (sim == nullptr) {
    throw BadInput(
        fmt::format("several wafers: {} is not simulated", w.machine.info().description));
  }
  w.entries = stream_ports(run, "in");
  // It has no rate of its own, and takes more than all tokens of a ring.
  EdgeLinkOptions gate;
  gate.depth = kPortRoom;
  for (const StreamPort& port : w.entries) sim->set_link(port.side, port.index, port.colour, gate);
  for (size_t row = 0; row < run.ports("out"); ++row) {
    Run(run).consume("out", row, [this, wafer, row](Word word) {
      wafers_[wafer].left.push_back({time(wafer, word.cycle), row, word.data});
    });
  }
}

uint64_t WaferRing::now(size_t wafer) const { return time(wafer, wafers_[wafer].machine.cycle()); }

void WaferRing::cross(size_t wafer) {
  Wafer& w = wafers_[wafer];
  std::sort(w.left.begin(), w.left.end(), [](const OnTheWay& a, const OnTheWay& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.row < b.row;
  });
  for (OnTheWay word : w.left) {
    w.link_free = std::max(w.link_free, word.cycle * kTimeUnit) + link_.period(kWaveletBits);
    word.cycle = (w.link_free + kTimeUnit - 1) / kTimeUnit + link_.latency;
    wafers_[(wafer + 1) % wafers_.size()].comes.push_back(word);
  }
  w.left.clear();
}

// Words go to the ports as soon as they are known, and wait there for their cycle.
void WaferRing::enter(size_t wafer) {
  Wafer& w = wafers_[wafer];
  Device& device = device_of(w.machine);
  while (!w.comes.empty()) {
    const OnTheWay& word = w.comes.front();
    const StreamPort& port = w.entries[word.row];
    if (device.pending_sends(port.side, port.index, port.colour) == kPortRoom) return;
    EdgeLink& gate = device.sim()->link(port.side, port.index);
    gate.delay({w.begin + word.cycle, EdgeWait::Latency});
    device.send(port.side, port.index,
                Wavelet{static_cast<uint8_t>(port.colour), false, word.data});
    w.comes.pop_front();
  }
}

bool WaferRing::advance(size_t wafer, uint64_t end, const std::function<bool()>& done) {
  Wafer& w = wafers_[wafer];
  const size_t before = (wafer + wafers_.size() - 1) % wafers_.size();
  if (before != wafer) end = std::min(end, now(before) + link_.latency);
  enter(wafer);
  const uint64_t begin = now(wafer);
  const RunStatus status = ow::work(w.machine, end - begin, done);
  const bool moved = now(wafer) > begin || status != RunStatus::Quiet;
  cross(wafer);
  // The clock of a wafer at rest goes on while others work.
  if (before != wafer && status == RunStatus::Quiet) {
    while (now(wafer) < end) device_of(w.machine).sim()->step();
  }
  return moved;
}

size_t WaferRing::slowest() const {
  size_t least = 0;
  for (size_t wafer = 1; wafer < wafers_.size(); ++wafer) {
    if (now(wafer) < now(least)) least = wafer;
  }
  return least;
}

bool WaferRing::work(uint64_t cycles, const std::function<bool()>& done) {
  const uint64_t end = now(0) + cycles;
  size_t rest = 0;  // wafers one after another in which nothing moves
  while (!done()) {
    const size_t wafer = slowest();
    if (now(wafer) >= end) return false;
    rest = advance(wafer, end, done) ? 0 : rest + 1;
    if (rest > wafers_.size()) return false;
  }
  return true;
}

void WaferRing::meet() {
  uint64_t end = 0;
  for (size_t wafer = 0; wafer < wafers_.size(); ++wafer) end = std::max(end, now(wafer));
  while (now(slowest()) < end) advance(slowest(), end, nullptr);
}

std::string WaferRing::fault() const {
  if (wafers_.size() == 1) return fault_text(wafers_.front().machine);
  std::string text;
  for (size_t wafer = 0; wafer < wafers_.size(); ++wafer) {
    text += fmt::format("{}wafer {}: {}", wafer > 0 ? "\n" : "", wafer,
                        fault_text(wafers_[wafer].machine));
  }
  return text;
}

}  // namespace ow::jobs
