// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <charconv>
#include <regex>

#include <fmt/format.h>

#include "model.h"
#include "ow/base/error.h"

namespace ow::isa_gen {

void Place::fail(const std::string& what) const {
  if (!value_) throw InternalError("ow_isa_gen: " + what);
  value_->fail(what);
}

std::string camel(const std::string& name) {
  std::string out;
  bool start = true;
  for (const char c : name) {
    if (c == '_') {
      start = true;
      continue;
    }
    const auto u = static_cast<unsigned char>(c);
    out += static_cast<char>(start ? std::toupper(u) : std::tolower(u));
    start = false;
  }
  return out;
}

std::string upper(const std::string& name) {
  std::string out = name;
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::string lower(const std::string& name) {
  std::string out = name;
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

int index_bits(uint64_t n) {
  int bits = 1;
  while ((uint64_t{1} << bits) < n) ++bits;
  return bits;
}

const Constant* Description::constant(const std::string& name) const {
  for (const Constant& c : constants) {
    if (c.name == name) return &c;
  }
  return nullptr;
}
const Enum* Description::enumeration(const std::string& name) const {
  for (const Enum& e : enums) {
    if (e.name == name) return &e;
  }
  return nullptr;
}
const Layout* Description::layout(const std::string& name) const {
  for (const Layout& l : layouts) {
    if (l.name == name) return &l;
  }
  return nullptr;
}
const Register* Description::find_register(const std::string& name) const {
  for (const Space& s : spaces) {
    for (const Register& r : s.registers) {
      if (r.name == name) return &r;
    }
  }
  return nullptr;
}
const Space* Description::space(const std::string& name) const {
  for (const Space& s : spaces) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

namespace {

std::optional<uint64_t> to_number(const std::string& text) {
  std::string digits = text;
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'b')) {
    base = digits[1] == 'x' ? 16 : 2;
    digits = digits.substr(2);
  }
  uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

// The number, the value of the constant of that name, or the number of values of the enum.
uint64_t number(const Description& d, const Yaml& value, uint64_t max) {
  const std::string s = value.text();
  std::optional<uint64_t> n = to_number(s);
  if (const Constant* c = d.constant(s)) n = c->value;
  if (const Enum* e = d.enumeration(s)) n = e->values.size();
  if (!n || *n > max) {
    value.fail(
        fmt::format("must be a number up to {}, or a constant or an enum that was described "
                    "before, not '{}'",
                    max, s));
  }
  return *n;
}

std::string name_of(const Yaml& value, const std::string& name, const char* pattern,
                    const char* like) {
  if (!std::regex_match(name, std::regex(pattern))) {
    value.fail(fmt::format("has the name '{}', which is not {}", name, like));
  }
  return name;
}
std::string upper_name(const Yaml& value, const std::string& name) {
  return name_of(value, name, "[A-Z][A-Z0-9]*(_[A-Z0-9]+)*", "LIKE_THIS");
}
std::string lower_name(const Yaml& value, const std::string& name) {
  return name_of(value, name, "[a-z][a-z0-9]*(_[a-z0-9]+)*", "like_this");
}
std::string camel_name(const Yaml& value, const std::string& name) {
  return name_of(value, name, "[A-Z][A-Za-z0-9]*", "LikeThis");
}

// Reads one file into the description.
class Reader {
 public:
  explicit Reader(Description* out) : d_(*out) {}

  void read(const std::string& path) {
    YamlMap file = Yaml::read(path).map();
    each(&file, "parameters", &Reader::parameter);
    each(&file, "constants", &Reader::constant);
    each(&file, "configurations", &Reader::configuration);
    each(&file, "enums", &Reader::enumeration);
    each(&file, "words", &Reader::word);
    each(&file, "spaces", &Reader::space);
    each(&file, "registers", &Reader::registers);
    file.close();
  }

  // After the last file.
  void finish() {
    for (const Word& w : words_) {
      const Parameter& p = d_.parameters[w.parameter];
      const Register* r = d_.find_register(p.word);
      if (r == nullptr) w.value.fail(fmt::format("is a word of {}, which is no register", p.word));
      YamlMap k = w.value.map();
      uint64_t word = 0;
      for (const Field& f : r->fields) {
        word |= number(d_, k[f.name], (uint64_t{1} << f.width * f.count) - 1) << f.lsb;
      }
      k.close();
      d_.configurations[w.configuration].values[w.parameter] = word;
    }
  }

 private:
  using Part = void (Reader::*)(const std::string& name, const Yaml& value);
  void each(YamlMap* file, const std::string& key, Part part) {
    const std::optional<Yaml> list = file->find(key);
    if (!list) return;
    for (const auto& [name, value] : list->map().items()) (this->*part)(name, value);
  }

  static std::string text_or(YamlMap* map, const std::string& key, const std::string& otherwise) {
    const std::optional<Yaml> value = map->find(key);
    return value ? value->text() : otherwise;
  }
  static bool flag(YamlMap* map, const std::string& key) {
    const std::optional<Yaml> value = map->find(key);
    return value && value->flag();
  }
  int integer(const Yaml& value, int max) const {
    return static_cast<int>(number(d_, value, static_cast<uint64_t>(max)));
  }
  // Why the number must stay what it is, for who renumbers the machine.
  static void fixed(YamlMap* map) {
    if (const std::optional<Yaml> value = map->find("fixed")) value->text();
  }
  static std::string access(const Yaml& value) {
    return value.one_of({"rw", "ro", "wo", "w1s", "w1c"});
  }

  void parameter(const std::string& name, const Yaml& value) {
    YamlMap k = value.map();
    Parameter p;
    p.name = camel_name(value, name);
    p.place = Place(value);
    p.word = text_or(&k, "word", "");
    p.max = UINT32_MAX;
    if (p.word.empty()) {
      p.min = number(d_, k["min"], UINT32_MAX);
      p.max = number(d_, k["max"], UINT32_MAX);
    }
    p.about = k["about"].text();
    k.close();
    d_.parameters.push_back(std::move(p));
  }

  void configuration(const std::string& name, const Yaml& value) {
    YamlMap k = value.map();
    Configuration c;
    c.name = lower_name(value, name);
    c.place = Place(value);
    c.about = k["about"].text();
    YamlMap values = k["values"].map();
    for (const Parameter& p : d_.parameters) {
      const Yaml v = values[p.name];
      if (!p.word.empty()) {
        words_.push_back({d_.configurations.size(), c.values.size(), v});
        c.values.push_back(0);
        continue;
      }
      c.values.push_back(number(d_, v, p.max));
      if (c.values.back() < p.min) v.fail(fmt::format("must be {} or more", p.min));
    }
    values.close();
    k.close();
    d_.configurations.push_back(std::move(c));
  }

  void constant(const std::string& name, const Yaml& value) {
    YamlMap k = value.map();
    Constant c;
    c.name = upper_name(value, name);
    c.place = Place(value);
    c.value = number(d_, k["value"], UINT32_MAX);
    if (const std::optional<Yaml> width = k.find("width")) c.width = integer(*width, 32);
    c.about = k["about"].text();
    fixed(&k);
    k.close();
    d_.constants.push_back(std::move(c));
  }

  static void names(const Yaml& value, std::string* type, std::string* prefix) {
    YamlMap k = value.map();
    *type = k["type"].text();
    *prefix = text_or(&k, "prefix", "");
    k.close();
  }

  void enumeration(const std::string& name, const Yaml& value) {
    YamlMap k = value.map();
    Enum e;
    e.name = lower_name(value, name);
    e.place = Place(value);
    e.width = integer(k["width"], 32);
    names(k["sv"], &e.sv_type, &e.sv_prefix);
    names(k["c"], &e.c_type, &e.c_prefix);
    e.about = k["about"].text();
    fixed(&k);
    if (const std::optional<Yaml> columns = k.find("columns")) {
      for (const Yaml& column : columns->list(1, 4)) e.columns.push_back(column.text());
    }
    for (const auto& [value_name, v] : k["values"].map().items()) {
      e.values.push_back(enum_value(value_name, v, e.columns));
    }
    k.close();
    d_.enums.push_back(std::move(e));
  }

  EnumValue enum_value(const std::string& name, const Yaml& value,
                       const std::vector<std::string>& columns) {
    YamlMap k = value.map();
    EnumValue v;
    v.name = upper_name(value, name);
    v.place = Place(value);
    v.cpp = camel_name(value, text_or(&k, "cpp", camel(name)));
    v.c = upper_name(value, text_or(&k, "c", name));
    v.value = number(d_, k["value"], UINT32_MAX);
    v.about = k["about"].text();
    v.detail = text_or(&k, "detail", "");
    v.planned = flag(&k, "planned");
    for (const std::string& column : columns) v.columns[column] = k[column].text();
    fixed(&k);
    k.close();
    return v;
  }

  std::vector<Field> fields(const Yaml& value) {
    std::vector<Field> list;
    for (const auto& [name, v] : value.map().items()) list.push_back(field(name, v));
    return list;
  }

  // N, HIGH:LOW, or WORD.FIELD: where a field of a word before lies.
  void bits(const Yaml& place, Field* f) const {
    const std::string bits = place.text();
    const size_t dot = bits.find('.');
    if (dot != std::string::npos) {
      const Layout* word = d_.layout(bits.substr(0, dot));
      for (const Field& other : word == nullptr ? std::vector<Field>() : word->fields) {
        if (other.name != bits.substr(dot + 1)) continue;
        f->lsb = other.lsb;
        f->width = other.width;
        return;
      }
      place.fail(fmt::format("names no field that was described before: '{}'", bits));
    }
    const size_t colon = bits.find(':');
    const std::optional<uint64_t> msb = to_number(bits.substr(0, colon));
    const std::optional<uint64_t> lsb =
        colon == std::string::npos ? msb : to_number(bits.substr(colon + 1));
    if (!msb || !lsb || *msb > 63 || *lsb > *msb) {
      place.fail(fmt::format("must be N, HIGH:LOW of 63 to 0 or WORD.FIELD, not '{}'", bits));
    }
    f->lsb = static_cast<int>(*lsb);
    f->width = static_cast<int>(*msb - *lsb) + 1;
  }

  Field field(const std::string& name, const Yaml& value) {
    YamlMap k = value.map();
    Field f;
    f.name = lower_name(value, name);
    f.place = Place(value);
    f.cpp = camel_name(value, text_or(&k, "cpp", camel(name)));
    bits(k["bits"], &f);
    if (const std::optional<Yaml> count = k.find("count")) f.count = integer(*count, 64);
    f.type = text_or(&k, "type", "");
    if (const std::optional<Yaml> a = k.find("access")) f.access = access(*a);
    f.is_signed = flag(&k, "signed");
    f.about = k["about"].text();
    fixed(&k);
    k.close();
    return f;
  }

  void word(const std::string& name, const Yaml& value) {
    YamlMap k = value.map();
    Layout l;
    l.name = lower_name(value, name);
    l.place = Place(value);
    l.c = text_or(&k, "c", upper(name));
    l.width = integer(k["width"], 64);
    l.about = k["about"].text();
    l.fields = fields(k["fields"]);
    k.close();
    d_.layouts.push_back(std::move(l));
  }

  void space(const std::string& name, const Yaml& value) {
    YamlMap k = value.map();
    Space s;
    s.name = lower_name(value, name);
    s.place = Place(value);
    s.base = static_cast<uint32_t>(number(d_, k["base"], UINT32_MAX));
    s.size = static_cast<uint32_t>(number(d_, k["size"], 65536));
    s.step = static_cast<uint32_t>(number(d_, k["step"], 4));
    s.prefix = k["prefix"].text();
    s.about = k["about"].text();
    k.close();
    d_.spaces.push_back(std::move(s));
  }

  void registers(const std::string& name, const Yaml& value) {
    for (Space& s : d_.spaces) {
      if (s.name != name) continue;
      for (const auto& [register_name, v] : value.map().items()) {
        s.registers.push_back(one_register(s, register_name, v));
      }
      return;
    }
    value.fail("names no space that was described before");
  }

  Register one_register(const Space& space, const std::string& name, const Yaml& value) {
    YamlMap k = value.map();
    Register r;
    r.name = upper_name(value, name);
    r.place = Place(value);
    if (const std::optional<Yaml> follows = k.find("follows")) {
      follow(space, *follows, &r);
    } else {
      r.offset = static_cast<uint32_t>(number(d_, k["offset"], 65535));
      r.stride = space.step;
      if (const std::optional<Yaml> count = k.find("count")) {
        r.count = static_cast<uint32_t>(number(d_, *count, 256));
        r.index = k["index"].text();
        if (const std::optional<Yaml> stride = k.find("stride")) {
          r.stride = static_cast<uint32_t>(number(d_, *stride, 256));
        }
      }
    }
    r.unit = k["unit"].text();
    r.access = access(k["access"]);
    if (const std::optional<Yaml> reset = k.find("reset")) {
      r.reset = number(d_, *reset, UINT32_MAX);
    }
    r.layout = text_or(&k, "layout", "");
    if (r.layout.empty()) {
      if (const std::optional<Yaml> list = k.find("fields")) r.fields = fields(*list);
    }
    r.about = k["about"].text();
    r.planned = flag(&k, "planned");
    fixed(&k);
    k.close();
    return r;
  }

  // The place right after another register, in an array the same array.
  static void follow(const Space& space, const Yaml& follows, Register* r) {
    r->follows = follows.text();
    for (const Register& other : space.registers) {
      if (other.name != r->follows) continue;
      r->offset = other.offset + space.step;
      r->count = other.count;
      r->stride = other.stride;
      r->index = other.index;
      return;
    }
    follows.fail("must be a register that was described before");
  }

  // A word of a configuration: every field of the register, by name.
  struct Word {
    size_t configuration = 0;
    size_t parameter = 0;
    Yaml value;
  };

  Description& d_;
  std::vector<Word> words_;  // to be put together when the registers have been read
};

}  // namespace

Description read_description(const std::vector<std::string>& paths) {
  Description description;
  Reader reader(&description);
  for (const std::string& path : paths) reader.read(path);
  reader.finish();
  return description;
}

}  // namespace ow::isa_gen
