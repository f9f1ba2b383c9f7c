// SPDX-License-Identifier: Apache-2.0
#include "ow/base/json.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 64;

// A key as an error shows it: short, and printable.
std::string shown(const std::string& key) {
  std::string out;
  for (const char c : key.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

}  // namespace

json parse_json(const std::string& text, const std::string& name) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (depth >= kMaxDepth) {
      throw BadInput(fmt::format("{}: nested more than {} deep, the limit", name, kMaxDepth));
    }
    if (event == json::parse_event_t::key &&
        !keys.back().insert(value.get_ref<const std::string&>()).second) {
      throw BadInput(fmt::format("{}: key '{}' stands there twice", name,
                                 shown(value.get_ref<const std::string&>())));
    }
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const json::parse_error& e) {
    const size_t at = std::min(e.byte, text.size());
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw BadInput(fmt::format("{}:{}: is not JSON", name, line + 1));
  } catch (const json::exception&) {
    throw BadInput(fmt::format("{}: holds a number that is out of range", name));
  }
}

json read_json(const std::string& path) { return parse_json(read_text(path), path); }

}  // namespace ow
