// SPDX-License-Identifier: Apache-2.0
// The rows of one area: what was measured, against targets, known misses and baselines.
#ifndef OW_BENCH_ROWS_H_
#define OW_BENCH_ROWS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "ow/bench/baselines.h"
#include "ow/bench/targets.h"

namespace ow::bench {

// Shows how far a long measurement is; `done` from 0 to 1.
using Progress = std::function<void(double done)>;

struct Options {
  std::string source;             // the source tree: data, configurations, scripts
  std::string build;              // the build tree: what the flows of timing and FPGA leave
  std::string targets;            // configs/targets.yaml
  std::string misses;             // configs/known-misses.yaml
  std::string baselines;          // configs/baselines.yaml; empty: no cycles are compared
  bool update_baselines = false;  // writes what this run took instead
  std::vector<std::string> only;  // rows; empty: all
  bool markdown = false;          // prints the table for docs/results.md
  uint64_t seed = 1;
  // Makes a progress display with a label; may be empty.
  std::function<Progress(const std::string& label)> progress;
};

// The full names of `only`: "axpy_f16" is "tile.axpy_f16". BadInput for a name that neither the
// targets of the area nor `parts` have.
std::set<std::string> chosen_rows(const std::string& area, const Targets& targets,
                                  const std::vector<std::string>& only,
                                  const std::set<std::string>& parts = {});

// How a table in docs/results.md writes a target: "≥97".
std::string target_text(const Target& target);

class Rows {
 public:
  // Reads the files first, so that a wrong one costs no run. `parts`: what `only` may name besides
  // rows. BadInput as chosen_rows().
  Rows(std::string area, const Options& options, const std::set<std::string>& parts = {});

  const Options& options() const { return options_; }
  Progress progress(const std::string& label) const;

  // Whether one of these rows is to be measured.
  bool wants(const std::string& name) const;
  bool wants_any(const std::vector<std::string>& names) const;

  // A value with the raw counts from which it can be computed again. `command`: what measured it,
  // if that is another command than `ow bench`.
  void add(const std::string& name, double value, nlohmann::json raw,
           const std::string& command = "");
  // A row that `command` measures, which has not left its figures.
  void not_measured(const std::string& name, const std::string& command);
  // Cycles that must stay as they are, by a name of their own. Returns how they differ from their
  // baseline, or nothing. A difference fails the bench at its end.
  std::string cycles(const std::string& name, uint64_t cycles);
  // What went wrong in a measurement. It fails the bench.
  void fault(const std::string& name, const std::string& what);

  // The exit status: 1 if a row misses its target and no known miss covers that, a known miss got
  // worse or is met, nothing measured a row, or there was a fault. A row of another command may be
  // without a value if it was not named and other rows of the area have one.
  int finish();

  // {"area", "results": [...], "faults": [...], "not_measured": [...]}
  nlohmann::json& result() { return result_; }

 private:
  void judge_cycles();
  void print_markdown() const;
  void say(const std::string& line) const;

  const std::string area_;
  const Options options_;
  Targets targets_;
  std::map<std::string, KnownMiss> misses_;
  std::set<std::string> only_;
  std::set<std::string> measured_;
  std::map<std::string, std::string> waiting_;  // the command, of rows that are not measured
  Baselines baselines_;                         // as the file has them
  Baselines cycles_;                            // as this run took them
  nlohmann::json result_;
  bool passed_ = true;
};

}  // namespace ow::bench

#endif  // OW_BENCH_ROWS_H_
