// SPDX-License-Identifier: Apache-2.0
#include "ow/base/json.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/json_lines.h"
#include "ow/base/text.h"

namespace ow {
namespace {

using nlohmann::json;

constexpr size_t kMaxDepth = 64;

// Refuses keys that stand twice and what is nested too deep. It goes before the parser, whose own
// callback takes time that grows with the square of an object's keys.
class Watch : public json::json_sax_t {
 public:
  explicit Watch(const std::string& name) : name_(name) {}

  bool null() override { return inside(); }
  bool boolean(bool /*value*/) override { return inside(); }
  bool number_integer(number_integer_t /*value*/) override { return inside(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return inside(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return inside();
  }
  bool string(string_t& /*value*/) override { return inside(); }
  bool binary(binary_t& /*value*/) override { return inside(); }
  bool start_object(size_t /*elements*/) override { return begin(); }
  bool end_object() override { return end(); }
  bool start_array(size_t /*elements*/) override { return begin(); }
  bool end_array() override { return end(); }
  bool key(string_t& key) override {
    inside();
    if (keys_.back().insert(key).second) return true;
    throw BadInput(fmt::format("{}: key '{}' stands there twice", name_, printable_text(key)));
  }
  // The parser tells it.
  bool parse_error(size_t /*at*/, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    return false;
  }

 private:
  bool inside() const {
    if (keys_.size() < kMaxDepth) return true;
    throw BadInput(fmt::format("{}: nested more than {} deep, the limit", name_, kMaxDepth));
  }
  bool begin() {
    inside();
    keys_.emplace_back();
    return true;
  }
  bool end() {
    keys_.pop_back();
    return true;
  }

  const std::string& name_;
  std::vector<std::set<std::string>> keys_;  // of the open objects; empty for a list
};

// `of_line`: the text is one line, which `name` says already.
json parse(const std::string& text, const std::string& name, bool of_line) {
  Watch watch(name);
  json::sax_parse(text, &watch);
  try {
    return json::parse(text);
  } catch (const json::parse_error& e) {
    if (of_line) throw BadInput(name + ": is not JSON");
    const size_t at = std::min(e.byte, text.size());
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw BadInput(fmt::format("{}:{}: is not JSON", name, line + 1));
  } catch (const json::exception&) {
    throw BadInput(fmt::format("{}: holds a number that is out of range", name));
  }
}

}  // namespace

json parse_json(const std::string& text, const std::string& name) {
  return parse(text, name, false);
}

std::string json_text(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

json read_json(const std::string& path) { return parse_json(read_text(path), path); }

void read_json_lines(const std::string& path,
                     const std::function<void(const json&, const std::string&)>& each) {
  const std::string text = read_text(path);
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::string where = fmt::format("{}:{}", path, ++number);
    if (line.find_first_not_of(" \t\r") != std::string::npos) {
      each(parse(line, where, true), where);
    }
    begin = end + 1;
  }
}

}  // namespace ow
