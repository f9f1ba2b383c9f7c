// SPDX-License-Identifier: Apache-2.0
// The one reader of JSON, and how it is written.
#ifndef OW_BASE_JSON_H_
#define OW_BASE_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

namespace ow {

// BadInput, one line with the file and the line in it: what is not JSON, a key that stands twice in
// an object, more than 64 objects and lists inside one another.
nlohmann::json read_json(const std::string& path);
// The same for a text; `name` stands for the file in errors.
nlohmann::json parse_json(const std::string& text, const std::string& name);

// The value as text, in lines if `indent` is not negative. Names of files need not be UTF-8, which
// JSON is: a byte that is none becomes U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);

}  // namespace ow

#endif  // OW_BASE_JSON_H_
