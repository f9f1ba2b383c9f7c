// SPDX-License-Identifier: Apache-2.0
// Reports: figures that another command has measured, each with where it comes from.
#ifndef OW_BENCH_REPORT_H_
#define OW_BENCH_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ow/bench/targets.h"

namespace ow::bench {

// What scripts/provenance says of these paths of the source tree `source`. BadInput if that is no
// checkout.
nlohmann::json provenance(const std::string& source, const std::string& command, uint64_t seed,
                          const std::vector<std::string>& inputs);

// A report that may be used, or the reason why it may not.
struct Report {
  nlohmann::json contents;
  double value = 0;
  std::string refused;  // empty: the figure counts
  bool missing = false;
};

// Reads DIR/source.file. Refused: no report, not JSON, no provenance, one of other files than those
// of today's tree, no figure, or counts that are too small to say anything.
Report read_report(const std::string& source_tree, const std::string& dir,
                   const ReportSource& source);

// Runs source.command, its words into DIR/source.file.log, and keeps what it measured, with its
// provenance, as DIR/source.file: what went wrong, or an empty text. Files that change while the
// command runs are not what it measured: then nothing is kept.
std::string make_report(const std::string& source_tree, const std::string& dir,
                        const ReportSource& source);

// Writes a report: `contents` with the key "provenance", to a temporary name and renamed.
void write_report(const std::string& dir, const ReportSource& source, nlohmann::json contents,
                  const nlohmann::json& provenance);

}  // namespace ow::bench

#endif  // OW_BENCH_REPORT_H_
