// SPDX-License-Identifier: Apache-2.0
// Characters of UTF-8.
#ifndef OW_TEXT_UNICODE_H_
#define OW_TEXT_UNICODE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ow::text {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// How a text of at least one byte begins: a character, or a broken or incomplete one.
struct Utf8 {
  enum class Kind {
    Character,
    Broken,      // a maximal part of a character, or a byte that begins none
    Incomplete,  // the beginning of a character that the bytes end within
  };
  Kind kind;
  size_t bytes;
};
// The well-formed sequences are those of Unicode 15, table 3-7.
Utf8 utf8_at(std::string_view bytes);

// Where the first byte is that is not UTF-8; npos if all is.
size_t utf8_error(std::string_view text);

// Bytes of the character that a text of UTF-8 begins with.
inline size_t character_bytes(std::string_view text) {
  const auto c = static_cast<uint8_t>(text.front());
  return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}
// Whether it is one character.
inline bool one_character(std::string_view text) {
  return !text.empty() && character_bytes(text) == text.size();
}

uint32_t code_point(std::string_view character);
std::string character(uint32_t code_point);

// The character that a text begins with is white space (the property White_Space).
bool begins_with_space(std::string_view text);
// The bytes of white space at the ends of a text.
size_t leading_space(std::string_view text);
size_t trailing_space(std::string_view text);

enum class NormalForm { C, D, KC, KD };
// Of a text of UTF-8 (Unicode Standard Annex 15).
std::string normal_form(const std::string& text, NormalForm form);

}  // namespace ow::text

#endif  // OW_TEXT_UNICODE_H_
