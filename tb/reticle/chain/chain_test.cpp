// SPDX-License-Identifier: Apache-2.0
// The test-access chain: registers of every station from both ends, past dead stations of every
// kind.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "../../harness/seed.h"
#include "Vow_chain_tb.h"
#include "chain_host.h"

namespace {

constexpr int kStations = 10;
// Two frames are lost on the way there, two answers on the way back; six more at a dead station.
constexpr int kTries = 5;
constexpr int kDeadTries = 17;

class Chain {
 public:
  Chain() {
    top_.rst_i = 1;
    clock();
    top_.rst_i = 0;
  }
  Vow_chain_tb& top() { return top_; }
  void noise(bool on) { noise_ = on; }

  // One command from the west (or east) end; the answer's data, or nothing.
  std::optional<uint32_t> command(bool east, int column, bool write, int reg, uint32_t data,
                                  uint16_t spoil = 0) {
    return ow::tb::chain_command([&](bool bit) { return send(east, bit); }, kStations, column,
                                 write, reg, data, spoil);
  }

  void idle() { clock(); }

  // Reads register 0 until it answers, at most `tries` times.
  bool find(bool east, int column, int tries) {
    for (int i = 0; i < tries; ++i) {
      const auto id = command(east, column, false, 0, 0);
      if (id && *id == 0x4F570000u + static_cast<uint32_t>(column)) return true;
    }
    return false;
  }

 private:
  bool send(bool east, bool bit) {
    (east ? top_.east_end_i : top_.west_end_i) = bit;
    clock();
    return (east ? top_.east_end_o : top_.west_end_o) != 0;
  }
  void clock() {
    if (noise_) top_.noise_i = static_cast<uint16_t>(random_());
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }
  Vow_chain_tb top_;
  std::mt19937 random_{1};
  bool noise_ = false;
};

TEST(Chain, EveryRegisterOfEveryStationFromBothEnds) {
  Chain chain;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(chain.find(false, c, kTries)) << c;
  for (int c = kStations - 1; c >= 0; --c) ASSERT_TRUE(chain.find(true, c, kTries)) << c;
  const auto seed = static_cast<uint32_t>(ow::test_seed(3));
  SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 200; ++i) {
    const int column = static_cast<int>(random() % kStations);
    const int reg = 1 + static_cast<int>(random() % 63);
    const uint32_t value = random();
    ASSERT_TRUE(chain.command(random() % 2 != 0, column, true, reg, value).has_value());
    ASSERT_EQ(chain.command(random() % 2 != 0, column, false, reg, 0), value);
  }
  EXPECT_FALSE(chain.command(false, kStations, false, 0, 0).has_value());
}

TEST(Chain, ASpoiledFrameDoesNothing) {
  Chain chain;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(chain.find(false, c, kTries));
  ASSERT_TRUE(chain.command(false, 5, true, 7, 0x1234).has_value());
  EXPECT_FALSE(chain.command(false, 5, true, 7, 0x9999, 0x0100).has_value());
  EXPECT_EQ(chain.command(false, 5, false, 7, 0), 0x1234u);
}

TEST(Chain, ABroadcastIsDoneByAllAndAnsweredByNone) {
  Chain chain;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(chain.find(false, c, kTries));
  EXPECT_FALSE(chain.command(false, ow::isa::kStationAllColumns, true, 9, 0xCAFE).has_value());
  for (int c = 0; c < kStations; ++c) EXPECT_EQ(chain.command(false, c, false, 9, 0), 0xCAFEu);
}

// Commands from both ends, the second of which comes while the answer to the first is sent: it is
// not carried out, since nobody would know of it. The host sends it again.
TEST(Chain, ACommandThatCannotBeAnsweredIsNotCarriedOut) {
  constexpr int kColumn = 5;
  for (int later = 6; later < 64; later += 3) {
    Chain chain;
    for (int c = 0; c < kStations; ++c) ASSERT_TRUE(chain.find(false, c, kTries));
    for (int c = kStations - 1; c >= 0; --c) ASSERT_TRUE(chain.find(true, c, kTries));
    ASSERT_TRUE(chain.command(false, kColumn, true, 7, 1).has_value());
    const auto first = ow::tb::chain_frame(kColumn, false, 7, 0);
    const auto second = ow::tb::chain_frame(kColumn, true, 7, 2);
    for (int t = 0; t < 65 + later + 100; ++t) {
      chain.top().west_end_i = t < 65 && first[static_cast<size_t>(t)];
      chain.top().east_end_i =
          t >= later && t < 65 + later && second[static_cast<size_t>(t - later)];
      chain.idle();
    }
    EXPECT_EQ(chain.command(false, kColumn, false, 7, 0), 1u) << later << " cycles later";
    EXPECT_TRUE(chain.command(true, kColumn, true, 7, 2).has_value());
    EXPECT_EQ(chain.command(false, kColumn, false, 7, 0), 2u);
  }
}

// One station dead, in every place and way: all others answer at both ends.
TEST(Chain, PassesOverADeadStation) {
  for (int dead = 0; dead < kStations; ++dead) {
    for (int kind = 0; kind < 3; ++kind) {
      Chain chain;
      chain.top().dead_i = static_cast<uint16_t>(1 << dead);
      chain.top().dead_level_i = static_cast<uint16_t>(kind == 1 ? 1 << dead : 0);
      chain.top().babble_i = static_cast<uint16_t>(kind == 2 ? 1 << dead : 0);
      chain.noise(kind == 2);
      for (int c = 0; c < kStations; ++c) {
        EXPECT_EQ(chain.find(false, c, kDeadTries), c != dead)
            << "station " << c << " dead " << dead << " kind " << kind;
      }
      for (int c = kStations - 1; c >= 0; --c) {
        EXPECT_EQ(chain.find(true, c, kDeadTries), c != dead)
            << "station " << c << " dead " << dead << " kind " << kind;
      }
    }
  }
}

// A frame begins after a silence. Right after a reset there was none, so the first frame is not
// recognised, and a station after a dead one turns to the other line one frame later than usual.
TEST(Chain, ASilenceIsCountedFromTheResetOn) {
  const auto tries = [](int silent) {
    Chain chain;
    chain.top().dead_i = 1;
    for (int i = 0; i < silent; ++i) chain.idle();
    int n = 1;
    while (n < kDeadTries && !chain.find(false, 1, 1)) ++n;
    return n;
  };
  EXPECT_EQ(tries(0), tries(64) + 1);
  EXPECT_EQ(tries(1), tries(64) + 1);
  EXPECT_EQ(tries(200), tries(64));
}

// Much noise contains one frame that looks correct: a write command. No station executes it, and
// none takes the noise after it for frames.
TEST(Chain, OneRightFrameAmongNoiseIsNotBelieved) {
  for (const bool east : {false, true}) {
    Chain chain;
    const int dead = 5, beside = east ? 6 : 4;
    chain.top().dead_i = 1 << dead;
    using Frame = ow::isa::ChainFrame;
    const uint64_t head = (Frame::Column::put(beside) | Frame::Write::put(1) |
                           Frame::Register::put(7) | Frame::Data::put(0xBAD)) >>
                          16;
    const uint16_t crc = ow::tb::chain_crc(head);
    const auto babble = [&](bool bit) {
      chain.top().dead_level_i = static_cast<uint16_t>(bit ? 1 << dead : 0);
      chain.idle();
    };
    for (int i = 0; i < 80; ++i) babble(false);
    babble(true);
    for (int i = 47; i >= 0; --i) babble((head >> i & 1) != 0);
    for (int i = 15; i >= 0; --i) babble((crc >> i & 1) != 0);
    chain.top().babble_i = 1 << dead;
    chain.noise(true);
    for (int k = 0; k < kStations; ++k) {
      const int c = east ? kStations - 1 - k : k;
      EXPECT_EQ(chain.find(east, c, kDeadTries), c != dead) << "station " << c;
    }
    EXPECT_EQ(chain.command(east, beside, false, 7, 0), 0u);
  }
}

// Two dead stations side by side break the chain: each end reaches its side.
TEST(Chain, TwoDeadStationsSideBySideBreakIt) {
  Chain chain;
  chain.top().dead_i = 3 << 4;
  for (int c = 0; c < 4; ++c) EXPECT_TRUE(chain.find(false, c, kDeadTries));
  for (int c = 4; c < kStations; ++c) EXPECT_FALSE(chain.find(false, c, kDeadTries));
  for (int c = kStations - 1; c > 5; --c) EXPECT_TRUE(chain.find(true, c, kDeadTries));
}

}  // namespace
