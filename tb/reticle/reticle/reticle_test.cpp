// SPDX-License-Identifier: Apache-2.0
// A row of three physical tiles that presents two logical ones. Tiles are reached over the chain
// while there is no mesh, then over the mesh that the fuses make, whichever of the three is left
// out. Also: when it says that it is idle, and what the reset of one tile does to its neighbours.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "openwafer/error.h"
#include "ow/isa/tables.h"
#include "reticle_bench.h"

namespace ow::wafer {
namespace {

TEST(Reticle, TilesAreReachedOverTheChainThenOverTheRepairedMesh) {
  for (int left_out = 0; left_out < kStations; ++left_out) {
    Reticle reticle;
    for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
    for (int c = 0; c < kStations; ++c) {
      ASSERT_TRUE(reticle.command(c, true, kControl, kRun | kTest));
      // The configuration word of a mini tile: 2 lanes, 3 threads, 4 colours, 8 kB in 2 banks.
      const auto config = reticle.ask(c, {kRead1, kConfig, kToWestEdge, kToWestEdge}, 4);
      ASSERT_EQ(config.size(), 4u) << "column " << c;
      EXPECT_EQ(config[3], Config::Sram::put(8192 / isa::kConfigSramUnit) | Config::Banks::put(1) |
                               Config::Colours::put(4) | Config::Limits::put(1) |
                               Config::Threads::put(2) | Config::Lanes::put(2));
      // Its memory self-test takes 22 x 7 x 512 cycles, within a few commands of the chain.
      reticle.ask(c, {kWrite1, kMbist, Mbist::Start::put(1)}, 0);
      uint32_t state = 0;
      for (int tries = 0; !Mbist::Done::get(state) && tries < 160; ++tries) {
        const auto words = reticle.ask(c, {kRead1, kMbist, kToWestEdge, kToWestEdge}, 4);
        ASSERT_EQ(words.size(), 4u);
        state = words[3];
      }
      EXPECT_EQ(state, Mbist::Done::put(1));
      // Writes a mark into its memory and reads it back.
      reticle.ask(c, {kWrite1, 0x40, 0xABC00000u + static_cast<uint32_t>(c)}, 0);
      const auto mark = reticle.ask(c, {kRead1, 0x40, kToWestEdge, kToWestEdge}, 4);
      ASSERT_EQ(mark.size(), 4u);
      EXPECT_EQ(mark[2], Response::Status::put(isa::PacketStatus::Done) | Response::Tag::put(kTag) |
                             Response::Count::put(1));
      EXPECT_EQ(mark[3], 0xABC00000u + static_cast<uint32_t>(c));
    }

    // Isolated: nothing comes through.
    EXPECT_TRUE(reticle.ask_mesh({}, 1).empty());

    ASSERT_NO_FATAL_FAILURE(reticle.connect(left_out));

    for (uint32_t logical = 0; logical < 2; ++logical) {
      const uint32_t x = Header::Far::put(logical) | Header::Near::put(logical);
      const auto mark = reticle.ask_mesh({x, 0, kRead1, 0x40, kToWestEdge, kToWestEdge}, 4);
      ASSERT_EQ(mark.size(), 4u) << "left out " << left_out << " logical " << logical;
      const int physical =
          static_cast<int>(logical) + (static_cast<int>(logical) >= left_out ? 1 : 0);
      EXPECT_EQ(mark.back(), 0xABC00000u + static_cast<uint32_t>(physical));
    }
  }
}

// A station gives the word that it took again until a POP with another turn takes the next one, or
// finds none. So neither a command nor an answer that is lost loses a word.
TEST(Reticle, AWordOfAnAnswerStaysUntilItsTurnIsOver) {
  Reticle reticle;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
  constexpr int kColumn = 1;
  const auto state = [&] { return reticle.command(kColumn, false, kPopState).value_or(99); };
  EXPECT_EQ(reticle.pop(kColumn), 0u) << "an endpoint that does not answer to its station";
  ASSERT_TRUE(reticle.command(kColumn, true, kControl, kRun | kTest));
  EXPECT_EQ(reticle.repeat_pop(kColumn), 0u) << "the first turn, and no answer";
  const std::vector<uint32_t> packet = {kRead1, kConfig, kToWestEdge, kToWestEdge};
  for (size_t i = 0; i < packet.size(); ++i) {
    ASSERT_TRUE(reticle.command(kColumn, true, i == 3 ? kPushLast : kPush, packet[i]));
  }
  EXPECT_EQ(reticle.repeat_pop(kColumn), 0u) << "that turn found none";
  std::vector<uint32_t> words;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(state(), st::PopState::Valid::put(1) | st::PopState::Last::put(i == 3));
    words.push_back(reticle.pop(kColumn).value_or(0));
    for (int again = 0; again < 2; ++again) EXPECT_EQ(reticle.repeat_pop(kColumn), words[i]) << i;
    EXPECT_EQ(reticle.command(kColumn, false, kPop), words[i]) << i;
  }
  EXPECT_EQ(words[2], Response::Status::put(isa::PacketStatus::Done) | Response::Tag::put(kTag) |
                          Response::Count::put(1));
  EXPECT_EQ(isa::reg::Config::Colours::get(words[3]), 4u);
  EXPECT_EQ(state(), 0u);
  EXPECT_EQ(reticle.pop(kColumn), 0u);
}

// A read of one word of the memory of a logical tile: a packet for the west edge.
std::vector<uint32_t> read_word(uint32_t logical, uint32_t address) {
  const uint32_t x = Header::Far::put(logical) | Header::Near::put(logical);
  return {x, 0, kRead1, address, kToWestEdge, kToWestEdge};
}

// A tile's registers have the reset values that the register map states.
TEST(Reticle, ATilesRegistersHaveTheirValuesAfterAReset) {
  Reticle reticle;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
  ASSERT_NO_FATAL_FAILURE(reticle.connect(2));
  int seen = 0;
  for (const isa::SpaceInfo& space : isa::spaces()) {
    if (space.base != isa::reg::kBase) continue;
    for (const isa::RegisterInfo& r : space.registers) {
      if (!r.has_reset || r.planned || std::string(r.access) == "wo") continue;
      for (uint32_t i = 0; i < r.count; ++i) {
        const auto words = reticle.ask_mesh(read_word(1, space.base + r.offset + i * r.stride), 4);
        ASSERT_EQ(words.size(), 4u) << r.name;
        EXPECT_EQ(words.back(), r.reset) << r.name << " " << i;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 20);
}

// The reticle is idle while no tile has work. Tiles that are left out stay in reset for ever and
// count as idle. From a request to its answer the reticle is not idle.
// Fails if idle_o of a reticle with spare or unused tiles is never high.
TEST(Reticle, IsIdleWithTilesInResetAndNotWhileOneWorks) {
  for (int left_out = 0; left_out < kStations; ++left_out) {
    Reticle reticle;
    reticle.run(8);
    EXPECT_TRUE(reticle.idle()) << "all tiles in reset";
    for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
    ASSERT_NO_FATAL_FAILURE(reticle.connect(left_out));
    for (uint32_t logical = 0; logical < 2; ++logical) {
      reticle.run(50);
      EXPECT_TRUE(reticle.idle()) << "left out " << left_out;
      EXPECT_TRUE(reticle.silent());
      const int begin = reticle.cycles(), idle = reticle.idle_cycles();
      ASSERT_EQ(reticle.ask_mesh(read_word(logical, 0x40), 4).size(), 4u);
      EXPECT_GE(reticle.cycles() - begin, 12);
      EXPECT_LE(reticle.idle_cycles() - idle, 2) << "until the first word is there";
    }
    // A tile that goes into reset or comes out of it is busy until it settles.
    const int idle = reticle.idle_cycles(), begin = reticle.cycles();
    ASSERT_TRUE(reticle.command(left_out == 0 ? 1 : 0, true, kControl, 0));
    reticle.run(20);
    EXPECT_TRUE(reticle.idle());
    EXPECT_LT(reticle.idle_cycles() - idle, reticle.cycles() - begin);
  }
}

// The rule for the reset of one tile (docs/fabric.md, credits): while nothing of the control plane
// is under way on its links its neighbours notice nothing.
// Fails if the reset of one tile loses its neighbours' credits.
TEST(Reticle, ATileIsResetByItselfWhileItsLinksAreQuiet) {
  Reticle reticle;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
  ASSERT_NO_FATAL_FAILURE(reticle.connect(2));
  for (int column : {1, 0, 1}) {
    for (uint32_t logical = 0; logical < 2; ++logical) {
      for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(reticle.ask_mesh(read_word(logical, 0x40), 4).size(), 4u) << logical;
      }
    }
    reticle.run(20);
    ASSERT_TRUE(reticle.command(column, true, kControl, 0));
    ASSERT_TRUE(reticle.command(column, true, kControl, kRun));
  }
  EXPECT_EQ(reticle.ask_mesh(read_word(1, 0x40), 4).size(), 4u);
}

// The fault that ends `action`, if there is one.
template <typename Action>
std::string fault_of(Action action) {
  try {
    action();
  } catch (const DeviceFault& e) {
    return e.what();
  }
  return "";
}

// And it is seen when it is broken: with answers that wait in both tiles, and with a request that
// finds its tile in reset. Unless the tile is disconnected first.
// Fails if a reset while words move is not reported.
TEST(Reticle, AResetInTheMiddleOfThingsIsReported) {
  for (bool disconnected : {false, true}) {
    Reticle reticle;
    for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
    ASSERT_NO_FATAL_FAILURE(reticle.connect(2));
    reticle.give_credits(false);
    for (int i = 0; i < 2; ++i) reticle.ask_mesh(read_word(1, 0x40), 4);
    if (disconnected) {
      ASSERT_TRUE(reticle.command(1, true, kTileFuse, 0));
    }
    const std::string said = fault_of([&] { (void)reticle.command(1, true, kControl, 0); });
    if (disconnected) {
      EXPECT_EQ(said, "");
    } else {
      EXPECT_NE(said.find("reset while its links had words of the control plane"),
                std::string::npos)
          << said;
    }
  }
  Reticle reticle;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
  ASSERT_NO_FATAL_FAILURE(reticle.connect(2));
  reticle.run(20);
  ASSERT_TRUE(reticle.command(1, true, kControl, 0));
  const std::string said = fault_of([&] { reticle.ask_mesh(read_word(1, 0x40), 4); });
  EXPECT_NE(said.find("was sent to a tile in reset"), std::string::npos) << said;
}

// A word from beyond the reticle's edge to a tile in reset may be a test pattern. It is neither
// reported nor answered.
TEST(Reticle, WhatComesFromBeyondTheEdgeToATileInResetIsNotReported) {
  Reticle reticle;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
  ASSERT_NO_FATAL_FAILURE(reticle.connect(2));
  reticle.run(20);
  ASSERT_TRUE(reticle.command(0, true, kControl, 0));
  const std::string said =
      fault_of([&] { EXPECT_TRUE(reticle.ask_mesh(read_word(0, 0x40), 4).empty()); });
  EXPECT_EQ(said, "");
}

// Tiles whose control plane is stuck, with the edge that caused it. They are disconnected, all
// reset, connected again, and only then released.
TEST(Reticle, TilesThatAreStuckBeginAnewTogether) {
  Reticle reticle;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
  ASSERT_NO_FATAL_FAILURE(reticle.connect(2));
  reticle.give_credits(false);
  for (int i = 0; i < 2; ++i) reticle.ask_mesh(read_word(1, 0x40), 4);
  ASSERT_LT(reticle.ask_mesh(read_word(0, 0x40), 4).size(), 4u) << "they are not stuck";
  for (uint32_t reg : {kTileFuse, kControl}) {
    for (int c = 0; c < 2; ++c) ASSERT_TRUE(reticle.command(c, true, reg, 0));
  }
  reticle.begin_edge_anew();
  ASSERT_NO_FATAL_FAILURE(reticle.connect(2));
  for (uint32_t logical = 0; logical < 2; ++logical) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(reticle.ask_mesh(read_word(logical, 0x40), 4).size(), 4u) << logical;
    }
  }
}

// A request that comes while a reset ends is reported or answered, at whatever cycle: no cycle lies
// between those in which it is lost in the tile and those in which the tile hears it.
// Fails if a request that comes while a reset ends is lost without a report.
TEST(Reticle, ARequestThatComesWhileAResetEndsIsReportedOrAnswered) {
  int length = 0;  // of a command
  // A request that starts `wait` cycles after the command that ends the reset. Returns the report
  // and the number of words answered.
  auto request = [&](int wait) -> std::pair<bool, size_t> {
    Reticle reticle;
    for (int c = 0; c < kStations; ++c) EXPECT_TRUE(reticle.find(c)) << c;
    reticle.connect(2);
    reticle.run(20);
    const int before = reticle.cycles();
    EXPECT_TRUE(reticle.command(1, true, kControl, 0));
    length = reticle.cycles() - before;
    reticle.ask_later(wait, read_word(1, 0x40));
    const std::string said = fault_of([&] {
      EXPECT_TRUE(reticle.command(1, true, kControl, kRun));
      reticle.run(length + 300);
    });
    return {!said.empty(), reticle.heard()};
  };
  ASSERT_TRUE(request(0).first);
  int reported = 0, quiet = length;
  while (quiet - reported > 1) {
    const int wait = (reported + quiet) / 2;
    (request(wait).first ? reported : quiet) = wait;
  }
  EXPECT_EQ(request(quiet).second, 4U) << "after " << quiet << " cycles of " << length;
}

// Fuses must not change while words move (constraints/static.yaml). A tile that is cut from the
// mesh in the middle of a request is reported. One whose links are quiet is not.
TEST(Reticle, AFuseThatChangesWhileWordsGoIsReported) {
  // With a request that starts `wait` cycles after the command.
  auto report = [](int wait) {
    Reticle reticle;
    for (int c = 0; c < kStations; ++c) EXPECT_TRUE(reticle.find(c)) << c;
    reticle.connect(2);
    reticle.run(20);
    reticle.ask_later(wait, read_word(1, 0x40));
    return fault_of([&] { EXPECT_TRUE(reticle.command(1, true, kTileFuse, 0)); });
  };
  int reported = 0;
  for (int wait = 20; wait < 110; wait += 5) {
    const std::string said = report(wait);
    if (said.empty()) continue;
    EXPECT_NE(said.find("a fuse changed while words were on the links"), std::string::npos) << said;
    ++reported;
  }
  EXPECT_GT(reported, 0);
  EXPECT_EQ(report(0), "");
  EXPECT_EQ(report(1000), "");
}

// Every wire between neighbours, with the tiles in reset: each station sends a pattern of its own
// and its neighbours capture it, rotated by the side.
TEST(Reticle, TheBoundaryScanSeesEveryWire) {
  constexpr int kBits = isa::Link::kBits;
  constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
  const auto rotated = [](uint64_t x, int n) {
    return ((x << n) | (x >> (kBits - n) % kBits)) & kMask;
  };
  Reticle reticle;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
  const Shape shape{1, 1, 1, 2, 0, 1};
  for (int left_out = 0; left_out < kStations; ++left_out) {
    Defects defects(shape);
    defects.reticles[0].tiles = {{0, left_out}};
    const Repair repair = repair_wafer(shape, defects);
    ASSERT_TRUE(repair.map);
    const ReticleFuses f = fuses(*repair.map, 0);
    for (int c = 0; c < kStations; ++c) {
      ASSERT_TRUE(reticle.command(c, true, kTileFuse, f.tile[static_cast<size_t>(c)]));
    }
    const int west = left_out == 0 ? 1 : 0;
    const int east = left_out == 2 ? 1 : 2;
    for (int round = 0; round < 6; ++round) {
      const uint64_t pattern[2] = {(0x123456789ABCu << round ^ 0x0F0F33335555u) & kMask,
                                   (0xFEDC98765432u >> round ^ 0x3333555500FFu) & kMask};
      for (int i = 0; i < 2; ++i) {
        const int c = i == 0 ? west : east;
        ASSERT_TRUE(
            reticle.command(c, true, st::PatternLow::kAddress, static_cast<uint32_t>(pattern[i])));
        ASSERT_TRUE(reticle.command(c, true, st::PatternHigh::kAddress,
                                    static_cast<uint32_t>(pattern[i] >> 32)));
        ASSERT_TRUE(reticle.command(c, true, st::Scan::kAddress, st::Scan::Enable::put(1)));
      }
      for (int i = 0; i < 2; ++i) {
        const int c = i == 0 ? west : east;
        const int side = i == 0 ? 1 : 3;
        const uint64_t low = reticle.command(c, false, st::Capture::address(side)).value_or(0);
        const uint64_t high = reticle.command(c, false, st::CaptureHigh::address(side)).value_or(0);
        // The western tile hears what the eastern one sends to the west, and vice versa.
        EXPECT_EQ(high << 32 | low, rotated(pattern[1 - i], i == 0 ? 33 : 11));
      }
    }
  }
}

}  // namespace
}  // namespace ow::wafer
