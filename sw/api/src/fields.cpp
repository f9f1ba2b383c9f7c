// SPDX-License-Identifier: Apache-2.0
#include "fields.h"

#include <fmt/format.h>

#include <utility>

#include "ow/api/error.h"
#include "ow/base/json.h"
#include "ow/base/text.h"

namespace ow::api {

std::string shown(const nlohmann::json& value) { return printable_text(json_text(value)); }

Fields::Fields(const nlohmann::json& object, std::string prefix)
    : object_(object), prefix_(std::move(prefix)) {
  if (object.is_object()) return;
  if (prefix_.empty()) throw ApiError(400, "the body must be an object, not " + shown(object));
  prefix_.pop_back();
  throw ApiError(400, fmt::format("'{}' must be an object, not {}", prefix_, shown(object)),
                 prefix_);
}

void Fields::fail(const std::string& key, const std::string& what) const {
  throw ApiError(400, fmt::format("'{}' {}", printable_text(name(key), 100), what), name(key));
}

const nlohmann::json* Fields::find(const std::string& key) {
  seen_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const nlohmann::json& Fields::at(const std::string& key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) fail(key, "is missing");
  return *value;
}

int Fields::whole(const std::string& key, int low, int high, int absent) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return absent;
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() || value->get<uint64_t>() <= INT32_MAX);
  if (!fits || value->get<int64_t>() < low || value->get<int64_t>() > high) {
    fail(key,
         fmt::format("must be a whole number from {} to {}, not {}", low, high, shown(*value)));
  }
  return value->get<int>();
}

double Fields::number(const std::string& key, double low, double high, double absent) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return absent;
  if (!value->is_number() || !(value->get<double>() >= low && value->get<double>() <= high)) {
    fail(key, fmt::format("must be a number from {} to {}, not {}", low, high, shown(*value)));
  }
  return value->get<double>();
}

bool Fields::flag(const std::string& key, bool absent) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return absent;
  if (!value->is_boolean()) fail(key, "must be true or false, not " + shown(*value));
  return value->get<bool>();
}

std::string Fields::text(const std::string& key) {
  const nlohmann::json& value = at(key);
  if (!value.is_string()) fail(key, "must be a text, not " + shown(value));
  return value.get<std::string>();
}

uint64_t Fields::seed(const std::string& key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return 0;
  if (!value->is_number_integer()) fail(key, "must be a whole number, not " + shown(*value));
  if (value->is_number_unsigned()) return value->get<uint64_t>();
  return static_cast<uint64_t>(value->get<int64_t>());
}

std::vector<std::string> Fields::texts(const std::string& key, size_t most) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return {};
  const std::string rule = fmt::format("must be a text or a list of at most {}, none empty", most);
  std::vector<std::string> all;
  if (value->is_string()) {
    all.push_back(value->get<std::string>());
  } else if (value->is_array() && value->size() <= most) {
    for (const nlohmann::json& one : *value) {
      if (!one.is_string()) fail(key, rule);
      all.push_back(one.get<std::string>());
    }
  } else {
    fail(key, rule);
  }
  for (const std::string& one : all) {
    if (one.empty()) fail(key, rule);
  }
  return all;
}

void Fields::require(const std::string& key, const nlohmann::json& value) {
  const nlohmann::json* found = find(key);
  if (found == nullptr || *found == value) return;
  if ((found->is_structured() && found->empty()) || *found == "") return;
  fail(key, "is not supported");
}

void Fields::finish() const {
  for (const auto& [key, value] : object_.items()) {
    if (seen_.count(key) == 0 && !value.is_null()) fail(key, "is not supported");
  }
}

}  // namespace ow::api
