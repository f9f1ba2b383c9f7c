// SPDX-License-Identifier: Apache-2.0
#include "ow/sim/tile_blocks.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "batches.h"
#include "block.h"
#include "lanes.h"
#include "library.h"
#include "ow/base/error.h"
#include "ow/device/link_word.h"
#include "ow/sim/one_tile.h"
#include "ow/sim/sim_device.h"
#include "state_map.h"

namespace ow {
namespace {

using wide::Block;
using wide::kGroup;
using wide::kSides;
using wide::Lanes;

// Where the ports of a tile stand that a grid does not use.
struct TestPorts {
  explicit TestPorts(const ow_wide_names& names)
      : reset(wide::find_input(names, "rst_i", 0)),
        test(wide::find_input(names, "test_i", 0)),
        request_valid(wide::find_input(names, "test_req_valid_i", 0)),
        response_ready(wide::find_input(names, "test_rsp_ready_i", 0)),
        request_ready(wide::find_output(names, "test_req_ready_o", 0)),
        response_valid(wide::find_output(names, "test_rsp_valid_o", 0)) {
    for (int k = 0; k < names.input_count; ++k) {
      if (std::string("test_req_i") != names.inputs[k].signal) continue;
      const auto bit = static_cast<int>(request.size());
      request.push_back(wide::find_input(names, "test_req_i", bit));
      response.push_back(wide::find_output(names, "test_rsp_o", bit));
    }
  }
  size_t reset, test, request_valid, response_ready;  // inputs
  std::vector<size_t> request;
  size_t request_ready, response_valid;  // registers
  std::vector<size_t> response;
};

class Blocks : public TileBlocks {
 public:
  Blocks(size_t count, const ow_wide_code& code, const SimOptions& options,
         std::unique_ptr<TileMaker> maker);

  size_t clock(uint64_t cycle, const std::vector<TileInputs>& inputs,
               const std::vector<uint8_t>& due) override;
  const std::array<uint64_t, 4>& sends(size_t tile) const override { return sends_[tile]; }
  bool idle(size_t tile) const override { return !places_[tile / width_].awake.get(tile % width_); }
  TestAnswer answer(size_t tile) const override;
  void copy(const std::vector<std::pair<size_t, size_t>>& pairs) override;
  bool same(size_t a, size_t b) const override {
    return places_[a / width_].block.same(a % width_, places_[b / width_].block, b % width_);
  }
  std::vector<uint64_t> digests(const std::vector<size_t>& tiles) const override;
  int width() const override { return code_.width; }

 private:
  struct Place {
    Block block;
    size_t first = 0, tiles = 0;
    bool runs = false;          // in this cycle
    bool sends[kSides] = {};    // `sends_` of its tiles is not zero
    Lanes filled[kSides] = {};  // by group of lanes: its link inputs are not zero
    Lanes awake = {};
  };

  void give(Place* place);
  void give_group(Place* place, size_t group);
  void take(Place* place);

  const ow_wide_code& code_;
  wide::TilePorts links_;
  TestPorts ports_;
  size_t width_;
  wide::StateMap map_;
  std::vector<Place> places_;
  std::vector<Place*> runs_;  // those that are evaluated in this cycle
  std::vector<std::array<uint64_t, 4>> sends_;
  const std::vector<TileInputs>* inputs_ = nullptr;  // of this cycle
  const std::vector<uint8_t>* due_ = nullptr;
  uint64_t cycle_ = 0;
  wide::Batches batches_;  // the last member: its threads use the others
};

Blocks::Blocks(size_t count, const ow_wide_code& code, const SimOptions& options,
               std::unique_ptr<TileMaker> maker)
    : code_(code),
      links_(*code.names),
      ports_(*code.names),
      width_(static_cast<size_t>(code.width)),
      map_(*code.names, maker->layout()),
      sends_(count),
      batches_(
          code, static_cast<size_t>(std::max(options.threads, 1)), (count + width_ - 1) / width_,
          [this](size_t k) {
            give(runs_[k]);
            return &runs_[k]->block;
          },
          [this](size_t k, bool) {
            runs_[k]->awake = runs_[k]->block.awake();
            take(runs_[k]);
          }) {
  TileState reset;
  reset.words.resize(map_.words);
  maker->make("reset")->read_next(reset.words.data());
  for (size_t first = 0; first < count; first += width_) {
    const size_t tiles = std::min(width_, count - first);
    Lanes present;
    for (size_t lane = 0; lane < tiles; ++lane) present.set(lane);
    places_.push_back({Block(code_, links_, present, map_, reset), first, tiles});
  }
}

TestAnswer Blocks::answer(size_t tile) const {
  const Block& block = places_[tile / width_].block;
  const size_t lane = tile % width_;
  const auto bit = [&](size_t reg) {
    return (block.reg(reg)[lane / kGroup] >> (lane % kGroup) & 1) != 0;
  };
  TestAnswer answer{bit(ports_.request_ready), bit(ports_.response_valid), 0};
  if (!answer.response_valid) return answer;
  for (size_t n = 0; n < ports_.response.size(); ++n) {
    answer.response |= uint64_t{bit(ports_.response[n])} << n;
  }
  return answer;
}

// The copies of a tile into one block are made together.
void Blocks::copy(const std::vector<std::pair<size_t, size_t>>& pairs) {
  std::map<std::pair<size_t, size_t>, Lanes> copies;  // by tile and block
  for (const auto& [from, to] : pairs) copies[{from, to / width_}].set(to % width_);
  for (const auto& [what, lanes] : copies) {
    const auto [from, place] = what;
    places_[place].block.copy(places_[from / width_].block, from % width_, lanes);
  }
}

std::vector<uint64_t> Blocks::digests(const std::vector<size_t>& tiles) const {
  std::map<size_t, uint64_t> groups;  // tiles of each group of lanes
  for (const size_t tile : tiles) groups[tile / kGroup] |= uint64_t{1} << tile % kGroup;
  std::vector<uint64_t> all;
  uint64_t digests[kGroup];
  for (const auto& [group, lanes] : groups) {
    const size_t place = group * kGroup / width_;
    places_[place].block.digest(group - place * width_ / kGroup, lanes, digests);
    for (uint64_t left = lanes; left != 0; left &= left - 1) {
      all.push_back(digests[__builtin_ctzll(left)]);
    }
  }
  return all;
}

void Blocks::give(Place* place) {
  for (size_t group = 0; group * kGroup < place->tiles; ++group) give_group(place, group);
}

// The inputs of 64 tiles become bits of vectors.
void Blocks::give_group(Place* place, size_t group) {
  Block& block = place->block;
  const size_t tiles = std::min(kGroup, place->tiles - group * kGroup);
  const TileInputs* const in = inputs_->data() + place->first + group * kGroup;
  const uint8_t* const due = due_->data() + place->first + group * kGroup;
  uint64_t active = 0, reset = 0, test = 0, request = 0, ready = 0, any[kSides] = {};
  for (size_t k = 0; k < tiles; ++k) {
    active |= uint64_t{due[k] != 0} << k;
    reset |= uint64_t{in[k].reset} << k;
    test |= uint64_t{in[k].test} << k;
    request |= uint64_t{in[k].request_valid} << k;
    ready |= uint64_t{in[k].response_ready} << k;
    for (size_t side = 0; side < kSides; ++side) any[side] |= in[k].links[side];
  }
  block.active()[group] = active;
  block.input(ports_.reset)[group] = reset;
  block.input(ports_.test)[group] = test;
  block.input(ports_.request_valid)[group] = request;
  block.input(ports_.response_ready)[group] = ready;
  uint64_t rows[kGroup];
  if (request != 0) {
    for (size_t k = 0; k < kGroup; ++k) rows[k] = k < tiles ? in[k].request : 0;
    wide::transpose(rows);
    for (size_t n = 0; n < ports_.request.size(); ++n) {
      block.input(ports_.request[n])[group] = rows[n];
    }
  }
  for (size_t side = 0; side < kSides; ++side) {
    if (any[side] == 0 && !place->filled[side].get(group)) continue;
    for (size_t k = 0; k < kGroup; ++k) rows[k] = k < tiles ? in[k].links[side] : 0;
    wide::transpose(rows);
    for (size_t bit = 0; bit < kLinkBits; ++bit) {
      block.taken(static_cast<int>(side), bit)[group] = rows[bit];
    }
    any[side] != 0 ? place->filled[side].set(group) : place->filled[side].clear(group);
  }
}

// What a block sends, word by word.
void Blocks::take(Place* place) {
  for (int side = 0; side < kSides; ++side) {
    bool& sends = place->sends[side];
    const bool now = place->runs && place->block.sends(cycle_ + 1, side);
    if (!now && !sends) continue;
    sends = now;
    uint64_t rows[kGroup];
    for (size_t group = 0; group * kGroup < place->tiles; ++group) {
      std::fill(std::begin(rows), std::end(rows), uint64_t{0});
      for (size_t bit = 0; now && bit < kLinkBits; ++bit) {
        rows[bit] = place->block.sent(cycle_ + 1, side, bit)[group];
      }
      if (now) wide::transpose(rows);
      const size_t first = group * kGroup, tiles = std::min(kGroup, place->tiles - first);
      for (size_t k = 0; k < tiles; ++k) {
        sends_[place->first + first + k][static_cast<size_t>(side)] = rows[k];
      }
    }
  }
}

size_t Blocks::clock(uint64_t cycle, const std::vector<TileInputs>& inputs,
                     const std::vector<uint8_t>& due) {
  cycle_ = cycle;
  inputs_ = &inputs;
  due_ = &due;
  runs_.clear();
  size_t evaluated = 0;
  for (Place& place : places_) {
    const auto begin = due.begin() + static_cast<std::ptrdiff_t>(place.first);
    place.runs = std::any_of(begin, begin + static_cast<std::ptrdiff_t>(place.tiles),
                             [](uint8_t is) { return is != 0; });
    place.runs ? runs_.push_back(&place) : take(&place);
    evaluated += place.runs ? place.tiles : 0;
  }
  batches_.run(runs_.size(), cycle);
  return evaluated;
}

}  // namespace

size_t bytes_in_blocks(const SimOptions& options) {
  const ow_wide_code& code = wide::find_code(options.width);
  return wide::block_bytes(code) / static_cast<size_t>(code.width);
}

std::unique_ptr<TileBlocks> make_tile_blocks(size_t count, const SimOptions& options) {
  return std::make_unique<Blocks>(count, wide::find_code(options.width), options,
                                  make_tile_maker(false));
}

}  // namespace ow
