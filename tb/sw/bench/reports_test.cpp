// SPDX-License-Identifier: Apache-2.0
// configs/reports.yaml and configs/known-misses.yaml against the targets, and the inputs of reports
// against what their commands read.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "figures.h"
#include "ow/base/file.h"
#include "ow/bench/targets.h"

namespace ow::bench {
namespace {

const std::string kSource = OW_SOURCE_DIR "/";
const std::string kConfigs = kSource + "configs/";

using Sources = std::map<std::string, ReportSource>;

Sources sources() { return load_report_sources(kConfigs + "reports.yaml"); }

// Each entry of the other two files is of a row that there is.
TEST(Reports, AndKnownMissesAreOfRowsOfTheTargets) {
  std::set<std::string> rows;
  const std::string path = kConfigs + "targets.yaml";
  for (const std::string& bench : target_benches(path)) {
    for (const auto& [name, target] : load_targets(path, bench)) rows.insert(name);
  }
  for (const auto& [name, miss] : load_known_misses(kConfigs + "known-misses.yaml")) {
    EXPECT_EQ(rows.count(name), 1u) << name;
  }
  for (const auto& [name, s] : sources()) {
    EXPECT_EQ(rows.count(name), 1u) << name;
    for (const std::string& input : s.inputs) {
      const std::string file = input.substr(0, 2) == ":!" ? input.substr(2) : input;
      EXPECT_TRUE(std::filesystem::exists(kSource + file)) << name << ": " << input;
    }
  }
}

// A report is made once for all rows that share it.
TEST(Reports, OfOneFileHaveOneCommandAndTheSameInputs) {
  std::map<std::string, ReportSource> files;
  for (const auto& [name, s] : sources()) {
    const auto [at, first] = files.emplace(s.file, s);
    if (first) continue;
    EXPECT_EQ(at->second.command, s.command) << name;
    EXPECT_EQ(at->second.inputs, s.inputs) << name;
    EXPECT_EQ(at->second.alone, s.alone) << name;
  }
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    out.push_back(it->str(it->size() - 1));
  }
  return out;
}

bool covered(const ReportSource& s, const std::string& path) {
  return std::any_of(s.inputs.begin(), s.inputs.end(), [&](const std::string& input) {
    return path == input || path.rfind(input + "/", 0) == 0;
  });
}

// What a script does, without what it says of itself.
std::string code_of(const std::string& script) {
  const std::string text = read_text(kSource + script);
  return std::regex_replace(text, std::regex("\"\"\"[^]*?\"\"\"|#[^\n]*"), "");
}

// The scripts of a command and the scripts that these import, except the one that installs tools.
std::set<std::string> scripts_of(const ReportSource& s) {
  std::set<std::string> found;
  std::vector<std::string> pending = matches(s.command, "scripts/[a-z-]+");
  while (!pending.empty()) {
    const std::string script = pending.back();
    pending.pop_back();
    if (script == "scripts/bootstrap" || !found.insert(script).second) continue;
    for (const std::string& module : matches(code_of(script), "(?:^|\n)(?:import|from) (\\w+)")) {
      const std::string file = "scripts/" + module + ".py";
      if (std::filesystem::exists(kSource + file)) pending.push_back(file);
    }
  }
  return found;
}

// A command depends on the lists of sources (*.f) of its block.
TEST(Reports, DependOnTheirScriptsAndOnTheFilesThatTheseName) {
  const std::string path = "(?:rtl|sw|tb|fpga|cmake|data|configs|constraints)/[\\w./-]*\\w";
  int files = 0;
  for (const auto& [name, s] : sources()) {
    for (const std::string& script : scripts_of(s)) {
      EXPECT_TRUE(covered(s, script)) << name << ": " << script;
      for (const std::string& file : matches(code_of(script), path)) {
        if (!std::filesystem::is_regular_file(kSource + file)) continue;
        if (std::filesystem::path(file).extension() == ".f") continue;
        EXPECT_TRUE(covered(s, file)) << name << ": " << file << " (" << script << ")";
        ++files;
      }
    }
  }
  EXPECT_GT(files, 100) << "the pattern finds none any more";
}

// Whoever runs what was built depends on how that was built.
TEST(Reports, OfProgramsDependOnTheirBuild) {
  // These read texts, or give sources to Yosys.
  const std::set<std::string> no_programs = {"scripts/flows/formal/formal",
                                             "scripts/flows/timing/gates",
                                             "scripts/rtl-rules",
                                             "scripts/rtl-channels",
                                             "scripts/sizes",
                                             "scripts/flows/timing/timing"};
  int programs = 0;
  for (const auto& [name, s] : sources()) {
    const std::vector<std::string> scripts = matches(s.command, "scripts/(?!bootstrap)[a-z-]+");
    const bool texts = std::all_of(scripts.begin(), scripts.end(), [&](const std::string& script) {
      return no_programs.count(script) != 0 || (script == "scripts/flows/fpga/fpga" &&
                                                s.command.find("fpga check") == std::string::npos);
    });
    if (texts && s.command.find("build/") == std::string::npos) continue;
    for (const char* file : {"cmake", "CMakeLists.txt"}) {
      EXPECT_TRUE(covered(s, file)) << name << ": " << file;
    }
    ++programs;
  }
  EXPECT_GT(programs, 20);
}

// What the programs read, which no script names: a file of each kind.
TEST(Reports, DependOnWhatTheirProgramsRead) {
  const std::pair<const char*, const char*> files[] = {
      {"S8", "sw/cli/cmd_bench.cpp"},
      {"S11", "data/optdigits/digits.csv.gz"},
      {"S11", "fpga/CMakeLists.txt"},
      {"T15", "rtl/tile/files_datapath.f"},
      {"T15", "sw/golden/CMakeLists.txt"},
      {"T17", "configs/digits.yaml"},
      {"T17", "data/optdigits/digits.csv.gz"},
      {"T17", "fpga/CMakeLists.txt"},
      {"W6", "rtl/common/ow_onehot_pkg.sv"},
      {"W7", "sw/base/CMakeLists.txt"},
      {"W7", "sw/cli/cmd_faults.cpp"},
      {"W7", "sw/device/CMakeLists.txt"},
      {"W7", "sw/runtime/src/elf.cpp"},
      {"A3", "configs/digits.yaml"},
      {"A7", "configs/targets.yaml"},
      {"A7", "tb/sw/firmware/exports.c"},
      {"A8", "configs/defects-2x2.yaml"},
      {"A8", "configs/wafer-2x2.yaml"},
      {"A8", "Makefile"},
      {"A10", "docs/riscv.md"},
      {"H8", "data/optdigits/digits.csv.gz"},
      {"M7", "data/optdigits/digits.csv.gz"},
      {"M13", "configs/digits-train.yaml"},
      {"F4", "sw/golden/CMakeLists.txt"},
      {"F7", "configs/digits-mini-train.yaml"},
  };
  const Sources all = sources();
  for (const auto& [name, file] : files) {
    ASSERT_TRUE(std::filesystem::is_regular_file(kSource + file)) << file;
    EXPECT_TRUE(covered(all.at(name), file)) << name << ": " << file;
  }
}

// Tests of several processes have one file.
TEST(Figures, AreLinesOfTheFileThatTheEnvironmentNames) {
  const char* const name = "OW_FIGURES";
  const char* const before = std::getenv(name);
  const std::string was = before == nullptr ? "" : before;
  const std::string path = testing::TempDir() + "ow_figures_" + std::to_string(getpid());
  write_file(path, "other 1\n");
  ASSERT_EQ(setenv(name, path.c_str(), 1), 0);
  record_figure("share", 95.625);
  record_figure("lines", 32);
  ASSERT_EQ(unsetenv(name), 0);
  record_figure("nobody", 1);
  if (before != nullptr) setenv(name, was.c_str(), 1);
  EXPECT_EQ(read_text(path), "other 1\nshare 95.625\nlines 32\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ow::bench
