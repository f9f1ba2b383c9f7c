// SPDX-License-Identifier: Apache-2.0
// The cells are described in Yosys' manual, chapter "Internal cell library".
#include "cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "ow/base/error.h"

namespace ow::simgen {
namespace {

// A word-level cell with its inputs as bits.
struct Inputs {
  Logic* logic;
  const Cell& cell;
  Word a, b;
  size_t width;  // of the output

  bool is_signed() const { return cell.flag("A_SIGNED") && cell.flag("B_SIGNED"); }
  Word wide(const Word& word, const char* sign, size_t to) const {
    return extend(word, to, cell.flag(sign));
  }
  Word wide_a() const { return wide(a, "A_SIGNED", width); }
  Word wide_b() const { return wide(b, "B_SIGNED", width); }
};

using Make = Word (*)(const Inputs&);

Word truth(Bit bit) { return {bit}; }

Word make_add(const Inputs& in) { return add(in.logic, in.wide_a(), in.wide_b(), kFalse); }
Word make_subtract(const Inputs& in) { return subtract(in.logic, in.wide_a(), in.wide_b()); }
Word make_multiply(const Inputs& in) { return multiply(in.logic, in.wide_a(), in.wide_b()); }
Word make_negate(const Inputs& in) { return negate(in.logic, in.wide_a()); }

// Both operands of a comparison have signs, or neither is taken to have one.
Bit compare(const Inputs& in, bool swap, bool equality) {
  const size_t width = std::max(in.a.size(), in.b.size());
  const Word a = extend(in.a, width, in.is_signed()), b = extend(in.b, width, in.is_signed());
  if (equality) return equal(in.logic, a, b);
  return less(in.logic, swap ? b : a, swap ? a : b, in.is_signed());
}
Word make_equal(const Inputs& in) { return truth(compare(in, false, true)); }
Word make_differ(const Inputs& in) { return truth(in.logic->inverse(compare(in, false, true))); }
Word make_less(const Inputs& in) { return truth(compare(in, false, false)); }
Word make_greater(const Inputs& in) { return truth(compare(in, true, false)); }
Word make_at_most(const Inputs& in) { return truth(in.logic->inverse(compare(in, true, false))); }
Word make_at_least(const Inputs& in) { return truth(in.logic->inverse(compare(in, false, false))); }

Word make_reduce_and(const Inputs& in) { return truth(and_of(in.logic, in.a)); }
Word make_reduce_or(const Inputs& in) { return truth(or_of(in.logic, in.a)); }
Word make_reduce_xor(const Inputs& in) { return truth(xor_of(in.logic, in.a)); }
Word make_reduce_xnor(const Inputs& in) { return truth(in.logic->inverse(xor_of(in.logic, in.a))); }
Word make_logic_not(const Inputs& in) { return truth(in.logic->inverse(or_of(in.logic, in.a))); }
Word make_logic_and(const Inputs& in) {
  return truth(in.logic->all(or_of(in.logic, in.a), or_of(in.logic, in.b)));
}
Word make_logic_or(const Inputs& in) {
  return truth(in.logic->any(or_of(in.logic, in.a), or_of(in.logic, in.b)));
}

// B has no sign in these.
Word make_shift_left(const Inputs& in) { return shift_left(in.logic, in.wide_a(), in.b); }
Word make_shift_right(const Inputs& in) {
  const Word a = in.wide(in.a, "A_SIGNED", std::max(in.width, in.a.size()));
  return shift_right(in.logic, a, in.b, in.width, kFalse);
}
Word make_shift_right_signed(const Inputs& in) {
  const Word a = in.wide(in.a, "A_SIGNED", std::max(in.width, in.a.size()));
  const Bit fill = in.cell.flag("A_SIGNED") && !a.empty() ? a.back() : kFalse;
  return shift_right(in.logic, a, in.b, in.width, fill);
}

// $shift, $shiftx: to the right by B, or to the left by -B if B has a sign and is negative.
Word make_shift(const Inputs& in) {
  const bool sign = in.cell.type == "$shift" && in.cell.flag("A_SIGNED");
  const Word a = extend(in.a, std::max(in.width, in.a.size()), sign);
  const bool both_ways = in.cell.flag("B_SIGNED") && !in.b.empty();
  if (!both_ways) return shift_right(in.logic, a, in.b, in.width, kFalse);
  const Word left = shift_left(in.logic, extend(a, in.width, false), negate(in.logic, in.b));
  const Word below = shift_right(in.logic, a, Word(in.b.begin(), in.b.end() - 1), in.width, kFalse);
  Word result(in.width);
  for (size_t k = 0; k < in.width; ++k) {
    result[k] = in.logic->choose(in.b.back(), left[k], below[k]);
  }
  return result;
}

const std::map<std::string, Make>& word_cells() {
  static const std::map<std::string, Make> cells = {
      {"$add", make_add},
      {"$sub", make_subtract},
      {"$mul", make_multiply},
      {"$neg", make_negate},
      {"$eq", make_equal},
      {"$eqx", make_equal},
      {"$ne", make_differ},
      {"$nex", make_differ},
      {"$lt", make_less},
      {"$le", make_at_most},
      {"$gt", make_greater},
      {"$ge", make_at_least},
      {"$reduce_and", make_reduce_and},
      {"$reduce_or", make_reduce_or},
      {"$reduce_bool", make_reduce_or},
      {"$reduce_xor", make_reduce_xor},
      {"$reduce_xnor", make_reduce_xnor},
      {"$logic_not", make_logic_not},
      {"$logic_and", make_logic_and},
      {"$logic_or", make_logic_or},
      {"$shl", make_shift_left},
      {"$sshl", make_shift_left},
      {"$shr", make_shift_right},
      {"$sshr", make_shift_right_signed},
      {"$shift", make_shift},
      {"$shiftx", make_shift},
  };
  return cells;
}

// The tables of cells with two operands, and of those with one.
const std::map<std::string, uint8_t>& bit_tables() {
  static const std::map<std::string, uint8_t> tables = {
      {"$and", 0xC0}, {"$or", 0xFC},  {"$xor", 0x3C}, {"$xnor", 0xC3},
      {"$not", 0x0F}, {"$pos", 0xF0}, {"$buf", 0xF0},
  };
  return tables;
}

bool selects(const Cell& cell) {
  return cell.type == "$mux" || cell.type == "$pmux" || cell.type == "$bwmux";
}

bool picks(const Cell& cell) { return cell.type == "$bmux" || cell.type == "$demux"; }

// Bit k of an operand that is extended to the width of the output.
Net operand(const Cell& cell, const char* port, size_t k) {
  const std::vector<Net>& nets = cell.port(port);
  if (k < nets.size()) return nets[k];
  const bool sign = cell.flag(std::string(port) + "_SIGNED");
  return sign && !nets.empty() ? nets.back() : kNetZero;
}

bool has_b(const Cell& cell) { return cell.ports.count("B") != 0; }

void append(const std::vector<Net>& from, std::vector<Net>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

Word word_of(const std::vector<Net>& nets, const Values& values) {
  Word word(nets.size());
  std::transform(nets.begin(), nets.end(), word.begin(), values);
  return word;
}

// Word `select` of the output is A, the others are 0.
Word make_demux(Logic* logic, const Word& a, const Word& select) {
  Word result;
  for (size_t n = 0; n < size_t{1} << select.size(); ++n) {
    Word number(select.size());
    for (size_t k = 0; k < select.size(); ++k) number[k] = (n >> k & 1) != 0 ? kTrue : kFalse;
    const Bit chosen = equal(logic, select, number);
    for (const Bit bit : a) result.push_back(logic->all(chosen, bit));
  }
  return result;
}

}  // namespace

bool is_bitwise(const Cell& cell) { return selects(cell) || bit_tables().count(cell.type) != 0; }

bool is_combinational(const Cell& cell) {
  return is_bitwise(cell) || picks(cell) || word_cells().count(cell.type) != 0;
}

std::vector<Net> inputs_of(const Cell& cell, size_t k) {
  std::vector<Net> nets;
  if (cell.type == "$bwmux") {
    return {cell.port("A")[k], cell.port("B")[k], cell.port("S")[k]};
  }
  if (selects(cell)) {
    nets = cell.port("S");
    nets.push_back(cell.port("A")[k]);
    const size_t width = cell.port("A").size();
    for (size_t at = k; at < cell.port("B").size(); at += width) {
      nets.push_back(cell.port("B")[at]);
    }
    return nets;
  }
  if (is_bitwise(cell)) {
    nets.push_back(operand(cell, "A", k));
    if (has_b(cell)) nets.push_back(operand(cell, "B", k));
    return nets;
  }
  for (const char* port : {"A", "B", "S"}) {
    const auto at = cell.ports.find(port);
    if (at != cell.ports.end()) append(at->second, &nets);
  }
  return nets;
}

Bit make_bit(Logic* logic, const Cell& cell, size_t k, const Values& values) {
  if (selects(cell)) {
    const std::vector<Net>& select = cell.port("S");
    const std::vector<Net>& b = cell.port("B");
    const size_t width = cell.port("A").size();
    Bit result = values(cell.port("A")[k]);
    if (cell.type == "$bwmux") return logic->choose(values(select[k]), values(b[k]), result);
    // At most one bit of a $pmux' select is 1.
    for (size_t n = select.size(); n-- > 0;) {
      result = logic->choose(values(select[n]), values(b[n * width + k]), result);
    }
    return result;
  }
  const Bit a = values(operand(cell, "A", k));
  const Bit b = has_b(cell) ? values(operand(cell, "B", k)) : kFalse;
  return logic->make(bit_tables().at(cell.type), a, b);
}

Word make_word(Logic* logic, const Cell& cell, const Values& values) {
  const Word a = word_of(cell.port("A"), values);
  const size_t width = cell.port("Y").size();
  if (cell.type == "$bmux") return pick(logic, a, word_of(cell.port("S"), values), width);
  if (cell.type == "$demux") return make_demux(logic, a, word_of(cell.port("S"), values));
  const Word b = has_b(cell) ? word_of(cell.port("B"), values) : Word();
  Word result = word_cells().at(cell.type)({logic, cell, a, b, width});
  result.resize(width, kFalse);
  return result;
}

}  // namespace ow::simgen
