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

#include "ow/base/error.h"
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
    ::close(master_);
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

}  // namespace
}  // namespace ow::uart
