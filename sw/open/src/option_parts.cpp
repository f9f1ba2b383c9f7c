// SPDX-License-Identifier: Apache-2.0
#include "option_parts.h"

#include <regex>

namespace ow {

std::vector<std::string> option_parts(const std::string& text) {
  static const std::regex window("window=[^,]*@\\d+");
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escapes =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == '\\');
    if (escapes) {
      parts.back() += text[++i];
      continue;
    }
    const bool digit = i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
    if (text[i] != ',' || (digit && std::regex_match(parts.back(), window))) {
      parts.back() += text[i];
    } else {
      parts.emplace_back();
    }
  }
  return parts;
}

}  // namespace ow
