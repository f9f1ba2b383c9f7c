// SPDX-License-Identifier: Apache-2.0
#include "ow/base/json_object.h"

#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/base/text.h"

namespace ow {

using nlohmann::json;

JsonObject::JsonObject(std::string path, const json& value, const std::string& key)
    : path_(std::move(path)), object_(value), prefix_(key.empty() ? "" : key + ".") {
  if (object_.is_object()) return;
  if (key.empty()) throw BadInput(path_ + ": must be a JSON object");
  throw BadInput(fmt::format("{}: '{}' must be an object, not {}", path_, key, shown(value)));
}

void JsonObject::fail(const std::string& key, const std::string& what) const {
  throw BadInput(fmt::format("{}: '{}{}' {}", path_, prefix_, printable_text(key), what));
}

const json* JsonObject::find(const std::string& key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const json& JsonObject::at(const std::string& key) const {
  const json* value = find(key);
  if (value == nullptr) fail(key, "is missing");
  return *value;
}

int JsonObject::whole(const std::string& key, int low, int high, std::optional<int> absent) const {
  if (absent && find(key) == nullptr) return *absent;
  const json& value = at(key);
  if (!value.is_number_integer() || value < low || value > high) {
    fail(key, fmt::format("must be a whole number from {} to {}, not {}", low, high, shown(value)));
  }
  return value.get<int>();
}

double JsonObject::positive(const std::string& key, double high,
                            std::optional<double> absent) const {
  if (absent && find(key) == nullptr) return *absent;
  const json& value = at(key);
  const double x = value.is_number() ? value.get<double>() : 0;
  if (!(x > 0 && x <= high)) {
    fail(key, fmt::format("must be a number above 0 and up to {}, not {}", high, shown(value)));
  }
  return x;
}

bool JsonObject::flag(const std::string& key, std::optional<bool> absent) const {
  if (absent && find(key) == nullptr) return *absent;
  const json& value = at(key);
  if (!value.is_boolean()) fail(key, "must be true or false, not " + shown(value));
  return value.get<bool>();
}

std::string JsonObject::text(const std::string& key,
                             const std::optional<std::string>& absent) const {
  if (absent && find(key) == nullptr) return *absent;
  const json& value = at(key);
  if (!value.is_string()) fail(key, "must be a string, not " + shown(value));
  return value.get<std::string>();
}

JsonObject JsonObject::object(const std::string& key) const {
  return JsonObject(path_, at(key), prefix_ + key);
}

std::vector<JsonObject> JsonObject::objects(const std::string& key) const {
  const json& value = at(key);
  if (!value.is_array()) fail(key, "must be a list, not " + shown(value));
  std::vector<JsonObject> out;
  for (const json& item : value) {
    out.emplace_back(path_, item, fmt::format("{}{}[{}]", prefix_, key, out.size()));
  }
  return out;
}

std::string JsonObject::shown(const json& value) { return printable_text(json_text(value)); }

}  // namespace ow
