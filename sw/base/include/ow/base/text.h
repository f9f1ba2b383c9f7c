// SPDX-License-Identifier: Apache-2.0
// Text of files in messages.
#ifndef OW_BASE_TEXT_H_
#define OW_BASE_TEXT_H_

#include <cstddef>
#include <string>

namespace ow {

// Text from a file as an error shows it: printable, and not longer than `most`.
inline std::string printable_text(const std::string& text, size_t most = 40) {
  std::string out;
  for (const char c : text.substr(0, most)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

}  // namespace ow

#endif  // OW_BASE_TEXT_H_
