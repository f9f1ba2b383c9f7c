// SPDX-License-Identifier: Apache-2.0
// A row of three physical tiles that presents two logical ones: tiles are reached over the chain
// while there is no mesh, then over the mesh that the fuses make, whichever of the three is left
// out.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "../chain/chain_host.h"
#include "Vow_reticle.h"
#include "ow/wafer/repair.h"

namespace ow::wafer {
namespace {

constexpr int kStations = 3;
constexpr int kRequest = 24, kResponse = 25;
enum Register { kId, kControl, kTileFuse, kRowFuse, kPush, kPushLast, kPop, kPopState };

struct Word {
  uint32_t data;
  bool last;
};

class Reticle {
 public:
  Reticle() {
    top_.rst_i = 1;
    for (int i = 0; i < 4; ++i) clock();
    top_.rst_i = 0;
  }

  std::optional<uint32_t> command(int column, bool write, int reg, uint32_t data = 0) {
    return tb::chain_command(
        [&](bool bit) {
          top_.chain_w_i = bit;
          clock();
          return top_.chain_w_near_o != 0;
        },
        kStations, column, write, reg, data);
  }

  bool find(int column) {
    for (int i = 0; i < 12; ++i) {
      if (command(column, false, kId) == 0x4F570001u) return true;
    }
    return false;
  }

  // A packet to the endpoint of a tile through its station, and the answer's words.
  std::vector<uint32_t> ask(int column, const std::vector<uint32_t>& packet, size_t answer) {
    for (size_t i = 0; i < packet.size(); ++i) {
      EXPECT_TRUE(command(column, true, i + 1 == packet.size() ? kPushLast : kPush, packet[i]));
    }
    std::vector<uint32_t> words;
    for (int tries = 0; words.size() < answer && tries < 20; ++tries) {
      const uint32_t state = command(column, false, kPopState).value_or(0);
      if ((state & 1) == 0) continue;
      words.push_back(command(column, false, kPop).value_or(0));
      EXPECT_EQ((state & 2) != 0, words.size() == answer);
    }
    return words;
  }

  // A packet through the west edge, and what comes back there.
  std::vector<uint32_t> ask_mesh(const std::vector<uint32_t>& packet, size_t answer) {
    for (size_t i = 0; i < packet.size(); ++i) out_.push_back({packet[i], i + 1 == packet.size()});
    in_.clear();
    for (int t = 0; t < 300 && in_.size() < answer; ++t) clock();
    std::vector<uint32_t> words;
    for (const Word& w : in_) words.push_back(w.data);
    return words;
  }

 private:
  void clock() {
    // The edge speaks the links' protocol: a credit for each request, one back for each response.
    uint64_t link = 0;
    if (credit_back_) link |= uint64_t{1} << 44 | uint64_t{kResponse} << 39;
    if (!out_.empty() && credits_ > 0) {
      const Word w = out_.front();
      out_.pop_front();
      --credits_;
      link |= uint64_t{1} << 38 | uint64_t{kRequest} << 33 | uint64_t{w.last} << 32 | w.data;
    }
    top_.west_i = link;
    top_.clk_i = 0;
    top_.eval();
    const uint64_t sent = top_.west_o;
    top_.clk_i = 1;
    top_.eval();
    if ((sent >> 44 & 1) != 0 && (sent >> 39 & 31) == kRequest) ++credits_;
    credit_back_ = (sent >> 38 & 1) != 0 && (sent >> 33 & 31) == kResponse;
    if (credit_back_) in_.push_back({static_cast<uint32_t>(sent), (sent >> 32 & 1) != 0});
  }

  Vow_reticle top_;
  int credits_ = 2;
  bool credit_back_ = false;
  std::deque<Word> out_;
  std::vector<Word> in_;
};

constexpr uint32_t kRead1 = 2u << 28 | 5u << 16 | 1, kWrite1 = 1u << 28 | 1;
constexpr uint32_t kToWestEdge = 3u << 30;
constexpr uint32_t kConfig = 0xF0000788, kMbist = 0xF00007C0;

TEST(Reticle, TilesAreReachedOverTheChainThenOverTheRepairedMesh) {
  for (int left_out = 0; left_out < kStations; ++left_out) {
    Reticle reticle;
    for (int c = 0; c < kStations; ++c) ASSERT_TRUE(reticle.find(c)) << c;
    for (int c = 0; c < kStations; ++c) {
      ASSERT_TRUE(reticle.command(c, true, kControl, 3));
      // The configuration word of a mini tile: 2 lanes, 3 threads, 4 colours, 8 kB.
      const auto config = reticle.ask(c, {kRead1, kConfig, kToWestEdge, kToWestEdge}, 4);
      ASSERT_EQ(config.size(), 4u) << "column " << c;
      EXPECT_EQ(config[3], 128u << 16 | 4u << 8 | 2u << 4 | 2u);
      // Its memory is tested in 22 x 7 x 128 cycles, within a few commands of the chain.
      reticle.ask(c, {kWrite1, kMbist, 1}, 0);
      uint32_t state = 0;
      for (int tries = 0; (state & 2) == 0 && tries < 40; ++tries) {
        const auto words = reticle.ask(c, {kRead1, kMbist, kToWestEdge, kToWestEdge}, 4);
        ASSERT_EQ(words.size(), 4u);
        state = words[3];
      }
      EXPECT_EQ(state, 2u);
      // A mark in its memory, and back.
      reticle.ask(c, {kWrite1, 0x40, 0xABC00000u + static_cast<uint32_t>(c)}, 0);
      const auto mark = reticle.ask(c, {kRead1, 0x40, kToWestEdge, kToWestEdge}, 4);
      ASSERT_EQ(mark.size(), 4u);
      EXPECT_EQ(mark[2], 5u << 16 | 1);
      EXPECT_EQ(mark[3], 0xABC00000u + static_cast<uint32_t>(c));
    }

    // Isolated: nothing comes through.
    EXPECT_TRUE(reticle.ask_mesh({}, 1).empty());

    const Shape shape{1, 1, 1, 2, 0, 1};
    Defects defects(shape);
    defects.reticles[0].tiles = {{0, left_out}};
    const Repair repair = repair_wafer(shape, defects);
    ASSERT_TRUE(repair.map);
    const ReticleFuses f = fuses(*repair.map, 0);
    ASSERT_TRUE(reticle.command(0, true, kRowFuse, f.row[0]));
    for (int c = 0; c < kStations; ++c) {
      const auto fuse = f.tile[static_cast<size_t>(c)];
      ASSERT_TRUE(reticle.command(c, true, kTileFuse, fuse));
      EXPECT_EQ(reticle.command(c, false, kTileFuse), fuse);
      ASSERT_TRUE(reticle.command(c, true, kControl, fuse != 0 ? 1 : 0));
    }

    for (uint32_t logical = 0; logical < 2; ++logical) {
      const uint32_t x = logical << 12 | logical;
      const auto mark = reticle.ask_mesh({x, 0, kRead1, 0x40, kToWestEdge, kToWestEdge}, 4);
      ASSERT_EQ(mark.size(), 4u) << "left out " << left_out << " logical " << logical;
      const int physical =
          static_cast<int>(logical) + (static_cast<int>(logical) >= left_out ? 1 : 0);
      EXPECT_EQ(mark.back(), 0xABC00000u + static_cast<uint32_t>(physical));
    }
  }
}

// Every wire between neighbours, with the tiles in reset: each station sends a pattern of its own
// and its neighbours capture it, rotated by the side.
TEST(Reticle, TheBoundaryScanSeesEveryWire) {
  constexpr uint64_t kMask = (uint64_t{1} << 45) - 1;
  const auto rotated = [](uint64_t x, int n) { return ((x << n) | (x >> (45 - n) % 45)) & kMask; };
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
        ASSERT_TRUE(reticle.command(c, true, 9, static_cast<uint32_t>(pattern[i])));
        ASSERT_TRUE(reticle.command(c, true, 10, static_cast<uint32_t>(pattern[i] >> 32)));
        ASSERT_TRUE(reticle.command(c, true, 8, 1));
      }
      for (int i = 0; i < 2; ++i) {
        const int c = i == 0 ? west : east;
        const int side = i == 0 ? 1 : 3;
        const uint64_t low = reticle.command(c, false, 32 + 2 * side).value_or(0);
        const uint64_t high = reticle.command(c, false, 33 + 2 * side).value_or(0);
        // The western tile hears what the eastern one sends to the west, and the other way round.
        EXPECT_EQ(high << 32 | low, rotated(pattern[1 - i], i == 0 ? 33 : 11));
      }
    }
  }
}

}  // namespace
}  // namespace ow::wafer
