// SPDX-License-Identifier: Apache-2.0
#include "ow/program.h"

#include <algorithm>

#include <fmt/format.h>

#include "ow/error.h"

namespace ow {
namespace {

constexpr int kRowStep[4] = {-1, 0, 1, 0};
constexpr int kColStep[4] = {0, 1, 0, -1};

bool in_grid(GridShape shape, int row, int col) {
  return row >= 0 && col >= 0 && row < shape.rows && col < shape.cols;
}

void check_queue(int queue, int colour) {
  if (queue < 0 || queue >= kNumQueues) {
    throw BadInput(fmt::format("queue {}: must be 0 to {}", queue, kNumQueues - 1));
  }
  if (colour < 0 || colour >= kMaxDataColours) {
    throw BadInput(fmt::format("colour {}: must be 0 to {}", colour, kMaxDataColours - 1));
  }
}

std::vector<uint32_t> segment_words(const ElfSegment& segment) {
  std::vector<uint32_t> words((segment.mem_bytes + 3) / 4, 0);
  for (size_t i = 0; i < segment.bytes.size(); ++i) {
    words[i / 4] |= static_cast<uint32_t>(segment.bytes[i]) << (8 * (i % 4));
  }
  return words;
}

}  // namespace

// -------------------------------------------------------------------------------------- routes --
uint32_t route_word(const Route& route) {
  return 1u << 8 | static_cast<uint32_t>(route.in) << 5 | route.out_mask;
}

bool parse_route(uint32_t word, Route* route) {
  route->in = static_cast<Port>(std::min(word >> 5 & 7, 4u));
  route->out_mask = word & 31;
  return (word >> 8 & 1) != 0;
}

Port opposite(Port port) {
  return port == Port::Ramp ? Port::Ramp : static_cast<Port>((static_cast<int>(port) + 2) % 4);
}

const char* port_name(Port port) {
  static const char* const kNames[] = {"north", "east", "south", "west", "ramp"};
  return kNames[static_cast<int>(port)];
}

uint32_t switch_word(const Switch& s) {
  uint32_t word =
      static_cast<uint32_t>(s.positions.size() - 1) << 24 | static_cast<uint32_t>(s.start) << 29;
  for (size_t i = 1; i < s.positions.size(); ++i) {
    word |= (route_word(s.positions[i]) & 0xFF) << (8 * (i - 1));
  }
  return word;
}

void RouteSet::set(int row, int col, int colour, Route route) {
  if (!in_grid(shape_, row, col)) {
    throw BadInput(fmt::format("route of tile ({}, {}): the grid has {} x {} tiles", row, col,
                               shape_.rows, shape_.cols));
  }
  if (colour < 0 || colour >= kMaxDataColours) {
    throw BadInput(fmt::format("route of colour {}: must be 0 to {}", colour, kMaxDataColours - 1));
  }
  if (route.out_mask == 0 || route.out_mask > 31) {
    throw BadInput(
        fmt::format("route of colour {} in tile ({}, {}): output mask 0x{:x} must be 1 to 0x1f",
                    colour, row, col, route.out_mask));
  }
  routes_[{colour, row, col}] = route;
  switches_.erase({colour, row, col});
}

void RouteSet::set(const Rect& rect, int colour, Route route) {
  for (int r = 0; r < rect.rows; ++r) {
    for (int c = 0; c < rect.cols; ++c) set(rect.row + r, rect.col + c, colour, route);
  }
}

void RouteSet::set(int row, int col, int colour, const Switch& s) {
  const int n = static_cast<int>(s.positions.size());
  if (n < 1 || n > 4) {
    throw BadInput(fmt::format("switch of colour {} in tile ({}, {}): {} positions, must be 1 to 4",
                               colour, row, col, n));
  }
  if (s.start < 0 || s.start >= n) {
    throw BadInput(fmt::format("switch of colour {} in tile ({}, {}): starts at position {} of {}",
                               colour, row, col, s.start, n));
  }
  for (const Route& route : s.positions) set(row, col, colour, route);
  routes_[{colour, row, col}] = s.positions[static_cast<size_t>(s.start)];
  switches_[{colour, row, col}] = s;
}

void RouteSet::listen(Side side, int index, int colour) {
  listeners_.insert({static_cast<int>(side), index, colour});
}

// All that a tile can do with a colour. A reset leads to position 0 and advances to the others.
std::vector<Route> RouteSet::positions(const Key& key) const {
  const auto s = switches_.find(key);
  if (s != switches_.end()) return s->second.positions;
  const auto r = routes_.find(key);
  return r == routes_.end() ? std::vector<Route>{} : std::vector<Route>{r->second};
}

std::vector<std::string> RouteSet::check() const {
  std::vector<std::string> defects;
  auto neighbour = [](const Key& key, int p) {
    const auto [colour, row, col] = key;
    return Key{colour, row + kRowStep[p], col + kColStep[p]};
  };
  for (const auto& start : routes_) {
    const Key key = start.first;
    const auto [colour, row, col] = key;
    const std::vector<Route> ways = positions(key);
    for (size_t i = 0; i < ways.size(); ++i) {
      const Route& route = ways[i];
      const std::string position = ways.size() > 1 ? fmt::format(" in position {}", i) : "";
      for (int p = 0; p < 4; ++p) {
        if ((route.out_mask >> p & 1) == 0) continue;
        const Port port = static_cast<Port>(p);
        const auto [same, nrow, ncol] = neighbour(key, p);
        const std::string where = fmt::format("colour {}: tile ({}, {}) sends {}{}", colour, row,
                                              col, port_name(port), position);
        if (!in_grid(shape_, nrow, ncol)) {
          const int index = p == 0 || p == 2 ? col : row;
          if (listeners_.count({p, index, colour}) == 0) {
            defects.push_back(where + " off the grid, where nothing listens");
          }
          continue;
        }
        const std::vector<Route> others = positions({same, nrow, ncol});
        const bool taken = std::any_of(others.begin(), others.end(), [&](const Route& other) {
          return other.in == opposite(port);
        });
        if (others.empty()) {
          defects.push_back(where +
                            fmt::format(" to tile ({}, {}), which has no route of it", nrow, ncol));
        } else if (!taken) {
          defects.push_back(where + fmt::format(" to tile ({}, {}), which takes it from {}", nrow,
                                                ncol, port_name(others.front().in)));
        }
      }
      if (route.in == Port::Ramp) continue;
      const int p = static_cast<int>(route.in);
      const auto [same, nrow, ncol] = neighbour(key, p);
      if (in_grid(shape_, nrow, ncol)) {
        const std::vector<Route> others = positions({same, nrow, ncol});
        if (std::none_of(others.begin(), others.end(), [&](const Route& other) {
              return (other.out_mask >> (p + 2) % 4 & 1) != 0;
            })) {
          defects.push_back(fmt::format(
              "colour {}: tile ({}, {}) takes it from {}{}, but tile ({}, {}) does not send it "
              "there",
              colour, row, col, port_name(route.in), position, nrow, ncol));
        }
      }
      if ((route.out_mask >> p & 1) != 0) {
        defects.push_back(
            fmt::format("colour {}: tile ({}, {}) sends it back {}{}, where it comes "
                        "from",
                        colour, row, col, port_name(route.in), position));
      }
    }
  }
  // Deadlock: a wavelet that holds the buffer behind one link waits for the buffer behind the next.
  // Colours never wait for each other, and the switches of a colour move independently, so all
  // positions count at once; but what comes in on one link goes out only where a position with that
  // input sends it. Links are named by the tile that sends and its port.
  using Link = std::pair<Key, int>;
  std::map<Link, int> state;  // 1: on the path that is being walked, 2: done
  std::vector<Link> path;
  auto next_links = [&](const Link& link) {
    std::vector<Link> next;
    const Key to = neighbour(link.first, link.second);
    for (const Route& route : positions(to)) {
      if (static_cast<int>(route.in) != (link.second + 2) % 4) continue;
      for (int p = 0; p < 4; ++p) {
        const Key after = neighbour(to, p);
        if ((route.out_mask >> p & 1) != 0 && routes_.count(after) != 0) next.push_back({to, p});
      }
    }
    return next;
  };
  for (const auto& start : routes_) {
    for (int p = 0; p < 4; ++p) {
      // Depth first, without recursion: a path can be as long as the wafer has links.
      std::vector<std::vector<Link>> pending;
      const Link first{start.first, p};
      const std::vector<Route> ways = positions(start.first);
      if (state[first] != 0 || std::none_of(ways.begin(), ways.end(), [&](const Route& route) {
            return (route.out_mask >> p & 1) != 0;
          })) {
        continue;
      }
      state[first] = 1;
      path.assign(1, first);
      pending.push_back(next_links(first));
      while (!path.empty()) {
        if (pending.back().empty()) {
          state[path.back()] = 2;
          path.pop_back();
          pending.pop_back();
          continue;
        }
        const Link link = pending.back().back();
        pending.back().pop_back();
        if (state[link] == 1) {
          std::string tiles;
          const auto from = std::find(path.begin(), path.end(), link);
          for (auto it = from; it != path.end(); ++it) {
            tiles += fmt::format("{}({}, {})", it == from ? "" : ", ", std::get<1>(it->first),
                                 std::get<2>(it->first));
          }
          defects.push_back(fmt::format("colour {}: the routes form a cycle through tiles {}",
                                        std::get<0>(link.first), tiles));
        } else if (state[link] == 0) {
          state[link] = 1;
          path.push_back(link);
          pending.push_back(next_links(link));
        }
      }
    }
  }
  return defects;
}

// The credit set-up of a ROUTE register: where the input of a switch is not selected at the start,
// the credits are with the tile that has the switch, not with its neighbour.
uint32_t RouteSet::credit_bits(const Key& key) const {
  const auto [colour, row, col] = key;
  auto waits = [&](const Key& at, int input) {  // at is switched, and starts with another input
    const auto s = switches_.find(at);
    return s != switches_.end() && s->second.positions.size() > 1 &&
           static_cast<int>(routes_.at(at).in) != input;
  };
  uint32_t bits = 1u << 21;
  for (int p = 0; p < 4; ++p) {
    const Key other{colour, row + kRowStep[p], col + kColStep[p]};
    if (routes_.count(other) == 0) continue;
    if (waits(other, (p + 2) % 4)) bits |= 1u << (13 + p);
    if (waits(key, p)) bits |= 1u << (17 + p);
  }
  return bits;
}

void RouteSet::apply(ControlPlane& control, bool checked) const {
  if (checked) {
    const std::vector<std::string> defects = check();
    if (!defects.empty()) {
      throw BadInput(defects.size() == 1
                         ? defects.front()
                         : fmt::format("{} (and {} more)", defects.front(), defects.size() - 1));
    }
  }
  std::set<int> switched;  // colours
  for (const auto& s : switches_) switched.insert(std::get<0>(s.first));
  std::map<Key, std::pair<uint32_t, uint32_t>> words;  // ROUTE, SWITCH
  for (const auto& [key, route] : routes_) {
    std::pair<uint32_t, uint32_t> w{route_word(route), 0};
    if (switched.count(std::get<0>(key)) != 0) {
      const auto s = switches_.find(key);
      if (s != switches_.end()) {
        w.first = route_word(s->second.positions[0]) | 1u << 9 |
                  static_cast<uint32_t>(s->second.mode) << 10 |
                  static_cast<uint32_t>(s->second.ring) << 12;
        w.second = switch_word(s->second);
      }
      w.first |= credit_bits(key);
    }
    words[key] = w;
  }
  std::set<Key> done;
  for (const auto& [key, word] : words) {
    if (done.count(key) != 0) continue;
    const auto [colour, row, col] = key;
    auto same = [&, colour = colour, &word = word](int r, int c) {
      const auto it = words.find({colour, r, c});
      return it != words.end() && it->second == word && done.count(it->first) == 0;
    };
    Rect rect{row, col, 1, 1};
    while (same(row, col + rect.cols)) ++rect.cols;
    for (;;) {
      bool whole_row = true;
      for (int c = 0; c < rect.cols && whole_row; ++c) whole_row = same(row + rect.rows, col + c);
      if (!whole_row) break;
      ++rect.rows;
    }
    for (int r = 0; r < rect.rows; ++r) {
      for (int c = 0; c < rect.cols; ++c) done.insert({colour, row + r, col + c});
    }
    const uint32_t offset = 4 * static_cast<uint32_t>(colour);
    if (switched.count(colour) != 0) control.write(rect, kRegSwitch + offset, word.second);
    control.write(rect, kRegRoute + offset, word.first);
  }
}

// ------------------------------------------------------------------------------------- filters --
void set_filter(ControlPlane& control, const Rect& rect, int index, const Filter& f) {
  if (index < 0 || index >= kNumFilters) {
    throw BadInput(fmt::format("filter {}: must be 0 to {}", index, kNumFilters - 1));
  }
  if (f.colour < 0 || f.colour >= kMaxDataColours) {
    throw BadInput(
        fmt::format("filter of colour {}: must be 0 to {}", f.colour, kMaxDataColours - 1));
  }
  if (f.low > 0xFFFF || f.high > 0xFFFF || f.count > 0xFFFF) {
    throw BadInput(
        fmt::format("filter of colour {}: limits {} and {} and count {} must be below "
                    "65536",
                    f.colour, f.low, f.high, f.count));
  }
  const uint32_t base = kRegFilter + 16 * static_cast<uint32_t>(index);
  const uint32_t word =
      static_cast<uint32_t>(f.colour) | 1u << 5 | static_cast<uint32_t>(f.kind) << 6 |
      static_cast<uint32_t>(f.count_data) << 8 | static_cast<uint32_t>(f.count_ctrl) << 9 |
      static_cast<uint32_t>(f.filter_ctrl) << 10;
  control.write(rect, base,
                std::vector<uint32_t>{word & ~(1u << 5), f.high << 16 | f.low, f.count});
  control.write(rect, base, word);
}

// -------------------------------------------------------------------------------------- queues --
void bind_inq(ControlPlane& control, const Rect& rect, int queue, int colour) {
  check_queue(queue, colour);
  control.write(rect, kRegInq + 4 * static_cast<uint32_t>(queue),
                1u << 5 | static_cast<uint32_t>(colour));
}

void bind_outq(ControlPlane& control, const Rect& rect, int queue, int colour) {
  check_queue(queue, colour);
  control.write(rect, kRegOutq + 4 * static_cast<uint32_t>(queue),
                1u << 5 | static_cast<uint32_t>(colour));
}

// -------------------------------------------------------------------------------- program, core --
size_t load_program(ControlPlane& control, const Rect& rect, const ElfImage& image, bool verify) {
  size_t total = 0;
  for (const ElfSegment& segment : image.segments) {
    const std::vector<uint32_t> words = segment_words(segment);
    control.write(rect, segment.addr, words);
    total += words.size();
  }
  control.fence(rect);
  if (verify) {
    for (const ElfSegment& segment : image.segments) {
      const std::vector<uint32_t> words = segment_words(segment);
      const std::vector<uint32_t> got =
          control.read_tile(rect.row, rect.col, segment.addr, words.size());
      for (size_t i = 0; i < words.size(); ++i) {
        if (got[i] != words[i]) {
          throw DeviceFault(fmt::format(
              "tile ({}, {}): 0x{:x} holds 0x{:08x} after loading {}, expected 0x{:08x}", rect.row,
              rect.col, segment.addr + 4 * i, got[i], image.path, words[i]));
        }
      }
    }
  }
  return total;
}

void set_identity(ControlPlane& control, const Rect& rect) {
  for (int r = rect.row; r < rect.row + rect.rows; ++r) {
    control.write(Rect{r, rect.col, 1, rect.cols}, kRegRow, static_cast<uint32_t>(r));
  }
  for (int c = rect.col; c < rect.col + rect.cols; ++c) {
    control.write(Rect{rect.row, c, rect.rows, 1}, kRegCol, static_cast<uint32_t>(c));
  }
}

void start_cores(ControlPlane& control, const Rect& rect, uint32_t pc) {
  control.write(rect, kRegCorePc, pc);
  control.write(rect, kRegCoreCtrl, kCoreReset);
  control.write(rect, kRegCoreCtrl, kCoreRun);
}

void halt_cores(ControlPlane& control, const Rect& rect) { control.write(rect, kRegCoreCtrl, 0u); }

CoreState read_core(ControlPlane& control, int row, int col) {
  const std::vector<uint32_t> w = control.read_tile(row, col, kRegCorePc, 4);
  CoreState s;
  s.pc = w[0];
  s.running = (w[1] & 1) != 0;
  s.trapped = (w[1] & 2) != 0;
  s.asleep = (w[1] & 4) != 0;
  s.waits_tensor = (w[1] & 8) != 0;
  s.stopped_ebreak = (w[1] & 16) != 0;
  s.cause = static_cast<int>(w[1] >> 8 & 31);
  s.tval = w[2];
  s.engine_fault = w[3];
  return s;
}

// ------------------------------------------------------------------------------------- counters --
namespace {
Counters counters_of(const std::vector<uint32_t>& words) {
  Counters c{};
  for (size_t k = 0; k < c.size(); ++k) {
    c[k] = words[2 * k] | static_cast<uint64_t>(words[2 * k + 1]) << 32;
  }
  return c;
}
}  // namespace

// Each counter is read low word first, which latches its high word.
Counters read_counters(ControlPlane& control, int row, int col) {
  return counters_of(control.read_tile(row, col, kRegCounters, 2 * kNumCounters));
}

std::vector<Counters> read_counters(ControlPlane& control, const Rect& rect) {
  std::vector<Counters> all;
  for (const std::vector<uint32_t>& words :
       control.read_rect(rect, kRegCounters, 2 * kNumCounters)) {
    all.push_back(counters_of(words));
  }
  return all;
}

TileConfig read_config(ControlPlane& control, int row, int col) {
  const uint32_t w = control.read_tile(row, col, kRegConfig);
  TileConfig c;
  c.lanes = static_cast<int>(w & 15);
  c.threads = static_cast<int>(w >> 4 & 15) + 1;
  c.colours = static_cast<int>(w >> 8 & 31);
  c.sram_bytes = (w >> 16) * 64;
  return c;
}

}  // namespace ow
