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

Choice::Choice(const Model& model, const Context& context, std::vector<std::string> stops,
               bool probabilities)
    : tokenizer_(*model.tokenizer),
      stream_(tokenizer_),
      stops_(std::move(stops)),
      probabilities_(probabilities),
      before_(context.before) {
  echo_.text = context.echo;
  // The text of a token can depend on whether it is the first one.
  size_t place = 0;
  for (const int token : context.tokens) {
    echo_places_.push_back(place);
    if (known(token)) place += characters(stream_.add(token));
  }
  if (context.echo.empty()) return;
  characters_ = characters(context.echo);
  if (!probabilities || before_ > 0) return;
  Entry first;
  first.text = text_of(context.tokens[0], &first.whole);
  echo_.entries.push_back(std::move(first));
}

void Choice::add_to_echo(const Token& token) {
  if (token.position < before_) return;
  Entry entry = entry_of(token);
  entry.offset = echo_places_.at(token.position);
  echo_.entries.push_back(std::move(entry));
}

Delta Choice::add(const Token& token) {
  Delta delta;
  if (finished_) return delta;
  if (token.of_prompt) {
    add_to_echo(token);
    return delta;
  }
  if (tokens_++ == 0) delta = std::exchange(echo_, {});
  const bool last = token.finish != serve::Finish::Not;
  if (probabilities_) pending_.push_back({entry_of(token), made_});
  std::string piece = known(token.id) ? stream_.add(token.id) : "";
  if (last) piece += stream_.finish();
  made_ += piece.size();
  characters_ += characters(piece);
  std::string text = stops_.add(piece);
  if (last) text += stops_.finish();
  if (stops_.stopped() || last) {
    finished_ = true;
    const bool length = token.finish == serve::Finish::Length && !stops_.stopped();
    delta.finish = length ? "length" : "stop";
  }
  shown_ += text.size();
  delta.text += text;
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
