// SPDX-License-Identifier: Apache-2.0
// Files of faults: what is read, what is refused and how, and what a bring-up has to find.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "messages.h"
#include "ow/base/error.h"
#include "ow/device/reticle_mesh.h"
#include "ow/device/wafer_faults.h"
#include "ow/wafer/files.h"
#include "ow/wafer/repair.h"
#include "temporary_file.h"

namespace ow::wafer {
namespace {

const Shape kShape{2, 2, 2, 2, 1, 1};
const std::vector<Register> kRegisters = {{"a_q", 1, 3, 8}, {"b_q", 4, 20, 32}};

Faults read(const std::string& text) {
  return read_faults(temporary_file("faults.yaml", text), kShape);
}

std::string refusal(const std::string& text) {
  return refusal_of([&] { read(text); });
}

TEST(Faults, TheExampleIsReadAndCanBeRepaired) {
  const std::string configs = OW_SOURCE_DIR "/configs/";
  const Shape shape = read_shape(configs + "wafer-2x2.yaml");
  const Faults faults = read_faults(configs + "defects-2x2.yaml", shape);
  EXPECT_EQ(faults.count(), 10u);
  const Defects found = faults.expected(shape);
  EXPECT_EQ(to_json(shape, found).dump(),
            R"([{"reticle":[0,0],"tiles":[[0,1]]},{"reticle":[0,1],"tiles":[[1,2]]},)"
            R"({"east_links":[1],"reticle":[1,0],"tiles":[[2,1]]},)"
            R"({"reticle":[1,1],"tiles":[[2,1]],"wires":[[0,0,0,1]]}])");
  EXPECT_TRUE(repair_wafer(shape, found).map);
}

// What is drawn can be written and read again: a set of a campaign that came out wrong, say.
TEST(Faults, AFileOfThemHasAllOfThem) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Faults faults =
        random_faults(kShape, 1 + static_cast<int>(seed % 9), isa::kMini, kRegisters, seed);
    const nlohmann::json file = to_json(kShape, faults);
    EXPECT_EQ(to_json(kShape, read(file.dump())), file) << seed;
    EXPECT_EQ(read(file.dump()).count(), faults.count()) << seed;
  }
}

TEST(Faults, BadFilesAreRefusedWithTheLineAndTheLimit) {
  EXPECT_NE(
      refusal("tile: []")
          .find(":1: key 'tile' is not known; known here: edges, lanes, stations, tiles, wires"),
      std::string::npos);
  EXPECT_NE(
      refusal("tiles:\n  - {reticle: [0, 0], tile: [0, 1], fault: loud}")
          .find(":2: key 'tiles[0].fault' must be silent, babble, memory or register, not 'loud'"),
      std::string::npos);
  EXPECT_NE(refusal("tiles:\n  - {reticle: [0, 2], tile: [0, 1], fault: silent}")
                .find("which has 2 x 2 reticles"),
            std::string::npos);
  EXPECT_NE(refusal("tiles:\n  - {reticle: [0, 0], tile: [3, 1], fault: silent}")
                .find(":2: key 'tiles[0]': fault of a tile: reticle (0, 0) has no physical tile "
                      "(3, 1), it has 3 x 3"),
            std::string::npos);
  EXPECT_NE(refusal("wires:\n  - {reticle: [0, 0], from: [0, 0], to: [2, 2], bit: 1, stuck: 0}")
                .find("no wire joins"),
            std::string::npos);
  EXPECT_NE(refusal("wires:\n  - {reticle: [0, 0], from: [0, 0], to: [0, 1], bit: 45, stuck: 0}")
                .find("must be from 0 to 44"),
            std::string::npos);
  EXPECT_NE(refusal("lanes:\n  - {reticle: [0, 1], edge: east, slot: 0, lane: 1, stuck: 0}")
                .find("no neighbour to the east"),
            std::string::npos);
  EXPECT_NE(refusal("edges:\n  - {reticle: [0, 0], edge: west, tile: [0, 0], slot: 0, bit: 1, "
                    "stuck: 0}")
                .find("no wire joins"),
            std::string::npos);
  EXPECT_NE(refusal("tiles:\n  - {reticle: [0, 0], tile: [0, 1], fault: memory, bank: 0, row: 1, "
                    "bit: 2, coupling: set, aggressor: [1, 2], when: 1, stuck: 0}")
                .find("coupled to itself"),
            std::string::npos);
  EXPECT_NE(refusal("tiles:\n  - {reticle: [0, 0], tile: [0, 1], fault: silent, bank: 1}")
                .find(":2: key 'tiles[0].bank' is not known"),
            std::string::npos);
  EXPECT_NE(refusal("tiles:\n  - {reticle: [0, 0], tile: [0, 1], fault: memory, bank: 0, row: 1, "
                    "bit: 2, aggressor: [2, 2], when: 1, stuck: 0}")
                .find("key 'tiles[0].aggressor' is not known"),
            std::string::npos);
  EXPECT_NE(refusal("tiles:\n  - {reticle: [0, 0], tile: [0, 1], fault: memory, bank: 0, row: 1, "
                    "bit: 2, coupling: set, aggressor: [2, 2], when: 2, stuck: 0}")
                .find("key 'tiles[0].when' must be a whole number from 0 to 1, not '2'"),
            std::string::npos);
  EXPECT_NE(refusal("stations:\n  - {reticle: [0, 1], fault: one}")
                .find("key 'stations[0].station' is missing"),
            std::string::npos);
}

// Fails if repeated keys and lists of wafer and defects files are dropped.
TEST(Faults, NothingIsDroppedSilently) {
  const std::string tile = "  - {reticle: [0, 0], tile: [0, 1], fault: silent}\n";
  EXPECT_NE(
      refusal("tiles:\n" + tile + "tiles:\n" + tile).find(":3: key 'tiles' stands there twice"),
      std::string::npos);
  EXPECT_NE(refusal("stations:\n  - {reticle: [0, 0], station: [0, 1], station: [1, 1]}")
                .find(":2: key 'stations.station' stands there twice"),
            std::string::npos);
  EXPECT_NE(refusal("tiles:\n" + tile + "---\nwires: []\n").find("a second document"),
            std::string::npos);
  const std::string path = temporary_path("shape.yaml");
  const auto shape = [](const std::string& text) {
    return refusal_of([&] { read_shape(temporary_file("shape.yaml", text)); });
  };
  const std::string wafer = "wafer: {reticle_rows: 2, reticle_columns: 2}\n";
  EXPECT_EQ(shape(wafer + "reticle: {rows: 2, columns: 2}\n"), "");
  EXPECT_EQ(shape("wafer: {reticle_rows: 2, reticle_rows: 9, reticle_columns: 2}\n"),
            path + ":1: key 'wafer.reticle_rows' stands there twice");
  EXPECT_EQ(shape(wafer + "reticle: {rows: 2, columns: 2}\nreticle: {rows: 3, columns: 3}\n"),
            path + ":3: key 'reticle' stands there twice");
  EXPECT_EQ(shape(wafer + "reticle: {rows: 0x2, columns: 2}\n"),
            path + ":2: key 'reticle.rows' must be a whole number from 1 to 1024, not '0x2'");
}

TEST(Faults, CoupledCellsAndWiresToLinksAreRead) {
  const Faults f = read(
      "tiles:\n  - {reticle: [0, 0], tile: [0, 1], fault: memory, bank: 3, row: 1, bit: 2, "
      "coupling: hold, aggressor: [5, 6], when: 1, stuck: 0}\n"
      "edges:\n  - {reticle: [0, 1], edge: west, tile: [1, 0], slot: 2, direction: in, bit: 7, "
      "stuck: 1}\n");
  ASSERT_EQ(f.tiles.size(), 1u);
  EXPECT_EQ(f.tiles[0].coupling, TileFault::Coupling::Hold);
  EXPECT_EQ(f.tiles[0].other_row, 5);
  EXPECT_EQ(f.tiles[0].other_bit, 6);
  ASSERT_EQ(f.edges.size(), 1u);
  EXPECT_TRUE(f.edges[0].wire == (EdgeWire{3, {1, 0}, 2}));
  EXPECT_EQ(to_json(kShape, f.expected(kShape)).dump(),
            R"([{"reticle":[0,0],"tiles":[[0,1]]},)"
            R"({"edges":[{"edge":"west","slot":2,"tile":[1,0]}],"reticle":[0,1]}])");
}

TEST(Faults, RandomOnesAreInPlaceAndAlwaysTheSame) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Faults a =
        random_faults(kShape, 1 + static_cast<int>(seed % 9), isa::kMini, kRegisters, seed);
    a.check(kShape);
    const Faults b =
        random_faults(kShape, 1 + static_cast<int>(seed % 9), isa::kMini, kRegisters, seed);
    EXPECT_EQ(to_json(kShape, a.expected(kShape)), to_json(kShape, b.expected(kShape)));
    EXPECT_GE(a.count(), 1 + seed % 9);
  }
}

TEST(Faults, StuckFlipFlopsAreDrawnFromAllRegisters) {
  std::set<std::pair<std::string, int>> drawn;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    for (const TileFault& f : random_faults(kShape, 4, isa::kMini, kRegisters, seed).tiles) {
      if (f.kind == TileFault::Kind::Register) drawn.insert({f.name, f.bit});
    }
  }
  EXPECT_EQ(drawn.size(), 3u + 4 * 20) << "each flip-flop, and none of the bits between elements";
  EXPECT_EQ(drawn.count({"b_q", 96 + 19}), 1u);
  EXPECT_EQ(drawn.count({"b_q", 96 + 20}), 0u);
  EXPECT_THROW(random_faults(kShape, 1, isa::kMini, {}, 1), BadInput);
}

// A stuck flip-flop of which nothing is seen is no error of the bring-up, and no success either.
TEST(Faults, WhatIsFoundIsExactOrLacksAStuckFlipFlopOrIsWrong) {
  Faults f;
  f.tiles.push_back({0, {1, 1}, TileFault::Kind::Register, 0, 0, "a_q", 1, true});
  f.tiles.push_back({1, {0, 0}, TileFault::Kind::Silent, 0, 0, "", 0, false});
  Defects found = f.expected(kShape);
  EXPECT_TRUE(judge_defects(kShape, f, found).exact);
  found.reticles[0].tiles.clear();
  EXPECT_FALSE(judge_defects(kShape, f, found).exact);
  EXPECT_EQ(judge_defects(kShape, f, found).unseen, 1u);
  found.reticles[0].wires.push_back({{1, 0}, {1, 1}});  // one of its connections
  EXPECT_EQ(judge_defects(kShape, f, found).unseen, 1u);
  found.reticles[0].wires.push_back({{0, 0}, {0, 1}});  // one of two good tiles
  EXPECT_FALSE(judge_defects(kShape, f, found).right());
  found.reticles[0].wires.clear();
  found.reticles[0].tiles.push_back({0, 1});  // a good tile
  EXPECT_FALSE(judge_defects(kShape, f, found).right());
  found = f.expected(kShape);
  found.reticles[1].tiles.clear();  // the silent one is not seen
  EXPECT_FALSE(judge_defects(kShape, f, found).right());
}

// A broken connection to a link whose station is dead may be found or not; one that works, or that
// a scan reaches, is as strict as ever.
TEST(Faults, WhatNoScanReachesMayBeFound) {
  Faults f;
  f.stations.push_back({2, {0, 0}, StationFault::Kind::Silent});
  const EdgeWire unasked{0, {1, 0}, 1}, asked{1, {2, 2}, 2};
  f.edges.push_back({2, unasked, true, 10, true});
  f.edges.push_back({2, asked, false, 10, true});
  Defects found = f.expected(kShape);
  EXPECT_EQ(found.reticles[2].edges, std::vector<EdgeWire>{asked});
  EXPECT_EQ(f.unusable(kShape).reticles[2].edges, (std::vector<EdgeWire>{unasked, asked}));
  EXPECT_TRUE(judge_defects(kShape, f, found).exact);
  EXPECT_TRUE(judge_defects(kShape, f, f.unusable(kShape)).exact);
  found.reticles[2].edges = {unasked};
  EXPECT_FALSE(judge_defects(kShape, f, found).right());
  found.reticles[2].edges = {{0, {1, 1}, 1}, asked};  // this one works
  EXPECT_FALSE(judge_defects(kShape, f, found).right());
}

// The wires that the fuses of a map make, as the muxes do, use nothing that is broken, and make the
// whole mesh.
TEST(Faults, NoConnectionOfARepairedWaferIsBroken) {
  const Places at(kShape);
  const int cols = kShape.physical_cols();
  int repaired = 0, near_edges = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const Faults f =
        random_faults(kShape, 1 + static_cast<int>(seed % 8), isa::kMini, kRegisters, seed);
    const Defects broken = f.expected(kShape);
    const Repair repair = repair_wafer(kShape, broken);
    if (!repair.map) {
      EXPECT_NE(repair.reason, "");
      continue;
    }
    ++repaired;
    for (int d = 0; d < kShape.reticles(); ++d) {
      const ReticleDefects& r = broken.reticles[static_cast<size_t>(d)];
      const ReticleFuses set = fuses(*repair.map, d);
      near_edges += r.edges.empty() ? 0 : 1;
      std::set<std::pair<int, int>> bad;
      const auto between = [&](int a, int b) {
        bad.insert({a, b});
        bad.insert({b, a});
      };
      for (const EdgeWire& w : r.edges) {
        between(at.tile(w.tile.row, w.tile.col, w.side), at.edge(w.side, w.slot));
      }
      for (const Wire& w : r.wires) {
        const bool along = w.from.row == w.to.row;
        between(at.tile(w.from.row, w.from.col, along ? kEast : kSouth),
                at.tile(w.to.row, w.to.col, along ? kWest : kNorth));
      }
      const std::vector<Connection> all = connections(kShape, set.tile, set.row);
      // Each of the 2 x 2 tiles hears on four sides, and each of the 8 edge ports is heard.
      EXPECT_EQ(all.size(), 4u * 4 + 8) << "seed " << seed;
      for (const Connection& c : all) {
        EXPECT_EQ(bad.count({c.source, c.sink}), 0u) << "seed " << seed << " reticle " << d;
        for (const int end : {c.source, c.sink}) {
          if (at.is_edge(end)) continue;
          const Position p{end / 4 / cols, end / 4 % cols};
          EXPECT_EQ(std::count(r.tiles.begin(), r.tiles.end(), p), 0) << "seed " << seed;
          EXPECT_EQ(std::count(r.chains.begin(), r.chains.end(), p.row), 0) << "seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(repaired, 1000);
  EXPECT_GT(near_edges, 300);
}

}  // namespace
}  // namespace ow::wafer
