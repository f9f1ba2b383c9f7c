// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/document.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "ow/base/error.h"

namespace ow::bench {
namespace {

// Where the table's lines are: after the opening mark, up to the closing one. `what`: a bench, or a
// bench and a table of a row of it.
std::pair<size_t, size_t> bounds(const std::string& text, const std::string& what) {
  const std::string open = fmt::format("<!-- ow bench {} -->\n", what);
  const std::string close = fmt::format("<!-- end of ow bench {} -->\n", what);
  const size_t begin = text.find(open);
  const size_t end = text.find(close);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    throw BadInput(fmt::format("the document has no table between '{}' and '{}'",
                               open.substr(0, open.size() - 1), close.substr(0, close.size() - 1)));
  }
  return {begin + open.size(), end};
}

// The cells of a line. A | that belongs to one is \| there (escaped).
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::string cell;
  for (size_t at = 1; at < line.size(); ++at) {
    if (line[at] == '\\' && at + 1 < line.size() && line[at + 1] == '|') {
      cell += line[++at];
    } else if (line[at] == '|') {
      cell.erase(0, cell.find_first_not_of(' '));
      cell.erase(cell.find_last_not_of(' ') + 1);
      out.push_back(std::exchange(cell, std::string()));
    } else {
      cell += line[at];
    }
  }
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string number_text(double value) {
  if (value == static_cast<double>(static_cast<int64_t>(value))) {
    return grouped(static_cast<int64_t>(value));
  }
  return fmt::format("{:.4g}", value);
}

std::string with_unit(double value, const std::string& unit) {
  return unit == "x" ? number_text(value) : fmt::format("{} {}", number_text(value), unit);
}

// "| a | b |", a line.
std::string table_line(const nlohmann::json& cells) {
  std::string line = "|";
  for (const auto& cell : cells) line += fmt::format(" {} |", escaped(cell.get<std::string>()));
  return line + "\n";
}

// The document with the tables that a row brings in its raw figures.
std::string with_row_tables(std::string text, const std::string& bench, const nlohmann::json& row) {
  const nlohmann::json::json_pointer at("/raw/tables");
  if (!row.contains(at)) return text;
  for (const auto& [name, table] : row[at].items()) {
    const auto [begin, end] = bounds(text, fmt::format("{} {}", bench, name));
    std::string lines = table_line(table.at("columns")) + "|";
    for (size_t i = 0; i < table.at("columns").size(); ++i) lines += "---|";
    lines += "\n";
    for (const auto& line : table.at("lines")) lines += table_line(line);
    text.replace(begin, end - begin, lines);
  }
  return text;
}

// Of a provenance: "0123456789... with changes" is "012345678+".
std::string commit_text(const std::string& commit) {
  constexpr size_t kDigits = 9;
  const bool changed = commit.find(' ') != std::string::npos;
  return commit.substr(0, kDigits) + (changed ? "+" : "");
}

}  // namespace

std::string grouped(int64_t n) {
  std::string digits = fmt::format("{}", n);
  const size_t sign = n < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string target_text(const Target& target) {
  return fmt::format("{} {}", target.sign(), with_unit(target.target, target.unit));
}

std::vector<TableRow> table_rows(const std::string& text, const std::string& bench) {
  const auto [begin, end] = bounds(text, bench);
  std::vector<TableRow> rows;
  size_t at = begin;
  int line_number = 0;
  while (at < end) {
    const size_t stop = text.find('\n', at);
    const std::string line = text.substr(at, stop - at);
    at = stop + 1;
    if (line.empty() || line[0] != '|' || ++line_number <= 2) continue;  // heading, rule
    std::vector<std::string> c = cells(line);
    c.resize(6);
    rows.push_back({c[0], c[1], c[2], c[3], c[4], c[5]});
  }
  return rows;
}

std::string with_table(const std::string& text, const Targets& targets,
                       const nlohmann::json& result) {
  const std::string bench = result.at("bench").get<std::string>();
  const auto [begin, end] = bounds(text, bench);
  std::map<std::string, TableRow> before;
  for (const TableRow& row : table_rows(text, bench)) before[row.id] = row;
  std::map<std::string, nlohmann::json> measured;
  for (const auto& row : result.at("results")) {
    measured[row.at("name").get<std::string>()] = row;
  }
  std::string table =
      "| id | what | target | figure | commit | command |\n|---|---|---|---|---|---|\n";
  for (const std::string& name : row_names(targets)) {
    const Target& target = targets.at(name);
    const auto was = before.find(name);
    std::string figure = was != before.end() ? was->second.figure : "not measured";
    std::string commit = was != before.end() ? was->second.commit : "";
    std::string command = was != before.end() ? was->second.command : "";
    const auto found = measured.find(name);
    if (found != measured.end()) {
      const bool pass = found->second.at("pass").get<bool>();
      const std::string value = with_unit(found->second.at("value").get<double>(), target.unit);
      figure = pass ? value : fmt::format("**missed: {}**", value);
      commit = commit_text(found->second.value("commit", ""));
      command = fmt::format("`{}`", found->second.at("command").get<std::string>());
    }
    table += table_line({name, target.what, target_text(target), figure, commit, command});
  }
  std::string out = text.substr(0, begin) + table + text.substr(end);
  for (const auto& [name, row] : measured) out = with_row_tables(out, bench, row);
  return out;
}

}  // namespace ow::bench
