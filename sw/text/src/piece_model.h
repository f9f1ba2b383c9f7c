// SPDX-License-Identifier: Apache-2.0
// SentencePiece's tokenizer.model (Kudo and Richardson, 2018): pieces with scores, as Protocol
// Buffers.
#ifndef OW_TEXT_PIECE_MODEL_H_
#define OW_TEXT_PIECE_MODEL_H_

#include <optional>
#include <string>
#include <vector>

namespace ow::text {

struct ScoredPiece {
  // With the numbers of the file.
  enum class Kind { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };
  std::string text;
  float score = 0;
  Kind kind = Kind::Normal;
};

struct PieceModel {
  std::vector<ScoredPiece> pieces;  // by id
  std::optional<int> unknown, begin;
  bool byte_fallback = false;
  std::string unknown_text = " \xE2\x81\x87 ";  // what an unknown token means
  bool prefix = true;                           // a blank before the text
  bool single_blanks = true;                    // of several blanks one stays, at the ends none
  bool marks = true;                            // blanks become U+2581
};

// BadInput in one line: another model than BPE, a table of normal forms, pieces that are empty,
// not UTF-8 or there twice, ids out of range, a broken file.
PieceModel read_piece_model(const std::string& path);

}  // namespace ow::text

#endif  // OW_TEXT_PIECE_MODEL_H_
