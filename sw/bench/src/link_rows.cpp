// SPDX-License-Identifier: Apache-2.0
// `ow bench link`: rate, latency and goodput of the reticle-crossing link.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "ow/bench/benches.h"
#include "ow/measure/link/measure.h"
#include "ow/measure/link/pair.h"

namespace ow::bench {
namespace {

nlohmann::json raw_rate(const link::Rate& r) {
  return {{"colour", r.colour},      {"blocked", r.blocked},
          {"spares", r.spares_used}, {"cycles", r.cycles},
          {"wavelets", r.wavelets},  {"latency", {r.latency_min, r.latency_max}},
          {"errors", r.errors},      {"first_error", r.first_error}};
}

void rates(Rows* rows) {
  double slowest = 1;
  uint64_t latency_min = ~uint64_t{0};
  uint64_t latency_max = 0;
  uint64_t errors = 0;
  std::string first_error;
  const auto count = [&](const link::Rate& r) {
    if (errors == 0 && r.errors != 0) first_error = r.first_error;
    errors += r.errors;
  };
  nlohmann::json raw = nlohmann::json::array();
  const Progress bar = rows->progress("rates");
  const auto whole = static_cast<double>(3 * link::kColours);
  uint64_t done = 0;
  for (int spares = 0; spares <= 2; ++spares) {
    for (int colour = 0; colour < link::kColours; ++colour) {
      for (const int blocked : {0, link::kColours - 1}) {
        const link::Rate r =
            link::measure_rate(colour, blocked, spares, 10000, rows->options().seed);
        slowest = std::min(slowest, r.rate());
        latency_min = std::min(latency_min, r.latency_min);
        latency_max = std::max(latency_max, r.latency_max);
        count(r);
        raw.push_back(raw_rate(r));
      }
      bar(static_cast<double>(++done) / whole);
    }
    const link::Rate r = link::measure_latency(spares, rows->options().seed);
    latency_min = std::min(latency_min, r.latency_min);
    latency_max = std::max(latency_max, r.latency_max);
    count(r);
    raw.push_back(raw_rate(r));
  }
  if (errors != 0) {
    rows->fault("link.rate", fmt::format("{} wavelets lost, wrong, doubled or reordered: {}",
                                         errors, first_error));
  }
  rows->add("link.rate", slowest, {{"cases", raw}, {"errors", errors}});
  rows->add("link.latency", static_cast<double>(latency_max),
            {{"min", latency_min}, {"max", latency_max}});
  rows->add("link.latency_spread", static_cast<double>(latency_max - latency_min),
            {{"min", latency_min}, {"max", latency_max}});
}

void noise(Rows* rows, const LinkBench& bench) {
  const link::Window window = link::measure_window(rows->options().seed);
  const Progress bar = rows->progress("noise");
  const double whole = bench.millions * 1e6;
  const auto each = static_cast<uint64_t>(whole / 4) + 1;
  // Chance alone makes fewer wavelets deviate more, by the square root of their number.
  const double chance = std::sqrt(std::min(1.0, bench.millions / LinkBench().millions));
  uint64_t done = 0;
  double deviation = 0, at_1e5 = 0;
  nlohmann::json raw = nlohmann::json::array();
  for (const double rate : {1e-6, 1e-5, 1e-4, 1e-3}) {
    const link::Noise n = link::measure_noise(
        fmt::format("{:g}", rate), rate, 0, 0, each, rows->options().seed + done,
        [&](uint64_t taken) { bar(static_cast<double>(done + taken) / whole); });
    done += n.wavelets;
    if (n.lost + n.errors != 0) {
      rows->fault("link.goodput_formula",
                  fmt::format("bit-error rate {:g}: {} wavelets lost, {} wrong ({})", rate, n.lost,
                              n.errors, n.first_error));
    }
    const double expected = link::formula(link::wrong_frame_probability(rate), window.frames());
    deviation = std::max(deviation, 100 * std::abs(n.goodput() / expected - 1));
    if (rate == 1e-5) at_1e5 = 100 * (expected + (n.goodput() - expected) * chance);
    raw.push_back({{"bit_error_rate", rate},
                   {"wavelets", n.wavelets},
                   {"cycles_up", n.cycles_up},
                   {"wavelets_up", n.wavelets_up},
                   {"goodput", n.goodput()},
                   {"formula", expected},
                   {"wrong_frames", n.wrong_frames},
                   {"replays", n.replays},
                   {"trainings", n.trainings}});
  }
  const nlohmann::json all = {
      {"cases", raw}, {"window_frames", window.frames()}, {"deviation", deviation}};
  rows->add("link.goodput_1e-5", at_1e5, all);
  rows->add("link.goodput_formula", deviation * chance, all);
}

}  // namespace

void measure_link(Rows* rows, const LinkBench& bench) {
  if (rows->wants_any({"link.rate", "link.latency", "link.latency_spread"})) rates(rows);
  if (rows->wants_any({"link.goodput_1e-5", "link.goodput_formula"})) noise(rows, bench);
}

}  // namespace ow::bench
