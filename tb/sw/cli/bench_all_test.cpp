// SPDX-License-Identifier: Apache-2.0
// `ow bench all` from outside, with targets of its own, reports made by hand and a document of its
// own: what one run writes, and what its exit status says.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "ow/base/file.h"
#include "ow/base/json.h"

namespace ow {
namespace {

std::string quoted(const std::string& path) { return "'" + path + "'"; }

// A bench of two rows of one report, and the row of the run itself in another bench, after a row
// that some other report has.
class BenchAll : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "ow_bench_all_" + std::to_string(getpid());
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ + "/reports");
    write_targets(1e6);
    write("misses.yaml", "{}\n");
    write(
        "sources.yaml",
        "X1: {file: one.json, value: cycles, command: measure one, inputs: [LICENSE],"
        " at_least: {n: 5}}\n"
        "X1.part: {file: one.json, value: share, command: measure one, inputs: [LICENSE],"
        " at_least: {n: 5}}\n"
        "X2: {file: two.json, value: tests, command: measure two, inputs: [LICENSE],"
        " at_least: {n: 5}}\n"
        "A8: {file: bench-all.json, value: seconds, command: build/ow bench all,"
        " inputs: [LICENSE], at_least: {percent_measured/one: 100, percent_measured/two: 100}}\n");
    write("results.md",
          "# Results\n\n<!-- ow bench one -->\n<!-- end of ow bench one -->\n\n"
          "<!-- ow bench two -->\n<!-- end of ow bench two -->\n");
    report("one.json", {{"cycles", 7}, {"share", 95}, {"n", 5}});
    report("two.json", {{"tests", 0}, {"n", 5}});
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string path(const std::string& name) const { return root_ + "/" + name; }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
  }
  void write_targets(double seconds) {
    write("targets.yaml",
          "one:\n"
          "  X1: {what: a, unit: cycles, better: lower, target: 10}\n"
          "  X1.part: {what: b, unit: '%', better: higher, target: 90}\n"
          "two:\n"
          "  A8: {what: all, unit: s, better: lower, target: " +
              std::to_string(seconds) +
              "}\n"
              "  X2: {what: c, unit: tests, better: equal, target: 0}\n");
  }
  // A report as a command would have left it: of the tree as it is, or of one with other contents.
  void report(const std::string& name, nlohmann::json contents, bool old = false) {
    contents["provenance"] = parse_json(
        output("cd " + quoted(OW_SOURCE_DIR) + " && scripts/provenance by-hand 1 LICENSE"),
        "scripts/provenance");
    std::string hash = contents["provenance"].at("inputs").get<std::string>();
    if (old) std::reverse(hash.begin(), hash.end());
    contents["provenance"]["inputs"] = hash;
    write("reports/" + name, contents.dump());
  }
  std::string output(const std::string& command) {
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    std::string text;
    std::array<char, 4096> buffer;
    size_t n;
    while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0)
      text.append(buffer.data(), n);
    const int status = pclose(pipe);
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return text;
  }
  // The exit status; what was printed goes to said_.
  int all(const std::string& options = "") {
    said_ = output(quoted(OW_PROGRAM) + " bench all --targets " + quoted(path("targets.yaml")) +
                   " --known-misses " + quoted(path("misses.yaml")) + " --report-sources " +
                   quoted(path("sources.yaml")) + " --reports " + quoted(path("reports")) +
                   " --document " + quoted(path("results.md")) + " --json " +
                   quoted(path("all.json")) + " " + options);
    return status_;
  }
  bool said(const std::string& words) const { return said_.find(words) != std::string::npos; }
  bool document_has(const std::string& words) const {
    return read_text(path("results.md")).find(words) != std::string::npos;
  }

  std::string root_;
  std::string said_;
  int status_ = -1;
};

// What the run took is judged when it is known: by the first run that there is.
TEST_F(BenchAll, OneRunWritesItsOwnFigureAndIsJudgedByIt) {
  EXPECT_EQ(all(), 0) << said_;
  EXPECT_TRUE(document_has("| X1 | a | <= 10 cycles | 7 cycles |")) << said_;
  EXPECT_TRUE(document_has("| X2 | c | = 0 tests | 0 tests |"));
  EXPECT_TRUE(document_has("| A8 | all | <= 1,000,000 s | "));
  EXPECT_FALSE(document_has("not measured"));
  const nlohmann::json result = read_json(path("all.json"));
  ASSERT_EQ(result.at("benches").size(), 2u);
  EXPECT_EQ(result["benches"][1].at("results").size(), 2u) << "the run's own row among them";
  EXPECT_TRUE(result["benches"][1].at("not_measured").empty());
  // The next one has figures of its own, not those of the run before it.
  const double first = read_json(path("reports/bench-all.json")).at("seconds").get<double>();
  EXPECT_EQ(all(), 0) << said_;
  EXPECT_NE(read_json(path("reports/bench-all.json")).at("seconds").get<double>(), first);
  write_targets(0);
  EXPECT_EQ(all(), 1) << "too slow";
  EXPECT_TRUE(document_has("| A8 | all | <= 0 s | **missed: "));
}

// The time of a run counts only if it measured what it is the time of.
TEST_F(BenchAll, ARunThatLeavesRowsOutHasNoFigure) {
  EXPECT_EQ(all("--skip one"), 1) << said_;
  EXPECT_TRUE(said("has no count 'percent_measured/one'")) << said_;
  EXPECT_EQ(all("--skip two"), 0) << "the run's own row is skipped with its bench\n" << said_;
  std::filesystem::remove(path("reports/one.json"));
  write("misses.yaml", "X1: {value: none, reason: elsewhere, date: 2026-01-31}\n");
  EXPECT_EQ(all(), 1) << said_;
  EXPECT_TRUE(said("'percent_measured/one' is 50")) << said_;
  write("misses.yaml",
        "X1: {value: none, reason: elsewhere, date: 2026-01-31}\n"
        "X1.part: {value: none, reason: elsewhere, date: 2026-01-31}\n");
  EXPECT_EQ(all(), 0) << "they may be without a figure\n" << said_;
}

TEST_F(BenchAll, ABrokenFigureAnOldReportAndAMissingRowEachMakeItFail) {
  const nlohmann::json good = {{"cycles", 7}, {"share", 95}, {"n", 5}};
  const auto with = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json contents = good;
    contents[key] = value;
    return contents;
  };
  const auto passes_again = [&] {
    report("one.json", good);
    EXPECT_EQ(all(), 0) << said_;
    EXPECT_TRUE(document_has("| X1 | a | <= 10 cycles | 7 cycles |"));
  };
  passes_again();

  report("one.json", with("cycles", 11));
  EXPECT_EQ(all(), 1) << "missed:\n" << said_;
  EXPECT_TRUE(document_has("| X1 | a | <= 10 cycles | **missed: 11 cycles** |"));
  report("one.json", with("cycles", "7"));
  EXPECT_EQ(all(), 1) << "no number:\n" << said_;
  EXPECT_TRUE(said("one.json: has no number 'cycles'")) << said_;
  report("one.json", with("n", 4));
  EXPECT_EQ(all(), 1) << "of too little:\n" << said_;
  EXPECT_TRUE(said("one.json: 'n' is 4, which is less than 5 and says nothing")) << said_;
  write("reports/one.json", good.dump());
  EXPECT_EQ(all(), 1) << "typed:\n" << said_;
  EXPECT_TRUE(said("one.json: does not say where it comes from")) << said_;

  report("one.json", good, true);
  EXPECT_EQ(all(), 1) << said_;
  EXPECT_TRUE(said("one.json: is of another tree")) << said_;
  EXPECT_TRUE(said("LICENSE has changed since")) << said_;

  std::filesystem::remove(path("reports/one.json"));
  EXPECT_EQ(all(), 1) << said_;
  EXPECT_TRUE(said("there is no report")) << said_;
  passes_again();
  const std::string targets = read_text(path("targets.yaml"));
  write("targets.yaml",
        targets + "  X3: {what: d, unit: bits, better: equal, target: 0}\n");  // of nobody
  EXPECT_EQ(all(), 1) << said_;
  EXPECT_TRUE(said("FAILED: nothing measured it")) << said_;
  EXPECT_TRUE(document_has("| X3 | d | = 0 bits | not measured |"));
  write("targets.yaml", targets);
  passes_again();

  write("results.md", "<!-- ow bench one -->\n<!-- end of ow bench one -->\n");
  EXPECT_EQ(all(), 2) << said_;
  EXPECT_EQ(said_.rfind("ow: bad input: the document has no table between", 0), 0u) << said_;
}

}  // namespace
}  // namespace ow
