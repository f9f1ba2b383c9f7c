// SPDX-License-Identifier: Apache-2.0
// Bring-up finds exactly what was broken in a simulated wafer, and repairs it.
#include <gtest/gtest.h>

#include <algorithm>

#include "bringup_bench.h"
#include "ow/base/error.h"
#include "ow/device/control_plane.h"
#include "ow/firmware/selftest.h"

namespace ow::wafer {
namespace {

TEST(Bringup, AGoodReticle) {
  const Bringup b = check(kOne, {});
  EXPECT_TRUE(b.succeeded());
  EXPECT_TRUE(b.findings.empty()) << words(b);
  // Every connection, in both settings of the muxes and with both patterns.
  EXPECT_GT(b.wires_scanned, 100u);
}

TEST(Bringup, EachKindOfFaultInAReticle) {
  {
    Faults f;
    f.tiles.push_back({0, {0, 1}, TileFault::Kind::Silent, 0, 0, "", 0, false});
    EXPECT_TRUE(check(kOne, f).succeeded());
  }
  {
    Faults f;
    f.tiles.push_back({0, {1, 1}, TileFault::Kind::Babble, 0, 0, "", 0, false});
    EXPECT_TRUE(check(kOne, f).succeeded());
  }
  {
    Faults f;
    f.tiles.push_back({0, {2, 0}, TileFault::Kind::Memory, 1, 77, "", 33, true});
    f.wires.push_back({0, {0, 0}, {0, 1}, 40, true});
    EXPECT_TRUE(check(kOne, f).succeeded());
  }
  {
    Faults f;
    f.stations.push_back({0, {0, 1}, StationFault::Kind::StuckOne});
    f.wires.push_back({0, {1, 1}, {2, 2}, 7, false});
    EXPECT_TRUE(check(kOne, f).succeeded());
  }
  {
    Faults f;
    f.stations.push_back({0, {1, 1}, StationFault::Kind::Babble});
    f.stations.push_back({0, {1, 2}, StationFault::Kind::Silent});
    EXPECT_TRUE(check(kOne, f).succeeded());
  }
  {
    Faults f;
    f.tiles.push_back({0, {0, 0}, TileFault::Kind::Register, 0, 0, kCoreWords, kPcWord + 3, true});
    EXPECT_TRUE(check(kOne, f).succeeded());
  }
}

// A stuck bit of the program counter that the self-test of the core never has to set. The tile runs
// wild only in the later test of neighbours, and its words stop others.
// Fails if a good tile beside one that runs wild is given up.
TEST(Bringup, ATileThatRunsWildIsGivenUpAndNotItsNeighbours) {
  const auto wild = [](int row, int col) {
    return TileFault{0,    {row, col}, TileFault::Kind::Register, 0, 0, kCoreWords, kPcWord + 11,
                     false};
  };
  for (int at = 0; at < 9; ++at) {
    Faults f;
    f.tiles.push_back(wild(at / 3, at % 3));
    // A second one at the other end: both are found.
    if (at == 0) f.tiles.push_back({0, {2, 2}, TileFault::Kind::Silent, 0, 0, "", 0, false});
    SCOPED_TRACE(at);
    check(kOne, f);
  }
  // Two tiles that each have only the other as a neighbour.
  for (int at = 0; at < 2; ++at) {
    Faults f;
    f.tiles.push_back(wild(0, at));
    const auto wafer = make_mini_wafer_device({1, 1, 1, 1, 0, 1}, f);
    const std::string found = words(bring_up(*wafer, nullptr, options()));
    // The router test must find the tile. If an earlier test does, this test shows nothing.
    EXPECT_EQ(found.find("0 (0, " + std::to_string(at) + "): nothing"), 0u) << found;
  }
}

// Only one good tile can hear a babbling tile. Its words to a third tile arrive as soon as no tile
// is connected to the babbling one any more.
TEST(Bringup, AGoodTileBetweenABabblerAndAnotherIsKept) {
  Faults f;
  for (const int col : {0, 1}) {
    f.tiles.push_back({0, {0, col}, TileFault::Kind::Babble, 0, 0, "", 0, false});
  }
  f.tiles.push_back({0, {2, 0}, TileFault::Kind::Memory, 0, 5, "", 7, true});
  f.stations.push_back({0, {1, 0}, StationFault::Kind::StuckOne});
  const Bringup b = check(kOne, f);
  EXPECT_FALSE(b.succeeded());
  EXPECT_EQ(b.largest.tiles(), 2);
}

// The only neighbour of a mute tile is beyond a dead row and to the side. The mute tile hears it in
// one setting of the muxes, and could be heard only in another setting.
TEST(Bringup, AMuteTileWithoutANeighbourInItsRowsAndColumnsIsFound) {
  Faults f;
  f.tiles.push_back({0, {0, 1}, TileFault::Kind::Silent, 0, 0, "", 0, false});
  for (const Position at : {Position{0, 0}, {0, 2}, {2, 1}, {2, 2}}) {
    f.tiles.push_back({0, at, TileFault::Kind::Memory, 0, 5, "", 7, true});
  }
  f.stations.push_back({0, {1, 0}, StationFault::Kind::Silent});
  const Bringup b = check(kOne, f);
  EXPECT_FALSE(b.succeeded());
  EXPECT_EQ(b.largest.tiles(), 0);
}

// A stuck flip-flop spoils only the words to one neighbour, which has no other neighbour in that
// setting of the muxes. Bring-up gives up the connection, and not the good tile that hears nothing.
TEST(Bringup, ATileIsNotJudgedByOneConnection) {
  Faults f;
  f.tiles.push_back(
      stuck({1, 0}, "u_ramp__DOT__u_words__DOT__gen_one__DOT__u_out__DOT__mem_q", 82));
  f.tiles.push_back({0, {0, 1}, TileFault::Kind::Memory, 0, 5, "", 7, true});
  const auto wafer = make_mini_wafer_device(kOne, f);
  const Bringup b = bring_up(*wafer, &wafer->device(), options());
  EXPECT_NE(words(b).find("0 (1, 0): no word reaches tile (0, 0)"), std::string::npos) << words(b);
  EXPECT_EQ(b.findings.size(), 2u) << words(b);
  EXPECT_EQ(judge_defects(kOne, f, b.defects).unseen, 1u) << words(b);
  EXPECT_TRUE(b.succeeded()) << all(b.verification);
}

// A stuck bit of a register of the core makes a tile send too many words. Its neighbours do not
// take these for words of the next neighbour that they hear.
TEST(Bringup, WordsTooManyAreNotHeardAsAnothers) {
  for (int at = 0; at < 9; ++at) {
    Faults f;
    f.tiles.push_back(stuck({at / 3, at % 3}, kCoreWords, 905));
    SCOPED_TRACE(at);
    const auto wafer = make_mini_wafer_device(kOne, f);
    const Bringup b = bring_up(*wafer, &wafer->device(), options());
    EXPECT_TRUE(judge_defects(kOne, f, b.defects).right()) << words(b);
  }
}

// A stuck bit in words that come over a link, which the self-test does not check. The verification
// of the mesh sees answers that no tile gives, and says so.
TEST(Bringup, AnAnswerThatNoTileGivesIsFoundByTheVerification) {
  Faults f;
  f.tiles.push_back(stuck({0, 0}, "u_router__DOT__gen_inputs__DOT__link_e_q", 21));
  const auto wafer = make_mini_wafer_device(kOne, f);
  const Bringup b = bring_up(*wafer, &wafer->device(), options());
  EXPECT_EQ(all(b.verification).find("control plane: "), 0u) << all(b.verification);
  EXPECT_EQ(judge_defects(kOne, f, b.defects).unseen, 1u) << words(b);
}

// The same at the wafer's edge. The changed words set the wrong register. Then the edge sees that a
// rule of the links was broken, and the verification reports that.
TEST(Bringup, AnEdgeThatBreaksTheRulesIsFoundByTheVerification) {
  Faults f;
  f.tiles.push_back(stuck({1, 0}, "u_router__DOT__gen_inputs__DOT__link_w_q", 15));
  const auto wafer = make_mini_wafer_device(kOne, f);
  const Bringup b = bring_up(*wafer, &wafer->device(), options());
  EXPECT_EQ(all(b.verification).find("mesh: west edge, port 1: "), 0u) << all(b.verification);
  EXPECT_FALSE(b.succeeded());
  EXPECT_EQ(judge_defects(kOne, f, b.defects).unseen, 1u) << words(b);
}

// In one setting of the muxes all neighbours of a good tile are mute, so it hears nothing. In
// another setting it talks to the tile beside it. In one case it has been heard before, in the
// other not yet.
TEST(Bringup, AGoodTileAmongMuteOnesIsKept) {
  const auto memory = [](Faults* f, std::initializer_list<Position> tiles) {
    for (const Position& at : tiles) {
      f->tiles.push_back({0, at, TileFault::Kind::Memory, 0, 5, "", 7, true});
    }
  };
  const auto mute = [](Faults* f, std::initializer_list<Position> tiles) {
    for (const Position& at : tiles) {
      f->tiles.push_back({0, at, TileFault::Kind::Silent, 0, 0, "", 0, false});
    }
  };
  {
    Faults f;
    mute(&f, {{0, 2}, {2, 0}});
    memory(&f, {{0, 0}, {0, 1}, {1, 0}, {1, 2}});
    EXPECT_EQ(check(kOne, f).largest.tiles(), 2);
  }
  {
    Faults f;
    mute(&f, {{0, 0}, {2, 2}});
    memory(&f, {{0, 1}, {2, 0}});
    f.stations.push_back({0, {1, 2}, StationFault::Kind::Silent});
    check(kOne, f);
  }
}

TEST(Bringup, BeyondTheSparesIsRefusedWithTheLargestRectangle) {
  Faults f;
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < 2; ++c) {
      f.tiles.push_back({0, {r, c}, TileFault::Kind::Silent, 0, 0, "", 0, false});
    }
  }
  const Bringup b = check(kOne, f);
  EXPECT_FALSE(b.succeeded());
  EXPECT_NE(b.repair.reason, "");
  EXPECT_EQ(b.largest.tiles(), 2);
}

TEST(Bringup, LinksOfTwoReticles) {
  const Shape shape{1, 2, 1, 1, 1, 1};
  Faults f;
  for (const int lane : {3, 4, 40, 41})
    f.lanes.push_back({0, false, 0, false, lane, lane % 2 != 0});
  {
    const Bringup b = check(shape, f);
    EXPECT_TRUE(b.succeeded());
    ASSERT_EQ(b.links.size(), 2u);
    EXPECT_TRUE(b.links[0].up);
    EXPECT_EQ(b.links[0].lanes_out, (std::vector<int>{3, 4, 40, 41}));
  }
  f.lanes.push_back({0, false, 0, false, 5, true});
  {
    const Bringup b = check(shape, f);
    EXPECT_TRUE(b.succeeded());
    EXPECT_FALSE(b.links[0].up);
    ASSERT_TRUE(b.repair.map);
    EXPECT_EQ(b.repair.map->east[0], EdgeMap{1});
  }
}

TEST(Bringup, AFaultOfABankThatTheTileDoesNotHaveIsRefused) {
  Faults f;
  TileFault t;
  t.kind = TileFault::Kind::Memory;
  t.bank = static_cast<int>(isa::kMini.sram_banks);
  f.tiles.push_back(t);
  try {
    make_mini_wafer_device(kOne, f);
    FAIL() << "a bank too many was taken";
  } catch (const BadInput& e) {
    EXPECT_STREQ(e.what(),
                 "fault of tile (0, 0) of reticle (0, 0): memory bank 2: must be from 0 to 1");
  }
}

// A pair of cells in a word, and one in two words, for each thing that an aggressor can do.
TEST(Bringup, CoupledCells) {
  using Coupling = TileFault::Coupling;
  const Coupling all[] = {Coupling::State, Coupling::Set, Coupling::Invert, Coupling::Hold};
  for (const bool when : {false, true}) {
    Faults f;
    for (int i = 0; i < 8; ++i) {
      TileFault t;
      t.at = {i / 3, i % 3};
      t.kind = TileFault::Kind::Memory;
      t.bank = i % static_cast<int>(isa::kMini.sram_banks);
      t.row = 3 * i;
      t.bit = 7 * i;
      t.value = (i & 1) != 0;
      t.coupling = all[i / 2];
      t.other_row = i % 2 == 0 ? t.row : t.row + 1;
      t.other_bit = i % 2 == 0 ? t.bit + 1 : 63 - i;
      t.when = when;
      f.tiles.push_back(t);
    }
    const Bringup b = check(kOne, f);
    EXPECT_EQ(std::count_if(b.findings.begin(), b.findings.end(),
                            [](const Finding& x) { return x.what.substr(0, 7) == "memory:"; }),
              8)
        << words(b);
    // The ninth tile has no good neighbour.
    EXPECT_EQ(b.findings.size(), 9u);
  }
}

// Wires between the tiles of an edge and the links, out and in. Bring-up gives up the slot, or puts
// another tile at the edge.
TEST(Bringup, WiresToTheLinks) {
  const Shape shape{1, 2, 1, 1, 1, 1};
  {
    Faults f;
    f.edges.push_back({0, {1, {0, 1}, 0}, false, 3, true});
    f.edges.push_back({0, {1, {0, 0}, 1}, true, 44, false});
    f.edges.push_back({1, {3, {0, 0}, 0}, true, 0, true});
    const Bringup b = check(shape, f);
    EXPECT_TRUE(b.succeeded());
    EXPECT_EQ(b.defects.reticles[0].edges.size(), 2u);
    EXPECT_EQ(b.defects.reticles[1].edges.size(), 1u);
  }
  {
    // From the first row to either link, so another tile has to be there.
    Faults f;
    f.edges.push_back({0, {1, {0, 0}, 0}, false, 3, true});
    f.edges.push_back({0, {1, {0, 0}, 1}, false, 9, true});
    const Bringup b = check(shape, f);
    ASSERT_TRUE(b.succeeded());
    EXPECT_FALSE(b.repair.map->reticles[0].row[0] == 0 && b.repair.map->reticles[0].col[0][0] == 0);
  }
  {
    // North and south.
    const Shape tall{2, 1, 1, 1, 1, 1};
    Faults f;
    f.edges.push_back({0, {2, {1, 0}, 0}, false, 12, false});
    f.edges.push_back({1, {0, {0, 1}, 1}, true, 13, true});
    EXPECT_TRUE(check(tall, f).succeeded());
  }
}

// The stations of the north edge's links of a reticle are dead with its first row, so no scan
// reaches the wires between those links and the tiles of the second row.
TEST(Bringup, WiresToLinksThatCannotBeAskedShowInWords) {
  const Shape tall{2, 1, 1, 1, 1, 1};
  Faults f;
  f.stations.push_back({1, {0, 0}, StationFault::Kind::Silent});
  const auto run = [&](bool smaller) {
    const auto wafer = make_mini_wafer_device(tall, f);
    BringupOptions o = options();
    o.accept_smaller = smaller;
    Bringup b = bring_up(*wafer, &wafer->device(), o);
    EXPECT_TRUE(judge_defects(tall, f, b.defects).exact) << text(tall, b.defects) << words(b);
    EXPECT_EQ(all(b.verification), "");
    return b;
  };
  // Those that work are used, and none is given up.
  EXPECT_TRUE(run(false).succeeded());
  // A bit of the data out, in the first slot; the map takes the second one.
  f.edges.push_back({1, {0, {1, 0}, 0}, false, 10, true});
  {
    const Bringup b = run(false);
    ASSERT_TRUE(b.repair.map) << b.repair.reason;
    EXPECT_EQ(b.repair.map->south[0], EdgeMap{1});
    EXPECT_EQ(b.defects.reticles[1].edges.size(), 1u) << words(b);
  }
  // In the second slot as well, and from the other tile to both: no tile is joined to the north.
  f.edges.push_back({1, {0, {1, 0}, 1}, true, 31, false});
  f.edges.push_back({1, {0, {1, 1}, 0}, true, 0, true});
  f.edges.push_back({1, {0, {1, 1}, 1}, false, 17, false});
  const Bringup b = run(true);
  EXPECT_FALSE(b.repair.map);
  EXPECT_NE(b.repair.reason, "");
  EXPECT_EQ(b.largest.tiles(), 1);
  EXPECT_TRUE(b.succeeded());
}

// A link whose station is dead is not in test mode while the tiles' patterns go to the links beside
// it. No pattern may enter it as a wavelet, because that would cost it credits.
TEST(Bringup, ALinkThatCannotBeAskedKeepsItsCredits) {
  const Shape shape{1, 2, 2, 2, 1, 1};
  for (const int row : {0, 1, 2}) {
    Faults f;
    f.stations.push_back({0, {row, 2}, StationFault::Kind::Silent});
    // So that its link is needed.
    for (const int lane : {0, 1, 2}) {
      f.lanes.push_back({0, false, row == 0 ? 2 : 0, false, lane, true});
    }
    SCOPED_TRACE(row);
    EXPECT_TRUE(check(shape, f).succeeded());
  }
}

// A tile next to a link whose status cannot be read has a stuck bit in a queue, which its own test
// does not see. Its neighbour's words go wrong as well, so bring-up gives up the tile and not the
// connection to the link.
TEST(Bringup, ATileBehindALinkThatCannotBeAskedIsJudgedByItsOtherNeighbours) {
  const Shape tall{2, 1, 1, 2, 1, 1};
  Faults f;
  f.stations.push_back({1, {0, 0}, StationFault::Kind::Silent});
  f.tiles.push_back({1,
                     {1, 0},
                     TileFault::Kind::Register,
                     0,
                     0,
                     "u_ramp__DOT__u_words__DOT__gen_in__BRA__1__KET____DOT__u_in__DOT__mem_q",
                     204,
                     true});
  const Bringup b = check(tall, f);
  EXPECT_TRUE(b.succeeded());
  EXPECT_NE(words(b).find("1 (1, 0): words go wrong over other"), std::string::npos) << words(b);
}

// A wire from a link whose station is dead gives its tile words on wrong colours, which stop the
// tile. Words of others for that tile stay in their links, which work. Bring-up gives up the wire,
// and neither the tile nor another tile at the same links.
TEST(Bringup, WhatATileThatWasStoppedHasLeftInItsLinksIsGone) {
  const Shape square{2, 2, 1, 1, 1, 1};
  for (const int bit : {33, 34}) {
    Faults f;
    f.stations.push_back({0, {1, 0}, StationFault::Kind::StuckOne});
    for (const int slot : {0, 1}) f.edges.push_back({0, {2, {0, 0}, slot}, true, bit, false});
    SCOPED_TRACE(bit);
    const auto wafer = make_mini_wafer_device(square, f);
    const Bringup b = bring_up(*wafer, &wafer->device(), options());
    EXPECT_TRUE(judge_defects(square, f, b.defects).exact) << text(square, b.defects) << words(b);
    EXPECT_NE(words(b).find("0 (0, 0): no word passes link 0"), std::string::npos) << words(b);
    EXPECT_TRUE(b.succeeded()) << b.repair.reason << all(b.verification);
  }
}

TEST(Bringup, ASmallerRectangleIsSetUpAndVerified) {
  // A reticle without a good tile, beside one that works.
  const Shape shape{1, 2, 2, 1, 0, 0};
  Faults f;
  f.tiles.push_back({1, {0, 0}, TileFault::Kind::Silent, 0, 0, "", 0, false});
  const auto wafer = make_mini_wafer_device(shape, f);
  BringupOptions smaller = options();
  smaller.accept_smaller = true;
  const Bringup b = bring_up(*wafer, &wafer->device(), smaller);
  EXPECT_FALSE(b.repair.map);
  EXPECT_NE(b.repair.reason, "");
  ASSERT_TRUE(b.smaller);
  EXPECT_TRUE(b.smaller->window == (Window{0, 0, 2, 1}));
  EXPECT_TRUE(b.succeeded()) << all(b.verification);
  EXPECT_EQ(b.wavelets_verified, 2u);
}

// A small tile takes turns by the wafer's cycle count. So it must not matter when a tile starts.
TEST(Bringup, WhenATileBeginsIsNotPartOfItsSignature) {
  for (const char* program : {"/selftest.elf", "/selftest_fabric.elf"}) {
    const ElfImage image = read_elf(OW_FIRMWARE_DIR + std::string(program), isa::kMini.sram_bytes);
    std::set<uint32_t> signatures;
    for (const uint64_t later : {0, 1}) {
      const auto one = make_mini_wafer_device({1, 1, 1, 1, 0, 0});
      one->wait_cycles(later);
      if (later == 0) one->check_idle();
      signatures.insert(good_run(*one, image).signature);
    }
    EXPECT_EQ(signatures.size(), 1u) << program;
  }
}

TEST(Bringup, TheThoroughSelfTestFindsMore) {
  // The priority of a task: the short self-test uses none, the thorough program of the fabric does.
  // The other tiles are good and pass. (The other programs take a small core up to five million
  // cycles.)
  const Shape shape{1, 1, 1, 1, 1, 1};
  Faults f;
  f.tiles.push_back({0, {0, 0}, TileFault::Kind::Register, 0, 0, "u_tasks__DOT__prio_q", 20, true});
  const auto run = [&](const BringupOptions& o) {
    const auto wafer = make_mini_wafer_device(shape, f);
    const Bringup b = bring_up(*wafer, &wafer->device(), o);
    EXPECT_TRUE(b.succeeded()) << words(b) << all(b.verification);
    return words(b);
  };
  EXPECT_EQ(run(options()), "");
  BringupOptions thorough = options();
  const auto one = make_mini_wafer_device({1, 1, 1, 1, 0, 0});
  const ElfImage image = read_elf(OW_FIRMWARE_DIR "/selftest_fabric.elf", isa::kMini.sram_bytes);
  thorough.thorough.push_back(good_run(*one, image));
  thorough.exchange_colours = 4;
  EXPECT_NE(run(thorough).find("0 (0, 0): the self-test"), std::string::npos);
}

TEST(Bringup, WordsOnAllColoursFindMore) {
  // Bit 10 of the second word of the last colour that comes from the east.
  const Shape shape{1, 1, 2, 2, 1, 1};
  Faults f;
  f.tiles.push_back(stuck({0, 0},
                          "u_router__DOT__u_words__DOT__gen_memories__DOT__gen_port__BRA__1__KET__"
                          "__DOT__u_words__DOT__mem_q",
                          (2 * 3 + 1) * 32 + 10));
  const auto run = [&](const BringupOptions& o) {
    const auto wafer = make_mini_wafer_device(shape, f);
    return words(bring_up(*wafer, nullptr, o));
  };
  EXPECT_EQ(run(options()), "");
  BringupOptions all = options();
  all.exchange_colours = 4;
  // Only what comes from the east goes wrong, so it is that connection which is given up.
  EXPECT_EQ(run(all), "0 (0, 1): no word reaches tile (0, 0)\n");
}

TEST(Bringup, AMapIsSavedAndApplied) {
  const Shape shape{1, 2, 1, 1, 1, 1};
  Faults f;
  f.tiles.push_back({0, {0, 0}, TileFault::Kind::Silent, 0, 0, "", 0, false});
  const Bringup b = check(shape, f);
  ASSERT_TRUE(b.repair.map);
  const WaferMap map = map_from_json(to_json(*b.repair.map), "map");
  const auto wafer = make_mini_wafer_device(shape, f);
  apply_map(*wafer, map);
  EXPECT_EQ(all(verify_mesh(wafer->device(), nullptr)), "");
}

}  // namespace
}  // namespace ow::wafer
