// SPDX-License-Identifier: Apache-2.0
// The tiles of a simulated wafer in blocks of the wide engine. Tiles with forced registers or
// memories are Verilated tiles of their own.
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
        inputs_(layout.tiles()),
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
  void form() override {}
  void join() override {}

  Answer answer(size_t tile) const override {
    if (tiles_[tile].own) return tiles_[tile].own->answer();
    const TestAnswer answer = blocks_->answer(tile);
    return {answer.request_ready, answer.response_valid, answer.response};
  }

  bool clock(uint64_t cycle, const Stations& stations, Wires* wires) override {
    bool any = false;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      State& t = tiles_[i];
      const Inputs in{stations.control(i), stations.takes(i), wires->at_tile(i)};
      due_[i] = 0;
      if (t.own) {
        inputs_[i] = {true, false, false, 0, false, kNothing};
        if (!t.own->clock(in, cycle, false)) continue;
        ++evaluations_;
      } else {
        inputs_[i] = {in.control.reset, in.control.test, in.control.request,
                      in.control.word,  in.take,         in.words};
        if (!t.rest.must_run(in)) {
          t.rest.awake = false;
          continue;
        }
        due_[i] = 1;
        t.rest.test = in.control.test;
      }
      any = true;
    }
    evaluations_ += blocks_->clock(cycle, inputs_, due_);
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
    std::array<uint64_t, 4> sends{};  // on its wires: what it drives, unless broken
    Voice voice;
  };

  void send() {
    awake_ = 0;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      State& t = tiles_[i];
      if (due_[i] != 0) t.rest.awake = !inputs_[i].reset && !blocks_->idle(i);
      awake_ += t.own ? t.own->rest.awake : t.rest.awake;
      t.sends = t.voice.sends(t.own ? t.own->drives : blocks_->sends(i), noise_);
    }
  }

  sim::Context* context_;
  Noise* noise_;
  std::unique_ptr<TileBlocks> blocks_;
  int threads_;
  std::vector<State> tiles_;
  std::vector<TileInputs> inputs_;  // of each in this cycle
  std::vector<uint8_t> due_;        // those that must be evaluated, in blocks
  int awake_ = 0;
  uint64_t evaluations_ = 0;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_BLOCK_TILES_H_
