// SPDX-License-Identifier: Apache-2.0
// Rules for credits, for routes that are written again, for filters after a reset, and for queues
// that are bound anew.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "openwafer/error.h"
#include "ow/measure/fabric/node_grid.h"

namespace ow::fabric {
namespace {

size_t seen_of(const Edge& e, int colour) {
  size_t n = 0;
  for (const Seen& s : e.seen) n += s.w.colour == colour;
  return n;
}

// A packet of one word per cycle frees a slot in each cycle, so a credit of the control plane is
// due in each cycle. Credits of data colours must not wait for the end of the packet.
// Fails if a long packet of the control plane holds back the credits of data for its whole length.
TEST(Credits, OfDataComeBackWhileALongPacketPasses) {
  Grid g(1, 1);
  for (int c = 0; c < 8; ++c) g.route(0, 0, c, kW, 1 << kS);
  g.settle();
  // The router is full of data from the west, which the south does not take yet.
  bool open = false;
  g.edge(kS, 0).accepts = [&](int) { return open; };
  for (int c = 0; c < 8; ++c) {
    for (int i = 0; i < 4; ++i) g.edge(kW, 0).to_send.push_back({c, false, 0});
  }
  g.run(60);
  for (int c = 0; c < 8; ++c) ASSERT_EQ(g.edge(kW, 0).credits(c), 0);
  // Then comes a packet; once it runs, the south takes everything.
  g.write(0, 0, 0, 0, 0, std::vector<uint32_t>(4000, 1));
  g.run(50);
  open = true;
  g.run(20 + 4 * 2 * 8 * 2);
  ASSERT_FALSE(g.edge(kW, 0).to_send.empty()) << "the packet has ended";
  for (int c = 0; c < 8; ++c) EXPECT_EQ(g.edge(kW, 0).credits(c), 2) << "colour " << c;
  EXPECT_EQ(seen_of(g.edge(kS, 0), 0), 4u);
  g.settle();
  EXPECT_EQ(g.check_quiet(), "");
}

// The packet makes progress even if data want every credit slot.
TEST(Credits, OfAPacketComeBackBesideDataAtFullRate) {
  Grid g(1, 2);
  for (int c = 0; c < 2; ++c) g.route(0, c, 3, kW, 1 << kE);
  g.settle();
  for (int i = 0; i < 9000; ++i) g.edge(kW, 0).to_send_by_colour[3].push_back({3, false, 0});
  g.run(20);  // until the data come out
  g.write(0, 0, 1, 1, 0, std::vector<uint32_t>(500, 1));
  auto packet = g.edge(kW, 0).to_send;
  g.edge(kW, 0).to_send.clear();
  for (const Wavelet& w : packet) g.edge(kW, 0).to_send_by_colour[kReq].push_back(w);
  const size_t before = seen_of(g.edge(kE, 0), 3);
  uint64_t start = g.cycle();
  while (g.at(0, 1).memory(499) != 1) {
    g.step();
    ASSERT_LT(g.cycle() - start, 4 * 520u);
  }
  EXPECT_GE(seen_of(g.edge(kE, 0), 3) - before, (g.cycle() - start) / 3);
}

// A route is written again without enabling it, or taken away. The router still knows at which port
// the waiting wavelets came in. A route from that port sends them on, and each credit goes back to
// its port. A route from another port stops the colour and returns nothing.
struct Waiting {
  Grid g{1, 1};
  explicit Waiting(bool routed) {
    if (routed) {
      g.route(0, 0, 4, kW, 1 << kS);
      g.settle();
      for (int i = 0; i < 2; ++i) g.edge(kW, 0).to_send_by_colour[4].push_back({4, false, 0});
      g.edge(kS, 0).accepts = [](int colour) { return colour != 4; };
      g.run(20);
    }
    for (int i = 0; i < 2; ++i) g.edge(kW, 0).to_send_by_colour[4].push_back({4, false, 0});
    g.run(20);
    g.write_reg(0, 0, isa::reg::Route::address(4), 0);
    g.settle();
    g.edge(kS, 0).accepts = [](int) { return true; };
    g.run(20);
    before = seen_of(g.edge(kS, 0), 4);
  }
  size_t before = 0;
};

// Fails if a second ROUTE := 0 forgets where waiting wavelets came from and sends their credits
// elsewhere.
TEST(Routes, ThatAreWrittenOffKeepWhereTheirWaveletsCameFrom) {
  for (bool routed : {false, true}) {
    Waiting w(routed);
    EXPECT_EQ(w.g.edge(kW, 0).credits(4), 0);
    w.g.route(0, 0, 4, kW, 1 << kS);
    w.g.settle();
    EXPECT_EQ(seen_of(w.g.edge(kS, 0), 4), w.before + 2);
    EXPECT_EQ(w.g.edge(kW, 0).credits(4), 2);
    EXPECT_EQ(w.g.check_quiet(), "");
  }
}

// Fails if credits of waiting wavelets go to the new input of a route.
TEST(Routes, FromElsewhereThanTheWaveletsThatWaitStopTheColour) {
  for (bool routed : {false, true}) {
    Waiting w(routed);
    w.g.route(0, 0, 4, kN, 1 << kS);
    w.g.settle();
    EXPECT_EQ(w.g.read(0, 0, isa::reg::RtMisroute::kAddress, 1)[0], 1u << 4);
    EXPECT_EQ(seen_of(w.g.edge(kS, 0), 4), w.before);
    EXPECT_EQ(w.g.edge(kW, 0).credits(4), 0);
    EXPECT_EQ(w.g.edge(kN, 0).credits(4), 2);
  }
}

// A stopped colour whose buffer is full drops wavelets that its input still had credits for. It
// keeps these credits until a route is written that selects that port without stopping.
TEST(Routes, AStoppedColourIsNotOverrun) {
  for (bool routed : {false, true}) {
    Waiting w(routed);
    for (uint32_t i = 0; i < 3; ++i) {
      w.g.edge(kN, 0).to_send_by_colour[4].push_back({4, false, i});
    }
    w.g.route(0, 0, 4, kN, 1 << kS);
    w.g.settle();
    EXPECT_EQ(w.g.read(0, 0, isa::reg::RtMisroute::kAddress, 1)[0], 1u << 4);
    EXPECT_EQ(seen_of(w.g.edge(kS, 0), 4), w.before) << "nothing goes on";
    EXPECT_EQ(w.g.edge(kN, 0).credits(4), 0) << "two were dropped, and the third waits";
  }
}

// A tile that is reset forgets what it holds of a colour and its neighbour's credits for it; the
// neighbour sends again when a write of its route has set them anew.
// Fails if the reset of one tile loses its neighbours' credits for ever.
TEST(Reset, OfATileInTheMiddleOfDataIsMendedByTheRouteOfItsNeighbour) {
  Grid g(1, 2);
  g.route(0, 0, 3, kW, 1 << kE);
  for (int i = 0; i < 6; ++i) g.edge(kW, 0).to_send_by_colour[3].push_back({3, false, 0});
  g.settle();  // two wait in the tile that is reset, which has no route, two in the other one
  g.at(0, 1).m().rst_i = 1;
  g.run(3);
  g.at(0, 1).m().rst_i = 0;
  g.route(0, 1, 3, kW, 1 << kS);
  g.settle();
  EXPECT_EQ(seen_of(g.edge(kS, 1), 3), 0u) << "without credits";
  g.write_reg(0, 0, isa::reg::Route::address(3),
              isa::reg::Route::Enable::put(1) | isa::reg::Route::SetCredits::put(1) |
                  isa::reg::Route::Position::put(way(kW, 1 << kE)));
  g.settle();
  EXPECT_EQ(seen_of(g.edge(kS, 1), 3), 4u);
  EXPECT_EQ(g.check_quiet(), "");
}

// After a reset a filter's limits and count are 0, whatever they were.
// Fails if limits and counts of filters have no reset.
TEST(Filters, AreZeroAfterReset) {
  Grid g(1, 1);
  g.write_reg(0, 0, isa::reg::FilterLimits::kAddress,
              isa::reg::FilterLimits::High::put(6) | isa::reg::FilterLimits::Low::put(4));
  g.write_reg(0, 0, isa::reg::FilterCount::kAddress, 7);
  g.settle();
  ASSERT_EQ(g.read(0, 0, isa::reg::FilterCount::kAddress, 1)[0], 7u);
  g.at(0, 0).m().rst_i = 1;
  g.run(2);
  g.at(0, 0).m().rst_i = 0;
  EXPECT_EQ(g.read(0, 0, isa::reg::FilterCount::kAddress, 1)[0], 0u);
  g.route(0, 0, 2, kW, 1 << kRamp);
  g.bind_in(0, 0, 1, 2);
  // A range from 0 to 0.
  g.write_reg(0, 0, isa::reg::Filter::kAddress,
              isa::reg::Filter::Kind::put(isa::FilterKind::Range) |
                  isa::reg::Filter::Enable::put(1) | isa::reg::Filter::Colour::put(2));
  g.settle();
  for (uint32_t index : {5u, 0u, 4u}) g.edge(kW, 0).to_send.push_back({2, false, index << 16});
  g.run(20);
  ASSERT_TRUE(g.at(0, 0).in_valid(1));
  EXPECT_EQ(g.at(0, 0).in_head(1), 0u);
}

// The queue that was bound last serves a colour. Its wavelets go on meanwhile, and words in the old
// queue stay there.
// Fails if a colour cannot move to another input queue without stopping the tile.
TEST(Ramp, AColourMovesToTheQueueThatWasBoundLast) {
  for (bool unbind : {false, true}) {
    Grid g(1, 1);
    g.route(0, 0, 9, kW, 1 << kRamp);
    g.bind_in(0, 0, 0, 9);
    g.settle();
    std::vector<uint64_t> got;
    int errors = 0;
    bool from1 = false;
    g.drive_node = [&](int, int, Node& n) {
      errors += n.m().err_valid_o;
      n.m().inq_pop_i = 0;
      for (int q = 0; q < 2; ++q) {
        if (!n.in_valid(q) || n.m().inq_pop_i != 0) continue;
        got.push_back(n.in_head(q));
        n.m().inq_pop_i = 1 << q;
        from1 = from1 || q == 1;
      }
    };
    auto& w = g.edge(kW, 0);
    for (uint32_t i = 0; i < 200; ++i) w.to_send_by_colour[9].push_back({9, false, i});
    g.bind_in(0, 0, 1, 9);
    if (unbind) g.write_reg(0, 0, isa::reg::Inq::kAddress, 0);
    for (const Wavelet& x : w.to_send) w.to_send_by_colour[kReq].push_back(x);
    w.to_send.clear();
    g.run(600);
    EXPECT_TRUE(from1);
    EXPECT_EQ(errors, 0);
    ASSERT_EQ(got.size(), 200u);
    for (uint32_t i = 0; i < 200; ++i) ASSERT_EQ(got[i], i);
    EXPECT_EQ(g.read(0, 0, isa::reg::Inq::kAddress, 2),
              (std::vector<uint32_t>{unbind ? 0u : 9u, 0x29u}));
    g.drive_node = nullptr;
    EXPECT_EQ(g.check_quiet(), "");
  }
}

// Taking a colour away from a queue that an instruction reads is an error, shown for one cycle, and
// changes nothing. The queue itself may be bound again, and another colour to another queue.
// Fails if a second input queue takes a colour away from a queue that is read.
TEST(Ramp, AColourIsNotTakenFromAQueueThatIsRead) {
  Grid g(1, 1);
  g.route(0, 0, 9, kW, 1 << kRamp);
  g.bind_in(0, 0, 0, 9);
  g.settle();
  Node& n = g.at(0, 0);
  int errors = 0;
  g.drive_node = [&](int, int, Node& node) {
    if (!node.m().err_valid_o) return;
    ++errors;
    EXPECT_EQ(node.m().err_cause_o, static_cast<int>(isa::RampCause::TwoQueues));
    EXPECT_EQ(node.m().err_unit_o, 9);
  };
  const auto bindings = [&] { return g.read(0, 0, isa::reg::Inq::kAddress, 3); };
  n.m().inq_owned_i = 1 << 0;
  g.bind_in(0, 0, 1, 9);
  g.settle();
  EXPECT_EQ(errors, 1);
  g.bind_in(0, 0, 0, 9);
  g.bind_in(0, 0, 2, 8);
  g.settle();
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(bindings(), (std::vector<uint32_t>{0x29, 0, 0x28}));
  for (uint32_t i = 0; i < 5; ++i) g.edge(kW, 0).to_send.push_back({9, false, i});
  g.run(20);
  EXPECT_TRUE(n.in_valid(0));
  EXPECT_FALSE(n.in_valid(1));
  n.m().inq_owned_i = 1 << 1;  // the reader of the new queue is no reason
  g.bind_in(0, 0, 1, 9);
  g.settle();
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(bindings(), (std::vector<uint32_t>{9, 0x29, 0x28}));
}

// Fails if credits too many are absorbed, and the assertion for them cannot fail.
TEST(Credits, OneTooManyIsReported) {
  Grid g(1, 1);
  Node& n = g.at(0, 0);
  n.m().link_e_i = link_of_credit(3);
  std::string said;
  try {
    n.clock(false);
    n.m().link_e_i = 0;
    n.clock(false);
  } catch (const DeviceFault& e) {
    said = e.what();
  }
  EXPECT_NE(said.find("internal assertion ow_fabric_node.u_router."), std::string::npos) << said;
  EXPECT_NE(said.find("came back that was not spent (rtl/"), std::string::npos) << said;
}

}  // namespace
}  // namespace ow::fabric
