// SPDX-License-Identifier: Apache-2.0
// config.json, family by family. The keys and their defaults are those of LlamaConfig and
// GPT2Config in Hugging Face's transformers.
#ifndef OW_IMPORT_SRC_FAMILY_CONFIGS_H_
#define OW_IMPORT_SRC_FAMILY_CONFIGS_H_

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "ow/base/json_object.h"
#include "ow/import/model_config.h"

namespace ow {

ModelConfig llama_config(const JsonObject& keys);
ModelConfig gpt2_config(const JsonObject& keys);

nlohmann::ordered_json llama_keys(const ModelConfig& config);
nlohmann::ordered_json gpt2_keys(const ModelConfig& config);

// Refuses keys that change the mathematics, unless they have the value that does not.
void check_neutral(const JsonObject& keys, const std::map<std::string, nlohmann::json>& neutral);

}  // namespace ow

#endif  // OW_IMPORT_SRC_FAMILY_CONFIGS_H_
