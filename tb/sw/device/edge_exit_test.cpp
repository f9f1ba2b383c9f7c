// SPDX-License-Identifier: Apache-2.0
#include "ow/device/edge_exit.h"

#include <gtest/gtest.h>

#include "ow/base/error.h"
#include "ow/device/edge_ports.h"
#include "ow/device/link_word.h"

namespace ow {
namespace {

constexpr uint64_t kCycle = 65536;
constexpr int kColour = 3;

// A port of a grid that sends a wavelet whenever it has a credit, until it has sent all.
struct Grid {
  explicit Grid(const EdgeExitOptions& options, bool stages = true)
      : ports(GridShape{1, 1}), in(8, 0), out(8, 0) {
    west = ports.port(Side::West, 0);
    ports.set_link(west, 5, EdgeLinkOptions{});
    ports.link(west).open(0, {}, {});
    ports.set_exit(west, kColour, options);
    ports.exit(west).open(stages);
  }
  // Cycles in which one left, of the next `cycles`; `count` in all.
  std::vector<uint64_t> run(uint64_t cycles, size_t count) {
    std::vector<uint64_t> sent;
    for (const uint64_t end = now + cycles; now < end; ++now) {
      ports.drive(now, in.data());
      const bool sends = credits > 0 && sent.size() < count;
      out[static_cast<size_t>(west)] =
          sends ? link_of_wavelet(Wavelet{kColour, false, static_cast<uint32_t>(sent.size())}) : 0;
      if (sends) sent.push_back(now);
      credits -= sends ? 1 : 0;
      if (link_has_credit(in[static_cast<size_t>(west)])) ++credits;
      ports.receive(now, out.data());
    }
    return sent;
  }
  const EdgePhase& phase() { return ports.link(west).phases().front(); }
  uint64_t waits(EdgeWait cause) { return phase().waits[static_cast<size_t>(cause)]; }

  EdgePorts ports;
  std::vector<uint64_t> in, out;
  int west = 0;
  int credits = kLinkCredits;
  uint64_t now = 0;
};

TEST(EdgeExit, AWaveletTakesItsTimeOnTheLink) {
  Grid grid({4 * kCycle, 16, {}});
  EXPECT_EQ(grid.run(40, 3), (std::vector<uint64_t>{0, 1, 2}));
  EXPECT_EQ(grid.ports.exit(grid.west).left(), (std::vector<uint64_t>{4, 8, 12}));
  EXPECT_EQ(grid.waits(EdgeWait::Exit), 0u);
  EXPECT_EQ(grid.credits, kLinkCredits);
}

// The same cycles as without one.
TEST(EdgeExit, AFasterLinkThanTheWireIsNoLimit) {
  Grid fast({kCycle / 4, 1, {kCycle / 8}}), free({0, 1, {}});
  EXPECT_EQ(fast.run(60, 50), free.run(60, 50));
  EXPECT_EQ(fast.credits, free.credits);
  EXPECT_EQ(total(fast.phase().waits), 0u);
}

TEST(EdgeExit, AFullQueueKeepsTheGridFromSending) {
  Grid grid({10 * kCycle, 4, {}});
  const std::vector<uint64_t> sent = grid.run(1000, 60);
  ASSERT_EQ(sent.size(), 60u);
  // Four wait, the credits are used up, then one leaves for each that the link lets through.
  const size_t ahead = 4 + kLinkCredits;
  for (size_t k = ahead + 4; k < 60; ++k) EXPECT_EQ(sent[k] - sent[k - 1], 10u) << k;
  EXPECT_EQ(grid.ports.exit(grid.west).left().back(), 600u);
  // In each ten cycles a credit comes back, is used and the wavelet is on the wires.
  EXPECT_GE(grid.waits(EdgeWait::Exit), (60 - ahead) * 7);
  EXPECT_LE(grid.waits(EdgeWait::Exit), 600u);
  EXPECT_EQ(grid.waits(EdgeWait::Reduce), 0u);
  EXPECT_TRUE(grid.ports.quiet());
  EXPECT_EQ(grid.credits, kLinkCredits);
}

TEST(EdgeExit, ASlowerStageHoldsTheQueueAndIsTheCause) {
  Grid grid({2 * kCycle, 4, {kCycle, 10 * kCycle}});
  const std::vector<uint64_t> sent = grid.run(1000, 60);
  ASSERT_EQ(sent.size(), 60u);
  for (size_t k = 30; k < 60; ++k) EXPECT_EQ(sent[k] - sent[k - 1], 10u) << k;
  EXPECT_GT(grid.waits(EdgeWait::Reduce), 4 * grid.waits(EdgeWait::Exit));
  // Only the link limits a stream that is not reduced.
  Grid own({2 * kCycle, 4, {kCycle, 10 * kCycle}}, false);
  EXPECT_LT(own.run(1000, 60).back(), 60 * 2u);
  EXPECT_EQ(own.ports.exit(own.west).left().back(), 60 * 2u);
  EXPECT_EQ(own.waits(EdgeWait::Reduce), 0u);
}

TEST(EdgeExit, WhatWasNoTimeIsNoneForTheLink) {
  Grid grid({4 * kCycle, 16, {}});
  grid.run(3, 3);
  grid.run(20, 0);
  grid.now += 1000;
  grid.ports.exit(grid.west).skip(1000);
  grid.ports.exit(grid.west).open(true);
  EXPECT_EQ(grid.run(40, 2), (std::vector<uint64_t>{1023, 1024}));
  EXPECT_EQ(grid.ports.exit(grid.west).left(), (std::vector<uint64_t>{1027, 1031}));
}

TEST(EdgeExit, RefusesWhatItCannotCount) {
  EdgePorts ports(GridShape{1, 1});
  EXPECT_THROW(ports.exit(0), InternalError);
  Grid grid({100 * kCycle, 1, {}});
  grid.run(5, 3);
  EXPECT_THROW(grid.ports.set_exit(grid.west, kColour, EdgeExitOptions{}), InternalError);
}

}  // namespace
}  // namespace ow
