// SPDX-License-Identifier: Apache-2.0
// Configurations of switches and filters, as the tests of them write them.
#pragma once

#include <cstdint>
#include <vector>

#include "ow/measure/fabric/node_grid.h"

namespace ow::fabric {

namespace reg = ow::isa::reg;

constexpr uint32_t operation(isa::SwitchOp op) { return isa::Command::Op::put(op); }
constexpr uint32_t kNop = operation(isa::SwitchOp::Nop), kAdv = operation(isa::SwitchOp::Advance),
                   kRst = operation(isa::SwitchOp::Reset),
                   kTear = operation(isa::SwitchOp::Teardown);
constexpr uint32_t kNoce = isa::Command::Noce::put(1);

// Command i of a list; the list of a control wavelet is the sum.
constexpr uint32_t slot(int i, uint32_t command) { return isa::Control::Commands::put(i, command); }

constexpr uint32_t out(int port) { return 1u << port; }
constexpr uint32_t kObeys = reg::Route::Enable::put(1) | reg::Route::Obey::put(1);

constexpr int kSparse = int(isa::FilterKind::Sparse), kRange = int(isa::FilterKind::Range);

// The contents of ROUTE and SWITCH of one colour in one router, and of its filter, if any.
struct Filter {
  int kind = -1;
  bool count_data = true, count_ctrl = false, filter_ctrl = false;
  uint32_t low = 0, high = 0, count = 0;
};
struct Config {
  std::vector<uint32_t> ways;  // 1 to 4
  bool obey = true;
  int mode = 0;
  bool ring = false;
  int pos = 0;
  uint32_t fresh_out = 0;  // output links that start without credits
  uint32_t kept_in = 0;    // input links whose credits start here
};

inline void configure(Grid* g, int r, int c, int colour, const Config& k, bool torn = false) {
  const auto alternative = [&](size_t i) { return i < k.ways.size() ? k.ways[i] : 0; };
  g->write_reg(
      r, c, reg::Switch::address(colour),
      reg::Switch::Position1::put(alternative(1)) | reg::Switch::Position2::put(alternative(2)) |
          reg::Switch::Position3::put(alternative(3)) | reg::Switch::Last::put(k.ways.size() - 1) |
          reg::Switch::Current::put(k.pos) | reg::Switch::Torn::put(torn));
  g->write_reg(r, c, reg::Route::address(colour),
               reg::Route::Enable::put(1) | reg::Route::Position::put(k.ways[0]) |
                   reg::Route::Obey::put(k.obey) | reg::Route::PopMode::put(k.mode) |
                   reg::Route::Ring::put(k.ring) | reg::Route::WithoutCredits::put(k.fresh_out) |
                   reg::Route::KeepCredits::put(k.kept_in) | reg::Route::SetCredits::put(1));
}

inline void set_filter(Grid* g, int r, int c, int index, int colour, const Filter& f) {
  g->write_reg(r, c, reg::FilterLimits::address(index),
               reg::FilterLimits::Low::put(f.low) | reg::FilterLimits::High::put(f.high));
  g->write_reg(r, c, reg::FilterCount::address(index), reg::FilterCount::Count::put(f.count));
  g->write_reg(r, c, reg::Filter::address(index),
               reg::Filter::Colour::put(colour) | reg::Filter::Enable::put(1) |
                   reg::Filter::Kind::put(f.kind) | reg::Filter::CountData::put(f.count_data) |
                   reg::Filter::CountCtrl::put(f.count_ctrl) |
                   reg::Filter::FilterCtrl::put(f.filter_ctrl));
}

inline std::vector<uint64_t> words(const Edge& e, int colour) {
  std::vector<uint64_t> v;
  for (auto& s : e.seen) {
    if (s.w.colour == colour) v.push_back(uint64_t(s.w.ctrl) << 32 | s.w.data);
  }
  return v;
}

constexpr uint64_t kCtrl = uint64_t{1} << 32;
using Words = std::vector<uint64_t>;

}  // namespace ow::fabric
