// SPDX-License-Identifier: Apache-2.0
// One reticle is solved by dynamic programming over its logical rows: state is the physical row and
// the placement of its columns, cost is how many tiles are moved. A row that no broken wire touches
// has a single placement worth looking at (the one that skips its dead tiles and nothing else),
// since nothing then depends on the choice; only rows with broken wires try all of theirs.
#include "ow/wafer/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "ow/base/error.h"

namespace ow::wafer {
namespace {

const char* const kSides[] = {"north", "east", "south", "west"};
constexpr size_t kMaxPlacements = 4096;
constexpr long kNoCost = std::numeric_limits<long>::max();

// Tiles that may not be the last ones before a side of their reticle.
using Barred = std::vector<std::pair<int, Position>>;

// Physical columns of the window's logical columns.
using Placement = std::vector<int>;

struct Option {
  Placement cols;
  long cost = 0;
};

long placement_cost(const Placement& cols, int first) {
  long cost = 0;
  for (size_t c = 0; c < cols.size(); ++c) cost += cols[c] - first - static_cast<int>(c);
  return cost;
}

// The placement that skips what is in `dead` and nothing else.
std::optional<Placement> plain_placement(const std::set<int>& dead, const Window& w, int spares) {
  Placement cols;
  int physical = w.col;
  for (int c = w.col; c < w.col + w.cols; ++c, ++physical) {
    while (dead.count(physical) != 0) ++physical;
    if (physical > c + spares) return std::nullopt;
    cols.push_back(physical);
  }
  return cols;
}

// All placements that avoid `dead`; with `only`, those that skip nothing else than its columns.
void all_placements(const std::set<int>& dead, const Window& w, int spares,
                    const std::set<int>* only, Placement* partial, std::vector<Option>* out) {
  const int c = static_cast<int>(partial->size());
  if (c == w.cols) {
    out->push_back({*partial, placement_cost(*partial, w.col)});
    return;
  }
  const int from = c == 0 ? w.col : partial->back() + 1;
  for (int physical = from; physical <= w.col + c + spares; ++physical) {
    if (dead.count(physical) == 0) {
      partial->push_back(physical);
      all_placements(dead, w, spares, only, partial, out);
      partial->pop_back();
      // Skipping a live column is a choice; at the end of a row it changes nothing.
      if (only != nullptr && only->count(physical) == 0) return;
    }
  }
}

double placements(int cols, int spares) {
  double n = 1;
  for (int k = 1; k <= spares; ++k) n = n * (cols + k) / k;
  return n;
}

// One reticle with its defects sorted for look-up.
class Solver {
 public:
  // `barred` are tiles that may not be the last ones before that side; `edges` of the defects are
  // not looked at.
  Solver(const Shape& shape, const ReticleDefects& defects, const Window& window,
         const Barred& barred)
      : shape_(shape), window_(window), dead_(static_cast<size_t>(shape.physical_rows())) {
    for (const auto& [side, tile] : barred) {
      barred_[side].insert(tile);
      touched_[tile.row].insert({tile.col, tile.col});
    }
    for (const Position& p : defects.tiles) dead_[index(p.row)].insert(p.col);
    for (const Wire& w : defects.wires) {
      broken_.insert(w);
      touched_[w.from.row].insert({w.from.col, w.to.col});
      touched_[w.to.row].insert({w.from.col, w.to.col});
      pairs_.insert({w.from.row, w.to.row});
    }
    chains_.insert(defects.chains.begin(), defects.chains.end());
  }

  std::optional<ReticleMap> solve() {
    options_.resize(index(shape_.physical_rows()));
    for (int p = 0; p < shape_.physical_rows(); ++p) options_[index(p)] = row_options(p);
    // best[r][shift][option]: least cost of rows 0 .. r with row r in physical row r + shift.
    const int shifts = shape_.spare_rows + 1;
    struct Cell {
      long cost = kNoCost;
      int shift = 0;
      int option = 0;
    };
    std::vector<std::vector<std::vector<Cell>>> best(index(window_.rows));
    for (int r = 0; r < window_.rows; ++r) {
      best[index(r)].resize(index(shifts));
      for (int s = 0; s < shifts; ++s) {
        const int p = window_.row + r + s;
        auto& cells = best[index(r)][index(s)];
        cells.resize(options_[index(p)].size());
        for (size_t o = 0; o < cells.size(); ++o) {
          Cell& cell = cells[o];
          const long own = options_[index(p)][o].cost + static_cast<long>(s) * window_.cols;
          const Placement& cols = options_[index(p)][o].cols;
          if (r == 0 && meets(0, p, cols)) continue;
          if (r + 1 == window_.rows && meets(2, p, cols)) continue;
          if (r == 0) {
            cell.cost = own;
            continue;
          }
          for (int t = 0; t <= s; ++t) {
            const auto& before = best[index(r - 1)][index(t)];
            const int q = window_.row + r - 1 + t;
            const bool free = pairs_.count({q, p}) == 0;
            for (size_t u = 0; u < before.size(); ++u) {
              if (before[u].cost == kNoCost || before[u].cost + own >= cell.cost) continue;
              if (!free && !joined(q, options_[index(q)][u].cols, p, options_[index(p)][o].cols)) {
                continue;
              }
              cell = {before[u].cost + own, t, static_cast<int>(u)};
            }
          }
        }
      }
    }
    int shift = -1, option = 0;
    long cost = kNoCost;
    for (int s = 0; s < shifts; ++s) {
      const auto& cells = best[index(window_.rows - 1)][index(s)];
      for (size_t o = 0; o < cells.size(); ++o) {
        if (cells[o].cost < cost) {
          cost = cells[o].cost;
          shift = s;
          option = static_cast<int>(o);
        }
      }
    }
    if (shift < 0) return std::nullopt;
    ReticleMap map;
    map.window = window_;
    map.row.resize(index(window_.rows));
    map.col.resize(index(window_.rows));
    for (int r = window_.rows - 1; r >= 0; --r) {
      const int p = window_.row + r + shift;
      map.row[index(r)] = p;
      map.col[index(r)] = options_[index(p)][index(option)].cols;
      const Cell& cell = best[index(r)][index(shift)][index(option)];
      shift = cell.shift;
      option = cell.option;
    }
    return map;
  }

 private:
  static size_t index(int i) { return static_cast<size_t>(i); }

  std::vector<Option> row_options(int p) const {
    std::vector<Option> options;
    if (chains_.count(p) != 0) return options;
    const std::set<int>& dead = dead_[index(p)];
    const auto touched = touched_.find(p);
    if (touched == touched_.end()) {
      if (auto cols = plain_placement(dead, window_, shape_.spare_cols)) {
        options.push_back({*cols, placement_cost(*cols, window_.col)});
      }
      return options;
    }
    Placement partial;
    if (placements(window_.cols, shape_.spare_cols) <= static_cast<double>(kMaxPlacements)) {
      all_placements(dead, window_, shape_.spare_cols, nullptr, &partial, &options);
    } else {
      std::set<int> near;
      for (const auto& [from, to] : touched->second) near.insert({from, to});
      all_placements(dead, window_, shape_.spare_cols, &near, &partial, &options);
    }
    // Wires along the row.
    options.erase(std::remove_if(options.begin(), options.end(),
                                 [&](const Option& o) {
                                   if (barred_[1].count({p, o.cols.back()}) != 0 ||
                                       barred_[3].count({p, o.cols.front()}) != 0) {
                                     return true;
                                   }
                                   for (size_t c = 1; c < o.cols.size(); ++c) {
                                     if (broken_.count({{p, o.cols[c - 1]}, {p, o.cols[c]}}) != 0)
                                       return true;
                                   }
                                   return false;
                                 }),
                  options.end());
    std::stable_sort(options.begin(), options.end(),
                     [](const Option& x, const Option& y) { return x.cost < y.cost; });
    return options;
  }

  // A row that is the first (side 0) or the last one has a tile that may not be there.
  bool meets(int side, int p, const Placement& cols) const {
    const std::set<Position>& barred = barred_[side];
    return !barred.empty() && std::any_of(cols.begin(), cols.end(), [&](int c) {
      return barred.count({p, c}) != 0;
    });
  }

  // All wires between two rows that follow each other work.
  bool joined(int q, const Placement& above, int p, const Placement& below) const {
    for (size_t c = 0; c < above.size(); ++c) {
      if (broken_.count({{q, above[c]}, {p, below[c]}}) != 0) return false;
    }
    return true;
  }

  const Shape& shape_;
  Window window_;
  std::vector<std::set<int>> dead_;
  std::set<Wire> broken_;
  std::map<int, std::set<std::pair<int, int>>> touched_;
  std::set<std::pair<int, int>> pairs_;  // rows with a broken wire between them
  std::set<int> chains_;
  std::set<Position> barred_[4];
  std::vector<std::vector<Option>> options_;
};

// Slots for logical rows (or columns) first .. first + n - 1, or nothing.
std::optional<EdgeMap> place_links(const std::vector<int>& down, int first, int n, int spares) {
  const std::set<int> dead(down.begin(), down.end());
  EdgeMap map;
  int slot = first;
  for (int r = first; r < first + n; ++r, ++slot) {
    while (dead.count(slot) != 0) ++slot;
    if (slot > r + spares) return std::nullopt;
    map.push_back(slot);
  }
  return map;
}

std::string list(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// Why a whole reticle cannot be repaired, in its own numbers.
std::string reticle_reason(const Shape& shape, const ReticleDefects& defects) {
  std::vector<int> lost;
  std::set<int> chains(defects.chains.begin(), defects.chains.end());
  std::vector<int> dead(static_cast<size_t>(shape.physical_rows()));
  for (const Position& p : defects.tiles) ++dead[static_cast<size_t>(p.row)];
  for (int p = 0; p < shape.physical_rows(); ++p) {
    if (chains.count(p) != 0 || dead[static_cast<size_t>(p)] > shape.spare_cols) lost.push_back(p);
  }
  if (static_cast<int>(lost.size()) > shape.spare_rows) {
    return fmt::format(
        "physical rows {} cannot be used (more than {} defective tile{} each, or a broken chain), "
        "and it has {} spare row{}",
        list(lost), shape.spare_cols, shape.spare_cols == 1 ? "" : "s", shape.spare_rows,
        shape.spare_rows == 1 ? "" : "s");
  }
  return fmt::format(
      "no placement of its rows and columns avoids its {} broken wires and {} "
      "defective tiles",
      defects.wires.size(), defects.tiles.size());
}

// The part of a window of the wafer that lies in reticle (y, x), in the reticle's numbers.
Window part(const Shape& shape, const Window& w, int y, int x) {
  const int top = std::max(w.row, y * shape.rows);
  const int bottom = std::min(w.row + w.rows, (y + 1) * shape.rows);
  const int left = std::max(w.col, x * shape.cols);
  const int right = std::min(w.col + w.cols, (x + 1) * shape.cols);
  if (top >= bottom || left >= right) return {};
  return {top - y * shape.rows, left - x * shape.cols, bottom - top, right - left};
}

// Answers for windows, remembered: the search for the largest rectangle asks the same again.
class Oracle {
 public:
  Oracle(const Shape& shape, const Defects& defects) : shape_(shape), defects_(defects) {
    for (const ReticleDefects& r : defects.reticles) edges_ |= !r.edges.empty();
  }

  bool works(const Window& w) {
    if (edges_) return repair_window(shape_, defects_, w).map.has_value();
    for (int y = w.row / shape_.rows; y * shape_.rows < w.row + w.rows; ++y) {
      for (int x = w.col / shape_.cols; x * shape_.cols < w.col + w.cols; ++x) {
        if (!reticle_works(y, x, part(shape_, w, y, x)) || !edges_work(w, y, x)) return false;
      }
    }
    return true;
  }

 private:
  bool reticle_works(int y, int x, const Window& p) {
    const int d = y * shape_.reticle_cols + x;
    const auto key = std::make_pair(
        d, std::make_pair(std::make_pair(p.row, p.rows), std::make_pair(p.col, p.cols)));
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    const bool ok =
        repair_reticle(shape_, defects_.reticles[static_cast<size_t>(d)], p).has_value();
    known_[key] = ok;
    return ok;
  }

  bool edges_work(const Window& w, int y, int x) const {
    const auto d = static_cast<size_t>(y * shape_.reticle_cols + x);
    const Window p = part(shape_, w, y, x);
    if (w.col + w.cols > (x + 1) * shape_.cols &&
        !place_links(defects_.east_links[d], p.row, p.rows, shape_.spare_rows)) {
      return false;
    }
    return w.row + w.rows <= (y + 1) * shape_.rows ||
           place_links(defects_.south_links[d], p.col, p.cols, shape_.spare_cols).has_value();
  }

  const Shape& shape_;
  const Defects& defects_;
  bool edges_ = false;  // connections to link slots are broken: reticles depend on each other
  std::map<std::pair<int, std::pair<std::pair<int, int>, std::pair<int, int>>>, bool> known_;
};

}  // namespace

Position WaferMap::physical(int row, int col, int* reticle) const {
  const int y = row / shape.rows;
  const int x = col / shape.cols;
  *reticle = y * shape.reticle_cols + x;
  const ReticleMap& map = reticles.at(static_cast<size_t>(*reticle));
  const auto r = static_cast<size_t>(row - y * shape.rows - map.window.row);
  const auto c = static_cast<size_t>(col - x * shape.cols - map.window.col);
  return {map.row.at(r), map.col.at(r).at(c)};
}

std::optional<ReticleMap> repair_reticle(const Shape& shape, const ReticleDefects& defects,
                                         const Window& window) {
  return Solver(shape, defects, window, {}).solve();
}

namespace {

// Without looking at the connections to link slots. `barred` by reticle.
Repair repair_with(const Shape& shape, const Defects& defects, const Window& window,
                   const std::vector<Barred>& barred) {
  WaferMap map;
  map.shape = shape;
  map.window = window;
  const auto count = static_cast<size_t>(shape.reticles());
  map.reticles.resize(count);
  map.east.resize(count);
  map.south.resize(count);
  for (int y = 0; y < shape.reticle_rows; ++y) {
    for (int x = 0; x < shape.reticle_cols; ++x) {
      const auto d = static_cast<size_t>(y * shape.reticle_cols + x);
      const Window p = part(shape, window, y, x);
      if (p.rows == 0) continue;
      auto reticle = Solver(shape, defects.reticles[d], p, barred[d]).solve();
      if (!reticle) {
        return {std::nullopt, fmt::format("reticle ({}, {}): {}", y, x,
                                          reticle_reason(shape, defects.reticles[d]))};
      }
      map.reticles[d] = *reticle;
      if (window.col + window.cols > (x + 1) * shape.cols) {
        auto edge = place_links(defects.east_links[d], p.row, p.rows, shape.spare_rows);
        if (!edge) {
          return {std::nullopt,
                  fmt::format("east edge of reticle ({}, {}): links {} are down, {} spare", y, x,
                              list(defects.east_links[d]), shape.spare_rows)};
        }
        map.east[d] = *edge;
      }
      if (window.row + window.rows > (y + 1) * shape.rows) {
        auto edge = place_links(defects.south_links[d], p.col, p.cols, shape.spare_cols);
        if (!edge) {
          return {std::nullopt,
                  fmt::format("south edge of reticle ({}, {}): links {} are down, {} spare", y, x,
                              list(defects.south_links[d]), shape.spare_cols)};
        }
        map.south[d] = *edge;
      }
    }
  }
  return {map, ""};
}

// A broken connection to a link slot that the map uses: its reticle and where in `edges`.
std::optional<std::pair<size_t, EdgeWire>> used_edge(const Shape& shape, const Defects& defects,
                                                     const WaferMap& map) {
  for (size_t d = 0; d < defects.reticles.size(); ++d) {
    const ReticleMap& r = map.reticles[d];
    if (r.window.rows == 0) continue;
    for (const EdgeWire& w : defects.reticles[d].edges) {
      // The slots of that edge are those of the reticle to the west or north of it.
      const auto owner = static_cast<size_t>(shape.link_owner(static_cast<int>(d), w.side));
      const bool column = w.side == 0 || w.side == 2;
      const EdgeMap& slots = column ? map.south[owner] : map.east[owner];
      for (size_t i = 0; i < slots.size(); ++i) {
        if (slots[i] != w.slot) continue;
        const size_t row = w.side == 0 ? 0 : w.side == 2 ? r.row.size() - 1 : i;
        const std::vector<int>& cols = r.col[row];
        const size_t col = w.side == 3 ? 0 : w.side == 1 ? cols.size() - 1 : i;
        if (r.row[row] == w.tile.row && cols[col] == w.tile.col) return std::make_pair(d, w);
      }
    }
  }
  return std::nullopt;
}

// Avoids broken connections to link slots one after the other, by the slot first and then by the
// tile; at most `depth` of them.
Repair avoid_edges(const Shape& shape, const Defects& defects, const Window& window,
                   const std::vector<Barred>& barred, int depth) {
  Repair repair = repair_with(shape, defects, window, barred);
  if (!repair.map) return repair;
  const auto used = used_edge(shape, defects, *repair.map);
  if (!used) return repair;
  const auto& [d, w] = *used;
  const std::string reason = fmt::format(
      "reticle ({}, {}): tile ({}, {}) cannot be joined to link {} of its {} edge",
      d / static_cast<size_t>(shape.reticle_cols), d % static_cast<size_t>(shape.reticle_cols),
      w.tile.row, w.tile.col, w.slot, kSides[w.side]);
  if (depth == 0) return {std::nullopt, reason};
  Defects without = defects;
  const auto owner = static_cast<size_t>(shape.link_owner(static_cast<int>(d), w.side));
  auto& down = w.side == 0 || w.side == 2 ? without.south_links : without.east_links;
  down[owner].push_back(w.slot);
  Repair by_slot = avoid_edges(shape, without, window, barred, depth - 1);
  if (by_slot.map) return by_slot;
  std::vector<Barred> more = barred;
  more[d].push_back({w.side, w.tile});
  Repair by_tile = avoid_edges(shape, defects, window, more, depth - 1);
  if (by_tile.map) return by_tile;
  return {std::nullopt, reason};
}

}  // namespace

Repair repair_window(const Shape& shape, const Defects& defects, const Window& window) {
  constexpr int kMaxEdges = 10;
  return avoid_edges(shape, defects, window,
                     std::vector<Barred>(static_cast<size_t>(shape.reticles())), kMaxEdges);
}

Repair repair_wafer(const Shape& shape, const Defects& defects) {
  return repair_window(shape, defects, {0, 0, shape.logical_rows(), shape.logical_cols()});
}

Window largest_rectangle(const Shape& shape, const Defects& defects) {
  const auto cuts = [](int total, int pitch) {
    std::vector<int> at;
    const int step = total <= 32 ? 1 : pitch;
    for (int i = 0; i <= total; i += step) at.push_back(i);
    return at;
  };
  const std::vector<int> ys = cuts(shape.logical_rows(), shape.rows);
  const std::vector<int> xs = cuts(shape.logical_cols(), shape.cols);
  Oracle oracle(shape, defects);
  Window best;
  for (size_t y0 = 0; y0 < ys.size(); ++y0) {
    for (size_t x0 = 0; x0 < xs.size(); ++x0) {
      // A window that works still works when it is made smaller, so as rows are added the widest
      // window never grows.
      size_t x1 = xs.size() - 1;
      for (size_t y1 = y0 + 1; y1 < ys.size() && x1 > x0; ++y1) {
        Window w{ys[y0], xs[x0], ys[y1] - ys[y0], 0};
        for (; x1 > x0; --x1) {
          w.cols = xs[x1] - xs[x0];
          if (w.tiles() <= best.tiles() && y1 + 1 == ys.size()) break;
          if (oracle.works(w)) break;
        }
        w.cols = xs[x1] - xs[x0];
        if (x1 > x0 && w.tiles() > best.tiles() && oracle.works(w)) best = w;
      }
    }
  }
  return best;
}

}  // namespace ow::wafer
