// SPDX-License-Identifier: Apache-2.0
// ow-fpga-sim: the simulated board at a pseudo-terminal. Programs talk to it as to a serial port.
// It prints the machine's name, as ow::open and `ow run --device` take it.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ow/base/error.h"
#include "ow/fpga/sim_board.h"

namespace ow::fpga {
namespace {

// The rate to name to the host: the rate that the simulation reaches, so the host waits long
// enough.
constexpr int kHostBaud = 9600;

volatile std::sig_atomic_t stopped = 0;

// The master's end of a new pseudo-terminal.
class Terminal {
 public:
  Terminal() : fd_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (fd_ < 0 || ::grantpt(fd_) != 0 || ::unlockpt(fd_) != 0) fail();
    const char* name = ::ptsname(fd_);
    if (name == nullptr) fail();
    path_ = name;
    // Held open, so it outlives each program that uses it. Set to raw before the first one.
    hold_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY);
    termios settings{};
    if (hold_ < 0 || ::tcgetattr(hold_, &settings) != 0) fail();
    ::cfmakeraw(&settings);
    if (::tcsetattr(hold_, TCSANOW, &settings) != 0) fail();
  }
  ~Terminal() {
    ::close(hold_);
    ::close(fd_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  const std::string& path() const { return path_; }

  bool wait(int milliseconds) const {
    pollfd waits{fd_, POLLIN, 0};
    return ::poll(&waits, 1, milliseconds) > 0;
  }
  size_t read(uint8_t* data, size_t count) const {
    const ssize_t n = ::read(fd_, data, count);
    return n > 0 ? static_cast<size_t>(n) : 0;
  }
  // A full terminal loses what it cannot take, as a wire does.
  void write(const uint8_t* data, size_t count) const {
    if (::write(fd_, data, count) < 0 && errno != EAGAIN && errno != EINTR) fail();
  }

 private:
  [[noreturn]] static void fail() {
    throw BadInput(fmt::format("pseudo-terminal: {}", std::strerror(errno)));
  }
  int fd_ = -1;
  int hold_ = -1;
  std::string path_;
};

void serve(SimBoard* board, const Terminal& terminal) {
  constexpr uint64_t kSlice = 500;       // cycles between two looks at the terminal
  constexpr uint64_t kRest = 2'000'000;  // cycles without a byte after which the board waits
  constexpr int kLook = 100;             // milliseconds
  uint64_t last = board->cycles();
  std::array<uint8_t, 256> bytes;
  size_t held = 0, at = 0;
  while (stopped == 0) {
    if (at == held) {
      at = 0;
      held = terminal.read(bytes.data(), bytes.size());
      if (held > 0) last = board->cycles();
    }
    at += board->write(bytes.data() + at, held - at);
    std::array<uint8_t, 256> out;
    const size_t n = board->read(out.data(), out.size(), kSlice / kClockHz);
    if (n > 0) {
      terminal.write(out.data(), n);
      last = board->cycles();
    }
    if (board->cycles() - last > kRest) terminal.wait(kLook);
  }
}

void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw BadInput(fmt::format("standard output: {}", std::strerror(errno)));
}

int run(int argc, char** argv) {
  CLI::App app("The FPGA's design, simulated at its pins, behind a pseudo-terminal");
  SimBoardOptions options;
  std::string grid = "2x2";
  app.add_option("--grid", grid, "Rows and columns of tiles: 1x2 or 2x2")
      ->type_name("RxC")
      ->check(CLI::IsMember({"1x2", "2x2"}))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the faults on the wire");
  const auto rate = [&app](const char* name, double* value, const char* what) {
    app.add_option(name, *value, what)->check(CLI::Range(0.0, 0.5))->type_name("P");
  };
  rate("--lost", &options.lost, "Probability that a byte is lost, each way");
  rate("--doubled", &options.doubled, "Probability that a byte comes twice");
  rate("--changed", &options.changed, "Probability that a byte has a wrong bit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      app.exit(e);
      flush_output();
      return 0;
    }
    throw BadInput(std::string(e.what()) + " (see ow-fpga-sim --help)");
  }
  std::signal(SIGINT, [](int) { stopped = 1; });
  std::signal(SIGTERM, [](int) { stopped = 1; });
  Terminal terminal;
  SimBoard board(make_model(grid == "2x2" ? GridShape{2, 2} : GridShape{1, 2}), options);
  fmt::print("uart:{}:{}\n", terminal.path(), kHostBaud);
  flush_output();
  serve(&board, terminal);
  return 0;
}

}  // namespace
}  // namespace ow::fpga

int main(int argc, char** argv) {
  try {
    return ow::fpga::run(argc, argv);
  } catch (const ow::Error& e) {
    fmt::print(stderr, "ow-fpga-sim: {}: {}\n", e.category(), e.what());
    return e.exit_status();
  } catch (const std::exception& e) {
    fmt::print(stderr, "ow-fpga-sim: internal error: {}\n", e.what());
    return 3;
  }
}
