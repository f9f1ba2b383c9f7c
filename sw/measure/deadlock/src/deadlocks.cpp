// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/deadlocks.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/isa/isa.h"
#include "seeds.h"

namespace ow {
namespace {

using deadlock::Bench;
using deadlock::Seed;
using deadlock::seeds;

// A program that never rests is stopped after this number of cycles from the start of the cores.
// All seeds spin or wait long before that. The time of the report should not go into spinning.
constexpr uint64_t kTimeLimit = 2000;

// Everything that the report should say and does not say, in its text and in its data. Empty if
// nothing is missing.
std::string not_said(const Seed& seed, const HangReport& report) {
  const auto is_seeded = [&](const Diagnosis& d) {
    return d.cause == seed.cause && (seed.row < 0 || d.row == seed.row) &&
           (seed.col < 0 || d.col == seed.col) && (seed.colour < 0 || d.colour == seed.colour);
  };
  const auto d = std::find_if(report.diagnoses.begin(), report.diagnoses.end(), is_seeded);
  if (d == report.diagnoses.end() || !d->root) return "the cause";
  for (const Diagnosis& other : report.diagnoses) {
    if (other.root && !is_seeded(other)) return "that there is no other cause than this";
  }
  const std::string text = report.text();
  const std::string head = text.substr(0, text.find('\n'));
  const char* const expected = seed.ends ? "nothing moves any more" : "still computing";
  if (head.find(expected) != 0) return expected;
  std::vector<std::string> words = seed.says;
  if (seed.row >= 0) words.push_back(fmt::format("tile ({}, {})", seed.row, seed.col));
  // One line of the causes holds all of them.
  std::string missing = "a line of a cause";
  for (size_t at = text.find("\n  cause: "); at != std::string::npos;
       at = text.find("\n  cause: ", at + 1)) {
    const std::string line = text.substr(at, text.find('\n', at + 1) - at);
    const auto word = std::find_if(words.begin(), words.end(), [&](const std::string& w) {
      return line.find(w) == std::string::npos;
    });
    if (word == words.end()) return "";
    missing = *word;
  }
  return missing;
}

}  // namespace

std::vector<std::string> deadlock_names() {
  std::vector<std::string> names;
  for (const Seed& seed : seeds()) names.push_back(seed.name);
  return names;
}

DeadlockResult run_deadlock(size_t index, const std::string& firmware) {
  const std::vector<Seed> all = seeds();
  if (index >= all.size()) {
    throw BadInput(
        fmt::format("deadlock {}: there are {} (0 to {})", index, all.size(), all.size() - 1));
  }
  const Seed& seed = all[index];
  const ElfImage image = read_elf(firmware.empty() ? OW_FIRMWARE_DIR "/deadlock.elf" : firmware,
                                  isa::kFull.sram_bytes);
  SimOptions options;
  options.check_idle = true;
  if (seed.options) seed.options(options);
  Bench bench(GridShape{2, 2}, options, image);
  seed.before(bench);
  const std::clock_t begin = std::clock();
  bench.start();
  if (seed.after) seed.after(bench);
  DeadlockResult result;
  result.name = seed.name;
  result.hung = seed.ends ? bench.run(100000) == RunStatus::Quiet
                          : bench.run(kTimeLimit) == RunStatus::CycleLimit;
  result.report = make_hang_report(bench.control(), &image);
  result.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  result.cycles = result.report.cycle;
  const std::string missing = not_said(seed, result.report);
  result.named = missing.empty();
  result.ok = result.hung && result.named;
  if (!result.ok) {
    result.message = fmt::format("expected {} and [{}] at tile ({}, {}): {}\n{}",
                                 seed.ends ? "an end" : "no end", hang_cause_name(seed.cause),
                                 seed.row, seed.col, missing, result.report.text());
  }
  return result;
}

std::vector<DeadlockResult> run_deadlocks(const std::string& firmware) {
  std::vector<DeadlockResult> results;
  for (size_t i = 0; i < seeds().size(); ++i) results.push_back(run_deadlock(i, firmware));
  return results;
}

}  // namespace ow
