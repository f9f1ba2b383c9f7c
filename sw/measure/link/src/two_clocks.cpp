// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/link/two_clocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "Vow_link_delays.h"
#include "ow/measure/link/end_model.h"
#include "verilated.h"

namespace ow::link {
namespace {

// The wires of one direction over time: the changes at each of the next ticks.
class Flight {
 public:
  void schedule(uint64_t at, int lane, bool value) {
    Slot& s = slots_[at % kSlots];
    const size_t g = static_cast<size_t>(lane / kGroupLanes);
    const uint64_t bit = uint64_t{1} << (lane % kGroupLanes);
    s.mask.group[g] |= bit;
    s.value.group[g] = value ? s.value.group[g] | bit : s.value.group[g] & ~bit;
  }
  const Lanes& at(uint64_t time) {
    Slot& s = slots_[time % kSlots];
    for (size_t g = 0; g < kGroups; ++g) {
      wire_.group[g] = (wire_.group[g] & ~s.mask.group[g]) | (s.value.group[g] & s.mask.group[g]);
      s.mask.group[g] = s.value.group[g] = 0;
    }
    return wire_;
  }

 private:
  static constexpr size_t kSlots = 128;
  struct Slot {
    Lanes mask, value;
  };
  std::array<Slot, kSlots> slots_{};
  Lanes wire_;
};

}  // namespace

struct TwoClocks::Model {
  VerilatedContext context;
  Vow_link_delays delays0{&context, "delays0"};  // of the lanes into side 0
  Vow_link_delays delays1{&context, "delays1"};
  std::array<std::unique_ptr<EndModel>, 2> end;
  std::array<Vow_link_delays*, 2> delays{&delays0, &delays1};
  std::array<Flight, 2> flight;  // from side s
  std::array<uint64_t, 2> next{};
};

TwoClocks::TwoClocks(const Crossing& crossing, uint64_t seed, const Shape& shape)
    : crossing_(crossing),
      shape_(shape),
      random_(seed),
      model_(std::make_unique<Model>()),
      wires_{Wires(3 * seed + 1, shape), Wires(3 * seed + 2, shape)},
      routers_{Router(3 * seed + 3), Router(3 * seed + 4)} {
  const int earliest = std::min(40, shape.lanes() - 2);
  for (size_t s = 0; s < 2; ++s) {
    model_->end[s] = EndModel::make(&model_->context, shape);
    wires_[s].set_noise(crossing.bit_error_rate);
    routers_[s].set_source(&routers_[1 - s]);
    for (int l = 0; l < shape.lanes(); ++l) {
      // Both extremes occur.
      skew_[s][static_cast<size_t>(l)] =
          l == 7 ? crossing.skew
          : l == earliest
              ? 0
              : static_cast<int>(random_.below(static_cast<uint32_t>(crossing.skew + 1)));
    }
    model_->end[s]->in.reset = true;
  }
  next_edge_ = static_cast<uint64_t>(crossing.phase);
  run(4);
  for (const auto& e : model_->end) e->in.reset = false;
}

TwoClocks::~TwoClocks() = default;

bool TwoClocks::up(int side) const { return model_->end[static_cast<size_t>(side)]->out.up; }

// A rising edge of a side's clock.
void TwoClocks::edge(int side) {
  const size_t s = static_cast<size_t>(side);
  EndModel& end = *model_->end[s];
  end.in.tile = model_->next[s];
  // Reset covers the first cycles; the router starts with it. The link's outputs were valid in the
  // period that ends now, the router's outputs are valid from now on.
  model_->next[s] = end.in.reset ? 0 : routers_[s].step(end.out.tile, time_ - kTicks, time_);
  end.in.cycle = static_cast<uint8_t>(cycle_[s] & 15);
  end.in.retrain = retrain_[s];
  retrain_[s] = false;
  end.eval(false);
  end.eval(true);
  ++cycle_[s];
  const Lanes sent = wires_[s].carry(end.out.lanes);
  const int spread = 2 * crossing_.jitter + 1;
  uint64_t bits = random_.next();
  for (int l = 0; l < shape_.lanes(); ++l) {
    uint64_t at =
        time_ + static_cast<uint64_t>(crossing_.flight + 1 + skew_[s][static_cast<size_t>(l)]);
    if (crossing_.jitter != 0) {
      if (l % 8 == 0) bits = random_.next();
      at += static_cast<uint64_t>(bits & 0xFF) * static_cast<uint64_t>(spread) >> 8;
      bits >>= 8;
    }
    const int lane = shape_.lane(l);
    model_->flight[s].schedule(
        at, lane,
        (sent.group[static_cast<size_t>(lane / kGroupLanes)] >> (lane % kGroupLanes) & 1) != 0);
  }
}

void TwoClocks::tick() {
  // The wires and the delay elements move on before the clock edges.
  for (size_t s = 0; s < 2; ++s) {
    Vow_link_delays& d = *model_->delays[s];
    EndModel& end = *model_->end[s];
    const Lanes& wire = model_->flight[1 - s].at(time_);
    for (size_t i = 0; i < end.out.taps.size(); ++i) d.tap_i[i] = end.out.taps[i];
    d.lane_a_i = wire.group[0];
    d.lane_b_i = wire.group[1];
    d.tick_i = 1;
    d.eval();
    d.tick_i = 0;
    d.eval();
    end.in.lanes = {{d.lane_a_o, d.lane_b_o}};
  }
  if (time_ % kTicks == 0) edge(0);
  if (time_ == next_edge_) {
    next_edge_ += kTicks;
    edge(1);
  }
  ++time_;
}

void TwoClocks::run(uint64_t periods) {
  for (uint64_t i = 0; i < periods * kTicks; ++i) tick();
}

bool TwoClocks::train(uint64_t limit) {
  for (uint64_t i = 0; i < limit; i += 20) {
    run(20);
    if (up(0) && up(1)) return true;
  }
  return false;
}

bool TwoClocks::drain(uint64_t limit) {
  for (Router& r : routers_) r.offered = 0;
  for (uint64_t i = 0; i < limit; i += 100) {
    run(100);
    if (routers_[0].sent() == routers_[1].taken() && routers_[1].sent() == routers_[0].taken()) {
      run(100);
      return routers_[0].sent() == routers_[1].taken() && routers_[1].sent() == routers_[0].taken();
    }
  }
  return false;
}

uint32_t TwoClocks::status(int side, int word) {
  EndModel& end = *model_->end[static_cast<size_t>(side)];
  end.in.word = static_cast<uint8_t>(word);
  end.in.status = true;
  run(2);
  end.in.status = false;
  return end.out.status;
}

int TwoClocks::delay(int side, int lane) {
  return static_cast<int>(status(side, 16 + lane / 5) >> (6 * (lane % 5)) & 31);
}

std::string TwoClocks::first_error() const {
  return routers_[0].errors() != 0   ? "side 0: " + routers_[0].first_error()
         : routers_[1].errors() != 0 ? "side 1: " + routers_[1].first_error()
                                     : "";
}

uint64_t TwoClocks::latency_min() const {
  return std::min(routers_[0].latency_min(), routers_[1].latency_min());
}
uint64_t TwoClocks::latency_max() const {
  return std::max(routers_[0].latency_max(), routers_[1].latency_max());
}

PhaseSweep measure_phases(uint64_t wavelets, uint64_t seed,
                          const std::function<void(uint64_t)>& progress) {
  PhaseSweep sweep;
  struct Kind {
    int skew, jitter;
    double ber;
  };
  static const Kind kKinds[] = {{0, 0, 0}, {16, 0, 0}, {16, 2, 0}, {8, 1, 1e-4}};
  constexpr int kCases = kTicks * 4;
  for (int i = 0; i < kCases; ++i) {
    const Kind& kind = kKinds[i / kTicks];
    Crossing crossing;
    crossing.phase = i % kTicks;
    crossing.skew = kind.skew;
    crossing.jitter = kind.jitter;
    crossing.bit_error_rate = kind.ber;
    crossing.flight = 1 + i * 5 % 11;
    ++sweep.cases;
    TwoClocks link(crossing, seed + static_cast<uint64_t>(i));
    const auto fail = [&](const std::string& what) {
      ++sweep.errors;
      if (sweep.first_error.empty()) {
        sweep.first_error = fmt::format("phase {}, skew {}, jitter {}: {}", crossing.phase,
                                        crossing.skew, crossing.jitter, what);
      }
    };
    if (!link.train()) {
      fail("it did not come up");
      continue;
    }
    ++sweep.trained;
    for (int side = 0; side < 2; ++side) link.router(side).offered = kAllColours;
    // The spread of the latency without queues: one colour.
    for (int side = 0; side < 2; ++side) link.router(side).offered = 1;
    link.run(200);
    link.drain();
    if (kind.ber == 0) {
      sweep.latency_spread = std::max(
          sweep.latency_spread,
          std::max(
              static_cast<double>(link.router(0).latency_max() - link.router(0).latency_min()),
              static_cast<double>(link.router(1).latency_max() - link.router(1).latency_min())) /
              kTicks);
      sweep.latency_min =
          std::min(sweep.latency_min, static_cast<double>(link.latency_min()) / kTicks);
      sweep.latency_max =
          std::max(sweep.latency_max, static_cast<double>(link.latency_max()) / kTicks);
    }
    for (int side = 0; side < 2; ++side) link.router(side).offered = kAllColours;
    const uint64_t share = wavelets / kCases + 1;
    bool retrained = false;
    uint64_t stalled = 0;
    uint64_t last = 0;
    while (link.router(0).taken() + link.router(1).taken() < share && stalled < 400) {
      link.run(100);
      const uint64_t taken = link.router(0).taken() + link.router(1).taken();
      stalled = taken == last ? stalled + 1 : 0;
      last = taken;
      if (!retrained && taken > share / 2) {
        retrained = true;
        link.retrain(i & 1);
      }
    }
    if (!link.drain()) {
      sweep.lost += link.router(0).sent() + link.router(1).sent() - link.router(0).taken() -
                    link.router(1).taken();
      fail("wavelets were lost");
    }
    sweep.wavelets += link.router(0).taken() + link.router(1).taken();
    for (int side = 0; side < 2; ++side) {
      using State = isa::link::State;
      sweep.wrong_frames += link.status(side, isa::link::Wrong::kAddress);
      sweep.trainings +=
          static_cast<int>(State::Trainings::get(link.status(side, State::kAddress)));
    }
    if (link.errors() != 0) fail(link.first_error());
    if (progress) progress(sweep.wavelets);
  }
  return sweep;
}

}  // namespace ow::link
