// SPDX-License-Identifier: Apache-2.0
#include "pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/text.h"
#include "unicode.h"

namespace ow::text {
namespace {

std::string error_text(int code) {
  PCRE2_UCHAR text[200];
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

// White space as Ruby's \s means it. PCRE2's \s has U+180E, too.
constexpr const char* kSpace =
    R"(\t-\r\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";

// An expression of Ruby's syntax for PCRE2. "" if it has what PCRE2 reads in another way.
std::string translated(const std::string& source) {
  std::string out;
  bool in_class = false;
  for (size_t k = 0; k < source.size(); ++k) {
    const char c = source[k];
    const char next = k + 1 < source.size() ? source[k + 1] : '\0';
    if (c == '\\' && (next == 'h' || next == 'H')) return "";
    if (c == '&' && next == '&' && in_class) return "";
    if (c == '\\' && (next == 's' || (next == 'S' && !in_class))) {
      out += in_class ? kSpace : fmt::format("[{}{}]", next == 'S' ? "^" : "", kSpace);
      ++k;
    } else if (c == '\\') {
      out += source.substr(k++, 2);
    } else {
      out += c;
      if (c == '[') in_class = true;
      if (c == ']') in_class = false;
    }
  }
  return out;
}

}  // namespace

struct Pattern::Code {
  std::string source;
  std::unique_ptr<pcre2_code, void (*)(pcre2_code*)> code{nullptr, pcre2_code_free};
  std::unique_ptr<pcre2_match_context, void (*)(pcre2_match_context*)> context{
      nullptr, pcre2_match_context_free};
};

Pattern::Pattern(const std::string& source, Kind kind, const JsonObject& where,
                 const std::string& key) {
  auto made = std::make_shared<Code>();
  made->source = source;
  if (source.empty()) where.fail(key, "is an empty pattern");
  const std::string text = kind == Kind::Expression ? translated(source) : source;
  if (text.empty()) where.fail(key, "has \\h or &&, which are not supported in patterns");
  // Ruby's ^ and $ are those of lines.
  const uint32_t options = kind == Kind::Plain
                               ? PCRE2_UTF | PCRE2_LITERAL
                               : PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  const std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context*)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE at = 0;
  made->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), options,
                                 &error, &at, context.get()));
  if (made->code == nullptr) {
    where.fail(key, fmt::format("is no regular expression: {} at byte {}", error_text(error), at));
  }
  made->context.reset(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(made->context.get(), kMaxSteps);
  pcre2_set_heap_limit(made->context.get(), kMaxKibibytes);
  code_ = std::move(made);
}

Pattern Pattern::read(const JsonObject& where, const std::string& key) {
  const JsonObject object = where.object(key);
  const bool expression = object.find("Regex") != nullptr;
  const char* name = expression ? "Regex" : "String";
  return Pattern(object.text(name), expression ? Kind::Expression : Kind::Plain, object, name);
}

std::vector<Span> Pattern::find(const std::string& text) const {
  std::vector<Span> out;
  const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> data(
      pcre2_match_data_create_from_pattern(code_->code.get(), nullptr), pcre2_match_data_free);
  size_t from = 0, done = 0;
  bool matched = false;
  while (from <= text.size()) {
    // The text was checked when it came in.
    const int found =
        pcre2_match(code_->code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                    PCRE2_NO_UTF_CHECK, data.get(), code_->context.get());
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0) {
      throw BadInput(fmt::format("pattern '{}' at byte {} of a text: {}",
                                 printable_text(code_->source, 60), from, error_text(found)));
    }
    const PCRE2_SIZE* place = pcre2_get_ovector_pointer(data.get());
    const size_t begin = place[0], end = place[1];
    // \K may set the beginning behind the end, or an end before the last one.
    if (begin > end || begin < done) {
      throw BadInput(fmt::format("pattern '{}' has no place at byte {} of a text",
                                 printable_text(code_->source, 60), from));
    }
    if (begin == end && matched && end == done) {
      // No empty match right after another one: on with the next character.
      from = end < text.size() ? end + character_bytes(std::string_view(text).substr(end))
                               : text.size() + 1;
      continue;
    }
    if (done < begin) out.push_back({done, begin, false});
    out.push_back({begin, end, true});
    from = done = end;
    matched = true;
  }
  if (done < text.size()) out.push_back({done, text.size(), false});
  return out;
}

}  // namespace ow::text
