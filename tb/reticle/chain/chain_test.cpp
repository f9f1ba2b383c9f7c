// SPDX-License-Identifier: Apache-2.0
// The test-access chain: registers of every station from both ends, past dead stations of every
// kind.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>

#include "Vow_chain_tb.h"

namespace {

constexpr int kStations = 10;

uint16_t crc16(uint64_t bits48) {
  uint16_t crc = 0xFFFF;
  for (int i = 47; i >= 0; --i) {
    const bool bit = (bits48 >> i & 1) != 0;
    crc = static_cast<uint16_t>((crc << 1) ^ (((crc >> 15) != 0) != bit ? 0x3D65 : 0));
  }
  return crc;
}

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
                                  bool spoil = false) {
    uint64_t head = uint64_t(column) << 39 | uint64_t(write) << 38 | uint64_t(reg) << 32 | data;
    uint16_t crc = crc16(head);
    if (spoil) crc ^= 0x0100;
    send(east, true);
    for (int i = 47; i >= 0; --i) send(east, (head >> i & 1) != 0);
    for (int i = 15; i >= 0; --i) send(east, (crc >> i & 1) != 0);
    // Then listen.
    int left = 0;
    uint64_t in = 0;
    uint16_t in_crc = 0;
    bool started = false;
    for (int t = 0; t < 140 + 4 * kStations; ++t) {
      const bool bit = send(east, false);
      if (!started) {
        if (bit) {
          started = true;
          left = 64;
        }
        continue;
      }
      if (left > 16)
        in = in << 1 | bit;
      else
        in_crc = static_cast<uint16_t>(in_crc << 1 | bit);
      if (--left == 0) {
        if (crc16(in) != in_crc || (in >> 47) != 1 ||
            (in >> 32 & 0x7FFF) != (head >> 32 & 0x7FFF)) {
          return std::nullopt;
        }
        return static_cast<uint32_t>(in);
      }
    }
    return std::nullopt;
  }

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
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(chain.find(false, c, 4)) << c;
  for (int c = kStations - 1; c >= 0; --c) ASSERT_TRUE(chain.find(true, c, 4)) << c;
  std::mt19937 random(3);
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
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(chain.find(false, c, 4));
  ASSERT_TRUE(chain.command(false, 5, true, 7, 0x1234).has_value());
  EXPECT_FALSE(chain.command(false, 5, true, 7, 0x9999, true).has_value());
  EXPECT_EQ(chain.command(false, 5, false, 7, 0), 0x1234u);
}

TEST(Chain, ABroadcastIsDoneByAllAndAnsweredByNone) {
  Chain chain;
  for (int c = 0; c < kStations; ++c) ASSERT_TRUE(chain.find(false, c, 4));
  EXPECT_FALSE(chain.command(false, 255, true, 9, 0xCAFE).has_value());
  for (int c = 0; c < kStations; ++c) EXPECT_EQ(chain.command(false, c, false, 9, 0), 0xCAFEu);
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
        EXPECT_EQ(chain.find(false, c, 12), c != dead)
            << "station " << c << " dead " << dead << " kind " << kind;
      }
      for (int c = kStations - 1; c >= 0; --c) {
        EXPECT_EQ(chain.find(true, c, 12), c != dead)
            << "station " << c << " dead " << dead << " kind " << kind;
      }
    }
  }
}

// Two dead stations side by side break the chain: each end reaches its side.
TEST(Chain, TwoDeadStationsSideBySideBreakIt) {
  Chain chain;
  chain.top().dead_i = 3 << 4;
  for (int c = 0; c < 4; ++c) EXPECT_TRUE(chain.find(false, c, 12));
  for (int c = 4; c < kStations; ++c) EXPECT_FALSE(chain.find(false, c, 12));
  for (int c = kStations - 1; c > 5; --c) EXPECT_TRUE(chain.find(true, c, 12));
}

}  // namespace
