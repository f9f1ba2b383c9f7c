// SPDX-License-Identifier: Apache-2.0
// Reads ZIP archives, such as NumPy's .npz.
#ifndef OW_BASE_ZIP_H_
#define OW_BASE_ZIP_H_

#include <cstddef>
#include <map>
#include <string>

namespace ow {

// Whether these bytes begin as an archive does.
bool is_zip(const std::string& bytes);

// The files of an archive by their names, unpacked. `bytes` is the archive, `path` its name in
// errors, `limit` the most bytes that all files may have together. BadInput in one line: no
// archive, one that is cut short or damaged (each file has a check sum), a file that is encrypted
// or packed other than by deflate, two files with one name, more than `limit` bytes, an archive in
// several parts or of 2 GiB or more (ZIP64).
std::map<std::string, std::string> unpack_zip(const std::string& bytes, const std::string& path,
                                              size_t limit);

}  // namespace ow

#endif  // OW_BASE_ZIP_H_
