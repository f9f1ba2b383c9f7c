// SPDX-License-Identifier: Apache-2.0
// What a server counts, as text for Prometheus.
#ifndef OW_API_METRICS_H_
#define OW_API_METRICS_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "ow/serve/engine.h"

namespace ow::api {

// Seconds, in classes up to 10.
class Histogram {
 public:
  void add(double seconds);
  // Lines of the text format, below HELP and TYPE.
  std::string text(const std::string& name, const std::string& help) const;

 private:
  static constexpr std::array<double, 13> kBounds = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                                     0.2,   0.5,   1,     2,    5,    10};
  std::array<uint64_t, kBounds.size() + 1> counts_{};
  double sum_ = 0;
};

// Events a second over the last ten seconds.
class Rate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // The events since the beginning, now.
  void add(uint64_t total, Time now);
  double a_second(Time now) const;

 private:
  static constexpr int64_t kSeconds = 10;
  static int64_t second(Time time);
  std::array<uint64_t, kSeconds> counts_{};
  std::array<int64_t, kSeconds> seconds_{};
  uint64_t total_ = 0;
};

struct Metrics {
  serve::EngineCounts engine;
  int slots = 0;
  int most = 0;                  // answers at a time
  int waiting = 0;               // answers without a slot
  uint64_t stopped = 0;          // answers that ended before the engine ended them
  uint64_t cycle = 0;            // of the machine, at the last token
  Histogram first_token;         // from the request to the first token of an answer
  Histogram token;               // from one token of an answer to the next
  Rate prompt_rate, token_rate;  // tokens
  std::map<std::pair<std::string, int>, uint64_t> replies;  // by path and status

  // The text format of Prometheus, version 0.0.4.
  std::string text() const;
};

}  // namespace ow::api

#endif  // OW_API_METRICS_H_
