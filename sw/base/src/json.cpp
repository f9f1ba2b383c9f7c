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

constexpr int kMaxDepth = 64;

// `of_line`: the text is one line, which `name` says already.
json parse(const std::string& text, const std::string& name, bool of_line) {
  std::vector<std::set<std::string>> keys;  // keys of the open objects
  const auto watch = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (depth >= kMaxDepth) {
      throw BadInput(fmt::format("{}: nested more than {} deep, the limit", name, kMaxDepth));
    }
    if (event == json::parse_event_t::key &&
        !keys.back().insert(value.get_ref<const std::string&>()).second) {
      throw BadInput(fmt::format("{}: key '{}' stands there twice", name,
                                 printable_text(value.get_ref<const std::string&>())));
    }
    return true;
  };
  try {
    return json::parse(text, watch);
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
