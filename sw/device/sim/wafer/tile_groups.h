// SPDX-License-Identifier: Apache-2.0
// The tiles of a simulated wafer, of which each has a Verilated model of its own.
#ifndef OW_SIM_WAFER_TILE_GROUPS_H_
#define OW_SIM_WAFER_TILE_GROUPS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "groups.h"
#include "wafer_tiles.h"

namespace ow::wafer {

template <typename Tile>
class TileGroups : public WaferTiles {
 public:
  TileGroups(const WireLayout& layout, sim::Context* context, Noise* noise)
      : noise_(noise), groups_(layout.tiles()) {
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

  // Tiles with forced cells are alone.
  void form() override {
    groups_.form([this](size_t tile, size_t leader) {
      return !tiles_[tile].own.forced() && !tiles_[leader].own.forced();
    });
  }

  void join() override {
    groups_.join(resting_leaders(), [this](size_t tile, size_t leader) {
      const State &t = tiles_[tile], &l = tiles_[leader];
      return l.digest == t.digest && l.own.rest.in_reset == t.own.rest.in_reset &&
             l.own.model.same_state(t.own.model);
    });
  }

  Answer answer(size_t tile) const override { return tiles_[groups_.leader(tile)].own.answer(); }

  bool clock(uint64_t cycle, const Stations& stations, Wires* wires) override {
    for (size_t i = 0; i < tiles_.size(); ++i) {
      inputs_[i] = {stations.control(i), stations.takes(i), wires->at_tile(i)};
    }
    for (const auto& [from, to] : groups_.part(inputs_)) copy(tiles_[from], &tiles_[to]);
    const uint64_t before = evaluations_;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      State& t = tiles_[i];
      if (!groups_.leads(i) || !t.own.clock(inputs_[i], cycle, check_idle_)) continue;
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
      if (!groups_.leads(i) || t.own.rest.awake || t.own.forced()) continue;
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

  static void copy(const State& from, State* to) {
    to->own.model.copy_state(from.own.model);
    to->own.rest = from.own.rest;
    to->evaluated = true;
  }

  void send() {
    awake_ = 0;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      const OwnTile<Tile>& l = tiles_[groups_.leader(i)].own;
      awake_ += l.rest.awake;
      tiles_[i].sends = tiles_[i].voice.sends(l.drives, noise_);
    }
  }

  Noise* noise_;
  std::vector<State> tiles_;
  Groups groups_;
  std::vector<Inputs> inputs_;  // of each in this cycle
  int awake_ = 0;
  bool check_idle_ = false;
  uint64_t evaluations_ = 0;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_TILE_GROUPS_H_
