// SPDX-License-Identifier: Apache-2.0
// The constants of the host, the models and the tests; and the tables that `ow info` prints.
#include <fmt/format.h>

#include "emit.h"

namespace ow::isa_gen {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string snake(const std::string& name) {
  std::string s;
  for (const char ch : name) {
    if (!s.empty() && ch >= 'A' && ch <= 'Z') s += '_';
    s += ch;
  }
  return lower(s);
}

const char* word_type(int width) { return width > 32 ? "uint64_t" : "uint32_t"; }

std::string fields_text(const std::vector<Field>& fields, int width, const std::string& indent) {
  std::string out;
  for (const Field& f : fields) {
    const char* kind = f.count > 1 ? "FieldArray" : f.is_signed ? "SignedField" : "Field";
    const std::string more = f.count > 1 ? fmt::format(", {}", f.count) : "";
    std::string line = fmt::format("{}using {} = {}<{}, {}, {}{}>;", indent, f.cpp, kind,
                                   word_type(width), f.lsb, f.width, more);
    if (line.size() + f.about.size() + 5 <= 100) line += "  // " + f.about;
    out += line + "\n";
  }
  return out;
}

std::string enum_text(const Enum& e) {
  std::string out = "\n" + wrap(e.about + ".", "//");
  out +=
      fmt::format("enum class {} : {} {{\n", camel(e.name), e.width > 8 ? "uint16_t" : "uint8_t");
  for (const EnumValue& v : e.values) {
    std::string line = fmt::format("  {} = {},", v.cpp, hex(v.value));
    if (line.size() + v.about.size() + 5 <= 100) line += "  // " + v.about;
    out += line + "\n";
  }
  out += "};\n";
  out += fmt::format("const char* name_of({} value);\nconst char* about({} value);\n",
                     camel(e.name), camel(e.name));
  return out;
}

std::string space_text(const Space& s) {
  std::string out = fmt::format("\n// {}\nnamespace {} {{\n", s.about, lower(s.prefix));
  if (s.base != 0) {
    out += fmt::format("inline constexpr uint32_t kBase = 0x{:X};\n", s.base);
    out += fmt::format("inline constexpr uint32_t kBytes = 0x{:X};\n", s.size);
  }
  for (const Register& r : s.registers) {
    const std::string base = r.layout.empty() ? "" : " : isa::" + camel(r.layout);
    out += fmt::format("struct {}{} {{\n", camel(r.name), base);
    out += fmt::format("  static constexpr uint32_t kAddress = 0x{:X};\n", s.base + r.offset);
    if (s.base != 0)
      out += fmt::format("  static constexpr uint32_t kOffset = 0x{:X};\n", r.offset);
    if (r.reset) {
      out += fmt::format("  static constexpr uint32_t kReset = {};\n", hex(*r.reset));
    }
    if (r.count > 1) {
      out += fmt::format("  static constexpr uint32_t kCount = {};\n", r.count);
      out += fmt::format("  static constexpr uint32_t kStride = {};\n", r.stride);
      out +=
          "  template <typename Index>\n  static constexpr uint32_t address(Index i) {\n"
          "    return kAddress + kStride * static_cast<uint32_t>(i);\n  }\n";
    }
    out += fields_text(r.fields, 32, "  ");
    out += "};\n";
  }
  return out + fmt::format("}}  // namespace {}\n", lower(s.prefix));
}

std::string configuration_text(const Description& d) {
  std::string out = "\n// Sizes of a tile.\nstruct Configuration {\n  const char* name;\n";
  for (const Parameter& p : d.parameters) {
    out += fmt::format("  uint32_t {};  // {}\n", snake(p.name), p.about);
  }
  out += "};\n";
  for (const Configuration& c : d.configurations) {
    std::string values;
    for (size_t i = 0; i < c.values.size(); ++i) {
      values += d.parameters[i].word.empty() ? fmt::format(", {}", c.values[i])
                                             : fmt::format(", 0x{:X}", c.values[i]);
    }
    out += fmt::format("inline constexpr Configuration k{}{{{}{}}};\n", camel(c.name),
                       quoted(c.name), values);
  }
  return out;
}

std::string tables_fields(const std::vector<Field>& fields, const std::string& access) {
  std::string out = "{";
  for (const Field& f : fields) {
    out += fmt::format("\n      {{{}, {}, {}, {}, {}, {}, {}}},", quoted(f.name), f.lsb, f.width,
                       f.count, quoted(f.type), quoted(f.access.empty() ? access : f.access),
                       quoted(f.about));
  }
  return out + "}";
}

std::string names_text(const Enum& e) {
  std::string out;
  for (const char* function : {"name_of", "about"}) {
    const bool name = function[0] == 'n';
    out +=
        fmt::format("const char* {}({} value) {{\n  switch (value) {{\n", function, camel(e.name));
    for (const EnumValue& v : e.values) {
      out += fmt::format("    case {}::{}: return {};\n", camel(e.name), v.cpp,
                         quoted(name ? lower(v.name) : v.about));
    }
    out += "  }\n  return nullptr;\n}\n";
  }
  return out;
}

}  // namespace

std::string emit_cpp(const Description& d) {
  std::string out = "// SPDX-License-Identifier: Apache-2.0\n" + wrap(kBuilt, "//") +
                    "// Registers, encodings, layouts of words and sizes of the machine.\n"
                    "// clang-format off\n"
                    "#ifndef OW_ISA_ISA_H_\n#define OW_ISA_ISA_H_\n\n#include <cstdint>\n\n"
                    "#include \"ow/isa/field.h\"\n\nnamespace ow::isa {\n\n";
  for (const Constant& c : d.constants) {
    std::string line = fmt::format("inline constexpr {} k{} = {};",
                                   c.width > 0 ? "uint32_t" : "int", camel(c.name), hex(c.value));
    if (line.size() + c.about.size() + 5 <= 100) line += "  // " + c.about;
    out += line + "\n";
  }
  out += configuration_text(d);
  out +=
      "\n// name_of() is the lower-case name, about() what it means; null if the value has "
      "neither.\n";
  for (const Enum& e : d.enums) out += enum_text(e);
  for (const Layout& l : d.layouts) {
    out += "\n" + wrap(l.about + ".", "//");
    out +=
        fmt::format("struct {} {{\n  static constexpr int kBits = {};\n", camel(l.name), l.width);
    out += fields_text(l.fields, l.width, "  ") + "};\n";
  }
  for (const Space& s : d.spaces) out += space_text(s);
  return out + "\n}  // namespace ow::isa\n\n#endif  // OW_ISA_ISA_H_\n";
}

std::string emit_tables(const Description& d) {
  std::string out = "// SPDX-License-Identifier: Apache-2.0\n" + wrap(kBuilt, "//") +
                    "// clang-format off\n#include \"ow/isa/tables.h\"\n\n#include "
                    "\"ow/isa/isa.h\"\n\nnamespace ow::isa {\n\n";
  for (const Enum& e : d.enums) out += names_text(e);
  out +=
      "\nconst std::vector<EnumInfo>& enums() {\n  static const std::vector<EnumInfo> list = {\n";
  for (const Enum& e : d.enums) {
    out += fmt::format("    {{{}, {}, {}, {{", quoted(e.name), e.width, quoted(e.about));
    for (const EnumValue& v : e.values) {
      std::string columns;
      for (const std::string& c : e.columns) {
        columns += fmt::format("{{{}, {}}}, ", quoted(c), quoted(v.columns.at(c)));
      }
      out += fmt::format("\n      {{{}, {}, {}, {}, {{{}}}}},", quoted(lower(v.name)), hex(v.value),
                         quoted(v.about), v.planned, columns);
    }
    out += "}},\n";
  }
  out +=
      "  };\n  return list;\n}\n\nconst std::vector<WordInfo>& words() {\n"
      "  static const std::vector<WordInfo> list = {\n";
  for (const Layout& l : d.layouts) {
    out += fmt::format("    {{{}, {}, {}, {}}},\n", quoted(l.name), l.width, quoted(l.about),
                       tables_fields(l.fields, "rw"));
  }
  out +=
      "  };\n  return list;\n}\n\nconst std::vector<SpaceInfo>& spaces() {\n"
      "  static const std::vector<SpaceInfo> list = {\n";
  for (const Space& s : d.spaces) {
    out += fmt::format("    {{{}, 0x{:X}, 0x{:X}, {}, {{\n", quoted(s.name), s.base, s.size,
                       quoted(s.about));
    for (const Register& r : s.registers) {
      out += fmt::format("     {{{}, 0x{:X}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n",
                         quoted(r.name), r.offset, r.count, r.stride, quoted(r.unit),
                         quoted(r.access), r.reset.has_value(), hex(r.reset.value_or(0)), r.planned,
                         quoted(r.about), tables_fields(fields_of(d, r), r.access));
    }
    out += "    }},\n";
  }
  return out + "  };\n  return list;\n}\n\n}  // namespace ow::isa\n";
}

}  // namespace ow::isa_gen
