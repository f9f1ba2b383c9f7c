// SPDX-License-Identifier: Apache-2.0
#include "svg_text.h"

#include <nlohmann/json.hpp>

#include "ow/base/json.h"

namespace ow::plot {

std::string escaped(const std::string& text) {
  using nlohmann::json;
  const std::string valid = json::parse(json_text(text));
  std::string out;
  for (const char c : valid) {
    const auto code = static_cast<unsigned char>(c);
    out += c == '&'                    ? "&amp;"
           : c == '<'                  ? "&lt;"
           : c == '>'                  ? "&gt;"
           : code < 32 || code == 0x7F ? "?"
                                       : std::string(1, c);
  }
  return out;
}

}  // namespace ow::plot
