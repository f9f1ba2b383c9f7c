// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/routes.h"

#include <algorithm>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/neighbours.h"
#include "ow/device/tile_map.h"
#include "ow/isa/isa.h"
#include "rectangles.h"

namespace ow {
namespace {

namespace reg = isa::reg;

uint32_t position_word(const Route& route) {
  return isa::Position::InPort::put(route.in) | isa::Position::OutMask::put(route.out_mask);
}

}  // namespace

uint32_t route_word(const Route& route) {
  return reg::Route::Enable::put(1) | reg::Route::Position::put(position_word(route));
}

bool parse_route(uint32_t word, Route* route) {
  const uint32_t position = reg::Route::Position::get(word);
  route->in = static_cast<Port>(
      std::min(isa::Position::InPort::get(position), static_cast<uint32_t>(Port::Ramp)));
  route->out_mask = isa::Position::OutMask::get(position);
  return reg::Route::Enable::get(word);
}

Port opposite(Port port) {
  return port == Port::Ramp ? Port::Ramp : static_cast<Port>((static_cast<int>(port) + 2) % 4);
}

const char* port_name(Port port) {
  static const char* const kNames[] = {"north", "east", "south", "west", "ramp"};
  return kNames[static_cast<int>(port)];
}

uint32_t switch_word(const Switch& s) {
  const auto position = [&](size_t i) {
    return i < s.positions.size() ? position_word(s.positions[i]) : 0;
  };
  return reg::Switch::Last::put(s.positions.size() - 1) | reg::Switch::Current::put(s.start) |
         reg::Switch::Position1::put(position(1)) | reg::Switch::Position2::put(position(2)) |
         reg::Switch::Position3::put(position(3));
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

// Everything that a tile can do with a colour. A reset leads to position 0, advances lead to the
// others.
std::vector<Route> RouteSet::positions(const Key& key) const {
  const auto s = switches_.find(key);
  if (s != switches_.end()) return s->second.positions;
  const auto r = routes_.find(key);
  return r == routes_.end() ? std::vector<Route>{} : std::vector<Route>{r->second};
}

// The credit set-up of a ROUTE register: if a switch does not select the input at the start, the
// credits are with the tile that has the switch, not with its neighbour.
uint32_t RouteSet::credit_bits(const Key& key) const {
  const auto [colour, row, col] = key;
  auto waits = [&](const Key& at, int input) {  // at is switched, and starts with another input
    const auto s = switches_.find(at);
    return s != switches_.end() && s->second.positions.size() > 1 &&
           static_cast<int>(routes_.at(at).in) != input;
  };
  uint32_t without = 0, keep = 0;
  for (int p = 0; p < 4; ++p) {
    const Key other{colour, row + kRowStep[p], col + kColStep[p]};
    if (routes_.count(other) == 0) continue;
    if (waits(other, (p + 2) % 4)) without |= 1u << p;
    if (waits(key, p)) keep |= 1u << p;
  }
  return reg::Route::SetCredits::put(1) | reg::Route::WithoutCredits::put(without) |
         reg::Route::KeepCredits::put(keep);
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
  using Words = std::pair<uint32_t, uint32_t>;                // ROUTE, SWITCH
  std::map<int, std::map<std::pair<int, int>, Words>> words;  // by colour
  for (const auto& [key, route] : routes_) {
    const auto [colour, row, col] = key;
    Words w{route_word(route), 0};
    if (switched.count(colour) != 0) {
      const auto s = switches_.find(key);
      if (s != switches_.end()) {
        w.first = route_word(s->second.positions[0]) | reg::Route::Obey::put(1) |
                  reg::Route::PopMode::put(s->second.mode) | reg::Route::Ring::put(s->second.ring);
        w.second = switch_word(s->second);
      }
      w.first |= credit_bits(key);
    }
    words[colour][{row, col}] = w;
  }
  for (const auto& [colour, tiles] : words) {
    in_rectangles(tiles, [&, colour = colour](const Rect& rect, const Words& word) {
      if (switched.count(colour) != 0) {
        control.write(rect, reg::Switch::address(colour), word.second);
      }
      control.write(rect, reg::Route::address(colour), word.first);
    });
  }
}

}  // namespace ow
