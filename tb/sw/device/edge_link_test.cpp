// SPDX-License-Identifier: Apache-2.0
#include "ow/device/edge_link.h"

#include <gtest/gtest.h>

#include "ow/base/error.h"
#include "ow/device/edge_ports.h"
#include "ow/device/link_word.h"

namespace ow {
namespace {

constexpr uint64_t kCycle = 65536;
constexpr int kColour = 3;

// A port of a grid that takes what comes, in every cycle or in those that `takes` names.
struct Grid {
  explicit Grid(const EdgeLinkOptions& options) : ports(GridShape{1, 1}), in(8, 0), out(8, 0) {
    west = ports.port(Side::West, 0);
    ports.set_link(west, kColour, options);
  }
  EdgeLink& link() { return ports.link(west); }
  void send(size_t count) {
    const std::vector<Wavelet> w(count, Wavelet{kColour, false, 5});
    ASSERT_EQ(ports.send(west, w.data(), w.size()), count);
  }
  // Cycles in which a wavelet entered, of the next `cycles`.
  std::vector<uint64_t> run(uint64_t cycles, bool takes = true) {
    std::vector<uint64_t> entered;
    for (uint64_t k = 0; k < cycles; ++k) {
      ports.drive(now, in.data());
      const bool came = link_has_wavelet(in[static_cast<size_t>(west)]);
      if (came) entered.push_back(now);
      held += came ? 1 : 0;
      const bool credit = takes && held > 0;
      out[static_cast<size_t>(west)] = credit ? link_of_credit(kColour) : 0;
      held -= credit ? 1 : 0;
      ports.receive(now, out.data());
      ++now;
    }
    return entered;
  }
  EdgePorts ports;
  std::vector<uint64_t> in, out;
  int west = 0;
  int held = 0;
  uint64_t now = 0;
};

TEST(EdgeLink, AWaveletTakesItsTimeOnTheLink) {
  Grid grid({0, 3 * kCycle + kCycle / 2, 16});
  grid.link().open(0, {}, {});
  grid.send(6);
  EXPECT_EQ(grid.run(40), (std::vector<uint64_t>{4, 7, 11, 14, 18, 21}));
  const EdgePhase& phase = grid.link().phases().front();
  EXPECT_EQ(phase.wavelets, 6u);
  // Every cycle up to the last one but those in which one came.
  EXPECT_EQ(phase.waits[static_cast<size_t>(EdgeWait::Edge)], 22u - 6u);
  EXPECT_EQ(total(phase.late), 0u);
}

TEST(EdgeLink, TheSlowerOfStoreAndLinkIsTheCause) {
  Grid grid({8 * kCycle, 2 * kCycle, 16});
  grid.link().open(0, {}, {});
  grid.send(3);
  EXPECT_EQ(grid.run(40), (std::vector<uint64_t>{10, 18, 26}));
  const EdgePhase& phase = grid.link().phases().front();
  EXPECT_GT(phase.waits[static_cast<size_t>(EdgeWait::Store)],
            phase.waits[static_cast<size_t>(EdgeWait::Edge)]);
}

// A stage is like a link: the slowest of them all sets the pace, and has the blame.
TEST(EdgeLink, AStageBetweenStoreAndLinkCanBeTheCause) {
  Grid grid({kCycle, 2 * kCycle, 16, {kCycle, 8 * kCycle}});
  grid.link().open(0, {}, {});
  grid.send(3);
  EXPECT_EQ(grid.run(40), (std::vector<uint64_t>{12, 20, 28}));
  const EdgePhase& phase = grid.link().phases().front();
  EXPECT_EQ(phase.waits[static_cast<size_t>(EdgeWait::Store)], 1u);
  EXPECT_EQ(phase.waits[static_cast<size_t>(EdgeWait::Edge)], 3 * 2u);
  EXPECT_EQ(total(phase.waits), 29u - 3u);
}

// Other words on the same link: the stream begins after them.
TEST(EdgeLink, WhatCrossesInFrontOfAStreamTakesItsTime) {
  Grid grid({kCycle, 4 * kCycle, 16, {2 * kCycle}});
  EXPECT_EQ(grid.link().cross(10, 3), 10 + 1 + 2 + 3 * 4u);
  grid.link().open(0, {}, {});
  grid.send(2);
  EXPECT_EQ(grid.run(60), (std::vector<uint64_t>{29, 33}));
}

TEST(EdgeLink, AFasterLinkThanTheWireIsNoLimit) {
  Grid grid({0, kCycle / 4, 16});
  grid.link().open(0, {}, {});
  grid.send(50);
  const std::vector<uint64_t> entered = grid.run(60);
  ASSERT_EQ(entered.size(), 50u);
  EXPECT_EQ(entered.back() - entered.front(), 49u);
  EXPECT_LE(total(grid.link().phases().front().waits), 1u);
}

TEST(EdgeLink, WhatWaitsAtTheEdgeServesABurst) {
  Grid grid({0, 4 * kCycle, 8});
  grid.link().open(0, {}, {});
  grid.send(20);
  // The grid takes its credits' worth, then nothing for long: the queue fills.
  grid.run(200, false);
  const uint64_t from = grid.now;
  const std::vector<uint64_t> entered = grid.run(100);
  ASSERT_EQ(entered.size(), 20u - kLinkCredits);
  EXPECT_EQ(entered[7] - from, 8u);  // eight in a row, from the cycle after the first credit
  EXPECT_EQ(entered[15] - entered[14], 4u);
}

TEST(EdgeLink, HoldsAreCountedByTheirCause) {
  Grid grid({0, kCycle, 16});
  grid.link().open(0, {{10, EdgeWait::Samples}}, {{30, EdgeWait::Optimizer}});
  grid.send(2);
  EXPECT_EQ(grid.run(50), (std::vector<uint64_t>{31, 32}));
  const EdgeWaits& waits = grid.link().phases().front().waits;
  EXPECT_EQ(waits[static_cast<size_t>(EdgeWait::Samples)], 10u);
  EXPECT_EQ(waits[static_cast<size_t>(EdgeWait::Optimizer)], 20u);
  EXPECT_EQ(grid.link().phases().front().held, 30u);  // and one for the first wavelet's way
}

TEST(EdgeLink, AStreamWaitsAtTheEdgeForItsEntrance) {
  Grid grid({0, 4 * kCycle, 8});
  grid.link().open(0, {{50, EdgeWait::Samples}}, {{10, EdgeWait::Optimizer}});
  grid.send(10);
  // Eight have crossed when they may go in; the ninth begins when the first has left its place.
  EXPECT_EQ(grid.run(100), (std::vector<uint64_t>{50, 51, 52, 53, 54, 55, 56, 57, 58, 59}));
  const EdgePhase& phase = grid.link().phases().front();
  EXPECT_EQ(phase.waits[static_cast<size_t>(EdgeWait::Optimizer)], 10u);
  EXPECT_EQ(phase.waits[static_cast<size_t>(EdgeWait::Samples)], 40u);
  EXPECT_EQ(phase.held, 50u);
}

// Three cross until cycle 12, and the link goes on with the next stream: one in four cycles, as
// many as there is room for.
TEST(EdgeLink, AStreamFollowsTheOneBeforeItWithoutAGap) {
  const std::vector<uint64_t> wanted[] = {{40, 41, 42, 43, 45, 49},
                                          {40, 41, 42, 43, 44, 45, 46, 47, 48, 52}};
  for (const uint64_t depth : {4, 16}) {
    Grid grid({0, 4 * kCycle, depth});
    grid.link().open(0, {}, {});
    grid.send(3);
    EXPECT_EQ(grid.run(40), (std::vector<uint64_t>{4, 8, 12}));
    grid.link().open(40, {}, {});
    const std::vector<uint64_t>& want = wanted[depth == 4 ? 0 : 1];
    grid.send(want.size());
    EXPECT_EQ(grid.run(40), want) << depth;
    EXPECT_EQ(grid.link().phases().size(), 1u);
    EXPECT_EQ(grid.link().phases().front().wavelets, want.size());
  }
}

TEST(EdgeLink, WhatWasNoTimeIsNoneForTheLink) {
  Grid grid({0, 4 * kCycle, 16});
  grid.link().open(0, {}, {});
  grid.send(3);
  grid.run(20);
  grid.now += 1000;
  grid.link().skip(1000);
  grid.link().open(grid.now, {}, {});
  grid.send(4);
  EXPECT_EQ(grid.run(40), (std::vector<uint64_t>{1020, 1021, 1024, 1028}));
}

// Wavelets after a hold stay in the store. Wavelets before it are not affected.
TEST(EdgeLink, APhaseHasHoldsOfItsOwn) {
  Grid grid({0, 2 * kCycle, 16});
  grid.link().open(0, {}, {});
  grid.send(3);
  grid.link().begin_phase({{20, EdgeWait::Optimizer}, {25, EdgeWait::Edge}});
  grid.send(2);
  grid.link().begin_phase({{5, EdgeWait::Optimizer}});
  grid.send(1);
  EXPECT_EQ(grid.run(60), (std::vector<uint64_t>{2, 4, 6, 27, 29, 31}));
  const std::vector<EdgePhase>& phases = grid.link().phases();
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0].held, 0u);
  EXPECT_EQ(phases[1].waits[static_cast<size_t>(EdgeWait::Optimizer)], 20u - 7u);
  EXPECT_EQ(phases[1].waits[static_cast<size_t>(EdgeWait::Edge)], 5u + 2u + 1u);
  EXPECT_EQ(phases[1].held, 25u - 7u);
  EXPECT_EQ(phases[2].held, 0u);
}

TEST(EdgeLink, PhasesBeginWhereTheHostSays) {
  Grid grid({0, 2 * kCycle, 16});
  grid.link().open(0, {}, {});
  grid.send(3);
  grid.link().begin_phase();
  grid.send(4);
  grid.run(40);
  const std::vector<EdgePhase>& phases = grid.link().phases();
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].wavelets, 3u);
  EXPECT_EQ(phases[1].wavelets, 4u);
  EXPECT_EQ(phases[1].begin, phases[0].end + 1);
  EXPECT_EQ(total(phases[1].waits), 4u);
}

TEST(EdgeLink, LateIsWhatComesAfterAPhaseHasSettled) {
  Grid grid({0, 100 * kCycle, 16});
  grid.link().open(0, {}, {{500, EdgeWait::Edge}});
  grid.send(40);
  grid.run(5000);
  const EdgePhase& phase = grid.link().phases().front();
  EXPECT_EQ(phase.end, 500u + 40 * 100);
  // From cycle 2,500 up to the last wavelet's, but those in which one came.
  EXPECT_EQ(total(phase.late), phase.end - 2500 + 1 - 21);
}

TEST(EdgeLink, RefusesWhatItCannotCount) {
  EdgePorts ports(GridShape{1, 1});
  EXPECT_THROW(ports.link(0), InternalError);
  const Wavelet w{kColour, false, 1};
  ports.send(0, &w, 1);
  EXPECT_THROW(ports.set_link(0, kColour, EdgeLinkOptions{}), InternalError);
}

}  // namespace
}  // namespace ow
