// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fake_device.h"
#include "messages.h"
#include "ow/base/error.h"
#include "ow/runtime/load_checks.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "ow/runtime/tile_config.h"

namespace ow {
namespace {

namespace reg = isa::reg;

uint32_t position(Port in, uint32_t out) {
  return isa::Position::InPort::put(in) | isa::Position::OutMask::put(out);
}
uint32_t route_from(Port in, uint32_t out) {
  return reg::Route::Enable::put(1) | reg::Route::Position::put(position(in, out));
}

bool mentions(const std::vector<std::string>& defects, const std::string& words) {
  for (const std::string& d : defects) {
    if (d.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(RouteSet, ARowBroadcastIsRightAndWrittenInFewPackets) {
  FakeDevice device(2, 4);
  ControlPlane control(device);
  RouteSet routes(device.shape());
  routes.set(Rect{0, 0, 2, 3}, 5, Route{Port::West, kOutE | kOutRamp});
  routes.set(Rect{0, 3, 2, 1}, 5, Route{Port::West, kOutRamp});
  EXPECT_TRUE(routes.check().empty());
  routes.apply(control);
  device.run(1000);
  EXPECT_EQ(device.packets(), 2u);
  EXPECT_EQ(device.tile(1, 2)[reg::Route::address(5)], route_from(Port::West, kOutE | kOutRamp));
  EXPECT_EQ(device.tile(1, 3)[reg::Route::address(5)], route_from(Port::West, kOutRamp));
}

TEST(RouteSet, LeavingTheGridNeedsAListener) {
  RouteSet routes(GridShape{1, 1});
  routes.set(0, 0, 2, Route{Port::Ramp, kOutE});
  EXPECT_TRUE(
      mentions(routes.check(), "tile (0, 0) sends east off the grid, where nothing listens"));
  routes.listen(Side::East, 0, 2);
  EXPECT_TRUE(routes.check().empty());
}

TEST(RouteSet, NeighboursMustAgree) {
  RouteSet routes(GridShape{1, 3});
  routes.set(0, 0, 2, Route{Port::Ramp, kOutE});
  EXPECT_TRUE(mentions(routes.check(), "to tile (0, 1), which has no route of it"));
  routes.set(0, 1, 2, Route{Port::East, kOutRamp});
  EXPECT_TRUE(mentions(routes.check(), "to tile (0, 1), which takes it from east"));
  EXPECT_TRUE(mentions(routes.check(), "but tile (0, 2) does not send it there"));
}

TEST(RouteSet, ACycleIsFoundOnce) {
  RouteSet routes(GridShape{2, 2});
  routes.set(0, 0, 1, Route{Port::South, kOutE});
  routes.set(0, 1, 1, Route{Port::West, kOutS});
  routes.set(1, 1, 1, Route{Port::North, kOutW});
  routes.set(1, 0, 1, Route{Port::East, kOutN});
  const auto defects = routes.check();
  ASSERT_EQ(defects.size(), 1u);
  EXPECT_TRUE(mentions(defects, "form a cycle"));
  FakeDevice device(2, 2);
  ControlPlane control(device);
  EXPECT_THROW(routes.apply(control), BadInput);
  EXPECT_NO_THROW(routes.apply(control, false));
}

TEST(RouteSet, ACycleIsNamedByItsColourAndTiles) {
  RouteSet routes(GridShape{2, 3});
  routes.set(0, 0, 7, Route{Port::Ramp, kOutE});
  routes.set(0, 1, 7, Switch{{Route{Port::West, kOutS}, Route{Port::East, kOutS}}});
  routes.set(1, 1, 7, Route{Port::North, kOutE | kOutRamp});
  routes.set(1, 2, 7, Switch{{Route{Port::West, kOutRamp}, Route{Port::West, kOutN}}});
  routes.set(0, 2, 7, Route{Port::South, kOutW});
  // Two switches make the cycle. It exists neither at the start nor in any single position of all
  // tiles.
  const auto defects = routes.check();
  ASSERT_EQ(defects.size(), 1u);
  EXPECT_EQ(defects[0],
            "colour 7: the routes form a cycle through tiles (0, 1), (1, 1), (1, 2), (0, 2)");
}

TEST(RouteSet, APositionWithAnotherInputDoesNotCloseACycle) {
  // West to south and south to west through one tile: what comes from the west never goes west.
  RouteSet routes(GridShape{2, 2});
  routes.set(0, 0, 7, Switch{{Route{Port::Ramp, kOutE}, Route{Port::East, kOutRamp}}});
  routes.set(0, 1, 7, Switch{{Route{Port::West, kOutS}, Route{Port::South, kOutW}}});
  routes.set(1, 1, 7, Switch{{Route{Port::North, kOutRamp}, Route{Port::Ramp, kOutN}}});
  EXPECT_TRUE(routes.check().empty());
}

TEST(RouteSet, EveryPositionIsChecked) {
  RouteSet routes(GridShape{1, 2});
  routes.set(0, 0, 3, Switch{{Route{Port::Ramp, kOutE}, Route{Port::Ramp, kOutN}}});
  routes.set(0, 1, 3, Switch{{Route{Port::West, kOutRamp}, Route{Port::West, kOutW | kOutRamp}}});
  const auto defects = routes.check();
  EXPECT_TRUE(mentions(
      defects, "tile (0, 0) sends north in position 1 off the grid, where nothing listens"));
  EXPECT_TRUE(mentions(defects, "tile (0, 1) sends it back west in position 1"));
  EXPECT_TRUE(mentions(defects, "tile (0, 1) sends west in position 1 to tile (0, 0)"));
}

TEST(RouteSet, SwitchesAreWrittenWithTheirCredits) {
  FakeDevice device(1, 3);
  ControlPlane control(device);
  RouteSet routes(device.shape());
  // Each tile sends its own to the west, then lets its neighbour pass.
  for (int c = 0; c < 2; ++c) {
    Switch s{{Route{Port::Ramp, kOutW}, Route{Port::East, kOutW}}};
    s.mode = PopMode::OnAdvance;
    routes.set(0, c, 4, s);
  }
  routes.set(0, 2, 4, Route{Port::Ramp, kOutW});
  routes.listen(Side::West, 0, 4);
  routes.apply(control);
  device.run(1000);
  const uint32_t own = route_from(Port::Ramp, kOutW) | reg::Route::SetCredits::put(1);
  const uint32_t obeys = own | reg::Route::Obey::put(1) | reg::Route::PopMode::put(2);
  const auto credits = [](uint32_t keep, uint32_t without) {
    return reg::Route::KeepCredits::put(keep) | reg::Route::WithoutCredits::put(without);
  };
  EXPECT_EQ(device.tile(0, 0)[reg::Route::address(4)], obeys | credits(2, 2));
  EXPECT_EQ(device.tile(0, 1)[reg::Route::address(4)], obeys | credits(10, 8));
  EXPECT_EQ(device.tile(0, 2)[reg::Route::address(4)], own | credits(0, 8));
  EXPECT_EQ(device.tile(0, 1)[reg::Switch::address(4)],
            reg::Switch::Last::put(1) | reg::Switch::Position1::put(position(Port::East, kOutW)));
}

TEST(RouteSet, BadArgumentsAreRefused) {
  RouteSet routes(GridShape{2, 2});
  EXPECT_THROW(routes.set(2, 0, 1, Route{Port::Ramp, kOutE}), BadInput);
  EXPECT_THROW(routes.set(0, 0, 24, Route{Port::Ramp, kOutE}), BadInput);
  EXPECT_THROW(routes.set(0, 0, 1, Route{Port::Ramp, 0}), BadInput);
  EXPECT_THROW(routes.set(0, 0, 1, Switch{}), BadInput);
  EXPECT_THROW(routes.set(0, 0, 1, Switch{{Route{Port::Ramp, kOutE}}, 1}), BadInput);
}

TEST(Queues, BindingsAreRegistersOfEveryTile) {
  FakeDevice device(2, 2);
  ControlPlane control(device);
  bind_inq(control, whole(device.shape()), 3, 17);
  bind_outq(control, Rect{1, 1, 1, 1}, 7, 2);
  device.run(100);
  EXPECT_EQ(device.tile(0, 1)[reg::Inq::address(3)],
            reg::Inq::Enable::put(1) | reg::Inq::Colour::put(17));
  EXPECT_EQ(device.tile(1, 1)[reg::Outq::address(7)],
            reg::Outq::Enable::put(1) | reg::Outq::Colour::put(2));
  EXPECT_THROW(bind_inq(control, whole(device.shape()), 8, 0), BadInput);
}

// Fails if a program with two input queues on one colour is started.
TEST(Queues, ASecondInputQueueForAColourIsRefusedByName) {
  FakeDevice device(2, 2);
  ControlPlane control(device);
  bind_inq(control, Rect{1, 0, 1, 2}, 3, 17);
  bind_inq(control, whole(device.shape()), 3, 17);  // the same again
  bind_inq(control, whole(device.shape()), 4, 16);
  try {
    bind_inq(control, whole(device.shape()), 5, 17);
    FAIL();
  } catch (const BadInput& e) {
    EXPECT_STREQ(e.what(),
                 "tile (0, 0): colour 17 for input queue 5, but queue 3 has it: a colour is served "
                 "by one (unbind_queues frees it)");
  }
  unbind_queues(control, whole(device.shape()));
  bind_inq(control, whole(device.shape()), 5, 17);
  device.run(100);
  EXPECT_EQ(device.tile(1, 1)[reg::Inq::address(5)],
            reg::Inq::Enable::put(1) | reg::Inq::Colour::put(17));
  EXPECT_EQ(device.tile(1, 1)[reg::Inq::address(3)], 0u);
}

TEST(Features, SwitchesAndFiltersThatAMachineLacksAreRefused) {
  const auto complaint = [](const Layout& layout, uint32_t features) {
    TileConfig tile;
    tile.features = features;
    return refusal_of([&] { check_features(layout.state(), tile); });
  };
  const uint32_t full = isa::kFull.features, mini = isa::kMini.features;
  Layout plain({1, 3});
  plain.chain("x", Side::East, true);
  EXPECT_EQ(complaint(plain, mini), "");
  Layout gathers({1, 3});
  gathers.gather("y", Side::East);
  EXPECT_EQ(complaint(gathers, full), "");
  EXPECT_EQ(complaint(gathers, mini),
            "layout: 'y' has 2 positions in tile (0, 1), the machine has 1");
  Layout filters({1, 2});
  const int colour = filters.colour("z");
  filters.filter(0, 1, {colour});
  EXPECT_EQ(complaint(filters, full), "");
  EXPECT_EQ(complaint(filters, mini), "layout: tile (0, 1) has 1 filters, the machine has 0");
}

}  // namespace
}  // namespace ow
