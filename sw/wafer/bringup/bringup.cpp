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
constexpr uint32_t kToEdge = 3u << 30;
constexpr uint32_t kTag = 5u << 16;

uint64_t rotated(uint64_t word, int n) {
  return n == 0 ? word : ((word << n) | (word >> (45 - n))) & kWordMask;
}

uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

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
  void listen_for_noise();
  void test_memories();
  void start_all();
  void load();
  std::vector<std::optional<uint32_t>> signatures();
  void test_cores();
  void test_routers();
  void exchange_words(int skip);
  void collect();
  void set_fuses(const WaferMap& map);

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

  // Where the neighbour is from which `side` hears with `skip` rows or columns between; false if
  // there is none.
  bool neighbour(int p, int c, int side, int skip, Position* at) const {
    if (skip > (side == kEast || side == kWest ? shape_.spare_cols : shape_.spare_rows)) {
      return false;
    }
    const int far = 1 + skip;
    *at = {p + far * ((side == kSouth) - (side == kNorth)),
           c + far * ((side == kEast) - (side == kWest))};
    return at->row >= 0 && at->row < rows() && at->col >= 0 && at->col < cols();
  }
  static Wire wire_of(const Position& a, const Position& b) {
    return a.row < b.row || (a.row == b.row && a.col < b.col) ? Wire{a, b} : Wire{b, a};
  }
  bool broken(int d, const Position& a, const Position& b) const {
    return wires_.count({d, wire_of(a, b)}) != 0;
  }
  // Fuses that connect a tile to these neighbours, but not over broken wires nor to bad tiles.
  TileFuse direct(int d, int p, int c, int skip) const {
    TileFuse f;
    f.enable = true;
    int* const skips[] = {&f.n_skip, &f.e_skip, &f.s_skip, &f.w_skip};
    for (int side = 0; side < 4; ++side) {
      *skips[side] = listens(d, p, c, side, skip) ? skip : kNoSkip;
    }
    return f;
  }
  bool listens(int d, int p, int c, int side, int skip) const {
    Position at;
    return neighbour(p, c, side, skip, &at) && good(d, at.row, at.col) && good(d, p, c) &&
           !broken(d, {p, c}, at);
  }

  ChainAccess& chain_;
  const BringupOptions& options_;
  const Shape shape_;
  Bringup result_;
  std::vector<Tile> tiles_;
  std::vector<Row> rows_;
  std::set<std::pair<int, Wire>> wires_;
  std::vector<bool> heard_of_;  // a word from it, or to it, has arrived
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
  const auto read = [&](int d, const Position& at, int side) {
    End end;
    if (!alive(d, at.row, at.col)) return end;
    open_batch();
    std::vector<Handle> words;
    for (const uint32_t w : {0u, 4u, 5u, 6u, 7u}) {
      add(d, at.row, at.col, true, kStationLink, static_cast<uint32_t>(side) << 6 | w);
      words.push_back(add(d, at.row, at.col, false, kStationLinkStatus));
    }
    run_batch();
    const auto status = answer(words[0]);
    if (!status) return end;
    end.answers = true;
    end.up = (*status & 1) != 0;
    end.reason = static_cast<int>(*status >> 3 & 7);
    for (int group = 0; group < 2; ++group) {
      const uint64_t lanes =
          uint64_t{answer(words[static_cast<size_t>(1 + 2 * group)]).value_or(0)} |
          uint64_t{answer(words[static_cast<size_t>(2 + 2 * group)]).value_or(0)} << 32;
      for (int lane = 0; lane < 34; ++lane) {
        if ((lanes >> lane & 1) != 0) end.faulty.push_back(34 * group + lane);
      }
    }
    return end;
  };
  for (int d = 0; d < shape_.reticles(); ++d) {
    const int y = d / shape_.reticle_cols, x = d % shape_.reticle_cols;
    for (const bool south : {false, true}) {
      if (south ? y + 1 == shape_.reticle_rows : x + 1 == shape_.reticle_cols) continue;
      const int other = south ? d + shape_.reticle_cols : d + 1;
      for (int slot = 0; slot < (south ? cols() : rows()); ++slot) {
        const Position here = south ? Position{rows() - 1, slot} : Position{slot, cols() - 1};
        const Position there = south ? Position{0, slot} : Position{slot, 0};
        LinkState state;
        state.reticle = d;
        state.south = south;
        state.slot = slot;
        // Training takes some 4,600 cycles, three times that if it fails.
        for (int tries = 0; tries < 4; ++tries) {
          const End a = read(d, here, south ? kSouth : kEast);
          const End b = read(other, there, south ? kNorth : kWest);
          state.up = (a.answers || b.answers) && (a.up || !a.answers) && (b.up || !b.answers);
          state.reason = a.answers && !a.up ? a.reason : b.reason;
          state.lanes_in = a.faulty;
          state.lanes_out = b.faulty;
          constexpr int kNoSignal = 2, kTraining = 3;
          const bool settled = [&] {
            for (const End* e : {&a, &b}) {
              if (e->answers && !e->up && (e->reason == kNoSignal || e->reason == kTraining)) {
                return false;
              }
            }
            return true;
          }();
          if (settled) break;
          chain_.wait_cycles(6000);
        }
        result_.links.push_back(state);
      }
    }
  }
}

// Tiles that are released and have nothing to do must be quiet.
void Work::listen_for_noise() {
  begin("idle tiles");
  open_batch();
  each_alive([&](int d, int p, int c) {
    add(d, p, c, true, kStationTileFuse, direct(d, p, c, 0).word());
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
        if (!listens(d, p, c, side, 0) || !neighbour(p, c, side, 0, &at)) continue;
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
    if (!config || *config >> 16 != units)
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

void Work::load() {
  open_batch();
  for (const ElfSegment& segment : options_.selftest.segments) {
    std::vector<uint32_t> words((segment.bytes.size() + 3) / 4, 0);
    for (size_t i = 0; i < segment.bytes.size(); ++i) {
      words[i / 4] |= static_cast<uint32_t>(segment.bytes[i]) << 8 * (i % 4);
    }
    if (!words.empty()) broadcast(segment.addr, words);
  }
  broadcast(kRegCorePc, {options_.selftest.entry});
  run_batch();
}

// Runs the core's part in all good tiles; the signatures, or nothing where it does not end.
std::vector<std::optional<uint32_t>> Work::signatures() {
  const uint32_t order = options_.selftest.symbol("ow_selftest_order");
  const uint32_t result = options_.selftest.symbol("ow_selftest_result");
  open_batch();
  broadcast(order, {OW_SELFTEST_CORE});
  broadcast(result, {0});
  broadcast(kRegCoreCtrl, {kCoreRun | kCoreReset});
  run_batch();
  std::vector<std::optional<uint32_t>> out(tiles_.size());
  for (int tries = 0; tries < 10; ++tries) {
    chain_.wait_cycles(20000);
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

void Work::test_cores() {
  begin("cores and datapaths");
  load();
  const auto all = signatures();
  each_alive([&](int d, int p, int c) {
    if (!good(d, p, c)) return;
    const auto& signature = all[index(d, p, c)];
    if (!signature) {
      lose(d, p, c, "the self-test of core and datapath does not end");
    } else if (*signature != options_.signature) {
      lose(d, p, c,
           fmt::format("the self-test of core and datapath gives 0x{:08x}, not 0x{:08x}",
                       *signature, options_.signature));
    }
  });
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
  // Tiles between bad ones talk to those beyond.
  for (int skip = 0; skip <= 2 && !untested().empty(); ++skip) exchange_words(skip);
  for (const size_t at : untested()) {
    const int c = static_cast<int>(at) % cols(), p = static_cast<int>(at) / cols() % rows();
    lose(static_cast<int>(at) / cols() / rows(), p, c, "no tile that works could hear its router");
  }
}

// With `skip` rows and columns between.
void Work::exchange_words(int skip) {
  const int far = 1 + skip;
  const uint32_t order = options_.selftest.symbol("ow_selftest_order");
  const uint32_t result = options_.selftest.symbol("ow_selftest_result");
  // Bad tiles go back into reset; the rest keeps its memory.
  open_batch();
  each_alive([&](int d, int p, int c) {
    if (!good(d, p, c)) {
      add(d, p, c, true, kStationControl, 0);
      add(d, p, c, true, kStationTileFuse, 0);
      return;
    }
    add(d, p, c, true, kStationTileFuse, direct(d, p, c, skip).word());
    add_write(d, p, c, order,
              {OW_SELFTEST_ROUTER, static_cast<uint32_t>(index(d, p, c)),
               static_cast<uint32_t>((p / far + c / far) & 1)});
  });
  run_batch();
  open_batch();
  broadcast(result, {0, 0, 0, 0, 0, 0});
  run_batch();
  open_batch();  // by itself: all rows start in the same cycle
  broadcast(kRegCoreCtrl, {kCoreRun | kCoreReset});
  run_batch();
  chain_.wait_cycles(4 * OW_SELFTEST_SLOT + 500);
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
      if (!listens(d, p, c, side, skip) || !neighbour(p, c, side, skip, &at)) continue;
      const auto out = static_cast<uint32_t>((side + 2) & 3);
      const uint32_t name = static_cast<uint32_t>(index(d, at.row, at.col));
      links.push_back({d,
                       at,
                       {p, c},
                       word(it->second, 0, 6) == OW_SELFTEST_DONE + OW_SELFTEST_ROUTER &&
                           word(it->second, 2 + side, 6) == ow_selftest_word(name, out)});
    }
  });
  for (const Link& l : links) {
    if (!l.works) continue;
    heard_of_[index(l.reticle, l.from.row, l.from.col)] = true;
    heard_of_[index(l.reticle, l.to.row, l.to.col)] = true;
  }
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
  for (const LinkState& l : result_.links) {
    if (l.up) continue;
    (l.south ? out.south_links : out.east_links)[static_cast<size_t>(l.reticle)].push_back(l.slot);
  }
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
        if (c == 0) add(d, p, c, true, kStationRowFuse, row_fuse);
        written.push_back({d, {p, c}, add(d, p, c, false, kStationTileFuse), fuse});
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
    if (w.value != 0) add(w.reticle, w.at.row, w.at.col, true, kStationControl, kStationRun);
  }
  run_batch();
  chain_.wait_cycles(16);
}

}  // namespace

Bringup bring_up(ChainAccess& chain, Device* device, const BringupOptions& options) {
  Work work(chain, options);
  work.discover();
  work.scan_wires();
  work.read_links();
  work.listen_for_noise();
  work.test_memories();
  work.test_cores();
  work.test_routers();
  work.collect();
  Bringup& result = work.result();
  const Shape& shape = chain.wafer_shape();
  result.repair = repair_wafer(shape, result.defects);
  if (!result.repair.map) {
    result.largest = largest_rectangle(shape, result.defects);
    return work.take();
  }
  if (options.progress) options.progress("fuses");
  work.set_fuses(*result.repair.map);
  if (device != nullptr) {
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
  work.load();
  const auto all = work.signatures();
  if (all.size() != 1 || !all[0]) {
    throw DeviceFault("the self-test does not end in a tile without defects");
  }
  return *all[0];
}

}  // namespace ow::wafer
