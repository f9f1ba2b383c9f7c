// SPDX-License-Identifier: Apache-2.0
// The conformance kit judges right: a device that is golden passes, a wrong one fails by a rule of
// the right section, and whatever a device answers ends in a report.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "draws.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/base/temporary_directory.h"
#include "ow/base/yaml.h"
#include "ow/conform/judge.h"
#include "ow/conform/make.h"
#include "seed.h"

namespace ow::conform {
namespace {

const std::string kDocuments = std::string(OW_SOURCE_DIR) + "/docs";

const Suite& suite() {
  static const Suite made = make_suite(1, kDocuments);
  return made;
}

DeviceFile full() {
  return read_device_file(std::string(OW_SOURCE_DIR) + "/tb/sw/conform/model.yaml");
}
DeviceFile arithmetic() {
  return parse_device_file("name: adder\nprofiles: [arithmetic]\n", "adder.yaml");
}

JudgeOptions options(const std::string& day = "2026-01-01") {
  JudgeOptions o;
  o.day = day;
  return o;
}

std::set<std::string> failed_rules(const Report& report) {
  std::set<std::string> ids;
  for (const auto& [id, rule] : report.rules) {
    if (rule.verdict == Verdict::Failed) ids.insert(id);
  }
  return ids;
}

TEST(Kit, TheSameSeedGivesTheSameSuiteAndAFileKeepsIt) {
  EXPECT_EQ(make_suite(1, kDocuments).digest(), suite().digest());
  EXPECT_NE(make_suite(2, kDocuments).digest(), suite().digest());
  const TemporaryDirectory scratch;
  write_suite(scratch.path() + "/suite", suite());
  EXPECT_EQ(read_suite(scratch.path() + "/suite").digest(), suite().digest());
}

// The rules without a test are those of sw/conform/untested.yaml, each with its reason.
TEST(Kit, EveryRuleHasATestOrAReason) {
  std::set<std::string> shown, listed;
  for (const conform::Test& test : suite().tests)
    shown.insert(test.rules.begin(), test.rules.end());
  size_t testable = 0;
  const Yaml file = Yaml::read(std::string(OW_SOURCE_DIR) + "/sw/conform/untested.yaml");
  for (const Yaml& group : file.list(1, 100, "groups")) {
    YamlMap keys(group);
    const bool may = keys["testable"].flag();
    keys["reason"].text();
    for (const Yaml& id : keys["rules"].list(1, 1000, "rules")) {
      EXPECT_TRUE(listed.insert(id.text()).second) << id.text() << " stands twice";
      EXPECT_EQ(suite().rules.count(id.text()), 1u) << id.text() << " is in no document";
      EXPECT_EQ(shown.count(id.text()), 0u) << id.text() << " has a test";
      testable += may;
    }
    keys.close();
  }
  for (const auto& [id, rule] : suite().rules) {
    EXPECT_EQ(shown.count(id) + listed.count(id), 1u) << id << ": neither a test nor a reason";
  }
  std::printf("%zu of %zu rules have a test; %zu more could have one\n", shown.size(),
              suite().rules.size(), testable);
}

TEST(Kit, TheModelKeepsEveryRuleThatATestShows) {
  const auto door = make_model();
  const Report report = judge(suite(), full(), door.get(), options());
  EXPECT_TRUE(report.conforms());
  for (const Outcome& outcome : report.outcomes) {
    // It has no cycles, no link, and all that `full` has.
    const bool timed = outcome.test.rfind("timing.", 0) == 0;
    const bool other = outcome.test.rfind("link.", 0) == 0 ||
                       outcome.test.rfind("small.", 0) == 0 ||
                       outcome.test.rfind("counters.", 0) == 0;
    if (timed) {
      EXPECT_NE(outcome.verdict, Verdict::Failed) << outcome.test;
    } else {
      EXPECT_EQ(outcome.verdict, other ? Verdict::NotClaimed : Verdict::Passed)
          << outcome.test << ": " << outcome.why;
    }
  }
}

TEST(Kit, EachFaultFailsByARuleOfItsSection) {
  std::vector<Fault> faults = model_faults();
  const uint64_t seed = test_seed(1);
  SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
  Rng rng(seed);
  for (size_t i = faults.size(); i > 1; --i) std::swap(faults[i - 1], faults[rng.below(i)]);
  faults.resize(static_cast<size_t>(draws(static_cast<int>(faults.size()))));
  const Suite drawn = make_suite(seed, kDocuments);
  for (const Fault& fault : faults) {
    const auto door = make_model(fault.name);
    const std::set<std::string> failed = failed_rules(judge(drawn, full(), door.get(), options()));
    const bool found = std::any_of(failed.begin(), failed.end(), [&](const std::string& id) {
      const Rule& rule = drawn.rules.at(id);
      return rule.document == fault.document && rule.section == fault.section;
    });
    EXPECT_TRUE(found) << fault.name << ": " << failed.size() << " rules failed, none in "
                       << fault.document << ", " << fault.section;
  }
}

// Devices that are none, as programs.
Report judged(const std::string& command) {
  const auto door = make_line_door(command, 0.2);
  return judge(suite(), arithmetic(), door.get(), options());
}

TEST(Kit, DevicesThatAreNoneFailInTime) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* command : {
           "exit 0",                                                     // ends at once
           "cat > /dev/null",                                            // never answers
           "sleep 100",                                                  // does not even read
           "while read line; do echo ok; done",                          // answers nothing
           "while read line; do echo ok 0 0 0 0 0 0 0 0 0; done",        // zeros
           "while read line; do head -c 100 /dev/urandom | od -c; done"  // garbage, several lines
           ,
           "while read line; do echo no idea; done",  // has nothing
           "yes '' | tr -d '\\n'",                    // a line without an end
       }) {
    const Report report = judged(command);
    EXPECT_FALSE(report.conforms()) << command;
    for (const Outcome& outcome : report.outcomes)
      EXPECT_NE(outcome.verdict, Verdict::Passed) << command;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(2));
}

TEST(Kit, ADifferenceIsExplained) {
  EXPECT_EQ(
      first_difference({"call add f16 f16 2 3c00 3c00 3c00 4000", "4000 4200", {}}, "ok 4000 4201"),
      "add f16 of 0x3c00 (1), 0x4000 (2): expected 0x4200 (3), got 0x4201 (3.00195)");
  EXPECT_EQ(first_difference({"read 0 1 100 2", "1 2", {}}, "ok 1"),
            "tile (0, 1), word at 0x104: expected 0x2, got 0xnothing");
  EXPECT_EQ(first_difference({"take e 0 3", "d1 c2", {}}, "ok d1 d2"),
            "wavelet 1 at e0 on colour 3: expected c2, got d2");
  EXPECT_EQ(first_difference({"take e 0 3", "* c2", {}}, "ok d1 c2"), "");
  EXPECT_NE(first_difference({"run 5", "", {}}, "no run"), "");
}

TEST(Claims, DecideWhatIsAsked) {
  const auto door = make_model();
  const DeviceFile device = parse_device_file(
      "name: integers\nprofiles: [arithmetic]\nwithout: [f16, bf16, f32]\n", "device.yaml");
  const Report report = judge(suite(), device, door.get(), options());
  EXPECT_TRUE(report.conforms());
  EXPECT_EQ(report.rules.at("N26").verdict, Verdict::NotClaimed);
  EXPECT_EQ(report.rules.at("N33").verdict, Verdict::Passed);
}

TEST(Claims, AreRefusedInOneLine) {
  const auto refused = [](const std::string& text) {
    try {
      parse_device_file(text, "device.yaml");
    } catch (const BadInput& e) {
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
      return std::string(e.what());
    }
    return std::string("taken");
  };
  EXPECT_NE(refused("name: x\nprofiles: [huge]\n").find("'profiles[0]'"), std::string::npos);
  EXPECT_NE(refused("name: x\nprofiles: [full]\nlanes: 8\n").find("lanes"), std::string::npos);
  EXPECT_NE(refused("name: x\nprofiles: [full]\ncolours: 25\n").find("24"), std::string::npos);
  EXPECT_NE(refused("name: x\nprofiles: [full]\nwaivers: [{rule: N1, reason: a, expires: soon}]\n")
                .find("YYYY-MM-DD"),
            std::string::npos);
}

TEST(Waivers, HoldUntilTheirDay) {
  const auto door = make_model("max takes the second zero");
  const DeviceFile device = parse_device_file(
      "name: x\nprofiles: [arithmetic]\nwaivers: [{rule: N31, reason: the adder of 2025, expires: "
      "2026-06-30}]\n",
      "x.yaml");
  const Report before = judge(suite(), device, door.get(), options("2026-06-30"));
  EXPECT_TRUE(before.conforms());
  EXPECT_EQ(before.rules.at("N31").verdict, Verdict::Waived);
  EXPECT_FALSE(judge(suite(), device, door.get(), options("2026-07-01")).conforms());
}

TEST(Packages, AreJudgedAgain) {
  const TemporaryDirectory scratch;
  const std::string path = scratch.path() + "/package";
  const auto door = make_model();
  const Report report = judge(suite(), arithmetic(), door.get(), options());
  write_package(path, report, arithmetic());
  Package package = read_package(path);
  EXPECT_TRUE(verify_package(package, suite(), "2026-01-01").empty());
  // Other vectors; an answer that does not give its verdict; answers that are missing.
  EXPECT_FALSE(verify_package(package, make_suite(2, kDocuments), "2026-01-01").empty());
  package.answers.at("arithmetic.f16.add").at(0) += " 0";
  EXPECT_EQ(verify_package(package, suite(), "2026-01-01").size(), 1u);
  package.answers.erase("arithmetic.f16.add");
  EXPECT_EQ(verify_package(package, suite(), "2026-01-01").size(), 1u);
}

TEST(Doors, AnswersMadeElsewhereAreJudgedFromFiles) {
  const TemporaryDirectory scratch;
  const auto model = make_model();
  for (const conform::Test& test : suite().tests) {
    if (full().lacks(test.needs) != "" || test.name.rfind("fabric", 0) != 0) continue;
    std::ofstream out(scratch.path() + "/" + test.name + ".txt");
    for (const Step& step : test.steps) out << model->ask(step.request) << "\n";
  }
  const auto door = make_results_door(scratch.path());
  JudgeOptions some = options();
  some.filter = "fabric";
  EXPECT_TRUE(judge(suite(), full(), door.get(), some).conforms());
  some.filter = "core";
  EXPECT_FALSE(judge(suite(), full(), door.get(), some).conforms());
}

}  // namespace
}  // namespace ow::conform
