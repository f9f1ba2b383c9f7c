// SPDX-License-Identifier: Apache-2.0
#include "simulated_board.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "ow/base/error.h"
#include "parts.h"

namespace ow::cli {
namespace {

constexpr char kProgram[] = "ow-fpga-sim";

// The program, which ends with this object and with this process.
class Simulation {
 public:
  explicit Simulation(GridShape grid) {
    const std::string path = part_path(kProgram, "fpga-sim");
    const std::string shape = fmt::format("{}x{}", grid.rows, grid.cols);
    std::array<int, 2> ends;
    if (::pipe(ends.data()) != 0) fail();
    pid_ = ::fork();
    if (pid_ < 0) fail();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execl(path.c_str(), kProgram, "--grid", shape.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(ends[1]);
    char c = 0;
    while (::read(ends[0], &c, 1) == 1 && c != '\n') machine_ += c;
    ::close(ends[0]);
    if (c != '\n') throw DeviceFault(fmt::format("{}: it has not started", path));
  }
  ~Simulation() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // "uart:PATH:BAUD".
  const std::string& machine() const { return machine_; }

 private:
  [[noreturn]] static void fail() {
    throw InternalError(fmt::format("{}: {}", kProgram, std::strerror(errno)));
  }

  pid_t pid_ = -1;
  std::string machine_;
};

class SimulatedBoard : public uart::Wire {
 public:
  explicit SimulatedBoard(GridShape grid) : simulation_(grid) {
    const std::string& machine = simulation_.machine();
    const size_t first = machine.find(':'), last = machine.rfind(':');
    int baud = 0;
    std::from_chars(machine.data() + last + 1, machine.data() + machine.size(), baud);
    port_ = uart::open_serial(machine.substr(first + 1, last - first - 1), baud);
  }

  size_t write(const uint8_t* data, size_t count) override { return port_->write(data, count); }
  size_t read(uint8_t* data, size_t count, double seconds) override {
    return port_->read(data, count, seconds);
  }
  double now() override { return port_->now(); }
  double rate() const override { return port_->rate(); }
  double latency() const override { return port_->latency(); }
  std::string description() const override {
    return "a simulated board at 12.5 Mbaud";  // at its pins; the pseudo-terminal has no rate
  }

 private:
  Simulation simulation_;
  std::unique_ptr<uart::Wire> port_;
};

}  // namespace

std::unique_ptr<uart::Wire> start_simulated_board(GridShape grid) {
  if (grid != GridShape{1, 2} && grid != GridShape{2, 2}) {
    throw BadInput(
        fmt::format("grid {}x{}: the simulated board has 1x2 or 2x2 tiles", grid.rows, grid.cols));
  }
  return std::make_unique<SimulatedBoard>(grid);
}

}  // namespace ow::cli
