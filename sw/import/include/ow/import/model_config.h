// SPDX-License-Identifier: Apache-2.0
#ifndef OW_IMPORT_MODEL_CONFIG_H_
#define OW_IMPORT_MODEL_CONFIG_H_

#include <optional>
#include <string>

#include "ow/graph/language_model.h"

namespace ow {

// What config.json says of a model of the Llama or GPT-2 family.
struct ModelConfig {
  LanguageShape shape;
  bool tied = false;  // the head is the embedding
};

ModelConfig read_model_config(const std::string& path);
// `type`: that of the weights; none: binary32.
std::string model_config_text(const ModelConfig& config, std::optional<HalfType> type);

}  // namespace ow

#endif  // OW_IMPORT_MODEL_CONFIG_H_
