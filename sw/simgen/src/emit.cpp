// SPDX-License-Identifier: Apache-2.0
#include "ow/simgen/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "functions.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow_wide_model.h"

namespace ow::simgen {
namespace {

constexpr size_t kWidestWord = 64;
constexpr size_t kPlacesOfLine = 16;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

// C text of the function of x and y whose four values are `half`.
std::string half_of(unsigned half, char x, char y) {
  static const char* const texts[] = {
      "ZERO",    "~(x | y)", "(~x & y)", "~x",       "(x & ~y)", "~y",       "(x ^ y)", "~(x & y)",
      "(x & y)", "~(x ^ y)", "y",        "(~x | y)", "x",        "(x | ~y)", "(x | y)", "ONES"};
  std::string text = texts[half];
  for (char& c : text) c = c == 'x' ? x : c == 'y' ? y : c;
  return text;
}

// C text of a table by one of its variables, or without it. high, low: where that is 1, and 0.
std::string expression_by(char by, const std::string& high, const std::string& low, bool inverse) {
  if (high == low) return low;
  if (inverse) return fmt::format("({} ^ {})", by, low);
  if (low == "ZERO") return fmt::format("({} & {})", by, high);
  if (high == "ZERO") return fmt::format("(~{} & {})", by, low);
  if (low == "ONES") return fmt::format("(~{} | {})", by, high);
  if (high == "ONES") return fmt::format("({} | {})", by, low);
  return fmt::format("(({0} & {1}) | (~{0} & {2}))", by, high, low);
}

// The shortest one, for processors without an instruction for any table.
std::string expression_of(unsigned table) {
  std::string best;
  for (unsigned by = 0; by < 3; ++by) {  // a, b, c have the bits 4, 2, 1 of a value's place
    const unsigned bit = 4 >> by, x = by == 0 ? 2 : 4, y = by == 2 ? 2 : 1;
    unsigned high = 0, low = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned at = (k >> 1) * x + (k & 1) * y;
      high |= (table >> (at + bit) & 1) << k;
      low |= (table >> at & 1) << k;
    }
    const char first = by == 0 ? 'b' : 'a', second = by == 2 ? 'b' : 'c';
    const std::string text =
        expression_by(static_cast<char>('a' + by), half_of(high, first, second),
                      half_of(low, first, second), high == (low ^ 15));
    if (best.empty() || text.size() < best.size()) best = text;
  }
  return best;
}

std::string tables_text() {
  std::string text = "#ifndef L3\n#define L3(a, b, c, t) OW_TABLE_##t(a, b, c)\n";
  for (unsigned table = 0; table < 256; ++table) {
    std::string expression = expression_of(table);
    // Arguments are names, elements of arrays, or in parentheses.
    text += fmt::format("#define OW_TABLE_0x{:02x}(a, b, c) ({})\n", table, expression);
  }
  return text + "#endif\n";
}

std::string header_of(const Design& design, const Plan& plan, const Functions& functions,
                      const std::string& name) {
  size_t inputs = 0;
  for (const DesignPort& port : design.ports) inputs += port.input ? port.bits.size() : 0;
  std::string text = fmt::format(
      "/* Written by ow_simgen. */\n#ifndef OW_WIDE_{0}_H_\n#define OW_WIDE_{0}_H_\n\n"
      "#include <stdint.h>\n\n",
      name);
  text += fmt::format(
      "enum {{\n  OW_REGISTERS = {},\n  OW_INPUTS = {},\n  OW_WORDS = {},\n"
      "  OW_BANKS = {},\n  OW_UNITS = {},\n  OW_SCRATCH = {}\n}};\n\n",
      plan.registers.size(), inputs, functions.bank_bits(), design.banks.size(), plan.wakes.size(),
      functions.slots());
  text += "#ifdef OW_WIDE\n#include \"ow_wide.h\"\n" + tables_text() +
          "typedef struct {\n  V q[OW_REGISTERS];\n  V in[OW_INPUTS];\n"
          "  V m[OW_WORDS ? OW_WORDS : 1]; /* what banks gave */\n  V active;\n"
          "  uint64_t* bank[OW_BANKS ? OW_BANKS : 1];\n  uint8_t awake[OW_UNITS];\n} OwState;\n"
          "#endif\n\n#endif\n";
  return text;
}

// The signals that hold state, and where each bit is.
std::string signals_of(const Design& design, const Plan& plan) {
  std::map<Bit, long> places = {{kFalse, OW_WIDE_ZERO}, {kTrue, OW_WIDE_ONE}};
  for (size_t r = 0; r < plan.registers.size(); ++r) {
    places[plan.registers[r].q] = static_cast<long>(r);
  }
  std::string list, text = "static const int places[] = {";
  size_t count = 0;
  for (const StateSignal& signal : design.signals) {
    list += fmt::format("  {{{}, {}, {}}},\n", quoted(signal.name), signal.bits.size(), count);
    for (const Bit bit : signal.bits) {
      const auto at = places.find(bit);
      const long place = at == places.end() ? long{OW_WIDE_NOWHERE} : at->second;
      text += fmt::format("{}{},", count++ % kPlacesOfLine == 0 ? "\n  " : " ", place);
    }
  }
  return text + "\n  0\n};\nstatic const struct ow_wide_signal signals[] = {\n" + list +
         "  {0, 0, 0}\n};\n\n";
}

std::string names_of(const Design& design, const Plan& plan, const std::string& name) {
  std::string text = fmt::format(
      "/* Written by ow_simgen. */\n#include \"ow_wide_model.h\"\n#include \"{}.h\"\n\n"
      "static const struct ow_wide_bit inputs[] = {{\n",
      name);
  for (const DesignPort& port : design.ports) {
    if (!port.input) continue;
    for (size_t k = 0; k < port.bits.size(); ++k) {
      text += fmt::format("  {{{}, {}, 0}},\n", quoted(port.name), k);
    }
  }
  text += "};\nstatic const struct ow_wide_bit outputs[] = {\n";
  for (const OutputBit& o : plan.outputs) {
    text += fmt::format("  {{{}, {}, {}}},\n", quoted(o.port), o.bit, o.reg);
  }
  text += "};\nstatic const struct ow_wide_bit registers[] = {\n";
  for (const Register& r : plan.registers) {
    text += fmt::format("  {{{}, {}, 0}},\n", quoted(r.name.signal), r.name.bit);
  }
  text += "};\nstatic const struct ow_wide_bank banks[] = {\n";
  for (const Bank& bank : design.banks) {
    text += fmt::format("  {{{}, {}, {}}},\n", quoted(bank.name), bank.words,
                        bank.writes.front().data.size());
  }
  text += "  {0, 0, 0}\n};\n";
  text += signals_of(design, plan);
  text += fmt::format(
      "const struct ow_wide_names {}_names = {{inputs, OW_INPUTS, outputs, {}, registers,\n"
      "    OW_REGISTERS, banks, OW_BANKS, signals, {}, places}};\n",
      name, plan.outputs.size(), design.signals.size());
  return text;
}

std::string file_of(const Functions& functions, const std::string& name, size_t first,
                    size_t last) {
  std::string text = fmt::format("/* Written by ow_simgen. */\n#include \"{}.h\"\n\n", name);
  for (size_t f = first; f < last; ++f) text += functions.text(f);
  return text;
}

std::string cycle_of(const Functions& functions, const std::string& name) {
  std::string text = fmt::format(
      "\n#include <stddef.h>\n#include \"ow_wide_model.h\"\n\n"
      "extern const struct ow_wide_names {}_names;\n",
      name);
  for (size_t f = 0; f < functions.count(); ++f) {
    text += fmt::format("void OW_NAME({}_f{})(OwState* s, V* t);\n", name, f);
  }
  text += "\n";
  for (size_t f = 0; f < functions.count(); ++f) {
    text += fmt::format(
        "static void part{1}(void* state, void* scratch) {{ OW_NAME({0}_f{1})(state, scratch); "
        "}}\n",
        name, f);
  }
  text += "static void (*const parts[])(void*, void*) = {\n";
  for (size_t f = 0; f < functions.count(); ++f) text += fmt::format("    part{},\n", f);
  text += fmt::format(
      "}};\n"
      "const struct ow_wide_code OW_NAME({0}_code) = {{&{0}_names, OW_WIDE, sizeof(OwState),\n"
      "    OW_SCRATCH * sizeof(V), offsetof(OwState, q), offsetof(OwState, in),\n"
      "    offsetof(OwState, bank), offsetof(OwState, active), {1}, parts,\n"
      "    OW_NAME(ow_wide_move), OW_NAME(ow_wide_copy)}};\n",
      name, functions.count());
  return text;
}

}  // namespace

void emit(const Design& design, const Plan& plan, const EmitOptions& options) {
  if (plan.blocks.empty()) {
    throw BadInput(fmt::format("{}: has no state that an edge of the clock changes", options.name));
  }
  for (const Bank& bank : design.banks) {
    const size_t bits = bank.writes.front().data.size();
    if (bits <= kWidestWord) continue;
    throw BadInput(fmt::format("{}: a word of this bank has {} bits, the limit is {}", bank.name,
                               bits, kWidestWord));
  }
  const Functions functions(design, plan, options.name, options.function);
  const std::string base = options.directory + "/" + options.name;
  write_file(base + ".h", header_of(design, plan, functions, options.name));
  write_file(base + "_names.c", names_of(design, plan, options.name));
  size_t total = 0, first = 0;
  for (size_t f = 0; f < functions.count(); ++f) total += functions.text(f).size();
  for (int n = 0; n < options.files; ++n) {
    size_t bytes = 0, last = first;
    const size_t share = total * static_cast<size_t>(n + 1) / static_cast<size_t>(options.files);
    for (size_t f = 0; f < first; ++f) bytes += functions.text(f).size();
    while (last < functions.count() && (bytes < share || n + 1 == options.files)) {
      bytes += functions.text(last++).size();
    }
    std::string text = file_of(functions, options.name, first, last);
    if (n + 1 == options.files) text += cycle_of(functions, options.name);
    write_file(fmt::format("{}_{}.c", base, n), text);
    first = last;
  }
}

}  // namespace ow::simgen
