// SPDX-License-Identifier: Apache-2.0
// How a bench judges: targets, known misses, baselines, and files that other commands leave.
#include "ow/bench/rows.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/bench/benches.h"

namespace ow::bench {
namespace {

class RowsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "ow_rows_" + std::to_string(getpid());
    std::filesystem::create_directories(root_);
    write("targets.yaml",
          "x:\n"
          "  one: {what: first, unit: cycles, better: lower, target: 10}\n"
          "  two: {what: second, unit: '%', better: higher, target: 90}\n"
          "  three: {what: third, unit: bits, better: equal, target: 0}\n");
    write("misses.yaml", "{}\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(root_ + "/" + name) << text;
  }
  Options options() const {
    Options o;
    o.build = root_;
    o.targets = root_ + "/targets.yaml";
    o.misses = root_ + "/misses.yaml";
    return o;
  }
  // The exit status of a bench with these values.
  int status(double one, double two, double three) {
    Rows rows("x", options());
    rows.add("x.one", one, {{"n", 1}});
    rows.add("x.two", two, {{"n", 1}});
    rows.add("x.three", three, {{"n", 1}});
    return rows.finish();
  }

  std::string root_;
};

TEST_F(RowsTest, AMissedRowFails) {
  EXPECT_EQ(status(10, 90, 0), 0);
  EXPECT_EQ(status(11, 90, 0), 1);
  EXPECT_EQ(status(10, 89.9, 0), 1);
  EXPECT_EQ(status(10, 90, 1), 1);
}

TEST_F(RowsTest, ARowThatNothingMeasuresFails) {
  Rows rows("x", options());
  rows.add("x.one", 1, {});
  rows.add("x.two", 99, {});
  EXPECT_EQ(rows.finish(), 1);
  EXPECT_EQ(rows.result()["not_measured"].size(), 1u);
}

TEST_F(RowsTest, ARowOfAnotherCommandMayBeWithoutAValueUnlessItWasNamed) {
  const auto run = [](const Options& o, bool others) {
    Rows rows("x", o);
    if (others) rows.add("x.one", 1, {});
    rows.not_measured("x.two", "make two");
    rows.not_measured("x.three", "make three");
    if (!others) rows.not_measured("x.one", "make one");
    const int status = rows.finish();
    EXPECT_EQ(rows.result()["not_measured"][0]["why"],
              others ? "make two measures it" : "make one measures it");
    return status;
  };
  EXPECT_EQ(run(options(), true), 0);
  EXPECT_EQ(run(options(), false), 1) << "nothing was measured";
  Options named = options();
  named.only = {"x.one", "two"};
  EXPECT_EQ(run(named, true), 1) << "two was asked for";
}

TEST_F(RowsTest, AKnownMissPassesUntilItGetsWorseOrIsMet) {
  write("misses.yaml", "x.one: {value: 12, reason: known}\n");
  EXPECT_EQ(status(12, 90, 0), 0);
  EXPECT_EQ(status(11, 90, 0), 0) << "better, and still missed";
  EXPECT_EQ(status(12.1, 90, 0), 1) << "worse";
  EXPECT_EQ(status(10, 90, 0), 1) << "met: the entry is stale";
}

TEST_F(RowsTest, AFaultFailsAndNamesTheRow) {
  Rows rows("x", options());
  rows.add("x.one", 1, {});
  rows.add("x.two", 99, {});
  rows.add("x.three", 0, {});
  rows.fault("x.two", "bits differ");
  EXPECT_EQ(rows.finish(), 1);
  EXPECT_EQ(rows.result()["faults"][0]["name"], "x.two");
}

TEST_F(RowsTest, ResultsHaveTheKeysOfTheContract) {
  Rows rows("x", options());
  rows.add("x.one", 11, {{"n", 1}});
  const nlohmann::json& row = rows.result()["results"][0];
  for (const char* key : {"name", "value", "unit", "target", "better", "pass", "raw"}) {
    EXPECT_TRUE(row.contains(key)) << key;
  }
  EXPECT_EQ(row["name"], "x.one");
  EXPECT_EQ(row["value"], 11);
  EXPECT_EQ(row["better"], "lower");
  EXPECT_EQ(row["pass"], false);
  EXPECT_EQ(row["raw"]["n"], 1);
}

TEST_F(RowsTest, MarkdownIsATableInTheOrderOfTheTargets) {
  Options o = options();
  o.markdown = true;
  Rows rows("x", o);
  rows.add("x.two", 12345.6, {}, "make two");
  rows.add("x.one", 11.25, {});
  rows.add("x.three", 0, {});
  testing::internal::CaptureStdout();
  rows.finish();
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "| row | what | figure | target | command |\n|---|---|---|---|---|\n"
            "| `x.one` | first | **11.25** cycles | ≤10 | `ow bench x` |\n"
            "| `x.two` | second | 12,346 % | ≥90 | `make two` |\n"
            "| `x.three` | third | 0 bits | =0 | `ow bench x` |\n");
}

TEST_F(RowsTest, WrongFilesAreNamedWithLineAndKey) {
  const auto words = [this] {
    try {
      Rows rows("x", options());
    } catch (const BadInput& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  write("misses.yaml", "x.one: {value: 12}\n");
  EXPECT_NE(words().find("misses.yaml:1: key 'x.one.reason' is missing"), std::string::npos)
      << words();
  write("misses.yaml", "x.one: {value: 1, reason: a}\nx.one: {}\n");
  EXPECT_NE(words().find("misses.yaml:2: key 'x.one' stands"), std::string::npos) << words();
  write("misses.yaml", "{}\n");
  write("targets.yaml", "x:\n  one: {what: a, unit: b, better: most, target: 1}\n");
  EXPECT_NE(words().find("targets.yaml:2: key 'x.one.better'"), std::string::npos) << words();
  write("targets.yaml", "x:\n  one: {what: a, unit: b, better: lower, target: ten}\n");
  EXPECT_NE(words().find("targets.yaml:2: key 'x.one.target' must be a number"), std::string::npos)
      << words();
  write("targets.yaml", "x:\n  one: 5\n");
  EXPECT_NE(words().find("targets.yaml:2: key 'x.one' must hold"), std::string::npos) << words();
}

TEST_F(RowsTest, OnlyTakesNamesWithAndWithoutTheArea) {
  const Targets targets = load_targets(root_ + "/targets.yaml", "x");
  EXPECT_EQ(chosen_rows("x", targets, {"one", "x.two", "part"}, {"x.part"}),
            (std::set<std::string>{"x.one", "x.two", "x.part"}));
  EXPECT_THROW(chosen_rows("x", targets, {"four"}), BadInput);
}

TEST_F(RowsTest, FilesOfTheFlowsGiveTheirRows) {
  Options o = options();
  o.targets = OW_SOURCE_DIR "/configs/targets.yaml";
  write("timing.json", R"({"figures": {"tile_kge": 600.5}})");
  {
    Rows rows("silicon", o);
    measure_silicon(&rows);
    EXPECT_EQ(rows.finish(), 0);
    ASSERT_EQ(rows.result()["results"].size(), 1u);
    EXPECT_EQ(rows.result()["results"][0]["name"], "silicon.tile_kge");
    EXPECT_EQ(rows.result()["results"][0]["value"], 600.5);
    EXPECT_EQ(rows.result()["results"][0]["command"], "make timing");
  }
  write("timing.json", R"({"figures": {"tile_kge": "600"}})");
  Rows rows("silicon", o);
  EXPECT_THROW(measure_silicon(&rows), BadInput) << "no number";
}

// The files of this tree: each row belongs to an area that is measured, each miss to a row.
TEST(Targets, OfThisTreeAreWholeAndEveryKnownMissIsARow) {
  std::set<std::string> rows;
  for (const std::string& area : target_areas(OW_SOURCE_DIR "/configs/targets.yaml")) {
    for (const auto& [name, target] : load_targets(OW_SOURCE_DIR "/configs/targets.yaml", area)) {
      rows.insert(name);
    }
    EXPECT_NO_THROW(load_baselines(OW_SOURCE_DIR "/configs/baselines.yaml", area));
  }
  for (const auto& [name, miss] : load_known_misses(OW_SOURCE_DIR "/configs/known-misses.yaml")) {
    EXPECT_EQ(rows.count(name), 1u) << name;
  }
}

// What docs/results.md says is the target is the one that the bench measures against.
TEST(Targets, OfThisTreeAreThoseOfTheResults) {
  const std::string text = read_text(OW_SOURCE_DIR "/docs/results.md");
  for (const std::string& area : target_areas(OW_SOURCE_DIR "/configs/targets.yaml")) {
    for (const auto& [name, target] : load_targets(OW_SOURCE_DIR "/configs/targets.yaml", area)) {
      const size_t at = text.find("\n| `" + name + "` | " + target.what + " | ");
      ASSERT_NE(at, std::string::npos) << name << " | " << target.what;
      const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
      EXPECT_NE(line.find("| " + target_text(target) + " |"), std::string::npos)
          << line << ": " << target_text(target);
    }
  }
}

TEST_F(RowsTest, CyclesThatMovedFailTheBench) {
  Options o = options();
  o.baselines = root_ + "/baselines.yaml";
  write("baselines.yaml", "x: {a: 1000}\ny: {a: 1}\n");
  const auto run = [&](const Options& with, uint64_t a) {
    Rows rows("x", with);
    rows.cycles("a", a);
    rows.add("x.one", 1, {});
    rows.add("x.two", 99, {});
    rows.add("x.three", 0, {});
    return rows.finish();
  };
  EXPECT_EQ(run(o, 1010), 0);
  EXPECT_EQ(run(o, 1011), 1);
  EXPECT_EQ(run(o, 989), 1);
  o.update_baselines = true;
  EXPECT_EQ(run(o, 1011), 0);
  EXPECT_EQ(load_baselines(o.baselines, "x"), (Baselines{{"a", 1011}}));
  EXPECT_EQ(load_baselines(o.baselines, "y"), (Baselines{{"a", 1}})) << "another area's stay";
  EXPECT_TRUE(load_baselines(o.baselines, "z").empty());
  o.update_baselines = false;
  write("baselines.yaml", "x: {a: 1011, b: 5}\n");
  EXPECT_EQ(run(o, 1011), 1) << "nothing measures b";
  o.only = {"one"};
  EXPECT_EQ(run(o, 1011), 0) << "b was not asked for";
  write("baselines.yaml", "x: {a: word}\n");
  EXPECT_THROW(Rows("x", o), BadInput);
}

TEST(Baselines, HoldWithinOnePerCentBothWays) {
  const Baselines was = {{"a", 1000}, {"b", 50}};
  EXPECT_TRUE(compare_baselines(was, {{"a", 1010}, {"b", 50}}, true).empty());
  EXPECT_TRUE(compare_baselines(was, {{"a", 990}, {"b", 50}}, true).empty());
  EXPECT_EQ(compare_baselines(was, {{"a", 1011}, {"b", 50}}, true).size(), 1u) << "slower";
  EXPECT_EQ(compare_baselines(was, {{"a", 989}, {"b", 50}}, true).size(), 1u) << "faster";
  EXPECT_EQ(compare_baselines(was, {{"a", 1000}, {"b", 51}}, true).size(), 1u) << "1 % is no cycle";
  EXPECT_EQ(compare_baselines(was, {{"a", 1000}}, true).size(), 1u) << "b is not there any more";
  EXPECT_TRUE(compare_baselines(was, {{"a", 1000}}, false).empty()) << "b was not asked for";
  EXPECT_EQ(compare_baselines(was, {{"c", 1}}, false).size(), 1u) << "c has no baseline";
}

}  // namespace
}  // namespace ow::bench
