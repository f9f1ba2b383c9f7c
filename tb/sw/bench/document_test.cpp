// SPDX-License-Identifier: Apache-2.0
// The tables of docs/results.md: written from results, and held against targets, known misses and
// reports.
#include "ow/bench/document.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/bench/benches.h"
#include "ow/bench/report.h"
#include "ow/bench/rows.h"

namespace ow::bench {
namespace {

TEST(Document, ATableIsWrittenFromResultsAndReadAgain) {
  const std::string text =
      "before\n<!-- ow bench x -->\n| id | what | target | figure | commit | command "
      "|\n|---|---|---|---|---|---|\n"
      "| X2 | two | >= 90 % | 95 % | 0123456 | `old` |\n<!-- end of ow bench x -->\nafter\n";
  const Targets targets = {{"X1", {"one", "x", "lower", 10, 0}},
                           {"X2", {"two", "%", "higher", 90, 1}}};
  const nlohmann::json result = {{"bench", "x"},
                                 {"results",
                                  {{{"name", "X1"},
                                    {"value", 12345},
                                    {"pass", false},
                                    {"commit", "fedcba9876543210 with changes"},
                                    {"command", "ow bench x --only X1"}}}}};
  const std::string written = with_table(text, targets, result);
  const auto rows = table_rows(written, "x");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id, "X1");
  EXPECT_EQ(rows[0].figure, "**missed: 12,345**");
  EXPECT_EQ(rows[0].command, "`ow bench x --only X1`");
  EXPECT_EQ(rows[0].commit, "fedcba987+");
  EXPECT_EQ(rows[1].figure, "95 %") << "not measured this time: as it was";
  EXPECT_EQ(rows[1].commit, "0123456") << "and of the commit of then";
  EXPECT_EQ(written.find("before\n"), 0u);
  EXPECT_NE(written.find("\nafter\n"), std::string::npos);
  EXPECT_EQ(with_table(written, targets, result), written);
  EXPECT_THROW(table_rows(text, "y"), BadInput);
}

// A command that is copied from the table runs: what would end a cell is escaped, also in a row
// that was not measured again.
TEST(Document, ACommandMayHaveBars) {
  const std::string text = "<!-- ow bench x -->\n<!-- end of ow bench x -->\n";
  const Targets targets = {{"X1", {"one|two", "x", "lower", 10, 0}}};
  nlohmann::json result = {{"bench", "x"}};
  result["results"].push_back(
      {{"name", "X1"}, {"value", 1}, {"pass", true}, {"command", "t '^A|^B' | u"}});
  const std::string written = with_table(text, targets, result);
  EXPECT_NE(written.find("| X1 | one\\|two | <= 10 | 1 |  | `t '^A\\|^B' \\| u` |\n"),
            std::string::npos)
      << written;
  const auto rows = table_rows(written, "x");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].what, "one|two");
  EXPECT_EQ(rows[0].command, "`t '^A|^B' | u`");
  result["results"] = nlohmann::json::array();
  EXPECT_EQ(with_table(written, targets, result), written);
}

// A row may bring a table of its own.
TEST(Document, ARowBringsATableOfItsOwn) {
  const std::string text =
      "<!-- ow bench x -->\n<!-- end of ow bench x -->\nand\n"
      "<!-- ow bench x X1 parts -->\nold\n<!-- end of ow bench x X1 parts -->\nafter\n";
  nlohmann::json row = {{"name", "X1"}, {"value", 1}, {"pass", true}, {"command", "c"}};
  nlohmann::json& table = row["raw"]["tables"]["X1 parts"];
  table["columns"] = nlohmann::json::array({"a", "b"});
  table["lines"].push_back(nlohmann::json::array({"1", ""}));
  nlohmann::json result = {{"bench", "x"}};
  result["results"].push_back(row);
  const Targets targets = {{"X1", {"one", "x", "lower", 10, 0}}};
  const std::string written = with_table(text, targets, result);
  EXPECT_NE(written.find(
                "and\n<!-- ow bench x X1 parts -->\n| a | b |\n|---|---|\n| 1 |  |\n<!-- end of"),
            std::string::npos)
      << written;
  EXPECT_EQ(table_rows(written, "x").size(), 1u);
  result["results"][0]["raw"]["tables"]["X1 others"] = table;
  EXPECT_THROW(with_table(text, targets, result), BadInput) << "the document has no such marks";
}

// Row W3: what the formula is about; a line for each bit-error rate.
TEST(Document, TheTableOfNoiseIsOfTheCasesWithAFormula) {
  nlohmann::json cases;
  cases.push_back({{"case", "1e-3"},
                   {"wavelets", 20000640},
                   {"wrong_frames", 999},
                   {"goodput", 0.54399},
                   {"formula", 0.549525}});
  cases.push_back(cases[0]);
  cases[1]["formula"] = nullptr;
  const nlohmann::json table = noise_table(cases);
  EXPECT_EQ(table.at("columns").size(), 5u);
  EXPECT_EQ(table.at("lines").dump(), R"([["1e-3","20,000,640","999","54.40 %","54.95 %"]])");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

// A target that the document says is the one that the bench measures against.
TEST(Document, HasEveryRowOfTheTargets) {
  const std::string text = read_text(OW_SOURCE_DIR "/docs/results.md");
  const std::string path = OW_SOURCE_DIR "/configs/targets.yaml";
  for (const std::string& bench : target_benches(path)) {
    std::set<std::string> found;
    const Targets targets = load_targets(path, bench);
    for (const TableRow& row : table_rows(text, bench)) {
      ASSERT_EQ(targets.count(row.id), 1u) << bench << " has no row " << row.id;
      EXPECT_EQ(row.what, targets.at(row.id).what) << row.id;
      EXPECT_EQ(row.target, target_text(targets.at(row.id))) << row.id;
      found.insert(row.id);
    }
    for (const auto& [name, target] : targets) EXPECT_EQ(found.count(name), 1u) << name;
  }
}

// Without them a run of hours could not write what it found.
TEST(Document, HasTheTablesThatRowsBring) {
  const std::string text = read_text(OW_SOURCE_DIR "/docs/results.md");
  for (const char* table :
       {"sim S1", "link W3", "wafer W7 steps", "wafer W7 blocks", "wafer W15", "silicon H2"}) {
    EXPECT_FALSE(table_rows(text, table).empty()) << table;
  }
}

}  // namespace
}  // namespace ow::bench
