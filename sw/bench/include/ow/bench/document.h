// SPDX-License-Identifier: Apache-2.0
// The tables of docs/results.md, which `ow bench` writes, so that document and measurement cannot
// differ. A table stands between the lines
//   <!-- ow bench NAME -->
//   <!-- end of ow bench NAME -->
#ifndef OW_BENCH_DOCUMENT_H_
#define OW_BENCH_DOCUMENT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ow/bench/targets.h"

namespace ow::bench {

// A line of a table.
struct TableRow {
  std::string id, what, target, figure, command;
};

// The lines of a bench's table, in order. BadInput if the document has no such table.
std::vector<TableRow> table_rows(const std::string& text, const std::string& bench);

// How a target and a figure are written: ">= 97 %".
std::string target_text(const Target& target);

// The document with the table of result["bench"] made from `result` (Rows::result()): rows that
// were measured get their figure and command, those that were not keep what they had. BadInput if
// the document has no such table.
std::string with_table(const std::string& text, const Targets& targets,
                       const nlohmann::json& result);

}  // namespace ow::bench

#endif  // OW_BENCH_DOCUMENT_H_
