// SPDX-License-Identifier: Apache-2.0
#ifndef OW_IMPORT_MODEL_CONFIG_H_
#define OW_IMPORT_MODEL_CONFIG_H_

#include <string>

#include "ow/graph/language_model.h"

namespace ow {

// What config.json says of a model of the Llama or GPT-2 family.
struct ModelConfig {
  LanguageShape shape;
  bool tied = false;  // the head is the embedding
};

ModelConfig read_model_config(const std::string& path);
std::string model_config_text(const ModelConfig& config, HalfType type);

}  // namespace ow

#endif  // OW_IMPORT_MODEL_CONFIG_H_
