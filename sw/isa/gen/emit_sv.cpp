// SPDX-License-Identifier: Apache-2.0
// The SystemVerilog package, and the list of what ow_pkg exports of it.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "emit.h"

namespace ow::isa_gen {

const char* const kGenerated =
    "Written by ow_isa_gen from sw/isa/*.yaml; `cmake --build build "
    "--target isa` writes it anew.";
const char* const kBuilt = "Written by ow_isa_gen from sw/isa/*.yaml in every build.";

std::string hex(uint64_t value) {
  return value < 1000 ? fmt::format("{}", value) : fmt::format("0x{:X}", value);
}

std::string wrap(const std::string& text, const std::string& start) {
  std::string out;
  std::string line = start;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    if (line.size() + 1 + word.size() > 100 && line != start) {
      out += line + "\n";
      line = start;
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + line + "\n";
}

const std::vector<Field>& fields_of(const Description& d, const Register& r) {
  return r.layout.empty() ? r.fields : d.layout(r.layout)->fields;
}

namespace {

// A parameter's value; words do not fit into a decimal literal.
std::string value_text(const Parameter& p, uint64_t value) {
  return p.word.empty() ? fmt::format("{}", value) : fmt::format("32'h{:08X}", value);
}

std::string literal(int width, uint64_t value) {
  return value < 10 ? fmt::format("{}'d{}", width, value)
                    : fmt::format("{}'h{:0{}X}", width, value, (width + 3) / 4);
}

std::string bits_type(int width) {
  return width == 1 ? "logic" : fmt::format("logic [{}:0]", width - 1);
}

std::string range_text(const Field& f) {
  return f.msb() == f.lsb ? fmt::format("[{}]", f.lsb) : fmt::format("[{}:{}]", f.msb(), f.lsb);
}

// Declarations, with the names that they declare.
class Package {
 public:
  explicit Package(const Description& d) : d_(d) {}

  std::string text() {
    section("constants");
    for (const Constant& c : d_.constants) constant(c);
    for (const Configuration& c : d_.configurations) configuration(c);
    for (const Enum& e : d_.enums) enumeration(e);
    section("words");
    for (const Layout& l : d_.layouts) {
      out_ += "\n" + wrap(upper_first(l.about) + ".", "  //");
      structure(lower(l.name) + "_t", l.width, l.fields);
      for (const Field& f : l.fields) {
        declare("int unsigned", upper(l.name) + "_" + upper(f.name) + "_LSB",
                fmt::format("{}", f.lsb), "");
      }
    }
    for (const Space& s : d_.spaces) space(s);
    return out_;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  static std::string upper_first(std::string s) {
    if (!s.empty()) s[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(s[0])));
    return s;
  }
  void section(const std::string& title) {
    std::string line = "  // ";
    line.append(92 - title.size(), '-');
    out_ += "\n" + line + " " + title + " --\n";
  }
  void declare(const std::string& type, const std::string& name, const std::string& value,
               const std::string& about) {
    const std::string code = fmt::format("  localparam {} {} = {};", type, name, value);
    const std::string line = code + "  // " + about;
    out_ += about.empty() || line.size() <= 100 ? (about.empty() ? code : line) + "\n"
                                                : wrap(about, "  //") + code + "\n";
    names_.push_back(name);
  }
  void constant(const Constant& c) {
    if (c.width == 0) {
      declare("int unsigned", c.name, fmt::format("{}", c.value), c.about);
    } else {
      declare(bits_type(c.width), c.name, literal(c.width, c.value), c.about);
    }
  }
  // NumColours -> NUM_COLOURS
  static std::string snake(const std::string& name) {
    std::string s;
    for (const char ch : name) {
      if (!s.empty() && ch >= 'A' && ch <= 'Z') s += '_';
      s += ch;
    }
    return upper(s);
  }
  void configuration(const Configuration& c) {
    out_ += "\n" + wrap("Configuration `" + c.name + "`: " + c.about + ".", "  //");
    for (size_t i = 0; i < c.values.size(); ++i) {
      const Parameter& p = d_.parameters[i];
      declare(p.word.empty() ? "int unsigned" : bits_type(32), upper(c.name) + "_" + snake(p.name),
              value_text(p, c.values[i]), "");
    }
  }
  void enumeration(const Enum& e) {
    out_ += "\n" + wrap(upper_first(e.about) + ".", "  //");
    out_ += fmt::format("  typedef enum {} {{\n", bits_type(e.width));
    size_t longest = 0;
    for (const EnumValue& v : e.values) longest = std::max(longest, v.name.size());
    for (const EnumValue& v : e.values) {
      const bool last = &v == &e.values.back();
      const std::string name = e.sv_prefix + "_" + v.name;
      std::string line = fmt::format("    {:<{}} = {}{}", name, longest + e.sv_prefix.size() + 1,
                                     literal(e.width, v.value), last ? " " : ",");
      if (line.size() + v.about.size() + 5 <= 100) line += "  // " + v.about;
      while (line.back() == ' ') line.pop_back();
      out_ += line + "\n";
      names_.push_back(name);
    }
    out_ += fmt::format("  }} {};\n", e.sv_type);
    names_.push_back(e.sv_type);
  }

  std::string field_type(const Field& f) const {
    const Layout* layout = d_.layout(f.type);
    std::string type = layout != nullptr ? f.type + "_t" : "logic";
    if (f.is_signed) type += " signed";
    if (f.count > 1) type += fmt::format(" [{}:0]", f.count - 1);
    if (layout == nullptr && (f.width > 1 || f.count > 1 || f.is_signed)) {
      type += fmt::format("{}[{}:0]", f.count > 1 ? "" : " ", f.width - 1);
    }
    return type;
  }

  void structure(const std::string& name, int width, std::vector<Field> fields) {
    std::sort(fields.begin(), fields.end(),
              [](const Field& a, const Field& b) { return a.lsb > b.lsb; });
    out_ += "  typedef struct packed {\n";
    int next = width - 1;  // the bit below what has been declared
    const auto gap = [&](int to) {
      if (next <= to) return;
      out_ += fmt::format("    {} rsvd{};\n", bits_type(next - to), next);
    };
    for (const Field& f : fields) {
      gap(f.msb());
      std::string line = fmt::format("    {} {};", field_type(f), f.name);
      line = fmt::format("{:<32}  // {}", line, range_text(f));
      if (line.size() + f.about.size() + 1 <= 100) line += " " + f.about;
      out_ += line + "\n";
      next = f.lsb - 1;
    }
    gap(-1);
    out_ += fmt::format("  }} {};\n", name);
    names_.push_back(name);
  }

  void register_structures(const Register& r) {
    if (r.fields.empty()) return;
    std::vector<Field> main;
    std::vector<Field> write;
    for (const Field& f : r.fields) {
      const bool shared = std::any_of(r.fields.begin(), r.fields.end(), [&](const Field& o) {
        return &o != &f && f.lsb <= o.msb() && o.lsb <= f.msb();
      });
      (shared && f.access == "wo" ? write : main).push_back(f);
    }
    out_ += "\n";
    structure(lower(r.name) + "_reg_t", 32, main);
    if (!write.empty()) structure(lower(r.name) + "_wr_t", 32, write);
  }

  void space(const Space& s) {
    section("registers: " + s.name);
    const int width = s.step == 4 ? 16 : index_bits(s.size);
    const std::string base = upper(s.name) + "_REGS";
    if (s.base != 0) {
      declare("logic [31:0]", base, fmt::format("32'h{:08X}", s.base), "");
      declare("int unsigned", base + "_BYTES", fmt::format("{}", s.size), "");
    }
    for (const Register& r : s.registers) {
      std::string about;
      if (r.count > 1) {
        about = fmt::format("+ {} * {}, {} of them", r.stride, r.index, r.count);
      }
      declare(bits_type(width), s.prefix + "_" + r.name, literal(width, r.offset), about);
    }
    for (const Register& r : s.registers) {
      if (r.access != "ro" || !r.fields.empty() || !r.reset || *r.reset == 0) continue;
      declare("logic [31:0]", s.prefix + "_" + r.name + "_VALUE", literal(32, *r.reset), "");
    }
    for (const Register& r : s.registers) register_structures(r);
    functions(s, width);
  }

  void functions(const Space& s, int width) {
    const std::string prefix = lower(s.prefix) + "_";
    std::map<std::string, std::string> units;  // what each unit matches
    std::vector<std::string> order;
    out_ += "\n  // Whether an address is one of an array's, and which.\n";
    for (const Register& r : s.registers) {
      const std::string name = s.prefix + "_" + r.name;
      const std::string own = prefix + lower(r.name);
      if (units.find(r.unit) == units.end()) order.push_back(r.unit);
      std::string& match = units[r.unit];
      if (!match.empty()) match += " ||\n           ";
      if (r.count == 1) {
        match += "addr == " + name;
        continue;
      }
      match += fmt::format("is_{}(addr)", own);
      const int bits = index_bits(r.count);
      const uint32_t mask = ((1u << bits) - 1) * r.stride;
      int low = 0;
      while ((r.stride >> low) != 1) ++low;
      const std::string all = bits_type(width);
      out_ += fmt::format("  function automatic {} {}_index(input {} addr);\n", bits_type(bits),
                          own, all);
      out_ += fmt::format("    return addr[{}:{}];\n  endfunction\n", low + bits - 1, low);
      out_ += fmt::format("  function automatic logic is_{}(input {} addr);\n", own, all);
      out_ += fmt::format("    return (addr & ~{}) == {}", literal(width, mask), name);
      if (r.count != (1u << bits)) {
        out_ += fmt::format(" && {}_index(addr) < {}'d{}", own, bits, r.count);
      }
      out_ += ";\n  endfunction\n";
      names_.push_back("is_" + own);
      names_.push_back(own + "_index");
    }
    if (order.size() < 2) return;
    out_ += "\n  // Whether an address is a register of a unit.\n";
    for (const std::string& unit : order) {
      out_ += fmt::format(
          "  function automatic logic is_{}_reg(input {} addr);\n    return {};\n"
          "  endfunction\n",
          unit, bits_type(width), units[unit]);
      names_.push_back("is_" + unit + "_reg");
    }
  }

  const Description& d_;
  std::string out_;
  std::vector<std::string> names_;
};

}  // namespace

std::string emit_sv_package(const Description& d) {
  Package package(d);
  const std::string body = package.text();
  return "// SPDX-License-Identifier: Apache-2.0\n" + wrap(kGenerated, "//") +
         "// Registers, encodings, layouts of words and sizes of the machine. ow_pkg exports all "
         "of "
         "it.\n\n"
         "// No module uses every constant, nor every bit of an address.\n"
         "/* verilator lint_off UNUSEDPARAM */\n"
         "/* verilator lint_off UNUSEDSIGNAL */\n"
         "package ow_isa_pkg;\n" +
         body +
         "\nendpackage\n"
         "/* verilator lint_on UNUSEDSIGNAL */\n"
         "/* verilator lint_on UNUSEDPARAM */\n";
}

std::string emit_sv_exports(const Description& d) {
  Package package(d);
  package.text();
  std::string out = "// SPDX-License-Identifier: Apache-2.0\n" + wrap(kGenerated, "//") +
                    "// ow_pkg includes it. By name: an export of a whole package need not export "
                    "what the package\n// that has it does not use itself.\n";
  for (const std::string& name : package.names()) {
    out += fmt::format("export ow_isa_pkg::{};\n", name);
  }
  return out;
}

std::string emit_cmake(const Description& d) {
  std::string out = "# SPDX-License-Identifier: Apache-2.0\n" + wrap(kGenerated, "#") +
                    "# Parameters of ow_tile in the configurations, for ow_verilate and scripts.\n";
  for (const Configuration& c : d.configurations) {
    std::string list;
    for (size_t i = 0; i < c.values.size(); ++i) {
      list += fmt::format(" {}={}", d.parameters[i].name, value_text(d.parameters[i], c.values[i]));
    }
    out += fmt::format("set(OW_{}_PARAMS{})\n", upper(c.name), list);
    for (size_t i = 0; i < c.values.size(); ++i) {
      std::string name;
      for (const char ch : d.parameters[i].name) {
        if (!name.empty() && ch >= 'A' && ch <= 'Z') name += '_';
        name += ch;
      }
      out += fmt::format("set(OW_{}_{} {})\n", upper(c.name), upper(name),
                         value_text(d.parameters[i], c.values[i]));
    }
  }
  return out;
}

}  // namespace ow::isa_gen
