// SPDX-License-Identifier: Apache-2.0
// The simulated wafer over a Verilated tile, station and link end
// (ow/wafer/sim.h).
//
// Most tiles of a wafer under test do the same at the same time. Tiles that are
// in the same state and get the same inputs are a group: one of them, the
// leader, is evaluated for all. A tile whose inputs differ from its leader's
// takes a copy of the leader's state first and goes on by itself; tiles that
// rest in the same state join again before the host's next commands.
#ifndef OW_WAFER_SIM_WAFER_DEVICE_H_
#define OW_WAFER_SIM_WAFER_DEVICE_H_

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Vow_link_wafer_internals.h"
#include "Vow_station_internals.h"
#include "cell_force.h"
#include "ow/base/error.h"
#include "ow/device/link_word.h"
#include "ow/sim/sim_device.h"
#include "ow/sim/wafer.h"
#include "ow/wafer/mesh.h"

namespace ow::wafer {

constexpr int kWaferResetCycles = 4;

template <typename Tile>
class SimulatedWafer : public WaferDevice {
 public:
  using Station = Vow_station;
  using Link = Vow_link_wafer;

  SimulatedWafer(const Shape& shape, const Faults& faults)
      : WaferDevice(grid_of(shape)), wafer_(shape), places_(shape) {
    faults.check(shape);
    sim::check_internals<Tile>();
    sim::check_internals<Station>();
    sim::check_internals<Link>();
    context_.enter();
    // What a broken part sends breaks the rules that its neighbours' assertions
    // state.
    context_.assertOn(faults.empty());
    const auto reticles = static_cast<size_t>(shape.reticles());
    const size_t tiles = reticles * static_cast<size_t>(places_.tiles());
    const size_t places = reticles * static_cast<size_t>(places_.count());
    tiles_.resize(tiles);
    stations_.resize(tiles);
    for (auto& words : words_) words.assign(places, 0);
    fan_.resize(places);
    link_sends_.assign(places, 0);
    pins_.resize(reticles * static_cast<size_t>(shape.physical_rows()) * 2);
    stale_.assign(reticles, true);
    stuck_.resize(reticles);
    for (size_t t = 0; t < tiles; ++t) {
      make_tile(t);
      make_station(t);
    }
    make_links();
    make_ports();
    break_things(faults);
    form_groups();
    rebuild();
  }

  std::string description() const override {
    return fmt::format("replicated wafer, {} x {} reticles of {} x {} tiles and {} x {} spare",
                       wafer_.reticle_rows, wafer_.reticle_cols, wafer_.rows, wafer_.cols,
                       wafer_.spare_rows, wafer_.spare_cols);
  }
  uint64_t evaluations() const override { return counts_.tiles; }
  SimCounts counts() const override { return counts_; }

  std::vector<ChainPins>& pins() override { return pins_; }
  const Shape& wafer_shape() const override { return wafer_; }
  void wait_cycles(uint64_t cycles) override {
    join_groups();
    for (uint64_t i = 0; i < cycles; ++i) step();
  }

  void run_chains(std::vector<ChainJob>* jobs) override {
    join_groups();
    drive_chains(
        wafer_, &pins_, [this] { step(); }, jobs);
  }

 protected:
  void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) override {
    context_.enter();
    for (const PortPlace& p : port_in_) {
      if (in[p.port] != 0) emit(p.place, in[p.port], now_);
    }
    clock_stations();
    clock_tiles(cycle);
    clock_links(cycle);
    rebuild();

    // What the wires carry in the next cycle.
    const int next = now_ ^ 1;
    for (const Talker& t : talkers_) emit(t.place, t.word, next);
    talkers_.clear();
    for (const auto& stuck : stuck_now_) {
      const uint64_t word = (sent(stuck.source) & ~stuck.zeros) | stuck.ones;
      if (word != 0) put(stuck.sink, word, next);
    }
    for (const PortPlace& p : port_out_) out[p.port] = words_[next][p.place];
    for (const size_t place : touched_[now_]) words_[now_][place] = 0;
    touched_[now_].clear();
    now_ = next;
  }

  // A dead station may keep its neighbours busy for ever, with what is no
  // frame: the chains are at rest when the host has been silent for longer than
  // any answer takes.
  bool grid_quiet() const override {
    constexpr uint64_t kChainRest = 2048;
    return awake_tiles_ == 0 && (awake_stations_ == 0 || silent_cycles_ > kChainRest) &&
           !links_move_ && touched_[now_].empty() &&
           std::none_of(pins_.begin(), pins_.end(), [](const ChainPins& p) { return p.in; });
  }

 private:
  static constexpr uint32_t kAllSides[2] = {0xFFFFFFFFu, 0x1FFFu};  // 45 ones

  static GridShape grid_of(const Shape& shape) {
    shape.check();
    // Addresses of the test-access chain; 255 is for all stations.
    if (shape.physical_cols() > 255) {
      throw BadInput(fmt::format("wafer: physical columns of a reticle must be at most 255, not {}",
                                 shape.physical_cols()));
    }
    return {shape.logical_rows(), shape.logical_cols()};
  }

  // What a station's registers tell its tile.
  struct Control {
    bool reset = true;
    bool test = false;
    bool request = false;
    uint64_t word = 0;
  };
  struct TileState {
    std::unique_ptr<sim::Model<Tile>> model;
    bool awake = false;
    int in_reset = 0;                  // cycles that it has been
    size_t leader = 0;                 // who is evaluated for it, perhaps itself
    bool evaluated = false;            // since its state was last compared with others
    uint64_t digest = 0;               // of its state, then
    std::array<uint64_t, 4> drives{};  // by its registers, in this cycle
    std::array<uint64_t, 4> sends{};   // on its wires: what it drives, unless it is broken
    bool silent = false;
    bool babbles = false;
    bool settles = false;    // a forced register needs it
    bool disturbed = false;  // and it was changed in the last cycle
    std::vector<CellForce> forces;
  };
  // What a tile gets in a cycle.
  struct Inputs {
    Control control;
    bool take = false;
    const uint64_t* words = nullptr;
    bool operator==(const Inputs& o) const {
      return control.reset == o.control.reset && control.test == o.control.test &&
             control.request == o.control.request && control.word == o.control.word &&
             take == o.take && std::equal(words, words + 4, o.words);
    }
  };
  struct StationState {
    std::unique_ptr<sim::Model<Station>> model;
    Control control;    // in this cycle
    bool take = false;  // the tile's answer word is taken in this cycle
    bool scan = false;
    std::array<uint64_t, 4> pattern{};
    bool east = false, west = false;  // its lines in this cycle
    bool next_east = false, next_west = false;
    bool stat_re = false;
    int stat_side = 0, stat_addr = 0;
    bool heard = false;  // something on its tile's wires in the last cycle
    int idle = 0;        // cycles in which nothing came
    uint16_t tile_fuse = 0;
    uint8_t row_fuse = 0;
    bool dead = false;
    StationFault::Kind fault = StationFault::Kind::Silent;
    int link[4] = {-1, -1, -1, -1};  // link end at that side
    uint8_t column = 0;
  };
  struct LinkEnd {
    std::unique_ptr<sim::Model<Link>> model;
    size_t place = 0;  // edge slot: what goes out there comes into the link
    size_t station = 0;
    int side = 0;
    int peer = 0;
    bool idle = false;
    bool was_up = false;
    uint64_t still = 0;         // cycles without a word or a frame
    uint64_t sends = 0;         // towards the tile
    uint32_t lanes[2][3] = {};  // driven, by parity of the cycle
    bool faulty = false;
    uint32_t zeros[3] = {}, ones[3] = {};  // of the lanes that it hears
  };
  struct PortPlace {
    int port;
    size_t place;
  };
  struct Talker {
    size_t place;
    uint64_t word;
  };
  // A direction of a connection with stuck bits, by places within a reticle.
  struct WireBreak {
    int source;
    int sink;
    int bit;
    bool value;
  };
  struct Stuck {
    size_t source;
    size_t sink;
    uint64_t zeros = 0, ones = 0;
  };

  size_t place(size_t reticle, int local) const {
    return reticle * static_cast<size_t>(places_.count()) + static_cast<size_t>(local);
  }
  size_t tile_index(int reticle, const Position& p) const {
    return static_cast<size_t>(reticle) * static_cast<size_t>(places_.tiles()) +
           static_cast<size_t>(p.row * wafer_.physical_cols() + p.col);
  }
  size_t tile_place(size_t tile, int side) const {
    const auto n = static_cast<size_t>(places_.tiles());
    return place(tile / n, static_cast<int>(tile % n) * 4 + side);
  }

  void put(size_t sink, uint64_t word, int buffer) {
    uint64_t& at = words_[buffer][sink];
    if (at == 0) touched_[buffer].push_back(sink);
    at |= word;
  }
  void emit(size_t source, uint64_t word, int buffer) {
    for (const size_t sink : fan_[source]) put(sink, word, buffer);
  }
  // The side at which a connection leaves its tile: along the row, or up or
  // down.
  static int side_towards(const Position& from, const Position& to) {
    if (from.row == to.row) return from.col < to.col ? kEast : kWest;
    return from.row < to.row ? kSouth : kNorth;
  }
  // What a side of a tile, or a link, has on its wires.
  uint64_t sent(size_t source) const {
    const auto n = static_cast<size_t>(places_.count());
    if (places_.is_edge(static_cast<int>(source % n))) return link_sends_[source];
    const size_t tile = source / n * static_cast<size_t>(places_.tiles()) + source % n / 4;
    const StationState& s = stations_[tile];
    return s.scan ? s.pattern[source % n % 4] : tiles_[tile].sends[source % n % 4];
  }
  uint64_t noise() {
    noise_ ^= noise_ << 13;
    noise_ ^= noise_ >> 7;
    noise_ ^= noise_ << 17;
    return noise_;
  }

  void make_tile(size_t t) {
    TileState& tile = tiles_[t];
    tile.model = std::make_unique<sim::Model<Tile>>(&context_, fmt::format("tile_{}", t));
    Tile* m = tile.model->get();
    m->cycle_i = 0;
    m->link_n_i = m->link_e_i = m->link_s_i = m->link_w_i = 0;
    m->test_i = 0;
    m->test_req_valid_i = 0;
    m->test_req_i = 0;
    m->test_rsp_ready_i = 0;
    tile.model->reset(kWaferResetCycles);
  }

  void make_station(size_t t) {
    StationState& s = stations_[t];
    s.model = std::make_unique<sim::Model<Station>>(&context_, fmt::format("station_{}", t));
    const auto n = static_cast<size_t>(places_.tiles());
    s.column = static_cast<uint8_t>(static_cast<int>(t % n) % wafer_.physical_cols());
    Station* m = s.model->get();
    m->col_i = s.column;
    m->east_near_i = m->east_skip_i = m->west_near_i = m->west_skip_i = 0;
    m->tile_req_ready_i = 0;
    m->tile_rsp_valid_i = 0;
    m->tile_rsp_i = 0;
    m->stat_i = 0;
    std::memset(m->from_i.data(), 0, sizeof(m->from_i));
    std::memset(m->at_i.data(), 0, sizeof(m->at_i));
    // What the tile sends is always this: one side all ones, the rest zeros,
    // which no pattern of a scanning station gives.
    m->from_i[0] = kAllSides[0];
    m->from_i[1] = kAllSides[1];
    s.model->reset(kWaferResetCycles);
    m->rst_i = 0;
  }

  void make_links() {
    const auto add = [&](int reticle, int side, int slot) {
      LinkEnd l;
      l.model =
          std::make_unique<sim::Model<Link>>(&context_, fmt::format("link_{}", links_.size()));
      l.place = place(static_cast<size_t>(reticle), places_.edge(side, slot));
      const Position at = side == kNorth   ? Position{0, slot}
                          : side == kEast  ? Position{slot, wafer_.physical_cols() - 1}
                          : side == kSouth ? Position{wafer_.physical_rows() - 1, slot}
                                           : Position{slot, 0};
      l.station = tile_index(reticle, at);
      l.side = side;
      stations_[l.station].link[side] = static_cast<int>(links_.size());
      Link* m = l.model->get();
      m->enable_i = 1;
      m->retrain_i = 0;
      m->odd_i = 0;
      m->tile_i = 0;
      m->stat_re_i = 0;
      m->stat_addr_i = 0;
      std::memset(m->lane_i.data(), 0, sizeof(m->lane_i));
      l.model->reset(kWaferResetCycles);
      m->rst_i = 0;
      links_.push_back(std::move(l));
    };
    for (int d = 0; d < wafer_.reticles(); ++d) {
      const int y = d / wafer_.reticle_cols, x = d % wafer_.reticle_cols;
      if (x + 1 < wafer_.reticle_cols) {
        for (int r = 0; r < wafer_.physical_rows(); ++r) {
          add(d, kEast, r);
          add(d + 1, kWest, r);
        }
      }
      if (y + 1 < wafer_.reticle_rows) {
        for (int c = 0; c < wafer_.physical_cols(); ++c) {
          add(d, kSouth, c);
          add(d + wafer_.reticle_cols, kNorth, c);
        }
      }
    }
    for (size_t i = 0; i < links_.size(); ++i) links_[i].peer = static_cast<int>(i ^ 1);
  }

  // The edges of the wafer: logical row or column i has slot i.
  void make_ports() {
    const auto add = [&](Side side, int index, int reticle, int slot) {
      const PortPlace p{
          ports_.port(side, index),
          place(static_cast<size_t>(reticle), places_.edge(static_cast<int>(side), slot))};
      port_in_.push_back(p);
      port_out_.push_back(p);
    };
    const int last_row = (wafer_.reticle_rows - 1) * wafer_.reticle_cols;
    for (int c = 0; c < shape_.cols; ++c) {
      add(Side::North, c, c / wafer_.cols, c % wafer_.cols);
      add(Side::South, c, last_row + c / wafer_.cols, c % wafer_.cols);
    }
    for (int r = 0; r < shape_.rows; ++r) {
      const int first = r / wafer_.rows * wafer_.reticle_cols;
      add(Side::West, r, first, r % wafer_.rows);
      add(Side::East, r, first + wafer_.reticle_cols - 1, r % wafer_.rows);
    }
  }

  void break_tile(const TileFault& f) {
    TileState& t = tiles_[tile_index(f.reticle, f.at)];
    switch (f.kind) {
      case TileFault::Kind::Silent:
        t.silent = true;
        break;
      case TileFault::Kind::Babble:
        t.babbles = true;
        break;
      case TileFault::Kind::Memory:
        t.forces.push_back(CellForce::memory(t.model->cells(), f));
        break;
      case TileFault::Kind::Register:
        t.forces.push_back(CellForce::flip_flop(t.model->cells(), f));
        t.settles = true;
        break;
    }
  }

  void break_things(const Faults& faults) {
    for (const TileFault& f : faults.tiles) {
      try {
        break_tile(f);
      } catch (const BadInput& e) {
        throw BadInput(fmt::format("fault of tile ({}, {}) of reticle ({}, {}): {}", f.at.row,
                                   f.at.col, f.reticle / wafer_.reticle_cols,
                                   f.reticle % wafer_.reticle_cols, e.what()));
      }
    }
    for (const StationFault& f : faults.stations) {
      StationState& s = stations_[tile_index(f.reticle, f.at)];
      s.dead = true;
      s.fault = f.kind;
    }
    for (const WireFault& f : faults.wires) {
      const int out = side_towards(f.from, f.to);
      stuck_[static_cast<size_t>(f.reticle)].push_back(
          {places_.tile(f.from.row, f.from.col, out),
           places_.tile(f.to.row, f.to.col, (out + 2) & 3), f.bit, f.value});
    }
    for (const EdgeFault& f : faults.edges) {
      const int tile = places_.tile(f.wire.tile.row, f.wire.tile.col, f.wire.side);
      const int slot = places_.edge(f.wire.side, f.wire.slot);
      stuck_[static_cast<size_t>(f.reticle)].push_back(
          {f.inward ? slot : tile, f.inward ? tile : slot, f.bit, f.value});
    }
    for (const LaneFault& f : faults.lanes) {
      const int d = f.inward  ? f.reticle
                    : f.south ? f.reticle + wafer_.reticle_cols
                              : f.reticle + 1;
      const int side = f.south ? (f.inward ? kSouth : kNorth) : (f.inward ? kEast : kWest);
      const size_t at = place(static_cast<size_t>(d), places_.edge(side, f.slot));
      for (LinkEnd& l : links_) {
        if (l.place != at) continue;
        l.faulty = true;
        (f.value ? l.ones : l.zeros)[f.lane / 32] |= 1u << f.lane % 32;
      }
    }
  }

  void clock_stations() {
    const int cols = wafer_.physical_cols();
    int awake = 0;
    const size_t rows = pins_.size() / 2;
    const bool host = std::any_of(pins_.begin(), pins_.end(), [](const auto& p) { return p.in; });
    silent_cycles_ = host ? 0 : silent_cycles_ + 1;
    for (size_t row = 0; row < rows; ++row) {
      const bool west_pin = pins_[2 * row].in, east_pin = pins_[2 * row + 1].in;
      StationState* s = &stations_[row * static_cast<size_t>(cols)];
      for (int c = 0; c < cols; ++c) {
        const bool en = c > 0 ? s[c - 1].east : west_pin;
        const bool es = c > 1 ? s[c - 2].east : west_pin;
        const bool wn = c + 1 < cols ? s[c + 1].west : east_pin;
        const bool ws = c + 2 < cols ? s[c + 2].west : east_pin;
        StationState& st = s[c];
        if (st.dead) {
          const bool one = st.fault == StationFault::Kind::StuckOne;
          const bool babble = st.fault == StationFault::Kind::Babble;
          st.next_east = babble ? (noise() & 1) != 0 : one;
          st.next_west = babble ? (noise() & 1) != 0 : one;
          continue;
        }
        st.idle = en || es || wn || ws ? 0 : st.idle + 1;
        constexpr int kPatience = 200;  // longer than any count in a station
        st.take = false;
        if (st.idle > kPatience && !st.control.request) {
          st.idle = kPatience + 1;
          st.next_east = st.east;
          st.next_west = st.west;
          continue;
        }
        ++awake;
        clock_station(row * static_cast<size_t>(cols) + static_cast<size_t>(c), en, es, wn, ws);
      }
    }
    awake_stations_ = awake;
  }

  // Reads and writes neither the tile's nor another station's registers, but
  // the words of this cycle: what it gives the tile in this cycle (control)
  // stays until the tile has been clocked.
  void clock_station(size_t index, bool en, bool es, bool wn, bool ws) {
    StationState& s = stations_[index];
    Station* m = s.model->get();
    const Tile* tile = tiles_[tiles_[index].leader].model->get();
    ++counts_.stations;
    m->east_near_i = en;
    m->east_skip_i = es;
    m->west_near_i = wn;
    m->west_skip_i = ws;
    m->tile_req_ready_i = tile->test_req_ready_o;
    m->tile_rsp_valid_i = tile->test_rsp_valid_o;
    m->tile_rsp_i = tile->test_rsp_o;
    const uint64_t* at = &words_[now_][tile_place(index, 0)];
    const bool any = (at[0] | at[1] | at[2] | at[3]) != 0;
    if (any || s.heard) pack4(m->at_i.data(), at);
    s.heard = any;
    const int link = s.link[s.stat_side];
    m->stat_i = link < 0 ? 0 : (*links_[static_cast<size_t>(link)].model)->stat_o;
    s.take = false;
    if (tile->test_rsp_valid_o) {
      // Whether the answer's word is taken depends on this cycle's bit of the
      // chain.
      s.model->evaluate();
      s.take = m->tile_rsp_ready_o != 0;
    }
    s.model->clock();
    s.next_east = m->east_o != 0;
    s.next_west = m->west_o != 0;
    changed_.push_back(index);
    // Scanning, the mesh does not get what the tile sends.
    const bool scan = std::memcmp(m->to_o.data(), m->from_i.data(), 6 * sizeof(uint32_t)) != 0;
    tiles_due_ |= scan || s.scan || s.take;
    s.scan = scan;
    if (scan) unpack4(m->to_o.data(), s.pattern.data());
    if (s.tile_fuse != m->tile_fuse_o || s.row_fuse != m->row_fuse_o) {
      s.tile_fuse = static_cast<uint16_t>(m->tile_fuse_o);
      s.row_fuse = static_cast<uint8_t>(m->row_fuse_o);
      stale_[index / static_cast<size_t>(places_.tiles())] = true;
    }
  }

  // All tiles start alike, but those with forced cells, which are alone.
  void form_groups() {
    size_t first = tiles_.size();
    for (size_t i = 0; i < tiles_.size(); ++i) {
      TileState& t = tiles_[i];
      t.leader = i;
      if (!t.forces.empty()) continue;
      if (first == tiles_.size()) first = i;
      t.leader = first;
    }
    inputs_.resize(tiles_.size());
  }

  // Leaves its leader, whose state it takes along.
  void part(size_t i) {
    TileState& t = tiles_[i];
    const size_t old = t.leader;
    for (const auto& [from, to] : parted_) {
      if (from == old && inputs_[to] == inputs_[i]) {
        t.leader = to;
        return;
      }
    }
    parted_.emplace_back(old, i);
    const TileState& l = tiles_[old];
    t.model->copy_state(*l.model);
    t.leader = i;
    t.awake = l.awake;
    t.in_reset = l.in_reset;
    t.evaluated = true;
  }

  // Lets tiles that rest in the same state follow one of them.
  void join_groups() {
    std::vector<size_t> resting;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      TileState& t = tiles_[i];
      if (t.leader != i || t.awake || !t.forces.empty()) continue;
      if (t.evaluated) {
        Tile* m = t.model->get();
        m->cycle_i = 0;
        m->test_req_valid_i = 0;
        m->test_req_i = 0;
        m->test_rsp_ready_i = 0;
        m->link_n_i = m->link_e_i = m->link_s_i = m->link_w_i = 0;
        t.model->settle();
        t.digest = t.model->digest();
        t.evaluated = false;
      }
      resting.push_back(i);
    }
    for (size_t k = 1; k < resting.size(); ++k) {
      TileState& t = tiles_[resting[k]];
      for (size_t j = 0; j < k; ++j) {
        TileState& l = tiles_[resting[j]];
        if (l.leader != resting[j] || l.digest != t.digest || l.in_reset != t.in_reset ||
            !l.model->same_state(*t.model)) {
          continue;
        }
        for (TileState& other : tiles_) {
          if (other.leader == resting[k]) other.leader = resting[j];
        }
        break;
      }
    }
  }

  void clock_tiles(uint64_t cycle) {
    if (tiles_due_ || !touched_[now_].empty()) {
      tiles_due_ = false;
      clock_all_tiles(cycle);
    }
    // The stations' new registers, for the next cycle.
    for (const size_t i : changed_) {
      StationState& s = stations_[i];
      const Station* m = s.model->get();
      const Control before = s.control;
      s.control = {m->tile_rst_o != 0, m->tile_test_o != 0, m->tile_req_valid_o != 0,
                   m->tile_req_o};
      tiles_due_ |= s.control.request || before.request || s.control.reset != before.reset ||
                    s.control.test != before.test;
    }
  }

  // Sets tiles_due_ if the next cycle may do anything but wait for a word or a
  // station.
  void clock_all_tiles(uint64_t cycle) {
    const uint64_t evaluated = counts_.tiles;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      inputs_[i] = {stations_[i].control, stations_[i].take, &words_[now_][tile_place(i, 0)]};
    }
    parted_.clear();
    for (size_t i = 0; i < tiles_.size(); ++i) {
      const size_t leader = tiles_[i].leader;
      if (leader != i && !(inputs_[i] == inputs_[leader])) part(i);
    }
    for (size_t i = 0; i < tiles_.size(); ++i) {
      if (tiles_[i].leader == i) clock_tile(i, cycle);
    }
    int awake = 0;
    for (TileState& t : tiles_) {
      const TileState& l = tiles_[t.leader];
      awake += l.awake;
      t.sends = t.silent ? std::array<uint64_t, 4>{} : l.drives;
      if (t.babbles) {
        for (uint64_t& w : t.sends) w = noise() & kLinkMask;
      }
    }
    for (size_t i = 0; i < tiles_.size(); ++i) {
      const StationState& s = stations_[i];
      const auto& words = s.scan ? s.pattern : tiles_[i].sends;
      for (int side = 0; side < 4; ++side) {
        if (words[static_cast<size_t>(side)] != 0) {
          talkers_.push_back({tile_place(i, side), words[static_cast<size_t>(side)]});
        }
      }
    }
    awake_tiles_ = awake;
    tiles_due_ = awake > 0 || counts_.tiles != evaluated || !talkers_.empty();
  }

  void clock_tile(size_t i, uint64_t cycle) {
    TileState& t = tiles_[i];
    const Inputs& in = inputs_[i];
    const uint64_t* words = in.words;
    bool run = t.awake || (words[0] | words[1] | words[2] | words[3]) != 0 || in.control.request ||
               in.control.test != ((*t.model)->test_i != 0) || in.take || t.disturbed;
    if (in.control.reset) {
      // After a few cycles in reset nothing changes.
      run = t.in_reset < 8;
      t.in_reset += run ? 1 : 0;
    } else if (t.in_reset > 0) {
      t.in_reset = 0;
      run = true;
    }
    if (!run) {
      t.drives = {};
      t.awake = false;
      return;
    }
    Tile* m = t.model->get();
    m->rst_i = in.control.reset;
    m->test_i = in.control.test;
    m->test_req_valid_i = in.control.request;
    m->test_req_i = in.control.word;
    m->test_rsp_ready_i = in.take;
    m->link_n_i = words[0];
    m->link_e_i = words[1];
    m->link_s_i = words[2];
    m->link_w_i = words[3];
    m->cycle_i = cycle;
    t.model->clock();
    ++counts_.tiles;
    t.evaluated = true;
    if (!t.forces.empty()) force(&t);
    t.awake = !m->idle_o && !in.control.reset;
    t.drives = {m->link_n_o, m->link_e_o, m->link_s_o, m->link_w_o};
  }

  void force(TileState* t) {
    bool changed = false;
    for (CellForce& f : t->forces) changed |= f.apply();
    if (changed && t->settles) t->model->settle();
    t->disturbed = changed && t->settles;
  }

  void clock_links(uint64_t cycle) {
    const int now = lane_now_, next = lane_now_ ^ 1;
    bool move = false;
    for (size_t i = 0; i < links_.size(); ++i) {
      LinkEnd& l = links_[i];
      const uint64_t word = words_[now_][l.place];
      uint32_t lanes[3];
      std::memcpy(lanes, links_[static_cast<size_t>(l.peer)].lanes[now], sizeof(lanes));
      if (l.faulty) {
        for (int k = 0; k < 3; ++k) lanes[k] = (lanes[k] & ~l.zeros[k]) | l.ones[k];
      }
      const StationState& s = stations_[l.station];
      const bool asked = s.stat_re && s.stat_side == l.side;
      // An idle end drives a constant: nothing, or the pattern of its test, in
      // which it does not look at the word.
      if (l.idle && (word == 0 || l.sends != 0) && (lanes[0] | lanes[1] | lanes[2]) == 0 &&
          !asked) {
        if (l.sends != 0) talkers_.push_back({l.place, l.sends});
        std::memset(l.lanes[next], 0, sizeof(l.lanes[next]));
        ++l.still;
        continue;
      }
      Link* m = l.model->get();
      ++counts_.links;
      m->odd_i = static_cast<uint8_t>(cycle & 1);
      m->tile_i = word;
      std::memcpy(m->lane_i.data(), lanes, sizeof(lanes));
      m->stat_re_i = asked;
      m->stat_addr_i = static_cast<uint8_t>(s.stat_addr);
      l.model->clock();
      l.idle = m->idle_o != 0 && !asked;
      l.was_up |= m->up_o != 0;
      l.sends = m->tile_o;
      link_sends_[l.place] = l.sends;
      std::memcpy(l.lanes[next], m->lane_o.data(), sizeof(l.lanes[next]));
      if (l.sends != 0) talkers_.push_back({l.place, l.sends});
      const bool moved = (word | l.sends) != 0 || l.lanes[next][0] != 0 || l.lanes[next][1] != 0 ||
                         l.lanes[next][2] != 0;
      l.still = moved ? 0 : l.still + 1;
      // Longer than a frame waits for its acknowledgement before it is sent
      // again.
      constexpr uint64_t kStill = 256;
      move |= l.was_up && l.still < kStill && !l.idle;
    }
    links_move_ = move;
    lane_now_ = next;
    for (const size_t i : changed_) {
      StationState& s = stations_[i];
      s.stat_re = (*s.model)->stat_re_o != 0;
      s.stat_side = (*s.model)->stat_side_o;
      s.stat_addr = (*s.model)->stat_addr_o;
    }
    changed_.clear();
    // The chains' lines of the next cycle.
    const int cols = wafer_.physical_cols();
    for (StationState& s : stations_) {
      s.east = s.next_east;
      s.west = s.next_west;
    }
    for (size_t row = 0; row < pins_.size() / 2; ++row) {
      const StationState* s = &stations_[row * static_cast<size_t>(cols)];
      ChainPins& w = pins_[2 * row];
      ChainPins& e = pins_[2 * row + 1];
      w.near = s[0].west;
      w.skip = cols > 1 ? s[1].west : e.in;
      e.near = s[cols - 1].east;
      e.skip = cols > 1 ? s[cols - 2].east : w.in;
    }
  }

  // The wires of reticles whose fuses have changed.
  void rebuild() {
    if (std::find(stale_.begin(), stale_.end(), true) == stale_.end()) return;
    const auto n = static_cast<size_t>(places_.tiles());
    stuck_now_.clear();
    for (size_t d = 0; d < stale_.size(); ++d) {
      std::vector<uint16_t> tile_fuse(n);
      std::vector<uint8_t> row_fuse(static_cast<size_t>(wafer_.physical_rows()));
      for (size_t t = 0; t < n; ++t) tile_fuse[t] = stations_[d * n + t].tile_fuse;
      for (size_t p = 0; p < row_fuse.size(); ++p) {
        row_fuse[p] = stations_[d * n + p * static_cast<size_t>(wafer_.physical_cols())].row_fuse;
      }
      for (int k = 0; k < places_.count(); ++k) fan_[place(d, k)].clear();
      for (const Connection& c : connections(wafer_, tile_fuse, row_fuse)) {
        Stuck stuck{place(d, c.source), place(d, c.sink), 0, 0};
        for (const WireBreak& f : stuck_[d]) {
          if (f.source != c.source || f.sink != c.sink) continue;
          (f.value ? stuck.ones : stuck.zeros) |= uint64_t{1} << f.bit;
        }
        if ((stuck.ones | stuck.zeros) != 0) {
          stuck_now_.push_back(stuck);
        } else {
          fan_[stuck.source].push_back(stuck.sink);
        }
      }
      stale_[d] = false;
    }
  }

  static void pack4(uint32_t* wide, const uint64_t* words) {
    std::memset(wide, 0, 6 * sizeof(uint32_t));
    for (int k = 0; k < 4; ++k) {
      const int at = k * kLinkBits;
      for (int b = 0; b < kLinkBits;) {
        const int bit = at + b;
        const int room = std::min(32 - bit % 32, kLinkBits - b);
        wide[bit / 32] |=
            static_cast<uint32_t>((words[k] >> b & ((uint64_t{1} << room) - 1)) << (bit % 32));
        b += room;
      }
    }
  }
  static void unpack4(const uint32_t* wide, uint64_t* words) {
    for (int k = 0; k < 4; ++k) {
      words[k] = 0;
      const int at = k * kLinkBits;
      for (int b = 0; b < kLinkBits;) {
        const int bit = at + b;
        const int room = std::min(32 - bit % 32, kLinkBits - b);
        words[k] |=
            static_cast<uint64_t>(wide[bit / 32] >> (bit % 32) & ((uint64_t{1} << room) - 1)) << b;
        b += room;
      }
    }
  }

  const Shape wafer_;
  const Places places_;
  sim::Context context_;
  std::vector<TileState> tiles_;        // reticle by reticle, row by row
  std::vector<StationState> stations_;  // beside them
  std::vector<LinkEnd> links_;          // two by two
  std::vector<ChainPins> pins_;
  std::vector<PortPlace> port_in_, port_out_;
  std::vector<uint64_t> link_sends_;           // of each link, by its place
  std::vector<uint64_t> words_[2];             // at each place as a sink, this cycle and the next
  std::vector<size_t> touched_[2];             // places whose word is not zero
  std::vector<std::vector<size_t>> fan_;       // sinks of each source
  std::vector<bool> stale_;                    // reticles whose fuses have changed
  std::vector<std::vector<WireBreak>> stuck_;  // by reticle
  std::vector<Stuck> stuck_now_;               // in the wires as they are switched now
  std::vector<Inputs> inputs_;                 // of each tile in this cycle
  std::vector<std::pair<size_t, size_t>> parted_;  // leaders that were left in this cycle, for whom
  std::vector<Talker> talkers_;
  std::vector<size_t> changed_;  // stations clocked in this cycle
  int now_ = 0;
  int lane_now_ = 0;
  int awake_tiles_ = 0;
  bool tiles_due_ = true;
  uint64_t silent_cycles_ = 0;  // since the host drove a one into a chain
  int awake_stations_ = 0;
  bool links_move_ = false;
  uint64_t noise_ = 0x9E3779B97F4A7C15u;
  SimCounts counts_;
};

}  // namespace ow::wafer

#endif  // OW_WAFER_SIM_WAFER_DEVICE_H_
