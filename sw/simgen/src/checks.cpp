// SPDX-License-Identifier: Apache-2.0
#include "checks.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>

#include "cells.h"

namespace ow::simgen {
namespace {

constexpr size_t kMostSelect = 24;         // bits that choose a word
constexpr int64_t kMostAddress = 32;       // bits of a memory's address
constexpr int64_t kMostWords = INT32_MAX;  // words are counted in an int

const std::map<std::string, RegisterType>& register_types() {
  static const std::map<std::string, RegisterType> types = {
      {"$dff", {false, false, false}}, {"$dffe", {true, false, false}},
      {"$sdff", {false, true, false}}, {"$sdffe", {true, true, false}},
      {"$sdffce", {true, true, true}},
  };
  return types;
}

size_t width(const Cell& cell, const char* port) { return cell.port(port).size(); }

void expect(const Cell& cell, const char* port, size_t bits) {
  const size_t has = width(cell, port);
  if (has != bits) cell.refuse(fmt::format("{} has {} bits and not {}", port, has, bits));
}

// Parameters for the widths of ports. A netlist may lack them, as nothing else reads them.
void check_widths(const Cell& cell) {
  for (const char* port : {"A", "B", "S", "Y"}) {
    const std::string parameter = fmt::format("{}_WIDTH", port);
    if (cell.parameters.count(parameter) == 0) continue;
    expect(cell, port, static_cast<size_t>(cell.number(parameter)));
  }
  if (cell.parameters.count("WIDTH") == 0) return;
  const char* word = is_combinational(cell) ? cell.type == "$demux" ? "A" : "Y" : "Q";
  expect(cell, word, static_cast<size_t>(cell.number("WIDTH")));
}

bool sign(const Cell& cell, const char* parameter) {
  return cell.parameters.count(parameter) != 0 && cell.flag(parameter);
}

// Yosys' cell library ignores these signs. No netlist needs them, so one that has them may mean
// something else.
void check_signs(const Cell& cell) {
  const std::string& type = cell.type;
  const bool b = sign(cell, "B_SIGNED");
  if (type == "$shl" || type == "$sshl" || type == "$shr" || type == "$sshr") {
    if (b) cell.refuse("shifts by a number with a sign");
  } else if (type != "$shift" && type != "$shiftx" && type.rfind("$logic_", 0) != 0 &&
             b != sign(cell, "A_SIGNED")) {
    cell.refuse("one operand has a sign, the other one has none");
  }
}

void check_register(const Cell& cell, const RegisterType& type) {
  const size_t bits = width(cell, "Q");
  expect(cell, "CLK", 1);
  expect(cell, "D", bits);
  if (type.enable) expect(cell, "EN", 1);
  if (!type.reset) return;
  expect(cell, "SRST", 1);
  const size_t digits = cell.digits("SRST_VALUE").size();
  if (digits != bits) cell.refuse(fmt::format("SRST_VALUE has {} bits and not {}", digits, bits));
}

void check_latch(const Cell& cell) {
  expect(cell, "EN", 1);
  expect(cell, "D", width(cell, "Q"));
}

// Cells that choose words, or put one among others.
void check_choice(const Cell& cell) {
  const size_t a = width(cell, "A"), select = width(cell, "S");
  if (cell.type == "$bmux" || cell.type == "$demux") {
    if (select > kMostSelect) cell.refuse(fmt::format("S has {} bits", select));
    const bool takes = cell.type == "$bmux";
    expect(cell, takes ? "A" : "Y", width(cell, takes ? "Y" : "A") << select);
    return;
  }
  expect(cell, "Y", a);
  expect(cell, "B", cell.type == "$pmux" ? a * select : a);
  if (cell.type != "$pmux") expect(cell, "S", cell.type == "$bwmux" ? a : 1);
}

bool has_one_operand(const std::string& type) {
  return type == "$not" || type == "$pos" || type == "$buf" || type == "$neg" ||
         type == "$logic_not" || type.rfind("$reduce_", 0) == 0;
}

int64_t number_to(const Cell& cell, const char* parameter, int64_t most) {
  const int64_t value = cell.number(parameter);
  if (value > most) cell.refuse(fmt::format("{} is {}, the limit is {}", parameter, value, most));
  return value;
}

void check_memory(const Cell& cell) {
  number_to(cell, "SIZE", kMostWords);
  number_to(cell, "OFFSET", kMostWords);
  const auto bits = static_cast<size_t>(number_to(cell, "WIDTH", kMostWords));
  const auto address = static_cast<size_t>(number_to(cell, "ABITS", kMostAddress));
  const auto reads = static_cast<size_t>(number_to(cell, "RD_PORTS", kMostWords));
  const auto writes = static_cast<size_t>(number_to(cell, "WR_PORTS", kMostWords));
  expect(cell, "RD_ADDR", reads * address);
  expect(cell, "RD_DATA", reads * bits);
  expect(cell, "WR_CLK", writes);
  expect(cell, "WR_ADDR", writes * address);
  expect(cell, "WR_EN", writes * bits);
  expect(cell, "WR_DATA", writes * bits);
  for (int64_t p = 0; p < cell.number("RD_PORTS"); ++p) {
    if (cell.bit("RD_CLK_ENABLE", p) || cell.bit("RD_WIDE_CONTINUATION", p)) {
      cell.refuse("a port for reading has a clock, or is wider than a word");
    }
  }
  for (int64_t p = 0; p < cell.number("WR_PORTS"); ++p) {
    if (!cell.bit("WR_CLK_ENABLE", p) || !cell.bit("WR_CLK_POLARITY", p) ||
        cell.bit("WR_WIDE_CONTINUATION", p)) {
      cell.refuse("a port for writing has no rising clock, or is wider than a word");
    }
  }
  if (writes > 0 && cell.digits("INIT").find('1') != std::string::npos) {
    cell.refuse("is written, and begins with other values than 0 (INIT)");
  }
}

}  // namespace

const RegisterType* register_type(const Cell& cell) {
  const auto at = register_types().find(cell.type);
  return at == register_types().end() ? nullptr : &at->second;
}

void check(const Cell& cell) {
  if (cell.type == "$scopeinfo") return;
  if (cell.type == "$mem_v2") return check_memory(cell);
  const RegisterType* type = register_type(cell);
  const bool combinational = is_combinational(cell);
  if (type == nullptr && !combinational && cell.type != "$dlatch") {
    cell.refuse("is of a type that is not known");
  }
  check_widths(cell);
  if (type != nullptr) {
    check_register(cell, *type);
  } else if (!combinational) {
    check_latch(cell);
  } else if (cell.ports.count("S") != 0) {
    check_choice(cell);
  } else if (!has_one_operand(cell.type)) {
    cell.port("B");
    check_signs(cell);
  }
}

}  // namespace ow::simgen
