// SPDX-License-Identifier: Apache-2.0
// What a report looks like in JSON and as one page of HTML.
#include <fmt/format.h>

#include "ow/conform/judge.h"

namespace ow::conform {
namespace {

using nlohmann::json;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  }
  return out;
}

std::string row(Verdict verdict, const std::vector<std::string>& cells) {
  std::string name = verdict_name(verdict), out;
  for (char& c : name) c = c == ' ' ? '-' : c;
  out = "<tr class=\"" + name + "\">";
  for (const std::string& cell : cells) out += "<td>" + escaped(cell) + "</td>";
  return out + "</tr>\n";
}

const Outcome* outcome_of(const Report& report, const std::string& test) {
  for (const Outcome& outcome : report.outcomes) {
    if (outcome.test == test) return &outcome;
  }
  return nullptr;
}

std::map<std::string, int> counts_of(const Report& report) {
  std::map<std::string, int> counts;
  for (const auto& [id, rule] : report.rules) ++counts[verdict_name(rule.verdict)];
  return counts;
}

constexpr char kHead[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
    "charset=\"utf-8\"><title>Conformance</title><style>\n"
    "body{font:15px sans-serif;max-width:75em;margin:2em auto;padding:0 "
    "1em}table{border-collapse:collapse}\n"
    "td,th{border:1px solid #bbb;padding:.3em .6em;text-align:left;vertical-align:top}\n"
    ".failed td:nth-child(2){background:#f7c6c5}.passed td:nth-child(2){background:#cfe8cf}\n"
    ".waived td:nth-child(2){background:#fbe6b5}</style></head><body>\n";

}  // namespace

json report_json(const Report& report, const Suite& suite) {
  json rules = json::object(), tests = json::array();
  for (const auto& [id, rule] : report.rules) {
    json one = {
        {"verdict", verdict_name(rule.verdict)}, {"passed", rule.passed}, {"failed", rule.failed}};
    if (!rule.first.empty()) {
      one["test"] = rule.first;
      one["why"] = outcome_of(report, rule.first)->why;
      one["document"] = suite.rules.at(id).document;
      one["section"] = suite.rules.at(id).section;
    }
    rules[id] = one;
  }
  for (const Outcome& outcome : report.outcomes) {
    json one = {{"test", outcome.test}, {"verdict", verdict_name(outcome.verdict)}};
    if (!outcome.why.empty()) one["why"] = outcome.why;
    if (!outcome.blamed.empty()) one["rules"] = outcome.blamed;
    tests.push_back(one);
  }
  return {{"kit", kKitVersion},
          {"device", report.device},
          {"seed", std::to_string(report.seed)},
          {"vectors", report.suite_digest},
          {"day", report.day},
          {"conforms", report.conforms()},
          {"counts", counts_of(report)},
          {"rules", rules},
          {"tests", tests}};
}

std::string report_html(const Report& report, const Suite& suite) {
  std::string out = kHead;
  out += fmt::format("<h1>{}: {}</h1>\n", escaped(report.device),
                     report.conforms() ? "conforms to what it claims" : "does not conform");
  out += fmt::format("<p>Kit {}, seed {}, vectors {}, {}.</p>\n<p>Rules:", kKitVersion, report.seed,
                     report.suite_digest, report.day);
  for (const auto& [name, count] : counts_of(report)) out += fmt::format(" {} {}.", count, name);
  out +=
      "</p>\n<h2>Rules</h2>\n<table><tr><th>rule</th><th>verdict</th><th>first "
      "difference</th><th>says</th></tr>\n";
  for (const Verdict verdict : {Verdict::Failed, Verdict::Waived, Verdict::Reported,
                                Verdict::Passed, Verdict::NotClaimed}) {
    for (const auto& [id, rule] : report.rules) {
      if (rule.verdict != verdict) continue;
      const Rule& says = suite.rules.at(id);
      const Outcome* first = rule.first.empty() ? nullptr : outcome_of(report, rule.first);
      out += row(verdict, {id, verdict_name(verdict),
                           first == nullptr ? "" : first->test + ": " + first->why,
                           says.document + ", " + says.section + ": " + says.text});
    }
  }
  out += "</table>\n<h2>Tests</h2>\n<table><tr><th>test</th><th>verdict</th><th>why</th></tr>\n";
  for (const Outcome& outcome : report.outcomes) {
    out += row(outcome.verdict, {outcome.test, verdict_name(outcome.verdict), outcome.why});
  }
  return out + "</table>\n</body></html>\n";
}

}  // namespace ow::conform
