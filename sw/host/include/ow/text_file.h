// SPDX-License-Identifier: Apache-2.0
// Reads a text file whole, for the parsers of parameters and reports.
#ifndef OW_TEXT_FILE_H_
#define OW_TEXT_FILE_H_

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "ow/error.h"

namespace ow {

// BadInput, naming the file and the reason, if it cannot be read; a directory is no file.
inline std::string read_text(const std::string& path) {
  std::string text;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  int error = errno;
  if (file != nullptr) {
    char part[4096];
    while (const size_t n = std::fread(part, 1, sizeof(part), file)) text.append(part, n);
    error = std::ferror(file) != 0 ? errno : 0;
    std::fclose(file);
    if (error == 0) return text;
  }
  throw BadInput(path + ": cannot be read: " + std::strerror(error));
}

}  // namespace ow

#endif  // OW_TEXT_FILE_H_
