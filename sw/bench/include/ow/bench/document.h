// SPDX-License-Identifier: Apache-2.0
// The tables of docs/results.md, which `ow bench` writes, so that document and measurement cannot
// differ, and each figure says which commit it is of ("+": with changes). A table stands between
// the lines
//   <!-- ow bench NAME -->
//   <!-- end of ow bench NAME -->
// A row whose raw figures have "tables" ({TABLE: {"columns": [text], "lines": [[text]]}}) brings
// them, too, each between the same lines with NAME TABLE.
#ifndef OW_BENCH_DOCUMENT_H_
#define OW_BENCH_DOCUMENT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ow/bench/targets.h"

namespace ow::bench {

// A line of a table.
struct TableRow {
  std::string id, what, target, figure, commit, command;
};

// The lines of a bench's table, in order. BadInput if the document has no such table.
std::vector<TableRow> table_rows(const std::string& text, const std::string& bench);

// How a whole number is written: 1234567 as "1,234,567".
std::string grouped(int64_t n);

// How a target and a figure are written: ">= 97 %".
std::string target_text(const Target& target);

// The document with the table of result["bench"] made from `result` (Rows::result()): rows that
// were measured get their figure, the commit that it is of and the command, those that were not
// keep what they had, the older commit included. BadInput if the document has no such table.
std::string with_table(const std::string& text, const Targets& targets,
                       const nlohmann::json& result);

}  // namespace ow::bench

#endif  // OW_BENCH_DOCUMENT_H_
