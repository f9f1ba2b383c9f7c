// SPDX-License-Identifier: Apache-2.0
// The files that say what a bench must reach (configs/targets.yaml), which misses are known
// (configs/known-misses.yaml), and which figures other commands measure (configs/reports.yaml).
#ifndef OW_BENCH_TARGETS_H_
#define OW_BENCH_TARGETS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ow::bench {

struct Target {
  std::string what;
  std::string unit;
  std::string better;  // higher, lower or equal
  double target = 0;
  int position = 0;  // in the file, which is the order in which people look for rows

  bool met(double value) const;
  const char* sign() const;  // ">=", "<=" or "="
};

// A row that may be missed, or that cannot be measured everywhere. A figure that is worse than
// `value` fails, and so does one that meets its target: then the miss is no longer known.
struct KnownMiss {
  std::optional<double> value;  // none: the row may be without a figure
  std::string reason;
  std::string date;  // YYYY-MM-DD
};

// A row that another command measures, into a JSON report with a provenance (scripts/provenance).
struct ReportSource {
  std::string file;     // below the directory of reports
  std::string value;    // the report's key with the figure, as a JSON pointer
  std::string command;  // what writes it to {json}, in the source tree; without
                        // {json}: what writes it by itself
  std::string needs;    // an environment variable without which it cannot run; empty: none
  std::vector<std::string> inputs;         // paths that the figure depends on
  std::map<std::string, double> at_least;  // by JSON pointer: counts below which it says nothing
  bool alone = false;                      // it measures time: nothing else may run beside it

  bool makes_json() const { return command.find("{json}") != std::string::npos; }
};

using Targets = std::map<std::string, Target>;  // by row: "T1", "S6.rate"

// Each throws BadInput, with file, line and key, for a file that is not as it must be.
Targets load_targets(const std::string& path, const std::string& bench);
std::vector<std::string> target_benches(const std::string& path);
std::map<std::string, KnownMiss> load_known_misses(const std::string& path);
std::map<std::string, ReportSource> load_report_sources(const std::string& path);

// "S6.rate" is a part of row "S6".
std::string row_of(const std::string& name);
// The rows in the order of the file.
std::vector<std::string> row_names(const Targets& targets);

}  // namespace ow::bench

#endif  // OW_BENCH_TARGETS_H_
