// SPDX-License-Identifier: Apache-2.0
// `ow bench link`: rates, noise, repair and refusal of the reticle-crossing link.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "ow/bench/benches.h"
#include "ow/bench/document.h"
#include "ow/measure/link/measure.h"
#include "ow/measure/link/pair.h"
#include "ow/measure/link/two_clocks.h"

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
    rows->fault("W2", fmt::format("{} wavelets lost, wrong, doubled or reordered: {}", errors,
                                  first_error));
  }
  rows->add("W2", slowest, {{"cases", raw}, {"errors", errors}});
  rows->add("W2.latency", static_cast<double>(latency_max),
            {{"min", latency_min}, {"max", latency_max}});
  rows->add("W2.spread", static_cast<double>(latency_max - latency_min),
            {{"min", latency_min}, {"max", latency_max}});
}

void noise(Rows* rows, const LinkBench& bench) {
  struct Case {
    const char* name;
    double ber, bursts;
    uint64_t retrain;
    double share;
  };
  static const Case kCases[] = {{"1e-6", 1e-6, 0, 0, 0.2},
                                {"1e-5", 1e-5, 0, 0, 0.2},
                                {"1e-4", 1e-4, 0, 0, 0.2},
                                {"1e-3", 1e-3, 0, 0, 0.2},
                                {"bursts", 0, 0.003, 0, 0.05},
                                {"bursts, 1e-4, retraining", 1e-4, 0.003, 25000, 0.05},
                                {"1e-3, retraining", 1e-3, 0, 25000, 0.05},
                                {"1e-5, retraining", 1e-5, 0, 10000, 0.05}};
  const link::Window window = link::measure_window(rows->options().seed);
  const uint64_t total = static_cast<uint64_t>(bench.millions * 1e6);
  const Progress bar = rows->progress("noise");
  const auto whole = static_cast<double>(total);
  uint64_t done = 0;
  uint64_t bad = 0;
  double deviation = 0;
  double at_1e5 = 0;
  nlohmann::json raw = nlohmann::json::array();
  for (const Case& c : kCases) {
    const link::Noise n = link::measure_noise(
        c.name, c.ber, c.bursts, c.retrain,
        static_cast<uint64_t>(c.share * static_cast<double>(total)) + 1,
        rows->options().seed + done,
        [&](uint64_t taken) { bar(static_cast<double>(done + taken) / whole); });
    done += n.wavelets;
    bad += n.lost + n.errors;
    const double p = link::wrong_frame_probability(c.ber);
    const double expected = link::formula(p, window.frames());
    const bool plain = c.bursts == 0 && c.retrain == 0;
    if (plain) deviation = std::max(deviation, 100 * std::abs(n.goodput() / expected - 1));
    if (plain && c.ber == 1e-5) at_1e5 = 100 * n.goodput();
    raw.push_back({{"case", c.name},
                   {"bit_error_rate", c.ber},
                   {"bursts_a_cycle", c.bursts},
                   {"retrain_every", c.retrain},
                   {"wavelets", n.wavelets},
                   {"lost", n.lost},
                   {"wrong_doubled_or_reordered", n.errors},
                   {"first_error", n.first_error},
                   {"cycles_up", n.cycles_up},
                   {"wavelets_up", n.wavelets_up},
                   {"goodput", n.goodput()},
                   {"formula", plain ? nlohmann::json(expected) : nlohmann::json()},
                   {"bits_flipped", n.bits_flipped},
                   {"bursts", n.bursts_made},
                   {"wrong_frames", n.wrong_frames},
                   {"replays", n.replays},
                   {"trainings", n.trainings}});
  }
  const nlohmann::json all = {{"cases", raw},
                              {"window_frames", window.frames()},
                              {"window_from", {window.errors, window.frames_lost}}};
  nlohmann::json with_table = all;
  with_table["tables"]["W3"] = noise_table(raw);
  rows->add("W3", static_cast<double>(bad), std::move(with_table));
  rows->add("W3.wavelets", static_cast<double>(done) / 1e6, {{"wavelets", done}});
  rows->add("W3.formula", deviation, all);
  rows->add("W3.1e-5", at_1e5, all);
}

void two_clocks(Rows* rows, const LinkBench& bench) {
  const uint64_t total = static_cast<uint64_t>(bench.millions * 1e4);
  const Progress bar = rows->progress("two clocks");
  const auto whole = static_cast<double>(total);
  const link::PhaseSweep s = link::measure_phases(total, rows->options().seed, [&](uint64_t taken) {
    bar(static_cast<double>(taken) / whole);
  });
  const nlohmann::json raw = {{"cases", s.cases},
                              {"trained", s.trained},
                              {"wavelets", s.wavelets},
                              {"lost", s.lost},
                              {"errors", s.errors},
                              {"first_error", s.first_error},
                              {"wrong_frames", s.wrong_frames},
                              {"trainings", s.trainings},
                              {"latency_periods", {s.latency_min, s.latency_max}},
                              {"latency_spread_in_a_case", s.latency_spread}};
  rows->add("W3.clocks", static_cast<double>(s.lost + s.errors), raw);
  rows->add("W3.clocks_wavelets", static_cast<double>(s.wavelets) / 1e6, raw);
}

void repairs(Rows* rows) {
  constexpr int kPairs = link::kGroupLanes * (link::kGroupLanes - 1) / 2;
  const Progress bar = rows->progress("lane pairs");
  const auto whole = static_cast<double>(link::kGroups * kPairs);
  int repaired = kPairs;
  nlohmann::json raw = nlohmann::json::array();
  for (int g = 0; g < link::kGroups; ++g) {
    const link::Repairs r =
        link::measure_repairs(g, 1, 1000, rows->options().seed, [&](uint64_t done) {
          bar(static_cast<double>(static_cast<uint64_t>(g * kPairs) + done) / whole);
        });
    repaired = std::min(repaired, r.repaired);
    raw.push_back({{"group", g},
                   {"cases", r.cases},
                   {"repaired", r.repaired},
                   {"wavelets", r.wavelets},
                   {"errors", r.errors},
                   {"slowest", r.slowest},
                   {"longest_training", r.longest_training},
                   {"failed", r.failed}});
  }
  rows->add("W4", repaired, {{"groups", raw}});
}

void refusals(Rows* rows) {
  constexpr int kCases = 100;
  const Progress bar = rows->progress("too many lanes");
  const auto whole = static_cast<double>(kCases);
  const link::Refusals r = link::measure_refusals(
      kCases, rows->options().seed, [&](uint64_t done) { bar(static_cast<double>(done) / whole); });
  const nlohmann::json raw = {{"cases", r.cases},
                              {"refused", r.refused},
                              {"sent_while_down", r.wavelets_leaked},
                              {"failed", r.failed}};
  rows->add("W5", 100.0 * r.refused / r.cases, raw);
  rows->add("W5.sent", static_cast<double>(r.wavelets_leaked), raw);
}

}  // namespace

nlohmann::json noise_table(const nlohmann::json& cases) {
  nlohmann::json table = {
      {"columns", {"bit-error rate", "wavelets", "wrong frames", "goodput", "formula"}},
      {"lines", nlohmann::json::array()}};
  const auto percent = [](const nlohmann::json& share) {
    return fmt::format("{:.2f} %", 100 * share.get<double>());
  };
  for (const auto& c : cases) {
    if (c.at("formula").is_null()) continue;
    table["lines"].push_back({c.at("case"), grouped(c.at("wavelets").get<int64_t>()),
                              grouped(c.at("wrong_frames").get<int64_t>()),
                              percent(c.at("goodput")), percent(c.at("formula"))});
  }
  return table;
}

void measure_link(Rows* rows, const LinkBench& bench) {
  if (rows->wants("W2")) rates(rows);
  if (rows->wants("W3")) {
    noise(rows, bench);
    two_clocks(rows, bench);
  }
  if (rows->wants("W4")) repairs(rows);
  if (rows->wants("W5")) refusals(rows);
}

}  // namespace ow::bench
