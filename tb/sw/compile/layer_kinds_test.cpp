// SPDX-License-Identifier: Apache-2.0
// A kind of layer is a folder: no other file knows it by its name.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/compile/lowering.h"
#include "ow/firmware/job.h"
#include "ow/runtime/elf.h"

namespace ow::jobs {
namespace {

namespace fs = std::filesystem;

// Files that may name kinds: what short descriptions stand for, and files in which the word has
// another meaning (a schedule has linear pieces).
bool may_name(const std::string& file, const std::string& word) {
  return file == "graph/include/ow/graph/chain.h" || file == "graph/src/family.cpp" ||
         (file == "compile/src/train_params.cpp" && word == "\"linear\"");
}

TEST(LayerKinds, AreNamedInTheirFoldersAlone) {
  const fs::path root = fs::path(OW_SOURCE_DIR) / "sw";
  std::string words;
  for (const std::string& name : kind_names()) words += (words.empty() ? "" : "|") + name;
  // As a text, and the functions of the tables; `add` and `linear` are words of other things, too.
  const std::regex named("\"(" + words + ")\"");
  const std::regex table("\\b(" + words + ")_(kinds|lowerings|layer_kinds)\\b");
  size_t files = 0;
  for (const char* part :
       {"tensor", "graph", "compile", "execute", "golden", "memoryx", "swarmx", "check", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / part)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".h") continue;
      ++files;
      const std::string file = fs::relative(entry.path(), root).string();
      const std::string text = read_text(entry.path().string());
      for (const std::regex& pattern : {named, table}) {
        const std::sregex_iterator end;
        for (std::sregex_iterator found(text.begin(), text.end(), pattern); found != end; ++found) {
          EXPECT_TRUE(may_name(file, found->str())) << file << " names " << found->str();
        }
      }
    }
  }
  EXPECT_GT(files, 100u);
}

// Whatever may run on tiles is described, and judged by golden.
TEST(LayerKinds, HaveAFolderWithTheFilesOfEachLibrary) {
  const fs::path root = fs::path(OW_SOURCE_DIR) / "sw/layers";
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(root)) {
    folders.push_back(entry.path().filename().string());
    for (const char* file : {"kind.cpp", "golden/golden.cpp"}) {
      EXPECT_TRUE(fs::is_regular_file(entry.path() / file)) << entry.path() << " " << file;
    }
    EXPECT_EQ(fs::is_regular_file(entry.path() / "lower.cpp"),
              find_lowering(folders.back()) != nullptr)
        << entry.path();
  }
  std::sort(folders.begin(), folders.end());
  EXPECT_EQ(folders, kind_names());
}

// The tiles' program has the kernels of all losses.
TEST(LayerKinds, AreThoseOfTheTilesPrograms) {
  const ElfImage program = read_elf(OW_FIRMWARE_DIR "/train_all.elf", 49152);
  for (const std::string& name : loss_names()) {
    EXPECT_TRUE(program.find(std::string("ow_phase_") + loss_part(name).kernel)) << name;
  }
  EXPECT_EQ(activation_names(), (std::vector<std::string>{"none", "relu"}));
  for (const Lowering* kind : lowerings()) {
    const int parts = (kind->streamed != nullptr ? 1 : 0) + (kind->finish != nullptr ? 1 : 0) +
                      (kind->loss != nullptr ? 1 : 0);
    EXPECT_LE(parts, 1) << kind->name;
    EXPECT_EQ(find_lowering(kind->name), kind) << "twice";
  }
  EXPECT_THROW(loss_part("relu"), InternalError);
  EXPECT_THROW(finish_part("linear"), InternalError);
  EXPECT_EQ(finish_part("none"), nullptr);
}

}  // namespace
}  // namespace ow::jobs
