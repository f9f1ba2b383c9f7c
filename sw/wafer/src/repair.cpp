// SPDX-License-Identifier: Apache-2.0
// One reticle is solved by dynamic programming over its logical rows. The state is the physical row
// and the placement of its columns; the cost is the number of tiles that move. A row that no broken
// wire touches needs only one placement (the one that skips exactly its dead tiles), since nothing
// else depends on it. Only rows with broken wires try all placements.
#include "ow/wafer/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "ow/base/error.h"
#include "repair_parts.h"

namespace ow::wafer {
namespace {

const char* const kSides[] = {"north", "east", "south", "west"};
constexpr size_t kMaxPlacements = 4096;
constexpr long kNoCost = std::numeric_limits<long>::max();

// A tile that may not be the last one before a side of its reticle in a row (sides 1 and 3) or
// column of the window.
struct Bar {
  int side = 0;
  Position tile;
  int line = 0;
};
using Bars = std::vector<Bar>;

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

// The placement that skips exactly the columns in `dead`.
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

// All placements that avoid `dead`; with `only`, those that skip only its columns.
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
  // The `edges` of the defects are ignored.
  Solver(const Shape& shape, const ReticleDefects& defects, const Window& window, const Bars& bars)
      : shape_(shape),
        window_(window),
        dead_(static_cast<size_t>(shape.physical_rows())),
        bars_(bars) {
    for (const Bar& b : bars) touched_[b.tile.row].insert({b.tile.col, b.tile.col});
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
          if (barred(r, p, cols)) continue;
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

  // Row r of the window has a tile before a side where it may not be.
  bool barred(int r, int p, const Placement& cols) const {
    return std::any_of(bars_.begin(), bars_.end(), [&](const Bar& b) {
      const bool column = b.side == 0 || b.side == 2;
      if (b.tile.row != p || r != (b.side == 0 ? 0 : b.side == 2 ? window_.rows - 1 : b.line)) {
        return false;
      }
      return b.tile.col == (column        ? cols[index(b.line)]
                            : b.side == 1 ? cols.back()
                                          : cols.front());
    });
  }

  // All wires between two adjacent rows work.
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
  const Bars& bars_;
  std::vector<std::vector<Option>> options_;
};

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

}  // namespace

std::optional<EdgeMap> place_links(const std::vector<int>& down, int first, int n, int spares,
                                   const BarredSlots& barred) {
  const std::set<int> dead(down.begin(), down.end());
  EdgeMap map;
  int slot = first;
  for (int r = first; r < first + n; ++r, ++slot) {
    while (dead.count(slot) != 0 || barred.count({r - first, slot}) != 0) ++slot;
    if (slot > r + spares) return std::nullopt;
    map.push_back(slot);
  }
  return map;
}

Window part(const Shape& shape, const Window& w, int y, int x) {
  const int top = std::max(w.row, y * shape.rows);
  const int bottom = std::min(w.row + w.rows, (y + 1) * shape.rows);
  const int left = std::max(w.col, x * shape.cols);
  const int right = std::min(w.col + w.cols, (x + 1) * shape.cols);
  if (top >= bottom || left >= right) return {};
  return {top - y * shape.rows, left - x * shape.cols, bottom - top, right - left};
}

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
  const Bars none;
  return Solver(shape, defects, window, none).solve();
}

namespace {

// The rows and columns of a reticle that avoid broken connections to link slots.
struct Avoided {
  Bars bars;
  BarredSlots east, south;
};

// Repairs without regard to the connections to link slots. `avoided` has an entry per reticle.
Repair repair_with(const Shape& shape, const Defects& defects, const Window& window,
                   const std::vector<Avoided>& avoided) {
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
      auto reticle = Solver(shape, defects.reticles[d], p, avoided[d].bars).solve();
      if (!reticle) {
        return {std::nullopt, fmt::format("reticle ({}, {}): {}", y, x,
                                          reticle_reason(shape, defects.reticles[d]))};
      }
      map.reticles[d] = *reticle;
      if (window.col + window.cols > (x + 1) * shape.cols) {
        auto edge =
            place_links(defects.east_links[d], p.row, p.rows, shape.spare_rows, avoided[d].east);
        if (!edge) {
          return {std::nullopt,
                  fmt::format("east edge of reticle ({}, {}): links {} are down, {} spare", y, x,
                              list(defects.east_links[d]), shape.spare_rows)};
        }
        map.east[d] = *edge;
      }
      if (window.row + window.rows > (y + 1) * shape.rows) {
        auto edge =
            place_links(defects.south_links[d], p.col, p.cols, shape.spare_cols, avoided[d].south);
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

// A broken connection to a link slot that the map uses: its reticle, and its row or column.
struct UsedEdge {
  size_t reticle = 0;
  EdgeWire wire;
  int line = 0;
};

std::optional<UsedEdge> used_edge(const Shape& shape, const Defects& defects, const WaferMap& map) {
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
        if (r.row[row] == w.tile.row && cols[col] == w.tile.col)
          return UsedEdge{d, w, static_cast<int>(i)};
      }
    }
  }
  return std::nullopt;
}

// Avoids broken connections to link slots one after the other: a row or column that has one takes
// another slot, or else another tile at that side. A map without broken connections follows one of
// the two, so it is found if it exists and is among the first `maps` that are tried.
Repair avoid_edges(const Shape& shape, const Defects& defects, const Window& window,
                   std::vector<Avoided>* avoided, int* maps) {
  Repair repair = repair_with(shape, defects, window, *avoided);
  if (!repair.map) return repair;
  const auto used = used_edge(shape, defects, *repair.map);
  if (!used) return repair;
  const auto& [d, w, line] = *used;
  const std::string reason = fmt::format(
      "reticle ({}, {}): tile ({}, {}) cannot be joined to link {} of its {} edge",
      d / static_cast<size_t>(shape.reticle_cols), d % static_cast<size_t>(shape.reticle_cols),
      w.tile.row, w.tile.col, w.slot, kSides[w.side]);
  if (--*maps <= 0) return {std::nullopt, reason};
  Avoided& owner = (*avoided)[static_cast<size_t>(shape.link_owner(static_cast<int>(d), w.side))];
  BarredSlots& slots = w.side == 0 || w.side == 2 ? owner.south : owner.east;
  slots.insert({line, w.slot});
  Repair by_slot = avoid_edges(shape, defects, window, avoided, maps);
  slots.erase({line, w.slot});
  if (by_slot.map) return by_slot;
  Bars& bars = (*avoided)[d].bars;
  bars.push_back({w.side, w.tile, line});
  Repair by_tile = avoid_edges(shape, defects, window, avoided, maps);
  bars.pop_back();
  if (by_tile.map) return by_tile;
  return {std::nullopt, reason};
}

}  // namespace

Repair repair_window(const Shape& shape, const Defects& defects, const Window& window) {
  int maps = 4096;
  std::vector<Avoided> avoided(static_cast<size_t>(shape.reticles()));
  return avoid_edges(shape, defects, window, &avoided, &maps);
}

Repair repair_wafer(const Shape& shape, const Defects& defects) {
  return repair_window(shape, defects, {0, 0, shape.logical_rows(), shape.logical_cols()});
}

}  // namespace ow::wafer
