// SPDX-License-Identifier: Apache-2.0
#ifndef OW_OPEN_SRC_OPTION_PARTS_H_
#define OW_OPEN_SRC_OPTION_PARTS_H_

#include <string>
#include <vector>

namespace ow {

// The parts of a machine's string between commas, one at least. A backslash makes a comma, or a
// backslash, part of a file's name. A window's position has a comma of its own: digits after a
// window belong to it.
std::vector<std::string> option_parts(const std::string& text);

}  // namespace ow

#endif  // OW_OPEN_SRC_OPTION_PARTS_H_
