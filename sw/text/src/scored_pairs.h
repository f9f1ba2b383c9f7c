// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding by scores: of all pairs of neighbours that are a piece together, the one whose
// piece has the best score is joined first, of equal ones the leftmost. What SentencePiece does.
#ifndef OW_TEXT_SCORED_PAIRS_H_
#define OW_TEXT_SCORED_PAIRS_H_

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "added_tokens.h"
#include "piece_model.h"

namespace ow::text {

class ScoredPairs {
 public:
  explicit ScoredPairs(PieceModel model);

  // Appends the ids of a text. `first`: it is the beginning of the whole text. BadInput for a
  // character without a piece if there is neither a token for such nor one for each byte.
  void encode(const std::string& text, bool first, std::vector<int>* ids) const;

  // What a token means, if special ones mean nothing.
  std::string bytes(int id) const;

 private:
  struct Symbol;
  using Parts = std::unordered_map<std::string_view, std::pair<std::string_view, std::string_view>>;
  std::string normalized(std::string_view text, bool first) const;
  // A text between pieces that users have defined.
  void encode_between(std::string_view text, std::vector<int>* ids) const;
  void add(std::string_view symbol, const Parts& parts, std::vector<int>* ids) const;
  void add_unknown(std::string_view symbol, std::vector<int>* ids) const;

  PieceModel model_;
  std::unordered_map<std::string_view, int> ids_;  // of pieces that texts may hold
  AddedTokens defined_;
  std::array<std::optional<int>, 256> bytes_;
};

}  // namespace ow::text

#endif  // OW_TEXT_SCORED_PAIRS_H_
