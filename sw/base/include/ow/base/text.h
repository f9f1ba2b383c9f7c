// SPDX-License-Identifier: Apache-2.0
// Text of files in messages.
#ifndef OW_BASE_TEXT_H_
#define OW_BASE_TEXT_H_

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

namespace ow {

// Text from a file as an error shows it: printable, and not longer than `most`.
inline std::string printable_text(const std::string& text, size_t most = 40) {
  std::string out;
  for (const char c : text.substr(0, most)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

// Whether the text from `at` on is so many whole numbers with a space between two; gets them.
inline bool read_numbers(const std::string& text, size_t at, uint64_t* numbers, size_t count) {
  const char* from = text.data() + std::min(at, text.size());
  const char* const end = text.data() + text.size();
  for (size_t k = 0; k < count; ++k) {
    if (k > 0 && (from == end || *from++ != ' ')) return false;
    const auto [next, error] = std::from_chars(from, end, numbers[k]);
    if (error != std::errc()) return false;
    from = next;
  }
  return from == end;
}

}  // namespace ow

#endif  // OW_BASE_TEXT_H_
