// SPDX-License-Identifier: Apache-2.0
#include "byte_pairs.h"

#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/text.h"
#include "unicode.h"

namespace ow::text {

using nlohmann::json;

BytePairs::BytePairs(const JsonObject& model, const Vocabulary& vocabulary)
    : vocabulary_(vocabulary), whole_first_(model.flag("ignore_merges", false)) {
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!model.text(key, "").empty()) model.fail(key, "is not supported");
  }
  if (const json* dropout = model.find("dropout"); dropout != nullptr && *dropout != 0) {
    model.fail("dropout", "is not supported");
  }
  read_unknown(model);
  read_merges(model);
}

void BytePairs::read_unknown(const JsonObject& model) {
  joins_unknown_ = model.flag("fuse_unk", false);
  if (const std::string name = model.text("unk_token", ""); !name.empty()) {
    unknown_ = vocabulary_.find(name);
    if (!unknown_) model.fail("unk_token", "is not in the vocabulary");
  }
  if (!model.flag("byte_fallback", false)) return;
  for (size_t b = 0; b < bytes_.size(); ++b)
    bytes_[b] = vocabulary_.find(fmt::format("<0x{:02X}>", b));
}

void BytePairs::read_merges(const JsonObject& model) {
  const json& list = model.at("merges");
  if (!list.is_array()) model.fail("merges", "must be a list");
  for (const json& merge : list) {
    const auto rank = static_cast<int>(merges_.size());
    const auto fail = [&](const std::string& what) {
      model.fail("merges", fmt::format("number {}, {}, {}", rank, JsonObject::shown(merge), what));
    };
    std::string left, right;
    if (merge.is_string()) {
      const auto text = merge.get<std::string>();
      const size_t blank = text.find(' ');
      if (blank != std::string::npos && text.find(' ', blank + 1) == std::string::npos) {
        left = text.substr(0, blank);
        right = text.substr(blank + 1);
      }
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
               merge[1].is_string()) {
      left = merge[0].get<std::string>();
      right = merge[1].get<std::string>();
    }
    if (left.empty() || right.empty()) fail("must be two tokens");
    std::optional<int> ids[3];
    size_t k = 0;
    for (const std::string& name : {left, right, left + right}) {
      ids[k] = vocabulary_.find(name);
      if (!ids[k++])
        fail(fmt::format("has '{}', which is not in the vocabulary", printable_text(name)));
    }
    if (!merges_.emplace(pair_key(*ids[0], *ids[1]), Merge{rank, *ids[2]}).second) {
      fail("stands there twice");
    }
  }
}

// The tokens of the characters, before any merge.
std::vector<int> BytePairs::characters(const std::string& piece) const {
  std::vector<int> out;
  bool after_unknown = false;
  for (size_t at = 0; at < piece.size();) {
    const std::string character =
        piece.substr(at, character_bytes(std::string_view(piece).substr(at)));
    at += character.size();
    if (const auto id = vocabulary_.find(character)) {
      out.push_back(*id);
      after_unknown = false;
      continue;
    }
    std::vector<int> bytes;
    for (const char c : character) {
      if (const auto& id = bytes_[static_cast<uint8_t>(c)]) bytes.push_back(*id);
    }
    if (bytes.size() == character.size()) {
      out.insert(out.end(), bytes.begin(), bytes.end());
      after_unknown = false;
      continue;
    }
    if (!unknown_) {
      throw BadInput(fmt::format("the vocabulary lacks the character U+{:04X} of a text",
                                 code_point(character)));
    }
    if (!after_unknown || !joins_unknown_) out.push_back(*unknown_);
    after_unknown = true;
  }
  return out;
}

// A token of the piece, in a list. Joined ones leave it.
struct BytePairs::Symbol {
  int id;
  size_t before, after;  // places of the neighbours
};

void BytePairs::encode(const std::string& piece, std::vector<int>* ids) const {
  if (whole_first_) {
    if (const auto id = vocabulary_.find(piece)) return ids->push_back(*id);
  }
  constexpr size_t kNone = SIZE_MAX;
  constexpr int kGone = -1;
  std::vector<Symbol> symbols;
  for (const int id : characters(piece)) {
    const size_t at = symbols.size();
    symbols.push_back({id, at == 0 ? kNone : at - 1, at + 1});
  }
  if (!symbols.empty()) symbols.back().after = kNone;
  // The lowest rank, then the leftmost place, first.
  using Candidate = std::tuple<int, size_t, int>;  // rank, place of the left one, id of the whole
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto merge_at = [&](size_t at) {
    const size_t after = at == kNone ? kNone : symbols[at].after;
    return after == kNone ? merges_.end()
                          : merges_.find(pair_key(symbols[at].id, symbols[after].id));
  };
  const auto consider = [&](size_t at) {
    if (const auto merge = merge_at(at); merge != merges_.end()) {
      queue.emplace(merge->second.rank, at, merge->second.id);
    }
  };
  for (size_t at = 0; at < symbols.size(); ++at) consider(at);
  while (!queue.empty()) {
    const auto [rank, at, id] = queue.top();
    queue.pop();
    if (symbols[at].id == kGone) continue;
    // The pair may have changed since.
    const auto merge = merge_at(at);
    if (merge == merges_.end() || merge->second.id != id) continue;
    Symbol& right = symbols[symbols[at].after];
    symbols[at].id = id;
    symbols[at].after = right.after;
    right.id = kGone;
    if (right.after != kNone) symbols[right.after].before = at;
    consider(symbols[at].before);
    consider(at);
  }
  for (size_t at = 0; at < symbols.size(); ++at) {
    if (symbols[at].id != kGone) ids->push_back(symbols[at].id);
  }
}

}  // namespace ow::text
