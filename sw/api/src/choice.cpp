// SPDX-License-Identifier: Apache-2.0
#include "choice.h"

#include <algorithm>
#include <utility>

namespace ow::api {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

size_t characters(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

Choice::Choice(const Model& model, const std::vector<int>& prompt, std::vector<std::string> stops,
               bool probabilities)
    : tokenizer_(*model.tokenizer),
      stream_(tokenizer_),
      stops_(std::move(stops)),
      probabilities_(probabilities) {
  for (const int token : prompt) {
    if (known(token)) stream_.add(token);
  }
}

Delta Choice::add(const Token& token) {
  Delta delta;
  if (finished_) return delta;
  ++tokens_;
  const bool last = token.finish != serve::Finish::Not;
  if (probabilities_) pending_.push_back({entry_of(token), made_});
  std::string piece = known(token.id) ? stream_.add(token.id) : "";
  if (last) piece += stream_.finish();
  made_ += piece.size();
  characters_ += characters(piece);
  delta.text = stops_.add(piece);
  if (last) delta.text += stops_.finish();
  if (stops_.stopped() || last) {
    finished_ = true;
    const bool length = token.finish == serve::Finish::Length && !stops_.stopped();
    delta.finish = length ? "length" : "stop";
  }
  shown_ += delta.text.size();
  release(&delta);
  return delta;
}

// A token is shown with the first character of its text, or at the end if it has none.
void Choice::release(Delta* delta) {
  while (!pending_.empty() &&
         (pending_.front().begin < shown_ || (finished_ && !stops_.stopped()))) {
    delta->entries.push_back(std::move(pending_.front().entry));
    pending_.pop_front();
  }
}

Entry Choice::entry_of(const Token& token) const {
  Entry entry;
  entry.text = text_of(token.id, &entry.whole);
  entry.probability = token.probability;
  entry.offset = characters_;
  for (const auto& [id, probability] : token.top) {
    bool whole = false;
    const std::string text = text_of(id, &whole);
    entry.top.push_back({text, whole, probability});
  }
  return entry;
}

// As inside of a text, where no space is left out. A special token has its name.
std::string Choice::text_of(int token, bool* whole) const {
  *whole = true;
  if (!known(token) || tokenizer_.special(token)) return tokenizer_.name(token);
  TextStream alone(tokenizer_);
  const std::string text = alone.add(token) + alone.finish();
  *whole = text.find(kReplacement) == std::string::npos;
  if (!*whole) return text;
  TextStream inside(tokenizer_);
  inside.add(token);
  return inside.add(token);
}

// A model may have more tokens than its tokenizer: they are no text.
bool Choice::known(int token) const { return !tokenizer_.name(token).empty(); }

}  // namespace ow::api
