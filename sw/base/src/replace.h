// SPDX-License-Identifier: Apache-2.0
// How a file is replaced: a new file beside it gets the contents and then the name.
#ifndef OW_BASE_SRC_REPLACE_H_
#define OW_BASE_SRC_REPLACE_H_

#include <cerrno>
#include <string>

namespace ow {

// A name of something that a process has open, such as /dev/stdout. It has no place in a directory.
bool names_open_file(const std::string& path);

// The name that the contents of `file` have until they are complete.
std::string temporary_name(const std::string& file);

// Creates `temporary`, which will replace `file`. It gets the mode of `file` and, if the system
// allows it, its owner; the usual mode if there is no `file`. Returns a descriptor, or -1 and
// errno: kIsWritten while an earlier descriptor of the same name is open.
constexpr int kIsWritten = EALREADY;  // no call for files gives it
int create_for(const std::string& file, const std::string& temporary);

// BadInput for a file that cannot be written, with the reason by its errno.
[[noreturn]] void cannot_write(const std::string& path, int error);

}  // namespace ow

#endif  // OW_BASE_SRC_REPLACE_H_
