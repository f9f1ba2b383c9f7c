// SPDX-License-Identifier: Apache-2.0
#ifndef OW_TEMPORARY_FILE_H_
#define OW_TEMPORARY_FILE_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "ow/base/file.h"

namespace ow {

// A path of this process.
inline std::string temporary_path(const std::string& name) {
  return testing::TempDir() + std::to_string(getpid()) + "_" + name;
}

// A file of this process with a text in it, for the next reader; its path.
inline std::string temporary_file(const std::string& name, const std::string& text) {
  std::string path = temporary_path(name);
  write_file(path, text);
  return path;
}

}  // namespace ow

#endif  // OW_TEMPORARY_FILE_H_
