// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding of one piece of a text: the part "model" of the file.
#ifndef OW_TEXT_BYTE_PAIRS_H_
#define OW_TEXT_BYTE_PAIRS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ow/base/json_object.h"
#include "vocabulary.h"

namespace ow::text {

class BytePairs {
 public:
  // Reads the merges of a model and the tokens for what the vocabulary lacks. The vocabulary, which
  // it refers to, has the model's tokens.
  BytePairs(const JsonObject& model, const Vocabulary& vocabulary);

  // Appends the ids of a piece that is not empty. Of all pairs of neighbours the one with the
  // lowest merge is joined first, of equal ones the leftmost, until no pair has a merge: n log n
  // steps for n characters.
  void encode(const std::string& piece, std::vector<int>* ids) const;

 private:
  struct Merge {
    int rank;
    int id;  // of the whole
  };
  struct Symbol;
  static uint64_t pair_key(int left, int right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  }
  void read_merges(const JsonObject& model);
  void read_unknown(const JsonObject& model);
  std::vector<int> characters(const std::string& piece) const;

  const Vocabulary& vocabulary_;
  std::unordered_map<uint64_t, Merge> merges_;
  bool whole_first_;  // a piece that is a token is this token, whatever the merges
  std::optional<int> unknown_;
  bool joins_unknown_;                         // neighbours that are unknown are one token
  std::array<std::optional<int>, 256> bytes_;  // tokens <0x00> to <0xFF>
};

}  // namespace ow::text

#endif  // OW_TEXT_BYTE_PAIRS_H_
