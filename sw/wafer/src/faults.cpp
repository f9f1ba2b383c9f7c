// SPDX-License-Identifier: Apache-2.0
#include "ow/wafer/faults.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "ow/error.h"
#include "ow/text_file.h"

namespace ow::wafer {
namespace {

constexpr int kLinkBits = 45, kLanes = 68, kGroupLanes = 34, kSpareLanes = 2;

// xorshift64*, so that a seed means the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {
    for (int i = 0; i < 4; ++i) next();
  }
  int below(int n) { return static_cast<int>((next() >> 32) * static_cast<uint64_t>(n) >> 32); }

 private:
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  uint64_t state_;
};

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

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  [[noreturn]] void fail(const YAML::Node& node, const std::string& what) const {
    const YAML::Mark mark = node.Mark();
    throw BadInput(mark.line >= 0 ? fmt::format("{}:{}: {}", path_, mark.line + 1, what)
                                  : fmt::format("{}: {}", path_, what));
  }
  void keys(const YAML::Node& node, const std::string& name,
            const std::set<std::string>& allowed) const {
    if (!node.IsMap()) fail(node, fmt::format("{} must be keys and values", name));
    for (const auto& item : node) {
      const std::string key = item.first.IsScalar() ? item.first.Scalar() : "";
      if (allowed.count(key) == 0) fail(item.first, fmt::format("{} has no key '{}'", name, key));
    }
  }
  std::vector<int> numbers(const YAML::Node& node, const std::string& name, const std::string& key,
                           size_t n) const {
    const YAML::Node list = node[key];
    if (!list) fail(node, fmt::format("{}.{} is missing", name, key));
    try {
      const auto values = n == 1 ? std::vector<int>{list.as<int>()} : list.as<std::vector<int>>();
      if (values.size() == n) return values;
    } catch (const YAML::Exception&) {
    }
    fail(list, n == 1 ? fmt::format("{}.{} must be a whole number", name, key)
                      : fmt::format("{}.{} must be a list of {} whole numbers", name, key, n));
  }
  int number(const YAML::Node& node, const std::string& name, const std::string& key) const {
    return numbers(node, name, key, 1).front();
  }
  std::string text(const YAML::Node& node, const std::string& name, const std::string& key,
                   const std::string& fallback = "") const {
    const YAML::Node value = node[key];
    if (!value) {
      if (!fallback.empty()) return fallback;
      fail(node, fmt::format("{}.{} is missing", name, key));
    }
    if (!value.IsScalar()) fail(value, fmt::format("{}.{} must be a word", name, key));
    return value.Scalar();
  }
  bool flag(const YAML::Node& node, const std::string& name, const std::string& key) const {
    const int value = number(node, name, key);
    if (value != 0 && value != 1) fail(node[key], fmt::format("{}.{} must be 0 or 1", name, key));
    return value != 0;
  }
  bool stuck(const YAML::Node& node, const std::string& name) const {
    return flag(node, name, "stuck");
  }
  int reticle(const YAML::Node& node, const std::string& name, const Shape& s) const {
    const auto at = numbers(node, name, "reticle", 2);
    if (at[0] < 0 || at[0] >= s.reticle_rows || at[1] < 0 || at[1] >= s.reticle_cols) {
      fail(node["reticle"],
           fmt::format("{}.reticle: the wafer has {} x {}", name, s.reticle_rows, s.reticle_cols));
    }
    return at[0] * s.reticle_cols + at[1];
  }
  Position position(const YAML::Node& node, const std::string& name, const std::string& key) const {
    const auto at = numbers(node, name, key, 2);
    return {at[0], at[1]};
  }

 private:
  std::string path_;
};

}  // namespace

void Faults::check(const Shape& s) const {
  s.check();
  for (const TileFault& f : tiles) {
    check_tile(s, f.reticle, f.at, "fault of a tile");
    if (f.kind == TileFault::Kind::Memory) {
      check_range("memory bank", f.bank, 8);
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

Defects Faults::expected(const Shape& s) const {
  Defects out(s);
  std::vector<std::set<Position>> dead(out.reticles.size()), lost(out.reticles.size());
  for (const TileFault& f : tiles) lost[static_cast<size_t>(f.reticle)].insert(f.at);
  for (const StationFault& f : stations) dead[static_cast<size_t>(f.reticle)].insert(f.at);
  for (size_t d = 0; d < out.reticles.size(); ++d) {
    ReticleDefects& r = out.reticles[d];
    // Two dead stations side by side break the chain; the first one holds the row's link slots.
    std::set<int> broken;
    for (const Position& p : dead[d]) {
      if (p.col == 0 || dead[d].count({p.row, p.col + 1}) != 0) broken.insert(p.row);
    }
    r.chains.assign(broken.begin(), broken.end());
    lost[d].insert(dead[d].begin(), dead[d].end());
    std::set<Wire> cut;
    for (const WireFault& f : wires) {
      if (f.reticle == static_cast<int>(d)) cut.insert(wire_of(f));
    }
    const std::vector<Position> alone = isolated(s, lost[d], broken, cut);
    lost[d].insert(alone.begin(), alone.end());
    for (const Position& p : lost[d]) {
      if (broken.count(p.row) == 0) r.tiles.push_back(p);
    }
    for (const Wire& w : cut) {
      // A connection of a tile that is lost anyway matters to nobody.
      if (lost[d].count(w.from) != 0 || lost[d].count(w.to) != 0) continue;
      if (broken.count(w.from.row) != 0 || broken.count(w.to.row) != 0) continue;
      r.wires.push_back(w);
    }
  }
  // A station that answers.
  const auto answers = [&](size_t d, const Position& p) {
    const std::vector<int>& broken = out.reticles[d].chains;
    return dead[d].count(p) == 0 && std::count(broken.begin(), broken.end(), p.row) == 0;
  };
  for (size_t d = 0; d < out.reticles.size(); ++d) {
    for (const bool south : {false, true}) {
      if (!Defects::has_links(s, static_cast<int>(d), south ? 2 : 1)) continue;
      const size_t other = south ? d + static_cast<size_t>(s.reticle_cols) : d + 1;
      const int slots = south ? s.physical_cols() : s.physical_rows();
      for (int slot = 0; slot < slots; ++slot) {
        std::set<int> bad[2][2];  // direction, group
        for (const LaneFault& f : lanes) {
          if (f.reticle != static_cast<int>(d) || f.south != south || f.slot != slot) continue;
          bad[f.inward ? 1 : 0][f.lane / kGroupLanes].insert(f.lane);
        }
        // A link that no station can ask whether it is up is not used.
        const Position here =
            south ? Position{s.physical_rows() - 1, slot} : Position{slot, s.physical_cols() - 1};
        const Position there = south ? Position{0, slot} : Position{slot, 0};
        bool down = !answers(d, here) && !answers(other, there);
        for (const auto& groups : bad) {
          for (const auto& group : groups) down |= group.size() > kSpareLanes;
        }
        if (down) (south ? out.south_links : out.east_links)[d].push_back(slot);
      }
    }
  }
  for (size_t d = 0; d < out.reticles.size(); ++d) {
    std::set<EdgeWire> cut;
    for (const EdgeFault& f : edges) {
      if (f.reticle == static_cast<int>(d)) cut.insert(f.wire);
    }
    const std::vector<int>& broken = out.reticles[d].chains;
    for (const EdgeWire& w : cut) {
      // Of a tile that is lost, or a link that is down, it matters to nobody.
      const auto owner = static_cast<size_t>(s.link_owner(static_cast<int>(d), w.side));
      const std::vector<int>& down =
          (w.side == 0 || w.side == 2 ? out.south_links : out.east_links)[owner];
      // Where the link's own station is dead, or cannot be reached, it cannot be found.
      const Position station = w.side == 0   ? Position{0, w.slot}
                               : w.side == 1 ? Position{w.slot, s.physical_cols() - 1}
                               : w.side == 2 ? Position{s.physical_rows() - 1, w.slot}
                                             : Position{w.slot, 0};
      if (dead[d].count(station) != 0 ||
          std::count(broken.begin(), broken.end(), station.row) != 0 ||
          lost[d].count(w.tile) != 0 || std::count(broken.begin(), broken.end(), w.tile.row) != 0 ||
          std::count(down.begin(), down.end(), w.slot) != 0) {
        continue;
      }
      out.reticles[d].edges.push_back(w);
    }
  }
  return out;
}

Faults read_faults(const std::string& path, const Shape& shape) {
  YAML::Node root;
  try {
    root = YAML::Load(read_text(path));
  } catch (const YAML::ParserException& e) {
    throw BadInput(fmt::format("{}:{}: {}", path, e.mark.line + 1, e.msg));
  }
  const Reader in(path);
  Faults out;
  if (root.IsNull()) return out;
  in.keys(root, "the file", {"tiles", "wires", "edges", "lanes", "stations"});
  const auto each = [&](const char* name, const auto& take) {
    const YAML::Node list = root[name];
    if (!list) return;
    if (!list.IsSequence()) in.fail(list, fmt::format("{} must be a list", name));
    for (const YAML::Node& item : list) take(item);
  };
  each("tiles", [&](const YAML::Node& n) {
    const std::string name = "tiles";
    in.keys(n, name,
            {"reticle", "tile", "fault", "bank", "row", "register", "bit", "stuck", "coupling",
             "aggressor", "when"});
    TileFault f;
    f.reticle = in.reticle(n, name, shape);
    f.at = in.position(n, name, "tile");
    const std::string kind = in.text(n, name, "fault");
    // What the kind of fault does not look at would be a mistake.
    const auto only = [&](std::set<std::string> keys) {
      keys.insert({"reticle", "tile", "fault"});
      in.keys(n, fmt::format("{} ({})", name, kind), keys);
    };
    if (kind == "silent") {
      f.kind = TileFault::Kind::Silent;
      only({});
    } else if (kind == "babble") {
      f.kind = TileFault::Kind::Babble;
      only({});
    } else if (kind == "memory") {
      f.kind = TileFault::Kind::Memory;
      f.bank = in.number(n, name, "bank");
      f.row = in.number(n, name, "row");
      f.bit = in.number(n, name, "bit");
      const std::string coupling = in.text(n, name, "coupling", "none");
      const std::pair<const char*, TileFault::Coupling> kinds[] = {
          {"none", TileFault::Coupling::None},
          {"state", TileFault::Coupling::State},
          {"set", TileFault::Coupling::Set},
          {"invert", TileFault::Coupling::Invert},
          {"hold", TileFault::Coupling::Hold}};
      const auto* found = std::find_if(std::begin(kinds), std::end(kinds),
                                       [&](const auto& k) { return coupling == k.first; });
      if (found == std::end(kinds)) {
        in.fail(n["coupling"], "tiles.coupling must be none, state, set, invert or hold");
      }
      f.coupling = found->second;
      if (f.coupling == TileFault::Coupling::None) {
        only({"bank", "row", "bit", "coupling", "stuck"});
      } else if (f.coupling == TileFault::Coupling::Invert) {
        only({"bank", "row", "bit", "coupling", "aggressor", "when"});
      } else {
        only({"bank", "row", "bit", "coupling", "aggressor", "when", "stuck"});
      }
      if (f.coupling != TileFault::Coupling::None) {
        const auto other = in.numbers(n, name, "aggressor", 2);
        f.other_row = other[0];
        f.other_bit = other[1];
        f.when = in.flag(n, name, "when");
      }
      if (f.coupling != TileFault::Coupling::Invert) f.value = in.stuck(n, name);
    } else if (kind == "register") {
      f.kind = TileFault::Kind::Register;
      only({"register", "bit", "stuck"});
      f.name = in.text(n, name, "register");
      f.bit = in.number(n, name, "bit");
      f.value = in.stuck(n, name);
    } else {
      in.fail(n["fault"], "tiles.fault must be silent, babble, memory or register");
    }
    out.tiles.push_back(f);
  });
  each("wires", [&](const YAML::Node& n) {
    in.keys(n, "wires", {"reticle", "from", "to", "bit", "stuck"});
    WireFault f;
    f.reticle = in.reticle(n, "wires", shape);
    f.from = in.position(n, "wires", "from");
    f.to = in.position(n, "wires", "to");
    f.bit = in.number(n, "wires", "bit");
    f.value = in.stuck(n, "wires");
    out.wires.push_back(f);
  });
  each("edges", [&](const YAML::Node& n) {
    in.keys(n, "edges", {"reticle", "edge", "tile", "slot", "direction", "bit", "stuck"});
    EdgeFault f;
    f.reticle = in.reticle(n, "edges", shape);
    const std::string edge = in.text(n, "edges", "edge");
    const char* const sides[] = {"north", "east", "south", "west"};
    const auto* side = std::find(std::begin(sides), std::end(sides), edge);
    if (side == std::end(sides)) {
      in.fail(n["edge"], "edges.edge must be north, east, south or west");
    }
    f.wire.side = static_cast<int>(side - std::begin(sides));
    f.wire.tile = in.position(n, "edges", "tile");
    f.wire.slot = in.number(n, "edges", "slot");
    const std::string direction = in.text(n, "edges", "direction", "out");
    if (direction != "out" && direction != "in") {
      in.fail(n["direction"], "edges.direction must be out or in");
    }
    f.inward = direction == "in";
    f.bit = in.number(n, "edges", "bit");
    f.value = in.stuck(n, "edges");
    out.edges.push_back(f);
  });
  each("lanes", [&](const YAML::Node& n) {
    in.keys(n, "lanes", {"reticle", "edge", "slot", "direction", "lane", "stuck"});
    LaneFault f;
    f.reticle = in.reticle(n, "lanes", shape);
    const std::string edge = in.text(n, "lanes", "edge");
    if (edge != "east" && edge != "south") in.fail(n["edge"], "lanes.edge must be east or south");
    f.south = edge == "south";
    f.slot = in.number(n, "lanes", "slot");
    const std::string direction = in.text(n, "lanes", "direction", "out");
    if (direction != "out" && direction != "in") {
      in.fail(n["direction"], "lanes.direction must be out or in");
    }
    f.inward = direction == "in";
    f.lane = in.number(n, "lanes", "lane");
    f.value = in.stuck(n, "lanes");
    out.lanes.push_back(f);
  });
  each("stations", [&](const YAML::Node& n) {
    in.keys(n, "stations", {"reticle", "station", "fault"});
    StationFault f;
    f.reticle = in.reticle(n, "stations", shape);
    f.at = in.position(n, "stations", "station");
    const std::string kind = in.text(n, "stations", "fault", "silent");
    if (kind == "silent") {
      f.kind = StationFault::Kind::Silent;
    } else if (kind == "one") {
      f.kind = StationFault::Kind::StuckOne;
    } else if (kind == "babble") {
      f.kind = StationFault::Kind::Babble;
    } else {
      in.fail(n["fault"], "stations.fault must be silent, one or babble");
    }
    out.stations.push_back(f);
  });
  try {
    out.check(shape);
  } catch (const BadInput& e) {
    throw BadInput(fmt::format("{}: {}", path, e.what()));
  }
  return out;
}

namespace {

// Registers of core and datapath that addresses, instructions, operands or results of every program
// pass through, and of each the bits that are not constant by definition (an instruction's lowest
// two) and that a tile has whatever its size.
void random_register(Random* random, TileFault* f) {
  struct Register {
    const char* name;
    int first;
    int bits;
  };
  static const Register kRegisters[] = {
      {"u_core__DOT__pc_q", 2, 10},
      {"u_core__DOT__u_fetch__DOT__line0_q", 2, 30},
      {"u_core__DOT__wb_data_q", 0, 32},
      {"u_core__DOT__u_muldiv__DOT__a_q", 0, 32},
      {"u_core__DOT__u_muldiv__DOT__b_q", 0, 32},
      {"u_datapath__DOT__gen_lane__BRA__0__KET____DOT__u_lane__DOT__bits_q", 0, 16},
      {"u_datapath__DOT__gen_lane__BRA__1__KET____DOT__u_lane__DOT__bits_q", 0, 16},
  };
  const Register& r = kRegisters[random->below(static_cast<int>(std::size(kRegisters)))];
  f->name = r.name;
  f->bit = r.first + random->below(r.bits);
}

}  // namespace

Faults random_faults(const Shape& s, int count, int bank_rows, uint64_t seed) {
  Random random(seed);
  Faults out;
  const auto tile = [&] {
    return Position{random.below(s.physical_rows()), random.below(s.physical_cols())};
  };
  for (int i = 0; i < count; ++i) {
    const int d = random.below(s.reticles());
    const int kind = random.below(12);
    if (kind < 6) {
      TileFault f;
      f.reticle = d;
      f.at = tile();
      f.kind = kind < 3    ? TileFault::Kind::Memory
               : kind == 3 ? TileFault::Kind::Register
               : kind == 4 ? TileFault::Kind::Silent
                           : TileFault::Kind::Babble;
      f.bank = random.below(8);
      f.row = random.below(bank_rows);
      f.bit = random.below(64);
      f.value = random.below(2) != 0;
      if (f.kind == TileFault::Kind::Register) random_register(&random, &f);
      if (f.kind == TileFault::Kind::Memory && kind > 0) {
        // A coupled pair: in the same word or in neighbouring ones, or anywhere in the bank.
        const TileFault::Coupling all[] = {TileFault::Coupling::State, TileFault::Coupling::Set,
                                           TileFault::Coupling::Invert, TileFault::Coupling::Hold};
        f.coupling = all[random.below(4)];
        const int where = random.below(3);
        f.other_row = where == 0   ? f.row
                      : where == 1 ? (f.row + 1) % bank_rows
                                   : random.below(bank_rows);
        f.other_bit = where == 0 ? (f.bit + 1 + random.below(63)) % 64 : random.below(64);
        f.when = random.below(2) != 0;
        if (f.other_row == f.row && f.other_bit == f.bit) f.other_bit ^= 1;
      }
      out.tiles.push_back(f);
    } else if (kind < 8 && s.physical_rows() * s.physical_cols() > 1) {
      // Any wire: draw pairs until one is joined.
      WireFault f;
      f.reticle = d;
      do {
        f.from = tile();
        f.to = tile();
      } while (!s.joined(wire_of(f)));
      f.bit = random.below(kLinkBits);
      f.value = random.below(2) != 0;
      out.wires.push_back(f);
    } else if (kind == 8 && s.reticles() > 1) {
      EdgeFault f;
      f.reticle = d;
      do {
        f.wire.side = random.below(4);
        f.wire.tile = tile();
        f.wire.slot = random.below(std::max(s.physical_rows(), s.physical_cols()));
      } while (!s.joined(f.wire) || !Defects::has_links(s, d, f.wire.side));
      f.inward = random.below(2) != 0;
      f.bit = random.below(kLinkBits);
      f.value = random.below(2) != 0;
      out.edges.push_back(f);
    } else if (kind < 11 && s.reticles() > 1) {
      LaneFault f;
      f.reticle = d;
      const bool east = d % s.reticle_cols + 1 < s.reticle_cols;
      const bool south = d / s.reticle_cols + 1 < s.reticle_rows;
      if (!east && !south) {
        --i;
        continue;
      }
      f.south = south && (!east || random.below(2) != 0);
      f.slot = random.below(f.south ? s.physical_cols() : s.physical_rows());
      f.inward = random.below(2) != 0;
      // One to four lanes of a group: up to two are repaired in the link.
      const int group = random.below(2), lanes = 1 + random.below(4);
      std::set<int> chosen;
      while (static_cast<int>(chosen.size()) < lanes) {
        chosen.insert(group * kGroupLanes + random.below(kGroupLanes));
      }
      for (const int lane : chosen) {
        f.lane = lane;
        f.value = random.below(2) != 0;
        out.lanes.push_back(f);
      }
    } else {
      const int k = random.below(3);
      out.stations.push_back({d, tile(),
                              k == 0   ? StationFault::Kind::Silent
                              : k == 1 ? StationFault::Kind::StuckOne
                                       : StationFault::Kind::Babble});
    }
  }
  return out;
}

}  // namespace ow::wafer
