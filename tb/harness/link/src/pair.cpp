// SPDX-License-Identifier: Apache-2.0
#include "ow/harness/link/pair.h"

#include <fmt/format.h>

#include "Vow_link_pair.h"
#include "ow/device/link_word.h"
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
  if (cand != 0 && (load >= 1.0 || random_.unit() < load)) {
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

struct Pair::Model {
  VerilatedContext context;
  Vow_link_pair top{&context};
};

Pair::Pair(uint64_t seed)
    : model_(std::make_unique<Model>()),
      wires_{Wires(2 * seed + 1), Wires(2 * seed + 2)},
      routers_{Router(2 * seed + 3), Router(2 * seed + 4)} {
  routers_[0].set_source(&routers_[1]);
  routers_[1].set_source(&routers_[0]);
  model_->top.enable_i = 3;
  reset(0);
  reset(1);
  run(2);
}

Pair::~Pair() { model_->top.final(); }

bool Pair::up(int side) const { return (model_->top.up_o >> side & 1) != 0; }
bool Pair::idle(int side) const { return (model_->top.idle_o >> side & 1) != 0; }
void Pair::reset(int side, int cycles) { reset_[static_cast<size_t>(side)] = cycles; }
void Pair::enable(int side, bool on) {
  model_->top.enable_i =
      static_cast<uint8_t>((model_->top.enable_i & ~(1 << side)) | (static_cast<int>(on) << side));
}

void Pair::step() {
  Vow_link_pair& top = model_->top;
  // The routers' next outputs come from what the links show now; the links' next state from what
  // the routers show now.
  const uint64_t next0 = routers_[0].step(top.tile0_o, cycle_, cycle_ + 1);
  const uint64_t next1 = routers_[1].step(top.tile1_o, cycle_, cycle_ + 1);
  top.odd_i =
      static_cast<uint8_t>((cycle_ & 1) | ((cycle_ + static_cast<uint64_t>(parity_)) & 1) << 1);
  top.rst_i = static_cast<uint8_t>((reset_[0] > 0 ? 1 : 0) | (reset_[1] > 0 ? 2 : 0));
  for (int& r : reset_) r -= r > 0 ? 1 : 0;
  top.retrain_i = static_cast<uint8_t>(retrain_);
  retrain_ = 0;
  top.clk_i = 1;
  top.eval();
  ++cycle_;
  top.tile0_i = next0;
  top.tile1_i = next1;
  const Lanes sent0{{top.lane0a_o, top.lane0b_o}};
  const Lanes sent1{{top.lane1a_o, top.lane1b_o}};
  active_[0] += (sent0.group[0] | sent0.group[1]) != 0 ? 1 : 0;
  active_[1] += (sent1.group[0] | sent1.group[1]) != 0 ? 1 : 0;
  const Lanes got1 = wires_[0].carry(sent0);
  const Lanes got0 = wires_[1].carry(sent1);
  top.lane0a_i = got0.group[0];
  top.lane0b_i = got0.group[1];
  top.lane1a_i = got1.group[0];
  top.lane1b_i = got1.group[1];
  top.clk_i = 0;
  top.eval();
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
  Vow_link_pair& top = model_->top;
  namespace reg = isa::link;
  const auto read = [&](uint32_t word) {
    top.stat_addr_i = static_cast<uint8_t>(word);
    top.stat_re_i = 1;
    step();
    top.stat_re_i = 0;
    return side == 0 ? top.stat0_o : top.stat1_o;
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
  for (int i = 0; i < (kLanes + 4) / 5; ++i) {
    const uint32_t p = read(reg::Delays::address(i));
    for (int k = 0; k < 5 && 5 * i + k < kLanes; ++k) {
      s.phase[static_cast<size_t>(5 * i + k)] = static_cast<int>(isa::LinkDelays::Delay::get(p, k));
    }
  }
  return s;
}

}  // namespace ow::link
