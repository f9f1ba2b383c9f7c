// SPDX-License-Identifier: Apache-2.0
// A kind of layer is a folder and a line of a table: no other file knows it by its name.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "layers/layer_kind.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/firmware/train.h"

namespace ow::jobs {
namespace {

namespace fs = std::filesystem;

// Files that may name kinds: the tables, the readers of short descriptions, and files in which the
// word has another meaning (a schedule has linear pieces).
bool may_name(const std::string& file, const std::string& word) {
  return file.find("/src/layers/") != std::string::npos ||
         file == "tensor/include/ow/tensor/graph.h" ||
         (file == "compile/src/train_params.cpp" && word == "\"linear\"");
}

TEST(LayerKinds, AreNamedInTheirFoldersAlone) {
  const fs::path root = fs::path(OW_SOURCE_DIR) / "sw";
  std::string words;
  for (const std::string& name : layer_kind_names()) words += (words.empty() ? "" : "|") + name;
  // As a text, and the functions of the tables; `add` and `linear` are words of other things, too.
  const std::regex named("\"(" + words + ")\"");
  const std::regex table("\\b(" + words + ")_kind\\b");
  size_t files = 0;
  for (const char* part : {"tensor", "compile", "golden", "memoryx", "swarmx", "cli"}) {
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

TEST(LayerKinds, HaveAFolderForEachSideThatKnowsThem) {
  const fs::path root = fs::path(OW_SOURCE_DIR) / "sw";
  for (const std::string& name : layer_kind_names()) {
    for (const char* part : {"compile", "golden"}) {
      EXPECT_TRUE(fs::is_directory(root / part / "src/layers" / name)) << part << " " << name;
    }
    EXPECT_EQ(fs::is_directory(root / "firmware/src/layers" / name),
              find_layer_kind(name)->loss != nullptr)
        << name;
  }
  for (const char* part : {"compile", "golden"}) {
    for (const auto& entry : fs::directory_iterator(root / part / "src/layers")) {
      if (!entry.is_directory()) continue;
      EXPECT_NE(find_layer_kind(entry.path().filename().string()), nullptr) << entry.path();
    }
  }
}

// What the tiles' programs have numbers for is in the table, each once.
TEST(LayerKinds, AreThoseOfTheTilesPrograms) {
  std::vector<uint32_t> programs;
  for (const std::string& name : loss_names()) programs.push_back(loss_part(name).program);
  std::sort(programs.begin(), programs.end());
  std::vector<uint32_t> wanted;
  for (uint32_t n = 0; n < OW_TR_LOSSES; ++n) wanted.push_back(n);
  EXPECT_EQ(programs, wanted);
  EXPECT_EQ(activation_names(), (std::vector<std::string>{"none", "relu"}));
  for (const LayerKind* kind : layer_kinds()) {
    const int parts = (kind->streamed != nullptr ? 1 : 0) + (kind->finish != nullptr ? 1 : 0) +
                      (kind->loss != nullptr ? 1 : 0);
    EXPECT_LE(parts, 1) << kind->name;
    EXPECT_EQ(find_layer_kind(kind->name), kind) << "twice";
  }
  EXPECT_THROW(loss_part("relu"), InternalError);
  EXPECT_THROW(finish_part("linear"), InternalError);
  EXPECT_EQ(finish_part("none"), nullptr);
  EXPECT_EQ(pass_flags({3, 4, "relu", true}), uint32_t{OW_SL_RELU | OW_SL_BIAS});
  EXPECT_EQ(pass_flags({3, 4, "none", false}), 0u);
}

}  // namespace
}  // namespace ow::jobs
