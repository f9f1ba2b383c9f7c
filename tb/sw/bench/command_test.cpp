// SPDX-License-Identifier: Apache-2.0
// `ow bench` from outside: exit statuses, one-line errors, baselines, JSON and Markdown.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "ow/base/json.h"
#include "program.h"

namespace ow {
namespace {

TEST(BenchCommand, ComparesWithTargetsAndBaselines) {
  const std::string baselines = temporary("baselines.yaml"), json = temporary("tile.json");
  const std::string options =
      "bench tile --only tile.axpy_f32,dot_i8 --baselines " + baselines + " --json " + json;
  std::ofstream(baselines) << "tile: {\"dot i8 16384\": 10}\n";
  const Result r = run_ow(options);
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.output.find("SLOWER"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("WITHOUT a baseline"), std::string::npos) << r.output;
  // What a run took is a baseline that the next run keeps.
  EXPECT_EQ(run_ow(options + " --update-baselines").status, 0);
  EXPECT_EQ(run_ow(options).status, 0);
  const nlohmann::json result = read_json(json);
  EXPECT_EQ(result["results"].size(), 2u);
  EXPECT_EQ(result["results"][0]["name"], "tile.axpy_f32");
  EXPECT_EQ(result["timings"].size(), 2u);
  for (const std::string& name : {baselines, json}) std::remove(name.c_str());
}

TEST(BenchCommand, MarkdownIsTheTableOfTheResults) {
  const Result r = run_ow("bench code --markdown 2>/dev/null");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(r.output.rfind("| row | what | figure | target |\n", 0), 0u) << r.output;
  EXPECT_NE(r.output.find("\n| `code.train` | "), std::string::npos) << r.output;
}

// Of a few wavelets chance alone makes more of a difference than a target of many allows.
TEST(BenchCommand, AFewWaveletsCanMeetTheTargets) {
  const Result r = run_ow("bench link --only goodput_formula,goodput_1e-5 --millions 0.01");
  EXPECT_EQ(r.status, 0) << r.output;
}

TEST(BenchCommand, RefusesWhatItCannotMeasureInOneLine) {
  const std::string targets = temporary("targets.yaml");
  std::ofstream(targets) << "sim: {hang_report: {what: a}}\n";
  const std::pair<std::string, std::string> cases[] = {
      {"bench nothing", "bench nothing: must be all or one of "},
      {"bench all --only axpy_f16", "--only is for a single area"},
      {"bench tile --only axpy_f64", "--only axpy_f64: area tile has no such row"},
      {"bench sim --seed -1", "--seed: must be a whole number from 0 to"},
      {"bench link --millions 0", "--millions: must be a number from 0.01"},
      {"bench link --targets " OW_SOURCE_DIR, ": cannot be read: Is a directory"},
      {"bench sim --targets " + targets + " --json " + targets,
       "would replace a file that is read"},
      {"bench sim --targets " + targets, ":1: key 'sim.hang_report.unit' is missing"},
  };
  for (const auto& [arguments, text] : cases) {
    const Result r = run_ow(arguments);
    EXPECT_EQ(r.status, 2) << arguments << ":\n" << r.output;
    EXPECT_NE(r.output.find(text), std::string::npos) << arguments << ":\n" << r.output;
    EXPECT_EQ(r.output.rfind("ow: bad input: ", 0), 0u) << r.output;
  }
  std::remove(targets.c_str());
}

}  // namespace
}  // namespace ow
