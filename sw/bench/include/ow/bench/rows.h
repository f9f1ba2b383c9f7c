// SPDX-License-Identifier: Apache-2.0
// The rows of one bench: figures against targets, known misses and reports of other commands.
#ifndef OW_BENCH_ROWS_H_
#define OW_BENCH_ROWS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ow/bench/baselines.h"
#include "ow/bench/kept_rows.h"
#include "ow/bench/report_queue.h"
#include "ow/bench/targets.h"

namespace ow::bench {

// Shows how far a long measurement is; `done` from 0 to 1.
using Progress = std::function<void(double done)>;

struct Options {
  std::string source;             // the source tree: scripts/provenance, data, configurations
  std::string targets;            // configs/targets.yaml
  std::string misses;             // configs/known-misses.yaml
  std::string sources;            // configs/reports.yaml
  std::string reports;            // the directory of reports
  std::string baselines;          // configs/baselines.yaml; empty: no cycles are compared
  bool update_baselines = false;  // writes what this run took instead
  std::vector<std::string> only;  // rows; empty: all
  uint64_t seed = 1;
  std::string arguments;  // of the command line, where they are not the defaults: " --millions 1"
  bool resume = false;    // takes figures that this tree gave with this seed and these arguments
  std::string last;       // a row that others judge, when its figure is there; empty: none
  ReportQueue* queue =
      nullptr;  // makes reports that are missing or of another tree; or nobody does
  // Makes a progress display with a label; may be empty.
  std::function<Progress(const std::string& label)> progress;
};

// BadInput if `only` names a row that neither the targets of the bench have nor `others`.
void check_only(const std::string& bench, const Targets& targets,
                const std::vector<std::string>& only, const std::set<std::string>& others = {});

class Rows {
 public:
  // Reads the files first, so that a wrong one costs no run. BadInput as check_only.
  Rows(std::string bench, const Options& options, const std::set<std::string>& others = {});

  const Options& options() const { return options_; }
  Progress progress(const std::string& label) const;

  // A row is to be measured if none or this one was named, and no earlier run that is gone on with
  // has its figures; parts of it (S6.rate) go with it.
  bool wants(const std::string& row) const { return asked(row) && kept_.count(row) == 0; }
  bool named(const std::string& row) const { return only_.count(row) != 0; }
  // A figure with the raw counts from which it can be computed again.
  void add(const std::string& name, double value, nlohmann::json raw);
  // The same of a row that not everybody can measure: it is kept as a report, too.
  void add_and_keep(const std::string& name, double value, const std::string& key,
                    nlohmann::json raw);
  // Cycles behind a row that must stay as they are, by a name of their own. Empty, or how they are
  // not as their baseline, which fails the bench at its end.
  std::string cycles(const std::string& row, const std::string& name, uint64_t cycles);
  // What went wrong in measuring a row, which fails the bench.
  void fault(const std::string& row, const std::string& what);

  // Takes the reports of rows that were asked for and not measured. The exit status: 1 if a row was
  // missed or has no figure and no known miss covers that, a known miss got worse or is none any
  // more, or there was a fault.
  int finish();

  // {"bench", "provenance", "results": [...], "faults": [...], "not_measured": [...],
  // "seconds_before"}: the last is what the figures of earlier runs took.
  nlohmann::json& result() { return result_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool asked(const std::string& row) const { return only_.empty() || only_.count(row) != 0; }
  void take_kept();
  void judge_cycles();
  void judge(const std::string& name, double value, nlohmann::json raw,
             const nlohmann::json& provenance);
  void without_figure(const std::string& name, const std::string& why);

  std::string bench_;
  const Options options_;
  Targets targets_;
  std::map<std::string, KnownMiss> misses_;
  std::map<std::string, ReportSource> sources_;
  std::set<std::string> only_;
  std::set<std::string> measured_;
  Baselines baselines_;                        // as the file has them
  Baselines cycles_;                           // as this run took them
  std::map<std::string, std::string> row_at_;  // of each of these
  std::optional<KeptRows> keeper_;             // none: of a bench whose rows are only good together
  std::map<std::string, KeptRow> kept_;        // by row, from earlier runs
  Clock::time_point begin_ = Clock::now();     // of the row that is being measured
  nlohmann::json result_;
  bool passed_ = true;
};

}  // namespace ow::bench

#endif  // OW_BENCH_ROWS_H_
