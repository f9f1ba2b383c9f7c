// SPDX-License-Identifier: Apache-2.0
// What a model's folder says beside its shape and weights.
#ifndef OW_IMPORT_MODEL_SETTINGS_H_
#define OW_IMPORT_MODEL_SETTINGS_H_

#include <string>
#include <vector>

#include "ow/tensor/half.h"

namespace ow {

struct ModelSettings {
  // The 16-bit type that the model was made for: bfloat16 if `torch_dtype` (or `dtype`) of
  // config.json says so, else binary16.
  HalfType type = HalfType::Binary16;
  // Tokens that end a text: `eos_token_id`, one or a list, of generation_config.json if that file
  // has the key, else of config.json.
  std::vector<int> ends;
  // The template of chats in tokenizer_config.json, or "".
  std::string chat_template;
};

// BadInput in one line, with the file, for a broken file and for values of another type.
ModelSettings read_model_settings(const std::string& path);

}  // namespace ow

#endif  // OW_IMPORT_MODEL_SETTINGS_H_
