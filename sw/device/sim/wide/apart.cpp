// SPDX-License-Identifier: Apache-2.0
#include "apart.h"

#include <algorithm>

namespace ow::wide {
namespace {

// In evaluations of a Verilated tile (ow bench scale has the measurements): a cycle of a block, and
// a tile's way into a Verilated model or back.
double tiles_of(const Block& block) { return block.words() * kGroup == 512 ? 80 : 60; }
constexpr double kTilesOfMove = 50;
constexpr double kMany = 2;  // times the tiles of a block: it changes over at once

}  // namespace

bool Apart::any(const Lanes& lanes) const {
  return std::any_of(std::begin(lanes.word), std::end(lanes.word),
                     [](uint64_t word) { return word != 0; });
}

// Whether it is time to, if `tiles` must move then.
bool Apart::changes_over(double lost, size_t tiles) {
  lost_ = std::max(0.0, lost_ + lost);
  if (lost_ <= kTilesOfMove * static_cast<double>(tiles)) return false;
  lost_ = 0;
  return true;
}

void Apart::leave_if_better(Block* block, const StateMap& map, TileMaker* maker) {
  const size_t busy = block->awake().count();
  if (!changes_over(tiles_of(*block) - static_cast<double>(busy), busy)) return;
  block_ = block;
  map_ = &map;
  maker_ = maker;
  tiles_.resize(block->words() * kGroup);
  awake_ = block->awake();
}

void Apart::rejoin(uint64_t cycle) {
  std::vector<TileState> states(kGroup);
  for (size_t group = 0; group < block_->words(); ++group) {
    for (uint64_t left = out_.word[group]; left != 0; left &= left - 1) {
      const auto k = static_cast<size_t>(__builtin_ctzll(left));
      read(group * kGroup + k, cycle, &states[k]);
    }
    if (out_.word[group] != 0) block_->write_group(group, out_.word[group], *map_, states);
  }
  out_ = {};
  out_count_ = 0;
  block_ = nullptr;
}

void Apart::read(size_t lane, uint64_t cycle, TileState* state) {
  state->words.resize(map_->words);
  tiles_[lane]->read_next(state->words.data());
  state->idle = tiles_[lane]->idle();
  for (int side = 0; side < kSides; ++side) {
    state->sent[static_cast<size_t>(side)] = block_->sent_by(lane, cycle, side);
  }
}

size_t Apart::find_due() {
  due_ = awake_;
  for (size_t side = 0; side < kSides; ++side) {
    receivers_[side] = block_->receivers(static_cast<int>(side));
    for (size_t k = 0; k < block_->words(); ++k) due_.word[k] |= receivers_[side].word[k];
  }
  return due_.count();
}

std::optional<size_t> Apart::clock(uint64_t cycle) {
  const size_t busy = find_due();
  const double lost = static_cast<double>(busy) - tiles_of(*block_);
  if (static_cast<double>(busy) >= kMany * tiles_of(*block_)) {
    rejoin(cycle);
    lost_ = 0;
    return std::nullopt;
  }
  block_->rest(cycle);  // sends nothing unless a tile does
  for (size_t k = 0; k < block_->words(); ++k) {
    for (uint64_t left = due_.word[k]; left != 0; left &= left - 1) {
      clock_tile(k * kGroup + static_cast<size_t>(__builtin_ctzll(left)), cycle);
    }
  }
  if (changes_over(lost, out_count_)) rejoin(cycle + 1);
  return busy;
}

void Apart::clock_tile(size_t lane, uint64_t cycle) {
  uint64_t in[kSides];
  for (size_t side = 0; side < kSides; ++side) {
    in[side] = receivers_[side].get(lane) ? block_->taken_by(lane, static_cast<int>(side)) : 0;
  }
  std::unique_ptr<OneTile>& tile = tiles_[lane];
  if (out_.get(lane)) {
    tile->clock(cycle, in);
  } else {
    if (tile == nullptr) tile = maker_->make("tile");
    block_->read(lane, *map_, cycle, &state_);
    tile->begin(state_.words.data(), cycle, in);
    out_.set(lane);
    ++out_count_;
  }
  tile->idle() ? awake_.clear(lane) : awake_.set(lane);
  for (int side = 0; side < kSides; ++side) {
    const uint64_t word = tile->sent(side);
    if (word != 0) block_->put(lane, cycle + 1, side, word);
  }
}

}  // namespace ow::wide
