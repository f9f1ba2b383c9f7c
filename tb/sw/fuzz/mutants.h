// SPDX-License-Identifier: Apache-2.0
// How a valid file becomes a mutant: bits, words, lines and numbers that are hard to get right.
#ifndef OW_TB_FUZZ_MUTANTS_H_
#define OW_TB_FUZZ_MUTANTS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "ow/base/rng.h"

namespace ow {

using Mutator = std::function<void(Rng*, std::string*)>;

inline size_t place(Rng* rng, const std::string& s) { return rng->below(s.size() + 1); }

// What any file may suffer.
inline void damage(Rng* rng, std::string* s) {
  const size_t at = place(rng, *s);
  switch (rng->below(6)) {
    case 0:
      if (at < s->size()) (*s)[at] = static_cast<char>((*s)[at] ^ (1 << rng->below(8)));
      break;
    case 1:
      if (at < s->size()) (*s)[at] = static_cast<char>(rng->below(256));
      break;
    case 2:
      s->erase(at, rng->below(8) + 1);
      break;
    case 3:
      s->insert(at, rng->below(4) + 1, static_cast<char>(rng->below(256)));
      break;
    case 4:
      s->insert(at, s->substr(place(rng, *s), rng->below(200)));
      break;
    default:
      s->resize(at);
  }
}

inline bool word_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '.' || c == '-';
}

// A word of the text becomes another one, or one that files like to get wrong.
inline void swap_word(Rng* rng, std::string* s) {
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t k = 0; k < s->size();) {
    size_t end = k;
    while (end < s->size() && word_char((*s)[end])) ++end;
    if (end > k) words.emplace_back(k, end - k);
    k = end + 1;
  }
  if (words.empty()) return;
  static const char* const kOdd[] = {"-1",      "0",     "1",
                                     "2",       "3",     "4294967296",
                                     "1e999",   "nan",   "x",
                                     "",        "[]",    "{}",
                                     "null",    "~",     "true",
                                     "1.5",     "-0.5",  "'5'",
                                     "1024",    "65536", "*a",
                                     "&a 1",    "!!b 1", "=0",
                                     "=1",      "=2",    "99999999999999999999",
                                     "U8",      "I64",   "F64",
                                     "binary16"};
  const auto [at, size] = words[rng->below(words.size())];
  const auto [from, length] = words[rng->below(words.size())];
  const std::string other =
      rng->below(2) == 0 ? s->substr(from, length) : kOdd[rng->below(std::size(kOdd))];
  s->replace(at, size, other);
}

inline void move_line(Rng* rng, std::string* s) {
  std::vector<size_t> lines = {0};
  for (size_t k = 0; k < s->size(); ++k) {
    if ((*s)[k] == '\n') lines.push_back(k + 1);
  }
  const size_t n = rng->below(lines.size());
  const size_t end = n + 1 < lines.size() ? lines[n + 1] : s->size();
  const std::string line = s->substr(lines[n], end - lines[n]);
  if (rng->below(2) == 0) s->erase(lines[n], line.size());
  if (rng->below(2) == 0) s->insert(std::min(s->size(), lines[rng->below(lines.size())]), line);
}

inline void text(Rng* rng, std::string* s) {
  switch (rng->below(8)) {
    case 0:
      return damage(rng, s);
    case 1:
      return move_line(rng, s);
    default:
      return swap_word(rng, s);
  }
}

// A 32-bit word of the first `head` bytes, or anywhere, becomes a number that is hard to get right.
inline Mutator binary(size_t head) {
  return [head](Rng* rng, std::string* s) {
    if (rng->below(4) == 0 || s->size() < 8) return damage(rng, s);
    static const uint32_t kOdd[] = {
        0, 1, 2, 3, 4, 5, 7, 16, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF0, 48, 49152, 65536};
    const size_t room = rng->below(4) == 0 ? s->size() : std::min(head, s->size());
    const size_t at = rng->below(room - 3);
    const uint32_t value = kOdd[rng->below(std::size(kOdd))];
    const size_t bytes = rng->below(2) == 0 ? 1 : rng->below(2) == 0 ? 2 : 4;
    for (size_t k = 0; k < bytes && at + k < s->size(); ++k) {
      (*s)[at + k] = static_cast<char>(value >> (8 * k));
    }
  };
}

// Words change the header's length: mends what says it, mostly.
inline void header_mutant(Rng* rng, std::string* s) {
  rng->below(4) == 0 ? binary(64)(rng, s) : text(rng, s);
  const size_t end = s->find_last_of('}');
  if (end == std::string::npos || s->size() < 8 || end < 8 || rng->below(8) == 0) return;
  size_t length = end + 1 - 8;
  while (8 + length < s->size() && (*s)[8 + length] == ' ') ++length;
  for (size_t k = 0; k < 8; ++k) (*s)[k] = static_cast<char>(length >> (8 * k));
}

}  // namespace ow

#endif  // OW_TB_FUZZ_MUTANTS_H_
