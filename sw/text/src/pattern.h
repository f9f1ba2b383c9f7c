// SPDX-License-Identifier: Apache-2.0
// Places of a pattern in a text.
#ifndef OW_TEXT_PATTERN_H_
#define OW_TEXT_PATTERN_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ow/base/json_object.h"

namespace ow::text {

struct Span {
  size_t begin;
  size_t end;
  bool match;  // the pattern, or what stands between
};

// A regular expression (PCRE2, with Unicode's properties) or a plain string. Files write
// expressions for Oniguruma with Ruby's syntax. What the two libraries read in different ways is
// refused: \h, and intersections of classes (&&).
class Pattern {
 public:
  enum class Kind { Expression, Plain };
  // Errors name the key of `where`.
  Pattern(const std::string& source, Kind kind, const JsonObject& where, const std::string& key);
  // {"Regex": ".."} or {"String": ".."} at the key of `where`.
  static Pattern read(const JsonObject& where, const std::string& key);

  // The whole text in parts, from left to right. A match may be empty; what stands between is not.
  // BadInput if it takes more steps or memory than the limits from one place.
  std::vector<Span> find(const std::string& text) const;

 private:
  static constexpr unsigned kMaxSteps = 1'000'000, kMaxKibibytes = 64 << 10;
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace ow::text

#endif  // OW_TEXT_PATTERN_H_
