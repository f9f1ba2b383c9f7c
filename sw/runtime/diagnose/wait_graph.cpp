// SPDX-License-Identifier: Apache-2.0
#include "wait_graph.h"

#include <algorithm>
#include <deque>

namespace ow {

const std::string& WaitGraph::text(const WaitUnit& unit) const {
  static const std::string none;
  const auto it = text_.find(unit);
  return it == text_.end() ? none : it->second;
}

// These units and all units that edges lead to from them.
std::set<WaitUnit> WaitGraph::reached(const Edges& edges, const std::set<WaitUnit>& from) {
  std::set<WaitUnit> seen = from;
  std::deque<WaitUnit> pending(from.begin(), from.end());
  while (!pending.empty()) {
    const auto it = edges.find(pending.front());
    pending.pop_front();
    if (it == edges.end()) continue;
    for (const WaitUnit& unit : it->second) {
      if (seen.insert(unit).second) pending.push_back(unit);
    }
  }
  return seen;
}

std::vector<WaitUnit> WaitGraph::shortest_cycle(const WaitUnit& start) const {
  std::map<WaitUnit, WaitUnit> before;
  std::deque<WaitUnit> pending{start};
  while (!pending.empty()) {
    const WaitUnit unit = pending.front();
    pending.pop_front();
    const auto it = next_.find(unit);
    if (it == next_.end()) continue;
    for (const WaitUnit& to : it->second) {
      if (to == start) {
        std::vector<WaitUnit> cycle{unit};
        while (!(cycle.back() == start)) cycle.push_back(before.at(cycle.back()));
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (before.emplace(to, unit).second) pending.push_back(to);
    }
  }
  return {};
}

std::vector<std::vector<WaitUnit>> WaitGraph::cycles() const {
  Edges back;
  for (const auto& [from, tos] : next_) {
    for (const WaitUnit& to : tos) back[to].insert(from);
  }
  const std::set<WaitUnit> explained = reached(back, explained_);
  std::set<WaitUnit> done = explained;
  std::vector<std::vector<WaitUnit>> found;
  for (const auto& edge : next_) {
    const WaitUnit& start = edge.first;
    if (done.count(start) != 0) continue;
    const std::vector<WaitUnit> cycle = shortest_cycle(start);
    if (cycle.empty()) {
      done.insert(start);
      continue;
    }
    found.push_back(cycle);
    // A unit that leads into this set, or is reached from it and leads back, is no separate cause.
    const std::set<WaitUnit> members(cycle.begin(), cycle.end());
    const std::set<WaitUnit> to = reached(back, members);
    done.insert(to.begin(), to.end());
  }
  return found;
}

}  // namespace ow
