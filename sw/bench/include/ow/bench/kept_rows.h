// SPDX-License-Identifier: Apache-2.0
// Figures of rows that a bench has measured, so that a run of hours that was cut short can go on
// (`ow bench ... --resume`).
#ifndef OW_BENCH_KEPT_ROWS_H_
#define OW_BENCH_KEPT_ROWS_H_

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

namespace ow::bench {

struct KeptFigure {
  std::string name;  // "W8.escapes"
  double value = 0;
  nlohmann::json raw;
};

struct KeptRow {
  std::map<std::string, KeptFigure> figures;  // by name
  double seconds = 0;                         // what they took
  nlohmann::json provenance;                  // of the run that measured them
};

// One file a row, command and seed, DIR/rows/BENCH.ROW.HASH.json (HASH: of command and seed, so
// that a short trial leaves alone what a whole run has measured), each with the provenance of its
// run. A file counts for another run only if that has the same inputs (their hash), command and
// seed.
class KeptRows {
 public:
  KeptRows(const std::string& dir, const std::string& bench, nlohmann::json provenance);

  // A figure of a row, and the seconds since the one before it. The first of a row in this run
  // replaces what runs with its command and seed have kept of the row.
  void add(const std::string& row, const KeptFigure& figure, double seconds);
  // Something went wrong in measuring the row: nothing of it is kept in this run.
  void drop(const std::string& row);
  // The row as an earlier run has left it; nothing if that was of something else, or if one of
  // these figures is missing.
  std::optional<KeptRow> read(const std::string& row, const std::set<std::string>& names) const;

 private:
  std::string path(const std::string& row) const;

  const std::string stem_;
  std::string end_;  // of a file's name
  const nlohmann::json provenance_;
  std::map<std::string, KeptRow> rows_;  // of this run
  std::set<std::string> dropped_;
};

}  // namespace ow::bench

#endif  // OW_BENCH_KEPT_ROWS_H_
