// SPDX-License-Identifier: Apache-2.0
#include "ow/import/model_settings.h"

#include <filesystem>

#include "ow/base/json.h"
#include "ow/base/json_object.h"

namespace ow {
namespace {

using nlohmann::json;

constexpr const char* kEnds = "eos_token_id";

std::vector<int> ends_of(const JsonObject& keys) {
  const json* value = keys.find(kEnds);
  if (value == nullptr) return {};
  const json list = value->is_array() ? *value : json::array({*value});
  std::vector<int> out;
  for (const json& id : list) {
    if (!id.is_number_integer() || id < 0 || id > 1 << 30) {
      keys.fail(kEnds, "must be a token's number or a list of them, not " + JsonObject::shown(id));
    }
    out.push_back(id.get<int>());
  }
  return out;
}

// A text, or a list of named ones of which "default" is for chats.
std::string template_of(const std::string& path) {
  if (!std::filesystem::exists(path)) return "";
  const json file = read_json(path);
  const JsonObject keys(path, file);
  const json* value = keys.find("chat_template");
  if (value == nullptr) return "";
  if (!value->is_array()) return keys.text("chat_template");
  for (const JsonObject& one : keys.objects("chat_template")) {
    if (one.text("name") == "default") return one.text("template");
  }
  return "";
}

}  // namespace

ModelSettings read_model_settings(const std::string& path) {
  ModelSettings settings;
  const std::string config = path + "/config.json";
  const json file = read_json(config);
  const JsonObject keys(config, file);
  const std::string type = keys.text("torch_dtype", keys.text("dtype", ""));
  if (type == "bfloat16") settings.type = HalfType::Bfloat16;
  settings.ends = ends_of(keys);
  settings.chat_template = template_of(path + "/tokenizer_config.json");
  const std::string generation = path + "/generation_config.json";
  if (!std::filesystem::exists(generation)) return settings;
  const json more = read_json(generation);
  const JsonObject generation_keys(generation, more);
  if (generation_keys.find(kEnds) != nullptr) settings.ends = ends_of(generation_keys);
  return settings;
}

}  // namespace ow
