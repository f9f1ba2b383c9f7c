// SPDX-License-Identifier: Apache-2.0
// What a bench accepts: targets, known misses, reports of other commands, baselines.
#include "ow/bench/rows.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/bench/baselines.h"
#include "ow/bench/benches.h"
#include "ow/bench/document.h"
#include "ow/bench/report.h"

namespace ow::bench {
namespace {

// A checkout of its own with one file that figures depend on.
class RowsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "ow_rows_" + std::to_string(getpid());
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ + "/scripts");
    for (const char* dir : {"rtl", "sw", "tb", "configs", "data", "cmake"}) {
      std::filesystem::create_directories(root_ + "/" + dir);
      write(std::string(dir) + "/file", "text");
    }
    std::filesystem::copy(OW_SOURCE_DIR "/scripts/provenance", root_ + "/scripts/provenance");
    write("targets.yaml",
          "x:\n"
          "  X1: {what: one, unit: cycles, better: lower, target: 10}\n"
          "  X2: {what: two, unit: '%', better: higher, target: 90}\n"
          "  X2.part: {what: part, unit: bits, better: equal, target: 0}\n");
    write("misses.yaml", "{}\n");
    write("sources.yaml", "{}\n");
    run("git init -q . && git add -A && git -c user.name=t -c user.email=t@t commit -q -m t");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(root_ + "/" + name) << text;
  }
  void run(const std::string& command) {
    ASSERT_EQ(std::system(("cd " + root_ + " && " + command).c_str()), 0) << command;
  }
  Options options() const {
    Options o;
    o.source = root_;
    o.targets = root_ + "/targets.yaml";
    o.misses = root_ + "/misses.yaml";
    o.sources = root_ + "/sources.yaml";
    o.reports = root_ + "/reports";
    return o;
  }
  // All three rows, with these figures.
  int status(double x1, double x2, double part) {
    Rows rows("x", options());
    rows.add("X1", x1, {{"n", 1}});
    rows.add("X2", x2, {{"n", 1}});
    rows.add("X2.part", part, {{"n", 1}});
    return rows.finish();
  }

  std::string root_;
  std::string last_;  // why a row had no figure
};

TEST_F(RowsTest, AMissedRowFails) {
  EXPECT_EQ(status(10, 90, 0), 0);
  EXPECT_EQ(status(11, 90, 0), 1);
  EXPECT_EQ(status(10, 89.9, 0), 1);
  EXPECT_EQ(status(10, 90, 1), 1);
}

TEST_F(RowsTest, ARowWithoutAFigureFails) {
  Rows rows("x", options());
  rows.add("X1", 1, {});
  rows.add("X2", 99, {});
  EXPECT_EQ(rows.finish(), 1);
  EXPECT_EQ(rows.result()["not_measured"].size(), 1u);
}

TEST_F(RowsTest, AKnownMissPassesUntilItGetsWorseOrIsMet) {
  write("misses.yaml", "X1: {value: 12, reason: known, date: 2026-01-31}\n");
  EXPECT_EQ(status(12, 90, 0), 0);
  EXPECT_EQ(status(11, 90, 0), 0) << "better, and still missed";
  EXPECT_EQ(status(12.1, 90, 0), 1) << "worse";
  EXPECT_EQ(status(10, 90, 0), 1) << "met: the entry is stale";
  write("misses.yaml", "X1: {value: none, reason: known, date: 2026-01-31}\n");
  EXPECT_EQ(status(12, 90, 0), 1) << "it may be without a figure, not miss";
  EXPECT_EQ(status(10, 90, 0), 1) << "measured and met: the entry is stale";
  write("sources.yaml",
        "X1: {file: a, value: b, command: c, needs: OW_X, inputs: [configs], at_least: {n: 1}}\n");
  EXPECT_EQ(status(10, 90, 0), 0) << "what it needs is not everywhere";
  Rows rows("x", options());
  rows.add("X2", 99, {});
  rows.add("X2.part", 0, {});
  EXPECT_EQ(rows.finish(), 0);
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
  write("misses.yaml", "X1: {value: 12, reason: known}\n");
  EXPECT_NE(words().find("misses.yaml:1: key 'X1.date' is missing"), std::string::npos) << words();
  write("misses.yaml", "X1: {value: 1, reason: a, date: 2026-01-31}\nX1: {}\n");
  EXPECT_NE(words().find("misses.yaml:2: key 'X1' stands"), std::string::npos) << words();
  write("misses.yaml", "{}\n");
  write("targets.yaml", "x:\n  X1: {what: a, unit: b, better: most, target: 1}\n");
  EXPECT_NE(words().find("targets.yaml:2: key 'x.X1.better'"), std::string::npos) << words();
  write("targets.yaml", "x:\n  X1: {what: a, unit: b, better: lower, target: ten}\n");
  EXPECT_NE(words().find("targets.yaml:2: key 'x.X1.target' must be a number"), std::string::npos)
      << words();
  write("targets.yaml", "x:\n  X1: 5\n");
  EXPECT_NE(words().find("targets.yaml:2: key 'x.X1' must hold"), std::string::npos) << words();
}

TEST_F(RowsTest, AReportCountsForTheTreeThatItIsOf) {
  write("sources.yaml",
        "X1:\n  file: one.json\n  value: figure\n"
        "  command: 'echo \"{\\\"figure\\\": 7, \\\"count\\\": 100}\" > {json}'\n"
        "  inputs: [rtl, ':!rtl/notes']\n  at_least: {count: 50}\n");
  Options o = options();
  const auto only_x1 = [&](bool measure) {
    o.only = {"X1"};
    std::optional<ReportQueue> queue;
    if (measure) {
      queue.emplace(o.source, o.reports,
                    std::vector<ReportSource>{load_report_sources(o.sources).at("X1")});
      o.queue = &*queue;
    }
    Rows rows("x", o);
    const int status = rows.finish();
    if (status != 0) last_ = rows.result()["not_measured"][0]["why"].get<std::string>();
    return status;
  };
  EXPECT_EQ(only_x1(false), 1);
  EXPECT_NE(last_.find("there is no report"), std::string::npos) << last_;
  EXPECT_EQ(only_x1(true), 0) << "the command makes it";
  EXPECT_EQ(only_x1(false), 0) << "and it is kept";
  write("sw/file", "other");
  EXPECT_EQ(only_x1(false), 0) << "the figure does not depend on sw";
  write("rtl/notes", "other");
  EXPECT_EQ(only_x1(false), 0) << "nor on what is left out";
  write("rtl/file", "other");
  EXPECT_EQ(only_x1(false), 1);
  EXPECT_NE(last_.find("is of another tree"), std::string::npos) << last_;
  EXPECT_NE(last_.find(": rtl has changed since"), std::string::npos) << last_;
  write("rtl/file", "text");
  EXPECT_EQ(only_x1(false), 0) << "contents count, not times";
  // Reports that somebody has typed.
  std::filesystem::create_directories(root_ + "/reports");
  write("reports/one.json", "{\"figure\": 7, \"count\": 100}\n");
  EXPECT_EQ(only_x1(false), 1);
  EXPECT_NE(last_.find("does not say where it comes from"), std::string::npos) << last_;
  ReportSource source;
  source.file = "one.json";
  source.inputs = {"rtl", ":!rtl/notes"};
  const nlohmann::json from = provenance(root_, "none", 1, source.inputs);
  write_report(root_ + "/reports", source, {{"figure", 7}, {"count", 0}}, from);
  EXPECT_EQ(only_x1(false), 1);
  EXPECT_NE(last_.find("less than 50"), std::string::npos) << last_;
  write_report(root_ + "/reports", source, {{"count", 60}}, from);
  EXPECT_EQ(only_x1(false), 1);
  EXPECT_NE(last_.find("no number 'figure'"), std::string::npos) << last_;
}

// What a run that was cut short has measured: good for the same tree, seed and counts, judged anew,
// if the row is whole and nothing went wrong with it.
TEST_F(RowsTest, ARunGoesOnFromTheRowsOfAnEarlierOne) {
  {
    Rows rows("x", options());
    rows.add("X1", 7, {{"n", 1}});
    rows.add("X2", 95, {{"n", 2}});  // and X2.part is missing
  }
  Options resumed = options();
  resumed.resume = true;
  const auto wants = [](const Options& o, const std::string& row) {
    return Rows("x", o).wants(row);
  };
  EXPECT_TRUE(wants(options(), "X1")) << "not asked to go on";
  EXPECT_FALSE(wants(resumed, "X1"));
  EXPECT_TRUE(wants(resumed, "X2")) << "a part of it is missing";
  write("targets.yaml", read_text(root_ + "/targets.yaml") + "y: {}\n");
  EXPECT_FALSE(wants(resumed, "X1")) << "targets only judge";
  Rows rows("x", resumed);
  rows.add("X2", 95, {{"n", 2}});
  rows.add("X2.part", 0, {{"n", 2}});
  EXPECT_EQ(rows.finish(), 0);
  EXPECT_EQ(rows.result()["results"].back()["value"], 7) << rows.result().dump();
  EXPECT_EQ(rows.result()["results"].back()["raw"]["n"], 1);
  EXPECT_EQ(rows.result()["results"].back()["commit"], rows.result()["provenance"]["commit"]);
  EXPECT_GT(rows.result()["seconds_before"].get<double>(), 0);
  Options other = resumed;
  other.seed = 2;
  EXPECT_TRUE(wants(other, "X1")) << "of another seed";
  other = resumed;
  other.arguments = " --sets 3";
  EXPECT_TRUE(wants(other, "X1")) << "of other counts";
  write("rtl/file", "other");
  EXPECT_TRUE(wants(resumed, "X1")) << "of another tree";
  write("rtl/file", "text");
  EXPECT_FALSE(wants(resumed, "X2"));
  for (const auto& file : std::filesystem::directory_iterator(root_ + "/reports/rows")) {
    std::ofstream(file.path()) << "{\"provenance\": ";
  }
  EXPECT_TRUE(wants(resumed, "X1")) << "cut short";
  Rows failing("x", options());
  failing.add("X2", 95, {});
  failing.add("X2.part", 0, {});
  failing.fault("X2.part", "nothing was compared");
  EXPECT_TRUE(wants(resumed, "X2")) << "went wrong";
}

// What took an hour is still there after a trial of a minute, whether that went well or not.
TEST_F(RowsTest, ATrialWithOtherCountsLeavesKeptRowsAlone) {
  Rows("x", options()).add("X1", 7, {{"n", 1000}});
  Options trial = options();
  trial.arguments = " --sets 1";
  Rows("x", trial).add("X1", 8, {{"n", 1}});
  Options other = options();
  other.seed = 2;
  {
    Rows failing("x", other);
    failing.add("X1", 9, {{"n", 1}});
    failing.fault("X1", "nothing was compared");
  }
  Options resumed = options();
  resumed.resume = true;
  Rows whole("x", resumed);
  ASSERT_FALSE(whole.wants("X1"));
  whole.finish();
  EXPECT_EQ(whole.result()["results"].back()["raw"]["n"], 1000) << whole.result().dump();
  trial.resume = true;
  Rows again("x", trial);
  ASSERT_FALSE(again.wants("X1"));
  again.finish();
  EXPECT_EQ(again.result()["results"].back()["raw"]["n"], 1) << again.result().dump();
  // A run of the same command replaces its own.
  Rows("x", options()).add("X1", 6, {{"n", 2000}});
  Rows newer("x", resumed);
  ASSERT_FALSE(newer.wants("X1"));
  newer.finish();
  EXPECT_EQ(newer.result()["results"].back()["raw"]["n"], 2000) << newer.result().dump();
}

TEST_F(RowsTest, ACommandWithoutWhatItNeedsOrWithoutAReportHasNoFigure) {
  ReportSource source;
  source.file = "one.json";
  source.inputs = {"rtl"};
  source.command = "echo '{}' > {json}";
  source.needs = "OW_ROWS_TEST_NOT_SET";
  EXPECT_NE(make_report(root_, root_ + "/reports", source).find("is not set"), std::string::npos);
  source.needs.clear();
  source.command = "true";
  EXPECT_NE(make_report(root_, root_ + "/reports", source).find("makes it by itself"),
            std::string::npos);
  source.command = "false {json}";
  EXPECT_NE(make_report(root_, root_ + "/reports", source).find("wrote no report"),
            std::string::npos);
  source.command = "echo '{}' > {json} && echo changed > rtl/file";
  EXPECT_NE(make_report(root_, root_ + "/reports", source).find("changed while"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(root_ + "/reports/one.json"));
}

// A report that two rows share is made once, what must be alone before the rest, what the bench
// needs by the bench if its turn has not come, and a command that fails is a row without a figure,
// which says where its words are.
TEST_F(RowsTest, AQueueMakesReportsBesideTheBench) {
  const auto source = [](const std::string& file, const std::string& command, bool alone) {
    ReportSource s;
    s.file = file;
    s.value = "figure";
    s.command = command + " && echo '{\"figure\": 1}' > {json}";
    s.inputs = {"rtl"};
    s.alone = alone;
    return s;
  };
  // The first command of the thread ends when the last one, which is the caller's, has run.
  const ReportSource first =
      source("first.json", "while [ ! -e last ]; do sleep 0.01; done; echo first >> order", false);
  const ReportSource timed = source("timed.json", "sleep 0.2; echo timed >> order", true);
  const ReportSource wrong = source("wrong.json", "echo words; false", false);
  const ReportSource last = source("last.json", "echo last >> order; touch last", false);
  ReportSource itself = source("itself.json", "", false);
  itself.command = "echo itself >> order";
  ReportQueue queue(root_, root_ + "/reports", {first, timed, first, itself, wrong, last});
  EXPECT_EQ(read_text(root_ + "/order"), "timed\n") << "in the constructor, which waits";
  EXPECT_EQ(queue.finish(itself), "") << "not made here";
  EXPECT_EQ(queue.finish(last), "");
  EXPECT_NE(queue.finish(wrong).find("wrong.json.log"), std::string::npos);
  EXPECT_EQ(queue.finish(first), "");
  EXPECT_EQ(read_text(root_ + "/order"), "timed\nlast\nfirst\n") << "each once";
  EXPECT_EQ(read_text(root_ + "/reports/wrong.json.log"), "words\n");
  EXPECT_TRUE(read_report(root_, root_ + "/reports", first).refused.empty());
  EXPECT_EQ(queue.counts().made, 4u);
  ReportQueue again(root_, root_ + "/reports", {first, timed});
  again.finish(first);
  EXPECT_EQ(again.counts().kept, 2u);
  EXPECT_GE(again.counts().kept_seconds, 0.2) << "what they took when they were made";
  EXPECT_EQ(queue.counts().kept_seconds, 0);
}

// Whatever was skipped or left without a figure, of the rows that it is the time of.
TEST_F(RowsTest, TheTimeOfARunOfAllIsThatOfEveryRowOfSixBenches) {
  ReportSource source = load_report_sources(OW_SOURCE_DIR "/configs/reports.yaml").at("A8");
  source.inputs = {"rtl"};
  const nlohmann::json from = provenance(root_, source.command, 1, source.inputs);
  const nlohmann::json all = {{"sim", 100},    {"tile", 100},  {"link", 100},
                              {"fabric", 100}, {"wafer", 100}, {"library", 100}};
  const auto refused = [&](const nlohmann::json& measured) {
    write_report(root_ + "/reports", source,
                 {{"seconds", 1}, {"status", 0}, {"percent_measured", measured}}, from);
    return read_report(root_, root_ + "/reports", source).refused;
  };
  EXPECT_EQ(refused(all), "");
  for (const auto& [name, percent] : all.items()) {
    nlohmann::json measured = all;
    measured[name] = 99.9;
    EXPECT_NE(refused(measured).find("'percent_measured/" + name + "' is 99.9, which is less"),
              std::string::npos);
    measured.erase(name);
    EXPECT_NE(refused(measured).find("no count 'percent_measured/" + name + "'"),
              std::string::npos);
  }
}

TEST_F(RowsTest, CyclesThatMovedFailTheBenchAndTheirRowIsMeasuredAgain) {
  Options o = options();
  o.baselines = root_ + "/baselines.yaml";
  write("baselines.yaml", "x: {a: 1000}\ny: {a: 1}\n");
  const auto run = [&](const Options& with, uint64_t a) {
    Rows rows("x", with);
    if (rows.wants("X1")) {
      rows.cycles("X1", "a", a);
      rows.add("X1", 1, {});
    }
    rows.add("X2", 99, {});
    rows.add("X2.part", 0, {});
    return rows.finish();
  };
  EXPECT_EQ(run(o, 1010), 0);
  EXPECT_EQ(run(o, 1011), 1);
  o.resume = true;
  EXPECT_EQ(run(o, 1011), 1) << "an earlier run does not vouch for what moved";
  EXPECT_EQ(run(o, 1000), 0);
  o.resume = false;
  o.update_baselines = true;
  EXPECT_EQ(run(o, 1011), 0);
  EXPECT_EQ(load_baselines(o.baselines, "x"), (Baselines{{"a", 1011}}));
  EXPECT_EQ(load_baselines(o.baselines, "y"), (Baselines{{"a", 1}})) << "another bench's stay";
  EXPECT_TRUE(load_baselines(o.baselines, "z").empty());
  o.update_baselines = false;
  write("baselines.yaml", "x: {a: 1011, b: 5}\n");
  EXPECT_EQ(run(o, 1011), 1) << "nothing measures b any more";
  o.only = {"X1"};
  Rows rows("x", o);
  rows.cycles("X1", "a", 1011);
  rows.add("X1", 1, {});
  EXPECT_EQ(rows.finish(), 0) << "b was not asked for";
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
