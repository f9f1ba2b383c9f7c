// SPDX-License-Identifier: Apache-2.0
// Whole files, read and written. Every failure is a BadInput that names the file and the reason.
#ifndef OW_BASE_FILE_H_
#define OW_BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace ow {

// The file as it is; a directory is no file. `limit`: the most bytes that are taken.
std::string read_text(const std::string& path, size_t limit = size_t{1} << 30);

// The file's contents, unpacked if it is gzip-compressed (it begins with 1f 8b). `limit`: the most
// bytes that may come out; `line_limit`: of a line, in a file that is not compressed: what is no
// text is refused before all of it is read. A compressed file that is damaged, cut short, or has
// anything behind its end is refused.
std::string read_bytes(const std::string& path, size_t limit, size_t line_limit = SIZE_MAX);

// Writes to a temporary file beside `path` and renames it, so that a reader finds the old file or
// the whole new one; what is no regular file, as /dev/stdout, is written to.
void write_file(const std::string& path, const std::string& contents);

// Refused as write_file would be, before the work whose results are to be written there. No path,
// no check.
void check_writable(const std::string& path);

// A path that stands in a file, taken from that file's directory.
std::string beside(const std::string& file, const std::string& path);

}  // namespace ow

#endif  // OW_BASE_FILE_H_
