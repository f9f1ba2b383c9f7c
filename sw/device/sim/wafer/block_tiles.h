// SPDX-License-Identifier: Apache-2.0
// The tiles of a simulated wafer in blocks of the wide engine. Tiles with forced registers or
// memories are Verilated tiles of their own. A block whose tiles all do what tiles of other blocks
// do is not evaluated.
#ifndef OW_SIM_WAFER_BLOCK_TILES_H_
#define OW_SIM_WAFER_BLOCK_TILES_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "groups.h"
#include "ow/sim/tile_blocks.h"
#include "wafer_tiles.h"

namespace ow::wafer {

template <typename Tile>
class BlockTiles : public WaferTiles {
 public:
  BlockTiles(const WireLayout& layout, const SimOptions& options, sim::Context* context,
             Noise* noise)
      : context_(context),
        noise_(noise),
        blocks_(make_tile_blocks(layout.tiles(), options)),
        threads_(options.threads),
        tiles_(layout.tiles()),
        groups_(layout.tiles()),
        inputs_(layout.tiles()),
        in_(layout.tiles()),
        due_(layout.tiles()) {
    sim::check_internals<Tile>();
    context_->enter();
  }

  std::string description() const override {
    return fmt::format("wide ({} at once{})", blocks_->width(),
                       threads_ > 1 ? fmt::format(", {} threads", threads_) : "");
  }

  void break_tile(size_t tile, const TileFault& f) override {
    State& t = tiles_[tile];
    t.voice.silent = t.voice.silent || f.kind == TileFault::Kind::Silent;
    t.voice.babbles = t.voice.babbles || f.kind == TileFault::Kind::Babble;
    if (f.kind != TileFault::Kind::Memory && f.kind != TileFault::Kind::Register) return;
    if (!t.own) t.own = std::make_unique<OwnTile<Tile>>(context_, tile);
    t.own->force(f);
  }
  void form() override {
    groups_.form([this](size_t tile, size_t leader) { return may_follow(tile, leader); });
  }

  void join() override {
    if (blocks_->width() >= static_cast<int>(tiles_.size())) return;  // nobody may follow
    groups_.join(resting_leaders(), [this](size_t tile, size_t leader) {
      const State &t = tiles_[tile], &l = tiles_[leader];
      return may_follow(tile, leader) && t.digest == l.digest && t.rest == l.rest &&
             blocks_->same(tile, leader);
    });
  }

  Answer answer(size_t tile) const override {
    if (tiles_[tile].own) return tiles_[tile].own->answer();
    const TestAnswer answer = blocks_->answer(groups_.leader(tile));
    return {answer.request_ready, answer.response_valid, answer.response};
  }

  bool clock(uint64_t cycle, const Stations& stations, Wires* wires) override {
    for (size_t i = 0; i < tiles_.size(); ++i) {
      inputs_[i] = {stations.control(i), stations.takes(i), wires->at_tile(i)};
    }
    const auto& parted = groups_.part(inputs_);
    blocks_->copy(parted);
    for (const auto& [from, to] : parted) {
      tiles_[to].rest = tiles_[from].rest;
      tiles_[to].evaluated = true;
    }
    bool any = false;
    for (size_t i = 0; i < tiles_.size(); ++i) any |= begin(i, cycle);
    evaluations_ += blocks_->clock(cycle, in_, due_);
    send();
    return awake_ > 0 || any;
  }

  void check_idle() override {
    throw BadInput("the wide engine has no checks of idle tiles: engine=replicated");
  }
  const std::array<uint64_t, 4>& sends(size_t tile) const override { return tiles_[tile].sends; }
  bool quiet() const override { return awake_ == 0; }
  uint64_t evaluations() const override { return evaluations_; }

 private:
  static constexpr uint64_t kNothing[4] = {};

  struct State {
    std::unique_ptr<OwnTile<Tile>> own;
    Rest rest;                        // without a model of its own
    bool evaluated = false;           // since its state was last compared with others
    uint64_t digest = 0;              // of its state, then
    std::array<uint64_t, 4> sends{};  // on its wires: what it drives, unless broken
    Voice voice;
  };

  // A block is evaluated for all its tiles, so a tile can only spare another block's.
  bool may_follow(size_t tile, size_t leader) const {
    const auto width = static_cast<size_t>(blocks_->width());
    return tile / width != leader / width && !tiles_[tile].own && !tiles_[leader].own;
  }

  // Leaders that may lead others, with the digests of their states.
  std::vector<size_t> resting_leaders() {
    std::vector<size_t> resting, changed;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      State& t = tiles_[i];
      if (!groups_.leads(i) || t.own || t.rest.awake) continue;
      resting.push_back(i);
      if (t.evaluated) changed.push_back(i);
      t.evaluated = false;
    }
    const std::vector<uint64_t> digests = blocks_->digests(changed);
    for (size_t k = 0; k < changed.size(); ++k) tiles_[changed[k]].digest = digests[k];
    return resting;
  }

  // Whether a tile does something in this cycle. One in a block is evaluated later.
  bool begin(size_t i, uint64_t cycle) {
    State& t = tiles_[i];
    const Inputs& in = inputs_[i];
    due_[i] = 0;
    in_[i] = {false, false, false, 0, false, kNothing};
    if (t.own) {
      const bool runs = t.own->clock(in, cycle, false);
      evaluations_ += runs ? 1 : 0;
      return runs;
    }
    if (!groups_.leads(i)) return false;
    in_[i] = {in.control.reset, in.control.test, in.control.request,
              in.control.word,  in.take,         in.words};
    if (!t.rest.must_run(in)) {
      t.rest.awake = false;
      return false;
    }
    due_[i] = 1;
    t.evaluated = true;
    t.rest.test = in.control.test;
    return true;
  }

  void send() {
    awake_ = 0;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      if (due_[i] != 0) tiles_[i].rest.awake = !in_[i].reset && !blocks_->idle(i);
    }
    for (size_t i = 0; i < tiles_.size(); ++i) {
      State& t = tiles_[i];
      const size_t leader = groups_.leader(i);
      awake_ += t.own ? t.own->rest.awake : tiles_[leader].rest.awake;
      t.sends = t.voice.sends(t.own ? t.own->drives : blocks_->sends(leader), noise_);
    }
  }

  sim::Context* context_;
  Noise* noise_;
  std::unique_ptr<TileBlocks> blocks_;
  int threads_;
  std::vector<State> tiles_;
  Groups groups_;
  std::vector<Inputs> inputs_;  // of each in this cycle
  std::vector<TileInputs> in_;  // of each in its block
  std::vector<uint8_t> due_;    // those that must be evaluated, in blocks
  int awake_ = 0;
  uint64_t evaluations_ = 0;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_BLOCK_TILES_H_
