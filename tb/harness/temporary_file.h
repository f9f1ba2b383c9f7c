// SPDX-License-Identifier: Apache-2.0
#ifndef OW_TEMPORARY_FILE_H_
#define OW_TEMPORARY_FILE_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "ow/base/file.h"

namespace ow::jobs {

// A file of this process with a text in it, for the next reader; its path.
inline std::string temporary_file(const std::string& name, const std::string& text) {
  std::string path = testing::TempDir() + std::to_string(getpid()) + "_" + name;
  write_file(path, text);
  return path;
}

}  // namespace ow::jobs

#endif  // OW_TEMPORARY_FILE_H_
