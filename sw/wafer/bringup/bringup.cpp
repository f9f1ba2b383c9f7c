// SPDX-License-Identifier: Apache-2.0
#include "ow/wafer/bringup.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ow/error.h"
#include "ow/selftest.h"
#include "ow/tile_map.h"
#include "ow/wafer/mesh.h"

namespace ow::wafer {
namespace {

constexpr uint64_t kWordMask = (uint64_t{1} << 45) - 1;
constexpr uint32_t kRegMbist = kTileRegs + 0x7C0;
constexpr int kContacts = 12;  // tries until a station is given up (docs/bring-up.md)
// Words of a link's status that are commands, or show its tile's edge (docs/links.md).
constexpr uint32_t kLinkEdgeLow = 10, kLinkEdgeHigh = 11;
constexpr uint32_t kLinkTest = 12, kLinkTestInverted = 13, kLinkTestOff = 14;
constexpr uint64_t kLinkPattern = 0x15A39C66A5F0;
constexpr uint32_t kToEdge = 3u << 30;
constexpr uint32_t kTag = 5u << 16;
// The short self-test is looked at every so many cycles, and so often before it is given up.
constexpr uint64_t kSelftestWait = 20000;
constexpr int kSelftestLooks = 10;

uint64_t rotated(uint64_t word, int n) {
  return n == 0 ? word : ((word << n) | (word >> (45 - n))) & kWordMask;
}

uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// A setting of the muxes for direct connections: `skip` rows or columns between, and up and down
// `shift` columns to the side.
struct Setting {
  int skip = 0;
  int shift = 0;
};

class Work {
 public:
  Work(ChainAccess& chain, const BringupOptions& options)
      : chain_(chain), options_(options), shape_(chain.wafer_shape()), result_(shape_) {
    tiles_.resize(static_cast<size_t>(shape_.reticles() * rows() * cols()));
    rows_.resize(static_cast<size_t>(shape_.reticles() * rows()));
  }

  void discover();
  void scan_wires();
  void read_links();
  void scan_edges();
  void listen_for_noise();
  void test_memories();
  void start_all();
  void restart_all();
  void load(const ElfImage& image);
  std::vector<std::optional<uint32_t>> signatures(const ElfImage& image, uint64_t cycles,
                                                  int looks);
  void compare_signatures(const std::vector<std::optional<uint32_t>>& all, uint32_t right);
  void test_cores();
  void test_routers();
  void exchange_words(const Setting& setting);
  void collect();
  Repair repair(const Window& window) const;
  void set_fuses(const WaferMap& map);
  void verify_neighbours(const WaferMap& map);

  bool found(int d, int p, int c) const { return tile(d, p, c).found; }
  Bringup take() { return std::move(result_); }
  Bringup& result() { return result_; }

 private:
  struct Tile {
    bool found = false;  // its station answers
    bool bad = false;
  };
  struct Row {
    bool usable = false;
    bool from_east = false;
  };
  // A command whose answer somebody wants: where it stands in its row's job.
  struct Handle {
    size_t row = 0;
    size_t index = 0;
  };

  int rows() const { return shape_.physical_rows(); }
  int cols() const { return shape_.physical_cols(); }
  size_t row_index(int d, int p) const { return static_cast<size_t>(d * rows() + p); }
  size_t index(int d, int p, int c) const { return row_index(d, p) * cols() + c; }
  Tile& tile(int d, int p, int c) { return tiles_[index(d, p, c)]; }
  const Tile& tile(int d, int p, int c) const { return tiles_[index(d, p, c)]; }
  // Alive: its station answers, in a row whose chain is whole.
  bool alive(int d, int p, int c) const {
    return tile(d, p, c).found && rows_[row_index(d, p)].usable;
  }
  bool good(int d, int p, int c) const { return alive(d, p, c) && !tile(d, p, c).bad; }
  void each(const std::function<void(int, int, int)>& call) const {
    for (int d = 0; d < shape_.reticles(); ++d) {
      for (int p = 0; p < rows(); ++p) {
        for (int c = 0; c < cols(); ++c) call(d, p, c);
      }
    }
  }
  void each_alive(const std::function<void(int, int, int)>& call) const {
    each([&](int d, int p, int c) {
      if (alive(d, p, c)) call(d, p, c);
    });
  }
  void begin(const std::string& what) {
    if (options_.progress) options_.progress(what);
  }

  // A batch of commands for all usable rows.
  void open_batch() {
    jobs_.clear();
    where_.assign(rows_.size(), -1);
  }
  ChainJob& job_of(int d, int p) {
    int& at = where_[row_index(d, p)];
    if (at < 0) {
      at = static_cast<int>(jobs_.size());
      ChainJob job;
      job.where = {d, p, rows_[row_index(d, p)].from_east};
      job.overlap = discovered_;
      jobs_.push_back(job);
    }
    return jobs_[static_cast<size_t>(at)];
  }
  Handle add(int d, int p, int c, bool write, int reg, uint32_t data = 0) {
    ChainJob& job = job_of(d, p);
    job.commands.push_back({c, write, reg, data});
    return {row_index(d, p), job.commands.size() - 1};
  }
  std::optional<uint32_t> answer(const Handle& h) const {
    return jobs_[static_cast<size_t>(where_[h.row])].answers[h.index];
  }
  void run_batch() { chain_.run_chains(&jobs_); }

  // One end of a reticle-crossing link, and its station.
  struct LinkEnd {
    int reticle = 0;
    int side = 0;
    int slot = 0;
    Position at;
  };
  LinkEnd link_end(int d, int side, int slot) const {
    return {d, side, slot,
            side == kNorth   ? Position{0, slot}
            : side == kEast  ? Position{slot, cols() - 1}
            : side == kSouth ? Position{rows() - 1, slot}
                             : Position{slot, 0}};
  }
  // Where its status word w will be.
  Handle add_link(const LinkEnd& e, uint32_t w) {
    add(e.reticle, e.at.row, e.at.col, true, kStationLink, static_cast<uint32_t>(e.side) << 6 | w);
    return add(e.reticle, e.at.row, e.at.col, false, kStationLinkStatus);
  }
  bool link_up(int d, int side, int slot) const {
    const bool south = side == kNorth || side == kSouth;
    const int owner = shape_.link_owner(d, side);
    for (const LinkState& l : result_.links) {
      if (l.reticle == owner && l.south == south && l.slot == slot) return l.up;
    }
    return false;
  }

  // A packet for the tile's endpoint through its station.
  void add_write(int d, int p, int c, uint32_t addr, const std::vector<uint32_t>& words) {
    add(d, p, c, true, kStationPush, 1u << 28 | static_cast<uint32_t>(words.size()));
    add(d, p, c, true, kStationPush, addr);
    for (size_t i = 0; i < words.size(); ++i) {
      add(d, p, c, true, i + 1 < words.size() ? kStationPush : kStationPushLast, words[i]);
    }
  }
  // Returns where the words of the answer will be: the status, then n words.
  Handle add_read(int d, int p, int c, uint32_t addr, int n) {
    add(d, p, c, true, kStationPush, 2u << 28 | kTag | static_cast<uint32_t>(n));
    add(d, p, c, true, kStationPush, addr);
    add(d, p, c, true, kStationPush, kToEdge);
    add(d, p, c, true, kStationPushLast, kToEdge);
    add(d, p, c, false, kStationPop);
    add(d, p, c, false, kStationPop);
    const Handle status = add(d, p, c, false, kStationPop);
    for (int i = 0; i < n; ++i) add(d, p, c, false, kStationPop);
    return status;
  }
  // Word i of that answer, or nothing if the endpoint did not give it.
  std::optional<uint32_t> word(const Handle& status, int i, int n) const {
    if (answer(status) != (kTag | static_cast<uint32_t>(n))) return std::nullopt;
    return answer({status.row, status.index + 1 + static_cast<size_t>(i)});
  }
  // The same words into all tiles of all rows at once.
  void broadcast(uint32_t addr, const std::vector<uint32_t>& words) {
    each_row([&](int d, int p) { add_write(d, p, kEveryColumn, addr, words); });
  }
  // Starts the neighbours' part of the self-test, for which all orders are written, in all tiles at
  // once, and waits for its end. Its results lie at `result` then.
  void run_exchange(uint32_t result, uint32_t colours) {
    open_batch();
    broadcast(kRegCorePc, {options_.selftest.entry});
    broadcast(result, {0, 0, 0, 0, 0, 0});
    run_batch();
    open_batch();  // by itself: all rows start in the same cycle
    broadcast(kRegCoreCtrl, {kCoreRun | kCoreReset});
    run_batch();
    chain_.wait_cycles(ow_selftest_router_cycles(colours));
  }
  void each_row(const std::function<void(int, int)>& call) const {
    for (int d = 0; d < shape_.reticles(); ++d) {
      for (int p = 0; p < rows(); ++p) {
        if (rows_[row_index(d, p)].usable) call(d, p);
      }
    }
  }

  void lose(int d, int p, int c, const std::string& why) {
    if (tile(d, p, c).bad) return;
    tile(d, p, c).bad = true;
    result_.findings.push_back({d, {p, c}, why});
  }

  // Where the neighbour is that `side` hears; false if there is none.
  bool neighbour(int p, int c, int side, const Setting& s, Position* at) const {
    const bool along = side == kEast || side == kWest;
    if (s.skip > (along ? shape_.spare_cols : shape_.spare_rows) || (along && s.shift != 0)) {
      return false;
    }
    const int far = 1 + s.skip;
    *at = {p + far * ((side == kSouth) - (side == kNorth)),
           c + far * ((side == kEast) - (side == kWest)) + s.shift};
    return at->row >= 0 && at->row < rows() && at->col >= 0 && at->col < cols();
  }
  static Wire wire_of(const Position& a, const Position& b) {
    return a.row < b.row || (a.row == b.row && a.col < b.col) ? Wire{a, b} : Wire{b, a};
  }
  bool broken(int d, const Position& a, const Position& b) const {
    return wires_.count({d, wire_of(a, b)}) != 0;
  }
  // Fuses that connect a tile to these neighbours, but not over broken wires nor to bad tiles.
  TileFuse direct(int d, int p, int c, const Setting& s) const {
    TileFuse f;
    f.enable = true;
    f.n_shift = f.s_shift = s.shift;
    int* const skips[] = {&f.n_skip, &f.e_skip, &f.s_skip, &f.w_skip};
    for (int side = 0; side < 4; ++side) {
      *skips[side] = listens(d, p, c, side, s) ? s.skip : kNoSkip;
    }
    return f;
  }
  bool listens(int d, int p, int c, int side, const Setting& s) const {
    Position at;
    return neighbour(p, c, side, s, &at) && good(d, at.row, at.col) && good(d, p, c) &&
           !broken(d, {p, c}, at);
  }

  ChainAccess& chain_;
  const BringupOptions& options_;
  const Shape shape_;
  Bringup result_;
  std::vector<Tile> tiles_;
  std::vector<Row> rows_;
  std::set<std::pair<int, Wire>> wires_;
  std::set<std::pair<int, EdgeWire>> edges_;
  std::vector<LinkEnd> untested_;  // their stations do not answer
  std::vector<bool> heard_of_;     // a word from it, or to it, has arrived
  bool discovered_ = false;        // the stations have found each other
  std::vector<ChainJob> jobs_;
  std::vector<int> where_;
};

// Asks for every station from both ends; the chains set themselves up meanwhile.
void Work::discover() {
  begin("test-access chains");
  std::vector<bool> heard[2];
  for (const bool east : {false, true}) {
    std::vector<bool>& seen = heard[east ? 1 : 0];
    seen.assign(tiles_.size(), false);
    for (Row& row : rows_) row.from_east = east;
    for (int contact = 0; contact < kContacts; ++contact) {
      open_batch();
      std::vector<std::pair<size_t, Handle>> asked;
      each([&](int d, int p, int c) {
        const int column = east ? cols() - 1 - c : c;
        const size_t at = index(d, p, column);
        if (!seen[at]) asked.emplace_back(at, add(d, p, column, false, kStationId));
      });
      if (asked.empty()) break;
      run_batch();
      for (const auto& [at, handle] : asked) seen[at] = answer(handle) == kStationIdValue;
    }
  }
  for (int d = 0; d < shape_.reticles(); ++d) {
    for (int p = 0; p < rows(); ++p) {
      Row& row = rows_[row_index(d, p)];
      bool west = true, east = true, gap = false, any = false, before = true;
      for (int c = 0; c < cols(); ++c) {
        const size_t at = index(d, p, c);
        const bool from_west = heard[0][at], from_east = heard[1][at];
        tiles_[at].found = from_west || from_east;
        any |= tiles_[at].found;
        west &= from_west || !from_east;
        east &= from_east || !from_west;
        gap |= !tiles_[at].found && !before;
        before = tiles_[at].found;
      }
      // The row's link slots are set in its first station.
      row.usable = any && !gap && (west || east) && tile(d, p, 0).found;
      row.from_east = !west;
      if (!row.usable) {
        result_.findings.push_back({d,
                                    {p, 0},
                                    tile(d, p, 0).found
                                        ? "test-access chain broken"
                                        : "the first station of its chain does not answer"});
        continue;
      }
      for (int c = 0; c < cols(); ++c) {
        if (!tile(d, p, c).found) lose(d, p, c, "its station does not answer");
      }
    }
  }
  discovered_ = true;
}

// Every wire between tiles, in both directions and with every setting of the muxes: each station
// sends a pattern of its own and then its complement, while the tiles are in reset.
void Work::scan_wires() {
  begin("wires");
  const int sc = shape_.spare_cols, sr = shape_.spare_rows;
  const int shifts = 2 * sc + 1, vertical = (sr + 1) * shifts, horizontal = sc + 1;
  const int rounds = std::max(vertical, horizontal);
  for (int round = 0; round < rounds; ++round) {
    const int skip = round % horizontal, up = round % vertical / shifts;
    const int shift = round % vertical % shifts - sc;
    // Who is heard at a side of a tile in this round; false if it is nobody.
    const auto source = [&](int p, int c, int side, Position* at) {
      switch (side) {
        case kNorth:
          *at = {p - 1 - up, c + shift};
          break;
        case kEast:
          *at = {p, c + 1 + skip};
          break;
        case kSouth:
          *at = {p + 1 + up, c + shift};
          break;
        default:
          *at = {p, c - 1 - skip};
          break;
      }
      return at->row >= 0 && at->row < rows() && at->col >= 0 && at->col < cols();
    };
    const auto pattern = [&](int d, const Position& at, int turn) {
      const uint64_t x = mixed(static_cast<uint64_t>(index(d, at.row, at.col)) * 64 +
                               static_cast<uint64_t>(round));
      return (turn == 0 ? x : ~x) & kWordMask;
    };
    open_batch();
    each_alive([&](int d, int p, int c) {
      TileFuse f;
      f.enable = true;
      Position at;
      f.n_skip = source(p, c, kNorth, &at) ? up : kNoSkip;
      f.s_skip = source(p, c, kSouth, &at) ? up : kNoSkip;
      f.e_skip = source(p, c, kEast, &at) ? skip : kNoSkip;
      f.w_skip = source(p, c, kWest, &at) ? skip : kNoSkip;
      f.n_shift = f.s_shift = shift;
      add(d, p, c, true, kStationTileFuse, f.word());
    });
    run_batch();
    for (int turn = 0; turn < 2; ++turn) {
      open_batch();
      each_alive([&](int d, int p, int c) {
        const uint64_t x = pattern(d, {p, c}, turn);
        add(d, p, c, true, kStationPatternLow, static_cast<uint32_t>(x));
        add(d, p, c, true, kStationPatternHigh, static_cast<uint32_t>(x >> 32));
        if (round == 0 && turn == 0) add(d, p, c, true, kStationScan, 1);
      });
      run_batch();
      struct Heard {
        int reticle;
        Position from;
        Position to;
        int side;
        Handle low;
      };
      std::vector<Heard> all;
      open_batch();
      each_alive([&](int d, int p, int c) {
        for (int side = 0; side < 4; ++side) {
          Position at;
          if (!source(p, c, side, &at) || !alive(d, at.row, at.col)) continue;
          const Handle low = add(d, p, c, false, kStationCapture + 2 * side);
          add(d, p, c, false, kStationCapture + 2 * side + 1);
          all.push_back({d, at, {p, c}, side, low});
        }
      });
      run_batch();
      for (const Heard& h : all) {
        const auto low = answer(h.low), high = answer({h.low.row, h.low.index + 1});
        const int out = (h.side + 2) & 3;
        const uint64_t expected = rotated(pattern(h.reticle, h.from, turn), 11 * out);
        ++result_.wires_scanned;
        if (low && high && (uint64_t{*high} << 32 | *low) == expected) continue;
        const uint64_t wrong = expected ^ (uint64_t{high.value_or(0)} << 32 | low.value_or(0));
        if (wires_.insert({h.reticle, wire_of(h.from, h.to)}).second) {
          int bit = 0;
          while ((wrong >> bit & 1) == 0 && bit < 44) ++bit;
          result_.findings.push_back({h.reticle, h.from,
                                      fmt::format("wire to tile ({}, {}): bit {} arrives wrong",
                                                  h.to.row, h.to.col, bit)});
        }
      }
    }
  }
  open_batch();
  each_alive([&](int d, int p, int c) {
    add(d, p, c, true, kStationScan, 0);
    add(d, p, c, true, kStationTileFuse, 0);
  });
  run_batch();
}

void Work::read_links() {
  begin("reticle-crossing links");
  struct End {
    bool answers = false;
    bool up = false;
    int reason = 0;
    std::vector<int> faulty;
  };
  struct Crossing {
    LinkEnd ends[2];  // of the reticle itself, of its neighbour
    LinkState state;
    bool settled = false;
  };
  constexpr uint32_t kWords[] = {0, 4, 5, 6, 7};
  std::vector<Crossing> all;
  for (int d = 0; d < shape_.reticles(); ++d) {
    for (const bool south : {false, true}) {
      if (!Defects::has_links(shape_, d, south ? kSouth : kEast)) continue;
      const int other = south ? d + shape_.reticle_cols : d + 1;
      for (int slot = 0; slot < (south ? cols() : rows()); ++slot) {
        Crossing x;
        x.ends[0] = link_end(d, south ? kSouth : kEast, slot);
        x.ends[1] = link_end(other, south ? kNorth : kWest, slot);
        x.state.reticle = d;
        x.state.south = south;
        x.state.slot = slot;
        all.push_back(x);
      }
    }
  }
  // Training takes some 4,600 cycles, three times that if it fails.
  for (int tries = 0; tries < 4; ++tries) {
    if (tries > 0) chain_.wait_cycles(6000);
    open_batch();
    std::vector<std::pair<const LinkEnd*, Handle>> asked;
    for (const Crossing& x : all) {
      if (x.settled) continue;
      for (const LinkEnd& e : x.ends) {
        if (!alive(e.reticle, e.at.row, e.at.col)) continue;
        asked.emplace_back(&e, add_link(e, kWords[0]));
        for (size_t w = 1; w < std::size(kWords); ++w) add_link(e, kWords[w]);
      }
    }
    if (asked.empty()) break;
    run_batch();
    std::map<const LinkEnd*, End> ends;
    for (const auto& [e, handle] : asked) {
      const auto value = [&, first = handle](size_t w) {
        return answer({first.row, first.index + 2 * w});
      };
      const auto status = value(0);
      if (!status) continue;
      End& end = ends[e];
      end.answers = true;
      end.up = (*status & 1) != 0;
      end.reason = static_cast<int>(*status >> 3 & 7);
      for (size_t group = 0; group < 2; ++group) {
        const uint64_t lanes = uint64_t{value(1 + 2 * group).value_or(0)} |
                               uint64_t{value(2 + 2 * group).value_or(0)} << 32;
        for (int lane = 0; lane < 34; ++lane) {
          if ((lanes >> lane & 1) != 0) end.faulty.push_back(34 * static_cast<int>(group) + lane);
        }
      }
    }
    for (Crossing& x : all) {
      if (x.settled) continue;
      const End &a = ends[&x.ends[0]], &b = ends[&x.ends[1]];
      x.state.up = (a.answers || b.answers) && (a.up || !a.answers) && (b.up || !b.answers);
      x.state.reason = a.answers && !a.up ? a.reason : b.reason;
      x.state.lanes_in = a.faulty;
      x.state.lanes_out = b.faulty;
      constexpr int kNoSignal = 2, kTraining = 3;
      x.settled = true;
      for (const End* e : {&a, &b}) {
        if (e->answers && !e->up && (e->reason == kNoSignal || e->reason == kTraining)) {
          x.settled = false;
        }
      }
    }
  }
  for (const Crossing& x : all) result_.links.push_back(x.state);
}

// Every connection between the tiles of an edge and its links, both ways: the station of the tile
// and the link each send a pattern and then its complement, while the tiles are in reset.
void Work::scan_edges() {
  begin("wires to the links");
  const int sc = shape_.spare_cols, sr = shape_.spare_rows;
  std::vector<LinkEnd> ends;
  for (int d = 0; d < shape_.reticles(); ++d) {
    for (int side = 0; side < 4; ++side) {
      if (!Defects::has_links(shape_, d, side)) continue;
      for (int slot = 0; slot < (side % 2 == 0 ? cols() : rows()); ++slot) {
        const LinkEnd e = link_end(d, side, slot);
        if (!link_up(d, side, slot)) continue;
        if (alive(d, e.at.row, e.at.col)) {
          ends.push_back(e);
        } else {
          untested_.push_back(e);
        }
      }
    }
  }
  if (ends.empty()) return;
  const auto command = [&](uint32_t word) {
    open_batch();
    for (const LinkEnd& e : ends) add_link(e, word);
    run_batch();
  };
  command(kLinkTest);
  open_batch();
  each_alive([&](int d, int p, int c) { add(d, p, c, true, kStationScan, 1); });
  run_batch();
  // `far` rows or columns are between the tile and the edge, the slot is shifted by `shift`.
  const int rows_rounds = (sc + 1) * (2 * sr + 1), cols_rounds = (sr + 1) * (2 * sc + 1);
  for (int round = 0; round < std::max(rows_rounds, cols_rounds); ++round) {
    const auto setting = [&](int side, int* far, int* shift) {
      const int shifts = 2 * (side % 2 == 0 ? sc : sr) + 1;
      *far = round / shifts;
      *shift = round % shifts - (shifts - 1) / 2;
      return round < (side % 2 == 0 ? cols_rounds : rows_rounds);
    };
    struct Joined {
      EdgeWire wire;
      LinkEnd end;
    };
    std::vector<Joined> joined;
    for (const LinkEnd& e : ends) {
      int far = 0, shift = 0;
      if (!setting(e.side, &far, &shift)) continue;
      const int line = e.slot - shift;
      EdgeWire w;
      w.side = e.side;
      w.slot = e.slot;
      w.tile = e.side == kNorth   ? Position{far, line}
               : e.side == kEast  ? Position{line, cols() - 1 - far}
               : e.side == kSouth ? Position{rows() - 1 - far, line}
                                  : Position{line, far};
      if (shape_.joined(w) && alive(e.reticle, w.tile.row, w.tile.col)) joined.push_back({w, e});
    }
    std::map<size_t, TileFuse> tile_fuses;
    std::map<size_t, uint32_t> row_fuses;
    for (const Joined& j : joined) {
      const Position& at = j.wire.tile;
      TileFuse fuse;
      fuse.n_skip = fuse.e_skip = fuse.s_skip = fuse.w_skip = kNoSkip;
      TileFuse& f = tile_fuses.emplace(index(j.end.reticle, at.row, at.col), fuse).first->second;
      f.enable = true;
      uint32_t& row = row_fuses[row_index(j.end.reticle, at.row)];
      int far = 0, shift = 0;
      setting(j.wire.side, &far, &shift);
      switch (j.wire.side) {
        case kNorth:
          f.n_skip = far;
          f.n_shift = shift;
          break;
        case kEast:
          f.e_skip = far;
          row |= static_cast<uint32_t>(shift) & 7;
          break;
        case kSouth:
          f.s_skip = far;
          f.s_shift = shift;
          break;
        default:
          f.w_skip = far;
          row |= (static_cast<uint32_t>(shift) & 7) << 3;
          break;
      }
    }
    open_batch();
    each_alive([&](int d, int p, int c) {
      const auto fuse = tile_fuses.find(index(d, p, c));
      add(d, p, c, true, kStationTileFuse, fuse == tile_fuses.end() ? 0 : fuse->second.word());
      const auto row = row_fuses.find(row_index(d, p));
      if (c == 0) add(d, p, c, true, kStationRowFuse, row == row_fuses.end() ? 0 : row->second);
    });
    run_batch();
    for (int turn = 0; turn < 2; ++turn) {
      const auto pattern = [&](int d, const Position& at) {
        const uint64_t x = mixed(static_cast<uint64_t>(index(d, at.row, at.col)) * 64 +
                                 static_cast<uint64_t>(32 + round));
        return (turn == 0 ? x : ~x) & kWordMask;
      };
      command(turn == 0 ? kLinkTest : kLinkTestInverted);
      open_batch();
      for (const auto& [at, fuse] : tile_fuses) {
        const int c = static_cast<int>(at) % cols(), p = static_cast<int>(at) / cols() % rows();
        const int d = static_cast<int>(at) / cols() / rows();
        const uint64_t x = pattern(d, {p, c});
        add(d, p, c, true, kStationPatternLow, static_cast<uint32_t>(x));
        add(d, p, c, true, kStationPatternHigh, static_cast<uint32_t>(x >> 32));
      }
      run_batch();
      open_batch();
      std::vector<std::pair<Handle, Handle>> reads;
      for (const Joined& j : joined) {
        const int d = j.end.reticle, side = j.wire.side;
        const Position& at = j.wire.tile;
        const Handle in = add(d, at.row, at.col, false, kStationCapture + 2 * side);
        add(d, at.row, at.col, false, kStationCapture + 2 * side + 1);
        reads.emplace_back(in, add_link(j.end, kLinkEdgeLow));
        add_link(j.end, kLinkEdgeHigh);
      }
      run_batch();
      for (size_t i = 0; i < joined.size(); ++i) {
        const Joined& j = joined[i];
        const int d = j.end.reticle, side = j.wire.side;
        const auto& [in, out] = reads[i];
        const auto word = [&](const Handle& low, size_t step) {
          return uint64_t{answer({low.row, low.index + step}).value_or(0)} << 32 |
                 answer(low).value_or(0);
        };
        const uint64_t wrong_in =
            word(in, 1) ^ (turn == 0 ? kLinkPattern : ~kLinkPattern & kWordMask);
        const uint64_t wrong_out = word(out, 2) ^ rotated(pattern(d, j.wire.tile), 11 * side);
        result_.wires_scanned += 2;
        if ((wrong_in | wrong_out) == 0 || !edges_.insert({d, j.wire}).second) continue;
        const uint64_t wrong = wrong_out != 0 ? wrong_out : wrong_in;
        int bit = 0;
        while ((wrong >> bit & 1) == 0) ++bit;
        static const char* const kSides[] = {"north", "east", "south", "west"};
        result_.findings.push_back(
            {d, j.wire.tile,
             fmt::format("wire {} link {} of the {} edge: bit {} arrives wrong",
                         wrong_out != 0 ? "to" : "from", j.wire.slot, kSides[side], bit)});
      }
    }
  }
  open_batch();
  each_alive([&](int d, int p, int c) {
    add(d, p, c, true, kStationTileFuse, 0);
    if (c == 0) add(d, p, c, true, kStationRowFuse, 0);
    add(d, p, c, true, kStationScan, 0);
  });
  run_batch();
  command(kLinkTestOff);
}

// Tiles that are released and have nothing to do must be quiet.
void Work::listen_for_noise() {
  begin("idle tiles");
  open_batch();
  each_alive([&](int d, int p, int c) {
    add(d, p, c, true, kStationTileFuse, direct(d, p, c, Setting()).word());
    add(d, p, c, true, kStationControl, kStationRun | kStationTest);
  });
  run_batch();
  std::map<std::pair<int, Position>, int> noisy;
  for (int time = 0; time < 3; ++time) {
    struct Heard {
      int reticle;
      Position from;
      Handle low;
    };
    std::vector<Heard> all;
    open_batch();
    each_alive([&](int d, int p, int c) {
      for (int side = 0; side < 4; ++side) {
        Position at;
        if (!listens(d, p, c, side, Setting()) || !neighbour(p, c, side, Setting(), &at)) continue;
        const Handle low = add(d, p, c, false, kStationCapture + 2 * side);
        add(d, p, c, false, kStationCapture + 2 * side + 1);
        all.push_back({d, at, low});
      }
    });
    run_batch();
    for (const Heard& h : all) {
      if (answer(h.low).value_or(0) != 0 || answer({h.low.row, h.low.index + 1}).value_or(0) != 0) {
        ++noisy[{h.reticle, h.from}];
      }
    }
  }
  // A tile may answer noise with credits and words of its own: the worst one goes first, its
  // neighbours are reset and listened to again.
  if (noisy.empty()) return;
  const auto worst = std::max_element(
      noisy.begin(), noisy.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const int most = worst->second;
  for (const auto& [where, times] : noisy) {
    if (times == most)
      lose(where.first, where.second.row, where.second.col, "sends words while idle");
  }
  open_batch();
  each_alive([&](int d, int p, int c) { add(d, p, c, true, kStationControl, 0); });
  run_batch();
  listen_for_noise();
}

void Work::test_memories() {
  begin("memories");
  // A fresh start: what noise has left in a tile is gone.
  open_batch();
  each_alive([&](int d, int p, int c) {
    add(d, p, c, true, kStationTileFuse, 0);
    add(d, p, c, true, kStationControl, 0);
  });
  run_batch();
  start_all();
  open_batch();
  std::map<size_t, Handle> configs;
  each_alive([&](int d, int p, int c) {
    if (good(d, p, c)) configs[index(d, p, c)] = add_read(d, p, c, kRegConfig, 1);
  });
  run_batch();
  const uint32_t units = options_.sram_bytes / 64;
  each_alive([&](int d, int p, int c) {
    const auto it = configs.find(index(d, p, c));
    if (it == configs.end()) return;
    const auto config = word(it->second, 0, 1);
    if (!config || *config >> 16 != units || (*config >> 8 & 31) != options_.colours)
      lose(d, p, c, "its control-plane endpoint does not answer");
  });
  open_batch();
  broadcast(kRegMbist, {1});
  run_batch();
  chain_.wait_cycles(22ull * 7 * units + 64);
  open_batch();
  std::map<size_t, Handle> done;
  each_alive([&](int d, int p, int c) {
    if (good(d, p, c)) done[index(d, p, c)] = add_read(d, p, c, kRegMbist, 4);
  });
  run_batch();
  each_alive([&](int d, int p, int c) {
    const auto it = done.find(index(d, p, c));
    if (it == done.end()) return;
    const auto state = word(it->second, 0, 4);
    if (!state || (*state & 2) == 0) {
      lose(d, p, c, "its memory self-test does not end");
    } else if ((*state >> 8 & 255) != 0) {
      lose(d, p, c,
           fmt::format("memory: banks 0x{:02x} fail, first at row {}, bits 0x{:08x}{:08x}",
                       *state >> 8 & 255, word(it->second, 1, 4).value_or(0),
                       word(it->second, 3, 4).value_or(0), word(it->second, 2, 4).value_or(0)));
    }
  });
}

void Work::start_all() {
  open_batch();
  each_alive([&](int d, int p, int c) {
    add(d, p, c, true, kStationControl, kStationRun | kStationTest);
  });
  run_batch();
}

void Work::restart_all() {
  open_batch();
  each_alive([&](int d, int p, int c) { add(d, p, c, true, kStationControl, 0); });
  run_batch();
  start_all();
}

void Work::load(const ElfImage& image) {
  open_batch();
  for (const ElfSegment& segment : image.segments) {
    std::vector<uint32_t> words((segment.bytes.size() + 3) / 4, 0);
    for (size_t i = 0; i < segment.bytes.size(); ++i) {
      words[i / 4] |= static_cast<uint32_t>(segment.bytes[i]) << 8 * (i % 4);
    }
    if (!words.empty()) broadcast(segment.addr, words);
  }
  broadcast(kRegCorePc, {image.entry});
  run_batch();
}

// Runs the core's part of the program that is loaded in all good tiles; the signatures, or nothing
// where it does not end. The first look is after `cycles`: it costs the program cycles, which are
// part of the signature of a thorough one.
std::vector<std::optional<uint32_t>> Work::signatures(const ElfImage& image, uint64_t cycles,
                                                      int looks) {
  const uint32_t order = image.symbol("ow_selftest_order");
  const uint32_t result = image.symbol("ow_selftest_result");
  open_batch();
  broadcast(order, {OW_SELFTEST_CORE});
  broadcast(result, {0});
  broadcast(kRegCoreCtrl, {kCoreRun | kCoreReset});
  run_batch();
  std::vector<std::optional<uint32_t>> out(tiles_.size());
  for (int look = 0; look < looks; ++look) {
    chain_.wait_cycles(cycles);
    open_batch();
    std::map<size_t, Handle> reads;
    each_alive([&](int d, int p, int c) {
      const size_t at = index(d, p, c);
      if (good(d, p, c) && !out[at]) reads[at] = add_read(d, p, c, result, 2);
    });
    if (reads.empty()) break;
    run_batch();
    for (const auto& [at, handle] : reads) {
      if (word(handle, 0, 2) == OW_SELFTEST_DONE + OW_SELFTEST_CORE) out[at] = word(handle, 1, 2);
    }
  }
  return out;
}

void Work::compare_signatures(const std::vector<std::optional<uint32_t>>& all, uint32_t right) {
  each_alive([&](int d, int p, int c) {
    if (!good(d, p, c)) return;
    const auto& signature = all[index(d, p, c)];
    if (!signature) {
      lose(d, p, c, "the self-test of core and datapath does not end");
    } else if (*signature != right) {
      lose(d, p, c,
           fmt::format("the self-test of core and datapath gives 0x{:08x}, not 0x{:08x}",
                       *signature, right));
    }
  });
}

void Work::test_cores() {
  begin("cores and datapaths");
  for (const ThoroughProgram& program : options_.thorough) {
    load(program.image);
    compare_signatures(signatures(program.image, program.cycles, 1), program.signature);
    restart_all();  // it leaves registers of all kinds written
  }
  load(options_.selftest);
  compare_signatures(signatures(options_.selftest, kSelftestWait, kSelftestLooks),
                     options_.signature);
}

// Each good tile sends a word to each neighbour over good wires.
void Work::test_routers() {
  begin("routers");
  heard_of_.assign(tiles_.size(), false);
  const auto untested = [&] {
    std::vector<size_t> tiles;
    each_alive([&](int d, int p, int c) {
      if (good(d, p, c) && !heard_of_[index(d, p, c)]) tiles.push_back(index(d, p, c));
    });
    return tiles;
  };
  if (rows() * cols() == 1) return;  // nobody to talk to
  // Tiles between bad ones talk to those beyond, or to the side.
  std::vector<Setting> settings;
  for (int skip = 0; skip <= std::max(shape_.spare_rows, shape_.spare_cols); ++skip) {
    settings.push_back({skip, 0});
  }
  for (int skip = 0; skip <= shape_.spare_rows; ++skip) {
    for (int shift = -shape_.spare_cols; shift <= shape_.spare_cols; ++shift) {
      if (shift != 0) settings.push_back({skip, shift});
    }
  }
  for (const Setting& s : settings) {
    if (untested().empty()) break;
    exchange_words(s);
  }
  for (const size_t at : untested()) {
    const int c = static_cast<int>(at) % cols(), p = static_cast<int>(at) / cols() % rows();
    lose(static_cast<int>(at) / cols() / rows(), p, c, "no tile that works can be joined to it");
  }
}

void Work::exchange_words(const Setting& setting) {
  const int far = 1 + setting.skip;
  const uint32_t colours = options_.exchange_colours;
  const uint32_t order = options_.selftest.symbol("ow_selftest_order");
  const uint32_t result = options_.selftest.symbol("ow_selftest_result");
  // Bad tiles go back into reset. The rest starts afresh, since words that nobody heard have taken
  // credits along; it keeps its memory.
  open_batch();
  each_alive([&](int d, int p, int c) {
    add(d, p, c, true, kStationControl, 0);
    add(d, p, c, true, kStationTileFuse, 0);
  });
  run_batch();
  open_batch();
  each_alive([&](int d, int p, int c) {
    if (!good(d, p, c)) return;
    add(d, p, c, true, kStationControl, kStationRun | kStationTest);
    add(d, p, c, true, kStationTileFuse, direct(d, p, c, setting).word());
    add_write(d, p, c, order,
              {OW_SELFTEST_ROUTER, static_cast<uint32_t>(index(d, p, c)),
               static_cast<uint32_t>((p / far + (setting.shift == 0 ? c / far : 0)) & 1), colours});
  });
  run_batch();
  run_exchange(result, colours);
  open_batch();
  std::map<size_t, Handle> reads;
  each_alive([&](int d, int p, int c) {
    if (good(d, p, c)) reads[index(d, p, c)] = add_read(d, p, c, result, 6);
  });
  run_batch();
  struct Link {
    int reticle;
    Position from;
    Position to;
    bool works;
  };
  std::vector<Link> links;
  each_alive([&](int d, int p, int c) {
    const auto it = reads.find(index(d, p, c));
    if (it == reads.end()) return;
    for (int side = 0; side < 4; ++side) {
      Position at;
      if (!listens(d, p, c, side, setting) || !neighbour(p, c, side, setting, &at)) continue;
      const auto out = static_cast<uint32_t>((side + 2) & 3);
      const uint32_t name = static_cast<uint32_t>(index(d, at.row, at.col));
      links.push_back({d,
                       at,
                       {p, c},
                       word(it->second, 0, 6) == OW_SELFTEST_DONE + OW_SELFTEST_ROUTER &&
                           word(it->second, 2 + side, 6) == ow_selftest_heard(name, out, colours)});
    }
  });
  // A tile that fails in all that it sends, or in all that it hears, is bad; the worst one first,
  // and its connections do not count any more. A single connection that fails between tiles that
  // work is given up by itself.
  for (;;) {
    struct Count {
      int all = 0;
      int lost = 0;
    };
    std::map<size_t, Count> counts[2];  // as senders, as receivers
    for (const Link& l : links) {
      for (const bool hears : {false, true}) {
        const Position& at = hears ? l.to : l.from;
        Count& count = counts[hears ? 1 : 0][index(l.reticle, at.row, at.col)];
        ++count.all;
        count.lost += l.works ? 0 : 1;
      }
    }
    int most = 0;
    const Link* worst = nullptr;
    bool worst_hears = false;
    for (const bool hears : {false, true}) {  // of equal ones the sender
      for (const Link& l : links) {
        const Position& at = hears ? l.to : l.from;
        const Count& count = counts[hears ? 1 : 0][index(l.reticle, at.row, at.col)];
        if (count.lost == count.all && count.lost > most) {
          most = count.lost;
          worst = &l;
          worst_hears = hears;
        }
      }
    }
    if (worst == nullptr) break;
    const int d = worst->reticle;
    const Position at = worst_hears ? worst->to : worst->from;
    lose(d, at.row, at.col,
         worst_hears ? "nothing arrives at its router" : "nothing that its router sends arrives");
    links.erase(std::remove_if(
                    links.begin(), links.end(),
                    [&](const Link& l) { return l.reticle == d && (l.from == at || l.to == at); }),
                links.end());
  }
  for (const Link& l : links) {
    if (!l.works) continue;
    heard_of_[index(l.reticle, l.from.row, l.from.col)] = true;
    heard_of_[index(l.reticle, l.to.row, l.to.col)] = true;
  }
  for (const Link& l : links) {
    if (l.works || !wires_.insert({l.reticle, wire_of(l.from, l.to)}).second) continue;
    result_.findings.push_back(
        {l.reticle, l.from, fmt::format("no word reaches tile ({}, {})", l.to.row, l.to.col)});
  }
}

void Work::collect() {
  Defects& out = result_.defects;
  for (int d = 0; d < shape_.reticles(); ++d) {
    ReticleDefects& r = out.reticles[static_cast<size_t>(d)];
    for (int p = 0; p < rows(); ++p) {
      if (!rows_[row_index(d, p)].usable) {
        r.chains.push_back(p);
        continue;
      }
      for (int c = 0; c < cols(); ++c) {
        if (!good(d, p, c)) r.tiles.push_back({p, c});
      }
    }
    for (const auto& [reticle, wire] : wires_) {
      if (reticle != d) continue;
      // Of a tile that is lost anyway it matters to nobody.
      if (!good(d, wire.from.row, wire.from.col) || !good(d, wire.to.row, wire.to.col)) continue;
      r.wires.push_back(wire);
    }
  }
  for (const auto& [d, wire] : edges_) {
    if (good(d, wire.tile.row, wire.tile.col)) {
      out.reticles[static_cast<size_t>(d)].edges.push_back(wire);
    }
  }
  for (const LinkState& l : result_.links) {
    if (l.up) continue;
    (l.south ? out.south_links : out.east_links)[static_cast<size_t>(l.reticle)].push_back(l.slot);
  }
}

// A map of the window. Links whose wires to the tiles could not be tested are used only if there is
// no other way; the verification has to show then that they work.
Repair Work::repair(const Window& window) const {
  Defects careful = result_.defects;
  for (const LinkEnd& e : untested_) {
    const bool south = e.side == kNorth || e.side == kSouth;
    const int owner = shape_.link_owner(e.reticle, e.side);
    (south ? careful.south_links : careful.east_links)[static_cast<size_t>(owner)].push_back(
        e.slot);
  }
  Repair repair = repair_window(shape_, careful, window);
  return repair.map ? repair : repair_window(shape_, result_.defects, window);
}

// All tiles into reset, the fuses, then the tiles of the map out of reset.
void Work::set_fuses(const WaferMap& map) {
  open_batch();
  each_alive([&](int d, int p, int c) {
    add(d, p, c, true, kStationScan, 0);
    add(d, p, c, true, kStationControl, 0);
  });
  run_batch();
  open_batch();
  struct Written {
    int reticle;
    Position at;
    Handle read;
    uint32_t value;
    bool tile;  // TILE_FUSE, else ROW_FUSE
  };
  std::vector<Written> written;
  for (int d = 0; d < shape_.reticles(); ++d) {
    const ReticleFuses f = fuses(map, d);
    for (int p = 0; p < rows(); ++p) {
      for (int c = 0; c < cols(); ++c) {
        const uint32_t fuse = f.tile[static_cast<size_t>(p * cols() + c)];
        const uint32_t row_fuse = c == 0 ? f.row[static_cast<size_t>(p)] : 0;
        if (!alive(d, p, c)) {
          if (fuse == 0) continue;
          throw DeviceFault(fmt::format(
              "the station of tile ({}, {}) in reticle {}, which the repair map uses, does not "
              "answer",
              p, c, d));
        }
        add(d, p, c, true, kStationTileFuse, fuse);
        written.push_back({d, {p, c}, add(d, p, c, false, kStationTileFuse), fuse, true});
        if (c != 0) continue;
        add(d, p, c, true, kStationRowFuse, row_fuse);
        written.push_back({d, {p, c}, add(d, p, c, false, kStationRowFuse), row_fuse, false});
      }
    }
  }
  run_batch();
  for (const Written& w : written) {
    if (answer(w.read) != w.value) {
      throw DeviceFault(fmt::format("the fuses of tile ({}, {}) in reticle {} do not hold 0x{:04x}",
                                    w.at.row, w.at.col, w.reticle, w.value));
    }
  }
  open_batch();
  for (const Written& w : written) {
    if (!w.tile || w.value == 0) continue;
    add(w.reticle, w.at.row, w.at.col, true, kStationControl, kStationRun);
  }
  run_batch();
  chain_.wait_cycles(16);
}

// Every tile of a map sends a word to each of its logical neighbours, over the connections of the
// fuses as they are; the chains load, start and read.
void Work::verify_neighbours(const WaferMap& map) {
  begin("logical mesh");
  const Window& w = map.window;
  const uint32_t order = options_.selftest.symbol("ow_selftest_order");
  const uint32_t result = options_.selftest.symbol("ow_selftest_result");
  struct Place {
    int reticle = 0;
    Position at;
  };
  const auto place = [&](int row, int col) {
    Place p;
    p.at = map.physical(row, col, &p.reticle);
    return p;
  };
  const auto name = [&](const Place& p) {
    return static_cast<uint32_t>(index(p.reticle, p.at.row, p.at.col));
  };
  const auto every = [&](const std::function<void(int, int, const Place&)>& call) {
    for (int row = w.row; row < w.row + w.rows; ++row) {
      for (int col = w.col; col < w.col + w.cols; ++col) call(row, col, place(row, col));
    }
  };
  open_batch();
  every([&](int, int, const Place& p) {
    add(p.reticle, p.at.row, p.at.col, true, kStationControl, kStationRun | kStationTest);
  });
  run_batch();
  open_batch();
  every([&](int row, int col, const Place& p) {
    add_write(p.reticle, p.at.row, p.at.col, order,
              {OW_SELFTEST_ROUTER, name(p), static_cast<uint32_t>((row + col) & 1), 1});
  });
  run_batch();
  run_exchange(result, 1);
  open_batch();
  std::map<size_t, Handle> reads;
  every([&](int, int, const Place& p) {
    reads[name(p)] = add_read(p.reticle, p.at.row, p.at.col, result, 6);
  });
  run_batch();
  every([&](int row, int col, const Place& p) {
    const Handle& read = reads.at(name(p));
    if (word(read, 0, 6) != OW_SELFTEST_DONE + OW_SELFTEST_ROUTER) {
      result_.verification.push_back(
          fmt::format("logical tile ({}, {}) does not end its test", row, col));
      return;
    }
    static const int kDown[] = {-1, 0, 1, 0}, kRight[] = {0, 1, 0, -1};
    for (int side = 0; side < 4; ++side) {
      const int y = row + kDown[side], x = col + kRight[side];
      if (y < w.row || y >= w.row + w.rows || x < w.col || x >= w.col + w.cols) continue;
      const auto out = static_cast<uint32_t>((side + 2) & 3);
      if (word(read, 2 + side, 6) == ow_selftest_heard(name(place(y, x)), out, 1)) {
        ++result_.wavelets_verified;
      } else {
        result_.verification.push_back(
            fmt::format("no word from logical tile ({}, {}) reaches ({}, {})", y, x, row, col));
      }
    }
  });
}

}  // namespace

Bringup bring_up(ChainAccess& chain, Device* device, const BringupOptions& options) {
  const Shape& shape = chain.wafer_shape();
  const Window all{0, 0, shape.logical_rows(), shape.logical_cols()};
  const Window wanted = options.window.value_or(all);
  if (wanted.row < 0 || wanted.col < 0 || wanted.rows < 1 || wanted.cols < 1 ||
      wanted.rows > all.rows - wanted.row || wanted.cols > all.cols - wanted.col) {
    throw BadInput(fmt::format("window of {} x {} tiles at ({}, {}): the wafer has {} x {}",
                               wanted.rows, wanted.cols, wanted.row, wanted.col, all.rows,
                               all.cols));
  }
  Work work(chain, options);
  work.discover();
  work.scan_wires();
  work.read_links();
  work.scan_edges();
  work.listen_for_noise();
  work.test_memories();
  work.test_cores();
  work.test_routers();
  work.collect();
  Bringup& result = work.result();
  result.repair = work.repair(wanted);
  if (!result.repair.map) {
    result.largest = largest_rectangle(shape, result.defects);
    if (options.accept_smaller && result.largest.rows > 0) {
      result.smaller = work.repair(result.largest).map;
    }
    if (!result.smaller) return work.take();
  }
  const WaferMap& map = *result.map();
  if (options.progress) options.progress("fuses");
  work.set_fuses(map);
  if (!(map.window == all)) {
    // Its sides may be far from the wafer's edges: the tiles themselves send the words.
    work.verify_neighbours(map);
    work.set_fuses(map);
  } else if (device != nullptr) {
    if (options.progress) options.progress("logical mesh");
    result.verification = verify_mesh(*device, &result.wavelets_verified);
  }
  return work.take();
}

void apply_map(ChainAccess& chain, const WaferMap& map) {
  const BringupOptions options;
  Work work(chain, options);
  work.discover();
  work.read_links();
  work.set_fuses(map);
}

uint32_t good_signature(ChainAccess& chain, const ElfImage& selftest) {
  BringupOptions options;
  options.selftest = selftest;
  Work work(chain, options);
  work.discover();
  work.start_all();
  work.load(selftest);
  const auto all = work.signatures(selftest, kSelftestWait, kSelftestLooks);
  if (all.size() != 1 || !all[0]) {
    throw DeviceFault("the self-test does not end in a tile without defects");
  }
  return *all[0];
}

ThoroughProgram good_run(ChainAccess& chain, const ElfImage& image) {
  const BringupOptions options;
  Work work(chain, options);
  work.discover();
  // A look would disturb it: it starts again with twice the time.
  constexpr uint64_t kLimit = 2000000;
  for (uint64_t cycles = kSelftestWait; cycles < kLimit; cycles *= 2) {
    work.restart_all();
    work.load(image);
    const auto all = work.signatures(image, cycles, 1);
    if (all.size() == 1 && all[0]) return {image, *all[0], cycles};
  }
  throw DeviceFault(image.path + ": does not end in a tile without defects");
}

}  // namespace ow::wafer
