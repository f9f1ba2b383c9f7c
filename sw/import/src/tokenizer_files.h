// SPDX-License-Identifier: Apache-2.0
// Tokenizers as the files that ow::Tokenizer reads.
#ifndef OW_IMPORT_SRC_TOKENIZER_FILES_H_
#define OW_IMPORT_SRC_TOKENIZER_FILES_H_

#include <optional>
#include <string>
#include <vector>

namespace ow {

// Both files hold UTF-8 alone.
bool is_utf8(const std::string& text);

// Kinds of pieces, with their numbers in SentencePiece's files and in GGUF.
enum class PieceKind {
  Normal = 1,
  Unknown = 2,
  Control = 3,
  UserDefined = 4,
  Unused = 5,
  Byte = 6
};

struct VocabularyPiece {
  std::string text;
  float score = 0;
  PieceKind kind = PieceKind::Normal;
};

// Pieces with scores, of which the pair with the best score is joined first.
struct PieceVocabulary {
  std::vector<VocabularyPiece> pieces;  // by id
  bool prefix = true;                   // a blank before the text
  std::optional<int> begin, end;        // tokens before and after a text
};
// SentencePiece's tokenizer.model.
std::string piece_model_file(const PieceVocabulary& vocabulary);

// Byte-level merges: the names of a vocabulary are those of GPT-2's bytes.
struct MergeVocabulary {
  std::vector<std::string> names;   // by id
  std::vector<PieceKind> kinds;     // by id
  std::vector<std::string> merges;  // "left right", the first ones first
  std::optional<int> begin, end;    // tokens before and after a text
};
// Hugging Face's tokenizer.json. `cut`: how texts are cut into words, by the name that GGUF has for
// it. Empty if there is no such name.
std::string merge_tokenizer_file(const MergeVocabulary& vocabulary, const std::string& cut);
// The names of `cut`, for messages.
const char* cut_names();

}  // namespace ow

#endif  // OW_IMPORT_SRC_TOKENIZER_FILES_H_
