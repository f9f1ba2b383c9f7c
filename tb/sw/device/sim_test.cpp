// SPDX-License-Identifier: Apache-2.0
// The simulated devices: control plane, data colours at the edges, idle skipping, and the agreement
// of the two implementations wavelet by wavelet and cycle by cycle.
#include "ow/sim/sim.h"
#include "ow/device/sim_control.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "edge_traffic.h"
#include "fake_device.h"
#include "messages.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "ow/device/control_plane.h"
#include "ow/device/tile_map.h"
#include "ow/diagnose/hang_report.h"
#include "ow/open/mini.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/routes.h"

namespace ow {
namespace {

TEST(Simulator, EveryTileAnswersOverTheControlPlane) {
  auto device = make_device(DeviceKind::Replicated, GridShape{3, 4}, checked());
  ControlPlane control(*device);
  set_identity(control, whole(device->shape()));
  const std::vector<uint32_t> words = noise(64, 1);
  control.write(Rect{1, 1, 2, 2}, 0x400, words);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 4; ++c) {
      EXPECT_EQ(control.read_tile(r, c, kRegRow), static_cast<uint32_t>(r));
      EXPECT_EQ(control.read_tile(r, c, kRegCol), static_cast<uint32_t>(c));
      EXPECT_EQ(control.read_tile(r, c, 0x400, 64) == words, r >= 1 && c >= 1 && c <= 2);
    }
  }
}

// Thousands of reads enter at all sides and see the writes before them.
TEST(Simulator, ThousandsOfReadsSeeAllEarlierWrites) {
  auto device = make_device(DeviceKind::Replicated, GridShape{3, 4}, checked());
  ControlPlane control(*device);
  constexpr size_t kWords = 400;
  std::vector<std::vector<uint32_t>> held;
  for (int tile = 0; tile < 12; ++tile) {
    held.push_back(noise(kWords, static_cast<uint64_t>(tile)));
    control.write_tile(tile / 4, tile % 4, 0x400, held.back());
  }
  std::vector<ControlPlane::ReadRequest> reads;
  std::vector<std::vector<uint32_t>> expected;
  for (size_t n = 0; n < 5000; ++n) {
    const size_t tile = n * 7 % 12, at = n * 31 % (kWords - 2), count = 1 + n % 2;
    reads.push_back({static_cast<int>(tile) / 4, static_cast<int>(tile) % 4,
                     static_cast<uint32_t>(0x400 + 4 * at), count});
    const auto first = held[tile].begin() + static_cast<std::ptrdiff_t>(at);
    expected.emplace_back(first, first + static_cast<std::ptrdiff_t>(count));
  }
  const uint64_t begin = device->cycle();
  EXPECT_EQ(control.read_many(reads), expected);
  // 4,800 words of writes, and some ten words of a port for each read, of fourteen ports.
  EXPECT_LT(device->cycle() - begin, 12'000u);
  reads[77].addr = isa::kFull.sram_bytes;
  EXPECT_THROW(control.read_many(reads), DeviceFault);
  EXPECT_EQ(control.read_tile(2, 3, 0x400, 2), std::vector<uint32_t>({held[11][0], held[11][1]}));
}

TEST(Simulator, TilesAreOfTheConfigurationThatIsDescribed) {
  const GridShape shape{2, 2};
  expect_configuration(make_device(DeviceKind::Replicated, shape, checked()).get(), isa::kFull);
  expect_configuration(make_mini_grid(shape).get(), isa::kMini);
}

TEST(Simulator, ReadsOutsideMemoryAreRefusedAndTheTileGoesOn) {
  auto device = make_device(DeviceKind::Replicated, GridShape{1, 2}, checked());
  ControlPlane control(*device);
  EXPECT_THROW(control.read_tile(0, 1, isa::kFull.sram_bytes), DeviceFault);
  control.write_tile(0, 1, 0, 5);
  EXPECT_EQ(control.read_tile(0, 1, 0), 5u);
}

// Tests of host code rely on the fake device, so its credits must be those of the machine.
// Fails if the fake device has other credits than the machine.
TEST(Simulator, TheFakeDeviceHasTheCreditsOfTheMachine) {
  const GridShape shape{1, 1};
  auto device = make_device(DeviceKind::Replicated, shape, checked());
  FakeDevice fake(1, 1);
  for (Side side : {Side::North, Side::East, Side::South, Side::West}) {
    for (int colour = 0; colour < kMaxColours; ++colour) {
      EXPECT_EQ(fake.send_credits(side, 0, colour), device->send_credits(side, 0, colour));
    }
  }
  ControlPlane machine(*device), host(fake);
  EXPECT_EQ(host.read_tile(0, 0, kRegRtCredits, isa::reg::RtCredits::kCount),
            machine.read_tile(0, 0, kRegRtCredits, isa::reg::RtCredits::kCount));
}

TEST(Simulator, RefusesLockstepWhichOnlyTheWideEngineHas) {
  SimOptions options;
  options.lockstep = true;
  EXPECT_EQ(refusal_of([&] {
              make_device(DeviceKind::Replicated, GridShape{1, 1}, options);
            }),
            "lockstep is only for engine=wide");
}

// What only a simulator can do is asked for (Device::sim), never cast for: a cast of what has just
// been released loses the device if it fails.
// Fails if a device is lost in a cast.
TEST(Simulator, NoSourceCastsForIt) {
  namespace fs = std::filesystem;
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(OW_SOURCE_DIR) / "sw")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".h") continue;
    ++files;
    const std::string text = read_text(entry.path().string());
    EXPECT_EQ(text.find("dynamic_cast"), std::string::npos) << entry.path();
  }
  EXPECT_GT(files, 300u);
  EXPECT_NE(make_device(DeviceKind::Replicated, GridShape{1, 1}, checked())->sim(), nullptr);
  EXPECT_EQ(FakeDevice(1, 1).sim(), nullptr);
}

TEST(Simulator, FiltersReadBackWhatWasWritten) {
  namespace reg = isa::reg;
  const auto filter = [](uint32_t f) {
    return reg::Filter::Colour::put(f) | reg::Filter::Kind::put(isa::FilterKind::Range) |
           reg::Filter::CountCtrl::put(1) | reg::Filter::FilterCtrl::put(1);
  };
  auto device = make_device(DeviceKind::Replicated, GridShape{1, 1}, checked());
  ControlPlane control(*device);
  for (uint32_t f = 0; f < kNumFilters; ++f) {
    control.write_tile(0, 0, reg::Filter::address(f), {filter(f), 0x12340005, 0x100 + f});
  }
  for (uint32_t f = 0; f < kNumFilters; ++f) {
    EXPECT_EQ(control.read_tile(0, 0, reg::Filter::address(f)), filter(f));
    EXPECT_EQ(control.read_tile(0, 0, reg::FilterCount::address(f)), 0x100 + f);
  }
}

TEST(Simulator, TheRandomGeneratorStartsFromItsSeed) {
  auto device = make_device(DeviceKind::Replicated, GridShape{1, 1}, checked());
  ControlPlane control(*device);
  EXPECT_EQ(control.read_tile(0, 0, isa::reg::Prng::address(0), 4),
            (std::vector<uint32_t>{0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A}));
}

// A teardown by a command wavelet activates task 29; by the host's own write of SWITCH it does not.
TEST(Simulator, ATeardownActivatesItsTask) {
  auto device = make_device(DeviceKind::Replicated, GridShape{1, 2}, checked());
  ControlPlane control(*device);
  constexpr int kColour = 5;
  constexpr uint32_t kActivate = kRegTaskActivate;
  RouteSet routes(device->shape());
  routes.set(0, 0, kColour, Route{Port::West, kOutE});
  routes.set(0, 1, kColour, Switch{{Route{Port::West, kOutRamp}}});
  routes.apply(control);
  control.fence(whole(device->shape()));
  EXPECT_EQ(control.read_tile(0, 1, kActivate), 0u);
  device->send(Side::West, 0, Wavelet{kColour, true, switch_command(0, Command::Teardown, true)});
  EXPECT_EQ(device->run(1000), RunStatus::Quiet);
  EXPECT_EQ(control.read_tile(0, 1, kActivate), 1u << 29);
  EXPECT_EQ(control.read_tile(0, 0, kActivate), 0u);
  EXPECT_EQ(control.read_tile(0, 1, kRegRtTorn), 1u << kColour);

  const uint32_t other = isa::reg::Switch::address(kColour + 1);
  control.write_tile(0, 0, other, isa::reg::Switch::Torn::put(1));
  control.fence(whole(device->shape()));
  EXPECT_EQ(control.read_tile(0, 0, kRegRtTorn), 2u << kColour);
  EXPECT_EQ(control.read_tile(0, 0, kActivate), 0u);
}

// A tile sends requests of one word to others by stores to REQUEST. The stores wait while there is
// no room; here data use the link in every cycle. Each request activates its task if it says so, as
// requests of the host do. A write of REQUEST over the control plane does nothing.
TEST(Simulator, RequestsOfACoreActivateTasksOfOtherTiles) {
  using Brief = isa::PacketBrief;
  constexpr uint32_t kRequests = 20;
  auto device = make_device(DeviceKind::Replicated, GridShape{2, 3}, checked());
  ControlPlane control(*device);
  RouteSet routes(device->shape());
  routes.set(Rect{0, 0, 1, 3}, 4, Route{Port::West, kOutE});
  routes.listen(Side::East, 0, 4);
  routes.apply(control);
  // lui x1, 0xf0000; lw x2, 0x400 + 4i(x0); sw x2, 0x7a0(x1) for each request; j .
  std::vector<uint32_t> program = {0xF00000B7}, requests;
  for (uint32_t i = 0; i < kRequests; ++i) {
    const bool activates = i % 3 != 2;
    requests.push_back(Brief::HopsX::put(2) | Brief::HopsY::put(i % 2) | Brief::Task::put(i) |
                       Brief::Activate::put(activates));
    program.push_back((0x400 + 4 * i) << 20 | 0x00002103);
    program.push_back(0x7A20A023);
  }
  program.push_back(0x0000006F);
  control.write_tile(0, 0, 0x100, program);
  control.write_tile(0, 0, 0x400, requests);
  control.write_tile(0, 0, isa::reg::Request::kAddress, requests[0]);
  control.write_tile(0, 0, kRegCorePc, 0x100);
  control.fence(whole(device->shape()));
  EXPECT_EQ(control.read_tile(0, 2, kRegTaskActivate), 0u);
  device->send(Side::West, 0, std::vector<Wavelet>(600, Wavelet{4, false, 0}));
  control.write_tile(0, 0, kRegCoreCtrl, kCoreReset | kCoreRun);
  for (int k = 0; k < 2000; ++k) device->sim()->step();
  uint32_t even = 0, odd = 0;
  for (uint32_t i = 0; i < kRequests; ++i) {
    if (i % 3 != 2) (i % 2 == 0 ? even : odd) |= 1u << i;
  }
  const auto activated = [&](int r, int c) { return control.read_tile(r, c, kRegTaskActivate); };
  EXPECT_EQ(activated(0, 2), even);
  EXPECT_EQ(activated(1, 2), odd);
  for (int c = 0; c < 2; ++c) EXPECT_EQ(activated(0, c) | activated(1, c), 0u) << c;
  const auto ask = [&](uint32_t task, bool activates) {
    const uint32_t word =
        Brief::HopsX::put(1) | Brief::Task::put(task) | Brief::Activate::put(activates);
    device->send(Side::West, 1, Wavelet{isa::kColourReq, true, word});
  };
  ask(25, true);
  ask(26, false);
  for (int k = 0; k < 50; ++k) device->sim()->step();
  EXPECT_EQ(activated(1, 1), 1u << 25);
}

// Halted, stepped an instruction at a time, started again: the host watches pc and memory.
TEST(Simulator, TheHostStepsACore) {
  auto device = make_device(DeviceKind::Replicated, GridShape{2, 2}, checked());
  ControlPlane control(*device);
  // addi x5, x0, 5; addi x5, x5, 7; sw x5, 0x200(x0); divu x6, x5, x5; j .
  control.write_tile(1, 0, 0x100, {0x00500293, 0x00728293, 0x20502023, 0x0252D333, 0x0000006F});
  control.write_tile(1, 0, 0x200, 0);
  control.write_tile(1, 0, kRegCorePc, 0x100);
  control.write_tile(1, 0, kRegCoreCtrl, kCoreReset);  // out of reset, at that pc
  const auto step = [&] {
    control.write_tile(1, 0, kRegCoreCtrl, kCoreStep);
    for (int k = 0; k < 100; ++k) device->sim()->step();
    EXPECT_EQ(control.read_tile(1, 0, kRegCoreCtrl), 0u);
    EXPECT_FALSE(isa::reg::CoreStatus::Running::get(control.read_tile(1, 0, kRegCoreStatus)));
    return control.read_tile(1, 0, kRegCorePc);
  };
  EXPECT_EQ(step(), 0x104u);
  EXPECT_EQ(step(), 0x108u);
  EXPECT_EQ(control.read_tile(1, 0, 0x200), 0u);
  EXPECT_EQ(step(), 0x10Cu);
  EXPECT_EQ(control.read_tile(1, 0, 0x200), 12u);
  EXPECT_EQ(step(), 0x110u);
  EXPECT_EQ(step(), 0x110u);
  control.write_tile(1, 0, kRegCoreCtrl, kCoreRun);
  for (int k = 0; k < 20; ++k) device->sim()->step();
  EXPECT_EQ(control.read_tile(1, 0, kRegCoreCtrl), kCoreRun);
  EXPECT_TRUE(isa::reg::CoreStatus::Running::get(control.read_tile(1, 0, kRegCoreStatus)));
}

// A 16 kB program: at most 1.25 cycles a word, into one tile and into all.
TEST(Simulator, LoadingTakesAboutACycleAWordIntoOneTileAndIntoAll) {
  for (const Rect& rect : {Rect{3, 3, 1, 1}, Rect{0, 0, 4, 4}}) {
    auto device = make_device(DeviceKind::Replicated, GridShape{4, 4});
    ControlPlane control(*device);
    const std::vector<uint32_t> words = noise(4096, 2);
    control.write(rect, 0, words);
    control.fence(rect);
    const double per_word = static_cast<double>(device->cycle()) / 4096;
    RecordProperty("cycles", static_cast<int>(device->cycle()));
    EXPECT_LE(per_word, 1.25);
    EXPECT_EQ(control.read_tile(3, 3, 0, 4096), words);
  }
}

TEST(Simulator, AColourCrossesTheGridAtOneHopACycleAndOneWaveletACycle) {
  auto device = make_device(DeviceKind::Replicated, GridShape{1, 8}, checked());
  ControlPlane control(*device);
  RouteSet routes(device->shape());
  routes.set(whole(device->shape()), 4, Route{Port::West, kOutE});
  routes.listen(Side::East, 0, 4);
  routes.apply(control);
  control.fence(whole(device->shape()));
  std::vector<Wavelet> stream;
  for (uint32_t k = 0; k < 200; ++k)
    stream.push_back(Wavelet{4, k % 7 == 0, k % 7 == 0 ? 1 : k * 3});
  const uint64_t start = device->cycle();
  device->send(Side::West, 0, stream);
  EXPECT_EQ(device->run(1000), RunStatus::Quiet);
  const std::vector<Arrival> arrivals = device->take_arrivals(Side::East, 0, 4);
  ASSERT_EQ(arrivals.size(), stream.size());
  for (size_t k = 0; k < stream.size(); ++k) {
    EXPECT_EQ(arrivals[k].wavelet, stream[k]);
    EXPECT_EQ(arrivals[k].cycle, start + 8 + k);
  }
}

TEST(Simulator, AQuietGridEvaluatesNothing) {
  auto device = make_device(DeviceKind::Replicated, GridShape{4, 4});
  ControlPlane control(*device);
  control.fence(whole(device->shape()));
  EXPECT_EQ(device->run(100), RunStatus::Quiet);
  const uint64_t before = device->sim()->evaluations();
  for (int k = 0; k < 50; ++k) device->sim()->step();
  EXPECT_EQ(device->sim()->evaluations(), before);
}

TEST(Simulator, SkippingIdleTilesChangesNothing) {
  SimOptions every;
  every.skip_idle = false;
  auto a = make_device(DeviceKind::Replicated, GridShape{3, 3}, every);
  auto b = make_device(DeviceKind::Replicated, GridShape{3, 3}, checked());
  auto c = make_device(DeviceKind::Replicated, GridShape{3, 3});
  SimOptions edges;
  edges.toggle_clock = true;
  auto d = make_device(DeviceKind::Replicated, GridShape{3, 3}, edges);
  const auto log = traffic(a.get());
  EXPECT_GT(log.size(), 500u);
  EXPECT_TRUE(log == traffic(b.get()));
  EXPECT_TRUE(log == traffic(c.get()));
  EXPECT_TRUE(log == traffic(d.get()));
  EXPECT_LT(c->sim()->evaluations(), a->sim()->evaluations());
}

TEST(Simulator, ATileThatOnlyRoutesClocksItsRouterAlone) {
  constexpr int kTiles = 3;
  constexpr size_t kWavelets = 100;
  auto device = make_device(DeviceKind::Replicated, GridShape{1, kTiles}, checked());
  ControlPlane control(*device);
  RouteSet routes(device->shape());
  routes.set(whole(device->shape()), 4, Route{Port::West, kOutE});
  routes.listen(Side::East, 0, 4);
  routes.apply(control);
  control.fence(whole(device->shape()));
  ASSERT_EQ(device->run(1000), RunStatus::Quiet);

  const uint64_t evaluations = device->sim()->evaluations();
  const std::vector<UnitClock> before = device->sim()->unit_clocks();
  device->send(Side::West, 0, std::vector<Wavelet>(kWavelets, Wavelet{4, false, 0}));
  ASSERT_EQ(device->run(1000), RunStatus::Quiet);
  EXPECT_EQ(device->available(Side::East, 0, 4), kWavelets);
  EXPECT_GE(device->sim()->evaluations() - evaluations, kTiles * kWavelets);
  const std::vector<UnitClock> after = device->sim()->unit_clocks();
  ASSERT_EQ(after.size(), 10u);
  for (size_t k = 0; k < after.size(); ++k) {
    const std::string& unit = after[k].unit;
    const uint64_t edges = after[k].edges - before[k].edges;
    if (unit == "router" || unit == "links") {
      EXPECT_GE(edges, kTiles * kWavelets) << unit;
    } else {
      EXPECT_EQ(edges, 0u) << unit;
    }
    if (unit == "host") {
      EXPECT_GT(before[k].edges, 0u) << "routes were written";
    }
  }
}

TEST(Simulator, ALostCreditIsLost) {
  SimOptions o;
  o.drop_credit = CreditFault{0, 1, Side::West, 4, 2};
  auto device = make_device(DeviceKind::Replicated, GridShape{1, 2}, o);
  ControlPlane control(*device);
  RouteSet routes(device->shape());
  routes.set(whole(device->shape()), 4, Route{Port::West, kOutE});
  routes.listen(Side::East, 0, 4);
  routes.apply(control);
  control.fence(whole(device->shape()));
  device->send(Side::West, 0, std::vector<Wavelet>(20, Wavelet{4, false, 0}));
  device->run(1000);
  const HangReport report = make_hang_report(control);
  const Diagnosis* d = report.find(HangCause::LostCredit, 0, 0, 4);
  ASSERT_NE(d, nullptr) << report.text();
  EXPECT_TRUE(d->root);
}

TEST(Simulator, WrongShapesAndDevicesAreRefused) {
  EXPECT_THROW(make_device(DeviceKind::Replicated, GridShape{0, 4}), BadInput);
  EXPECT_THROW(make_device(DeviceKind::Monolithic, GridShape{3, 3}), BadInput);
  EXPECT_THROW(parse_device_kind("fpga"), BadInput);
}

}  // namespace
}  // namespace ow
