// SPDX-License-Identifier: Apache-2.0
// The text of one answer, as its tokens come.
#ifndef OW_API_SRC_CHOICE_H_
#define OW_API_SRC_CHOICE_H_

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "ow/api/model.h"
#include "ow/api/service.h"
#include "ow/serve/stop_strings.h"

namespace ow::api {

// A token with what a client asks about it.
struct Entry {
  std::string text;
  bool whole = false;                 // the token is characters, no part of one
  std::optional<double> probability;  // none: it is the first one of the context
  struct Other {
    std::string text;
    bool whole;
    double probability;
  };
  std::vector<Other> top;
  size_t offset = 0;  // characters before it of what the client gets
};

struct Delta {
  std::string text;
  std::vector<Entry> entries;
  const char* finish = nullptr;  // "stop" or "length" with the last one
};

// What stands before an answer.
struct Context {
  std::vector<int> tokens;
  size_t before = 0;  // of the tokens: they stand before the client's text
  std::string echo;   // of the client's text; empty: it is not wanted
};

class Choice {
 public:
  // With probabilities and an echo, the tokens of the client's text have theirs, too.
  Choice(const Model& model, const Context& context, std::vector<std::string> stops,
         bool probabilities);

  // What a token adds to what can be shown; the echo comes with the first one of the answer. After
  // the last one tokens are left out.
  Delta add(const Token& token);
  bool finished() const { return finished_; }
  int tokens() const { return tokens_; }

 private:
  struct Pending {
    Entry entry;
    size_t begin;  // bytes of the text before the token
  };
  Entry entry_of(const Token& token) const;
  void add_to_echo(const Token& token);
  std::string text_of(int token, bool* whole) const;
  bool known(int token) const;
  void release(Delta* delta);

  const Tokenizer& tokenizer_;
  TextStream stream_;
  serve::StopStrings stops_;
  bool probabilities_;
  std::deque<Pending> pending_;
  Delta echo_;                       // until it is shown
  std::vector<size_t> echo_places_;  // offsets of the tokens of the prompt
  size_t before_;
  size_t made_ = 0, shown_ = 0;  // bytes
  size_t characters_ = 0;        // of made_
  int tokens_ = 0;
  bool finished_ = false;
};

}  // namespace ow::api

#endif  // OW_API_SRC_CHOICE_H_
