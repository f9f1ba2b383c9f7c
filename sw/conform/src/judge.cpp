// SPDX-License-Identifier: Apache-2.0
#include "ow/conform/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "openwafer/number.h"

namespace ow::conform {
namespace {

using Words = std::vector<std::string>;

constexpr char kAny[] = "*", kRest[] = "...";
constexpr size_t kShown = 100;  // characters of an answer that a message shows

std::string cut(const std::string& text) {
  std::string out = text.substr(0, kShown);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
  }
  return text.size() > kShown ? out + " ..." : out;
}

// An encoding as a number, for the message.
std::string value_of(const std::string& type, const std::string& digits) {
  char* end = nullptr;
  const auto bits = static_cast<uint32_t>(std::strtoull(digits.c_str(), &end, 16));
  if (digits.empty() || *end != '\0') return "no number";
  const auto half = static_cast<uint16_t>(bits);
  if (type == "f16") return fmt::format("{:.6g}", from_half(HalfType::Binary16, half));
  if (type == "bf16") return fmt::format("{:.4g}", from_half(HalfType::Bfloat16, half));
  if (type == "f32") {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return fmt::format("{:.9g}", x);
  }
  if (type == "i8") return std::to_string(static_cast<int8_t>(bits));
  if (type == "i16") return std::to_string(static_cast<int16_t>(bits));
  return std::to_string(static_cast<int32_t>(bits));
}

std::string with_value(const std::string& type, const std::string& digits) {
  return fmt::format("0x{} ({})", digits, value_of(type, digits));
}

// "fma of 0x3c00 (1), ..." for element i of a call with `operands` operands.
std::string element_of(const Words& asked, size_t i) {
  const std::string source = asked[2] == "mixed" ? "f16" : asked[2] == "mixedb" ? "bf16" : asked[2];
  const size_t count = std::strtoull(asked[4].c_str(), nullptr, 10);
  std::string out = asked[1] + " " + asked[2] + " of";
  const bool reduction =
      asked[1] == "dot" || asked[1] == "sum" || asked[1] == "rmax" || asked[1] == "rmin";
  if (reduction || count == 0) return out + fmt::format(" {} elements", count);
  for (size_t k = 0; 5 + k * count + i < asked.size() && i < count; ++k) {
    const std::string type = k == 2 && asked[2].rfind("mixed", 0) == 0 ? "f32" : source;
    out += (k == 0 ? " " : ", ") + with_value(type, asked[5 + k * count + i]);
  }
  return out;
}

std::string explained(const Step& step, size_t i, const std::string& expected,
                      const std::string& got) {
  const Words asked = words_of(step.request);
  if (asked[0] == "call" && asked.size() > 5) {
    return fmt::format("{}: expected {}, got {}", element_of(asked, i),
                       with_value(asked[3], expected), with_value(asked[3], got));
  }
  if (asked[0] == "read" && asked.size() > 4) {
    const auto address = std::strtoull(asked[3].c_str(), nullptr, 16) + 4 * i;
    return fmt::format("tile ({}, {}), word at 0x{:x}: expected 0x{}, got 0x{}", asked[1], asked[2],
                       address, expected, got);
  }
  if (asked[0] == "take" && asked.size() > 3) {
    return fmt::format("wavelet {} at {}{} on colour {}: expected {}, got {}", i, asked[1],
                       asked[2], asked[3], expected, got);
  }
  return fmt::format("'{}', token {}: expected {}, got {}", cut(step.request), i, expected, got);
}

// Whether nothing is an answer like others.
bool gives_a_list(const std::string& request) {
  for (const char* begin :
       {"take ", "link take ", "link noted ", "link credits ", "link frames "}) {
    if (request.rfind(begin, 0) == 0) return true;
  }
  return false;
}

// Whether a token is what was expected: the same, any, or a number in a range.
bool agrees(const std::string& expected, const std::string& got) {
  if (expected == got || expected == kAny) return true;
  const size_t dots = expected.find("..");
  if (dots == std::string::npos || got.empty() || got.size() > 16) return false;
  char* end = nullptr;
  const uint64_t value = std::strtoull(got.c_str(), &end, 16);
  return *end == '\0' && value >= std::strtoull(expected.c_str(), nullptr, 16) &&
         value <= std::strtoull(expected.c_str() + dots + 2, nullptr, 16);
}

std::string ask(Door* door, const std::string& line, Outcome* outcome) {
  const std::string answer = door->ask(line);
  outcome->answers.push_back(answer);
  return answer;
}

// Asks until the first difference.
void run_test(const Test& test, Door* door, Outcome* outcome) {
  outcome->verdict = Verdict::Passed;
  door->ask("test " + test.name);
  for (const Step& step : test.steps) {
    const std::string difference = first_difference(step, ask(door, step.request, outcome));
    if (difference.empty()) continue;
    outcome->verdict = test.kind == Class::Timing ? Verdict::Reported : Verdict::Failed;
    outcome->why = difference;
    outcome->blamed = step.rules.empty() ? test.rules : step.rules;
    return;
  }
}

void waive(const DeviceFile& device, const std::string& day, Outcome* outcome) {
  if (outcome->verdict != Verdict::Failed) return;
  const auto waived = [&](const std::string& rule) {
    return std::any_of(device.waivers.begin(), device.waivers.end(),
                       [&](const Waiver& w) { return w.rule == rule && day <= w.expires; });
  };
  if (!outcome->blamed.empty() &&
      std::all_of(outcome->blamed.begin(), outcome->blamed.end(), waived)) {
    outcome->verdict = Verdict::Waived;
  }
}

// A rule has failed if a difference breaks it. It has passed if a test that shows it has passed.
void add_rules(const Suite& suite, Report* report) {
  for (const auto& [id, rule] : suite.rules) report->rules[id];
  for (size_t k = 0; k < report->outcomes.size(); ++k) {
    const Outcome& outcome = report->outcomes[k];
    if (outcome.verdict == Verdict::NotClaimed) continue;
    const bool passed = outcome.verdict == Verdict::Passed;
    for (const std::string& id : passed ? suite.tests[k].rules : outcome.blamed) {
      RuleOutcome& rule = report->rules[id];
      (passed ? rule.passed : rule.failed) += 1;
      if (!passed && rule.first.empty()) rule.first = outcome.test;
      const bool worse = rule.verdict == Verdict::NotClaimed || rule.verdict == Verdict::Passed;
      if (worse || outcome.verdict == Verdict::Failed) rule.verdict = outcome.verdict;
    }
  }
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  constexpr const char* kNames[] = {"passed", "failed", "not claimed", "waived", "reported"};
  return kNames[static_cast<int>(verdict)];
}

std::string first_difference(const Step& step, const std::string& answer) {
  const Words got = words_of(answer);
  if (got.empty() || got[0] != "ok") {
    const std::string what = got.empty()         ? "an empty answer"
                             : got[0] == "no"    ? "the device does not have it: "
                             : got[0] == "error" ? "the device reports "
                                                 : "no answer of the protocol: ";
    return fmt::format("'{}': {}{}", cut(step.request), what, cut(answer));
  }
  const Words expected = words_of(step.expected);
  if (step.expected.empty() && !gives_a_list(step.request)) return "";
  for (size_t i = 0; i < std::max(expected.size(), got.size() - 1); ++i) {
    if (i < expected.size() && expected[i] == kRest) return "";
    const std::string want = i < expected.size() ? expected[i] : "nothing";
    const std::string have = i + 1 < got.size() ? got[i + 1] : "nothing";
    if (!agrees(want, have)) return explained(step, i, want, cut(have));
  }
  return "";
}

bool Report::conforms() const {
  const auto count = [this](Verdict verdict) {
    return std::count_if(outcomes.begin(), outcomes.end(),
                         [&](const Outcome& o) { return o.verdict == verdict; });
  };
  return count(Verdict::Failed) == 0 && count(Verdict::Passed) > 0;
}

Report judge(const Suite& suite, const DeviceFile& device, Door* door,
             const JudgeOptions& options) {
  Report report{device.name, suite.digest(), suite.seed, options.day, {}, {}};
  int silent = 0;
  for (const Test& test : suite.tests) {
    Outcome outcome{test.name, Verdict::NotClaimed, device.lacks(test.needs), {}, {}};
    if (test.name.rfind(options.filter, 0) != 0) outcome.why = "not chosen";
    if (outcome.why.empty() && silent >= options.most_silent) {
      outcome = {test.name, Verdict::Failed, "not asked: the device is silent", test.rules, {}};
    } else if (outcome.why.empty()) {
      try {
        run_test(test, door, &outcome);
        silent = 0;
      } catch (const Silent& e) {
        outcome = {test.name, Verdict::Failed, e.what(), test.rules, outcome.answers};
        ++silent;
        door->restart();
      }
    }
    waive(device, options.day, &outcome);
    report.outcomes.push_back(std::move(outcome));
    if (options.progress) options.progress(report.outcomes.size(), suite.tests.size());
  }
  add_rules(suite, &report);
  return report;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

}  // namespace ow::conform
