// SPDX-License-Identifier: Apache-2.0
// Which reticle-crossing links have come up: both ends are asked until they are settled.
#include <map>

#include "steps.h"

namespace ow::wafer {
namespace {

// Words of a link's status (docs/links.md): the state, then the faulty lanes of both groups, low
// and high words.
constexpr uint32_t kWords[] = {isa::link::State::kAddress, isa::link::Faulty::address(0),
                               isa::link::FaultyHigh::address(0), isa::link::Faulty::address(1),
                               isa::link::FaultyHigh::address(1)};
constexpr int kLanes = isa::kGroupLanes;
constexpr int kNoSignal = static_cast<int>(isa::LinkDown::NoSignal),
              kTraining = static_cast<int>(isa::LinkDown::Training);

struct End {
  bool answers = false;
  bool up = false;
  int reason = 0;
  std::vector<int> faulty;
  bool settled() const { return !answers || up || (reason != kNoSignal && reason != kTraining); }
};
struct Crossing {
  LinkEnd ends[2];  // of the reticle itself, of its neighbour
  LinkState state;
  bool settled = false;
};

std::vector<Crossing> crossings(const Probe& probe) {
  std::vector<Crossing> all;
  for (int d = 0; d < probe.shape.reticles(); ++d) {
    for (const bool south : {false, true}) {
      if (!Defects::has_links(probe.shape, d, south ? kSouth : kEast)) continue;
      const int other = south ? d + probe.shape.reticle_cols : d + 1;
      for (int slot = 0; slot < (south ? probe.cols() : probe.rows()); ++slot) {
        Crossing x;
        x.ends[0] = probe.link_end(d, south ? kSouth : kEast, slot);
        x.ends[1] = probe.link_end(other, south ? kNorth : kWest, slot);
        x.state.reticle = d;
        x.state.south = south;
        x.state.slot = slot;
        all.push_back(x);
      }
    }
  }
  return all;
}

// The state of one end. `first` is the first of its answers; every second answer is a word.
End end_of(const Probe& probe, const Handle& first) {
  const auto value = [&](size_t w) { return probe.answer(first.after(2 * w)); };
  End end;
  const auto status = value(0);
  if (!status) return end;
  end.answers = true;
  end.up = isa::link::State::Up::get(*status);
  end.reason = static_cast<int>(isa::link::State::Down::get(*status));
  for (size_t group = 0; group < 2; ++group) {
    const uint64_t lanes = uint64_t{value(1 + 2 * group).value_or(0)} |
                           uint64_t{value(2 + 2 * group).value_or(0)} << 32;
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1) != 0) end.faulty.push_back(kLanes * static_cast<int>(group) + lane);
    }
  }
  return end;
}

void settle(const End& a, const End& b, Crossing* x) {
  x->state.up = (a.answers || b.answers) && (a.up || !a.answers) && (b.up || !b.answers);
  x->state.reason = a.answers && !a.up ? a.reason : b.reason;
  x->state.lanes_in = a.faulty;
  x->state.lanes_out = b.faulty;
  x->settled = a.settled() && b.settled();
}

// Asks both ends of all links until they are settled.
std::vector<Crossing> ask_links(Probe& probe) {
  std::vector<Crossing> all = crossings(probe);
  // Training takes about 4,600 cycles, three times that if it fails.
  for (int tries = 0; tries < 4; ++tries) {
    if (tries > 0) probe.chain.wait_cycles(6000);
    probe.open_batch();
    std::vector<std::pair<const LinkEnd*, Handle>> asked;
    for (const Crossing& x : all) {
      if (x.settled) continue;
      for (const LinkEnd& e : x.ends) {
        if (!probe.alive(e.reticle, e.at.row, e.at.col)) continue;
        asked.emplace_back(&e, probe.add_link(e, kWords[0]));
        for (size_t w = 1; w < std::size(kWords); ++w) probe.add_link(e, kWords[w]);
      }
    }
    if (asked.empty()) break;
    probe.run_batch();
    std::map<const LinkEnd*, End> ends;
    for (const auto& [e, handle] : asked) ends[e] = end_of(probe, handle);
    for (Crossing& x : all) {
      if (!x.settled) settle(ends[&x.ends[0]], ends[&x.ends[1]], &x);
    }
  }
  return all;
}

}  // namespace

void read_links(Probe& probe) {
  probe.begin("reticle-crossing links");
  for (const Crossing& x : ask_links(probe)) probe.result.links.push_back(x.state);
}

void start_afresh(Probe& probe) {
  if (!probe.reset()) return;
  wake_stations(probe);
  ask_links(probe);
}

}  // namespace ow::wafer
