// SPDX-License-Identifier: Apache-2.0
#ifndef OW_BENCH_SCRATCH_H_
#define OW_BENCH_SCRATCH_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "ow/base/error.h"

namespace ow::bench {

// A directory of its own that goes with what is in it.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "ow-train-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw BadInput(name + ": cannot be made");
    path_ = name;
  }
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ow::bench

#endif  // OW_BENCH_SCRATCH_H_
