// SPDX-License-Identifier: Apache-2.0
// The wide engine: hundreds of tiles are evaluated at once, a bit of a signal in all of them as one
// vector. ow_simgen makes the code of a tile from the RTL (docs/simulation.md).
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "apart.h"
#include "batches.h"
#include "block.h"
#include "lanes.h"
#include "library.h"
#include "lockstep.h"
#include "ow/base/error.h"
#include "ow/device/link_word.h"
#include "ow/sim/one_tile.h"
#include "ow/sim/sim_device.h"
#include "room.h"
#include "state_map.h"

namespace ow {
namespace {

using wide::Block;
using wide::kSides;
using wide::Lanes;

constexpr int kWidestBlock = 64;  // columns
// Blocks are as wide as the grid, rounded up to a power of two, but not wider than 64 columns.
int columns_of_block(GridShape shape) {
  int columns = 1;
  while (columns < shape.cols && columns < kWidestBlock) columns *= 2;
  return columns;
}
constexpr uint64_t kSampleStep = 37;  // from the sampled tile of a block to that of the next

int opposite(int side) { return (side + 2) % kSides; }
bool is_vertical(int side) { return side % 2 == 0; }

class Wide : public SimDevice {
 public:
  Wide(GridShape shape, const ow_wide_code& code, const SimOptions& options,
       std::unique_ptr<TileMaker> maker);

  std::string description() const override {
    return fmt::format(
        "{} engine, {} x {} tiles, {} at once{}", chooses_ ? "wide or replicated" : "wide",
        shape_.rows, shape_.cols, code_.width,
        batches_.threads() > 1 ? fmt::format(", {} threads", batches_.threads()) : "");
  }
  uint64_t evaluations() const override {
    uint64_t all = 0;
    for (const Place& place : blocks_) all += place.evaluations;
    return all;
  }
  const StateLayout& state_layout() const override { return maker_->layout(); }
  void read_tile(size_t tile, TileState* state) override;
  void write_tiles(const std::function<void(size_t, TileState*)>& tiles) override;

 protected:
  void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) override;
  bool grid_quiet() const override {
    return std::none_of(blocks_.begin(), blocks_.end(),
                        [](const Place& p) { return p.awake || p.sends; });
  }

 private:
  // A word that comes in at an edge of the grid.
  struct EdgeWord {
    int side;
    size_t lane;
    uint64_t word;
  };
  struct Place {
    Block block;
    int row = 0, column = 0;     // of its first tile
    uint64_t tiles = 0;          // of the grid
    int neighbour[kSides] = {};  // -1: none
    Lanes inside[kSides] = {};   // tiles whose neighbour is in the block,
    Lanes border[kSides] = {};   // in the block beside it,
    Lanes edge[kSides] = {};     // or outside of the grid
    bool awake = true;           // a tile may change though nothing comes
    bool sends = false;          // a tile sends something
    bool filled[kSides] = {};    // its link inputs are not all zero
    wide::Apart apart = {};      // its tiles, while they are evaluated one by one
    std::unique_ptr<wide::Lockstep> lockstep = {};
    std::vector<EdgeWord> comes = {};
    uint64_t evaluations = 0;
  };

  size_t lane(int row, int column) const {
    return static_cast<size_t>((row % rows_) * columns_ + column % columns_);
  }
  Place& place_of(int row, int column) {
    return blocks_[static_cast<size_t>((row / rows_) * across_ + column / columns_)];
  }
  void check_room(int processes) const;
  void make_block(int number, const TileState& reset);
  void sample_tiles(int first_row);
  void take_edges(const uint64_t* in);
  void take_words(Place* place, int side) const;
  bool wakes(Place* place);
  Block* begin(Place* place);
  void end(Place* place, bool evaluated);
  bool due(const Place& place) const;
  void give_edges(const Place& place);

  const ow_wide_code& code_;
  wide::TilePorts names_;
  std::unique_ptr<TileMaker> maker_;
  wide::StateMap map_;
  bool chooses_;        // blocks are evaluated as a whole or tile by tile
  int columns_, rows_;  // of a block
  int across_, count_;  // blocks
  std::vector<Place> blocks_;
  std::vector<Place*> due_;  // blocks to which something may come in this cycle, or that change
  uint64_t cycle_now_ = 0;
  uint64_t next_ = 0;  // the cycle after the last one
  uint64_t* out_now_ = nullptr;
  wide::Batches batches_;  // the last member: its threads use the others
};

Wide::Wide(GridShape shape, const ow_wide_code& code, const SimOptions& options,
           std::unique_ptr<TileMaker> maker)
    : SimDevice(shape),
      code_(code),
      names_(*code.names),
      maker_(std::move(maker)),
      map_(*code.names, maker_->layout()),
      chooses_(options.engine == Engine::Auto),
      columns_(columns_of_block(shape)),
      rows_(code.width / columns_),
      across_((shape.cols + columns_ - 1) / columns_),
      count_(across_ * ((shape.rows + rows_ - 1) / rows_)),
      batches_(
          code, static_cast<size_t>(std::max(options.threads, 1)), static_cast<size_t>(count_),
          [this](size_t k) { return begin(due_[k]); },
          [this](size_t k, bool evaluated) { end(due_[k], evaluated); }) {
  check_room(options.processes_here);
  // Registers that no reset sets begin as in the replicated engine.
  TileState reset;
  reset.words.resize(map_.words);
  maker_->make("reset")->read_next(reset.words.data());
  for (int b = 0; b < count_; ++b) make_block(b, reset);
  if (options.lockstep) sample_tiles(options.first_row);
}

// With engine=auto each tile may leave its block, and its place there remains.
void Wide::check_room(int processes) const {
  const auto tiles = static_cast<double>(shape_.rows) * shape_.cols;
  const double in_blocks = static_cast<double>(wide::block_bytes(code_)) * count_ / tiles;
  sim::check_room(fmt::format("grid of {} x {} tiles", shape_.rows, shape_.cols), tiles,
                  static_cast<size_t>(in_blocks) + (chooses_ ? maker_->tile_bytes() : 0), processes,
                  0);
}

// A tile of each block, another one in each.
void Wide::sample_tiles(int first_row) {
  for (size_t b = 0; b < blocks_.size(); ++b) {
    Place& place = blocks_[b];
    uint64_t skip = b * kSampleStep % place.tiles;
    size_t at = 0;
    while (!place.block.present().get(at) || skip-- > 0) ++at;
    const int row = first_row + place.row + static_cast<int>(at) / columns_;
    const int column = place.column + static_cast<int>(at) % columns_;
    place.lockstep = std::make_unique<wide::Lockstep>(at, map_, maker_.get(), row, column);
  }
}

void Wide::make_block(int b, const TileState& reset) {
  const int row = b / across_ * rows_, column = b % across_ * columns_;
  const int neighbour[kSides] = {
      b >= across_ ? b - across_ : -1, (b + 1) % across_ != 0 ? b + 1 : -1,
      b + across_ < count_ ? b + across_ : -1, b % across_ != 0 ? b - 1 : -1};
  Lanes present;
  for (int r = row; r < std::min(row + rows_, shape_.rows); ++r) {
    for (int c = column; c < std::min(column + columns_, shape_.cols); ++c) present.set(lane(r, c));
  }
  Place place{Block(code_, names_, present, map_, reset), row, column, present.count()};
  std::copy(std::begin(neighbour), std::end(neighbour), std::begin(place.neighbour));
  for (int r = row; r < std::min(row + rows_, shape_.rows); ++r) {
    for (int c = column; c < std::min(column + columns_, shape_.cols); ++c) {
      const bool last[kSides] = {r == 0, c + 1 == shape_.cols, r + 1 == shape_.rows, c == 0};
      const bool border[kSides] = {r == row, c + 1 == column + columns_, r + 1 == row + rows_,
                                   c == column};
      for (size_t side = 0; side < kSides; ++side) {
        (last[side]     ? place.edge
         : border[side] ? place.border
                        : place.inside)[side]
            .set(lane(r, c));
      }
    }
  }
  blocks_.push_back(std::move(place));
}

// What the neighbours on a side have sent: for tiles of the block by a move of lanes, for those of
// the block beside it by one in the other direction.
void Wide::take_words(Place* place, int side) const {
  const int beside = place->neighbour[side], from = opposite(side);
  const int along = is_vertical(side) ? columns_ : 1;
  const int across = is_vertical(side) ? columns_ * (rows_ - 1) : columns_ - 1;
  const int up = side == 0 || side == 3 ? 1 : -1;  // 1: the neighbour is a lower lane
  ow_wide_move moves[2];
  size_t count = 0;
  if (place->block.sends(cycle_now_, from)) {
    moves[count++] = {place->block.sent(cycle_now_, from, 0), up * along, place->inside[side].word};
  }
  if (beside >= 0) {
    const Block& other = blocks_[static_cast<size_t>(beside)].block;
    if (other.sends(cycle_now_, from)) {
      moves[count++] = {other.sent(cycle_now_, from, 0), -up * across, place->border[side].word};
    }
  }
  bool& filled = place->filled[side];
  if (count != 0 || filled) filled = place->block.take(side, moves, count);
}

// Words at the edges of the grid.
void Wide::take_edges(const uint64_t* in) {
  const auto put = [&](int row, int column, int side, uint64_t word) {
    if (word != 0) place_of(row, column).comes.push_back({side, lane(row, column), word});
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

void Wide::give_edges(const Place& place) {
  const uint64_t cycle = cycle_now_ + 1;
  for (int side = 0; side < kSides; ++side) {
    if (!place.edge[side].any()) continue;
    const Lanes senders = place.block.senders(cycle, side);
    for (size_t k = 0; k < place.block.words(); ++k) {
      for (uint64_t left = senders.word[k] & place.edge[side].word[k]; left != 0;
           left &= left - 1) {
        const size_t at = k * 64 + static_cast<size_t>(__builtin_ctzll(left));
        const int row = static_cast<int>(at) / columns_, column = static_cast<int>(at) % columns_;
        const int index = is_vertical(side) ? place.column + column : place.row + row;
        out_now_[ports_.port(static_cast<Side>(side), index)] =
            place.block.sent_by(at, cycle, side);
      }
    }
  }
}

// Takes what comes to a block. False if nothing does and nothing in it changes.
bool Wide::wakes(Place* place) {
  bool comes = !place->comes.empty();
  for (int side = 0; side < kSides; ++side) {
    take_words(place, side);
    comes = comes || place->filled[side];
  }
  for (const EdgeWord& word : place->comes) {
    place->filled[word.side] = true;
    for (size_t bit = 0; bit < kLinkBits; ++bit) {
      if ((word.word >> bit & 1) == 0) continue;
      place->block.taken(word.side, bit)[word.lane / 64] |= uint64_t{1} << (word.lane % 64);
    }
  }
  place->comes.clear();
  if (comes || place->awake || place->sends) return true;
  place->block.rest(cycle_now_);
  return false;
}

// Whether wakes() must be asked. It may be that nothing comes after all.
bool Wide::due(const Place& place) const {
  if (place.awake || place.sends || !place.comes.empty()) return true;
  for (int side = 0; side < kSides; ++side) {
    if (place.filled[side]) return true;
    const int beside = place.neighbour[side];
    if (beside < 0) continue;
    const Block& other = blocks_[static_cast<size_t>(beside)].block;
    if (other.sends(cycle_now_, opposite(side))) return true;
  }
  return false;
}

// Takes what comes to a block, and clocks it if its tiles are apart.
Block* Wide::begin(Place* place) {
  if (!wakes(place)) return nullptr;
  if (place->apart.active()) {
    if (const auto evaluated = place->apart.clock(cycle_now_)) {
      place->evaluations += *evaluated;
      place->awake = place->apart.awake();
      return nullptr;
    }
  }
  if (place->lockstep) place->lockstep->before(&place->block, cycle_now_);
  return &place->block;
}

void Wide::end(Place* place, bool evaluated) {
  Block& block = place->block;
  if (evaluated) {
    place->evaluations += place->tiles;
    if (place->lockstep) place->lockstep->after(&block, cycle_now_);
    place->awake = !block.idle();
    if (chooses_) place->apart.leave_if_better(&block, map_, maker_.get());
  }
  place->sends = false;
  for (int side = 0; side < kSides; ++side) {
    place->sends = place->sends || block.sends(cycle_now_ + 1, side);
  }
  if (place->sends) give_edges(*place);
}

void Wide::read_tile(size_t tile, TileState* state) {
  const int row = static_cast<int>(tile) / shape_.cols,
            column = static_cast<int>(tile) % shape_.cols;
  Place& place = place_of(row, column);
  if (place.apart.has(lane(row, column))) {
    place.apart.read(lane(row, column), next_, state);
  } else {
    place.block.read(lane(row, column), map_, next_, state);
  }
  for (int side = 0; side < kSides; ++side) {
    if (place.edge[side].get(lane(row, column))) state->sent[static_cast<size_t>(side)] = 0;
  }
}

void Wide::write_tiles(const std::function<void(size_t, TileState*)>& tiles) {
  for (Place& place : blocks_) {
    if (place.apart.active()) place.apart.rejoin(next_);
    if (place.lockstep) place.lockstep->begin_again();
  }
  TileState state;
  for (int row = 0; row < shape_.rows; ++row) {
    for (int column = 0; column < shape_.cols; ++column) {
      tiles(static_cast<size_t>(row * shape_.cols + column), &state);
      place_of(row, column).block.write(lane(row, column), map_, state);
    }
  }
  for (Place& place : blocks_) {
    place.block.resume();
    place.awake = !place.block.idle();
    place.sends = false;
    for (int side = 0; side < kSides; ++side) {
      place.sends = place.sends || place.block.sends(0, side);
    }
  }
}

void Wide::clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) {
  std::fill(out, out + ports_.count(), uint64_t{0});
  take_edges(in);
  // What was sent before cycles that were left out does not come again.
  if (grid_quiet()) {
    for (Place& place : blocks_) place.block.rest(cycle - 1);
  }
  cycle_now_ = cycle;
  next_ = cycle + 1;
  out_now_ = out;
  due_.clear();
  for (Place& place : blocks_) {
    due(place) ? due_.push_back(&place) : place.block.rest(cycle);
  }
  batches_.run(due_.size(), cycle);
}

}  // namespace

int rows_of_block(GridShape shape, int width) {
  return wide::find_code(width).width / columns_of_block(shape);
}

bool has_wide(int width) { return wide::has_code(width); }

std::unique_ptr<SimDevice> make_wide(GridShape shape, const SimOptions& options,
                                     std::unique_ptr<TileMaker> maker) {
  const std::pair<bool, const char*> lacks[] = {{options.check_idle, "checks of idle tiles"},
                                                {!options.skip_idle, "evaluation of idle tiles"},
                                                {options.toggle_clock, "clock with both edges"},
                                                {options.drop_credit.has_value(), "lost credits"},
                                                {!options.waves.file.empty(), "waves"},
                                                {options.on_word != nullptr, "reports of words"}};
  for (const auto& [wanted, what] : lacks) {
    if (wanted) throw BadInput(fmt::format("the wide engine has no {}: engine=replicated", what));
  }
  if (options.lockstep && options.engine == Engine::Auto) {
    throw BadInput("lockstep is only for engine=wide");
  }
  return std::make_unique<Wide>(shape, wide::find_code(options.width), options, std::move(maker));
}

}  // namespace ow
