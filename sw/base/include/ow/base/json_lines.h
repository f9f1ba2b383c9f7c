// SPDX-License-Identifier: Apache-2.0
// Files with one JSON value per line.
#ifndef OW_BASE_JSON_LINES_H_
#define OW_BASE_JSON_LINES_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace ow {

// Calls `each` for every line that is not blank, in order, with its place ("FILE:LINE"). Errors are
// BadInput as in read_json (ow/base/json.h), with that place.
void read_json_lines(const std::string& path,
                     const std::function<void(const nlohmann::json&, const std::string&)>& each);

}  // namespace ow

#endif  // OW_BASE_JSON_LINES_H_
