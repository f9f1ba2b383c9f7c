// SPDX-License-Identifier: Apache-2.0
// A simulated grid without RTL, for tests of what is around the engines: a word that comes into a
// tile leaves it on the other side in the next cycle.
#ifndef OW_TB_FAKE_GRID_H_
#define OW_TB_FAKE_GRID_H_

#include <algorithm>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/sim/sim_device.h"

namespace ow {

class FakeGrid : public SimDevice {
 public:
  static constexpr size_t kNever = SIZE_MAX;

  // `bits`: of a register. `fails_at`: the tile whose state it does not take.
  explicit FakeGrid(GridShape shape, int bits = 7, size_t fails_at = kNever)
      : SimDevice(shape), fails_at_(fails_at) {
    layout_.add({"u_a.count_q", 1, bits});
    layout_.add({"u_b.last_q", 2, 100});
    layout_.add({"u_c.mem", 4, 64});
    tiles_.resize(static_cast<size_t>(shape.rows) * static_cast<size_t>(shape.cols));
    for (TileState& tile : tiles_) {
      tile.words.assign(layout_.words(), 0);
      tile.idle = true;
    }
  }

  std::string description() const override { return "fake grid"; }
  uint64_t evaluations() const override { return evaluations_; }
  std::vector<UnitClock> unit_clocks() const override { return {{"fake", evaluations_}}; }
  bool has_memory() const override { return true; }
  void put_memory(int row, int col, uint32_t address, const uint32_t* words,
                  size_t count) override {
    const size_t tile = static_cast<size_t>(row) * columns() + static_cast<size_t>(col);
    for (size_t k = 0; k < count; ++k) {
      tiles_.at(tile).words.at(layout_.first(2) + (address / 4 + k) % 4) = words[k];
    }
  }
  const StateLayout& state_layout() const override { return layout_; }
  void read_tile(size_t tile, TileState* state) override {
    *state = tiles_.at(tile);
    for (size_t side = 0; side < kSides; ++side) {
      if (neighbour(tile, side) == kNever) state->sent[side] = 0;
    }
  }
  void write_tiles(const std::function<void(size_t, TileState*)>& tiles) override {
    for (size_t k = 0; k < tiles_.size(); ++k) {
      if (k == fails_at_) throw InternalError("the fake grid fails");
      tiles(k, &tiles_[k]);
    }
  }
  void clock_grid(uint64_t, const uint64_t* in, uint64_t* out) override {
    std::fill(out, out + ports_.count(), uint64_t{0});
    const std::vector<TileState> before = tiles_;
    for (size_t k = 0; k < tiles_.size(); ++k) {
      TileState& tile = tiles_[k];
      tile.sent = {};
      for (size_t side = 0; side < kSides; ++side) {
        const size_t from = neighbour(k, side), opposite = (side + 2) % kSides;
        const uint64_t word = from == kNever ? in[edge(k, side)] : before[from].sent[opposite];
        tile.sent[opposite] = word;
        if (word == 0) continue;
        ++evaluations_;
        tile.words[0] = (tile.words[0] + 1) & 0x7F;
        tile.words[1 + 2 * (side % 2)] = word;
      }
      // What a tile at the edge sends leaves the grid at once.
      for (size_t side = 0; side < kSides; ++side) {
        if (neighbour(k, side) == kNever) out[edge(k, side)] = tile.sent[side];
      }
    }
  }
  bool grid_quiet() const override {
    for (size_t k = 0; k < tiles_.size(); ++k) {
      for (size_t side = 0; side < kSides; ++side) {
        if (tiles_[k].sent[side] != 0 && neighbour(k, side) != kNever) return false;
      }
    }
    return true;
  }

 private:
  size_t columns() const { return static_cast<size_t>(shape_.cols); }
  size_t neighbour(size_t tile, size_t side) const {
    const size_t row = tile / columns(), column = tile % columns();
    const bool none[] = {row == 0, column + 1 == columns(), tile + columns() >= tiles_.size(),
                         column == 0};
    const size_t beside[] = {tile - columns(), tile + 1, tile + columns(), tile - 1};
    return none[side] ? kNever : beside[side];
  }
  size_t edge(size_t tile, size_t side) const {
    const size_t index = side % 2 == 0 ? tile % columns() : tile / columns();
    return static_cast<size_t>(ports_.port(static_cast<Side>(side), static_cast<int>(index)));
  }

  size_t fails_at_;
  StateLayout layout_;
  std::vector<TileState> tiles_;
  uint64_t evaluations_ = 0;
};

// Wavelets across a grid from all sides, until it rests: what left where in which cycle, and the
// last cycle.
inline std::vector<std::string> run_across(Device* device) {
  const GridShape shape = device->shape();
  constexpr int kWavelets = 3;
  constexpr uint64_t kMost = 1000;
  std::vector<std::string> left;
  for (int round = 0; round < kWavelets; ++round) {
    for (int s = 0; s < kSides; ++s) {
      const int ports = s % 2 == 0 ? shape.cols : shape.rows;
      for (int k = 0; k < ports; ++k) {
        Wavelet wavelet;
        wavelet.colour = 1;
        wavelet.data = static_cast<uint32_t>(round * 1000 + s * 100 + k);
        if ((round + s + k) % 3 != 0) device->send(static_cast<Side>(s), k, wavelet);
      }
    }
    device->run(kMost);
  }
  for (int s = 0; s < kSides; ++s) {
    const int ports = s % 2 == 0 ? shape.cols : shape.rows;
    for (int k = 0; k < ports; ++k) {
      for (const Arrival& a : device->take_arrivals(static_cast<Side>(s), k, 1)) {
        left.push_back(std::to_string(s) + " " + std::to_string(k) + " " +
                       std::to_string(a.wavelet.data) + " " + std::to_string(a.cycle));
      }
    }
  }
  left.push_back("end " + std::to_string(device->cycle()));
  return left;
}

}  // namespace ow

#endif  // OW_TB_FAKE_GRID_H_
