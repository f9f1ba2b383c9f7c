// SPDX-License-Identifier: Apache-2.0
// A file that is read part by part.
#ifndef OW_IMPORT_SRC_INPUT_FILE_H_
#define OW_IMPORT_SRC_INPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace ow {

class InputFile {
 public:
  // BadInput if it cannot be opened, or is no regular file.
  explicit InputFile(const std::string& path);

  const std::string& path() const { return path_; }
  uint64_t bytes() const { return bytes_; }
  [[noreturn]] void fail(const std::string& what) const;

  // Bytes first .. first + count - 1. BadInput if the file ends before.
  void read(uint64_t first, size_t count, void* out);
  std::vector<float> floats(uint64_t first, size_t count);

 private:
  std::string path_;
  std::ifstream file_;
  uint64_t bytes_ = 0;
};

}  // namespace ow

#endif  // OW_IMPORT_SRC_INPUT_FILE_H_
