// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/tile_lockstep.h"
#include "ow/device/sim_control.h"

#include <deque>
#include <utility>

#include "ow/device/control_plane.h"
#include "ow/runtime/cores.h"
#include "ow/sim/single_tile.h"

namespace ow {
namespace {

constexpr uint64_t kPatience = 2000;  // cycles without an instruction
constexpr Rect kTile{0, 0, 1, 1};

class TileLockstep : public LockstepModel {
 public:
  TileLockstep() : tile_(make_observed_tile(false)), control_(tile_->device()) {
    tile_->observe(
        [this](const Retire& retire, uint64_t cycle) { retired_.emplace_back(retire, cycle); });
  }

  uint32_t memory_bytes() const override { return tile_->sram_bytes(); }

  void start(const std::vector<uint8_t>& image, uint32_t pc) override {
    halt_cores(control_, kTile);
    std::vector<uint32_t> words(image.size() / 4);
    for (size_t i = 0; i < words.size(); ++i) {
      for (unsigned k = 0; k < 4; ++k)
        words[i] |= static_cast<uint32_t>(image[4 * i + k]) << (8 * k);
    }
    control_.write(kTile, 0, words);
    control_.fence(kTile);
    retired_.clear();
    start_cores(control_, kTile, pc);
  }

  bool next(Retire* retire, uint64_t* cycle) override {
    for (uint64_t i = 0; retired_.empty(); ++i) {
      if (i == kPatience) return false;
      tile_->device().sim()->step();
    }
    *retire = retired_.front().first;
    *cycle = retired_.front().second;
    retired_.pop_front();
    return true;
  }

  std::vector<uint32_t> read_words(uint32_t addr, size_t count) override {
    return control_.read_tile(0, 0, addr, count);
  }

 private:
  std::unique_ptr<ObservedTile> tile_;
  ControlPlane control_;
  std::deque<std::pair<Retire, uint64_t>> retired_;
};

}  // namespace

std::unique_ptr<LockstepModel> make_tile_lockstep_model() {
  return std::make_unique<TileLockstep>();
}

LockstepResult run_tile_lockstep(uint64_t seed, uint64_t instructions) {
  TileLockstep model;
  return run_lockstep(seed, instructions, &model);
}

}  // namespace ow
