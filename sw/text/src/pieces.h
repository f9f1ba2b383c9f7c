// SPDX-License-Identifier: Apache-2.0
// What happens to a text before its pieces become tokens, each alone: the parts "normalizer" and
// "pre_tokenizer" of the file.
#ifndef OW_TEXT_PIECES_H_
#define OW_TEXT_PIECES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ow/base/json_object.h"

namespace ow::text {

struct Piece {
  std::string text;
  bool first;  // it begins where the whole text begins
};

using Normalizer = std::function<std::string(std::string)>;
// Appends the parts of a piece.
using Splitter = std::function<void(const Piece&, std::vector<Piece>*)>;

// Those of the file. Both may be absent: they change nothing then.
Normalizer read_normalizer(const JsonObject& file);
Splitter read_splitter(const JsonObject& file);

// "Metaspace" of pre-tokenizers and decoders.
struct Metaspace {
  enum class Prepend { Always, First, Never };
  std::string mark;  // instead of a blank
  Prepend prepend;
};
Metaspace read_metaspace(const JsonObject& object);

// The character that stands for a byte in byte-level vocabularies: itself if it is printable in
// Latin-1 and no blank, otherwise the next one from U+0100 on (Radford et al., GPT-2, 2019).
const std::string& byte_character(uint8_t byte);

}  // namespace ow::text

#endif  // OW_TEXT_PIECES_H_
