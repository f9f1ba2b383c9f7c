// SPDX-License-Identifier: Apache-2.0
// The top of the ULX3S at its pins, at every clock of its board.yaml, without tiles: the PLL's
// clocks and their phase, the reset, the LEDs, FIRE1, and a session over the adapter's pins.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "openwafer/error.h"
#include "ow/base/rng.h"
#include "ow/uart/uart_device.h"
#include "ulx3s_board.h"
#include "ulx3s_clocks.h"

namespace ow::fpga {
namespace {

// A line of board.yaml; its clock also stands here with 3 Mbaud if it has another rate.
struct Clock {
  double mhz;
  unsigned divider, baud;
  std::unique_ptr<Ulx3sPins> (*make)();
};

void PrintTo(const Clock& clock, std::ostream* to) {
  *to << fmt::format("{:g} MHz, {} baud", clock.mhz, clock.baud);
}

template <class Top>
std::unique_ptr<Ulx3sPins> make() {
  return std::make_unique<VerilatedUlx3s<Top>>();
}

#define OW_CLOCK(mhz, divider, baud) {mhz, divider, baud, make<Vow_ulx3s_##divider##_##baud>},
const Clock kClocks[] = {OW_ULX3S_CLOCKS(OW_CLOCK)};
#undef OW_CLOCK

// LEDs of docs/fpga.md.
enum Led { kAlive, kSession, kFrames, kCrossings, kWorks, kFault, kLocked, kReset };
// Cycles of ow_fpga_reset, and some more for the registers before and after its counter.
constexpr uint64_t kResetCycles = 1 << 16, kResetSlack = 5;
constexpr unsigned kAliveHalf = 1 << 25;

class Ulx3s : public testing::TestWithParam<Clock> {
 protected:
  Ulx3s() : board_(std::make_unique<Ulx3sBoard>(GetParam().make(), GetParam().baud)) {}
  uint64_t period() const { return 40'000'000ull * GetParam().divider / 24; }
  bool up() {
    return board_->run_until([this] { return board_->led(kLocked); }, 100 * kMicrosecond) &&
           board_->run_until([this] { return !board_->led(kReset); },
                             (kResetCycles + 10) * period());
  }
  std::unique_ptr<Ulx3sBoard> board_;
};

TEST_P(Ulx3s, HasTwoClocksAQuarterOfAPeriodApart) {
  const Clock& clock = GetParam();
  // What the data sheet allows.
  EXPECT_GE(clock.mhz * clock.divider, 400);
  EXPECT_LE(clock.mhz * clock.divider, 800);
  ASSERT_TRUE(board_->run_until([this] { return board_->led(kLocked); }, 100 * kMicrosecond));
  board_->forget_times();
  board_->run(200 * kMicrosecond);
  const ClockTimes& t = board_->times();
  const double period = static_cast<double>(t.last - t.first) / static_cast<double>(t.periods);
  // board.yaml has six digits.
  EXPECT_NEAR(1e9 / period, clock.mhz, 5e-6 * clock.mhz);
  EXPECT_NEAR(static_cast<double>(t.periods), 200 * clock.mhz, 2);
  EXPECT_GE(t.lags + 1, t.periods);
  // A femtosecond for each edge that is rounded.
  EXPECT_NEAR(static_cast<double>(t.shortest), period, 2);
  EXPECT_NEAR(static_cast<double>(t.longest), period, 2);
  EXPECT_NEAR(static_cast<double>(t.least_lag), period / 4, 2);
  EXPECT_NEAR(static_cast<double>(t.most_lag), period / 4, 2);
}

TEST_P(Ulx3s, LeavesResetAfterThePllHasLocked) {
  // The clocks run before the PLL says so; the first edges bring the reset.
  ASSERT_TRUE(board_->run_until([this] { return board_->cycles() == 2; }, 10 * kMicrosecond));
  EXPECT_FALSE(board_->led(kLocked));
  uint64_t locked = 0;
  bool early = false;
  ASSERT_TRUE(board_->run_until(
      [&] {
        if (!board_->led(kLocked)) {
          early |= !board_->led(kReset);
        } else if (locked == 0) {
          locked = board_->cycles();
        }
        return locked != 0 && !board_->led(kReset);
      },
      100 * kMicrosecond + kResetCycles * period()));
  EXPECT_FALSE(early);
  EXPECT_GE(board_->cycles() - locked, kResetCycles);
  EXPECT_LE(board_->cycles() - locked, kResetCycles + kResetSlack);
  EXPECT_TRUE(board_->pins().wifi_gpio0);
}

TEST_P(Ulx3s, BlinksWithLed0) {
  ASSERT_TRUE(up());
  EXPECT_FALSE(board_->led(kAlive));
  for (const bool lit : {true, false, true}) {
    board_->pins().set_alive((lit ? kAliveHalf : 2 * kAliveHalf) - 20);
    board_->run(18 * period());
    EXPECT_NE(board_->led(kAlive), lit);
    board_->run(4 * period());
    EXPECT_EQ(board_->led(kAlive), lit);
  }
}

Side opposite(Side side) {
  if (side == Side::North) return Side::South;
  if (side == Side::South) return Side::North;
  return side == Side::East ? Side::West : Side::East;
}

// Wavelets that come out at the other end of their row or column; rows go through the crossings.
void pass_words(uart::UartDevice* device, size_t count, uint64_t seed) {
  using Place = std::pair<std::pair<Side, int>, int>;
  std::map<Place, std::vector<Wavelet>> expected, came;
  Rng rng(seed);
  for (size_t k = 0; k < count; ++k) {
    const auto side = static_cast<Side>(rng.below(4));
    const int index = static_cast<int>(rng.below(2));
    Wavelet w;
    w.colour = static_cast<uint8_t>(rng.below(4));
    w.data = static_cast<uint32_t>(rng.next());
    device->send(side, index, w);
    expected[{{opposite(side), index}, w.colour}].push_back(w);
  }
  size_t arrived = 0;
  const RunStatus status = device->run(10'000'000, [&] {
    for (const auto& [place, wavelets] : expected) {
      for (const Arrival& a :
           device->take_arrivals(place.first.first, place.first.second, place.second)) {
        came[place].push_back(a.wavelet);
        ++arrived;
      }
    }
    return arrived == count;
  });
  EXPECT_EQ(status, RunStatus::Done);
  EXPECT_TRUE(came == expected);
}

TEST_P(Ulx3s, CarriesASessionAndFire1EndsIt) {
  ASSERT_TRUE(up());
  Ulx3sBoard& board = *board_;
  for (const Led led : {kSession, kFrames, kFault}) EXPECT_FALSE(board.led(led)) << led;
  // A hundred times as long as the longest answer takes, so a silent board is noticed soon.
  uart::Session::Options options;
  options.silence = 0.1;
  uart::UartDevice device(std::move(board_), options);
  EXPECT_EQ(device.shape().rows, 2);
  EXPECT_EQ(device.shape().cols, 2);
  EXPECT_TRUE(board.led(kSession));
  for (int k = 0; k < 100 && !board.led(kCrossings); ++k) device.wait_cycles(1000);
  ASSERT_TRUE(board.led(kCrossings)) << "the crossings do not come up";
  pass_words(&device, 60, GetParam().divider);
  EXPECT_EQ(device.run(100'000), RunStatus::Quiet);
  EXPECT_TRUE(board.led(kFrames));
  EXPECT_FALSE(board.led(kWorks));
  EXPECT_FALSE(board.led(kFault));
  EXPECT_EQ(device.counts().wrong, 0u);
  EXPECT_EQ(device.counts().again, 0u);

  board.pins().fire1 = true;
  board.run(8 * period());
  EXPECT_TRUE(board.led(kReset));
  EXPECT_TRUE(board.led(kLocked));
  for (const Led led : {kSession, kFrames, kCrossings}) EXPECT_FALSE(board.led(led)) << led;
  board.pins().fire1 = false;
  board.run((kResetCycles - 10) * period());
  EXPECT_TRUE(board.led(kReset));
  board.run(20 * period());
  EXPECT_FALSE(board.led(kReset));
  // The board knows no session any more.
  EXPECT_THROW(pass_words(&device, 1, 1), DeviceFault);
}

INSTANTIATE_TEST_SUITE_P(Clocks, Ulx3s, testing::ValuesIn(kClocks), [](const auto& info) {
  return fmt::format("Divider{}Baud{}", info.param.divider, info.param.baud);
});

}  // namespace
}  // namespace ow::fpga
