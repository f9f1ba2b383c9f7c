// SPDX-License-Identifier: Apache-2.0
#include "ow/device/edge_ports.h"

#include <gtest/gtest.h>

#include "ow/base/error.h"
#include "ow/device/link_word.h"

namespace ow {
namespace {

struct Ports {
  explicit Ports(GridShape shape) : ports(shape), in(8, 0), out(8, 0) {}
  // One cycle in which the grid puts `word` on port p.
  void cycle(int p = 0, uint64_t word = 0) {
    ports.drive(now, in.data());
    out[static_cast<size_t>(p)] = word;
    ports.receive(now, out.data());
    out[static_cast<size_t>(p)] = 0;
    ++now;
  }
  EdgePorts ports;
  std::vector<uint64_t> in, out;
  uint64_t now = 0;
};

TEST(EdgePorts, NoWaveletLeavesWithoutACredit) {
  Ports t(GridShape{1, 1});
  const int west = t.ports.port(Side::West, 0);
  const std::vector<Wavelet> w(10, Wavelet{3, false, 5});
  t.ports.send(west, w.data(), w.size());
  int left = 0;
  for (int k = 0; k < 20; ++k) {
    t.cycle();
    left += link_has_wavelet(t.in[static_cast<size_t>(west)]);
  }
  EXPECT_EQ(left, kLinkCredits);
  EXPECT_TRUE(t.ports.quiet());
  t.cycle(west, link_of_credit(3));
  EXPECT_FALSE(t.ports.quiet());
  t.cycle();
  EXPECT_TRUE(link_has_wavelet(t.in[static_cast<size_t>(west)]));
  EXPECT_EQ(t.ports.pending(west, 3), 10u - kLinkCredits - 1);
}

TEST(EdgePorts, OneColourRunsAtOneWaveletACycleWithCreditsAfterTwoCycles) {
  Ports t(GridShape{1, 1});
  const int west = t.ports.port(Side::West, 0);
  const std::vector<Wavelet> w(100, Wavelet{3, false, 5});
  t.ports.send(west, w.data(), w.size());
  // What is on the link in cycle k brings its credit back in cycle k + 1, for cycle k + 2.
  for (int k = 0; k < 100; ++k) t.cycle(west, k > 0 ? link_of_credit(3) : 0);
  EXPECT_EQ(t.ports.pending(), 0u);
}

TEST(EdgePorts, AFullQueueRefusesAndTellsWhenItHasRoom) {
  Ports t(GridShape{1, 1});
  const int west = t.ports.port(Side::West, 0);
  const std::vector<Wavelet> w(2 * kPortRoom, Wavelet{3, false, 5});
  EXPECT_EQ(t.ports.send(west, w.data(), w.size()), kPortRoom);
  EXPECT_EQ(t.ports.send(west, w.data(), 1), 0u);
  const Wavelet other{4, false, 5};
  EXPECT_EQ(t.ports.send(west, &other, 1), 1u) << "another colour has a queue of its own";
  t.ports.take_event();
  bool told = false;
  for (int k = 0; k < static_cast<int>(kPortRoom) && !told; ++k) {
    t.cycle(west, k > 0 ? link_of_credit(3) : 0);
    told = t.ports.take_event() && t.ports.pending(west, 4) == 0 &&
           t.ports.pending(west, 3) < kPortRoom - 2;
  }
  EXPECT_TRUE(told);
  EXPECT_EQ(t.ports.pending(west, 3), kPortRefill);
}

TEST(EdgePorts, ColoursTakeTurns) {
  Ports t(GridShape{1, 1});
  const int west = t.ports.port(Side::West, 0);
  for (uint8_t c : {2, 9, 24}) {
    const std::vector<Wavelet> w(4, Wavelet{c, false, 0});
    t.ports.send(west, w.data(), w.size());
  }
  std::vector<int> order;
  for (int k = 0; k < 6; ++k) {
    t.cycle();
    order.push_back(link_wavelet(t.in[static_cast<size_t>(west)]).colour);
  }
  EXPECT_EQ(order, (std::vector<int>{2, 9, 24, 2, 9, 24}));
}

TEST(EdgePorts, ArrivalsKeepTheirCycleAndReturnACredit) {
  Ports t(GridShape{2, 1});
  const int east = t.ports.port(Side::East, 1);
  t.cycle();
  t.cycle(east, link_of_wavelet(Wavelet{7, true, 3}));
  const auto arrivals = t.ports.take_arrivals(east, 7);
  ASSERT_EQ(arrivals.size(), 1u);
  EXPECT_EQ(arrivals[0].cycle, 1u);
  EXPECT_EQ(arrivals[0].wavelet, (Wavelet{7, true, 3}));
  t.cycle();
  EXPECT_EQ(t.in[static_cast<size_t>(east)], link_of_credit(7));
  EXPECT_TRUE(t.ports.quiet());
}

TEST(EdgePorts, ABlockedColourKeepsItsCredits) {
  Ports t(GridShape{1, 1});
  const int east = t.ports.port(Side::East, 0);
  t.ports.hold(east, 7, true);
  t.cycle(east, link_of_wavelet(Wavelet{7, false, 0}));
  t.cycle();
  EXPECT_EQ(t.in[static_cast<size_t>(east)], 0u);
  t.ports.hold(east, 7, false);
  t.cycle();
  EXPECT_EQ(t.in[static_cast<size_t>(east)], link_of_credit(7));
}

TEST(EdgePorts, BrokenCreditRulesAreProtocolErrors) {
  Ports t(GridShape{1, 1});
  EXPECT_THROW(t.cycle(0, link_of_credit(1)), ProtocolError);
  Ports u(GridShape{1, 1});
  u.ports.hold(0, 7, true);
  for (int k = 0; k < kLinkCredits; ++k) u.cycle(0, link_of_wavelet(Wavelet{7, false, 0}));
  EXPECT_THROW(u.cycle(0, link_of_wavelet(Wavelet{7, false, 0})), ProtocolError);
}

TEST(EdgePorts, ACommandIsSentWithAllCreditsAndBringsAllBack) {
  Ports t(GridShape{1, 1});
  const int west = t.ports.port(Side::West, 0);
  const std::vector<Wavelet> w = {{3, false, 1}, {3, true, 4}, {3, false, 2}};
  t.ports.send(west, w.data(), w.size());
  for (int k = 0; k < 5; ++k) t.cycle();
  EXPECT_EQ(t.ports.pending(west, 3), 2u);
  t.cycle(west, link_of_credit(3));
  t.cycle();
  EXPECT_EQ(t.ports.pending(west, 3), 1u);
  EXPECT_EQ(t.ports.credits(west, 3), 0);
  t.cycle(west, link_of_credit(3));
  t.cycle(west, link_of_credit(3));
  t.cycle();
  EXPECT_EQ(t.ports.pending(), 0u);
  // Received, it owes them all.
  t.cycle(west, link_of_wavelet(Wavelet{7, true, 4}));
  for (int k = 0; k < kLinkCredits; ++k) {
    t.cycle();
    EXPECT_EQ(t.in[static_cast<size_t>(west)], link_of_credit(7));
  }
  t.cycle();
  EXPECT_EQ(t.in[static_cast<size_t>(west)], 0u);
}

TEST(EdgePorts, TheLogHoldsBothDirections) {
  Ports t(GridShape{1, 1});
  t.ports.record(true);
  const Wavelet w{1, false, 2};
  t.ports.send(3, &w, 1);
  t.cycle(0, link_of_wavelet(Wavelet{4, true, 6}));
  ASSERT_EQ(t.ports.log().size(), 2u);
  EXPECT_EQ(t.ports.log()[0], (EdgeEvent{0, Side::North, 0, false, Wavelet{4, true, 6}}));
  EXPECT_EQ(t.ports.log()[1], (EdgeEvent{0, Side::West, 0, true, Wavelet{1, false, 2}}));
}

TEST(EdgePorts, PortsOutsideTheGridAreRefused) {
  EdgePorts ports(GridShape{2, 3});
  EXPECT_NO_THROW(ports.port(Side::North, 2));
  EXPECT_THROW(ports.port(Side::West, 2), BadInput);
  EXPECT_THROW(ports.port(Side::South, -1), BadInput);
}

}  // namespace
}  // namespace ow
