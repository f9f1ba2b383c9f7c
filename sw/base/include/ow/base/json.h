// SPDX-License-Identifier: Apache-2.0
// Reads and writes JSON. No other code does.
#ifndef OW_BASE_JSON_H_
#define OW_BASE_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

namespace ow {

// BadInput, one line with file and line, for text that is not JSON, a key that appears twice in an
// object, or more than 64 nested objects and lists.
nlohmann::json read_json(const std::string& path);
// The same for a text. Errors use `name` in place of the file.
nlohmann::json parse_json(const std::string& text, const std::string& name);

// The value as text, on several lines if `indent` is not negative. JSON is UTF-8 but file names
// need not be: each byte that is not UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);

}  // namespace ow

#endif  // OW_BASE_JSON_H_
