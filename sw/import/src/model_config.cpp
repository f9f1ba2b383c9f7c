// SPDX-License-Identifier: Apache-2.0
#include "ow/import/model_config.h"

#include <fmt/format.h>

#include "family_configs.h"
#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/base/text.h"

namespace ow {

using nlohmann::json;

void check_neutral(const JsonObject& keys, const std::map<std::string, json>& neutral) {
  for (const auto& [key, wanted] : neutral) {
    const json* value = keys.find(key);
    if (value == nullptr || *value == wanted) continue;
    keys.fail(key,
              fmt::format("is {}, which is not supported: it must be {}", JsonObject::shown(*value),
                          wanted.is_null() ? "absent" : JsonObject::shown(wanted)));
  }
}

ModelConfig read_model_config(const std::string& path) {
  const json file = read_json(path);
  const JsonObject keys(path, file);
  const std::string type = keys.text("model_type", "");
  if (type == "llama") return llama_config(keys);
  if (type == "gpt2") return gpt2_config(keys);
  keys.fail("model_type", fmt::format("is '{}', must be gpt2 or llama", printable_text(type)));
}

std::string model_config_text(const ModelConfig& config, std::optional<HalfType> type) {
  const bool llama = config.shape.family == LanguageFamily::Llama;
  nlohmann::ordered_json out = llama ? llama_keys(config) : gpt2_keys(config);
  out["torch_dtype"] = !type ? "float32" : *type == HalfType::Binary16 ? "float16" : "bfloat16";
  return out.dump(2) + "\n";
}

}  // namespace ow
