// SPDX-License-Identifier: Apache-2.0
// Finds defects in a set of routes before it is written.
#include <fmt/format.h>

#include <algorithm>

#include "ow/device/neighbours.h"
#include "ow/runtime/routes.h"

namespace ow {

class RouteSet::Check {
 public:
  explicit Check(const RouteSet& set) : set_(set) {}

  std::vector<std::string> run() {
    for (const auto& start : set_.routes_) check_tile(start.first);
    for (const auto& start : set_.routes_) {
      for (int p = 0; p < 4; ++p) find_cycles({start.first, p});
    }
    return std::move(defects_);
  }

 private:
  // A link is named by the sending tile and its port.
  using Link = std::pair<Key, int>;
  enum class State { New, OnPath, Done };

  static Key neighbour(const Key& key, int p) {
    const auto [colour, row, col] = key;
    return {colour, row + kRowStep[p], col + kColStep[p]};
  }
  bool in_grid(const Key& key) const {
    return ow::in_grid(set_.shape_, std::get<1>(key), std::get<2>(key));
  }
  static bool sends(const Route& route, int p) { return (route.out_mask >> p & 1) != 0; }
  static bool any_sends(const std::vector<Route>& ways, int p) {
    return std::any_of(ways.begin(), ways.end(), [p](const Route& r) { return sends(r, p); });
  }

  // Compares each position of the tile with all positions of its neighbours.
  void check_tile(const Key& key) {
    const std::vector<Route> ways = set_.positions(key);
    for (size_t i = 0; i < ways.size(); ++i) {
      const std::string position = ways.size() > 1 ? fmt::format(" in position {}", i) : "";
      for (int p = 0; p < 4; ++p) {
        if (sends(ways[i], p)) check_output(key, p, position);
      }
      if (ways[i].in != Port::Ramp) check_input(key, ways[i], position);
    }
  }

  void check_output(const Key& key, int p, const std::string& position) {
    const auto [colour, row, col] = key;
    const Port port = static_cast<Port>(p);
    const Key to = neighbour(key, p);
    const std::string where = fmt::format("colour {}: tile ({}, {}) sends {}{}", colour, row, col,
                                          port_name(port), position);
    if (!in_grid(to)) {
      const int index = p == 0 || p == 2 ? col : row;
      if (set_.listeners_.count({p, index, colour}) == 0) {
        defects_.push_back(where + " off the grid, where nothing listens");
      }
      return;
    }
    const std::vector<Route> others = set_.positions(to);
    const bool taken = std::any_of(others.begin(), others.end(),
                                   [&](const Route& other) { return other.in == opposite(port); });
    if (taken) return;
    const std::string tile = fmt::format(" to tile ({}, {})", std::get<1>(to), std::get<2>(to));
    defects_.push_back(
        where + tile +
        (others.empty() ? ", which has no route of it"
                        : fmt::format(", which takes it from {}", port_name(others.front().in))));
  }

  void check_input(const Key& key, const Route& route, const std::string& position) {
    const auto [colour, row, col] = key;
    const int p = static_cast<int>(route.in);
    const Key from = neighbour(key, p);
    if (in_grid(from) && !any_sends(set_.positions(from), (p + 2) % 4)) {
      defects_.push_back(fmt::format(
          "colour {}: tile ({}, {}) takes it from {}{}, but tile ({}, {}) does not "
          "send it there",
          colour, row, col, port_name(route.in), position, std::get<1>(from), std::get<2>(from)));
    }
    if (sends(route, p)) {
      defects_.push_back(
          fmt::format("colour {}: tile ({}, {}) sends it back {}{}, where it comes from", colour,
                      row, col, port_name(route.in), position));
    }
  }

  // Deadlock: a wavelet that holds the buffer of one link waits for the buffer of the next. Colours
  // never wait for each other, and the switches of a colour move independently, so all positions
  // count at once. But a wavelet that arrives on one link leaves only through positions with that
  // input.
  std::vector<Link> next_links(const Link& link) const {
    std::vector<Link> next;
    const Key to = neighbour(link.first, link.second);
    for (const Route& route : set_.positions(to)) {
      if (static_cast<int>(route.in) != (link.second + 2) % 4) continue;
      for (int p = 0; p < 4; ++p) {
        if (sends(route, p) && set_.routes_.count(neighbour(to, p)) != 0) next.push_back({to, p});
      }
    }
    return next;
  }

  // Depth first, without recursion: a path can be as long as the wafer has links.
  void find_cycles(const Link& first) {
    if (state_[first] != State::New || !any_sends(set_.positions(first.first), first.second)) {
      return;
    }
    std::vector<Link> path;
    std::vector<std::vector<Link>> pending;
    const auto enter = [&](const Link& link) {
      state_[link] = State::OnPath;
      path.push_back(link);
      pending.push_back(next_links(link));
    };
    enter(first);
    while (!path.empty()) {
      if (pending.back().empty()) {
        state_[path.back()] = State::Done;
        path.pop_back();
        pending.pop_back();
        continue;
      }
      const Link link = pending.back().back();
      pending.back().pop_back();
      if (state_[link] == State::OnPath) report_cycle(path, link);
      if (state_[link] == State::New) enter(link);
    }
  }

  void report_cycle(const std::vector<Link>& path, const Link& link) {
    std::string tiles;
    for (auto it = std::find(path.begin(), path.end(), link); it != path.end(); ++it) {
      tiles += fmt::format("{}({}, {})", tiles.empty() ? "" : ", ", std::get<1>(it->first),
                           std::get<2>(it->first));
    }
    defects_.push_back(fmt::format("colour {}: the routes form a cycle through tiles {}",
                                   std::get<0>(link.first), tiles));
  }

  const RouteSet& set_;
  std::vector<std::string> defects_;
  std::map<Link, State> state_;  // of a walk over all links
};

std::vector<std::string> RouteSet::check() const { return Check(*this).run(); }

}  // namespace ow
