// SPDX-License-Identifier: Apache-2.0
#include "stations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "Vow_station_internals.h"
#include "link_vector.h"

namespace ow::wafer {

namespace {

constexpr int kResetCycles = 4;
constexpr uint32_t kAllSides[2] = {0xFFFFFFFFu, 0x1FFFu};  // 45 ones
constexpr int kPatience = 200;                             // longer than any count in a station

}  // namespace

Stations::Stations(const WireLayout& layout, sim::Context* context, Noise* noise)
    : layout_(layout), noise_(*noise) {
  sim::check_internals<Station>();
  requests_.resize(layout.tiles());
  pins_.resize(layout.reticles() * layout.rows() * 2);
  stations_.reserve(layout.tiles());
  for (size_t i = 0; i < layout.tiles(); ++i) add(i, context);
}

void Stations::add(size_t index, sim::Context* context) {
  stations_.emplace_back(sim::Model<Station>(context, fmt::format("station_{}", index)));
  sim::Model<Station>& model = stations_.back().model;
  model->col_i = static_cast<uint8_t>(index % layout_.tiles_of_reticle() % layout_.cols());
  start(&model);
}

void Stations::start(sim::Model<Station>* model) {
  Station* m = model->get();
  m->east_near_i = m->east_skip_i = m->west_near_i = m->west_skip_i = 0;
  m->tile_req_ready_i = 0;
  m->tile_rsp_valid_i = 0;
  m->tile_rsp_i = 0;
  m->stat_i = 0;
  std::memset(m->from_i.data(), 0, sizeof(m->from_i));
  std::memset(m->at_i.data(), 0, sizeof(m->at_i));
  // The tile always sends this: one side all ones, the rest zeros. No pattern of a scanning station
  // looks like that.
  m->from_i[0] = kAllSides[0];
  m->from_i[1] = kAllSides[1];
  model->reset(kResetCycles);
  m->rst_i = 0;
}

void Stations::reset() {
  for (State& old : stations_) {
    start(&old.model);
    State fresh(std::move(old.model));
    fresh.dead = old.dead;
    fresh.fault = old.fault;
    old = std::move(fresh);
  }
  std::fill(requests_.begin(), requests_.end(), StatRequest());
  std::fill(pins_.begin(), pins_.end(), ChainPins());
  changed_.clear();
  fuses_changed_ = true;
  silent_cycles_ = 0;
}

void Stations::break_station(const StationFault& f) {
  State& s = stations_[layout_.tile(f.reticle, f.at)];
  s.dead = true;
  s.fault = f.kind;
}

bool Stations::clock(const Tiles& tiles, const LinkEnds& links, const Wires& wires) {
  const bool host = std::any_of(pins_.begin(), pins_.end(), [](const auto& p) { return p.in; });
  silent_cycles_ = host ? 0 : silent_cycles_ + 1;
  awake_ = 0;
  bool due = false;
  const size_t cols = layout_.cols();
  for (size_t index = 0; index < stations_.size(); ++index) {
    const Lines in = lines(index / cols, index % cols);
    if (!wakes(&stations_[index], in)) continue;
    ++awake_;
    due |= clock_station(index, in, tiles.answer(index), links, wires);
  }
  return due;
}

Stations::Lines Stations::lines(size_t row, size_t col) const {
  const size_t cols = layout_.cols();
  const State* s = &stations_[row * cols];
  const bool west_pin = pins_[2 * row].in, east_pin = pins_[2 * row + 1].in;
  return {col > 0 ? s[col - 1].east : west_pin, col > 1 ? s[col - 2].east : west_pin,
          col + 1 < cols ? s[col + 1].west : east_pin, col + 2 < cols ? s[col + 2].west : east_pin};
}

// Whether the station must be evaluated. If not, its next lines are already known.
bool Stations::wakes(State* s, const Lines& in) {
  if (s->dead) {
    const bool one = s->fault == StationFault::Kind::StuckOne;
    const bool babble = s->fault == StationFault::Kind::Babble;
    s->next_east = babble ? (noise_() & 1) != 0 : one;
    s->next_west = babble ? (noise_() & 1) != 0 : one;
    return false;
  }
  s->idle = in.any() ? 0 : s->idle + 1;
  s->take = false;
  if (s->idle <= kPatience || s->control.request) return true;
  s->idle = kPatience + 1;
  s->next_east = s->east;
  s->next_west = s->west;
  return false;
}

// Does not touch registers of the tile or of other stations, only the words of this cycle. The
// output to the tile (control) stays until the tile has been clocked.
bool Stations::clock_station(size_t index, const Lines& in, const Answer& tile,
                             const LinkEnds& links, const Wires& wires) {
  State& s = stations_[index];
  Station* m = s.model.get();
  ++evaluations_;
  m->east_near_i = in.east_near;
  m->east_skip_i = in.east_skip;
  m->west_near_i = in.west_near;
  m->west_skip_i = in.west_skip;
  m->tile_req_ready_i = tile.ready;
  m->tile_rsp_valid_i = tile.valid;
  m->tile_rsp_i = tile.word;
  const uint64_t* at = wires.at_tile(index);
  const bool any = (at[0] | at[1] | at[2] | at[3]) != 0;
  if (any || s.heard) sim::pack_links(at, kSides, m->at_i.data());
  s.heard = any;
  m->stat_i = links.stat(index, requests_[index].side);
  if (tile.valid) {
    // This cycle's bit of the chain decides whether the answer's word is taken.
    s.model.evaluate();
    s.take = m->tile_rsp_ready_o != 0;
  }
  s.model.clock();
  s.next_east = m->east_o != 0;
  s.next_west = m->west_o != 0;
  changed_.push_back(index);
  if (s.tile_fuse != m->tile_fuse_o || s.row_fuse != m->row_fuse_o) {
    s.tile_fuse = static_cast<uint16_t>(m->tile_fuse_o);
    s.row_fuse = static_cast<uint8_t>(m->row_fuse_o);
    fuses_changed_ = true;
  }
  return scan(&s) || s.take;
}

// While a station scans, the mesh does not get what its tile sends. True if it scans or did so
// before.
bool Stations::scan(State* s) {
  const bool before = s->scan;
  const Station* m = s->model.get();
  s->scan = std::memcmp(m->to_o.data(), m->from_i.data(), 6 * sizeof(uint32_t)) != 0;
  if (s->scan) sim::unpack_links(m->to_o.data(), kSides, s->pattern.data());
  return s->scan || before;
}

bool Stations::publish_control() {
  bool due = false;
  for (const size_t i : changed_) {
    State& s = stations_[i];
    const Station* m = s.model.get();
    const Control before = s.control;
    s.control = {m->tile_rst_o != 0, m->tile_test_o != 0, m->tile_req_valid_o != 0, m->tile_req_o};
    due |= s.control.request || before.request || s.control.reset != before.reset ||
           s.control.test != before.test;
  }
  return due;
}

void Stations::publish_requests() {
  for (const size_t i : changed_) {
    const Station* m = stations_[i].model.get();
    requests_[i] = {m->stat_re_o != 0, m->stat_side_o, m->stat_addr_o};
  }
  changed_.clear();
  move_lines();
}

// Computes the lines of the chains for the next cycle.
void Stations::move_lines() {
  for (State& s : stations_) {
    s.east = s.next_east;
    s.west = s.next_west;
  }
  const size_t cols = layout_.cols();
  for (size_t row = 0; row < pins_.size() / 2; ++row) {
    const State* s = &stations_[row * cols];
    ChainPins& w = pins_[2 * row];
    ChainPins& e = pins_[2 * row + 1];
    w.near = s[0].west;
    w.skip = cols > 1 ? s[1].west : e.in;
    e.near = s[cols - 1].east;
    e.skip = cols > 1 ? s[cols - 2].east : w.in;
  }
}

bool Stations::fuses_changed() { return std::exchange(fuses_changed_, false); }

std::vector<uint16_t> Stations::tile_fuses(size_t reticle) const {
  const size_t n = layout_.tiles_of_reticle();
  std::vector<uint16_t> fuses(n);
  for (size_t t = 0; t < n; ++t) fuses[t] = stations_[reticle * n + t].tile_fuse;
  return fuses;
}

std::vector<uint8_t> Stations::row_fuses(size_t reticle) const {
  const size_t first = reticle * layout_.tiles_of_reticle();
  std::vector<uint8_t> fuses(layout_.rows());
  for (size_t p = 0; p < fuses.size(); ++p)
    fuses[p] = stations_[first + p * layout_.cols()].row_fuse;
  return fuses;
}

// A dead station may keep its neighbours busy forever with bits that are no frame. So the chains
// count as quiet when the host has been silent for longer than any answer takes.
bool Stations::quiet() const {
  constexpr uint64_t kChainRest = 2048;
  return (awake_ == 0 || silent_cycles_ > kChainRest) &&
         std::none_of(pins_.begin(), pins_.end(), [](const ChainPins& p) { return p.in; });
}

}  // namespace ow::wafer
