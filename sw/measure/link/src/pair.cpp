// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/link/pair.h"

#include <fmt/format.h>

#include "ow/device/link_word.h"
#include "ow/measure/link/end_model.h"
#include "verilated.h"

namespace ow::link {
namespace {
int all_credits(int colour) { return link_credits(colour); }
}  // namespace

// ------------------------------------------------------------------------------------- router ---

Router::Router(uint64_t seed) : random_(seed), time_(size_t{kColours} * kTimes) {
  for (int c = 0; c < kColours; ++c) {
    credits_[static_cast<size_t>(c)] = static_cast<uint8_t>(all_credits(c));
  }
  can_ = kAllColours;
}

void Router::error(const std::string& what) {
  if (errors_++ == 0) first_error_ = what;
}

// Wavelet `number` of a colour. Control wavelets of data colours carry no switch commands here.
uint32_t Router::word_of(int colour, uint64_t number, bool* ctrl) const {
  uint32_t data = static_cast<uint32_t>(number) * 0x9E3779B1u;
  data ^= (data >> 15) ^ (static_cast<uint32_t>(colour) * 0x08100401u);
  *ctrl = (data >> 7 & 15) == 3;
  if (*ctrl && colour < kControlColour) {
    using Control = isa::Control;
    data &= Control::RowEnd::kMask | Control::StreamEnd::kMask | Control::Identity::kMask;
  }
  return data;
}

uint64_t Router::step(uint64_t in, uint64_t cycle, uint64_t next) {
  uint64_t out = 0;
  if (raw) {
    if (in != 0) log.emplace_back(cycle, in);
    if (!script.empty()) {
      out = script.front();
      script.pop_front();
    }
    return out;
  }
  if (link_has_credit(in)) {
    const int c = link_credit_colour(in);
    if (c >= kColours || ++credits_[static_cast<size_t>(c)] > all_credits(c)) {
      error(fmt::format("cycle {}: a credit too many for colour {}", cycle, c));
    } else {
      can_ |= 1u << c;
    }
  }
  if (link_has_wavelet(in)) {
    const Wavelet w = link_wavelet(in);
    const int c = w.colour;
    if (c >= kColours) {
      error(fmt::format("cycle {}: a wavelet of colour {}", cycle, c));
    } else {
      const size_t i = static_cast<size_t>(c);
      const uint64_t number = expect_[i]++;
      ++taken_total_;
      bool ctrl = false;
      const uint32_t data = word_of(c, number, &ctrl);
      if (w.data != data || w.ctrl != ctrl) {
        error(fmt::format("cycle {}: wavelet {} of colour {} is 0x{:08x}.{}, not 0x{:08x}.{}",
                          cycle, number, c, w.data, w.ctrl ? 1 : 0, data, ctrl ? 1 : 0));
      }
      if (source_ != nullptr) {
        const uint64_t latency = cycle - source_->time_[i * kTimes + number % kTimes];
        if (latency < latency_min_) latency_min_ = latency;
        if (latency > latency_max_) latency_max_ = latency;
      }
      ++held_[i];
      full_ |= 1u << c;
      if (held_[i] + owed_[i] > all_credits(c)) {
        error(fmt::format("cycle {}: the buffer of colour {} overran", cycle, c));
      }
    }
  }
  // Everything that is not blocked leaves at once, and its credit is owed.
  for (uint32_t leave = full_ & ~blocked; leave != 0; leave &= leave - 1) {
    const size_t i = static_cast<size_t>(__builtin_ctz(leave));
    owed_[i] = static_cast<uint8_t>(owed_[i] + held_[i]);
    held_[i] = 0;
    owes_ |= 1u << i;
    full_ &= ~(1u << i);
  }
  if (owes_ != 0) {
    const int c = __builtin_ctz(owes_);
    out |= link_of_credit(c);
    if (--owed_[static_cast<size_t>(c)] == 0) owes_ &= ~(1u << c);
  }
  uint32_t cand = offered & can_;
  if (cand != 0 && (load >= 1.0 || random_.uniform() < load)) {
    if ((cand & above_) != 0) cand &= above_;
    const int c = __builtin_ctz(cand);
    const size_t i = static_cast<size_t>(c);
    above_ = ~((2u << c) - 1);
    Wavelet w;
    w.colour = static_cast<uint8_t>(c);
    bool ctrl = false;
    const uint64_t number = sent_[i]++;
    w.data = word_of(c, number, &ctrl);
    w.ctrl = ctrl;
    time_[i * kTimes + number % kTimes] = next;
    ++sent_total_;
    if (--credits_[i] == 0) can_ &= ~(1u << c);
    out |= link_of_wavelet(w);
  }
  return out;
}

// --------------------------------------------------------------------------------------- pair ---

Pair::Pair(uint64_t seed, const Shape& shape)
    : shape_(shape),
      context_(std::make_unique<VerilatedContext>()),
      ends_{EndModel::make(context_.get(), shape), EndModel::make(context_.get(), shape)},
      wires_{Wires(2 * seed + 1, shape), Wires(2 * seed + 2, shape)},
      routers_{Router(2 * seed + 3), Router(2 * seed + 4)} {
  routers_[0].set_source(&routers_[1]);
  routers_[1].set_source(&routers_[0]);
  reset(0);
  reset(1);
  run(2);
}

Pair::~Pair() = default;

bool Pair::up(int side) const { return ends_[static_cast<size_t>(side)]->out.up; }
bool Pair::idle(int side) const { return ends_[static_cast<size_t>(side)]->out.idle; }
void Pair::reset(int side, int cycles) { reset_[static_cast<size_t>(side)] = cycles; }
void Pair::enable(int side, bool on) { ends_[static_cast<size_t>(side)]->in.enable = on; }

void Pair::step() {
  // The routers' next outputs depend on the links' present outputs, and the links' next state on
  // the routers' present outputs.
  std::array<uint64_t, 2> next{};
  for (size_t s = 0; s < 2; ++s) {
    EndModel& end = *ends_[s];
    next[s] = routers_[s].step(end.out.tile, cycle_, cycle_ + 1);
    end.in.cycle =
        static_cast<uint8_t>((cycle_ + (s == 1 ? static_cast<uint64_t>(parity_) : 0)) & 15);
    end.in.reset = reset_[s] > 0;
    end.in.retrain = (retrain_ >> s & 1) != 0;
    reset_[s] -= reset_[s] > 0 ? 1 : 0;
    const bool nothing = end.in.tile == 0 && (end.in.lanes.group[0] | end.in.lanes.group[1]) == 0 &&
                         !end.in.reset && !end.in.retrain && !end.in.status;
    if (!sleep_ || !nothing || !end.out.idle) end.eval(true);
  }
  retrain_ = 0;
  ++cycle_;
  for (size_t s = 0; s < 2; ++s) {
    const Lanes& sent = ends_[s]->out.lanes;
    active_[s] += (sent.group[0] | sent.group[1]) != 0 ? 1 : 0;
    ends_[1 - s]->in.lanes = wires_[s].carry(sent);
    ends_[s]->in.tile = next[s];
  }
  for (const auto& end : ends_) end->eval(false);
}

bool Pair::train(uint64_t limit) {
  for (uint64_t i = 0; i < limit; ++i) {
    step();
    if (up(0) && up(1)) return true;
  }
  return false;
}

bool Pair::drain(uint64_t limit) {
  for (Router& r : routers_) {
    r.offered = 0;
    r.blocked = 0;
  }
  for (uint64_t i = 0; i < limit; ++i) {
    step();
    if (routers_[0].sent() == routers_[1].taken() && routers_[1].sent() == routers_[0].taken()) {
      run(100);  // nothing more may come
      return routers_[0].sent() == routers_[1].taken() && routers_[1].sent() == routers_[0].taken();
    }
  }
  return false;
}

std::string Pair::first_error() const {
  return routers_[0].errors() != 0   ? "side 0: " + routers_[0].first_error()
         : routers_[1].errors() != 0 ? "side 1: " + routers_[1].first_error()
                                     : "";
}

Status Pair::status(int side) {
  EndModel& end = *ends_[static_cast<size_t>(side)];
  namespace reg = isa::link;
  const auto read = [&](uint32_t word) {
    end.in.word = static_cast<uint8_t>(word);
    end.in.status = true;
    step();
    end.in.status = false;
    return end.out.status;
  };
  using State = reg::State;
  Status s;
  const uint32_t w = read(State::kAddress);
  s.up = State::Up::get(w);
  s.reason = static_cast<int>(State::Down::get(w));
  s.cause = static_cast<int>(State::Cause::get(w));
  s.trainings = static_cast<int>(State::Trainings::get(w));
  s.replays = read(reg::Replays::kAddress);
  s.wrong_frames = read(reg::Wrong::kAddress);
  s.frames = read(reg::Frames::kAddress);
  for (int g = 0; g < kGroups; ++g) {
    const uint64_t lanes =
        uint64_t{read(reg::Faulty::address(g))} | uint64_t{read(reg::FaultyHigh::address(g))} << 32;
    for (int l = 0; l < kGroupLanes; ++l) {
      if ((lanes >> l & 1) != 0) s.faulty.push_back(g * kGroupLanes + l);
    }
  }
  const auto map = [](uint32_t word) {
    using Map = isa::LinkMap;
    return std::array<int, 4>{
        static_cast<int>(Map::G0Lo::get(word)), static_cast<int>(Map::G0Hi::get(word)),
        static_cast<int>(Map::G1Lo::get(word)), static_cast<int>(Map::G1Hi::get(word))};
  };
  s.rx_map = map(read(reg::RxMap::kAddress));
  s.tx_map = map(read(reg::TxMap::kAddress));
  for (int i = 0; 5 * i < shape_.lanes(); ++i) {
    const uint32_t p = read(reg::Delays::address(i));
    for (int k = 0; k < 5 && 5 * i + k < shape_.lanes(); ++k) {
      s.phase[static_cast<size_t>(5 * i + k)] = static_cast<int>(isa::LinkDelays::Delay::get(p, k));
    }
  }
  return s;
}

}  // namespace ow::link
