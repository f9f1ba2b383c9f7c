// SPDX-License-Identifier: Apache-2.0
#include "ow/device/wafer_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "ow/base/error.h"
#include "ow/isa/isa.h"

namespace ow::wafer {
namespace {

constexpr int kLinkBits = isa::Link::kBits, kLanes = isa::kLanesPerLink,
              kGroupLanes = isa::kGroupLanes, kSpareLanes = isa::kGroupLanes - isa::kGroupData;

std::string reticle_name(const Shape& s, int reticle) {
  return fmt::format("reticle ({}, {})", reticle / s.reticle_cols, reticle % s.reticle_cols);
}

void check_tile(const Shape& s, int reticle, const Position& p, const char* what) {
  if (reticle < 0 || reticle >= s.reticles() || p.row < 0 || p.row >= s.physical_rows() ||
      p.col < 0 || p.col >= s.physical_cols()) {
    throw BadInput(fmt::format("{}: {} has no physical tile ({}, {}), it has {} x {}", what,
                               reticle_name(s, reticle), p.row, p.col, s.physical_rows(),
                               s.physical_cols()));
  }
}

void check_range(const char* what, int value, int limit) {
  if (value < 0 || value >= limit) {
    throw BadInput(fmt::format("{} {}: must be from 0 to {}", what, value, limit - 1));
  }
}

Wire wire_of(const WireFault& f) {
  const bool forward = f.from.row < f.to.row || (f.from.row == f.to.row && f.from.col < f.to.col);
  return forward ? Wire{f.from, f.to} : Wire{f.to, f.from};
}

}  // namespace

void Faults::check(const Shape& s) const {
  s.check();
  for (const TileFault& f : tiles) {
    check_tile(s, f.reticle, f.at, "fault of a tile");
    if (f.kind == TileFault::Kind::Memory) {
      if (f.bank < 0) throw BadInput("memory bank: must not be negative");
      check_range("bit of a memory word", f.bit, 64);
      if (f.row < 0) throw BadInput("row of a memory bank: must not be negative");
      if (f.coupling != TileFault::Coupling::None) {
        check_range("bit of a memory word", f.other_bit, 64);
        if (f.other_row < 0) throw BadInput("row of a memory bank: must not be negative");
        if (f.other_row == f.row && f.other_bit == f.bit) {
          throw BadInput("fault of a memory: a cell cannot be coupled to itself");
        }
      }
    }
    if (f.kind == TileFault::Kind::Register && f.bit < 0) {
      throw BadInput("bit of a register: must not be negative");
    }
  }
  for (const WireFault& f : wires) {
    check_tile(s, f.reticle, f.from, "fault of a wire");
    check_tile(s, f.reticle, f.to, "fault of a wire");
    const Wire w = wire_of(f);
    if (!s.joined(w)) {
      throw BadInput(fmt::format("fault of a wire: no wire joins tiles ({}, {}) and ({}, {}) of {}",
                                 f.from.row, f.from.col, f.to.row, f.to.col,
                                 reticle_name(s, f.reticle)));
    }
    check_range("bit of a wire", f.bit, kLinkBits);
  }
  for (const EdgeFault& f : edges) {
    check_range("reticle of an edge's fault", f.reticle, s.reticles());
    if (!s.joined(f.wire) || !Defects::has_links(s, f.reticle, f.wire.side)) {
      throw BadInput(
          fmt::format("fault of an edge: no wire joins tile ({}, {}) of {} to link {} there",
                      f.wire.tile.row, f.wire.tile.col, reticle_name(s, f.reticle), f.wire.slot));
    }
    check_range("bit of a wire", f.bit, kLinkBits);
  }
  for (const LaneFault& f : lanes) {
    check_range("reticle of a lane's fault", f.reticle, s.reticles());
    const bool last = f.south ? f.reticle / s.reticle_cols + 1 == s.reticle_rows
                              : f.reticle % s.reticle_cols + 1 == s.reticle_cols;
    if (last) {
      throw BadInput(fmt::format("fault of a lane: {} has no neighbour to the {}",
                                 reticle_name(s, f.reticle), f.south ? "south" : "east"));
    }
    check_range("link slot", f.slot, f.south ? s.physical_cols() : s.physical_rows());
    check_range("lane", f.lane, kLanes);
  }
  for (const StationFault& f : stations) check_tile(s, f.reticle, f.at, "fault of a station");
}

namespace {

// Tiles that no connection joins to another one that works.
std::vector<Position> isolated(const Shape& s, const std::set<Position>& lost,
                               const std::set<int>& broken, const std::set<Wire>& cut) {
  std::vector<Position> good, out;
  for (int row = 0; row < s.physical_rows(); ++row) {
    for (int col = 0; col < s.physical_cols(); ++col) {
      if (broken.count(row) == 0 && lost.count({row, col}) == 0) good.push_back({row, col});
    }
  }
  if (s.physical_rows() * s.physical_cols() == 1) return out;
  for (const Position& a : good) {
    const bool joined = std::any_of(good.begin(), good.end(), [&](const Position& b) {
      const Wire wires[] = {{a, b}, {b, a}};
      return std::any_of(std::begin(wires), std::end(wires),
                         [&](const Wire& w) { return s.joined(w) && cut.count(w) == 0; });
    });
    if (!joined) out.push_back(a);
  }
  return out;
}

}  // namespace

namespace {

// Tiles of each reticle whose stations are dead, and tiles that are lost for any reason.
struct Casualties {
  std::vector<std::set<Position>> dead, lost;
};

// Broken chains, lost tiles and the connections between good ones.
void inside(const Shape& s, const Faults& faults, size_t d, Casualties* all, ReticleDefects* r) {
  const std::set<Position>& dead = all->dead[d];
  std::set<Position>& lost = all->lost[d];
  // Two dead stations side by side break the chain; the first one holds the row's link slots.
  std::set<int> broken;
  for (const Position& p : dead) {
    if (p.col == 0 || dead.count({p.row, p.col + 1}) != 0) broken.insert(p.row);
  }
  r->chains.assign(broken.begin(), broken.end());
  lost.insert(dead.begin(), dead.end());
  std::set<Wire> cut;
  for (const WireFault& f : faults.wires) {
    if (f.reticle == static_cast<int>(d)) cut.insert(wire_of(f));
  }
  const std::vector<Position> alone = isolated(s, lost, broken, cut);
  lost.insert(alone.begin(), alone.end());
  for (const Position& p : lost) {
    if (broken.count(p.row) == 0) r->tiles.push_back(p);
  }
  for (const Wire& w : cut) {
    // A connection of a tile that is lost anyway matters to nobody.
    if (lost.count(w.from) != 0 || lost.count(w.to) != 0) continue;
    if (broken.count(w.from.row) != 0 || broken.count(w.to.row) != 0) continue;
    r->wires.push_back(w);
  }
}

// A station that answers.
bool answers(const Casualties& all, const Defects& out, size_t d, const Position& p) {
  const std::vector<int>& broken = out.reticles[d].chains;
  return all.dead[d].count(p) == 0 && std::count(broken.begin(), broken.end(), p.row) == 0;
}

// The links of a reticle's south or east edge that are down.
void links_down(const Shape& s, const Faults& faults, const Casualties& all, size_t d, bool south,
                Defects* out) {
  if (!Defects::has_links(s, static_cast<int>(d), south ? 2 : 1)) return;
  const size_t other = south ? d + static_cast<size_t>(s.reticle_cols) : d + 1;
  const int slots = south ? s.physical_cols() : s.physical_rows();
  for (int slot = 0; slot < slots; ++slot) {
    std::set<int> bad[2][2];  // direction, group
    for (const LaneFault& f : faults.lanes) {
      if (f.reticle != static_cast<int>(d) || f.south != south || f.slot != slot) continue;
      bad[f.inward ? 1 : 0][f.lane / kGroupLanes].insert(f.lane);
    }
    // A link that no station can ask whether it is up is not used.
    const Position here =
        south ? Position{s.physical_rows() - 1, slot} : Position{slot, s.physical_cols() - 1};
    const Position there = south ? Position{0, slot} : Position{slot, 0};
    bool down = !answers(all, *out, d, here) && !answers(all, *out, other, there);
    for (const auto& groups : bad) {
      for (const auto& group : groups) down |= group.size() > kSpareLanes;
    }
    if (down) (south ? out->south_links : out->east_links)[d].push_back(slot);
  }
}

// The connections between a reticle's tiles and its links that do not work; `unasked`: also those
// to links whose own station is dead, or cannot be reached, which no scan can find.
void edges_cut(const Shape& s, const Faults& faults, const Casualties& all, size_t d, bool unasked,
               Defects* out) {
  std::set<EdgeWire> cut;
  for (const EdgeFault& f : faults.edges) {
    if (f.reticle == static_cast<int>(d)) cut.insert(f.wire);
  }
  for (const EdgeWire& w : cut) {
    // It does not matter in a lost tile or at a link that is down.
    const auto owner = static_cast<size_t>(s.link_owner(static_cast<int>(d), w.side));
    const bool vertical = w.side == 0 || w.side == 2;
    const std::vector<int>& down = (vertical ? out->south_links : out->east_links)[owner];
    const std::vector<int>& broken = out->reticles[d].chains;
    const Position station = w.side == 0   ? Position{0, w.slot}
                             : w.side == 1 ? Position{w.slot, s.physical_cols() - 1}
                             : w.side == 2 ? Position{s.physical_rows() - 1, w.slot}
                                           : Position{w.slot, 0};
    if ((unasked || answers(all, *out, d, station)) && all.lost[d].count(w.tile) == 0 &&
        std::count(broken.begin(), broken.end(), w.tile.row) == 0 &&
        std::count(down.begin(), down.end(), w.slot) == 0) {
      out->reticles[d].edges.push_back(w);
    }
  }
}

}  // namespace

Defects Faults::expected(const Shape& s) const { return defects(s, false); }

Defects Faults::unusable(const Shape& s) const { return defects(s, true); }

Defects Faults::defects(const Shape& s, bool unasked) const {
  Defects out(s);
  const size_t n = out.reticles.size();
  Casualties all;
  all.dead.resize(n);
  all.lost.resize(n);
  for (const TileFault& f : tiles) all.lost[static_cast<size_t>(f.reticle)].insert(f.at);
  for (const StationFault& f : stations) all.dead[static_cast<size_t>(f.reticle)].insert(f.at);
  for (size_t d = 0; d < n; ++d) inside(s, *this, d, &all, &out.reticles[d]);
  for (size_t d = 0; d < n; ++d) {
    for (const bool south : {false, true}) links_down(s, *this, all, d, south, &out);
  }
  for (size_t d = 0; d < n; ++d) edges_cut(s, *this, all, d, unasked, &out);
  return out;
}

namespace {

bool same(const ReticleDefects& a, const ReticleDefects& b) {
  return a.tiles == b.tiles && a.wires == b.wires && a.edges == b.edges && a.chains == b.chains;
}

bool same(const Defects& a, const Defects& b) {
  return a.east_links == b.east_links && a.south_links == b.south_links &&
         std::equal(a.reticles.begin(), a.reticles.end(), b.reticles.begin(), b.reticles.end(),
                    [](const ReticleDefects& x, const ReticleDefects& y) { return same(x, y); });
}

// What was found without the broken connections that no scan can find.
Defects scanned(const Shape& shape, const Faults& faults, const Defects& found) {
  const Defects expected = faults.expected(shape), unusable = faults.unusable(shape);
  Defects out = found;
  for (size_t d = 0; d < out.reticles.size(); ++d) {
    const auto in = [d](const Defects& all, const EdgeWire& w) {
      const std::vector<EdgeWire>& edges = all.reticles[d].edges;
      return std::count(edges.begin(), edges.end(), w) != 0;
    };
    std::vector<EdgeWire>& edges = out.reticles[d].edges;
    edges.erase(
        std::remove_if(edges.begin(), edges.end(),
                       [&](const EdgeWire& w) { return in(unusable, w) && !in(expected, w); }),
        edges.end());
  }
  return out;
}

// Drops the connections of a tile.
void drop_connections(const Position& at, ReticleDefects* r) {
  const auto of_wire = [&](const Wire& w) { return w.from == at || w.to == at; };
  const auto of_edge = [&](const EdgeWire& w) { return w.tile == at; };
  r->wires.erase(std::remove_if(r->wires.begin(), r->wires.end(), of_wire), r->wires.end());
  r->edges.erase(std::remove_if(r->edges.begin(), r->edges.end(), of_edge), r->edges.end());
}

}  // namespace

Judgement judge_defects(const Shape& shape, const Faults& faults, const Defects& found) {
  Judgement out;
  out.exact = same(scanned(shape, faults, found), faults.expected(shape));
  if (out.exact) return out;
  Faults seen = faults;
  std::vector<TileFault> unseen;
  seen.tiles.clear();
  for (const TileFault& f : faults.tiles) {
    const ReticleDefects& r = found.reticles[static_cast<size_t>(f.reticle)];
    const bool used = std::count(r.tiles.begin(), r.tiles.end(), f.at) == 0 &&
                      std::count(r.chains.begin(), r.chains.end(), f.at.row) == 0;
    (f.kind == TileFault::Kind::Register && used ? unseen : seen.tiles).push_back(f);
  }
  Defects expected = seen.expected(shape), rest = scanned(shape, seen, found);
  for (const TileFault& f : unseen) {
    drop_connections(f.at, &rest.reticles[static_cast<size_t>(f.reticle)]);
    drop_connections(f.at, &expected.reticles[static_cast<size_t>(f.reticle)]);
  }
  if (same(rest, expected)) out.unseen = unseen.size();
  return out;
}

}  // namespace ow::wafer
