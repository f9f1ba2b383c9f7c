// SPDX-License-Identifier: Apache-2.0
#include "unicode.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include "ow/base/error.h"

namespace ow::text {
namespace {

// How long the character is that begins with this byte, and which second bytes it may have; length
// 0: it begins none.
struct Lead {
  size_t bytes;
  uint8_t low, high;
};

Lead lead_of(uint8_t c) {
  if (c < 0x80) return {1, 0, 0};
  if (c < 0xC2) return {0, 0, 0};
  if (c < 0xE0) return {2, 0x80, 0xBF};
  if (c == 0xE0) return {3, 0xA0, 0xBF};
  if (c == 0xED) return {3, 0x80, 0x9F};  // no surrogates
  if (c < 0xF0) return {3, 0x80, 0xBF};
  if (c == 0xF0) return {4, 0x90, 0xBF};
  if (c < 0xF4) return {4, 0x80, 0xBF};
  if (c == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Utf8 utf8_at(std::string_view bytes) {
  const Lead lead = lead_of(static_cast<uint8_t>(bytes[0]));
  if (lead.bytes == 0) return {Utf8::Kind::Broken, 1};
  for (size_t k = 1; k < lead.bytes; ++k) {
    if (k == bytes.size()) return {Utf8::Kind::Incomplete, k};
    const auto c = static_cast<uint8_t>(bytes[k]);
    const bool good = k == 1 ? c >= lead.low && c <= lead.high : c >= 0x80 && c <= 0xBF;
    if (!good) return {Utf8::Kind::Broken, k};
  }
  return {Utf8::Kind::Character, lead.bytes};
}

size_t utf8_error(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8 next = utf8_at(text.substr(at));
    if (next.kind != Utf8::Kind::Character) return at;
    at += next.bytes;
  }
  return std::string_view::npos;
}

uint32_t code_point(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  if (first < 0x80) return first;
  uint32_t value = first & (0x7Fu >> character.size());
  for (const char c : character.substr(1)) value = value << 6 | (static_cast<uint8_t>(c) & 0x3Fu);
  return value;
}

std::string character(uint32_t code_point) {
  utf8proc_uint8_t bytes[4];
  const auto n = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes);
  return std::string(reinterpret_cast<const char*>(bytes), static_cast<size_t>(n));
}

bool begins_with_space(std::string_view text) {
  if (text.empty()) return false;
  const uint32_t c = code_point(text.substr(0, character_bytes(text)));
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

size_t leading_space(std::string_view text) {
  size_t at = 0;
  while (begins_with_space(text.substr(at))) at += character_bytes(text.substr(at));
  return at;
}

size_t trailing_space(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    size_t begin = end - 1;
    while ((static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80) --begin;
    if (!begins_with_space(text.substr(begin))) break;
    end = begin;
  }
  return text.size() - end;
}

std::string normal_form(const std::string& text, NormalForm form) {
  unsigned options = UTF8PROC_STABLE;
  options |=
      form == NormalForm::C || form == NormalForm::KC ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  if (form == NormalForm::KC || form == NormalForm::KD) options |= UTF8PROC_COMPAT;
  utf8proc_uint8_t* out = nullptr;
  const utf8proc_ssize_t n = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                          static_cast<utf8proc_ssize_t>(text.size()), &out,
                                          static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owned(out, std::free);
  if (n < 0) throw InternalError(utf8proc_errmsg(n));
  return std::string(reinterpret_cast<const char*>(out), static_cast<size_t>(n));
}

}  // namespace ow::text
