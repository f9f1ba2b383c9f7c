// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model.h"

namespace ow::isa_gen {
namespace {

class Checker {
 public:
  explicit Checker(const Description& d) : d_(d) {}

  void run() {
    for (const Constant& c : d_.constants) {
      once(c.name, c.place);
      fits(c.name, c.value, c.width == 0 ? 32 : c.width, c.place);
    }
    for (const Enum& e : d_.enums) enumeration(e);
    for (const Layout& l : d_.layouts) {
      once(l.name, l.place);
      fields(l.name, l.fields, l.width, "rw");
    }
    for (const Space& s : d_.spaces) space(s);
    configurations();
  }

 private:
  void once(const std::string& name, const Place& place) {
    const bool fresh = names_.insert(name).second;
    if (!fresh) place.fail("has the name of another constant, enum or word");
  }
  static void fits(const std::string& name, uint64_t value, int width, const Place& place) {
    if (width < 64 && value >> width != 0) {
      place.fail(fmt::format("{} is 0x{:x}, more than {} bits", name, value, width));
    }
  }

  void enumeration(const Enum& e) {
    once(e.name, e.place);
    std::set<std::string> names;
    std::map<uint64_t, std::string> numbers;
    for (const EnumValue& v : e.values) {
      fits(v.name, v.value, e.width, v.place);
      const auto [it, fresh] = numbers.emplace(v.value, v.name);
      if (!fresh) v.place.fail(fmt::format("{} and {} are both {}", it->second, v.name, v.value));
      if (!names.insert(v.cpp).second || !names.insert("c:" + v.c).second) {
        v.place.fail(fmt::format("'{}' has the same name as another one", v.name));
      }
    }
  }

  static bool reads(const std::string& access) { return access != "wo"; }
  static bool writes(const std::string& access) { return access != "ro"; }

  void fields(const std::string& owner, const std::vector<Field>& list, int width,
              const std::string& access) {
    std::set<std::string> names;
    for (size_t i = 0; i < list.size(); ++i) {
      const Field& f = list[i];
      if (f.msb() >= width) {
        f.place.fail(fmt::format("{}.{}: bit {} of a word of {}", owner, f.name, f.msb(), width));
      }
      if (is_reserved(f.name)) {
        f.place.fail(
            fmt::format("{}.{}: the name is a word of SystemVerilog, C or C++", owner, f.name));
      }
      if (f.cpp == camel(owner)) {
        f.place.fail(fmt::format("{}.{}: the name is that of its word", owner, f.name));
      }
      if (f.count < 1) f.place.fail(fmt::format("{}.{}: no elements", owner, f.name));
      if (!names.insert(f.cpp).second) {
        f.place.fail(fmt::format("{}.{}: the name stands twice", owner, f.name));
      }
      type(owner, f);
      const std::string& mine = f.access.empty() ? access : f.access;
      for (size_t k = 0; k < i; ++k) {
        const Field& o = list[k];
        const std::string& other = o.access.empty() ? access : o.access;
        const bool together = (reads(mine) && reads(other)) || (writes(mine) && writes(other));
        if (together && f.lsb <= o.msb() && o.lsb <= f.msb()) {
          f.place.fail(fmt::format("{}: '{}' and '{}' share a bit", owner, o.name, f.name));
        }
      }
    }
  }

  // Words that a field cannot be named by in one of the languages, as far as anybody would.
  static bool is_reserved(const std::string& name) {
    static const std::set<std::string> words = {
        "and",      "or",     "not",    "xor",     "task",   "type",   "function", "module",
        "input",    "output", "reg",    "wire",    "logic",  "bit",    "byte",     "int",
        "long",     "short",  "enum",   "struct",  "union",  "packed", "signed",   "unsigned",
        "if",       "else",   "case",   "default", "do",     "for",    "while",    "break",
        "continue", "return", "new",    "this",    "local",  "const",  "static",   "ref",
        "rand",     "begin",  "end",    "initial", "final",  "list",   "queue",    "register",
        "far",      "near",   "always", "assign",  "export", "import", "package",  "program",
        "event",    "time",   "string", "virtual", "class",  "unique", "priority", "before",
        "inside",   "with",   "within", "edge"};
    return words.count(name) != 0;
  }

  void type(const std::string& owner, const Field& f) const {
    if (f.type.empty()) return;
    if (const Enum* e = d_.enumeration(f.type)) {
      if (e->width <= f.width) return;
      f.place.fail(fmt::format("{}.{}: {} bits for '{}', which has {}", owner, f.name, f.width,
                               f.type, e->width));
    }
    const Layout* l = d_.layout(f.type);
    if (l == nullptr) {
      f.place.fail(fmt::format("{}.{}: no enum or word '{}'", owner, f.name, f.type));
    }
    if (l->width != f.width) {
      f.place.fail(fmt::format("{}.{}: {} bits for '{}', which has {}", owner, f.name, f.width,
                               f.type, l->width));
    }
  }

  void space(const Space& s) {
    if (s.step != 1 && s.step != 4) s.place.fail("step must be 1 or 4");
    std::map<uint32_t, std::string> words;
    std::set<std::string> names;
    for (const Register& r : s.registers) {
      if (!names.insert(r.name).second) r.place.fail(r.name + " stands twice");
      place_of(s, r);
      for (uint32_t i = 0; i < r.count; ++i) {
        const uint32_t at = r.offset + i * r.stride;
        if (at + s.step > s.size) {
          r.place.fail(fmt::format("{}: 0x{:x} is beyond 0x{:x}, the end of '{}'", r.name, at,
                                   s.size, s.name));
        }
        const auto [it, fresh] = words.emplace(at, r.name);
        if (!fresh) {
          r.place.fail(fmt::format("{} and {} are both at 0x{:x}", it->second, r.name, at));
        }
      }
      if (!r.layout.empty() && d_.layout(r.layout) == nullptr) {
        r.place.fail(fmt::format("{}: no word '{}'", r.name, r.layout));
      }
      fields(r.name, r.fields, 32, r.access);
    }
  }

  // What the hardware decodes by comparing address bits: an array begins at a multiple of its size
  // (rounded up to a power of two) plus its place in the stride.
  static void place_of(const Space& s, const Register& r) {
    if (r.offset % s.step != 0) {
      r.place.fail(
          fmt::format("{}: offset 0x{:x} is not a multiple of {}", r.name, r.offset, s.step));
    }
    if (r.count == 1) return;
    if ((r.stride & (r.stride - 1)) != 0 || r.stride < s.step) {
      r.place.fail(fmt::format("{}: stride {} is not a power of two", r.name, r.stride));
    }
    const uint32_t span = r.stride << index_bits(r.count);
    if ((r.offset & (span - 1) & ~(r.stride - 1)) != 0) {
      r.place.fail(fmt::format("{}: an array of {} words must begin at a multiple of 0x{:x}",
                               r.name, r.count, span));
    }
  }

  void configurations() {
    for (const Configuration& c : d_.configurations) once("configuration " + c.name, c.place);
  }

  const Description& d_;
  std::set<std::string> names_;
};

}  // namespace

void check_description(const Description& description) { Checker(description).run(); }

}  // namespace ow::isa_gen
