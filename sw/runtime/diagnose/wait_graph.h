// SPDX-License-Identifier: Apache-2.0
// Who waits for whom in a grid that does not go on, to find waits that lead back to themselves.
#ifndef OW_WAIT_GRAPH_H_
#define OW_WAIT_GRAPH_H_

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ow {

// Something that can wait: of a tile (its index) the core, thread n, the reducer, output queue n,
// input queue n, or colour n in the router. Tile stands for whatever in the tile might send: it
// goes on if one of those does for which it waits.
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
  // There is another reason why the unit waits, or it goes on by itself: what waits for it is no
  // part of a cycle.
  void explain(const WaitUnit& unit) { explained_.insert(unit); }
  // What it does, for the text of a cycle.
  void describe(const WaitUnit& unit, const std::string& text) { text_[unit] = text; }
  const std::string& text(const WaitUnit& unit) const;

  // Of each set of units that wait for each other, and that nothing else explains, a shortest
  // cycle, from its least unit on.
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
