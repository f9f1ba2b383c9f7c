// SPDX-License-Identifier: Apache-2.0
// A graph of who waits for whom in a stalled grid, to find waits that lead back to themselves.
#ifndef OW_WAIT_GRAPH_H_
#define OW_WAIT_GRAPH_H_

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ow {

// Something that can wait: the core of a tile (its index), thread n, the reducer, output queue n,
// input queue n, or colour n in the router. Tile stands for everything in the tile that might send;
// it continues as soon as one of the units that it waits for does.
struct WaitUnit {
  enum class Kind { Core, Thread, Reducer, OutputQueue, InputQueue, Router, Tile };
  int tile = 0;
  Kind kind = Kind::Tile;
  int n = 0;

  bool operator<(const WaitUnit& o) const {
    return std::tie(tile, kind, n) < std::tie(o.tile, o.kind, o.n);
  }
  bool operator==(const WaitUnit& o) const { return tile == o.tile && kind == o.kind && n == o.n; }
};

class WaitGraph {
 public:
  void wait(const WaitUnit& from, const WaitUnit& to) { next_[from].insert(to); }
  // The unit waits for another reason, or runs by itself: units that wait for it are not in a
  // cycle.
  void explain(const WaitUnit& unit) { explained_.insert(unit); }
  // What the unit does, for the text of a cycle.
  void describe(const WaitUnit& unit, const std::string& text) { text_[unit] = text; }
  const std::string& text(const WaitUnit& unit) const;

  // For each set of units that wait for each other and have no other explanation: a shortest cycle,
  // starting at its smallest unit.
  std::vector<std::vector<WaitUnit>> cycles() const;

 private:
  using Edges = std::map<WaitUnit, std::set<WaitUnit>>;
  static std::set<WaitUnit> reached(const Edges& edges, const std::set<WaitUnit>& from);
  std::vector<WaitUnit> shortest_cycle(const WaitUnit& start) const;

  Edges next_;
  std::set<WaitUnit> explained_;
  std::map<WaitUnit, std::string> text_;
};

}  // namespace ow

#endif  // OW_WAIT_GRAPH_H_
