// SPDX-License-Identifier: Apache-2.0
// The header of firmware, for C and for the assembler.
#include <fmt/format.h>

#include "emit.h"

namespace ow::isa_gen {
namespace {

class Header {
 public:
  explicit Header(const Description& d) : d_(d) {}

  std::string text() {
    for (const Constant& c : d_.constants) {
      define("OW_" + c.name, fmt::format("OW_U({})", hex(c.value)), c.about);
    }
    for (const Configuration& c : d_.configurations) {
      for (size_t i = 0; i < c.values.size(); ++i) {
        define("OW_" + upper(c.name) + "_" + snake(d_.parameters[i].name),
               d_.parameters[i].word.empty() ? fmt::format("OW_U({})", c.values[i])
                                             : fmt::format("OW_U(0x{:X})", c.values[i]),
               "");
      }
    }
    for (const Space& s : d_.spaces) {
      if (s.base != 0) space(s);
    }
    out_ +=
        "\n// Fields of words: _LSB and _MASK (in place), NAME(x) puts x into place, NAME_OF(w) "
        "takes it out.\n";
    for (const Layout& l : d_.layouts) {
      if (l.width <= 32) fields(l.c, l.fields);
    }
    for (const Space& s : d_.spaces) {
      if (s.base == 0) continue;
      for (const Register& r : s.registers) fields(r.name, r.fields);
    }
    enums();
    return out_;
  }

 private:
  static std::string snake(const std::string& name) {
    std::string s;
    for (const char ch : name) {
      if (!s.empty() && ch >= 'A' && ch <= 'Z') s += '_';
      s += ch;
    }
    return upper(s);
  }
  void define(const std::string& name, const std::string& value, const std::string& about) {
    const std::string code = fmt::format("#define {} {}", name, value);
    out_ += about.empty() || code.size() + about.size() + 5 > 100 ? code + "\n"
                                                                  : code + "  // " + about + "\n";
  }
  void space(const Space& s) {
    out_ +=
        fmt::format("\n// Registers of the {}: offsets from OW_{}_REGS.\n", s.name, upper(s.name));
    define(fmt::format("OW_{}_REGS", upper(s.name)), fmt::format("OW_U(0x{:08X})", s.base), "");
    define(fmt::format("OW_{}_REGS_BYTES", upper(s.name)), fmt::format("OW_U(0x{:X})", s.size), "");
    for (const Register& r : s.registers) {
      const std::string name = "OW_" + s.prefix + "_" + r.name;
      if (r.count == 1) {
        define(name, fmt::format("OW_U(0x{:03X})", r.offset), "");
      } else {
        define(fmt::format("{}({})", name, r.index),
               fmt::format("(OW_U(0x{:03X}) + OW_U({}) * ({}))", r.offset, r.stride, r.index), "");
      }
    }
  }
  void fields(const std::string& owner, const std::vector<Field>& list) {
    for (const Field& f : list) {
      const std::string name = "OW_" + owner + "_" + upper(f.name);
      const uint64_t mask = ((uint64_t{1} << f.width) - 1) << f.lsb;
      define(name + "_LSB", fmt::format("{}", f.lsb), f.about);
      define(name + "_MASK", fmt::format("OW_U(0x{:X})", mask), "");
      const uint64_t low = (uint64_t{1} << f.width) - 1;
      if (f.count == 1) {
        define(name + "(x)", fmt::format("(((uint32_t)(x) & 0x{:X}u) << {})", low, f.lsb), "");
        define(name + "_OF(w)", fmt::format("(((uint32_t)(w) >> {}) & 0x{:X}u)", f.lsb, low), "");
      } else {
        define(name + "(i, x)",
               fmt::format("(((uint32_t)(x) & 0x{:X}u) << ({} + {} * (i)))", low, f.lsb, f.width),
               "");
        define(name + "_OF(w, i)",
               fmt::format("(((uint32_t)(w) >> ({} + {} * (i))) & 0x{:X}u)", f.lsb, f.width, low),
               "");
      }
    }
  }
  static std::string value_name(const Enum& e, const EnumValue& v) {
    return "OW_" + (e.c_prefix.empty() ? "" : e.c_prefix + "_") + v.c;
  }
  void enums() {
    out_ += "\n#ifdef __ASSEMBLER__\n";
    for (const Enum& e : d_.enums) {
      for (const EnumValue& v : e.values) define(value_name(e, v), hex(v.value), "");
    }
    out_ += "#else\n";
    for (const Enum& e : d_.enums) {
      out_ += "\n" + wrap(e.about + ".", "//") + fmt::format("enum {} {{\n", e.c_type);
      for (const EnumValue& v : e.values) {
        std::string line = fmt::format("  {} = {},", value_name(e, v), hex(v.value));
        if (line.size() + v.about.size() + 5 <= 100) line += "  // " + v.about;
        out_ += line + "\n";
      }
      out_ += "};\n";
    }
    out_ += "#endif  // __ASSEMBLER__\n";
  }

  const Description& d_;
  std::string out_;
};

}  // namespace

std::string emit_c(const Description& d) {
  return "// SPDX-License-Identifier: Apache-2.0\n" + wrap(kBuilt, "//") +
         "// Registers, encodings and layouts of words for programs of a tile, in C and in the "
         "assembler.\n"
         "// clang-format off\n"
         "#ifndef OW_TILE_ISA_H_\n#define OW_TILE_ISA_H_\n\n"
         "#ifdef __ASSEMBLER__\n#define OW_U(x) x\n#else\n#include <stdint.h>\n"
         "#define OW_U(x) x##u\n#endif\n\n" +
         Header(d).text() + "\n#endif  // OW_TILE_ISA_H_\n";
}

}  // namespace ow::isa_gen
