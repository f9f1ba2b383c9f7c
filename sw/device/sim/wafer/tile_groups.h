// SPDX-License-Identifier: Apache-2.0
// The tiles of a simulated wafer.
//
// Most tiles under test do the same at the same time. Tiles in the same state with the same inputs
// form a group, and one of them, the leader, is evaluated for all. A tile whose inputs differ from
// its leader's copies the leader's state and continues alone. Tiles that rest in the same state
// join again before the host's next commands.
#ifndef OW_SIM_WAFER_TILE_GROUPS_H_
#define OW_SIM_WAFER_TILE_GROUPS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "wafer_tiles.h"

namespace ow::wafer {

template <typename Tile>
class TileGroups : public WaferTiles {
 public:
  TileGroups(const WireLayout& layout, sim::Context* context, Noise* noise) : noise_(noise) {
    sim::check_internals<Tile>();
    tiles_.reserve(layout.tiles());
    for (size_t t = 0; t < layout.tiles(); ++t) tiles_.emplace_back(context, t);
    inputs_.resize(tiles_.size());
  }

  std::string description() const override { return "replicated"; }

  void break_tile(size_t tile, const TileFault& f) override {
    State& t = tiles_[tile];
    t.voice.silent = t.voice.silent || f.kind == TileFault::Kind::Silent;
    t.voice.babbles = t.voice.babbles || f.kind == TileFault::Kind::Babble;
    if (f.kind == TileFault::Kind::Memory || f.kind == TileFault::Kind::Register) t.own.force(f);
  }

  // All tiles start alike. Tiles with forced cells are alone in their group.
  void form() override {
    size_t first = tiles_.size();
    for (size_t i = 0; i < tiles_.size(); ++i) {
      State& t = tiles_[i];
      t.leader = i;
      if (t.own.forced()) continue;
      if (first == tiles_.size()) first = i;
      t.leader = first;
    }
  }

  // Groups tiles that rest in the same state.
  void join() override {
    const std::vector<size_t> resting = resting_leaders();
    for (size_t k = 1; k < resting.size(); ++k) {
      const State& t = tiles_[resting[k]];
      for (size_t j = 0; j < k; ++j) {
        const State& l = tiles_[resting[j]];
        if (l.leader != resting[j] || l.digest != t.digest ||
            l.own.rest.in_reset != t.own.rest.in_reset || !l.own.model.same_state(t.own.model)) {
          continue;
        }
        for (State& other : tiles_) {
          if (other.leader == resting[k]) other.leader = resting[j];
        }
        break;
      }
    }
  }

  Answer answer(size_t tile) const override { return tiles_[tiles_[tile].leader].own.answer(); }

  bool clock(uint64_t cycle, const Stations& stations, Wires* wires) override {
    for (size_t i = 0; i < tiles_.size(); ++i) {
      inputs_[i] = {stations.control(i), stations.takes(i), wires->at_tile(i)};
    }
    parted_.clear();
    for (size_t i = 0; i < tiles_.size(); ++i) {
      const size_t leader = tiles_[i].leader;
      if (leader != i && !(inputs_[i] == inputs_[leader])) part(i);
    }
    const uint64_t before = evaluations_;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      State& t = tiles_[i];
      if (t.leader != i || !t.own.clock(inputs_[i], cycle, check_idle_)) continue;
      ++evaluations_;
      t.evaluated = true;
    }
    send();
    return awake_ > 0 || evaluations_ != before;
  }

  void check_idle() override { check_idle_ = true; }
  const std::array<uint64_t, 4>& sends(size_t tile) const override { return tiles_[tile].sends; }
  bool quiet() const override { return awake_ == 0; }
  uint64_t evaluations() const override { return evaluations_; }

 private:
  struct State {
    State(sim::Context* context, size_t index) : own(context, index) {}
    OwnTile<Tile> own;
    size_t leader = 0;                // the tile evaluated for it, perhaps itself
    bool evaluated = false;           // since its state was last compared with others
    uint64_t digest = 0;              // of its state, then
    std::array<uint64_t, 4> sends{};  // on its wires: what it drives, unless broken
    Voice voice;
  };

  // Leaders that may lead others, with the digests of their states.
  std::vector<size_t> resting_leaders() {
    std::vector<size_t> resting;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      State& t = tiles_[i];
      if (t.leader != i || t.own.rest.awake || t.own.forced()) continue;
      if (t.evaluated) {
        // Only the registers of its inputs change, so it rests.
        t.own.silence();
        t.own.model.clock();
        t.digest = t.own.model.digest();
        t.evaluated = false;
      }
      resting.push_back(i);
    }
    return resting;
  }

  // Leaves its leader and takes a copy of its state along.
  void part(size_t i) {
    State& t = tiles_[i];
    const size_t old = t.leader;
    for (const auto& [from, to] : parted_) {
      if (from == old && inputs_[to] == inputs_[i]) {
        t.leader = to;
        return;
      }
    }
    parted_.emplace_back(old, i);
    const State& l = tiles_[old];
    t.own.model.copy_state(l.own.model);
    t.own.rest = l.own.rest;
    t.leader = i;
    t.evaluated = true;
  }

  void send() {
    awake_ = 0;
    for (State& t : tiles_) {
      const OwnTile<Tile>& l = tiles_[t.leader].own;
      awake_ += l.rest.awake;
      t.sends = t.voice.sends(l.drives, noise_);
    }
  }

  Noise* noise_;
  std::vector<State> tiles_;
  std::vector<Inputs> inputs_;                     // of each in this cycle
  std::vector<std::pair<size_t, size_t>> parted_;  // leaders that were left in it, for whom
  int awake_ = 0;
  bool check_idle_ = false;
  uint64_t evaluations_ = 0;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_TILE_GROUPS_H_
