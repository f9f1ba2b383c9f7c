// SPDX-License-Identifier: Apache-2.0
// The serial port at a pseudo-terminal, with a driver that takes another rate than it was asked
// for.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "ow/base/error.h"
#include "ow/open/board.h"
#include "ow/uart/wire.h"

namespace {
speed_t forced = B0;  // the rate that the driver has, or B0 for any
}

// Takes the place of the C library's in this program.
extern "C" int tcsetattr(int fd, int actions, const termios* settings) {
  using Call = int (*)(int, int, const termios*);
  static const auto kReal = reinterpret_cast<Call>(::dlsym(RTLD_NEXT, "tcsetattr"));
  termios taken = *settings;
  if (forced != B0) {
    ::cfsetispeed(&taken, forced);
    ::cfsetospeed(&taken, forced);
  }
  return kReal(fd, actions, &taken);
}

namespace ow::uart {
namespace {

class SerialTest : public testing::Test {
 protected:
  SerialTest() : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_GE(master_, 0);
    EXPECT_EQ(::grantpt(master_), 0);
    EXPECT_EQ(::unlockpt(master_), 0);
    path_ = ::ptsname(master_);
    hold_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY);
  }
  ~SerialTest() override {
    forced = B0;
    ::close(hold_);
    if (master_ >= 0) ::close(master_);
  }
  std::string refusal(int baud = 9600) const {
    try {
      open_serial(path_, baud);
    } catch (const BadInput& e) {
      return e.what();
    }
    return "none";
  }

  int master_;
  int hold_ = -1;  // keeps the terminal as it is while nobody else has it
  std::string path_;
};

TEST_F(SerialTest, RefusesARateThatTheDriverDoesNotTake) {
  forced = B9600;
  EXPECT_EQ(refusal(3000000), path_ + ": does not run at 3000000 baud");
  EXPECT_EQ(refusal(9600), "none");
}

// The adapter is unplugged.
TEST_F(SerialTest, SaysThatThePortIsGone) {
  const auto port = open_serial(path_, 9600);
  uint8_t byte = 1;
  ASSERT_EQ(port->write(&byte, 1), 1u);
  ASSERT_EQ(port->read(&byte, 1, 0), 0u);
  ::close(std::exchange(master_, -1));
  const auto fault = [&](const auto& use) -> std::string {
    try {
      use();
    } catch (const DeviceFault& e) {
      return e.what();
    }
    return "none";
  };
  const std::string gone = path_ + ": the port is gone: ";
  EXPECT_EQ(fault([&] { port->read(&byte, 1, 10); }).substr(0, gone.size()), gone);
  EXPECT_EQ(fault([&] { port->write(&byte, 1); }).substr(0, gone.size()), gone);
}

TEST_F(SerialTest, HasOneProgramAtATime) {
  {
    const auto port = open_serial(path_, 9600);
    EXPECT_EQ(refusal(), path_ + ": is in use by another program");
  }
  EXPECT_EQ(refusal(), "none");
}

TEST_F(SerialTest, IsFreeAgainWhenItsProgramIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto port = open_serial(path_, 9600);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(refusal(), path_ + ": is in use by another program");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(refusal(), "none");
  ::close(ready[0]);
  ::close(ready[1]);
}

// What a machine's name says about a port.
std::string words(const std::string& machine) {
  try {
    open_board(machine);
  } catch (const BadInput& e) {
    return e.what();
  }
  return "none";
}

TEST(SerialPort, IsRefusedWithWhatItMustBe) {
  const std::string form = ": must be uart:PATH or uart:PATH:BAUD";
  EXPECT_EQ(words("uart:"), "machine 'uart:'" + form);
  EXPECT_EQ(words("uart::9600"), "machine 'uart::9600'" + form);
  EXPECT_EQ(words("usb:/dev/null"), "machine 'usb:/dev/null'" + form);
  EXPECT_EQ(words("uart:/no/such/port"), "/no/such/port: No such file or directory");
  EXPECT_EQ(words("uart:/no/such/port:9600"), "/no/such/port: No such file or directory");
  EXPECT_EQ(words("uart:/dev/null"),
            "/dev/null: is not a serial port: Inappropriate ioctl for device");
}

TEST(SerialPort, IsRefusedWithTheRatesThatThereAre) {
  const std::string rates =
      ": must be one of 9600, 19200, 38400, 57600, 115200, 230400, 460800, 500000, 921600, "
      "1000000, 1500000, 2000000, 3000000";
  EXPECT_EQ(words("uart:/dev/null:1234"), "/dev/null: 1234 baud" + rates);
  EXPECT_EQ(words("uart:/dev/null:-9600"), "/dev/null: -9600 baud" + rates);
  for (const std::string wrong : {"abc", "99999999999", "", "9600.0", "3 M", "0x10", "9600,8n1"}) {
    EXPECT_EQ(words("uart:/dev/null:" + wrong), "/dev/null: rate '" + wrong + "'" + rates);
  }
  EXPECT_EQ(words("uart:/no/such/port:fast"), "/no/such/port: rate 'fast'" + rates);
}

// As the links in /dev/serial/by-path.
TEST_F(SerialTest, MayHaveColonsInItsPath) {
  const std::string away = testing::TempDir() + "usb-0:1:1.0-port0";
  EXPECT_EQ(words("uart:" + away), away + ": No such file or directory");
  const std::string link = testing::TempDir() + "serial:" + std::to_string(::getpid()) + "x";
  ASSERT_EQ(::symlink("/dev/null", link.c_str()), 0);
  EXPECT_EQ(words("uart:" + link), link + ": is not a serial port: Inappropriate ioctl for device");
  EXPECT_EQ(words("uart:" + link + ":9600"),
            link + ": is not a serial port: Inappropriate ioctl for device");
  ::unlink(link.c_str());
}

}  // namespace
}  // namespace ow::uart
