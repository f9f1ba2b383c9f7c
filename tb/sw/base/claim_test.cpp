// SPDX-License-Identifier: Apache-2.0
// One program at a time writes a file or a directory.
#include "ow/base/claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <string>

#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow {
namespace {

namespace fs = std::filesystem;

class Claims : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "ow_claims_" + std::to_string(getpid());
    fs::create_directories(directory_ + "/model");
  }
  void TearDown() override { fs::remove_all(directory_); }

  // A process that holds the claim until it is killed.
  static pid_t holder_of(const std::string& path) {
    std::array<int, 2> ready{};
    if (pipe(ready.data()) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
      const Claim claim(path);
      if (write(ready[1], "x", 1) != 1) _exit(1);
      pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
  }

  static void end(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  // What a second claim is told; "" if it is taken.
  static std::string refusal(const std::string& path) {
    try {
      const Claim claim(path);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  }

  std::string directory_;
};

TEST_F(Claims, AreRefusedWhileAnotherProcessHoldsThem) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  for (const std::string& path : {directory_ + "/model", directory_ + "/metrics.jsonl"}) {
    const pid_t child = holder_of(path);
    const std::string text = refusal(path);
    EXPECT_EQ(text.find(fmt::format("{}: process {} on {} ", path, child, host.data())), 0u)
        << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    end(child);
    EXPECT_EQ(refusal(path), "") << "its holder is dead";
  }
}

TEST_F(Claims, AreOfTheFileAndNotOfItsName) {
  fs::create_directory_symlink("model", directory_ + "/link");
  write_file(directory_ + "/a", "a\n");
  fs::create_symlink("a", directory_ + "/b");
  const Claim model(directory_ + "/model/"), a(directory_ + "/a");
  for (const char* name : {"/link", "/model", "/model/../link", "/b", "/model/../a"}) {
    EXPECT_NE(refusal(directory_ + name), "") << name;
  }
  EXPECT_EQ(refusal(directory_ + "/other"), "");
  EXPECT_EQ(refusal(directory_ + "/model/a"), "") << "a directory's claim is not of its files";
}

TEST_F(Claims, LeaveNothingBehind) {
  const auto files = [&] {
    return std::distance(fs::recursive_directory_iterator(directory_),
                         fs::recursive_directory_iterator());
  };
  const auto before = files();
  {
    const Claim model(directory_ + "/model"), file(directory_ + "/model/predictions");
    EXPECT_EQ(files(), before + 2);
    EXPECT_NE(refusal(directory_ + "/model"), "");
  }
  EXPECT_EQ(files(), before);
}

TEST_F(Claims, AreNotNeededWhereNothingIsKept) {
  for (const std::string& path :
       {std::string(), std::string("/dev/null"), std::string("/dev/stdout"),
        std::string("/proc/none"), directory_ + "/none/file"}) {
    const Claim first(path);
    EXPECT_EQ(refusal(path), "") << path;
  }
}

}  // namespace
}  // namespace ow
