// SPDX-License-Identifier: Apache-2.0
// https://prometheus.io/docs/instrumenting/exposition_formats/
#include "ow/api/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace ow::api {
namespace {

std::string head(const std::string& name, const char* type, const std::string& help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

template <typename Value>
std::string one(const std::string& name, const char* type, const std::string& help, Value value) {
  return head(name, type, help) + fmt::format("{} {}\n", name, value);
}

}  // namespace

void Histogram::add(double seconds) {
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  ++counts_.at(static_cast<size_t>(bound - kBounds.begin()));
  sum_ += seconds;
}

std::string Histogram::text(const std::string& name, const std::string& help) const {
  std::string out = head(name, "histogram", help);
  uint64_t below = 0;
  for (size_t n = 0; n < kBounds.size(); ++n) {
    below += counts_.at(n);
    out += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, kBounds.at(n), below);
  }
  below += counts_.back();
  out += fmt::format("{}_bucket{{le=\"+Inf\"}} {}\n", name, below);
  return out + fmt::format("{}_sum {}\n{}_count {}\n", name, sum_, name, below);
}

int64_t Rate::second(Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

void Rate::add(uint64_t total, Time now) {
  const int64_t s = second(now);
  const auto n = static_cast<size_t>(s % kSeconds);
  if (seconds_.at(n) != s) {
    seconds_.at(n) = s;
    counts_.at(n) = 0;
  }
  counts_.at(n) += total - total_;
  total_ = total;
}

double Rate::a_second(Time now) const {
  uint64_t sum = 0;
  for (size_t n = 0; n < counts_.size(); ++n) {
    if (second(now) - seconds_.at(n) < kSeconds) sum += counts_.at(n);
  }
  return static_cast<double>(sum) / static_cast<double>(kSeconds);
}

std::string Metrics::text() const {
  const auto now = std::chrono::steady_clock::now();
  std::string out;
  const std::string replies_name = "openwafer_replies_total";
  out += head(replies_name, "counter", "Replies of HTTP");
  for (const auto& [what, count] : replies) {
    out += fmt::format("{}{{path=\"{}\",status=\"{}\"}} {}\n", replies_name, what.first,
                       what.second, count);
  }
  out += one("openwafer_answers_waiting", "gauge", "Answers that wait for a slot", waiting);
  out += one("openwafer_answers_limit", "gauge", "Answers at a time at most, with a slot or not",
             most);
  out += one("openwafer_answers_stopped_total", "counter",
             "Answers ended by a stop text or because the client went away", stopped);
  out += one("openwafer_slots", "gauge", "Users at a time", slots);
  out += one("openwafer_slots_used", "gauge", "Slots in use", engine.running);
  out += one("openwafer_prompt_tokens_total", "counter", "Tokens of prompts", engine.prompt_tokens);
  out += one("openwafer_tokens_total", "counter", "Tokens of answers", engine.tokens);
  out += one("openwafer_discarded_tokens_total", "counter",
             "Tokens that were found after their answer had ended", engine.discarded);
  out +=
      one("openwafer_prompt_tokens_per_second", "gauge",
          "Tokens of prompts a second of wall time, over ten seconds", prompt_rate.a_second(now));
  out += one("openwafer_tokens_per_second", "gauge",
             "Tokens of answers a second of wall time, over ten seconds", token_rate.a_second(now));
  out += one("openwafer_cycle", "gauge", "Cycle of the machine when the last token came", cycle);
  out += first_token.text("openwafer_first_token_seconds",
                          "From a request to the first token of an answer");
  out += token.text("openwafer_token_seconds", "From a token of an answer to its next");
  return out;
}

}  // namespace ow::api
