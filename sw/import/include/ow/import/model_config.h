// SPDX-License-Identifier: Apache-2.0
#ifndef OW_IMPORT_LLAMA_CONFIG_H_
#define OW_IMPORT_LLAMA_CONFIG_H_

#include <string>

#include "ow/graph/language_model.h"

namespace ow {

// What config.json says of a Llama model.
struct LlamaConfig {
  LanguageShape shape;
  bool tied = false;  // the head is the embedding
};

LlamaConfig read_llama_config(const std::string& path);
std::string llama_config_text(const LlamaConfig& config, HalfType type);

}  // namespace ow

#endif  // OW_IMPORT_LLAMA_CONFIG_H_
