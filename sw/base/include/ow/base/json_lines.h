// SPDX-License-Identifier: Apache-2.0
// Files of JSON lines: a value a line.
#ifndef OW_BASE_JSON_LINES_H_
#define OW_BASE_JSON_LINES_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace ow {

// Gives each line that is not blank to `each`, in their order, with its place ("FILE:LINE").
// BadInput, one line with that place, as of read_json (ow/base/json.h).
void read_json_lines(const std::string& path,
                     const std::function<void(const nlohmann::json&, const std::string&)>& each);

}  // namespace ow

#endif  // OW_BASE_JSON_LINES_H_
