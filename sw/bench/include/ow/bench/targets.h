// SPDX-License-Identifier: Apache-2.0
// The files that say what a bench must reach: configs/targets.yaml, and configs/known-misses.yaml
// with the reason for each miss.
#ifndef OW_BENCH_TARGETS_H_
#define OW_BENCH_TARGETS_H_

#include <map>
#include <string>
#include <vector>

namespace ow::bench {

struct Target {
  std::string what;
  std::string unit;
  std::string better;  // higher, lower or equal
  double target = 0;
  int position = 0;  // in the file, which is the order of every table

  bool met(double value) const;
  const char* sign() const;  // ">=", "<=" or "="
};

// A row that may miss its target. A value that is worse than `value` fails. A value that meets the
// target fails too: the entry is no longer true.
struct KnownMiss {
  double value = 0;
  std::string reason;
};

// By the full name of a row: "tile.axpy_f16".
using Targets = std::map<std::string, Target>;

// Each throws BadInput, with file, line and key, for a file that is not as it must be.
Targets load_targets(const std::string& path, const std::string& area);
std::vector<std::string> target_areas(const std::string& path);
std::map<std::string, KnownMiss> load_known_misses(const std::string& path);

// The rows in the order of the file.
std::vector<std::string> row_names(const Targets& targets);

}  // namespace ow::bench

#endif  // OW_BENCH_TARGETS_H_
