// SPDX-License-Identifier: Apache-2.0
#include "added_tokens.h"

#include <algorithm>

#include "unicode.h"

namespace ow::text {

bool AddedTokens::add(const std::string& form, const AddedToken& token) {
  size_t at = 0;
  for (const char c : form) {
    const auto [next, made] = nodes_[at].next.emplace(static_cast<uint8_t>(c), nodes_.size());
    at = next->second;
    if (made) nodes_.emplace_back();
  }
  if (nodes_[at].token >= 0) return false;
  nodes_[at].token = static_cast<int>(tokens_.size());
  tokens_.push_back(token);
  return true;
}

std::vector<Found> AddedTokens::find(std::string_view text, bool special) const {
  std::vector<Found> out;
  size_t done = 0;  // the end of the last one
  for (size_t begin = 0; begin < text.size();) {
    const AddedToken* longest = nullptr;
    size_t end = begin, node = 0;
    for (size_t at = begin; at < text.size(); ++at) {
      const auto next = nodes_[node].next.find(static_cast<uint8_t>(text[at]));
      if (next == nodes_[node].next.end()) break;
      node = next->second;
      if (nodes_[node].token < 0) continue;
      const AddedToken& token = tokens_[static_cast<size_t>(nodes_[node].token)];
      if (token.special && !special) continue;
      longest = &token;
      end = at + 1;
    }
    if (longest == nullptr) {
      ++begin;
      continue;
    }
    const size_t left =
        longest->takes_left ? trailing_space(text.substr(done, begin - done)) : size_t{0};
    if (longest->takes_right) end += leading_space(text.substr(end));
    out.push_back({begin - left, end, longest->id});
    begin = done = end;
  }
  return out;
}

}  // namespace ow::text
