// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "ow/base/error.h"
#include "ow/uart/wire.h"

namespace ow::uart {
namespace {

constexpr std::array<std::pair<int, speed_t>, 13> kRates = {{{9600, B9600},
                                                             {19200, B19200},
                                                             {38400, B38400},
                                                             {57600, B57600},
                                                             {115200, B115200},
                                                             {230400, B230400},
                                                             {460800, B460800},
                                                             {500000, B500000},
                                                             {921600, B921600},
                                                             {1000000, B1000000},
                                                             {1500000, B1500000},
                                                             {2000000, B2000000},
                                                             {3000000, B3000000}}};

class SerialPort : public Wire {
 public:
  SerialPort(const std::string& path, int baud) : path_(path), baud_(baud) {
    const auto rate = std::find_if(kRates.begin(), kRates.end(),
                                   [baud](const auto& r) { return r.first == baud; });
    if (rate == kRates.end()) {
      throw BadInput(fmt::format("{}: {} baud: must be one of {}", path, baud, serial_rates()));
    }
    fd_ = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd_ < 0) throw BadInput(fmt::format("{}: {}", path, std::strerror(errno)));
    try {
      configure(rate->second);
    } catch (...) {
      ::close(fd_);
      throw;
    }
  }
  ~SerialPort() override { ::close(fd_); }
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;

  size_t write(const uint8_t* data, size_t count) override {
    const ssize_t n = ::write(fd_, data, count);
    if (n >= 0) return static_cast<size_t>(n);
    if (errno == EAGAIN || errno == EINTR) return 0;
    gone(std::strerror(errno));
  }

  size_t read(uint8_t* data, size_t count, double seconds) override {
    pollfd waits{fd_, POLLIN, 0};
    const int ready = ::poll(&waits, 1, static_cast<int>(std::ceil(std::max(seconds, 0.0) * 1e3)));
    if (ready < 0 && errno != EINTR) gone(std::strerror(errno));
    if (ready <= 0) return 0;
    const ssize_t n = ::read(fd_, data, count);
    if (n > 0) return static_cast<size_t>(n);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    gone(n == 0 ? "hung up" : std::strerror(errno));
  }

  double now() override {
    const std::chrono::duration<double> t = std::chrono::steady_clock::now().time_since_epoch();
    return t.count();
  }
  double rate() const override { return baud_ / 10.0; }
  // A USB adapter collects bytes for up to 16 ms, and the system schedules as it likes.
  double latency() const override { return 0.04; }
  std::string description() const override { return fmt::format("{} at {} baud", path_, baud_); }

 private:
  [[noreturn]] void gone(const std::string& why) const {
    throw DeviceFault(fmt::format("{}: the port is gone: {}", path_, why));
  }

  void configure(speed_t rate) const {
    termios settings{};
    if (::tcgetattr(fd_, &settings) != 0) {
      throw BadInput(fmt::format("{}: is not a serial port: {}", path_, std::strerror(errno)));
    }
    // Bytes from another program would only cost resends, but its reads would take ours. A lock
    // keeps out programs that ask for one, as this one does. It ends with its holder, however that
    // ends.
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      throw BadInput(fmt::format("{}: is in use by another program", path_));
    }
    ::cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= static_cast<tcflag_t>(~(CSTOPB | CRTSCTS));
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 0;
    if (::cfsetispeed(&settings, rate) != 0 || ::cfsetospeed(&settings, rate) != 0 ||
        ::tcsetattr(fd_, TCSANOW, &settings) != 0) {
      throw BadInput(
          fmt::format("{}: does not run at {} baud: {}", path_, baud_, std::strerror(errno)));
    }
    // A driver takes the nearest rate that it has, and reports this only when asked.
    termios taken{};
    if (::tcgetattr(fd_, &taken) != 0 || ::cfgetispeed(&taken) != rate ||
        ::cfgetospeed(&taken) != rate) {
      throw BadInput(fmt::format("{}: does not run at {} baud", path_, baud_));
    }
    ::tcflush(fd_, TCIOFLUSH);
  }

  std::string path_;
  int baud_;
  int fd_ = -1;
};

}  // namespace

std::unique_ptr<Wire> open_serial(const std::string& path, int baud) {
  return std::make_unique<SerialPort>(path, baud);
}

std::string serial_rates() {
  std::string all;
  for (const auto& [rate, code] : kRates) all += fmt::format("{}{}", all.empty() ? "" : ", ", rate);
  return all;
}

}  // namespace ow::uart
