// SPDX-License-Identifier: Apache-2.0
#ifndef OW_BASE_TEMPORARY_DIRECTORY_H_
#define OW_BASE_TEMPORARY_DIRECTORY_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "ow/base/error.h"

namespace ow {

// A directory of its own that goes with what is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_((std::filesystem::temp_directory_path() / "ow-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw BadInput(path_ + ": cannot be made");
  }
  ~TemporaryDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ow

#endif  // OW_BASE_TEMPORARY_DIRECTORY_H_
