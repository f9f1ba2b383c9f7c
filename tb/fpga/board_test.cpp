// SPDX-License-Identifier: Apache-2.0
// The FPGA's design at its pins: two clocks, a UART bit by bit, the host's own code on the other
// side.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "../harness/seed.h"
#include "board_job.h"
#include "openwafer/runtime.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "ow/device/control_plane.h"
#include "ow/device/tile_map.h"
#include "ow/fpga/sim_board.h"
#include "ow/open/board.h"

namespace ow::fpga {
namespace {

// Two tiles, and what a ULX3S holds.
constexpr GridShape kSmall{1, 2}, kFour{2, 2};

void expect_bring_up(GridShape grid) {
  auto pins = std::make_unique<SimBoard>(make_model(grid));
  SimBoard& sim = *pins;
  EXPECT_EQ(sim.leds() & 2, 0u);  // no session
  const auto device = uart::open_board(std::move(pins));
  EXPECT_EQ(device->shape(), grid);
  EXPECT_EQ(sim.leds() & 0x2E, 0xEu);  // a session, frames, the crossings; no broken rule
  ControlPlane control(*device);
  Rng rng(1);
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col) {
      std::vector<uint32_t> words(100);
      for (uint32_t& w : words) w = static_cast<uint32_t>(rng.next());
      control.write_tile(row, col, 0x400, words);
      EXPECT_EQ(control.read_tile(row, col, 0x400, words.size()), words);
    }
  }
  EXPECT_EQ(control.sram_bytes(grid.rows - 1, grid.cols - 1), isa::kMini.sram_bytes);
  EXPECT_EQ(device->run(100000), RunStatus::Quiet);
}

TEST(FpgaBoard, IsBroughtUpOverTheWire) { expect_bring_up(kFour); }
TEST(FpgaBoardOfTwo, IsBroughtUpOverTheWire) { expect_bring_up(kSmall); }

// A board that reports, when it goes, how many bytes its wire has spoilt.
class CountedBoard : public SimBoard {
 public:
  CountedBoard(GridShape grid, const SimBoardOptions& options, uint64_t* spoilt)
      : SimBoard(make_model(grid), options), spoilt_(*spoilt) {}
  ~CountedBoard() override { spoilt_ += faults(); }

 private:
  uint64_t& spoilt_;
};

jobs::RunReport digits(GridShape grid, const SimBoardOptions& options, size_t samples,
                       uint64_t* spoilt = nullptr) {
  uint64_t unused = 0;
  if (spoilt == nullptr) spoilt = &unused;
  return digits_on_board(grid, samples,
                         [&] { return std::make_unique<CountedBoard>(grid, options, spoilt); });
}

void expect_golden(const jobs::RunReport& report) {
  EXPECT_GT(report.compared(), 0u);
  EXPECT_EQ(report.mismatches(), 0u);
}

TEST(FpgaBoard, DigitsHaveTheBitsOfGolden) { expect_golden(digits(kFour, {}, 16)); }
TEST(FpgaBoardOfTwo, DigitsHaveTheBitsOfGolden) { expect_golden(digits(kSmall, {}, 16)); }

// The whole job: minutes.
void expect_all_digits(GridShape grid) {
  const jobs::RunReport report = digits(grid, {}, 0);
  EXPECT_EQ(report.samples, 449u);
  expect_golden(report);
  EXPECT_EQ(report.right_device, report.right_golden);
  EXPECT_GE(10 * report.right_device, 9 * report.samples);
  fmt::print("{} of {} right, {} cycles\n", report.right_device, report.samples, report.sim_cycles);
}

TEST(FpgaDigits, AllHaveTheBitsOfGoldenAndNineInTenAreRight) { expect_all_digits(kFour); }
TEST(FpgaDigitsOfTwo, AllHaveTheBitsOfGoldenAndNineInTenAreRight) { expect_all_digits(kSmall); }

// All of them; OW_SEED sets the wire's faults.
TEST(FpgaBoard, DigitsHaveTheBitsOfGoldenOverABadWire) {
  SimBoardOptions options;
  options.lost = options.doubled = options.changed = 1e-3 / 3;
  options.seed = test_seed(5);
  SCOPED_TRACE(fmt::format("OW_SEED={}", options.seed));
  uint64_t spoilt = 0;
  const jobs::RunReport report = digits(kFour, options, 0, &spoilt);
  expect_golden(report);
  EXPECT_EQ(report.samples, 449u);
  EXPECT_GT(spoilt, 100u);
  fmt::print("seed {}: {} bytes spoilt\n", options.seed, spoilt);
}

void expect_goes_on_after(GridShape grid, double seconds) {
  SimBoardOptions options;
  options.out_after = 6000;
  options.out_seconds = seconds;
  uint64_t spoilt = 0;
  const jobs::RunReport report = digits(grid, options, 16, &spoilt);
  expect_golden(report);
  EXPECT_GT(report.sim_cycles, static_cast<uint64_t>(seconds * kClockHz));
  EXPECT_GT(spoilt, 0u);
}

TEST(FpgaBoard, GoesOnWhenTheCableWasOut) {
  expect_goes_on_after(kFour, 0.02);  // many times a resend
}
// A hundred million cycles: on the smaller board, minutes.
TEST(FpgaBoardOfTwo, GoesOnWhenTheCableWasOutForTwoSeconds) { expect_goes_on_after(kSmall, 2); }

TEST(FpgaBoard, ACableThatStaysOutIsAnError) {
  SimBoardOptions options;
  options.out_after = 6000;
  options.out_seconds = 1e6;
  uart::Session::Options session;
  session.silence = 0.05;
  auto device = uart::open_board(std::make_unique<SimBoard>(make_model(kFour), options), session);
  ControlPlane control(*device);
  const std::vector<uint32_t> words(1500, 7);
  try {
    for (int k = 0; k < 4; ++k) {
      control.write_tile(k / 2, k % 2, 0, words);
      control.read_tile(k / 2, k % 2, 0, words.size());
    }
    FAIL() << "the wire was never out";
  } catch (const DeviceFault& e) {
    EXPECT_STREQ(e.what(), "a simulated board at 12.5 Mbaud: the board has been silent for 0.05 s");
  }
}

// A program that runs until it is told to end.
class Background {
 public:
  explicit Background(const char* program) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("a process cannot be made");
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::execl(program, program, "--grid", "2x2", nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    std::FILE* out = ::fdopen(ends[0], "r");
    char line[200] = "";
    EXPECT_NE(std::fgets(line, sizeof(line), out), nullptr);
    line_ = line;
    line_.erase(line_.find_last_not_of('\n') + 1);
    std::fclose(out);
  }
  ~Background() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  const std::string& line() const { return line_; }

 private:
  pid_t pid_ = 0;
  std::string line_;
};

// Two programs after each other at the same terminal: the second one resets the machine.
TEST(FpgaTerminal, IsASerialPortForTheLibrary) {
  const Background sim(OW_FPGA_SIM);
  for (uint32_t k = 0; k < 2; ++k) {
    const auto device = uart::open_board(sim.line());
    ControlPlane control(*device);
    const std::vector<uint32_t> words(20, 0xABCD0000 + k);
    control.write_tile(1, 1, 0x400, words);
    EXPECT_EQ(control.read_tile(1, 1, 0x400, words.size()), words);
  }
}

// A run of eight images by `ow`; what it says.
std::string run_command(const std::string& params, const std::string& device, int* status) {
  const std::string out = testing::TempDir() + std::to_string(::getpid()) + "_run.json";
  std::remove(out.c_str());
  const std::string command =
      fmt::format("'{}' run '{}/configs/{}' --limit 8 --device {} --json '{}' > '{}.log' 2>&1",
                  OW_OW, OW_SOURCE_DIR, params, device, out, out);
  const int ended = std::system(command.c_str());
  *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return *status == 0 ? read_text(out) : read_text(out + ".log");
}

// What docs/fpga.md tells a person to type, but for the port.
TEST(FpgaTerminal, ARunFromTheCommandLineHasTheBitsOfGolden) {
  const Background sim(OW_FPGA_SIM);
  int status = 0;
  const std::string told = run_command("digits-mini.yaml", sim.line(), &status);
  ASSERT_EQ(status, 0) << told;
  EXPECT_NE(told.find("\"different\": 0"), std::string::npos) << told;
}

TEST(FpgaCommand, HasASimulatedBoardOfItsOwn) {
  int status = 0;
  std::string told = run_command("digits-mini-1x2.yaml", "fpga-sim", &status);
  ASSERT_EQ(status, 0) << told;
  EXPECT_NE(told.find("\"different\": 0"), std::string::npos) << told;
  EXPECT_NE(told.find("a simulated board at 12.5 Mbaud"), std::string::npos) << told;
  told = run_command("digits-mini-1x2.yaml", "fpga-sim:2x2", &status);
  EXPECT_EQ(status, 2);
  EXPECT_NE(told.find("--device fpga-sim:2x2: "), std::string::npos) << told;
  EXPECT_NE(told.find("wants 1 x 2 tiles\n"), std::string::npos) << told;
  told = run_command("digits.yaml", "fpga-sim", &status);
  EXPECT_EQ(status, 2);
  EXPECT_NE(told.find("grid 4x4: the simulated board has 1x2 or 2x2 tiles"), std::string::npos)
      << told;
}

}  // namespace
}  // namespace ow::fpga
