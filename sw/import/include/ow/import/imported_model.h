// SPDX-License-Identifier: Apache-2.0
// Language models in files of other programs, which `ow import` turns into folders.
#ifndef OW_IMPORT_IMPORTED_MODEL_H_
#define OW_IMPORT_IMPORTED_MODEL_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ow/graph/language_model.h"

namespace ow {

struct ImportedModel {
  LanguageModel model;
  std::vector<int> ends;  // tokens that end a text
  // Of the tokenizer, by their names in a folder: tokenizer.json or tokenizer.model. None: the file
  // has no tokenizer.
  std::map<std::string, std::string> files;
};

// Readers. Weights become encodings of `type`, rounded once, after they are dequantised if they
// must be; no type: the one that the file says, or binary16. BadInput in one line, with the file:
// what is not supported, by its name; a number outside its limits; a number that is not finite in
// the type; a file that is broken or cut short.

// GGUF, versions 2 and 3, with the architectures `llama` and `gpt2`, and the tokenizers `gpt2`
// (byte-level merges) and `llama` (pieces with scores). Rotary pairs are neighbours in the file.
ImportedModel read_gguf(const std::string& path, std::optional<HalfType> type = {});

// The first format of llama2.c: a header of seven numbers and fp32 weights, and the tokenizer's
// pieces with scores. Rotary pairs are neighbours in the file.
ImportedModel read_llama2c(const std::string& path, const std::string& tokenizer,
                           std::optional<HalfType> type = {});

// A .npz with the text `__config__` and matrices [inputs][outputs], as glassllm writes them. Rotary
// pairs are neighbours in the file. It has no tokenizer.
ImportedModel read_npz_model(const std::string& path, std::optional<HalfType> type = {});

// Writes a folder (ow/import/model_folder.h) with all of it. BadInput if there is one already that
// is not empty, or a file cannot be written.
void write_imported_model(const std::string& path, const ImportedModel& imported);

}  // namespace ow

#endif  // OW_IMPORT_IMPORTED_MODEL_H_
