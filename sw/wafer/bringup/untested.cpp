// SPDX-License-Identifier: Apache-2.0
// Connections between tiles and links whose stations do not answer. No scan reaches them. So words
// between the tiles of a map that uses them have to show whether they work.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "steps.h"

namespace ow::wafer {
namespace {

// A connection of a map to a link that could not be tested: the reticle of that end, and the
// logical tiles that the link joins and their sides.
struct Untested {
  int reticle = 0;
  EdgeWire wire;
  Position tiles[2];
  TileSide sides[2];
};

bool is_untested(const Probe& probe, int reticle, const EdgeWire& w) {
  return std::any_of(probe.untested.begin(), probe.untested.end(), [&](const LinkEnd& e) {
    return e.reticle == reticle && e.side == w.side && e.slot == w.slot;
  });
}

// Adds the connections between a logical tile of a map and its neighbour to the south or east.
void add_crossing(const Probe& probe, const WaferMap& map, const Position& a, bool south,
                  std::vector<Untested>* all) {
  const Position b{a.row + (south ? 1 : 0), a.col + (south ? 0 : 1)};
  int from = 0, to = 0;
  const Position at = map.physical(a.row, a.col, &from), beyond = map.physical(b.row, b.col, &to);
  if (from == to) return;
  const auto d = static_cast<size_t>(from);
  // Slots are indexed by row or column within the reticle's part of the window.
  const Window& part = map.reticles[d].window;
  const int line = south ? a.col % map.shape.cols - part.col : a.row % map.shape.rows - part.row;
  const int slot = (south ? map.south : map.east)[d].at(static_cast<size_t>(line));
  const std::pair<int, EdgeWire> ends[] = {{from, {south ? kSouth : kEast, at, slot}},
                                           {to, {south ? kNorth : kWest, beyond, slot}}};
  const TileSide sides[] = {{from, at, south ? kSouth : kEast},
                            {to, beyond, south ? kNorth : kWest}};
  for (const auto& [reticle, wire] : ends) {
    if (is_untested(probe, reticle, wire)) {
      all->push_back({reticle, wire, {a, b}, {sides[0], sides[1]}});
    }
  }
}

std::vector<Untested> untested_of(const Probe& probe, const WaferMap& map) {
  std::vector<Untested> all;
  const Window& w = map.window;
  for (int row = w.row; row < w.row + w.rows; ++row) {
    for (int col = w.col; col < w.col + w.cols; ++col) {
      if (row + 1 < w.row + w.rows) add_crossing(probe, map, {row, col}, true, &all);
      if (col + 1 < w.col + w.cols) add_crossing(probe, map, {row, col}, false, &all);
    }
  }
  return all;
}

// Whether these words failed to arrive over the connection. A tile whose test does not end hears
// nothing.
bool is_over(const Untested& u, const Verified::Failure& f) {
  const auto at_end = [&](const Position& p) { return p == u.tiles[0] || p == u.tiles[1]; };
  return at_end(f.from) && at_end(f.to);
}
bool fails(const Untested& u, const Verified& verified) {
  return std::any_of(verified.failures.begin(), verified.failures.end(),
                     [&](const Verified::Failure& f) { return is_over(u, f); });
}

// The sides of a map's tiles at the borders of its window.
std::vector<TileSide> rim(const WaferMap& map) {
  std::vector<TileSide> all;
  const Window& w = map.window;
  const auto add = [&](int row, int col, int side) {
    TileSide s;
    s.at = map.physical(row, col, &s.reticle);
    s.side = side;
    all.push_back(s);
  };
  for (int col = w.col; col < w.col + w.cols; ++col) {
    add(w.row, col, kNorth);
    add(w.row + w.rows - 1, col, kSouth);
  }
  for (int row = w.row; row < w.row + w.rows; ++row) {
    add(row, w.col, kWest);
    add(row, w.col + w.cols - 1, kEast);
  }
  return all;
}

// Sends words between the tiles of a map without the connections `parted`. Neither end of those
// sends, because a word that enters a link and cannot leave it would cost the link credits. Words
// that do not pass them are no failure. A tile at their end whose test does not end is one.
Verified exchange(Probe& probe, const WaferMap& map, const std::vector<Untested>& parted,
                  uint32_t colours) {
  std::vector<TileSide> closed = rim(map);
  for (const Untested& u : parted) closed.insert(closed.end(), {u.sides[0], u.sides[1]});
  set_fuses(probe, map, closed);
  Verified all = verify_neighbours(probe, map, colours);
  auto& f = all.failures;
  f.erase(std::remove_if(f.begin(), f.end(),
                         [&](const Verified::Failure& failure) {
                           return !(failure.from == failure.to) &&
                                  std::any_of(parted.begin(), parted.end(), [&](const Untested& u) {
                                    return is_over(u, failure);
                                  });
                         }),
          f.end());
  // A stopped tile leaves words in working links and has used up their credits. What came over a
  // bad connection may have stopped it.
  if (!f.empty()) start_afresh(probe);
  return all;
}

// The bad tile at the end of failing connections, if there is one. Without those connections its
// test does not end, or it still sends or hears wrong words over another connection.
std::optional<Position> bad_tile(Probe& probe, const WaferMap& map, const Verified& verified,
                                 const std::vector<Untested>& failing, uint32_t colours) {
  for (const Verified::Failure& left : exchange(probe, map, failing, colours).failures) {
    for (const Verified::Failure& f : verified.failures) {
      if (std::none_of(failing.begin(), failing.end(),
                       [&](const Untested& u) { return is_over(u, f); })) {
        continue;
      }
      if (left.to == f.to) return left.to;
      if (left.from == f.from) return left.from;
    }
  }
  return std::nullopt;
}

// The failing connection without which the fewest others fail. Words from a broken connection can
// disturb its tile, and then another connection of this tile fails too.
const Untested& worst(Probe& probe, const WaferMap& map, const std::vector<Untested>& failing,
                      uint32_t colours) {
  const Untested* found = &failing.front();
  size_t fewest = 0;
  for (const Untested& u : failing) {
    if (failing.size() == 1) break;
    const size_t left = exchange(probe, map, {u}, colours).failures.size();
    if (&u != &failing.front() && left >= fewest) continue;
    fewest = left;
    found = &u;
  }
  return *found;
}

}  // namespace

bool uses_untested(const Probe& probe, const WaferMap& map) {
  return !untested_of(probe, map).empty();
}

bool give_up_untested(Probe& probe, const WaferMap& map) {
  const std::vector<Untested> used = untested_of(probe, map);
  // A stuck bit shows only in words in which that bit has the other value, so send many words.
  const uint32_t colours = used.empty() ? 1 : probe.options.tile.num_colours / 2 * 2;
  const Verified verified = exchange(probe, map, {}, colours);
  std::vector<Untested> failing;
  for (const Untested& u : used) {
    if (fails(u, verified)) failing.push_back(u);
  }
  if (failing.empty()) {
    probe.result.wavelets_verified += verified.wavelets;
    for (const auto& f : verified.failures) probe.result.verification.push_back(f.text());
    return false;
  }
  if (const auto tile = bad_tile(probe, map, verified, failing, colours)) {
    int reticle = 0;
    const Position at = map.physical(tile->row, tile->col, &reticle);
    probe.lose(reticle, at.row, at.col,
               "words go wrong over other connections than that to a link, too");
    return true;
  }
  const Untested& u = worst(probe, map, failing, colours);
  static const char* const kSides[] = {"north", "east", "south", "west"};
  probe.edges.insert({u.reticle, u.wire});
  probe.result.findings.push_back(
      {u.reticle, u.wire.tile,
       fmt::format("no word passes link {} of the {} edge, whose station does not answer",
                   u.wire.slot, kSides[u.wire.side])});
  return true;
}

}  // namespace ow::wafer
