// SPDX-License-Identifier: Apache-2.0
#include "scored_pairs.h"

#include <fmt/format.h>

#include <cstdint>
#include <queue>
#include <tuple>

#include "decoder.h"
#include "ow/base/error.h"
#include "unicode.h"

namespace ow::text {
namespace {

using Kind = ScoredPiece::Kind;
constexpr const char* kMark = "\xE2\x96\x81";  // U+2581, for a blank

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

ScoredPairs::ScoredPairs(PieceModel model) : model_(std::move(model)) {
  for (size_t k = 0; k < model_.pieces.size(); ++k) {
    const ScoredPiece& piece = model_.pieces[k];
    const auto id = static_cast<int>(k);
    if (piece.kind == Kind::Normal || piece.kind == Kind::UserDefined ||
        piece.kind == Kind::Unused) {
      ids_.emplace(piece.text, id);
    }
    if (piece.kind == Kind::UserDefined) {
      defined_.add(piece.text, {id, piece.text, false, false, false, false});
    }
  }
  if (!model_.byte_fallback) return;
  for (size_t k = 0; k < model_.pieces.size(); ++k) {
    if (model_.pieces[k].kind != Kind::Byte) continue;
    bytes_[static_cast<size_t>(byte_of(model_.pieces[k].text))] = static_cast<int>(k);
  }
}

// Blanks as the model has them. Pieces that users have defined stay whole, but their blanks become
// marks, too.
std::string ScoredPairs::normalized(std::string_view text, bool first) const {
  const std::string blank = model_.marks ? kMark : " ";
  if (model_.single_blanks) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  if (text.empty()) return "";
  std::string out = model_.prefix && first ? blank : "";
  bool after_blank = model_.single_blanks;
  for (const char c : text) {
    if (c == ' ' && after_blank) continue;
    after_blank = c == ' ' && model_.single_blanks;
    c == ' ' ? out += blank : out += c;
  }
  while (model_.single_blanks && ends_with(out, blank)) out.resize(out.size() - blank.size());
  return out;
}

void ScoredPairs::encode(const std::string& text, bool first, std::vector<int>* ids) const {
  const std::string form = normalized(text, first);
  size_t done = 0;
  for (const Found& found : defined_.find(form, false)) {
    encode_between(std::string_view(form).substr(done, found.begin - done), ids);
    ids->push_back(found.id);
    done = found.end;
  }
  encode_between(std::string_view(form).substr(done), ids);
}

// A part of the text, in a list. Joined ones leave it.
struct ScoredPairs::Symbol {
  std::string_view text;
  size_t before, after;  // places of the neighbours
};

void ScoredPairs::encode_between(std::string_view text, std::vector<int>* ids) const {
  constexpr size_t kNone = SIZE_MAX;
  std::vector<Symbol> symbols;
  for (size_t at = 0; at < text.size();) {
    const size_t size = character_bytes(text.substr(at)), place = symbols.size();
    symbols.push_back({text.substr(at, size), place == 0 ? kNone : place - 1, place + 1});
    at += size;
  }
  if (symbols.empty()) return;
  symbols.back().after = kNone;
  Parts parts;  // of pieces that are not used
  // The best score, then the leftmost place, first.
  using Candidate = std::tuple<float, size_t, size_t>;  // -score, place of the left one, bytes
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto consider = [&](size_t left) {
    const size_t right = left == kNone ? kNone : symbols[left].after;
    if (right == kNone) return;
    const std::string_view a = symbols[left].text, b = symbols[right].text;
    const std::string_view whole(a.data(), a.size() + b.size());
    const auto found = ids_.find(whole);
    if (found == ids_.end()) return;
    const ScoredPiece& piece = model_.pieces[static_cast<size_t>(found->second)];
    queue.emplace(-piece.score, left, whole.size());
    if (piece.kind == Kind::Unused) parts[whole] = {a, b};
  };
  for (size_t at = 0; at < symbols.size(); ++at) consider(at);
  while (!queue.empty()) {
    const auto [score, at, size] = queue.top();
    queue.pop();
    Symbol& left = symbols[at];
    // The pair may have changed since.
    if (left.text.empty() || left.after == kNone) continue;
    Symbol& right = symbols[left.after];
    if (left.text.size() + right.text.size() != size) continue;
    left.text = {left.text.data(), size};
    left.after = right.after;
    right.text = {};
    if (right.after != kNone) symbols[right.after].before = at;
    consider(left.before);
    consider(at);
  }
  for (const Symbol& symbol : symbols) {
    if (!symbol.text.empty()) add(symbol.text, parts, ids);
  }
}

void ScoredPairs::add(std::string_view symbol, const Parts& parts, std::vector<int>* ids) const {
  const auto found = ids_.find(symbol);
  if (found == ids_.end()) return add_unknown(symbol, ids);
  const bool unused = model_.pieces[static_cast<size_t>(found->second)].kind == Kind::Unused;
  const auto halves = parts.find(symbol);
  if (!unused || halves == parts.end()) return ids->push_back(found->second);
  // What is not used becomes what it was joined from.
  add(halves->second.first, parts, ids);
  add(halves->second.second, parts, ids);
}

void ScoredPairs::add_unknown(std::string_view symbol, std::vector<int>* ids) const {
  std::vector<int> bytes;
  for (const char c : symbol) {
    if (const auto& id = bytes_[static_cast<uint8_t>(c)]) bytes.push_back(*id);
  }
  if (bytes.size() == symbol.size()) {
    ids->insert(ids->end(), bytes.begin(), bytes.end());
    return;
  }
  if (!model_.unknown) {
    throw BadInput(fmt::format("the vocabulary lacks the character U+{:04X} of a text",
                               code_point(symbol.substr(0, character_bytes(symbol)))));
  }
  // Neighbours that are unknown are one token.
  if (ids->empty() || ids->back() != *model_.unknown) ids->push_back(*model_.unknown);
}

std::string ScoredPairs::bytes(int id) const {
  const ScoredPiece& piece = model_.pieces[static_cast<size_t>(id)];
  if (piece.kind == Kind::Control) return "";
  if (piece.kind == Kind::Unknown) return model_.unknown_text;
  if (piece.kind == Kind::Byte) return std::string(1, static_cast<char>(byte_of(piece.text)));
  std::string out;
  const std::string_view text = piece.text, mark = kMark;
  for (size_t at = 0; at < text.size();) {
    const bool blank = text.compare(at, mark.size(), mark) == 0;
    out += blank ? ' ' : text[at];
    at += blank ? mark.size() : 1;
  }
  return out;
}

}  // namespace ow::text
