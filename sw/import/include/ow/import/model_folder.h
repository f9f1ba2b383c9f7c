// SPDX-License-Identifier: Apache-2.0
// Language models of the Llama and GPT-2 families as Hugging Face folders: config.json and
// model.safetensors. docs/models.md lists the keys and the tensors.
#ifndef OW_IMPORT_MODEL_FOLDER_H_
#define OW_IMPORT_MODEL_FOLDER_H_

#include <string>

#include "ow/graph/language_model.h"

namespace ow {

// Reads the model in the folder `path`. Weights in F16, BF16, F32 or F64 become encodings of
// `type`, rounded once. The rotary pairs of a Llama folder are halves, features i and
// i + head_size / 2 of a head, as in LanguageModel.
//
// BadInput in one line, with the file: a key of config.json that changes the mathematics and is
// not supported; a number outside its limits; a tensor that is missing (with the names that are
// there), has another shape than config.json asks for, is not one of the model's, or holds a number
// that is not finite in `type`; a broken file.
LanguageModel read_model_folder(const std::string& path, HalfType type);

// Writes such a folder, which is made if it is missing. config.json is written last, so a folder
// with it is whole. BadInput if a file cannot be written.
void write_model_folder(const std::string& path, const LanguageModel& model);

}  // namespace ow

#endif  // OW_IMPORT_MODEL_FOLDER_H_
