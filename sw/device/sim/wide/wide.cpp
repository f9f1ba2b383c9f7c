// SPDX-License-Identifier: Apache-2.0
// The wide engine: hundreds of tiles are evaluated at once, a bit of a signal in all of them as one
// vector. The code of a tile is made by ow_simgen from the RTL (docs/simulation.md).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "block.h"
#include "lanes.h"
#include "library.h"
#include "ow/base/error.h"
#include "ow/device/link_word.h"
#include "ow/sim/sim_device.h"

namespace ow {
namespace {

using wide::Block;
using wide::kSides;
using wide::Lanes;

constexpr int kWidestBlock = 64;  // columns

int opposite(int side) { return (side + 2) % kSides; }

class Wide : public SimDevice {
 public:
  Wide(GridShape shape, const ow_wide_code& code);

  std::string description() const override {
    return fmt::format("wide engine, {} x {} tiles, {} at once", shape_.rows, shape_.cols,
                       code_.width);
  }
  uint64_t evaluations() const override { return evaluations_; }

 protected:
  void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) override;
  bool grid_quiet() const override {
    return std::all_of(blocks_.begin(), blocks_.end(), [](const Place& p) { return !p.awake; });
  }

 private:
  struct Place {
    Block block;
    int row, column;           // of its first tile
    int tiles;                 // of the grid
    int neighbour[kSides];     // -1: none
    bool awake = true;         // a tile may change though nothing arrives
    bool due = false;          // in this cycle
    bool filled[kSides] = {};  // its link inputs are not all zero
    Lanes edge[kSides];        // tiles with a port of the grid
  };

  size_t lane(int row, int column) const {
    return static_cast<size_t>((row % rows_) * columns_ + column % columns_);
  }
  Place& place_of(int row, int column) {
    return blocks_[static_cast<size_t>((row / rows_) * across_ + column / columns_)];
  }
  void take_edges(const uint64_t* in);
  void take_words(Place* place, int side);
  void give_edges(Place* place, uint64_t* out);
  int port_of(const Place& place, int side, size_t lane) const;

  const ow_wide_code& code_;
  wide::TilePorts names_;
  wide::Memory scratch_;
  int rows_ = 0, columns_ = 0;  // of a block
  int across_ = 0;              // blocks
  Lanes border_[kSides];        // lanes whose neighbour is in the block beside
  std::vector<Place> blocks_;
  std::vector<std::pair<int, std::pair<int, size_t>>> edge_words_;
  uint64_t evaluations_ = 0;
};

// Blocks are as wide as the grid, rounded up to a power of two, but not wider than 64 columns.
Wide::Wide(GridShape shape, const ow_wide_code& code)
    : SimDevice(shape), code_(code), names_(*code.names), scratch_(code.scratch_bytes) {
  columns_ = 1;
  while (columns_ < shape.cols && columns_ < kWidestBlock) columns_ *= 2;
  rows_ = code.width / columns_;
  across_ = (shape.cols + columns_ - 1) / columns_;
  for (int r = 0; r < rows_; ++r) {
    for (int c = 0; c < columns_; ++c) {
      if (r == 0) border_[0].set(lane(r, c));
      if (c + 1 == columns_) border_[1].set(lane(r, c));
      if (r + 1 == rows_) border_[2].set(lane(r, c));
      if (c == 0) border_[3].set(lane(r, c));
    }
  }
  const int down = (shape.rows + rows_ - 1) / rows_;
  for (int b = 0; b < across_ * down; ++b) {
    const int row = b / across_ * rows_, column = b % across_ * columns_;
    Lanes present, edge[kSides];
    int tiles = 0;
    for (int r = row; r < std::min(row + rows_, shape.rows); ++r) {
      for (int c = column; c < std::min(column + columns_, shape.cols); ++c) {
        ++tiles;
        present.set(lane(r, c));
        if (r == 0) edge[0].set(lane(r, c));
        if (c + 1 == shape.cols) edge[1].set(lane(r, c));
        if (r + 1 == shape.rows) edge[2].set(lane(r, c));
        if (c == 0) edge[3].set(lane(r, c));
      }
    }
    Place place{
        Block(code, names_, present, scratch_.data()), row, column, tiles, {}, true, false, {}, {}};
    std::copy(std::begin(edge), std::end(edge), std::begin(place.edge));
    place.neighbour[0] = b >= across_ ? b - across_ : -1;
    place.neighbour[1] = (b + 1) % across_ != 0 ? b + 1 : -1;
    place.neighbour[2] = b + across_ < across_ * down ? b + across_ : -1;
    place.neighbour[3] = b % across_ != 0 ? b - 1 : -1;
    blocks_.push_back(std::move(place));
  }
}

// What the neighbours on a side have sent: tiles of the block by a shift of lanes, those of the
// block beside it by one in the other direction.
void Wide::take_words(Place* place, int side) {
  const int beside = place->neighbour[side];
  const bool from_inside = place->block.sends(opposite(side));
  const bool from_outside =
      beside >= 0 && blocks_[static_cast<size_t>(beside)].block.sends(opposite(side));
  bool& filled = place->filled[side];
  if (!from_inside && !from_outside && !filled) return;
  const size_t words = place->block.words();
  const auto width = static_cast<size_t>(code_.width);
  const bool vertical = side % 2 == 0;
  const bool up = side == 0 || side == 3;  // the neighbour is a lower lane
  const size_t near = vertical ? static_cast<size_t>(columns_) : 1;
  const size_t far = vertical ? width - near : static_cast<size_t>(columns_) - 1;
  const Lanes& border = border_[side];
  filled = false;
  for (size_t bit = 0; bit < static_cast<size_t>(kLinkBits); ++bit) {
    uint64_t inside[wide::kMaxWords] = {}, outside[wide::kMaxWords] = {};
    if (from_inside) {
      const uint64_t* const from = place->block.sent(opposite(side), bit);
      up ? wide::move_up(from, near, words, inside) : wide::move_down(from, near, words, inside);
    }
    if (from_outside) {
      Block& other = blocks_[static_cast<size_t>(beside)].block;
      const uint64_t* const from = other.sent(opposite(side), bit);
      up ? wide::move_down(from, far, words, outside) : wide::move_up(from, far, words, outside);
    }
    uint64_t* const to = place->block.taken(side, bit);
    for (size_t k = 0; k < words; ++k) {
      to[k] = ((inside[k] & ~border.word[k]) | (outside[k] & border.word[k])) &
              place->block.present().word[k] & ~place->edge[side].word[k];
      filled = filled || to[k] != 0;
    }
  }
}

// Words at the edges of the grid.
void Wide::take_edges(const uint64_t* in) {
  const auto put = [&](int row, int column, int side, uint64_t word) {
    if (word == 0) return;
    Place& place = place_of(row, column);
    const size_t to = lane(row, column);
    for (size_t bit = 0; bit < static_cast<size_t>(kLinkBits); ++bit) {
      if ((word >> bit & 1) != 0) place.block.taken(side, bit)[to / 64] |= uint64_t{1} << (to % 64);
    }
    place.filled[side] = true;
  };
  for (int c = 0; c < shape_.cols; ++c) {
    put(0, c, 0, in[ports_.first(Side::North) + c]);
    put(shape_.rows - 1, c, 2, in[ports_.first(Side::South) + c]);
  }
  for (int r = 0; r < shape_.rows; ++r) {
    put(r, shape_.cols - 1, 1, in[ports_.first(Side::East) + r]);
    put(r, 0, 3, in[ports_.first(Side::West) + r]);
  }
}

int Wide::port_of(const Place& place, int side, size_t lane) const {
  const int row = place.row + static_cast<int>(lane) / columns_;
  const int column = place.column + static_cast<int>(lane) % columns_;
  return ports_.port(static_cast<Side>(side), side % 2 == 0 ? column : row);
}

void Wide::give_edges(Place* place, uint64_t* out) {
  for (int side = 0; side < kSides; ++side) {
    if (!place->block.sends(side)) continue;
    for (size_t bit = 0; bit < static_cast<size_t>(kLinkBits); ++bit) {
      const uint64_t* const sent = place->block.sent(side, bit);
      for (size_t k = 0; k < place->block.words(); ++k) {
        for (uint64_t left = sent[k] & place->edge[side].word[k]; left != 0; left &= left - 1) {
          const size_t at = k * 64 + static_cast<size_t>(__builtin_ctzll(left));
          out[port_of(*place, side, at)] |= uint64_t{1} << bit;
        }
      }
    }
  }
}

void Wide::clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) {
  std::fill(out, out + ports_.count(), uint64_t{0});
  for (Place& place : blocks_) {
    for (int side = 0; side < kSides; ++side) take_words(&place, side);
  }
  take_edges(in);
  for (Place& place : blocks_) {
    bool comes = false;
    for (const bool filled : place.filled) comes = comes || filled;
    if (!place.awake && !comes) continue;
    place.block.clock(cycle, scratch_.data());
    evaluations_ += static_cast<uint64_t>(place.tiles);
    bool sends = false;
    for (int side = 0; side < kSides; ++side) sends = sends || place.block.sends(side);
    place.awake = comes || sends || !place.block.idle();
    give_edges(&place, out);
  }
}

}  // namespace

std::unique_ptr<SimDevice> make_wide(GridShape shape, const SimOptions& options) {
  const std::pair<bool, const char*> lacks[] = {
      {options.check_idle, "checks of idle tiles"},
      {!options.skip_idle || options.toggle_clock, "another way to evaluate tiles"},
      {options.drop_credit.has_value(), "lost credits"},
      {!options.waves.file.empty(), "waves"},
      {options.on_word != nullptr, "reports of words"}};
  for (const auto& [wanted, what] : lacks) {
    if (wanted) throw BadInput(fmt::format("the wide engine has no {}: engine=replicated", what));
  }
  return std::make_unique<Wide>(shape, wide::find_code(options.width));
}

}  // namespace ow
