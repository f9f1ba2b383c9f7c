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
}

void RouteSet::set(const Rect& rect, int colour, Route route) {
  for (int r = 0; r < rect.rows; ++r) {
    for (int c = 0; c < rect.cols; ++c) set(rect.row + r, rect.col + c, colour, route);
  }
}

void RouteSet::listen(Side side, int index, int colour) {
  listeners_.insert({static_cast<int>(side), index, colour});
}

std::vector<std::string> RouteSet::check() const {
  std::vector<std::string> defects;
  for (const auto& [key, route] : routes_) {
    const auto [colour, row, col] = key;
    for (int p = 0; p < 4; ++p) {
      if ((route.out_mask >> p & 1) == 0) continue;
      const Port port = static_cast<Port>(p);
      const int nrow = row + kRowStep[p];
      const int ncol = col + kColStep[p];
      const std::string where =
          fmt::format("colour {}: tile ({}, {}) sends {}", colour, row, col, port_name(port));
      if (!in_grid(shape_, nrow, ncol)) {
        const int index = p == 0 || p == 2 ? col : row;
        if (listeners_.count({p, index, colour}) == 0) {
          defects.push_back(where + " off the grid, where nothing listens");
        }
        continue;
      }
      const auto it = routes_.find({colour, nrow, ncol});
      if (it == routes_.end()) {
        defects.push_back(where +
                          fmt::format(" to tile ({}, {}), which has no route of it", nrow, ncol));
      } else if (it->second.in != opposite(port)) {
        defects.push_back(where + fmt::format(" to tile ({}, {}), which takes it from {}", nrow,
                                              ncol, port_name(it->second.in)));
      }
    }
    if (route.in != Port::Ramp) {
      const int p = static_cast<int>(route.in);
      const int nrow = row + kRowStep[p];
      const int ncol = col + kColStep[p];
      if (in_grid(shape_, nrow, ncol)) {
        const auto it = routes_.find({colour, nrow, ncol});
        if (it == routes_.end() || (it->second.out_mask >> (p + 2) % 4 & 1) == 0) {
          defects.push_back(fmt::format(
              "colour {}: tile ({}, {}) takes it from {}, but tile ({}, {}) does not send it there",
              colour, row, col, port_name(route.in), nrow, ncol));
        }
      }
      if ((route.out_mask >> p & 1) != 0) {
        defects.push_back(
            fmt::format("colour {}: tile ({}, {}) sends it back {}, where it comes from", colour,
                        row, col, port_name(route.in)));
      }
    }
  }
  // Every tile has one input a colour: a ring is found by walking upstream.
  std::set<std::tuple<int, int, int>> reported;
  for (const auto& start : routes_) {
    std::set<std::tuple<int, int, int>> seen;
    std::tuple<int, int, int> at = start.first;
    for (;;) {
      const auto it = routes_.find(at);
      if (it == routes_.end() || it->second.in == Port::Ramp || reported.count(at) != 0) break;
      if (!seen.insert(at).second) {
        const auto [colour, row, col] = at;
        defects.push_back(fmt::format("colour {}: the routes form a cycle through tile ({}, {})",
                                      colour, row, col));
        reported.insert(seen.begin(), seen.end());
        break;
      }
      const int p = static_cast<int>(it->second.in);
      at = {std::get<0>(at), std::get<1>(at) + kRowStep[p], std::get<2>(at) + kColStep[p]};
    }
  }
  return defects;
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
  std::set<std::tuple<int, int, int>> done;
  for (const auto& [key, route] : routes_) {
    if (done.count(key) != 0) continue;
    const auto [colour, row, col] = key;
    const uint32_t word = route_word(route);
    auto same = [&, colour = colour](int r, int c) {
      const auto it = routes_.find({colour, r, c});
      return it != routes_.end() && route_word(it->second) == word && done.count(it->first) == 0;
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
    control.write(rect, kRegRoute + 4 * static_cast<uint32_t>(colour), word);
  }
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
