// SPDX-License-Identifier: Apache-2.0
// Tables of the documents.
#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "emit.h"
#include "ow/base/error.h"

namespace ow::isa_gen {
namespace {

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string range(const Field& f, bool brackets) {
  const std::string text =
      f.msb() == f.lsb ? fmt::format("{}", f.lsb) : fmt::format("{}:{}", f.msb(), f.lsb);
  return brackets ? "[" + text + "]" : text;
}

// What a field means, with the numbers of a short enum that it holds.
std::string meaning(const Description& d, const Field& f) {
  const Enum* e = d.enumeration(f.type);
  std::string text = f.about.empty() ? f.name : f.about;
  if (e == nullptr || e->values.size() > 7 || e->name == "port") return text;
  for (const EnumValue& v : e->values) {
    text += fmt::format("{}{} {}", &v == &e->values.front() ? ": " : ", ", v.value, v.about);
  }
  return text;
}

const char* kPlanned = " (planned: not in the hardware yet)";

// "0x000 + 4c", the highest offsets with as many digits as there are.
std::string place(const Space& s, const Register& r) {
  std::string text = s.step == 4 ? fmt::format("0x{:03X}", r.offset) : fmt::format("{}", r.offset);
  if (r.count > 1) {
    text += r.stride == 1 ? " + " + r.index : fmt::format(" + {}{}", r.stride, r.index);
  }
  return text;
}

// Offsets of registers, both ends included.
struct Offsets {
  uint32_t first = 0;
  uint32_t last = UINT32_MAX;
  bool has(const Register& r) const { return r.offset >= first && r.offset <= last; }
};

// "0x000-0x0FF 0x800-0x8FF"; all offsets if `in` has ended. False if it is not of this form.
bool read_ranges(std::istream& in, std::vector<Offsets>* ranges) {
  static const std::regex kRange("0x([0-9A-F]{1,8})-0x([0-9A-F]{1,8})");
  for (std::string text; in >> text;) {
    std::smatch ends;
    if (!std::regex_match(text, ends, kRange)) return false;
    const auto number = [&ends](size_t i) {
      return static_cast<uint32_t>(std::stoul(ends[i].str(), nullptr, 16));
    };
    ranges->push_back({number(1), number(2)});
  }
  if (ranges->empty()) ranges->emplace_back();
  return true;
}

// How many tables of a document have each register of a space.
using Shown = std::map<const Space*, std::map<const Register*, int>>;

// Registers that begin in one of the ranges, by offset.
std::string registers(const Description& d, const Space& s, const std::vector<Offsets>& ranges,
                      Shown* shown) {
  std::vector<const Register*> order;
  for (const Register& r : s.registers) {
    const bool here = std::any_of(ranges.begin(), ranges.end(),
                                  [&r](const Offsets& range) { return range.has(r); });
    (*shown)[&s][&r] += here ? 1 : 0;
    if (here) order.push_back(&r);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Register* a, const Register* b) { return a->offset < b->offset; });
  std::string out = fmt::format("| {} | name | access | reset | meaning |\n|---|---|---|---|---|\n",
                                s.step == 4 ? "offset" : "register");
  for (const Register* r : order) {
    std::string about = r->about;
    std::string list;
    for (const Field& f : fields_of(d, *r)) {
      if (!r->layout.empty() && r->layout == "red_action") break;  // has a table of its own
      list += list.empty() ? "" : "; ";
      list += range(f, true) + " " + meaning(d, f);
      if (f.access == "wo" && r->access != "wo") list += " (write only)";
    }
    if (!list.empty()) about += ": " + list;
    if (r->planned) about += kPlanned;
    const std::string reset = !r->reset        ? ""
                              : *r->reset < 10 ? fmt::format("{}", *r->reset)
                                               : fmt::format("0x{:X}", *r->reset);
    out += fmt::format("| {} | {}{} | {} | {} | {} |\n", place(s, *r), r->name,
                       r->count > 1 ? "[" + r->index + "]" : "", r->access, reset, cell(about));
  }
  return out;
}

// Rows of the fields of a word that begins at bit `base`; those of a word in it are named with it.
std::string word_rows(const Description& d, const Layout& l, int base, const std::string& prefix) {
  std::vector<Field> fields = l.fields;
  std::sort(fields.begin(), fields.end(),
            [](const Field& a, const Field& b) { return a.lsb < b.lsb; });
  std::string out;
  for (Field f : fields) {
    f.lsb += base;
    const Layout* inner = d.layout(f.type);
    out +=
        fmt::format("| {} | {}{} | {} |\n", range(f, false), prefix, f.name, cell(meaning(d, f)));
    if (inner != nullptr) out += word_rows(d, *inner, f.lsb, prefix + f.name + ".");
  }
  return out;
}

std::string word(const Description& d, const Layout& l) {
  return "| bits | field | meaning |\n|---|---|---|\n" + word_rows(d, l, 0, "");
}

std::string enumeration(const Enum& e) {
  std::string head = "| name | value | meaning |";
  std::string line = "|---|---|---|";
  for (const std::string& c : e.columns) {
    head += " " + c + " |";
    line += "---|";
  }
  std::string out = head + "\n" + line + "\n";
  for (const EnumValue& v : e.values) {
    std::string meaning = v.about;
    if (!v.detail.empty()) meaning += " (" + v.detail + ")";
    if (v.planned) meaning += kPlanned;
    const std::string value =
        e.width > 8 ? fmt::format("0x{:03X}", v.value) : fmt::format("{}", v.value);
    out += fmt::format("| {} | {} | {} |", lower(v.name), value, cell(meaning));
    for (const std::string& c : e.columns) out += " " + cell(v.columns.at(c)) + " |";
    out += "\n";
  }
  return out;
}

// The numbers of an enum alone, for what is said of its values elsewhere.
std::string codes(const Enum& e) {
  std::string out = "| name | number |\n|---|---|\n";
  for (const EnumValue& v : e.values) out += fmt::format("| {} | {} |\n", lower(v.name), v.value);
  return out;
}

// Constants whose names begin alike.
std::string constants(const Description& d, const std::string& prefix) {
  std::string out = "| constant | value | meaning |\n|---|---|---|\n";
  for (const Constant& c : d.constants) {
    if (c.name.rfind(prefix, 0) != 0) continue;
    out += fmt::format("| {} | 0x{:02X} | {} |\n", c.name, c.value, cell(c.about));
  }
  return out;
}

// The sources of errors, each with its causes.
std::string causes(const Description& d) {
  const Enum* sources = d.enumeration("error_source");
  if (sources == nullptr) throw BadInput("docs: there is no enum 'error_source'");
  std::string out = "| source | cause | meaning | unit |\n|---|---|---|---|\n";
  for (const EnumValue& source : sources->values) {
    std::string first = fmt::format("{} {}", source.value, source.about);
    if (source.planned) first += kPlanned;
    std::string unit = source.columns.at("unit");
    const Enum* list =
        d.enumeration(source.name == "CORE" ? "trap" : lower(source.name) + "_cause");
    if (list == nullptr) throw BadInput("docs: no causes of source '" + lower(source.name) + "'");
    for (const EnumValue& v : list->values) {
      std::string meaning = v.about;
      if (!v.detail.empty()) meaning += " (" + v.detail + ")";
      if (v.planned) meaning += kPlanned;
      out += fmt::format("| {} | {} | {} | {} |\n", cell(first), v.value, cell(meaning), unit);
      first.clear();
      unit.clear();
    }
  }
  return out;
}

// A row for each field of a parameter that is a word.
std::string word_rows(const Description& d, size_t parameter) {
  const Parameter& p = d.parameters[parameter];
  std::string out;
  for (const Field& f : d.find_register(p.word)->fields) {
    const uint64_t most = (uint64_t{1} << f.width) - 1;
    out += fmt::format("| {}.{} |", p.name, f.name);
    for (const Configuration& c : d.configurations) {
      out += fmt::format(" {} |", c.values[parameter] >> f.lsb & most);
    }
    out += fmt::format(" 0 to {} | {} |\n", most, f.about);
  }
  return out;
}

std::string configurations(const Description& d) {
  std::string out = "| parameter |";
  std::string line = "|---|";
  for (const Configuration& c : d.configurations) {
    out += " " + c.name + " |";
    line += "---|";
  }
  out += " range | what |\n" + line + "---|---|\n";
  for (size_t i = 0; i < d.parameters.size(); ++i) {
    const Parameter& p = d.parameters[i];
    if (!p.word.empty()) {
      out += word_rows(d, i);
      continue;
    }
    out += "| " + p.name + " |";
    for (const Configuration& c : d.configurations) out += fmt::format(" {} |", c.values[i]);
    out += fmt::format(" {} to {} | {} |\n", p.min, p.max, p.about);
  }
  return out;
}

// BadInput for a mark that is wrong; `line` counts from 1.
[[noreturn]] void bad_mark(const std::string& file, int line, const std::string& what) {
  throw BadInput(fmt::format("{}:{}: {}", file, line, what));
}

std::string table(const Description& d, const std::string& what, const std::string& file, int line,
                  Shown* shown) {
  std::istringstream in(what);
  std::string kind;
  std::string name;
  in >> kind >> name;
  if (kind == "registers" && d.space(name) != nullptr) {
    std::vector<Offsets> ranges;
    if (!read_ranges(in, &ranges)) bad_mark(file, line, "ranges of offsets are 0xFIRST-0xLAST");
    return registers(d, *d.space(name), ranges, shown);
  }
  if (kind == "word" && d.layout(name) != nullptr) return word(d, *d.layout(name));
  if (kind == "enum" && d.enumeration(name) != nullptr) return enumeration(*d.enumeration(name));
  if (kind == "codes" && d.enumeration(name) != nullptr) return codes(*d.enumeration(name));
  if (kind == "constants") return constants(d, name);
  if (kind == "causes") return causes(d);
  if (kind == "configurations") return configurations(d);
  bad_mark(file, line, fmt::format("there is no table '{}'", what));
}

}  // namespace

std::string emit_document(const Description& d, const std::string& text, const std::string& name) {
  static const std::string kBegin = "<!-- isa:begin ";
  static const std::string kEnd = "<!-- isa:end -->";
  std::istringstream in(text);
  std::string out;
  std::string line;
  bool inside = false;
  int begun = 0;
  int number = 0;
  Shown shown;
  while (std::getline(in, line)) {
    ++number;
    if (line == kEnd) {
      if (!inside) bad_mark(name, number, "an end of a table without a beginning");
      inside = false;
    }
    if (!inside) out += line + "\n";
    if (line.compare(0, kBegin.size(), kBegin) == 0) {
      const size_t end = line.find(" -->");
      if (inside || end == std::string::npos) bad_mark(name, number, "a bad mark of a table");
      begun = number;
      inside = true;
      out += table(d, line.substr(kBegin.size(), end - kBegin.size()), name, begun, &shown);
    }
  }
  if (inside) bad_mark(name, begun, "the table has no end");
  for (const auto& [space, tables] : shown) {
    for (const auto& [r, count] : tables) {
      if (count == 1) continue;
      throw BadInput(fmt::format("{}: register {} of '{}' is in {} tables, not in one", name,
                                 r->name, space->name, count));
    }
  }
  return out;
}

}  // namespace ow::isa_gen
