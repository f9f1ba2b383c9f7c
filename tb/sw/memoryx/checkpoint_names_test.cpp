// SPDX-License-Identifier: Apache-2.0
// Which files of a directory are checkpoints, and which of them are removed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/memoryx/checkpoint.h"

namespace ow::memoryx {
namespace {

namespace fs = std::filesystem;

class CheckpointNames : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "ow_checkpoint_names_" + std::to_string(getpid());
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string made(const std::string& path) const {
    write_file(path, "contents");
    return path;
  }
  static std::string refusal(const std::function<void()>& work) {
    try {
      work();
    } catch (const BadInput& e) {
      return e.what();
    }
    return "nothing";
  }

  std::string directory_;
};

// A user may keep other files beside them, under names that look alike.
TEST_F(CheckpointNames, OtherFilesAreNeitherTakenNorRemoved) {
  const std::string first = made(checkpoint_path(directory_, 1));
  const std::string second = made(checkpoint_path(directory_, 123456789012));
  const std::string interrupted = made(checkpoint_path(directory_, 3) + ".tmp.12345");
  std::vector<std::string> others;
  for (const char* name :
       {"checkpoint-best.safetensors", "checkpoint-notes.txt", "checkpoint-00000000001.safetensors",
        "checkpoint-0000000000001.safetensors", "checkpoint-000000000001.safetensors.keep",
        "checkpoint-000000000001.safetensors.tmp.7.keep", "checkpoint-000000000001.tmp.7",
        "checkpoint-000000000001.safetensors.tmp.", "checkpoint-00000000000x.safetensors",
        "checkpoint-.safetensors", "checkpoint-"}) {
    others.push_back(made(directory_ + "/" + name));
  }
  EXPECT_EQ(checkpoints_in(directory_), (std::vector<std::string>{second, first}));
  remove_old_checkpoints(directory_, 1);
  EXPECT_EQ(checkpoints_in(directory_), std::vector<std::string>{second});
  for (const std::string& other : others) EXPECT_TRUE(fs::exists(other)) << other;
  EXPECT_FALSE(fs::exists(interrupted));
  EXPECT_TRUE(names_checkpoint("checkpoint-000000000002.safetensors"));
  EXPECT_FALSE(names_checkpoint("checkpoint-best.safetensors"));
}

// A directory that cannot be read is not one without checkpoints: a run would write over them.
TEST_F(CheckpointNames, ADirectoryThatCannotBeReadIsAnError) {
  EXPECT_TRUE(checkpoints_in(directory_ + "/none").empty());
  const std::string file = made(checkpoint_path(directory_, 1));
  EXPECT_EQ(refusal([&] { checkpoints_in(file); }), file + ": cannot be read: Not a directory");
  EXPECT_EQ(refusal([&] { checkpoints_in(file + "/x"); }),
            file + "/x: cannot be read: Not a directory");
  EXPECT_EQ(refusal([&] { remove_old_checkpoints(file, 1); }),
            file + ": cannot be read: Not a directory");
  fs::create_symlink("circle", directory_ + "/circle");
  EXPECT_EQ(refusal([&] { checkpoints_in(directory_ + "/circle"); }),
            directory_ + "/circle: cannot be read: Too many levels of symbolic links");
}

}  // namespace
}  // namespace ow::memoryx
