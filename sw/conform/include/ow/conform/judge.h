// SPDX-License-Identifier: Apache-2.0
// Runs a suite on a device and says which rules it keeps. Knows nothing of golden: what is right
// stands in the suite.
#ifndef OW_CONFORM_JUDGE_H_
#define OW_CONFORM_JUDGE_H_

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ow/conform/device_file.h"
#include "ow/conform/door.h"
#include "ow/conform/suite.h"

namespace ow::conform {

enum class Verdict { Passed, Failed, NotClaimed, Waived, Reported };
const char* verdict_name(Verdict verdict);

struct Outcome {
  std::string test;
  Verdict verdict = Verdict::NotClaimed;
  std::string why;                   // what is not claimed, or the first difference
  std::vector<std::string> blamed;   // rules that the difference breaks
  std::vector<std::string> answers;  // of the device, one per request until the first difference
};

struct RuleOutcome {
  Verdict verdict = Verdict::NotClaimed;
  int passed = 0, failed = 0;  // tests
  std::string first;           // test of the first difference
};

struct Report {
  std::string device;        // its name
  std::string suite_digest;  // Suite::digest()
  uint64_t seed = 0;
  std::string day;  // YYYY-MM-DD, which decides whether a waiver holds
  std::vector<Outcome> outcomes;
  std::map<std::string, RuleOutcome> rules;

  // Nothing that is claimed has failed without a waiver, and something has passed.
  bool conforms() const;
};

struct JudgeOptions {
  std::string filter;  // only tests whose name begins so
  std::string day;     // of today
  // After so many tests in a row without an answer the others fail unasked.
  int most_silent = 3;
  std::function<void(size_t done, size_t all)> progress;
};

Report judge(const Suite& suite, const DeviceFile& device, Door* door, const JudgeOptions& options);

// The first difference between what was expected and what came; empty: none. Also of answers that
// are no answers at all.
std::string first_difference(const Step& step, const std::string& answer);

// ---- What is written of it.
nlohmann::json report_json(const Report& report, const Suite& suite);
std::string report_html(const Report& report, const Suite& suite);
std::string today();

// ---- A submission: one file, JSON packed by gzip, with device.yaml, all answers, and the report.
void write_package(const std::string& path, const Report& report, const DeviceFile& device);
struct Package {
  DeviceFile device;
  uint64_t seed = 0;
  std::string suite_digest, day;
  std::map<std::string, std::vector<std::string>> answers;
  nlohmann::json verdicts;  // by test
};
// BadInput in one line for anything that is no package.
Package read_package(const std::string& path);
// Judges the answers of a package again, with a suite of the same seed. Each line is something
// wrong: other vectors, a verdict that the answers do not give, a test that is claimed and missing,
// a waiver that has expired.
std::vector<std::string> verify_package(const Package& package, const Suite& suite,
                                        const std::string& day);

}  // namespace ow::conform

#endif  // OW_CONFORM_JUDGE_H_
